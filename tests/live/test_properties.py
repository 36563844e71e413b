"""What holds of every plan, whatever the session looks like."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from auditor.audit import Audit
from auditor.live.plan import Allowed, Do, Plan
from auditor.live.planning import asked_for, plan
from auditor.live.recoveries import BY_NAME
from auditor.live.settings import DEFAULTS, Mode, Settings
from auditor.live.situation import Child, Doing, Hold, HoldKind, Mark, Situation
from auditor.live.spent import Deed, Done, Outcome, Spent
from auditor.turn import FinishReason, Turn, TurnError
from tests.live.cases import EVERYTHING, NOW, audited, but, ended, failed, runs
from tests.words import call, result, say, think, todo, turn

MESSAGES = st.sampled_from(["msg_a", "msg_b", "msg_u", None])
MOMENTS = st.floats(NOW - 20_000.0, NOW)
WILL = (HoldKind.PERMISSION, HoldKind.QUESTION, HoldKind.COMPACTION)
SENDS = (Do.NUDGE, Do.ABORT, Do.ABORT_CHILD)
LOOP = [part for _ in range(6) for part in (call("bash", command="ls"), result("same"))]
ENDS = st.sampled_from(
    [
        (say("Next I will update the parser."),),
        (say("Let me now fix it:"),),
        (say("Should I go on?"),),
        (think("so"),),
        (),
        tuple(LOOP),
        (say("All done."),),
        (call("bash", command="make"),),
    ]
)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    finish = draw(st.sampled_from([*FinishReason, None]))
    error = draw(
        st.none()
        | st.builds(
            TurnError,
            name=st.just("APIError"),
            message=st.sampled_from(["", "connection reset", "invalid api key", "rate limit"]),
            status=st.sampled_from([None, 401, 429, 500]),
        )
    )
    made = turn(*draw(ENDS), finish=finish.value if finish else None, started=NOW - 60.0)
    return structs.replace(
        made,
        error=error,
        ended=draw(st.none() | MOMENTS),
        todos=draw(st.sampled_from([None, (), (todo("write"),)])),
    )


HOLDS = st.builds(Hold, st.sampled_from(HoldKind), st.sampled_from(["", "task", "bash"]), MOMENTS)
CHILDREN = st.builds(
    Child,
    session=st.just("ses_c"),
    doing=st.sampled_from(Doing),
    quiet_since=MOMENTS,
    failed=st.booleans(),
    tools=st.integers(0, 1),
)
DONE = st.builds(
    Done,
    deed=st.sampled_from(Deed),
    recovery=st.sampled_from([*sorted(BY_NAME), "of another version"]),
    message=st.sampled_from(["msg_a", "msg_b", "msg_u"]),
    request=MESSAGES,
    at=MOMENTS | st.floats(NOW - 60.0, NOW),
    outcome=st.sampled_from(Outcome),
    attempt=st.integers(1, 4),
)
SPENT = st.lists(DONE, max_size=6).map(
    lambda found: Spent(tuple(sorted(found, key=lambda each: each.at)))
)
MARKS = st.lists(
    st.builds(Mark, st.sampled_from(["msg_a", "msg_n"]), st.just("empty_reply"), MOMENTS),
    max_size=3,
).map(tuple)
ALLOWED = st.builds(Allowed, st.booleans(), st.booleans(), st.just("why")).filter(
    lambda each: each.structural or not each.nudge
)
SETTINGS = st.builds(
    Settings,
    most=st.integers(1, 4),
    in_all=st.integers(1, 5),
    believe=st.sampled_from([60.0, 1800.0]),
    settle=st.sampled_from([0.0, 3.0]),
)


FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "parent": st.just("ses_p"),
    "created": MOMENTS,
    "doing": st.sampled_from(Doing),
    "turn": st.none() | turns(),
    "message": MESSAGES,
    "reply": MESSAGES,
    "request": MESSAGES,
    "request_at": st.none() | MOMENTS,
    "quiet_since": MOMENTS,
    "idle_since": st.none() | MOMENTS,
    "holds": st.lists(HOLDS, min_size=1, max_size=2).map(tuple),
    "children": st.lists(CHILDREN, min_size=1, max_size=2).map(tuple),
    "orphan": st.just(True),
    "aborted": st.just("msg_a"),
    "reverted": st.just(True),
    "marks": MARKS,
    "progressed": st.just(True),
    "observed": st.just(False),
}
"""What may be otherwise in a session that asks for a nudge: never much at once, or all rest."""


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    base = draw(
        st.sampled_from(
            [
                ended(say("Next I will update the parser.")),
                ended(think("so")),
                failed(message="connection reset"),
                but(ended(say("half a")), orphan=True),
                but(ended(say("half a"), finish="aborted"), aborted="msg_a"),
                runs(*LOOP),
                runs(say("The"), quiet=500.0),
            ]
        )
    )
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=3, unique=True))
    return but(base, **{name: draw(FIELDS[name]) for name in names})


@st.composite
def looks(draw: st.DrawFn) -> dict[str, Any]:
    situation = draw(situations())
    found: Audit | None = audited(situation, NOW)
    if found is not None and draw(st.integers(0, 4)) == 0:
        found = structs.replace(found, would_nudge=True)
    return {
        "situation": situation,
        "audit": found,
        "spent": draw(st.just(Spent()) | SPENT),
        "settings": draw(st.just(DEFAULTS) | SETTINGS),
        "mode": draw(st.sampled_from([*Mode, *[Mode.DEFAULT] * 6])),
        "allowed": draw(st.just(EVERYTHING) | ALLOWED),
        "now": NOW,
    }


def planned(look: dict[str, Any], **changed: Any) -> Plan:
    return plan(**{**look, **changed})


@settings(max_examples=200, deadline=None)
@given(looks())
def test_a_plan_is_pure_and_never_in_the_past(look: dict[str, Any]) -> None:
    made = planned(look)
    assert planned(look) == made
    assert made.reason
    if made.do is Do.WAIT:
        assert made.at is not None
        assert made.at > NOW
    if made.do in SENDS or made.do is Do.TELL:
        assert made.recovery in BY_NAME
        assert made.at is None or made.at <= NOW
    assert not made.held or made.do is Do.REST


@settings(max_examples=200, deadline=None)
@given(looks())
def test_nothing_is_sent_against_the_users_will(look: dict[str, Any]) -> None:
    made, s = planned(look), look["situation"]
    if made.do is Do.REST or made.do is Do.WAIT:
        return
    assert s.parent is None
    assert look["mode"] is not Mode.OFF
    assert not s.reverted
    assert s.observed
    assert s.turn is not None
    assert s.doing in (Doing.IDLE, Doing.BUSY)
    assert look["allowed"].structural
    believe = look["settings"].believe
    assert not [h for h in s.holds if h.kind in WILL and NOW - h.since < believe]
    if s.aborted is not None:
        own = [
            d
            for d in look["spent"].done
            if d.deed is Deed.ABORT and d.outcome is not Outcome.FAILED
        ]
        assert own, "the user stopped it"
    if made.do is Do.NUDGE:
        assert s.doing is Doing.IDLE
        assert (
            look["allowed"].nudge
            or BY_NAME[made.recovery or ""].structural
            or (look["audit"] is not None and look["audit"].by is not None)
        )
        assert not [h for h in s.holds if h.kind is HoldKind.SHELL and NOW - h.since < believe]


@settings(max_examples=200, deadline=None)
@given(looks())
def test_what_is_not_allowed_is_not_sent_and_what_is_off_is_left(look: dict[str, Any]) -> None:
    nothing = Allowed(nudge=False, structural=False, why="paused")
    for changed in (
        {"allowed": nothing},
        {"mode": Mode.OFF},
        {"situation": structs.replace(look["situation"], parent="ses_p")},
        {"situation": structs.replace(look["situation"], aborted="msg_a"), "spent": Spent()},
        {
            "situation": structs.replace(
                look["situation"], holds=(Hold(HoldKind.QUESTION, "", NOW - 1.0),)
            )
        },
    ):
        assert planned(look, **changed).do in (Do.REST, Do.WAIT), changed


@settings(max_examples=200, deadline=None)
@given(looks())
def test_budgets_hold(look: dict[str, Any]) -> None:
    made, s = planned(look), look["situation"]
    if made.do is not Do.NUDGE:
        return
    counted = [
        d
        for d in look["spent"].since(s.request)
        if d.deed is Deed.NUDGE and d.outcome is not Outcome.FAILED
    ]
    assert len(counted) < look["settings"].in_all
    assert made.attempt >= 1
    again = [d for d in counted if d.message == made.message]
    assert not again or s.aborted is not None


@settings(max_examples=200, deadline=None)
@given(looks())
def test_the_person_is_told_once(look: dict[str, Any]) -> None:
    made = planned(look)
    if made.do is not Do.TELL:
        return
    told = Done(
        deed=Deed.TELL,
        recovery=made.recovery or "",
        message=made.message or "",
        request=look["situation"].request,
        at=NOW,
    )
    spent = Spent((*look["spent"].done, told))
    assert planned(look, spent=spent).do in (Do.REST, Do.WAIT)


@settings(max_examples=200, deadline=None)
@given(situations(), SPENT)
def test_a_person_may_ask_but_not_against_what_is_open(s: Situation, spent: Spent) -> None:
    made = asked_for(s, spent, settings=DEFAULTS, now=NOW)
    assert made.do in (Do.REST, Do.NUDGE)
    if made.do is Do.NUDGE:
        assert s.parent is None
        assert s.doing is Doing.IDLE
        assert not [h for h in s.holds if h.kind in WILL and NOW - h.since < DEFAULTS.believe]
