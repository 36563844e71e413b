"""Crush's rows: rules as sentences, each with its control; and the database they lie in."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from auditor import assemble
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.harness import crush, opencode
from auditor.harness._crush_fold import Row, events
from auditor.turn import FinishReason, RequestKind, ToolCall, Turn, TurnError
from tests.harness import test_opencode

Parts = list[Any]
Message = tuple[str, float, Parts, bool]
"""Role, seconds, parts, whether it is a summary."""


def text(words: str) -> Any:
    return {"type": "text", "data": {"text": words}}


def finish(reason: str, **more: Any) -> Any:
    return {"type": "finish", "data": {"reason": reason, "time": 1_750_000_100, **more}}


def call(name: str, id_: str = "c1", **given: Any) -> Any:
    data = {"id": id_, "name": name, "input": json.dumps(given), "finished": True}
    return {"type": "tool_call", "data": data}


def result(output: str = "ok", id_: str = "c1", *, error: bool = False, **told: Any) -> Any:
    data = {"tool_call_id": id_, "content": output, "metadata": json.dumps(told), "is_error": error}
    return {"type": "tool_result", "data": data}


def user(words: str, at: float) -> Message:
    return "user", at, [text(words), finish("stop")], False


def agent(at: float, *parts: Any, summary: bool = False) -> Message:
    return (
        "assistant",
        at,
        [text(part) if isinstance(part, str) else part for part in parts],
        summary,
    )


def tool(at: float, *parts: Any) -> Message:
    return "tool", at, [*parts, finish("stop")], False


def rows(*messages: Message) -> list[Row]:
    return [
        Row(f"m{number}", role, parts, "fictive-1" if role == "assistant" else None, at, summary)
        for number, (role, at, parts, summary) in enumerate(messages)
    ]


def turns(*messages: Message, parent: str | None = None) -> list[Turn]:
    found = assemble.turns(events("s1", parent, rows(*messages)))
    return [turn for turn in found if isinstance(turn, Turn)]


DONE = finish("end_turn")
STEP = (agent(1, call("bash"), finish("tool_use")), tool(5, result()))
AGAIN = "The previous session was interrupted because it got too long, the request was: `a`"

BEGINS = [
    ("a message after an answer", [user("a", 0), agent(1, "b", DONE), user("c", 2)], 1),
    (
        "a message after an answer, answered",
        [user("a", 0), agent(1, "b", DONE), user("c", 2), agent(3, "d", DONE)],
        2,
    ),
    ("a message from the queue", [user("a", 0), *STEP, user("c", 5), agent(6, "d", DONE)], 1),
    ("a message long after a step", [user("a", 0), *STEP, user("c", 60), agent(61, "d", DONE)], 2),
    (
        "the prompt after a summary",
        [
            user("a", 0),
            *STEP,
            agent(6, "s", DONE, summary=True),
            user(AGAIN, 7),
            agent(8, "d", DONE),
        ],
        1,
    ),
]


@pytest.mark.parametrize(("said", "count"), [pytest.param(s, n, id=i) for i, s, n in BEGINS])
def test_what_begins_a_turn(said: list[Message], count: int) -> None:
    assert len(turns(*said)) == count


ENDS = [
    ("a plain end", [agent(1, "b", DONE)], FinishReason.STOP),
    ("cut by length", [agent(1, "b", finish("max_tokens"))], FinishReason.LENGTH),
    ("a cancel", [agent(1, "b", finish("canceled"))], FinishReason.ABORTED),
    (
        "a cancel, with the results of what it cut short",
        [agent(1, call("bash"), finish("canceled")), tool(2, result("canceled", error=True))],
        FinishReason.ABORTED,
    ),
    (
        "a refused call",
        [agent(1, call("bash"), finish("permission_denied")), tool(2, result("denied"))],
        FinishReason.ABORTED,
    ),
    ("a step and its result, and no more", list(STEP), None),
    ("a call that was never written to its end", [agent(1, call("bash"))], None),
    ("a reason nobody knows", [agent(1, "b", finish("tired"))], FinishReason.UNKNOWN),
    ("an end after a step", [*STEP, agent(6, "b", DONE)], FinishReason.STOP),
]


@pytest.mark.parametrize(("said", "expected"), [pytest.param(s, f, id=i) for i, s, f in ENDS])
def test_how_a_turn_ended(said: list[Message], expected: FinishReason | None) -> None:
    (turn,) = turns(user("a", 0), *said)
    assert turn.finish is expected


def test_an_error_has_its_words() -> None:
    failed = finish("error", message="API Error", details="no credit")
    (turn,) = turns(user("a", 0), agent(1, failed))
    assert (turn.finish, turn.error) == (
        FinishReason.ERROR,
        TurnError("error", "API Error: no credit"),
    )


STATUS = [
    ('POST "https://x.example/v1": 402 Payment Required {"message":"no"}', 402),
    ("it took 500 seconds", None),
    ("", None),
]


@pytest.mark.parametrize(("details", "status"), STATUS)
def test_a_status_is_read_where_it_is_written(details: str, status: int | None) -> None:
    (turn,) = turns(user("a", 0), agent(1, finish("error", message="API Error", details=details)))
    assert turn.error is not None
    assert turn.error.status == status


def test_parts_reply_and_model() -> None:
    thought = {"type": "reasoning", "data": {"thinking": "hm"}}
    (turn,) = turns(user("a", 0), *STEP, agent(6, thought, "b", DONE))
    assert turn.calls == (ToolCall("bash", "{}", "c1"),)
    assert turn.results["c1"].failed is False
    assert (turn.reply, turn.model, turn.ended) == ("b", "fictive-1", 1_750_000_100)


def test_a_sub_agent_has_a_parent_and_an_agents_request() -> None:
    (turn,) = turns(user("a", 0), agent(1, "b", DONE), parent="s0")
    assert (turn.request_kind, turn.parent) == (RequestKind.AGENT, "s0")


PENDING = [
    ("a running sub-agent", [agent(1, call("agent"))], "subagent"),
    ("a sub-agent that came back", [agent(1, call("agent")), tool(2, result())], ""),
    ("a sub-agent that was cancelled", [agent(1, call("agent"), finish("canceled"))], ""),
    (
        "a job in the background",
        [agent(1, call("bash")), tool(2, result(background=True, shell_id="j1"))],
        "background",
    ),
    (
        "a job that was looked at and is done",
        [
            agent(1, call("bash")),
            tool(2, result(background=True, shell_id="j1")),
            agent(3, call("job_output", "c2")),
            tool(4, result("x", "c2", shell_id="j1", done=True)),
        ],
        "",
    ),
    (
        "a job that was looked at and runs on",
        [
            agent(1, call("bash")),
            tool(2, result(background=True, shell_id="j1")),
            agent(3, call("job_output", "c2")),
            tool(4, result("x", "c2", shell_id="j1", done=False)),
        ],
        "background",
    ),
    (
        "a job that was killed",
        [
            agent(1, call("bash")),
            tool(2, result(background=True, shell_id="j1")),
            agent(3, call("job_kill", "c2")),
            tool(4, result("x", "c2", shell_id="j1")),
        ],
        "",
    ),
]


@pytest.mark.parametrize(("said", "kinds"), [pytest.param(s, k, id=i) for i, s, k in PENDING])
def test_what_is_pending(said: list[Message], kinds: str) -> None:
    (turn,) = turns(user("a", 0), *said)
    assert " ".join(what.kind for what in turn.pending) == kinds


def test_the_list_is_written_when_the_tool_answered() -> None:
    items = [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]
    asked = agent(1, call("todos", todos=items), finish("tool_use"))
    (turn,) = turns(user("a", 0), asked, tool(2, result()))
    assert [todo.content for todo in turn.open_todos] == ["write"]
    (refused,) = turns(user("a", 0), asked, tool(2, result(error=True)))
    assert refused.todos is None


def test_a_summary_inside_a_turn_compacts_it_and_one_between_turns_does_not() -> None:
    summary = agent(6, "s", DONE, summary=True)
    (inside,) = turns(user("a", 0), *STEP, summary, user(AGAIN, 7), agent(8, "d", DONE))
    assert inside.compacted
    assert inside.words == ["d"]
    (between,) = turns(user("a", 0), agent(1, "b", DONE), summary)
    assert not between.compacted


@pytest.mark.parametrize(
    "parts", [None, "x", 3, [None, 3, {}, {"type": 4}, {"type": "new", "data": {}}]]
)
@pytest.mark.parametrize("role", ["assistant", "tool", "oracle"])
def test_junk_is_counted_and_never_raises(role: str, parts: Any) -> None:
    found = list(events("s1", None, [Row("m", role, parts)]))
    assert found
    assert all(isinstance(event, Unread) for event in found)


def database(path: Path, sessions: dict[str, tuple[str | None, list[Message]]]) -> Path:
    """A database with Crush's tables; its ids are texts and its times seconds, as in 0.1 to now."""
    with sqlite3.connect(path) as made:
        made.executescript(
            """
            PRAGMA page_size = 1024;
            CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER);
            CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT,
              created_at INTEGER, updated_at INTEGER, summary_message_id TEXT);
            CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT,
              model TEXT, created_at INTEGER, updated_at INTEGER, provider TEXT,
              is_summary_message INTEGER DEFAULT 0);
            """
        )
        for place, (session, (parent, messages)) in enumerate(sessions.items()):
            made.execute(
                "INSERT INTO sessions VALUES (?, ?, 't', ?, ?, NULL)",
                (session, parent, place, place),
            )
            for row in rows(*messages):
                at = 1_750_000_000 + int(row.at or 0)
                made.execute(
                    "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, 'fictive', ?)",
                    (
                        f"{session}-{row.id}",
                        session,
                        row.role,
                        json.dumps(row.parts),
                        row.model or "",
                        at,
                        at,
                        int(row.summary),
                    ),
                )
    made.close()
    return path


