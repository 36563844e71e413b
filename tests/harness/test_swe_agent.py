"""SWE-agent trajectories: steps, submissions, and every way a run ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.harness import swe_agent
from auditor.turn import FinishReason, Text, ToolCall, ToolResult, Turn

RECORDINGS = Path(__file__).parent / "recordings" / "swe-agent"
SUBMIT = {"action": "submit\n", "observation": "diff", "thought": "Done."}


def document(*steps: Any, status: Any = "submitted", **more: Any) -> dict[str, Any]:
    history = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {"role": "user", "content": "fix it"},
    ]
    return {
        "trajectory": list(steps),
        "history": history,
        "info": {"exit_status": status},
        **more,
    }


def told(value: object) -> list[Turn | Unread]:
    return list(turns(swe_agent.events(value, "run")))


def one(*steps: Any, **more: Any) -> Turn:
    (found,) = told(document(*steps, **more))
    assert isinstance(found, Turn)
    return found


def test_a_step_is_text_call_and_observation() -> None:
    found = one({"action": "open a.py\n", "observation": "[File]", "thought": "Look.\n"}, SUBMIT)
    assert found.request == "fix it"
    assert found.parts == (
        Text("Look."),
        ToolCall("open", '{"command":"open a.py"}', "run#1.1"),
        ToolResult("[File]", "run#1.1"),
        Text("Done."),
        ToolCall("submit", '{"command":"submit"}', "run#1.2"),
        ToolResult("diff", "run#1.2"),
    )
    assert (found.id, found.session, found.reply) == ("run#1", "run", "")


@pytest.mark.parametrize(
    ("status", "finish", "name", "retryable"),
    [
        ("submitted", FinishReason.STOP, None, None),
        ("exit_forfeit", FinishReason.STOP, None, None),
        ("submitted (exit_cost)", FinishReason.ERROR, "exit_cost", False),
        ("exit_context", FinishReason.ERROR, "exit_context", False),
        ("exit_api", FinishReason.ERROR, "exit_api", True),
        ("exit_format", FinishReason.ERROR, "exit_format", True),
        ("skipped", FinishReason.ABORTED, "skipped", None),
        ("exit_by_owl", FinishReason.UNKNOWN, "exit_by_owl", None),
        (None, None, None, None),
        ("", None, None, None),
        (7, None, None, None),
    ],
)
def test_how_a_run_ended(status, finish, name, retryable) -> None:
    found = one(SUBMIT, status=status)
    assert found.finish is finish
    assert (found.error.name if found.error else None) == name
    assert (found.error.retryable if found.error else None) is retryable


def test_a_format_error_is_text_without_a_call() -> None:
    found = one({"action": "", "observation": "", "thought": "", "response": "I like bees."})
    assert found.parts == (Text("I like bees."),)


def test_a_step_that_the_environment_killed_has_failed() -> None:
    found = one({"action": "python a.py", "observation": "EXECUTION TIMED OUT", "thought": ""})
    assert [result.failed for result in found.results.values()] == [True]
    assert [r.failed for r in one(SUBMIT).results.values()] == [None]


def test_a_step_without_an_observation_is_unanswered() -> None:
    assert one({"action": "make", "thought": "Build."}, status=None).results == {}


def test_attempts_are_turns() -> None:
    found = [t for t in turns(swe_agent.read(RECORDINGS / "attempts.traj")) if isinstance(t, Turn)]
    assert [(t.id, t.finish) for t in found] == [
        ("attempts#1", FinishReason.ERROR),
        ("attempts#2", FinishReason.STOP),
    ]


def test_the_model_of_version_one() -> None:
    (found,) = (
        t for t in turns(swe_agent.read(RECORDINGS / "exit-format.traj")) if isinstance(t, Turn)
    )
    assert found.model == "sample/wax-1"
    assert one(SUBMIT, replay_config="{not json").model is None


@pytest.mark.parametrize(
    "junk",
    [None, 7, [], {}, {"trajectory": 7}, {"trajectory": None}, {"attempts": {}}],
)
def test_what_is_no_trajectory_is_counted(junk: object) -> None:
    assert told(junk) == [Unread("no trajectory")]


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"action": None}, {"action": {"a": 1}}])
def test_a_step_that_is_none_costs_only_itself(junk: object) -> None:
    found = told(document(junk, SUBMIT))
    assert found[0] == Unread("step without an action", 1)
    assert isinstance(found[1], Turn)
    assert [call.name for call in found[1].calls] == ["submit"]


@pytest.mark.parametrize("history", [None, 7, [None, 7, {"role": "user"}], [{"role": ["user"]}]])
def test_a_broken_history_costs_only_the_request(history: object) -> None:
    found = one(SUBMIT, history=history)
    assert (found.request, len(found.calls)) == ("", 1)


def test_a_cut_document_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.traj"
    path.write_bytes((RECORDINGS / "submitted.traj").read_bytes()[:-20])
    with pytest.raises(HarnessUnavailable, match=r"a\.traj"):
        list(swe_agent.read(path))


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (b'{"environment": "hive", "trajectory": [{"action": "ls"', True),
        (b'{\n  "trajectory": [\n    {\n      "action": "ls"', True),
        (b'{"attempts": [{"trajectory": [', True),
        (b'{"info": {"exit_status": "Submitted"}, "messages": [], "trajectory_format": "m"', False),
        (b'{"trajectory": "a word"}', False),
        (b'{"messages": [{"role": "user", "content": "trajectory action"}]}', False),
        (b"", False),
    ],
)
def test_claims(head: bytes, claimed: bool) -> None:
    assert swe_agent.claims(Path("x"), head) is claimed


def test_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SWE_AGENT_TRAJECTORY_DIR", raising=False)
    assert list(swe_agent.transcripts()) == []
    run = tmp_path / "runs" / "a" / "a.traj"
    run.parent.mkdir(parents=True)
    run.touch()
    monkeypatch.setenv("SWE_AGENT_TRAJECTORY_DIR", str(tmp_path / "runs"))
    assert list(swe_agent.transcripts()) == [run]
