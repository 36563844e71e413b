"""Turns that are made of real ones: what is cut, what is kept, whose move it then is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.tuning import synthetic
from auditor.tuning.synthetic import KINDS, LANGUAGES, chance, made
from auditor.tuning.synthetic_parts import paragraphs
from auditor.tuning.synthetic_words import NAMES, Words
from auditor.turn import Text, ToolCall, ToolResult, Turn
from tests.words import call, result, say, todo, turn

ON_THE_WAY = "The parser drops the last row of a file.\n\nLet me look at the tests."
REPORT = (
    "The parser keeps the last row now, with or without a line end.\n\n"
    "Both cases have a test, and the whole suite passes on the new code."
)
WORKED = turn(
    say(ON_THE_WAY),
    call("read", path="a.py"),
    result("1"),
    call("edit", path="a.py"),
    result("2"),
    call("test"),
    result("3 passed"),
    say(REPORT),
    todos=(todo("fix", "completed"), todo("test", "completed")),
)
NAME = WORKED.id


def of(found: Turn, seed: int = 0) -> dict[str, synthetic.Made]:
    return {one.kind: one for one in made(found, seed)}


OPTIONS = [
    ("before_call", "agent"),
    ("after_result", "agent"),
    ("cut_off", "agent"),
    ("announced", "agent"),
    ("partial", "agent"),
    ("question", "user"),
    ("offered", "user"),
    ("ended_well", "nobody"),
    ("reported", "nobody"),
    ("waits", "nobody"),
]


@pytest.mark.parametrize(("kind", "option"), OPTIONS)
def test_the_answer_follows_from_how_a_turn_was_made(kind: str, option: str) -> None:
    assert of(WORKED)[kind].option == option


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_before_a_call_ends_on_words_that_stood_there_and_leaves_a_call_out(
    seed: int,
) -> None:
    cut = of(WORKED, seed)["before_call"].turn
    assert cut.reply in paragraphs(ON_THE_WAY)
    assert len(cut.calls) < len(WORKED.calls)
    assert cut.finish is None


@pytest.mark.parametrize("seed", range(20))
def test_a_reply_is_cut_inside_a_sentence(seed: int) -> None:
    reply = of(WORKED, seed)["cut_off"].turn.reply
    assert REPORT.startswith(reply)
    assert reply[-1] not in ".:\n"


@pytest.mark.parametrize("seed", range(20))
def test_a_turn_cut_after_a_result_ends_on_it_and_its_call(seed: int) -> None:
    cut = of(WORKED, seed)["after_result"].turn
    assert type(cut.last) is ToolResult
    assert {part.call for part in cut.parts if type(part) is ToolResult} == {
        part.id for part in cut.parts if type(part) is ToolCall
    }


def test_an_unfinished_turn_has_open_items_again_and_a_finished_one_has_not() -> None:
    found = of(WORKED)
    assert found["announced"].turn.open_todos
    assert not found["ended_well"].turn.open_todos
    assert not found["offered"].turn.open_todos


def test_every_made_turn_has_its_own_name() -> None:
    names = [one.turn.id for one in made(WORKED, 0)]
    assert len(set(names)) == len(names)
    assert all(name.startswith(f"{NAME}/") for name in names)


NOT_ENDED_WELL = [
    ("it asks", turn(call("x"), result(), say("Done. Should I push it?"))),
    ("it promises", turn(call("x"), result(), say("Now let me run the tests."))),
    ("a to-do is open", turn(call("x"), result(), say("Fixed."), todos=(todo("a"),))),
    ("an error ended it", turn(call("x"), result(), say("Fixed."), finish="error")),
    ("it ends on a result", turn(say("Fixed."), call("x"), result())),
    ("it offers", turn(call("x"), result(), say("Fixed. Let me know if you want tests too."))),
]


@pytest.mark.parametrize(("why", "found"), NOT_ENDED_WELL, ids=[row[0] for row in NOT_ENDED_WELL])
def test_a_turn_that_did_not_end_well_teaches_no_silence(why: str, found: Turn) -> None:
    del why
    assert "ended_well" not in of(found)
    assert "ended_well" in of(turn(call("x"), result(), say("The import is fixed.")))


def test_a_question_at_the_end_is_the_users_move() -> None:
    asks = turn(say("There are two ways.\n\nWhich one do you prefer?"))
    assert of(asks)["asked"].option == "user"
    assert "asked" not in of(turn(say("Which one? I took the first.")))


def test_other_languages_come_with_every_answer() -> None:
    options = {of(WORKED, seed)["in_language"].option for seed in range(60)}
    assert options == {"agent", "user", "nobody"}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_language_hints_at_an_answer(language: str) -> None:
    """Each has as many phrases of a kind as the others, all different, all with known names."""
    words, english = LANGUAGES[language], LANGUAGES["en"]
    for kind in Words.__struct_fields__:
        phrases = getattr(words, kind)
        assert len(phrases) == len(getattr(english, kind)), kind
        assert len(set(phrases)) == len(phrases)
        for phrase in phrases:
            assert "{" not in phrase.replace("{x}", NAMES[0])


def test_the_same_turn_and_seed_give_the_same_turns() -> None:
    assert list(made(WORKED, 3)) == list(made(WORKED, 3))
    assert list(made(WORKED, 3)) != list(made(WORKED, 4))
    assert chance(1, "a").random() != chance(1, "b").random()


def test_a_fenced_block_is_one_paragraph() -> None:
    assert paragraphs("a\n\n```\nb\n\nc\n```\n\nd") == ["a", "```\nb\n\nc\n```", "d"]


@given(
    st.lists(
        st.one_of(
            st.builds(Text, st.text(max_size=200)),
            st.builds(ToolCall, st.text(min_size=1, max_size=5), st.text(max_size=9), st.none()),
            st.builds(ToolResult, st.text(max_size=20), st.none(), st.sampled_from([None, True])),
        ),
        max_size=8,
    ),
    st.integers(0, 9),
)
def test_whatever_a_turn_holds_nothing_breaks(parts: list[object], seed: int) -> None:
    for one in made(Turn(id="t", session="s", harness="h", parts=tuple(parts)), seed):
        assert one.kind in KINDS
        assert one.option in {"agent", "user", "nobody"}