SESSIONS = {
    "s1": (None, [user("a", 0), *STEP, agent(6, "b", DONE), user("c", 9), agent(10, "d", DONE)]),
    "c1": ("s1", [user("find", 1), agent(1, "found", DONE)]),
}


def turns_of(path: Path) -> list[Turn]:
    return [turn for turn in assemble.turns(crush.read(path)) if isinstance(turn, Turn)]


def test_a_database_is_read_session_by_session(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", SESSIONS)
    assert [(turn.session, turn.parent, turn.reply) for turn in turns_of(path)] == [
        ("s1", None, "b"),
        ("s1", None, "d"),
        ("c1", "s1", "found"),
    ]
    assert turns_of(path)[0].started == 1_750_000_000


def test_only_one_of_two_databases_is_crushs(tmp_path: Path) -> None:
    ours = database(tmp_path / "crush.db", SESSIONS)
    theirs = test_opencode.database(tmp_path / "opencode.db", test_opencode.told())
    for module, path, expected in [
        (crush, ours, True),
        (crush, theirs, False),
        (opencode, ours, False),
        (opencode, theirs, True),
    ]:
        assert module.claims(path, path.read_bytes()[:65_536]) is expected
    assert not crush.claims(tmp_path / "x", b"SQLite format 4")
    assert not crush.claims(tmp_path, b"")


def test_a_torn_database_says_so(tmp_path: Path) -> None:
    whole = database(tmp_path / "crush.db", SESSIONS)
    torn = tmp_path / "torn.db"
    torn.write_bytes(whole.read_bytes()[:-1024])
    with pytest.raises(HarnessUnavailable, match="torn"):
        turns_of(torn)


def test_a_row_that_is_no_json_is_counted_and_the_next_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", SESSIONS)
    with sqlite3.connect(path) as made:
        made.execute("UPDATE messages SET parts = '[' WHERE rowid = 4")
    made.close()
    found = list(assemble.turns(crush.read(path)))
    assert [one.kind for one in found if isinstance(one, Unread)] == ["message parts"]
    assert sum(isinstance(one, Turn) for one in found) == 3


def test_its_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CRUSH_GLOBAL_DATA", str(tmp_path / "data"))
    assert list(crush.transcripts()) == []
    for name in ("here", "there"):
        (tmp_path / name / ".crush").mkdir(parents=True)
        database(tmp_path / name / ".crush" / "crush.db", SESSIONS)
    (tmp_path / "data").mkdir()
    known = {"projects": [{"path": "x", "data_dir": str(tmp_path / "there" / ".crush")}, 3]}
    (tmp_path / "data" / "projects.json").write_text(json.dumps(known))
    monkeypatch.chdir(tmp_path / "here")
    assert [path.parent.parent.name for path in crush.transcripts()] == ["here", "there"]
