"""What holds for every turn: total, bounded, blind to ids; the fast search against a slow one."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from auditor.detectors import near_duplicate_paragraphs as near
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)
from tests.words import BY_NAME

NAMES = (
    "repeated_tool_call",
    "tool_call_cycle",
    "varied_tool_call",
    "repeated_error",
    "near_duplicate_paragraphs",
    "chanted_sentence",
    "spinning_messages",
)

# Few values, so that repeats, circles and equal ids are common.
LINES = st.sampled_from(
    [
        "",
        "No files found",
        "error: permission denied for all of this",
        "1 failed in 0.3s",
        "1 failed in 0.4s",
        "| a | b |",
        "```",
        "The pause is doubled after every failure. ",
        "Let me run it again.",
        "现在我来修改登录接口的错误码。",
    ]
)
WORDS = st.one_of(
    st.builds(
        lambda line, times, gap: gap.join([line] * times),
        LINES,
        st.integers(1, 40),
        st.sampled_from(["", "\n", "\n\n"]),
    ),
    st.text(max_size=40),
)
IDS = st.sampled_from([None, "a", "b", "c"])
ARGUMENTS = st.sampled_from(
    [
        "",
        "{}",
        '{"path":"a/b.py"}',
        '{"path":"./a/b.py"}',
        '{"command":"grep x"}',
        '{"command":',
        "[1]",
        "null",
    ]
)
CALLS = st.builds(
    ToolCall, st.sampled_from(["bash", "read", "Grep", "edit", ""]), ARGUMENTS, IDS, st.booleans()
)
RESULTS = st.builds(ToolResult, WORDS, IDS, st.sampled_from([None, True, False]), st.booleans())
PARTS = st.one_of(
    st.builds(Text, WORDS, st.booleans()), st.builds(Reasoning, WORDS), CALLS, RESULTS
)
ROUNDS = st.builds(
    lambda parts, times: parts * times, st.lists(PARTS, max_size=6), st.integers(1, 9)
)
TURNS = st.builds(
    lambda before, parts, after, request, finish, pending: Turn(
        id="t",
        session="s",
        harness="h",
        request=request,
        parts=(*before, *parts, *after),
        finish=finish,
        pending=pending,
    ),
    st.lists(PARTS, max_size=3),
    ROUNDS,
    st.lists(PARTS, max_size=2),
    st.sampled_from(["do it", "run it 20 times", ""]),
    st.one_of(st.none(), st.sampled_from(list(FinishReason))),
    st.sampled_from([(), (Pending(PendingKind.BACKGROUND),)]),
)


@settings(max_examples=150, deadline=None)
@given(TURNS)
def test_total_bounded_and_the_same_twice(turn: Turn) -> None:
    for name in NAMES:
        signal = BY_NAME[name].detect(turn)
        if signal is not None:
            assert 0.0 < signal.strength < 1.0
            assert signal.evidence
        fresh = Turn(**{field: getattr(turn, field) for field in turn.__struct_fields__})
        assert BY_NAME[name].detect(fresh) == signal


def numbered(parts: tuple, prefix: str) -> tuple:
    """Calls with ids of their own; each result answers the oldest open call."""
    found, waiting = [], []
    for number, part in enumerate(parts):
        if isinstance(part, ToolCall):
            waiting.append(f"{prefix}{number}")
            found.append(ToolCall(part.name, part.arguments, waiting[-1], part.clipped))
        elif isinstance(part, ToolResult):
            if waiting:
                found.append(ToolResult(part.output, waiting.pop(0), part.failed, part.clipped))
        else:
            found.append(part)
    return tuple(found)


@settings(max_examples=100, deadline=None)
@given(TURNS)
def test_ids_change_nothing(turn: Turn) -> None:
    def with_ids(prefix: str) -> Turn:
        fields = {field: getattr(turn, field) for field in turn.__struct_fields__}
        return Turn(**{**fields, "parts": numbered(turn.parts, prefix)})

    one, other = with_ids("call_"), with_ids("toolu_9f")
    for name in NAMES:
        assert BY_NAME[name].detect(one) == BY_NAME[name].detect(other)


BLOCKS = st.lists(
    st.one_of(
        st.builds(
            "{} the {} of item {}, then write it down and go on to the next one {}".format,
            st.sampled_from(["Read", "Check", "Take"]),
            st.sampled_from(["header", "placeholder", "signature"]),
            st.integers(0, 30),
            st.sampled_from(["now", "today", "after that"]),
        ),
        st.text(st.sampled_from("abcde ,."), min_size=1, max_size=60),
        st.sampled_from(["| a | b |", "- one bullet", "```\ncode\n```", "## Plan"]),
    ),
    max_size=25,
)


def slow_groups(blocks: list[str]) -> list[set[int]]:
    """Every block compared with every earlier one."""
    return [
        {j for j in range(i) if blocks[i] == blocks[j] or near.alike(blocks[i], blocks[j])}
        for i in range(len(blocks))
    ]


@settings(max_examples=150, deadline=None)
@given(BLOCKS)
def test_grouped_never_joins_what_the_slow_search_keeps_apart(blocks: list[str]) -> None:
    groups = near.grouped(blocks)
    alike = slow_groups(blocks)
    for place, group in enumerate(groups):
        earlier = [j for j in range(place) if groups[j] == group]
        assert not earlier or alike[place] & set(earlier)


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 30), st.integers(0, 60))
def test_grouped_finds_every_change_in_the_middle(count: int, first: int) -> None:
    text = "Now number {} is read, mapped to the new names and written to the new folder, then on."
    blocks = [text.format(first + number) for number in range(count)]
    assert all(fuzz.ratio(blocks[0], block) >= near.ALIKE for block in blocks)
    assert set(near.grouped(blocks)) == {0}
