"""OpenCode's messages, and the places that keep them: rules as sentences, each with its control."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from auditor import assemble
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.harness import opencode
from auditor.harness.opencode import Source
from auditor.turn import FinishReason, RequestKind, ToolCall, ToolResult, Turn, TurnError

SESSION = "ses_0123456789abcdef"
CHILD = "ses_fedcba9876543210"
NO = "The user rejected permission to use this specific tool call."


class Clock:
    """Ids and times that ascend from message to message, as OpenCode's do."""

    def __init__(self) -> None:
        self.now = 1_750_000_000_000

    def message(self, role: str, session: str, parts: tuple[Any, ...], more: Any) -> Any:
        self.now += 1000
        time = {"created": self.now}
        if role == "assistant" and more.pop("completed", True):
            time["completed"] = self.now + 900
        info = {
            "id": f"msg_{self.now}{session[-2:]}",
            "sessionID": session,
            "role": role,
            "time": time,
            **more,
        }
        return {"info": info, "parts": list(parts)}


def text(words: str, **more: Any) -> Any:
    return {"type": "text", "text": words, **more}


def synthetic(words: str, **more: Any) -> Any:
    return text(words, synthetic=True, **more)


def tool(name: str, status: str = "completed", output: str = "ok", **given: Any) -> Any:
    """A tool part; `metadata` is no input."""
    metadata = given.pop("metadata", {})
    state = {"status": status, "input": given, "metadata": metadata}
    if status == "completed":
        state["output"] = output
    if status == "error":
        state["error"] = output
    call = json.dumps([name, given, output])
    return {
        "type": "tool",
        "tool": name,
        "callID": f"call_{crc32(call.encode()):08x}",
        "state": state,
    }


class Script:
    """A session written down: `user(…)`, `agent(…)`, one after the other."""

    def __init__(self, session: str = SESSION) -> None:
        self.session, self.clock = session, Clock()
        self.messages: list[Any] = []

    def user(self, *parts: Any, **more: Any) -> Script:
        found = tuple([text(part) if isinstance(part, str) else part for part in parts])
        self.messages.append(self.clock.message("user", self.session, found, more))
        return self

    def agent(self, *parts: Any, finish: str | None = "stop", **more: Any) -> Script:
        found = tuple([text(part) if isinstance(part, str) else part for part in parts])
        if finish is not None:
            more["finish"] = finish
        more = {"modelID": "fictive-1", "providerID": "fictive", **more}
        self.messages.append(self.clock.message("assistant", self.session, found, more))
        return self

    def queued(self, words: str) -> Script:
        """A message sent half a second before the last step ended."""
        self.clock.now -= 600
        return self.user(words)

    def turns(self, **more: Any) -> list[Turn]:
        pairs = [(message["info"], message["parts"]) for message in self.messages]
        found = assemble.turns(opencode.events(Source(self.session, pairs, **more)))
        return [turn for turn in found if isinstance(turn, Turn)]


def script() -> Script:
    return Script()


def aborted(name: str = "MessageAbortedError", message: str = "Aborted", **data: Any) -> Any:
    return {"name": name, "data": {"message": message, **data}}


