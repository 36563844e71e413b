"""The fold: events in, turns out. Tables of events, and a slow obvious oracle beside it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.assemble import Sessions, turns
from auditor.events import (
    Compacted,
    Event,
    Heartbeat,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    RequestKind,
    Text,
    Todo,
    ToolCall,
    Turn,
    TurnError,
)


def asks(
    turn: str, request: str = "", kind: str = "human", session: str = "s", **more: Any
) -> Event:
    return TurnStarted(
        session=session,
        turn=turn,
        harness="h",
        request=request or f"ask {turn}",
        kind=RequestKind(kind),
        **more,
    )


def says(text: str, session: str = "s", at: float | None = None, model: str | None = None) -> Event:
    return PartAdded(session, Text(text), at, model)


def ends(finish: str = "stop", session: str = "s", **more: Any) -> Event:
    return TurnEnded(session=session, finish=FinishReason(finish), **more)


def todos(*items: str, session: str = "s") -> Event:
    return TodosChanged(session, tuple(Todo(item) for item in items))


def waits(*jobs: str, session: str = "s") -> Event:
    return PendingChanged(session, tuple(Pending(PendingKind.BACKGROUND, job) for job in jobs))


def shown(turn: Turn) -> str:
    """One line of what a table wants to know of a turn."""
    return f"{turn.id} {turn.finish} {'|'.join(turn.words)}"


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(
            [asks("1"), says("a"), says("b"), ends()], ["1 stop a|b"], id="a request and its answer"
        ),
        pytest.param([asks("1"), says("a")], ["1 None a"], id="still running"),
        pytest.param([asks("1")], [], id="nobody answered yet"),
        pytest.param([asks("1"), ends("error")], ["1 error "], id="an end without a word"),
        pytest.param(
            [asks("1"), says("a"), asks("2"), says("b"), ends()],
            ["1 None a", "2 stop b"],
            id="the next request ends the turn before",
        ),
        pytest.param(
            [asks("1"), says("a"), asks("2")], ["1 None a"], id="the last request has no answer"
        ),
        pytest.param(
            [asks("1"), asks("2"), says("a")], ["1 None a"], id="two messages are one request"
        ),
        pytest.param(
            [asks("1", kind="stop_hook"), asks("2"), says("a")],
            ["2 None a"],
            id="a hook that nobody answered is none",
        ),
        pytest.param(
            [asks("1"), asks("2", kind="command"), says("a")],
            ["2 None a"],
            id="a command takes the place of a message",
        ),
        pytest.param(
            [asks("1"), says("a"), ends("aborted"), says("b")],
            ["1 None a|b"],
            id="a part reopens the turn",
        ),
        pytest.param(
            [asks("1"), ends("error"), asks("2"), says("b")],
            ["1 error ", "2 None b"],
            id="an end is an answer",
        ),
        pytest.param([says("a"), ends()], [], id="parts of no turn"),
        pytest.param([says("a"), asks("1"), says("b")], ["1 None b"], id="a turn begins clean"),
        pytest.param(
            [asks("1"), asks("9", session="z"), says("x", "z"), says("a"), ends(session="z")],
            ["1 None a", "9 stop x"],
            id="sessions do not mix",
        ),
        pytest.param(
            [asks("1"), Heartbeat("s", 5.0), Heartbeat("z"), says("a")],
            ["1 None a"],
            id="a sign of life says nothing",
        ),
    ],
)
def test_turns(events: list[Event], expected: list[str]) -> None:
    assert [shown(t) for t in turns(events) if isinstance(t, Turn)] == expected


def whole(*events: Event) -> Turn:
    (found,) = turns(events)
    assert isinstance(found, Turn)
    return found


def test_joined_requests_keep_the_first_id() -> None:
    found = whole(asks("1", "fix it"), asks("2", "and test"), says("a"))
    assert (found.id, found.request) == ("1", "fix it\n\nand test")


def test_todos_and_pending_outlive_turns() -> None:
    first, second = turns(
        [asks("1"), todos("x"), waits("make"), says("a"), asks("2"), says("b"), waits(), todos()]
    )
    assert isinstance(first, Turn)
    assert isinstance(second, Turn)
    assert (first.todos, first.pending) == (
        (Todo("x"),),
        (Pending(PendingKind.BACKGROUND, "make"),),
    )
    assert (second.todos, second.pending) == ((), ())
    assert whole(asks("1"), says("a")).todos is None


def test_an_error_goes_with_its_end() -> None:
    error = TurnError("E", "no", 500, retryable=True)
    assert whole(asks("1"), says("a"), ends("error", error=error)).error == error
    assert whole(asks("1"), ends("error", error=error), says("a")).error is None
    _, second = turns([asks("1"), ends("error", error=error), asks("2"), says("b")])
    assert isinstance(second, Turn)
    assert second.error is None


def test_compaction_belongs_to_its_turn() -> None:
    first, second = turns([asks("1"), says("a"), Compacted("s"), asks("2"), says("b")])
    assert [t.compacted for t in (first, second) if isinstance(t, Turn)] == [True, False]


def test_times_and_model() -> None:
    found = whole(asks("1", at=1.0), says("a", at=2.0, model="m"), says("b"), ends(at=None))
    assert (found.started, found.ended, found.model) == (1.0, 2.0, "m")
    assert whole(asks("1"), says("a", at=2.0), ends(at=3.0)).ended == 3.0


def test_a_sub_agents_turn_knows_its_parent() -> None:
    found = whole(asks("1", kind="agent", parent="p"), says("a"))
    assert (found.parent, found.request_kind) == ("p", RequestKind.AGENT)


def test_what_nobody_understood_comes_in_its_place() -> None:
    odd = Unread("row type owl", 7)
    assert list(turns([odd, asks("1"), says("a"), odd, asks("2"), says("b"), odd]))[:3] == [
        odd,
        odd,
        whole(asks("1"), says("a")),
    ]


def test_a_turn_can_be_looked_at_while_it_runs() -> None:
    sessions = Sessions()
    assert sessions.turn("s") is None
    sessions.step(asks("1"))
    sessions.step(says("a"))
    running = sessions.turn("s")
    assert running is not None
    assert (running.words, running.finish) == (["a"], None)
    sessions.step(says("b"))
    assert running.words == ["a"]


NAMES = st.sampled_from("st")
EVENTS = st.one_of(
    st.builds(
        TurnStarted,
        session=NAMES,
        turn=st.integers(0, 99).map(str),
        harness=st.just("h"),
        request=st.sampled_from(["go", ""]),
        kind=st.sampled_from([RequestKind.HUMAN, RequestKind.HUMAN, RequestKind.COMMAND]),
        model=st.sampled_from([None, "m"]),
        at=st.none() | st.just(1.0),
    ),
    st.builds(PartAdded, NAMES, st.sampled_from([Text("a"), Text(""), ToolCall("x")])),
    st.builds(PartAdded, NAMES, st.just(Text("b")), st.just(2.0), st.just("n")),
    st.builds(TodosChanged, NAMES, st.sampled_from([(), (Todo("x"),)])),
    st.builds(PendingChanged, NAMES, st.sampled_from([(), (Pending(PendingKind.QUESTION),)])),
    st.builds(Compacted, NAMES),
    st.builds(Heartbeat, NAMES),
    st.builds(TurnEnded, session=NAMES, finish=st.sampled_from(FinishReason), at=st.just(3.0)),
    st.builds(Unread, st.just("odd"), st.integers(1, 9)),
)
STREAMS = st.lists(EVENTS, max_size=30)


@given(STREAMS, st.integers(0, 30))
def test_any_prefix_agrees_with_the_whole(events: list[Event], cut: int) -> None:
    """What a prefix says is over stays so; only the newest turn of a session may go on."""
    sessions = Sessions()
    over = [turn for event in events[:cut] if (turn := sessions.step(event)) is not None]
    everything = [found for found in turns(events) if isinstance(found, Turn)]
    assert everything[: len(over)] == over


@given(STREAMS, st.lists(st.integers(0, 30), max_size=4))
def test_any_cutting_of_the_stream_gives_the_same(events: list[Event], cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(events)]
    pieces = [events[a:b] for a, b in pairwise(places)]
    sessions = Sessions()
    found = [turn for piece in pieces for event in piece if (turn := sessions.step(event))]
    assert [*found, *sessions.rest()] == [t for t in turns(events) if isinstance(t, Turn)]


@given(STREAMS)
def test_sessions_are_independent(events: list[Event]) -> None:
    def of(session: str) -> list[Event]:
        return [e for e in events if not isinstance(e, Unread) and e.session == session]

    mixed = [t for t in turns(events) if isinstance(t, Turn)]
    for session in "st":
        assert [t for t in mixed if t.session == session] == list(turns(of(session)))


def oracle(events: list[Event]) -> list[Turn]:
    """The turns of ONE session, slowly: cut at the starts, then look through each slice."""
    found: list[Turn] = []
    started: list[int] = [n for n, e in enumerate(events) if isinstance(e, TurnStarted)]
    while started:
        at = started.pop(0)
        begun = events[at]
        assert isinstance(begun, TurnStarted)
        request, kind = begun.request, begun.kind
        stop = started[0] if started else len(events)
        said = (PartAdded, TurnEnded)
        while started and not any(isinstance(e, said) for e in events[at:stop]):
            following = events[stop]
            assert isinstance(following, TurnStarted)
            if not (kind is following.kind is RequestKind.HUMAN):
                break
            request = f"{request}\n\n{following.request}"
            started.pop(0)
            stop = started[0] if started else len(events)
        inside, before = events[at:stop], events[:stop]
        if not any(isinstance(e, said) for e in inside):
            continue
        last = [e for e in inside if isinstance(e, said)][-1]
        ended = last if isinstance(last, TurnEnded) else None
        parts = [e for e in inside if isinstance(e, PartAdded)]
        first = events.index(begun)
        joined = {id(e) for e in inside if isinstance(e, TurnStarted) and e is not begun}
        models = [
            e.model
            for e in before
            if isinstance(e, TurnStarted | PartAdded) and e.model and id(e) not in joined
        ]
        times = [e.at for e in inside if isinstance(e, said) and e.at]
        todos_ = [e.todos for e in before if isinstance(e, TodosChanged)]
        pending = [e.pending for e in before if isinstance(e, PendingChanged)]
        assert first <= at
        found.append(
            Turn(
                id=begun.turn,
                session=begun.session,
                harness=begun.harness,
                request=request,
                request_kind=kind,
                parts=tuple(e.part for e in parts),
                finish=ended.finish if ended else None,
                error=ended.error if ended else None,
                todos=todos_[-1] if todos_ else None,
                pending=pending[-1] if pending else (),
                started=begun.at,
                ended=times[-1] if times else None,
                model=models[-1] if models else None,
                parent=begun.parent,
                compacted=any(isinstance(e, Compacted) for e in inside),
            )
        )
    return found


@given(STREAMS)
def test_the_fold_agrees_with_a_slow_oracle(events: list[Event]) -> None:
    one = [e for e in events if not isinstance(e, Unread) and e.session == "s"]
    assert list(turns(one)) == oracle(one)
