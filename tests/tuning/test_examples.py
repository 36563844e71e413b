"""What a model is taught: labels become options, groups stay whole, nothing drowns the rest."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from auditor.evidence import evidence
from auditor.records import Label, Record, record, written
from auditor.tuning.examples import CAP, EACH, OPTIONS, free, labelled, option_of
from auditor.turn import Turn
from tests.words import call, result, say, turn

LABELS = [
    ("unfinished work", Label("yes", "unfinished", "announced"), "agent"),
    ("a loop", Label("yes", "stuck", "loop"), "agent"),
    ("an error that passes", Label("yes", "error", "provider_error"), "agent"),
    ("an error that stays", Label("no", "error", "provider_error"), "nobody"),
    ("a question", Label("no", "awaiting_user", "question"), "user"),
    ("finished work", Label("no", "finished", "complete"), "nobody"),
    ("an offer after finished work", Label("no", "finished", "offer"), "user"),
    ("background work", Label("no", "waiting", "background"), "nobody"),
    ("only yes", Label("yes"), "agent"),
    ("only no", Label("no"), "nobody"),
    ("not sure", Label("unsure", "unfinished"), None),
]


@pytest.mark.parametrize(("what", "label", "option"), LABELS, ids=[row[0] for row in LABELS])
def test_a_label_says_whose_move_is_next(what: str, label: Label, option: str | None) -> None:
    del what
    assert option_of(label) == option


def recorded(found: Turn, repo: str | None = None, label: Label | None = None) -> Record:
    return record(written(found, label=label, meta={"repo": repo} if repo else None))


def worked(name: str, session: str = "s") -> Turn:
    made = turn(
        say("The reader loses a row.\n\nIts loop ends one step too early."),
        call("edit", path=name),
        result("ok"),
        call("test"),
        result("passed"),
        say("The reader keeps every row now, and the two tests for it pass on this code."),
    )
    return replace(made, id=name, session=session)


def test_labelled_turns_are_shown_as_they_are_asked_about_later() -> None:
    found = worked("a")
    [one] = labelled([recorded(found, "r", Label("no", "finished"))])
    assert one.evidence == evidence(found)
    assert (one.id, one.option, one.group, one.kind) == ("a", "nobody", "r", "labelled")


def test_turns_without_a_sure_label_are_left_out() -> None:
    rows = [recorded(worked("a")), recorded(worked("b"), label=Label("unsure"))]
    assert labelled(rows) == []
    assert len(labelled([*rows, recorded(worked("c"), label=Label("yes"))])) == 1


def test_weights_have_mean_one_and_no_label_counts_for_many() -> None:
    rows = [
        recorded(worked(str(n)), label=Label("yes", weight=weight))
        for n, weight in enumerate((1.0, 3.0, 1000.0))
    ]
    weights = [one.weight for one in labelled(rows)]
    assert sum(weights) == pytest.approx(3)
    assert weights[2] / weights[0] == pytest.approx(CAP)


GROUPS = [("the repository", "r", "s", "r"), ("else the session", None, "s", "s")]


@pytest.mark.parametrize(("what", "repo", "session", "group"), GROUPS)
def test_a_group_is(what: str, repo: str | None, session: str, group: str) -> None:
    del what
    [one] = labelled([recorded(worked("a", session), repo, Label("yes"))])
    assert one.group == group
    assert {made.group for made in free([recorded(worked("a", session), repo)], seed=0)} == {group}


def test_a_large_group_does_not_drown_the_others() -> None:
    rows = [recorded(worked(f"big-{n}"), "big") for n in range(40)]
    rows += [recorded(worked(f"small-{n}"), "small") for n in range(3)]
    counts = Counter(one.group for one in free(rows, seed=0, most=30))
    assert counts == {"big": 30, "small": 3 * EACH}


def test_no_turn_is_used_too_often_and_every_answer_is_there() -> None:
    found = free([recorded(worked(str(n)), "r") for n in range(20)], seed=1)
    used = Counter(one.id.split("/")[0] for one in found)
    assert max(used.values()) == EACH
    assert {one.option for one in found} == set(OPTIONS)
    assert len({one.id for one in found}) == len(found)


def test_the_order_of_the_records_changes_nothing() -> None:
    rows = [recorded(worked(str(n)), f"r{n % 3}") for n in range(12)]
    assert free(rows, seed=2, most=9) == free(rows[::-1], seed=2, most=9)
    assert free(rows, seed=2, most=9) != free(rows, seed=3, most=9)


def test_a_label_does_not_change_what_is_made() -> None:
    plain = free([recorded(worked("a"), "r")], seed=0)
    assert plain == free([recorded(worked("a"), "r", Label("yes"))], seed=0)


def test_the_turn_of_a_sub_agent_is_not_used() -> None:
    alone = worked("c")
    assert free([recorded(replace(alone, parent="p"), "r")], seed=0) == []
    assert free([recorded(alone, "r")], seed=0)