BEGINS = [
    ("a second message after an answer", script().user("a").agent("b").user("c").agent("d"), 2),
    ("two messages without an answer are one", script().user("a").user("c").agent("d"), 1),
    (
        "a message taken in between two steps",
        script().user("a").agent(tool("read"), finish="tool-calls").queued("c").agent("d"),
        1,
    ),
    (
        "the same message after the last step ended",
        script().user("a").agent(tool("read"), finish="tool-calls").user("c").agent("d"),
        2,
    ),
    (
        "a message sent while the answer was written runs after it",
        script().user("a").agent("b").queued("c").agent("d"),
        2,
    ),
    (
        "the user's own shell command",
        script()
        .user("a")
        .agent("b")
        .user(synthetic("The following tool was executed by the user"))
        .agent(tool("bash", command="ls"), finish=None),
        1,
    ),
    (
        "the message that goes on after a compaction",
        script()
        .user("a")
        .agent(finish=None)
        .user({"type": "compaction", "auto": True})
        .agent("sum", summary=True, mode="compaction")
        .user(synthetic("Continue if …", metadata={"compaction_continue": True}))
        .agent("d"),
        1,
    ),
    (
        "the request sent again after a compaction",
        script()
        .user("a long request")
        .agent(finish=None)
        .user({"type": "compaction", "auto": True, "overflow": True})
        .agent("sum", summary=True, mode="compaction")
        .user("a long request")
        .agent("d"),
        1,
    ),
    (
        "another request after a compaction",
        script()
        .user("a long request")
        .agent("b")
        .user({"type": "compaction", "auto": False})
        .agent("sum", summary=True, mode="compaction")
        .user("something else")
        .agent("d"),
        2,
    ),
    (
        "the prompt after a command's sub-agent",
        script()
        .user({"type": "subtask", "prompt": "look it over", "command": "review"})
        .agent(tool("task"), finish="tool-calls")
        .user(synthetic("Summarize the task tool output above and continue with your task."))
        .agent("d"),
        1,
    ),
    ("a prompt that a plugin put in", script().user("a").agent("b").user(synthetic("go on")), 1),
    (
        "a prompt that a plugin put in, answered",
        script().user("a").agent("b").user(synthetic("go on")).agent("d"),
        2,
    ),
    (
        "a note shown to the user only",
        script().user("a").agent("b").user(text("n", ignored=True)),
        1,
    ),
]


@pytest.mark.parametrize(("said", "turns"), [pytest.param(s, n, id=i) for i, s, n in BEGINS])
def test_what_begins_a_turn(said: Script, turns: int) -> None:
    assert len(said.turns()) == turns


KINDS = [
    ("a person", script().user("a").agent("b"), RequestKind.HUMAN, "a"),
    (
        "a command",
        script().user({"type": "subtask", "prompt": "look", "command": "review"}).agent("b"),
        RequestKind.COMMAND,
        "/review\n\nlook",
    ),
    (
        "a background task's end",
        script().user(synthetic('<task id="ses_1" state="completed">\nx\n</task>')).agent("b"),
        RequestKind.NOTIFICATION,
        '<task id="ses_1" state="completed">\nx\n</task>',
    ),
    ("a plugin", script().user(synthetic("go on")).agent("b"), RequestKind.NUDGE, "go on"),
    (
        "what a mention put in is no request",
        script().user("see @x", synthetic("Called the Read tool"), {"type": "file"}).agent("b"),
        RequestKind.HUMAN,
        "see @x",
    ),
]


@pytest.mark.parametrize(
    ("said", "kind", "request_"), [pytest.param(s, k, r, id=i) for i, s, k, r in KINDS]
)
def test_who_asked(said: Script, kind: RequestKind, request_: str) -> None:
    (turn,) = said.turns()
    assert (turn.request_kind, turn.request) == (kind, request_)


def test_a_sub_agents_request_is_its_parents() -> None:
    (turn,) = script().user("find it").agent("found").turns(parent="ses_parent")
    assert (turn.request_kind, turn.parent) == (RequestKind.AGENT, "ses_parent")


