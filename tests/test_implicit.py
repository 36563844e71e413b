"""What the next message says about a turn, in many languages; what came of a nudge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from auditor.detectors._languages import _SCRIPTS
from auditor.implicit import Reading, from_next, hindsight, implicit, objects, understood
from auditor.implicit_phrases import _PHRASES, Meaning, bare, folded
from auditor.implicit_words import NOTHING_LEFT, REVERSES, UNDONE
from auditor.labels import Nudge, Reason, Source
from auditor.turn import RequestKind, Turn
from tests.words import call, result, say, turn

ANNOUNCED = turn(call("read", path="a.py"), result("…"), say("Now I'll run the tests:"))
ASKED = turn(say("Both are possible. Which one do you want?"))
OFFERED = turn(say("It is done. Let me know if you want me to add tests."))
REPORTED = turn(say("The parser reads empty files and its three tests pass."))
UNANSWERED = turn(call("bash", command="make"), result("ok"), finish=None)


@pytest.mark.parametrize("meaning", [each for each in Meaning if each is not Meaning.POLITE])
def test_every_phrase_alone_has_its_meaning_and_no_other(meaning: Meaning) -> None:
    for language, phrases in _PHRASES[meaning].items():
        for phrase in phrases.split("|"):
            assert understood(phrase) == {meaning}, (language, phrase)


def test_phrases_are_there_for_twenty_languages_and_more() -> None:
    for meaning in (Meaning.CONTINUE, Meaning.APPROVE, Meaning.THANK, Meaning.STOP):
        assert len(_PHRASES[meaning]) >= 20
        assert set(_SCRIPTS) <= set(_PHRASES[meaning]), "every script that detectors read"


@pytest.mark.parametrize(
    ("message", "meanings"),
    [
        ("Continue.", {"CONTINUE"}),
        ("PLEASE CONTINUE!!!", {"CONTINUE"}),
        ("continue from where you left off 🙏", {"CONTINUE"}),
        ("ok, continue", {"ACKNOWLEDGE", "CONTINUE"}),
        ("yes, continue please", {"APPROVE", "CONTINUE"}),
        ("继续吧", {"CONTINUE"}),
        ("请继续", {"CONTINUE"}),
        ("続けてください。", {"CONTINUE"}),
        ("계속 진행해 주세요", {"CONTINUE"}),
        ("Mach bitte weiter", None),
        ("mach weiter bitte", {"CONTINUE"}),
        ("CONTINUÁ", {"CONTINUE"}),
        ("continúa, por favor", {"CONTINUE"}),
        ("продолжай, пожалуйста", {"CONTINUE"}),
        ("Продолжайте!", {"CONTINUE"}),
        ("أكمل من فضلك", {"CONTINUE"}),
        ("जारी रखें", {"CONTINUE"}),
        ("DEVAM ET", {"CONTINUE"}),
        ("tiếp tục đi", {"CONTINUE"}),
        ("συνέχισε παρακαλώ", {"CONTINUE"}),
        ("thanks, it works now!", {"THANK"}),
        ("don’t stop", {"COMPLAIN"}),
        ("why did you stop?", {"COMPLAIN"}),
        ("why did you do that?", {"STOP"}),
        ("No. Undo that.", {"STOP"}),
        ("commit and push", {"WRAP_UP"}),
        ("...", set()),
        ("please", set()),
        ("continue with phase 2", None),
        ("continued", None),
        ("discontinue", None),
        ("continue " * 20, None),
        ("yes but keep the old name", None),
    ],
)
def test_a_message_is_understood_only_as_a_whole(message: str, meanings: set[str] | None) -> None:
    found = understood(message)
    assert (None if found is None else {each.name for each in found}) == meanings


ROWS: list[tuple[str, Turn, str, str | None]] = [
    ("a bare continue after an announcement", ANNOUNCED, "continue", "yes continued"),
    ("the same in Chinese", ANNOUNCED, "继续", "yes continued"),
    ("the same with thanks", ANNOUNCED, "great, go on", "yes continued"),
    ("a result that nobody answered", UNANSWERED, "keep going", "yes continued"),
    ("continue after a question is an answer", ASKED, "continue", "no continued-after-asking"),
    ("continue after an offer too", OFFERED, "go on", "no continued-after-asking"),
    ("continue after a report is not clear", REPORTED, "continue", None),
    ("yes to a question", ASKED, "yes, go ahead", "no approved"),
    ("yes to an offer", OFFERED, "да", "no approved"),
    ("a yes that nobody asked for", REPORTED, "yes", None),
    ("ok alone", OFFERED, "ok", None),
    ("an option", ASKED, "b", "no answered"),
    ("two options by number", ASKED, "1, 3", "no answered"),
    ("an answer in words", ASKED, "the second one, with tests", "no answered"),
    ("a question back", ASKED, "what is the difference?", None),
    ("thanks", REPORTED, "Vielen Dank!", "no thanked"),
    ("commit it", REPORTED, "commit this", "no wrapped-up"),
    (
        "a new task",
        REPORTED,
        "Write a short introduction about penguins for our website",
        "no moved-on",
    ),
    ("a new task in Chinese", REPORTED, "请帮我写一篇关于企鹅的介绍文章", "no moved-on"),
    ("a task about what is left", REPORTED, "Write the remaining introduction about bees", None),
    ("a task about the same", REPORTED, "Give the parser tests another name, for files", None),
    ("a new task after an announcement", ANNOUNCED, "Write an essay about penguins please", None),
    ("thanks after an announcement: does not mind", ANNOUNCED, "thanks", None),
    ("why did you stop", ANNOUNCED, "why did you stop?", "yes complained"),
    ("why did you stop, after a question", ASKED, "why did you stop?", None),
    ("stop, without a nudge", REPORTED, "stop", None),
    ("nothing said", REPORTED, "", None),
    ("white space", ASKED, " \n ", None),
]


@pytest.mark.parametrize(
    ("of", "message", "expected"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_a_reading(of: Turn, message: str, expected: str | None) -> None:
    assert _said(from_next(of, message)) == expected


def test_a_reading_names_its_rule_with_a_version_and_its_source() -> None:
    assert from_next(ASKED, "yes") == Reading(
        Nudge.NO, Reason.ASKED, "next/approved@1", Source.IMPLICIT
    )


def _said(found: Reading | None) -> str | None:
    if found is None:
        return None
    return f"{found.nudge} {found.rule.split('/')[1].split('@')[0]}"


@pytest.mark.parametrize(
    "changes",
    [
        {"parent": "s0"},
        {"request_kind": RequestKind.NUDGE},
        {"finish": "aborted"},
    ],
    ids=["a sub-agent's", "begun by a nudge", "stopped by the user"],
)
def test_some_turns_say_nothing(changes: dict[str, Any]) -> None:
    other = turn(*ANNOUNCED.parts, **changes)
    assert from_next(ANNOUNCED, "continue") is not None
    assert from_next(other, "continue") is None


@pytest.mark.parametrize("kind", [kind for kind in RequestKind if kind is not RequestKind.HUMAN])
def test_only_what_a_person_says_next_counts(kind: RequestKind) -> None:
    after = turn(request="continue")
    assert implicit(ANNOUNCED, after) is not None
    assert implicit(ANNOUNCED, structs.replace(after, request_kind=kind)) is None


def test_only_the_same_session_counts() -> None:
    assert implicit(ANNOUNCED, structs.replace(turn(request="continue"), session="s2")) is None


EDIT = (call("edit", path="a.py"), result("ok"))
LOOK = (call("read", path="a.py"), result("…"))


@pytest.mark.parametrize(
    ("parts", "more", "objection", "expected"),
    [
        ((*EDIT, say("Fixed.")), {}, None, "yes worked"),
        ((*EDIT, say("Fixed.")), {}, "thanks", "yes worked"),
        ((*EDIT, say("Fixed.")), {}, "no, undo that", "no objected"),
        ((*EDIT, say("Fixed.")), {}, "Why did you touch that file?", "no objected"),
        ((*EDIT, say("Fixed.")), {}, "why did you stop?", "yes worked"),
        ((*EDIT, say("Fixed.")), {}, "Отмени это, я не просил", "no objected"),
        ((say("There is nothing left to do."),), {}, None, "no nothing-left"),
        ((*LOOK, say("All tasks are already done.")), {}, None, "no nothing-left"),
        ((*EDIT, say("Fixed; nothing left to do.")), {}, None, "yes worked"),
        ((say("所有任务已经完成。"),), {}, None, "no nothing-left"),
        ((say("Больше нечего делать, всё уже сделано."),), {}, None, "no nothing-left"),
        ((*EDIT, say("Fix")), {"finish": "aborted"}, None, "no interrupted"),
        ((say("I see."),), {}, None, None),
        (EDIT, {"finish": None}, None, None),
        ((*EDIT, say("Fixed.")), {"finish": "error"}, None, None),
        ((call("edit", path="a"), result("no", failed=True), say("No.")), {}, None, None),
        ((call("todowrite", todos=[]), result("ok"), say("Noted.")), {}, None, None),
        ((*EDIT, say("Fixed.")), {"request_kind": RequestKind.HUMAN}, None, None),
    ],
    ids=[
        "edits, and the user has not spoken",
        "edits, and thanks",
        "edits that the user takes back",
        "edits that the user objects to at length",
        "the user wanted more, not less",
        "an objection in Russian",
        "nothing left",
        "it only looked, and all was done",
        "it edited, and then nothing was left",
        "nothing left, in Chinese",
        "nothing left, in Russian",
        "the user stopped it",
        "words alone",
        "still running",
        "ended on an error",
        "all it did failed",
        "only its own list",
        "no nudge at all",
    ],
)
def test_hindsight(
    parts: Any, more: dict[str, Any], objection: str | None, expected: str | None
) -> None:
    nudged = turn(*parts, **{"request_kind": RequestKind.NUDGE, **more})
    found = hindsight(nudged, None if objection is None else turn(request=objection))
    assert _said(found) == expected
    assert found is None or found.source is Source.HINDSIGHT


def test_another_session_objects_to_nothing() -> None:
    nudged = turn(*EDIT, say("Fixed."), request_kind=RequestKind.NUDGE)
    other = structs.replace(turn(request="undo that"), session="s2")
    assert _said(hindsight(nudged, other)) == "yes worked"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("stop", True),
        ("No, that is not what I wanted at all, put the file back", True),
        ("回滚这个修改，我不要这样", True),
        ("northern light", False),
        ("nothing", False),
        ("notify me", False),
        ("why did you stop?", False),
        ("go on", False),
    ],
)
def test_an_objection(message: str, expected: bool) -> None:
    assert objects(message) is expected


@pytest.mark.parametrize("pattern", [UNDONE, REVERSES, NOTHING_LEFT])
def test_patterns_are_written_as_texts_are_folded(pattern: Any) -> None:
    assert bare(pattern.pattern) == pattern.pattern


@given(st.text(max_size=200))
def test_any_message_is_read_without_an_error(message: str) -> None:
    assert folded(folded(message)) == folded(message)
    for of in (ANNOUNCED, ASKED, REPORTED):
        found = from_next(of, message)
        assert found is None or found.source is Source.IMPLICIT
    assert objects(message) in {True, False}


@given(st.text(alphabet=" \n\t.,!?…🙏", max_size=20))
def test_saying_nothing_is_never_a_label(message: str) -> None:
    for of in (ANNOUNCED, ASKED, OFFERED, REPORTED, UNANSWERED):
        assert from_next(of, message) is None
