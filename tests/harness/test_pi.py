"""Pi: the rules a golden file cannot say, one sentence each, with controls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import pi
from auditor.turn import FinishReason, Turn


class Rows:
    """Entries in a tree, written as Pi writes them."""

    def __init__(self) -> None:
        self.rows: list[Any] = [
            {
                "type": "session",
                "version": 3,
                "id": "s1",
                "timestamp": "2026-03-02T10:00:00.000Z",
                "cwd": "/w",
            }
        ]
        self.parent: str | None = None

    def add(self, kind: str, **row: Any) -> Rows:
        id_ = row.pop("id", f"e{len(self.rows)}")
        stamp = f"2026-03-02T10:00:{len(self.rows):02}.000Z"
        parent = row.pop("parentId", self.parent)
        self.rows.append({"type": kind, "id": id_, "parentId": parent, "timestamp": stamp, **row})
        self.parent = id_
        return self

    def say(self, role: str, content: Any, parentId: Any = ..., **message: Any) -> Rows:  # noqa: N803
        more = {} if parentId is ... else {"parentId": parentId}
        return self.add("message", message={"role": role, "content": content, **message}, **more)

    def user(self, text: str, **message: Any) -> Rows:
        return self.say("user", [{"type": "text", "text": text}], **message)

    def model(self, *blocks: Any, stop: str = "stop", **message: Any) -> Rows:
        said = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        return self.say("assistant", said, model="pi-test", stopReason=stop, **message)

    def result(self, call: str, text: str, **message: Any) -> Rows:
        said = [{"type": "text", "text": text}]
        return self.say("toolResult", said, toolCallId=call, **message)

    def turns(self, tmp_path: Path) -> list[Turn]:
        return [turn for turn in self.all(tmp_path) if isinstance(turn, Turn)]

    def unread(self, tmp_path: Path) -> list[str]:
        return [turn.kind for turn in self.all(tmp_path) if isinstance(turn, Unread)]

    def all(self, tmp_path: Path) -> list[Turn | Unread]:
        path = tmp_path / "session.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows))
        return list(turns(pi.read(path)))


def use(call: str, name: str = "bash", **given: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call, "name": name, "arguments": given}


def message(**message: Any) -> dict[str, Any]:
    return {"type": "message", "message": message}


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("stop", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("aborted", FinishReason.ABORTED),
        ("error", FinishReason.ERROR),
        ("toolUse", None),
        ("new", None),
    ],
)
def test_the_stop_reason_is_the_finish_reason(
    stop: str, finish: FinishReason | None, tmp_path: Path
) -> None:
    (turn,) = Rows().user("go").model("text", stop=stop).turns(tmp_path)
    assert (turn.finish, turn.model, turn.session) == (finish, "pi-test", "s1")


@pytest.mark.parametrize(
    ("text", "status", "retryable"),
    [
        ('529 {"type":"overloaded"}', 529, True),
        ("401 bad key", 401, False),
        ("429 slow down", 429, None),
        ("fetch failed", None, None),
        ("wrote 500 files", None, None),
    ],
)
def test_an_error_and_whether_trying_again_can_help(
    text: str, status: int | None, retryable: bool | None, tmp_path: Path
) -> None:
    (turn,) = Rows().user("go").model(stop="error", errorMessage=text).turns(tmp_path)
    assert turn.error is not None
    assert (turn.error.message, turn.error.status, turn.error.retryable) == (
        text,
        status,
        retryable,
    )


def test_calls_results_and_the_text_after_them(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    rows = Rows().user("go").model(thought, "I look.", use("c1", command="ls"), stop="toolUse")
    assert rows.turns(tmp_path)[0].last == rows.turns(tmp_path)[0].calls[0]
    (turn,) = rows.result("c1", "a.py", isError=False).model("There is a.py.").turns(tmp_path)
    assert (turn.reply, turn.results["c1"].failed) == ("There is a.py.", False)


def test_an_error_that_was_retried_is_no_end(tmp_path: Path) -> None:
    rows = Rows().user("go").model(stop="error", errorMessage="503 busy").model("Here.")
    (turn,) = rows.turns(tmp_path)
    assert (turn.finish, turn.error) == (FinishReason.STOP, None)


def test_a_message_typed_while_the_agent_worked_steers_the_turn(tmp_path: Path) -> None:
    for typed, count in ((1772445600500, 1), (1772449200000, 2)):  # before and after the result
        rows = Rows().user("go").model(use("c1"), stop="toolUse").result("c1", "ok")
        rows.user("use tabs", timestamp=typed).model("Done.")
        assert len(rows.turns(tmp_path)) == count


@pytest.mark.parametrize("role", ["bashExecution", "custom", "branchSummary", "compactionSummary"])
def test_what_begins_no_turn(role: str, tmp_path: Path) -> None:
    rows = Rows().user("go").model("one", stop="toolUse").say(role, "text").model("two")
    (turn,) = rows.turns(tmp_path)
    assert turn.words == ["one", "two"]


def test_compaction_counts_only_inside_a_turn(tmp_path: Path) -> None:
    inside = Rows().user("go").model("one", stop="toolUse").add("compaction", summary="s")
    assert inside.model("two").turns(tmp_path)[0].compacted
    between = Rows().user("go").model("one").add("compaction", summary="s")
    assert not between.turns(tmp_path)[0].compacted


def test_only_the_branch_of_the_last_entry_is_read(tmp_path: Path) -> None:
    rows = Rows().user("first").model("one").user("wrong").model("lost").user("worse").model("lost")
    assert len(rows.turns(tmp_path)) == 3
    rows.user("right", parentId="e2").model("kept")
    assert [turn.request for turn in rows.turns(tmp_path)] == ["first", "right"]
    rows.user("back to it", parentId="e4").model("found again")
    assert [turn.request for turn in rows.turns(tmp_path)] == ["first", "wrong", "back to it"]


def test_an_entry_below_nothing_known_leaves_nothing(tmp_path: Path) -> None:
    rows = Rows().user("first").model("one").user("second", parentId="gone").model("two")
    assert [turn.request for turn in rows.turns(tmp_path)] == ["first", "second"]


def test_a_branch_from_the_root_leaves_everything(tmp_path: Path) -> None:
    rows = Rows().user("wrong").model("lost").user("right", parentId=None).model("kept")
    (turn,) = rows.turns(tmp_path)
    assert (turn.request, turn.session) == ("right", "s1")


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"type": "odd", "id": "x"}, "row type odd"),
        (message(role="ghost"), "message role ghost"),
        (message(role=4), "row type message"),
        (message(role="assistant", content=4), "assistant message without content"),
        (message(role="assistant", content=[{"type": "odd"}]), "assistant block odd"),
        (message(role="assistant", content=[None]), "assistant block without a type"),
        (["row"], "row without a type"),
    ],
)
def test_what_is_not_understood_is_counted(row: Any, kind: str, tmp_path: Path) -> None:
    rows = Rows().user("go").model("one")
    rows.rows.append(row)
    rows.model("two")
    assert rows.unread(tmp_path) == [kind]
    assert rows.turns(tmp_path)[0].words == ["one", "two"]


def test_entries_that_keep_books_are_not_counted(tmp_path: Path) -> None:
    rows = Rows().add("model_change", modelId="x").user("go").model("one").add("label")
    assert rows.add("custom", customType="x").unread(tmp_path) == []


def test_claims_the_header_only() -> None:
    header = json.dumps(Rows().rows[0]).encode()
    assert pi.claims(Path("a"), header)
    assert pi.claims(Path("a"), header[:-2])
    assert not pi.claims(Path("a"), b'{"type":"session_meta","id":"1","timestamp":"t","cwd":"/"}')
    assert not pi.claims(Path("a"), b'{"type":"message","id":"1"}')


def test_transcripts_lie_under_the_agents_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PI_CODING_AGENT_SESSION_DIR", raising=False)
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    assert list(pi.transcripts()) == []
    (tmp_path / "sessions" / "--w--").mkdir(parents=True)
    (tmp_path / "sessions" / "--w--" / "a.jsonl").touch()
    assert len(list(pi.transcripts())) == 1
