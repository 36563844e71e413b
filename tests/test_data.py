"""The project's own labelled turns: valid, unique, labelled by the rubric, counted honestly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from auditor.events import Unread
from auditor.records import Record, records
from auditor.turn import FinishReason, ToolCall, ToolResult

DATA = Path(__file__).parents[1] / "data"
TURNS = DATA / "labelled.jsonl"
DEMO = DATA / "demo.jsonl"

# verdict -> the nudge answers and the reasons that may go with it (data/README.md, "Labels")
RUBRIC = {
    "unfinished": (
        {"yes"},
        "announced truncated partial todos_open tool_unanswered raw_tool_text other",
    ),
    "stuck": ({"yes", "no"}, "loop"),
    "awaiting_user": (
        {"no"},
        "question approval blocked_on_user manual_step deferred_phase other",
    ),
    "waiting": ({"no"}, "background"),
    "finished": ({"no"}, "complete offer chitchat refused deferred_phase"),
    "error": ({"yes", "no"}, "provider_error"),
}
LANGUAGES = {"en", "zh", "ja", "ko", "es", "pt", "fr", "de", "ru", "ar", "hi", "tr"}
HARNESSES = {
    "claude-code",
    "codex",
    "opencode",
    "gemini-cli",
    "qwen-code",
    "cursor",
    "copilot-cli",
    "aider",
    "cline",
    "crush",
    "swe-agent",
    "pi",
}


def _read(path: Path) -> list[Record]:
    found = list(records(path))
    assert not [line for line in found if isinstance(line, Unread)]
    return [line for line in found if isinstance(line, Record)]


ALL = _read(TURNS)
ROWS = [pytest.param(row, id=row.id) for row in ALL]


def _facts(row: Record) -> dict[str, str]:
    """What the card counts."""
    assert row.label is not None and row.meta is not None
    return {
        "nudge": row.label.nudge,
        "verdict": str(row.label.verdict),
        "reason": str(row.label.reason),
        "lang": row.meta["lang"],
        "harness": row.harness,
    }


@pytest.mark.parametrize("row", ROWS)
def test_labelled_by_the_rubric(row: Record) -> None:
    assert row.label is not None
    nudges, reasons = RUBRIC[str(row.label.verdict)]
    assert row.label.nudge in nudges
    assert row.label.reason in reasons.split()
    assert row.label.source == "written for this project"
    assert row.label.weight == 1.0


@pytest.mark.parametrize("row", ROWS)
def test_says_what_it_is(row: Record) -> None:
    assert row.meta is not None
    assert set(row.meta) == {"lang", "case", "why"}
    assert all(row.meta.values())
    assert row.meta["lang"] in LANGUAGES
    assert row.harness in HARNESSES
    assert row.request
    assert row.started is None or row.ended is None or row.started < row.ended


@pytest.mark.parametrize("row", ROWS)
def test_each_result_answers_an_earlier_call(row: Record) -> None:
    called: set[str | None] = set()
    answered: list[str | None] = []
    for part in row.turn.parts:
        match part:
            case ToolCall(id=ident):
                assert ident not in called
                called.add(ident)
            case ToolResult(call=ident):
                assert ident in called
                answered.append(ident)
    assert len(answered) == len(set(answered))


def test_ids_and_cases_are_unique() -> None:
    assert len({row.id for row in ALL}) == len(ALL)
    assert len({row.meta["case"] for row in ALL if row.meta}) == len(ALL)


def test_there_are_at_least_two_hundred() -> None:
    assert len(ALL) >= 200


def test_every_harness_is_there() -> None:
    assert {row.harness for row in ALL} == HARNESSES


def test_each_language_at_least_four_times() -> None:
    spoken = Counter(_facts(row)["lang"] for row in ALL)
    assert set(spoken) == LANGUAGES
    assert min(spoken.values()) >= 4


def test_almost_half_deserve_silence() -> None:
    assert _quiet() >= 0.45 * len(ALL)


def _quiet() -> int:
    facts = [_facts(row) for row in ALL]
    return sum(fact["nudge"] != "yes" and fact["verdict"] != "stuck" for fact in facts)


def test_an_error_is_nudged_exactly_when_it_can_be_retried() -> None:
    errors = [row for row in ALL if row.label and row.label.verdict == "error"]
    assert errors
    for row in errors:
        assert row.error is not None and row.label is not None
        assert (row.label.nudge == "yes") is row.error.retryable, row.id


def test_a_turn_the_user_stopped_is_never_nudged() -> None:
    stopped = [row for row in ALL if row.finish is FinishReason.ABORTED]
    assert stopped
    assert {_facts(row)["nudge"] for row in stopped} == {"no"}


def _tables(card: str) -> dict[str, dict[str, int]]:
    """The count tables of the card: those whose second column is called `turns`."""
    found: dict[str, dict[str, int]] = {}
    rows: dict[str, int] | None = None
    for line in card.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        match cells:
            case [name, "turns"]:
                rows = found.setdefault(name, {})
            case [name, number] if rows is not None:
                if number.isdecimal():
                    rows[name] = int(number)
            case _:
                rows = None
    return found


def test_the_card_counts_what_is_there() -> None:
    counted: dict[str, Counter[str]] = {}
    for row in ALL:
        for name, value in _facts(row).items():
            counted.setdefault(name, Counter())[value] += 1
    card = (DATA / "README.md").read_text("utf-8")
    assert _tables(card) == {name: dict(counter) for name, counter in counted.items()}
    quiet = _quiet()
    share = round(100 * quiet / len(ALL))
    assert f"{len(ALL)} turns; {quiet} deserve silence ({share} %)" in card
    assert f"({len(_read(DEMO))} of them, for the first run)" in card


def test_the_demo_is_a_part_of_the_whole() -> None:
    whole = set(TURNS.read_text("utf-8").splitlines())
    assert set(DEMO.read_text("utf-8").splitlines()) <= whole


def test_the_demo_tells_four_sessions_in_order() -> None:
    sessions: dict[str, list[Record]] = {}
    for row in _read(DEMO):
        sessions.setdefault(row.session, []).append(row)
    assert len(sessions) == len({rows[0].harness for rows in sessions.values()}) == 4
    for rows in sessions.values():
        assert len({row.harness for row in rows}) == 1
        times = [time for row in rows for time in (row.started, row.ended)]
        assert None not in times
        assert times == sorted(times, key=lambda time: time or 0.0)
        assert [row.next for row in rows] == [row.request for row in rows[1:]] + [None]


def test_most_stops_of_the_demo_are_fine_and_a_few_are_not() -> None:
    nudged = [row for row in _read(DEMO) if _facts(row)["nudge"] == "yes"]
    assert 3 <= len(nudged) <= 8
    assert len({_facts(row)["reason"] for row in nudged}) == len(nudged)