REJECTED = tool("bash", "error", NO, command="rm x")
CORRECTED = tool("bash", "error", NO[:-1] + " with the following feedback: not that")
ENDS = [
    ("a plain stop", script().user("a").agent("b"), FinishReason.STOP),
    ("cut by length", script().user("a").agent("b", finish="length"), FinishReason.LENGTH),
    (
        "cut by length, and asked again by the harness",
        script().user("a").agent("b", finish="length").agent("c"),
        FinishReason.STOP,
    ),
    ("no reason given", script().user("a").agent("b", finish="unknown"), FinishReason.UNKNOWN),
    (
        "a call and nothing after it",
        script().user("a").agent(tool("read"), finish="tool-calls"),
        None,
    ),
    (
        "a refused call",
        script().user("a").agent(REJECTED, finish="tool-calls"),
        FinishReason.ABORTED,
    ),
    (
        "a refused call with feedback goes back to the model",
        script().user("a").agent(CORRECTED, finish="tool-calls"),
        None,
    ),
    (
        "a refused call that the configuration lets it go on from",
        script().user("a").agent(REJECTED, finish="tool-calls").agent("b"),
        FinishReason.STOP,
    ),
    (
        "a dismissed question",
        script()
        .user("a")
        .agent(tool("question", "error", "The user dismissed this question"), finish="tool-calls"),
        FinishReason.ABORTED,
    ),
    (
        "an abort",
        script().user("a").agent("b", finish=None, error=aborted()),
        FinishReason.ABORTED,
    ),
    (
        "a refusal that comes as an error",
        script().user("a").agent(finish=None, error=aborted("UnknownError", NO)),
        FinishReason.ABORTED,
    ),
    (
        "completed without finish or error: stopped while it waited to retry",
        script().user("a").agent(finish=None),
        FinishReason.ABORTED,
    ),
    (
        "neither completed nor finished: still running, or the harness died",
        script().user("a").agent(tool("bash", "running"), finish=None, completed=False),
        None,
    ),
    (
        "an old release that says the reason in the last step",
        script().user("a").agent("b", {"type": "step-finish", "reason": "stop"}, finish=None),
        FinishReason.STOP,
    ),
    (
        "an older release that says no reason at all",
        script().user("a").agent("b", {"type": "step-finish"}, finish=None),
        None,
    ),
    (
        "a compaction that failed inside the turn",
        script()
        .user("a")
        .agent(finish=None)
        .user({"type": "compaction", "auto": True})
        .agent(summary=True, finish="error", error=aborted("ContextOverflowError", "too large")),
        FinishReason.ERROR,
    ),
]


@pytest.mark.parametrize(("said", "finish"), [pytest.param(s, f, id=i) for i, s, f in ENDS])
def test_how_a_turn_ended(said: Script, finish: FinishReason | None) -> None:
    assert said.turns()[-1].finish is finish


ERRORS = [
    (
        aborted("APIError", "slow down", statusCode=429, isRetryable=True),
        FinishReason.ERROR,
        TurnError("APIError", "slow down", 429, retryable=True),
    ),
    (
        aborted("ProviderAuthError", "no key"),
        FinishReason.ERROR,
        TurnError("ProviderAuthError", "no key"),
    ),
    (
        aborted("ContentFilterError", "blocked"),
        FinishReason.CONTENT_FILTER,
        TurnError("ContentFilterError", "blocked"),
    ),
    (
        {"name": "MessageOutputLengthError"},
        FinishReason.LENGTH,
        TurnError("MessageOutputLengthError"),
    ),
    (aborted(), FinishReason.ABORTED, None),
]


@pytest.mark.parametrize(("error", "finish", "expected"), ERRORS)
def test_errors(error: Any, finish: FinishReason, expected: TurnError | None) -> None:
    (turn,) = script().user("a").agent("b", finish=None, error=error).turns()
    assert (turn.finish, turn.error) == (finish, expected)


FAILED = [
    ("a result", tool("bash", command="ls"), False),
    ("a command that failed", tool("bash", metadata={"exit": 2}), True),
    ("a command that did not", tool("bash", metadata={"exit": 0}), False),
    ("an error", tool("read", "error", "no such file"), True),
    ("arguments that do not parse", tool("invalid", tool="bash"), True),
]


@pytest.mark.parametrize(("part", "failed"), [pytest.param(p, f, id=i) for i, p, f in FAILED])
def test_results(part: Any, failed: bool) -> None:
    (turn,) = script().user("a").agent(part, finish="tool-calls").turns()
    call, result = turn.parts
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert (result.call, result.failed) == (call.id, failed)


