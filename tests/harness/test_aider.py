"""Aider's histories: whose a line is, what begins a turn, how it ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.assemble import turns
from auditor.harness import aider
from auditor.turn import FinishReason, RequestKind, Text, ToolCall, ToolResult, Turn

RECORDINGS = Path(__file__).parent / "recordings" / "aider"
START = ["", "# aider chat started at 2031-01-02 03:04:05", "", "> Aider v0.99.0", ""]
TOKENS = "> Tokens: 10 sent, 2 received."


def told(*lines: str) -> list[Turn]:
    """The turns of a history; lines that Aider wrote get the two spaces that it ends them with."""
    ended = [f"{line}  " if line.startswith((">", "####")) else line for line in (*START, *lines)]
    return [t for t in turns(aider.events(enumerate(ended, 1))) if isinstance(t, Turn)]


def recorded(name: str) -> list[Turn]:
    return [t for t in turns(aider.read(RECORDINGS / name)) if isinstance(t, Turn)]


def test_a_request_of_several_lines_and_its_reply() -> None:
    (found,) = told("#### one", "#### ", "#### two", "", "Fine.", "", "Really.", "", TOKENS)
    assert (found.id, found.session) == ("2031-01-02 03:04:05#1", "2031-01-02 03:04:05")
    assert (found.request, found.reply) == ("one\n\ntwo", "Fine.\n\nReally.")
    assert (found.finish, found.started) == (FinishReason.STOP, None)


@pytest.mark.parametrize(
    ("typed", "kind", "request_"),
    [
        ("make it blue", RequestKind.HUMAN, "make it blue"),
        ("/ask why blue?", RequestKind.HUMAN, "why blue?"),
        ("/architect a blue house", RequestKind.HUMAN, "a blue house"),
        ("/ok", RequestKind.HUMAN, "/ok"),
        ("/usr/lib/blue is missing", RequestKind.HUMAN, "/usr/lib/blue is missing"),
        ("/test", RequestKind.COMMAND, "/test"),
        ("/lint blue.py", RequestKind.COMMAND, "/lint blue.py"),
        ("/tokens", None, ""),
        ("/ask", None, ""),
        ("/run make", None, ""),
        ("!make", None, ""),
        ("<blank>", None, ""),
    ],
)
def test_what_begins_a_turn(typed: str, kind: RequestKind | None, request_: str) -> None:
    found = told(f"#### {typed}", "", "Some lines that nobody quoted", "", TOKENS)
    assert [(t.request_kind, t.request) for t in found] == ([(kind, request_)] if kind else [])


def test_mending_is_a_turn_only_when_the_model_answers() -> None:
    assert told("#### /test", "> all passed") == []


def test_messages_without_an_answer_are_one_request() -> None:
    (found,) = told("#### first", "", "#### second", "", "Answer.", "", TOKENS)
    assert found.request == "first\n\nsecond"


def test_edits_and_commits_come_before_the_reply_that_asked_for_them() -> None:
    (found,) = told(
        "#### go", "", "Here.", "", TOKENS, "> Applied edit to a.py", "> Commit 12ab feat: a"
    )
    assert found.parts == (
        ToolCall("edit", "a.py", "c1", clipped=True),
        ToolResult("", "c1", failed=False),
        ToolCall("git_commit", "12ab feat: a", "c2", clipped=True),
        ToolResult("", "c2", failed=False),
        Text("Here."),
    )
    assert found.reply == "Here."


@pytest.mark.parametrize(
    ("lines", "finish"),
    [
        pytest.param(["", "Fine.", "", TOKENS], FinishReason.STOP, id="tokens are reported"),
        pytest.param(["", "Fine, but"], None, id="the file ends"),
        pytest.param(
            [">", ">", "> ^C again to exit", "", "Fine, b", "", TOKENS],
            FinishReason.ABORTED,
            id="the user interrupts",
        ),
        pytest.param(
            ["", "Fine.", "", TOKENS, ">", ">", "> ^C again to exit"],
            FinishReason.STOP,
            id="control: the user leaves the prompt",
        ),
        pytest.param(
            ["", "```", "> ^C is a key", "```", "", TOKENS],
            FinishReason.STOP,
            id="control: the model writes of keys",
        ),
        pytest.param(
            ["> litellm.RateLimitError: slow down", "> Retrying in 0.2 seconds..."],
            FinishReason.ERROR,
            id="an error and no answer",
        ),
        pytest.param(
            ["> litellm.RateLimitError: slow down", "> Retrying…", "", "Fine.", "", TOKENS],
            FinishReason.STOP,
            id="control: a retry was answered",
        ),
        pytest.param(
            ["", "Long", "", "> Output tokens: ~9 of 9 -- possibly exceeded output limit!"],
            FinishReason.LENGTH,
            id="the output limit",
        ),
        pytest.param(
            ["> Input tokens: ~9 of 9 -- possibly exhausted context window!"],
            FinishReason.ERROR,
            id="the context window",
        ),
        pytest.param(
            ["", "x", "", TOKENS, "> Only 3 reflections allowed, stopping."],
            FinishReason.ERROR,
            id="edits that never fit",
        ),
        pytest.param(
            ["", "x", "", TOKENS, "> Add file to the chat? (Y)es/(N)o [Yes]: y", "", "and"],
            None,
            id="asked again, and cut",
        ),
        pytest.param(
            ["", "x", "", TOKENS, "> Add file to the chat? (Y)es/(N)o [Yes]: n"],
            FinishReason.STOP,
            id="control: not asked again",
        ),
    ],
)
def test_how_a_turn_ended(lines: list[str], finish: FinishReason | None) -> None:
    (found,) = told("#### go", *lines)
    assert found.finish is finish
    assert (found.error is not None) is (finish is FinishReason.ERROR)


def test_an_error_keeps_name_status_and_whether_a_retry_helps() -> None:
    (found,) = told("#### go", "> litellm.AuthenticationError: no such key")
    assert found.error is not None
    assert (found.error.name, found.error.status) == ("AuthenticationError", 401)
    assert (found.error.message, found.error.retryable) == ("no such key", False)


@pytest.mark.parametrize("line", ["#### Notes", "> quoted by the model", "####   four"])
def test_marks_without_two_spaces_are_the_models(line: str) -> None:
    before = [*(f"{x}  " for x in START), "#### go  ", "", "Before.", ""]
    plain, marked = (
        list(turns(aider.events(enumerate([*before, text, "", "After.", f"{TOKENS}  "], 1))))
        for text in (line, f"{line}  ")
    )
    assert isinstance(plain[0], Turn)
    assert line in plain[0].reply
    assert all(line not in t.reply for t in marked if isinstance(t, Turn))


def test_a_fence_keeps_what_looks_like_a_request() -> None:
    (found,) = told("#### go", "", "```", "", "#### not a request", "", "```", "", TOKENS)
    assert "#### not a request" in found.reply
    assert len(told("#### go", "", "x", "", "#### a request", "", "y")) == 2


def test_a_fence_that_the_reply_left_open_ends_with_its_tokens() -> None:
    assert len(told("#### go", "", "```", "x", "", TOKENS, "", "#### next", "", "y")) == 2


def test_recorded_sessions() -> None:
    found = recorded("two-sessions.md")
    assert [(t.id, t.finish) for t in sorted(found, key=lambda t: t.id)] == [
        ("2031-05-06 07:08:09#1", FinishReason.STOP),
        ("2031-05-06 07:08:09#2", FinishReason.ABORTED),
        ("2031-05-06 07:08:09#3", FinishReason.ERROR),
        ("2031-05-06 07:08:09#4", FinishReason.ERROR),
        ("2031-05-07 07:00:00#1", FinishReason.STOP),
        ("2031-05-07 07:00:00#2", FinishReason.LENGTH),
        ("2031-05-07 07:00:00#3", None),
    ]
    assert {t.model for t in found} == {"sample/river-2", "sample/brook-1"}
    failed = next(t for t in found if t.id == "2031-05-06 07:08:09#4")
    assert [result.failed for result in failed.results.values()] == [True, True]


def test_a_history_whose_line_ends_were_trimmed() -> None:
    assert [t.request for t in recorded("trimmed.md")] == [
        "water the beds",
        "and the pots\non the balcony",
    ]


PIECES = sorted({line for p in RECORDINGS.glob("*.md") for line in p.read_text().split("\n")})


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(0, 400))
def test_any_lines_in_any_order_are_read(lines: list[str], cut: int) -> None:
    text = "\n".join(lines)[: cut or None]
    for found in turns(aider.events(enumerate(text.split("\n"), 1))):
        assert isinstance(found, Turn)
        assert set(found.results) <= {call.id for call in found.calls}


def test_claims_the_start_of_a_session(tmp_path: Path) -> None:
    assert aider.claims(tmp_path, b"\n# aider chat started at 2031-01-01 00:00:00\n")
    assert not aider.claims(tmp_path, b"# aider\n\n# aider chat started at 2031")
    assert not aider.claims(tmp_path, b"#### go  \n")


def test_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIDER_CHAT_HISTORY_FILE", raising=False)
    assert list(aider.transcripts()) == []
    history = tmp_path / ".aider.chat.history.md"
    history.touch()
    (tmp_path / "mine.md").touch()
    monkeypatch.setenv("AIDER_CHAT_HISTORY_FILE", str(tmp_path / "mine.md"))
    assert list(aider.transcripts()) == [tmp_path / "mine.md", history]
