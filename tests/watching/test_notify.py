"""Telling a person: what is sent, how, and that no failure is more than a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import httpx
import pytest

from auditor.watching import notify

HOOK = "https://hooks.example/T0/secret-token"


def told(way: str | None, title: str, message: str, **more: object) -> str | None:
    async def tell() -> str | None:
        return await notify.tell(way, title, message, **more)  # type: ignore[arg-type]

    return anyio.run(tell)


def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, script: str) -> Path:
    """A machine whose notification program writes down how it was called."""
    program = tmp_path / notify.PROGRAMS[platform][0]
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(notify.sys, "platform", platform)
    return tmp_path / "said"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_words_are_arguments_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    said = desktop(
        tmp_path,
        monkeypatch,
        platform,
        f'for word; do printf "%s\\n" "$word"; done > {tmp_path}/said',
    )
    words = "--help", '"; touch /tmp/x; $(id) `id` \\" end run\n\x1b[1m'
    assert told("desktop", *words) is None
    lines = said.read_text().splitlines()
    assert lines[-3:-1] == ["--", "--help"]
    assert lines[-1].startswith('"; touch /tmp/x; $(id) `id` \\" end run')
    assert "\x1b" not in lines[-1]


def test_a_program_that_fails_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop(tmp_path, monkeypatch, "linux", "exit 3")
    assert told("desktop", "a", "b") == "no notification: notify-send ended with 3"


def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop(tmp_path, monkeypatch, "linux", "exec sleep 100")
    monkeypatch.setattr(notify, "PATIENCE", 0.2)
    assert told("desktop", "a", "b") == "no notification: no answer within 0 s"


def test_a_program_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told("desktop", "a", "b") == "no notification: notify-send is not installed"


def test_a_platform_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify.sys, "platform", "plan9")
    assert "none is known for plan9" in str(told("desktop", "a", "b"))


def test_nobody_wants_to_be_told() -> None:
    assert told(None, "a", "b") is None


def hook(status: int, to: list[httpx.Request]) -> httpx.MockTransport:
    def answer(request: httpx.Request) -> httpx.Response:
        to.append(request)
        return httpx.Response(status, headers={"location": "https://elsewhere.example"})

    return httpx.MockTransport(answer)


def test_a_webhook_gets_short_words_without_secrets() -> None:
    sent: list[httpx.Request] = []
    key = "sk-ant-api03-" + "A1b2C3d4" * 6
    assert (
        told(HOOK, f"given up {key}", "x\n" * 900, session="ses_1", transport=hook(204, sent))
        is None
    )
    assert [request.method for request in sent] == ["POST"]
    body = json.loads(sent[0].content)
    assert sorted(body) == ["message", "session", "title"]
    assert body["title"] == "given up <KEY>"
    assert len(body["message"]) == 300
    assert body["session"] == "ses_1"


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_webhook_that_refuses_is_a_sentence_and_not_followed(status: int) -> None:
    sent: list[httpx.Request] = []
    said = told(HOOK, "a", "b", transport=hook(status, sent))
    assert said == f"no notification: the webhook answered {status}"
    assert len(sent) == 1


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:1/secret-token", "http://[", "ftp://x/secret-token", "nonsense", ""],
)
def test_a_webhook_that_is_none_is_a_sentence_without_its_address(address: str) -> None:
    said = told(address, "a", "b")
    assert said is not None
    assert said.startswith("no notification: the webhook: ")
    assert "secret" not in said