PENDING = [
    ("an open question", tool("question", "running"), "question"),
    ("an answered question", tool("question"), ""),
    ("a running sub-agent", tool("task", "running", description="find"), "subagent"),
    ("a sub-agent that came back", tool("task"), ""),
    (
        "a sub-agent in the background",
        tool("task", metadata={"background": True, "sessionId": CHILD}),
        "subagent",
    ),
    ("a running command", tool("bash", "running"), ""),
]


@pytest.mark.parametrize(("part", "kinds"), [pytest.param(p, k, id=i) for i, p, k in PENDING])
def test_what_is_pending(part: Any, kinds: str) -> None:
    (turn,) = script().user("a").agent(part, finish="tool-calls").turns()
    assert " ".join(what.kind for what in turn.pending) == kinds


def test_a_notification_clears_what_was_pending_but_not_for_the_turn_before() -> None:
    background = tool("task", metadata={"background": True, "sessionId": CHILD})
    before, after = (
        script()
        .user("a")
        .agent(background, finish="tool-calls")
        .agent("it runs")
        .user(synthetic(f'<task id="{CHILD}" state="completed">x</task>'))
        .agent("it is done")
        .turns()
    )
    assert [what.what for what in before.pending] == [CHILD]
    assert after.pending == ()


def test_the_list_is_the_last_one_written_and_outlives_the_turn() -> None:
    items = [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]
    first, second = (
        script()
        .user("a")
        .agent(tool("todowrite", todos=items), finish="tool-calls")
        .agent("b")
        .user("c")
        .agent("d")
        .turns()
    )
    assert [todo.content for todo in first.open_todos] == ["write"]
    assert first.todos == second.todos
    (other,) = script().user("a").agent("b").turns()
    assert other.todos is None


def test_the_reply_is_the_text_after_the_last_call() -> None:
    (turn,) = (
        script()
        .user("a")
        .agent("I look.", tool("read"), finish="tool-calls")
        .agent({"type": "reasoning", "text": "hm"}, "Found it.")
        .turns()
    )
    assert turn.reply == "Found it."
    assert turn.model == "fictive-1"
    assert turn.ended is not None
    assert turn.started == pytest.approx(1_750_000_001.0)


def test_a_failed_attempts_emptied_text_is_no_part() -> None:
    attempt = {"type": "step-start"}
    (turn,) = script().user("a").agent(attempt, text(""), attempt, "done").turns()
    assert turn.words == ["done"]


def test_a_harness_that_died_in_a_text_leaves_an_answer_without_words() -> None:
    (turn,) = script().user("a").agent(text(""), finish=None, completed=False).turns()
    assert (turn.reply, turn.finish, turn.last) == ("", None, None)


def test_redacted_ids_do_not_make_one_turn_of_two() -> None:
    said = script().user("a", id="REDACTED").agent("b").user("c", id="REDACTED").agent("d")
    assert [turn.id for turn in said.turns()] == [f"{SESSION}#1", f"{SESSION}#2"]


def test_what_the_user_took_back_is_gone() -> None:
    said = script().user("a").agent("b").user("c").agent("d")
    last = said.messages[2]["info"]["id"]
    assert len(said.turns()) == 2
    assert len(said.turns(revert={"messageID": last})) == 1


@pytest.mark.parametrize(
    "junk",
    [None, 7, "x", [], {}, {"role": "user"}, {"role": "assistant", "error": 3, "time": "now"}],
)
@pytest.mark.parametrize("parts", [None, 3, [None, 5, "x", {}, {"type": 4}, {"type": "tool"}]])
def test_junk_is_counted_and_never_raises(junk: Any, parts: Any) -> None:
    found = list(opencode.events(Source(SESSION, [(junk, parts)])))
    assert all(isinstance(event, Unread) for event in found if "Turn" not in type(event).__name__)


# The places that keep messages.


