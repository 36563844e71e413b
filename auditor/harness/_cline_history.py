"""`api_conversation_history.json` of Cline and Roo Code -> events: what the model saw.

Owns which user message is a request and which carries results: both come with the same role. The
panel's file says more (errors, approvals, times); this one is read where it lies alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.events import (
    Compacted,
    Event,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.harness import _cline_tools as tools
from auditor.harness._cline_messages import HARNESS
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    ToolCall,
    ToolResult,
    TurnError,
    canonical,
)

_NO_TOOL = "[ERROR] You did not use a tool"
_RESUMED = "[TASK RESUMPTION]"
_HINTS = ("# task_progress", "# TODO LIST", "<environment_details>", "# Focus Chain")
"""Blocks that the harness adds to a user message."""

Ending = tuple[FinishReason, TurnError | None]

_CUT: dict[str, Ending] = {
    "[Response interrupted by user]": (FinishReason.ABORTED, None),
    "[Response interrupted by API Error]": (
        FinishReason.ERROR,
        TurnError("api_error", "response interrupted by an API error"),
    ),
}
_SILENT = frozenset({"image", "image_url", "document", "redacted_thinking", "reasoning"})


class History:
    """The messages of one task, oldest first."""

    def __init__(self, session: str) -> None:
        self.id = session
        self._turns = 0
        self._open: list[tuple[str, str]] = []  # id and name of the calls that wait for results
        self._asking = False
        self._todos: tuple[Todo, ...] | None = None

    def message(self, message: object, line: int) -> Iterator[Event]:
        """The events of one message."""
        match message:
            case {"isSummary": True}:
                yield Compacted(self.id)
            case {"role": "user", "content": content}:
                yield from self._user(tools.blocks(content), _at(message), line)
            case {"role": "assistant", "content": content}:
                yield from self._assistant(tools.blocks(content), message, line)
            case _:
                yield Unread("message", line)

    def _user(self, blocks: list[object], at: float | None, line: int) -> Iterator[Event]:
        texts: list[str] = []
        answers: dict[str, tuple[str, bool | None]] = {}
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    if not text.lstrip().startswith(_HINTS):
                        texts.append(text)
                case {"type": "tool_result", "tool_use_id": str(call), **more}:
                    failed = more.get("is_error")
                    known = failed if isinstance(failed, bool) else None
                    answers[call] = tools.flat(more.get("content")), known
                case {"type": str(kind)} if kind in _SILENT:
                    pass
                case _:
                    yield Unread("content block", line)
        text = "\n".join(texts)
        words = tools.said("\n".join([text, *[output for output, _ in answers.values()]]))
        request = self._requested(text, words)
        if request is None:
            yield from self._results(text, answers, words, at)
            return
        kind = RequestKind.NUDGE if text.startswith(_NO_TOOL) else RequestKind.HUMAN
        yield self._start(request, kind, at)
        yield from self._settled()

    def _requested(self, text: str, words: dict[str, str]) -> str | None:
        """The request in a user message, None when it only answers calls."""
        spoken = words.get("feedback") or words.get("user_message")
        if "task" in words and not self._turns:
            return words["task"]
        if text.startswith(_RESUMED):
            return spoken
        if self._open:
            return None
        if spoken is not None:
            return spoken
        if text.startswith(_NO_TOOL) or not self._turns:
            return tools.without_details(text).strip() or None
        return None

    def _start(self, request: str, kind: RequestKind, at: float | None) -> Event:
        self._turns += 1
        self._open.clear()
        return TurnStarted(
            session=self.id,
            turn=f"{self.id}#{self._turns}",
            harness=HARNESS,
            request=request,
            kind=kind,
            at=at,
        )

    def _results(
        self,
        text: str,
        answers: dict[str, tuple[str, bool | None]],
        words: dict[str, str],
        at: float | None,
    ) -> Iterator[Event]:
        outputs = tools.results(text, len(self._open))
        if not outputs and text.strip():
            outputs = [tools.without_details(text).strip()]
        for number, (call, name) in enumerate(self._open):
            output, failed = answers.get(call, ("", None))
            if call not in answers and number < len(outputs):
                output = outputs[number]
            if name == tools.ASK:
                output = words.get("answer", output)
            failed = tools.failed(output) if failed is None else failed
            yield PartAdded(self.id, ToolResult(output, call, failed), at)
        self._open.clear()
        yield from self._settled()

    def _settled(self) -> Iterator[Event]:
        if self._asking:
            self._asking = False
            yield PendingChanged(self.id, ())

    def _assistant(self, blocks: list[object], message: object, line: int) -> Iterator[Event]:
        at, model = _at(message), tools.model(message)
        self._open.clear()
        cut: Ending | None = None
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    text, cut = _uncut(text)
                    for part in tools.written(text, line):
                        yield from self._part(part, at, model)
                case {"type": "thinking", "thinking": str(text)}:
                    yield PartAdded(self.id, Reasoning(text), at, model)
                case {"type": "tool_use", "id": str(id_), "name": str(name), "input": given}:
                    yield from self._part(ToolCall(name, canonical(given), id_), at, model)
                case {"type": str(kind)} if kind in _SILENT:
                    pass
                case _:
                    yield Unread("content block", line)
        if cut is not None:
            yield TurnEnded(session=self.id, finish=cut[0], error=cut[1], at=at)

    def _part(self, part: Part, at: float | None, model: str | None) -> Iterator[Event]:
        if not isinstance(part, ToolCall):
            yield PartAdded(self.id, part, at, model)
            return
        given = _given(part)
        if part.name in (tools.COMPLETE, tools.PLAN):
            # The panel shows these as the agent's words, and the loop stops.
            words = given.get("result") or given.get("response")
            if part.name == tools.COMPLETE:
                yield PartAdded(self.id, ToolCall(part.name, "", part.id), at, model)
                yield PartAdded(self.id, ToolResult("", part.id), at)
            yield PartAdded(self.id, Text(words if isinstance(words, str) else ""), at, model)
            yield from self._listed(given)
            if part.name == tools.PLAN:
                yield from self._asks(part.name)
            yield TurnEnded(session=self.id, finish=FinishReason.STOP, at=at)
            return
        yield from self._listed(given)
        given.pop("task_progress", None)  # the list beside a call is no argument of it
        call = ToolCall(part.name, canonical(given) if given else part.arguments, part.id)
        yield PartAdded(self.id, call, at, model)
        self._open.append((part.id or "", part.name))
        if part.name == tools.ASK:
            yield from self._asks(part.name)

    def _asks(self, name: str) -> Iterator[Event]:
        self._asking = True
        yield PendingChanged(self.id, (Pending(PendingKind.QUESTION, name),))

    def _listed(self, given: dict[str, object]) -> Iterator[Event]:
        match given:
            case {"task_progress": str(text)} | {"todos": str(text)}:
                found = tools.checklist(text)
                if found and found != self._todos:
                    self._todos = found
                    yield TodosChanged(self.id, found)


def _uncut(text: str) -> tuple[str, Ending | None]:
    """The text without the note that it was cut short, and what cut it."""
    text = text.rstrip()
    for mark, ending in _CUT.items():
        if text.endswith(mark):
            return text.removesuffix(mark), ending
    return text, None


def _given(call: ToolCall) -> dict[str, object]:
    found = tools.decoded(call.arguments)
    return dict(found) if isinstance(found, dict) else {}


def _at(message: object) -> float | None:
    match message:
        case {"ts": int() | float() as stamp}:
            return stamp / 1000
    return None
