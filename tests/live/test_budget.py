"""How often, and when: budgets, pauses between nudges, tries, giving up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec import structs

from auditor.live.limits import AGAIN
from auditor.live.plan import Do
from auditor.live.settings import Settings
from auditor.live.situation import Situation
from auditor.live.spent import Done
from auditor.live.words import digest, words
from tests.live.cases import (
    NOW,
    Case,
    audited,
    but,
    case,
    check,
    decided,
    done,
    ended,
    failed,
    mark,
)
from tests.words import call, result, say, think, todo

WORK = (call("edit", filePath="a.py"), result("ok"))
ANNOUNCED = ended(say("Next I will update the parser."))
THOUGHTS = ended(think("I should read it."))
DOWN = failed(message="Internal server error", status=500)
CUT = ended(say("The parser reads the"), finish="length")
CLAIM = ended(*WORK, say("All done."), todos=(todo("write the tests"),))


def said(situation: Situation, recovery: str, settings: Settings | None = None) -> str:
    """The words that a nudge for this session would have."""
    known = settings or Settings()
    found = audited(situation, NOW)
    assert found is not None
    return words(recovery, situation, found, known, reason=found.by or "", attempt=2)


def nudged(situation: Situation, recovery: str, ago: float = 60.0, attempt: int = 1) -> Done:
    """A nudge with the words that this session would be sent again, as a store remembers it."""
    text = digest(said(situation, recovery))
    return done(ago=ago, recovery=recovery, attempt=attempt, text=text)


TWELVE = tuple(done(ago=3_600.0 - 60.0 * n) for n in range(12))

TABLE = [
    case("the first nudge, three seconds after the end", ANNOUNCED, "nudge", at=NOW - 7.0),
    case("AR-T011 twice, and nothing came of it", ANNOUNCED, "tell", spent=(done(attempt=2),)),
    case(
        "AR-T014 AR-T062 the cap is the person's",
        DOWN,
        "tell",
        settings=Settings(most=1),
        spent=(done(),),
    ),
    case("DS-T04 three times it brought nothing", DOWN, "tell", spent=(done(attempt=3),)),
    case("DS-T04 twice it brought nothing", DOWN, "nudge", spent=(done(attempt=2),)),
    case("AR-T130 only thoughts, twice", THOUGHTS, "tell", spent=(done(attempt=2),)),
    case("the person was told already", DOWN, "rest", spent=(done(attempt=3), done("tell", 5.0))),
    case(
        "AR-T024 AR-T052 B64 the user wrote since",
        DOWN,
        "nudge",
        spent=(done(attempt=3, request="msg_0"), done("tell", request="msg_0")),
    ),
    case(
        "told about an older request",
        DOWN,
        "tell",
        spent=(done(attempt=3), done("tell", request="msg_0")),
    ),
    case(
        "AR-T069 B38 B39 it became busy and idle: no reset",
        but(DOWN, idle_since=NOW - 4.0),
        "tell",
        spent=(done(attempt=3),),
    ),
    case(
        "AR-T161 B52 a tool ran since",
        but(DOWN, progressed=True),
        "nudge",
        spent=(done(attempt=3),),
    ),
    case(
        "B41 twelve are enough, whatever they brought",
        but(DOWN, progressed=True),
        "tell",
        spent=TWELVE,
    ),
    case("eleven are not", but(DOWN, progressed=True), "nudge", spent=TWELVE[1:]),
    case(
        "who asked is not known: all counts",
        but(DOWN, request=None, request_at=None),
        "tell",
        spent=(done(attempt=3, request="msg_0"),),
    ),
    case(
        "it was counted, though nobody knows whether it arrived",
        DOWN,
        "tell",
        spent=(done(attempt=3, outcome="unknown"),),
    ),
    case(
        "AR-T156 B51 what surely failed is not counted",
        DOWN,
        "nudge",
        spent=tuple(done(attempt=3, outcome="failed") for _ in range(9)),
    ),
    case(
        "B42 it surely failed a moment ago",
        DOWN,
        "wait",
        spent=(done(ago=5.0, message="msg_a", outcome="failed"),),
        at=NOW - 5.0 + AGAIN,
    ),
    case(
        "it surely failed a minute ago",
        DOWN,
        "nudge",
        spent=(done(ago=62.0, message="msg_a", outcome="failed"),),
    ),
    case(
        "it surely failed twice",
        DOWN,
        "tell",
        spent=tuple(done(ago=a, message="msg_a", outcome="failed") for a in (130.0, 62.0)),
    ),
    case("TG-T20 AR-T101 nudged for this message", DOWN, "rest", spent=(done(message="msg_a"),)),
    case(
        "AR-T158 sent, and never answered",
        DOWN,
        "rest",
        spent=(done(message="msg_a", outcome="unknown"),),
    ),
    case(
        "DS-T44 DS-T45 B70 in the pause after a nudge",
        DOWN,
        "wait",
        spent=(done(ago=12.0),),
        at=NOW + 8.0,
    ),
    case("the pause is over", DOWN, "nudge", spent=(done(ago=20.0),)),
    case(
        "it doubles with what brought nothing",
        DOWN,
        "wait",
        spent=(done(ago=30.0, attempt=2),),
        at=NOW + 10.0,
    ),
    case(
        "a longer pause is wanted",
        DOWN,
        "wait",
        spent=(done(ago=12.0),),
        settings=Settings(cooldown=60.0),
        at=NOW + 48.0,
    ),
    case(
        "the pause never grows beyond the most",
        DOWN,
        "wait",
        spent=(done(ago=100.0, attempt=2),),
        settings=Settings(backoff=99.0, backoff_most=150.0),
        at=NOW + 50.0,
    ),
    case(
        "DS-T43 silent turns use the budget up",
        THOUGHTS,
        "tell",
        settings=Settings(most=1),
        spent=(done(recovery="reasoning_only"),),
    ),
    case(
        "DS-T29 visible work came, then a silent turn",
        but(THOUGHTS, progressed=True),
        "nudge",
        settings=Settings(most=1),
        spent=(done(recovery="reasoning_only"),),
    ),
    case(
        "DS-T27 DS-T28 one that was not seen brings no new budget",
        THOUGHTS,
        "tell",
        settings=Settings(most=1),
        spent=(done(), done(outcome="failed")),
    ),
    case(
        "another auditor's nudges count",
        but(DOWN, marks=(mark(90.0, "n1"), mark(80.0, "n2"), mark(70.0, "n3"))),
        "tell",
    ),
    case("AR-T159 and hold the pause", but(DOWN, marks=(mark(12.0),)), "wait", at=NOW + 8.0),
    case(
        "our own count once",
        but(DOWN, marks=(mark(59.0), mark(29.0))),
        "wait",
        spent=(done(ago=60.0), done(ago=30.0, attempt=2)),
        at=NOW + 10.0,
    ),
    case(
        "those before the request do not",
        but(DOWN, marks=tuple(mark(700.0 + n) for n in range(5))),
        "nudge",
    ),
    case(
        "AR-T160 B43 the same words brought nothing",
        ANNOUNCED,
        "tell",
        spent=(nudged(ANNOUNCED, "announced_action"),),
    ),
    case("AR-T160 the agent ends on other words", ANNOUNCED, "nudge", spent=(done(),)),
    case(
        "AR-T160 a tool ran since",
        but(ANNOUNCED, progressed=True),
        "nudge",
        spent=(nudged(ANNOUNCED, "announced_action"),),
    ),
    case(
        "AR-T104 B04 the same claim again",
        CLAIM,
        "tell",
        judged=True,
        spent=(nudged(CLAIM, "open_todos"),),
    ),
    case(
        "AR-T105 the same claim, the user wrote between",
        CLAIM,
        "nudge",
        judged=True,
        spent=(structs.replace(nudged(CLAIM, "open_todos"), request="msg_0"),),
    ),
    case("TG-T21 another dangling end", ANNOUNCED, "nudge", spent=(done(ago=90.0),)),
    case("TG-T21 a third", ANNOUNCED, "tell", spent=(done(ago=90.0), done(attempt=2))),
    case(
        "AR-T010 to-dos are still open, and work was done since",
        but(CLAIM, progressed=True),
        "nudge",
        judged=True,
        spent=(nudged(CLAIM, "open_todos"),),
    ),
    case(
        "AR-T068 escalation: the stream fails a third time",
        DOWN,
        "nudge",
        spent=(done(ago=90.0, attempt=1), done(attempt=2)),
        at=NOW - 7.0,
    ),
    case(
        "a failure may be met with the same words",
        DOWN,
        "nudge",
        spent=(nudged(DOWN, "stream_failure"),),
    ),
    case(
        "a long text goes on in pieces",
        CUT,
        "nudge",
        spent=(done(attempt=3, recovery="length_limit"),),
    ),
    case("the same piece again", CUT, "tell", spent=(nudged(CUT, "length_limit"),)),
    case(
        "a colder start: a session of five seconds",
        but(DOWN, created=NOW - 12.0),
        "wait",
        at=NOW + 3.0,
    ),
]


@pytest.mark.parametrize("row", TABLE)
def test_how_often_and_when(row: Case) -> None:
    check(row)


def test_the_ladder_climbs_one_step_for_each_that_brought_nothing() -> None:
    limited = failed(message="Too many requests", status=429)
    spent: list[Done] = []
    pauses = []
    for step in range(8):
        made = decided(Case(situation=limited, do=Do.WAIT, spent=tuple(spent), now=NOW - 6.0))
        assert made.do is Do.WAIT
        assert made.at is not None
        pauses.append(made.at - (NOW - 7.0))
        spent.append(done(ago=9_000.0 - step, attempt=made.attempt, recovery="rate_limit"))
    assert pauses == [900.0, 1800.0, 3600.0] + [7200.0] * 5
    assert decided(Case(situation=limited, do=Do.TELL, spent=tuple(spent))).do is Do.TELL


def test_a_night_of_failures_ends_after_three_nudges_and_one_word_to_the_person() -> None:
    """The loop as it is lived: what is planned is done, and the same failure comes again."""
    spent: list[Done] = []
    now, deeds = NOW, []
    for turn in range(200):
        down = but(DOWN, reply=f"msg_{turn:03}", message=f"msg_{turn:03}", idle_since=now)
        for _ in range(3):
            made = decided(Case(situation=down, do=Do.REST, spent=tuple(spent), now=now))
            if made.do is not Do.WAIT:
                break
            assert made.at is not None
            now = made.at
        if made.do is Do.REST:
            assert turn > 3
            continue
        deeds.append(made.do)
        sent = done(made.do.value, message=made.message or "", attempt=made.attempt)
        spent.append(structs.replace(sent, at=now, recovery=made.recovery or ""))
        now += 1.0
    assert deeds == [Do.NUDGE] * 3 + [Do.TELL]
    pauses = [after.at - before.at for before, after in pairwise(spent[:3])]
    assert pauses == [pytest.approx(20.0), pytest.approx(40.0)]