def told(*, child: bool = True) -> list[Script]:
    """A session with a list, a sub-agent and two turns, and the sub-agent's own."""
    todos = [{"content": "read", "status": "completed", "priority": "high"}]
    main = (
        script()
        .user("Tidy the shelf list.")
        .agent(
            {"type": "step-start"},
            {"type": "reasoning", "text": "Who knows the shelves?"},
            tool("todowrite", todos=todos),
            tool("task", metadata={"sessionId": CHILD}, description="find shelves"),
            {"type": "step-finish", "reason": "tool-calls"},
            finish="tool-calls",
        )
        .agent("The list is tidy.")
        .user("And the labels?")
        .agent("Shall I print them too?")
    )
    other = Script(CHILD).user("find shelves").agent("They are in shelves.csv.")
    return [main, other] if child else [main]


def export(told: Script, parent: str | None = None) -> Any:
    info = {"id": told.session, "title": "shelves", "version": "1.18.33"}
    if parent is not None:
        info["parentID"] = parent
    return {"info": info, "messages": told.messages}


def server(told: list[Script]) -> Any:
    main, child = told
    return {
        "session": {"id": main.session},
        "messages": main.messages,
        "todo": [{"content": "read", "status": "completed", "priority": "high"}],
        "children": [{"id": child.session, "parentID": main.session}],
        "child_messages": {child.session: child.messages},
    }


def folder(root: Path, told: list[Script]) -> Path:
    """The storage tree of releases before the database."""
    for number, session in enumerate(told):
        info = export(session, None if number == 0 else SESSION)["info"]
        write(root / "session" / "project1" / f"{session.session}.json", info)
        for message in session.messages:
            id_ = message["info"]["id"]
            write(root / "message" / session.session / f"{id_}.json", message["info"])
            for place, part in enumerate(message["parts"]):
                write(root / "part" / id_ / f"prt_{place:04}.json", part)
    write(root / "todo" / f"{SESSION}.json", [{"content": "read", "status": "completed"}])
    (root / "part").mkdir(exist_ok=True)
    return root


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))


def database(path: Path, told: list[Script]) -> Path:
    """A database with the columns of OpenCode 1.18 that matter, small enough to keep."""
    with sqlite3.connect(path) as made:
        made.executescript(
            """
            PRAGMA page_size = 1024;
            CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text,
              title text, version text, revert text, time_created integer, time_updated integer);
            CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer,
              time_updated integer, data text);
            CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text,
              time_created integer, time_updated integer, data text);
            CREATE TABLE todo (session_id text, content text, status text, priority text,
              position integer, PRIMARY KEY (session_id, position));
            """
        )
        for number, session in enumerate(told):
            parent = None if number == 0 else SESSION
            made.execute(
                "INSERT INTO session VALUES (?, 'p', ?, 'shelves', '1.18.33', NULL, ?, ?)",
                (session.session, parent, number, number),
            )
            for message in session.messages:
                info = dict(message["info"])
                id_, _ = info.pop("id"), info.pop("sessionID")
                at = info["time"]["created"]
                row = (id_, session.session, at, at, json.dumps(info))
                made.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
                for place, part in enumerate(message["parts"]):
                    part_row = (f"prt_{id_}{place:03}", id_, session.session, at, at)
                    values = (*part_row, json.dumps(part))
                    made.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", values)
        made.execute("INSERT INTO todo VALUES (?, 'read', 'completed', 'high', 0)", (SESSION,))
    made.close()
    return path


def claimed(path: Path) -> bool:
    return opencode.claims(path, b"" if path.is_dir() else path.read_bytes()[:65_536])


def shape(path: Path) -> list[Any]:
    """What every place must say alike."""
    assert claimed(path)
    return [
        (turn.id, turn.session, turn.parent, turn.request, turn.parts, turn.finish, turn.todos)
        for turn in sorted(turns_of(path), key=lambda turn: (turn.session, turn.id))
    ]


def turns_of(path: Path) -> list[Turn]:
    return [turn for turn in assemble.turns(opencode.read(path)) if isinstance(turn, Turn)]


def test_every_place_says_the_same(tmp_path: Path) -> None:
    main, child = told()
    write(tmp_path / "main.json", export(main))
    write(tmp_path / "child.json", export(child, SESSION))
    write(tmp_path / "list.json", main.messages)
    write(tmp_path / "server.json", server([main, child]))
    expected = shape(tmp_path / "main.json") + shape(tmp_path / "child.json")
    assert len(expected) == 3
    assert shape(tmp_path / "list.json") == expected[:2]
    assert shape(tmp_path / "server.json") == expected
    assert shape(folder(tmp_path / "storage", [main, child])) == expected
    assert shape(database(tmp_path / "opencode.db", [main, child])) == expected


def test_a_database_is_opened_for_reading_only(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", told())
    before = path.read_bytes()
    path.chmod(0o400)
    turns_of(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["opencode.db"]


def logged(path: Path) -> sqlite3.Connection:
    """The database in WAL mode, as OpenCode keeps it, and open."""
    made = sqlite3.connect(path)
    made.execute("PRAGMA journal_mode = WAL")
    return made


def test_a_database_that_nobody_has_open_gets_no_files_beside_it(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", told())
    logged(path).close()
    assert len(turns_of(path)) == 3
    assert claimed(path)
    assert [file.name for file in tmp_path.iterdir()] == ["opencode.db"]


def test_a_database_in_use_shows_its_newest_rows(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", told())
    writer = logged(path)
    with writer:
        writer.execute("DELETE FROM message WHERE rowid > 3 AND session_id = ?", (SESSION,))
    assert (tmp_path / "opencode.db-wal").stat().st_size > 0
    assert len(turns_of(path)) == 2
    writer.close()


def test_a_database_that_comes_into_use_while_it_is_read_says_so(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", told())
    logged(path).close()
    reading = opencode.read(path)
    next(reading)
    writer = logged(path)
    with writer:
        writer.execute("DELETE FROM todo")
    with pytest.raises(HarnessUnavailable, match="read it again"):
        list(reading)
    writer.close()


def test_a_torn_database_says_so(tmp_path: Path) -> None:
    whole = database(tmp_path / "opencode.db", told())
    torn = tmp_path / "torn.db"
    torn.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(HarnessUnavailable, match="torn"):
        turns_of(torn)
    assert len(turns_of(whole)) == 3


def test_a_row_that_is_no_json_is_counted_and_the_next_is_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", told())
    with sqlite3.connect(path) as made:
        made.execute("UPDATE message SET data = '{' WHERE rowid = 3")
        made.execute("UPDATE part SET data = X'FF00' WHERE rowid = 2")
    made.close()
    found = list(assemble.turns(opencode.read(path)))
    assert sum(isinstance(turn, Turn) for turn in found) == 3
    assert [one.kind for one in found if isinstance(one, Unread)] == [
        "part",
        "message without a role",
    ]


def test_a_part_file_that_is_no_json_is_counted(tmp_path: Path) -> None:
    root = folder(tmp_path / "storage", told())
    next((root / "part").rglob("*.json")).write_text("{")
    found = list(assemble.turns(opencode.read(root)))
    assert [one.kind for one in found if isinstance(one, Unread)] == ["part file"]


@pytest.mark.parametrize("found", ["{", "", '"x"', "[]", "{}"])
def test_no_document_no_turns(tmp_path: Path, found: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(found)
    assert not claimed(path)
    try:
        assert turns_of(path) == []
    except HarnessUnavailable:
        assert found in ("{", "")


OTHERS = [
    '{"info": {"exit_status": "Submitted"}, "messages": [{"role": "system", "content": "ses_"}]}',
    '[{"role": "user", "content": [{"type": "text", "text": "\\"id\\": \\"ses_1\\""}]}]',
    '{"type":"user","sessionId":"1","message":{"content":"{\\"info\\":{\\"id\\":\\"ses_1\\"}}"}}',
    "# A page\n\nabout **Session ID:** ses_1\n",
]


@pytest.mark.parametrize("found", OTHERS)
def test_files_of_others_are_not_claimed(tmp_path: Path, found: str) -> None:
    assert not opencode.claims(tmp_path / "x", found.encode())


def test_its_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("OPENCODE_DB", raising=False)
    assert list(opencode.transcripts()) == []
    storage = folder(tmp_path / "opencode" / "storage", told())
    assert list(opencode.transcripts()) == [storage]
    path = database(tmp_path / "opencode" / "opencode.db", told())
    assert list(opencode.transcripts()) == [path]


# The Markdown export.

HEAD = "# Shelves\n\n**Session ID:** ses_md\n**Created:** 1/2/2026, 3:04:05 PM\n\n---\n\n"
ANSWER = "## Assistant (Build · Fictive One · 2.0s)\n\n"


def markdown(tmp_path: Path, *sections: str) -> list[Turn]:
    path = tmp_path / "export.md"
    path.write_text(HEAD + "".join(section + "\n\n---\n\n" for section in sections))
    assert claimed(path)
    return turns_of(path)


def fenced(name: str, block: str, lines: str) -> str:
    shown = f'**Tool: {name}**\n\n**Input:**\n```json\n{{\n  "path": "a"\n}}\n```\n'
    return shown + (f"\n**{block}:**\n```\n{lines}\n```\n" if block else "")


def test_markdown_has_turns_calls_and_the_model(tmp_path: Path) -> None:
    (turn,) = markdown(
        tmp_path,
        "## User\n\nTidy it.",
        ANSWER + "_Thinking:_\n\nI read first.\n\n\n" + fenced("read", "Output", "a\nb"),
        ANSWER + "_Thinking:_\n\nDone, say so.\n\n\n\nIt is tidy.",
    )
    assert (turn.request, turn.reply, turn.model) == ("Tidy it.", "It is tidy.", "Fictive One")
    assert (turn.finish, turn.started) == (None, None)
    assert turn.calls == (ToolCall("read", '{"path":"a"}', turn.calls[0].id),)
    assert turn.results[turn.calls[0].id].output == "a\nb"


def test_markdown_hides_what_the_harness_put_in_and_that_begins_no_turn(tmp_path: Path) -> None:
    assert len(markdown(tmp_path, "## User\n\na", ANSWER + "b", "## User", ANSWER + "c")) == 1
    assert len(markdown(tmp_path, "## User\n\na", ANSWER + "b", "## User\n\nx", ANSWER + "c")) == 2


def test_a_section_inside_a_tools_output_is_output(tmp_path: Path) -> None:
    page = "x\n\n---\n\n## User\n\ny"
    turns = markdown(
        tmp_path, "## User\n\na", ANSWER + fenced("read", "Output", page), ANSWER + "b"
    )
    assert [turn.request for turn in turns] == ["a"]
    assert turns[0].results[turns[0].calls[0].id].output == page


def test_a_call_without_output_is_open_only_at_the_end(tmp_path: Path) -> None:
    call = ANSWER + fenced("read", "", "")
    (open_,) = markdown(tmp_path, "## User\n\na", call)
    assert isinstance(open_.last, ToolCall)
    (answered,) = markdown(tmp_path, "## User\n\na", call, ANSWER + "b")
    assert len(answered.results) == 1
    (failed,) = markdown(tmp_path, "## User\n\na", ANSWER + fenced("read", "Error", "no file"))
    assert next(iter(failed.results.values())).failed is True


def test_a_thought_without_a_border_is_taken_for_text_only_where_no_call_follows(
    tmp_path: Path,
) -> None:
    thought = ANSWER + "_Thinking:_\n\nShall I go on?"
    (said,) = markdown(tmp_path, "## User\n\na", thought)
    assert said.reply == "Shall I go on?"
    (thinking,) = markdown(tmp_path, "## User\n\na", thought + "\n\n" + fenced("read", "", ""))
    assert thinking.words == []
