"""What the watcher tells whoever looks: sessions as they are seen, audits, deeds, trouble.

Owns the wording of what happens, and that the person is told when we give up. How it is shown is
`view`'s and `stats`', which listen to the board.
"""

from __future__ import annotations

from collections.abc import Callable

from auditor.audit import Audit
from auditor.live.plan import Do, Plan
from auditor.live.settings import Settings
from auditor.live.spent import Deed, Done, Outcome
from auditor.live.words import line
from auditor.watching import notify
from auditor.watching.acting import TITLE, Case
from auditor.watching.board import SESSIONS, Board, Kind, Seen, shown

LINE = 160
"""Characters of what stands in one line (a guess)."""

_KINDS = {
    Deed.NUDGE: Kind.NUDGE,
    Deed.ABORT: Kind.ABORT,
    Deed.ABORT_CHILD: Kind.ABORT,
    Deed.TELL: Kind.TELL,
}


class Face:
    """Tells the board."""

    def __init__(self, board: Board, settings: Settings, clock: Callable[[], float]) -> None:
        self._board, self._settings, self._clock = board, settings, clock
        self._held: dict[str, str] = {}

    def saw(self, case: Case, plan: Plan) -> None:
        """Show a session as it is, and what is planned."""
        situation, audit = case.situation, case.audit
        self._board.saw(
            Seen(
                session=situation.session,
                title=line(shown(situation.title), LINE),
                directory=situation.directory,
                doing=situation.doing,
                verdict=audit.verdict if audit is not None else None,
                reason=line(shown(plan.reason), LINE),
                due=plan.at if plan.do is Do.WAIT and plan.recovery is not None else None,
                nudges=len(situation.marks),
                held=plan.held,
                at=self._clock(),
            )
        )
        if plan.held and situation.reply is not None:
            if self._held.get(situation.session) != situation.reply:
                self._say(
                    Kind.HELD,
                    f"would act: {plan.reason}",
                    situation.session,
                    plan.recovery or "",
                )
            self._held[situation.session] = situation.reply
            if len(self._held) > SESSIONS:
                del self._held[next(iter(self._held))]

    def audited(self, case: Case, audit: Audit) -> None:
        """Tell of a turn that was audited for the first time."""
        said = audit.verdict.value if audit.verdict is not None else audit.opinion
        likely = ", a nudge would be right" if audit.would_nudge else ""
        self._say(Kind.AUDIT, f"{said} ({found_by(audit)}){likely}", case.situation.session)

    async def did(self, case: Case, plan: Plan, done: Done) -> None:
        """Tell of a deed; of giving up also the person, where they want to be told."""
        how = "" if done.outcome is Outcome.DONE else f" ({done.outcome.value})"
        said = f"{done.deed.value} for {done.recovery}{how}: {plan.reason}"
        self._say(_KINDS[done.deed], said, case.situation.session, done.recovery)
        if done.deed is Deed.TELL:
            why = await notify.tell(
                self._settings.notify,
                TITLE,
                f"{line(shown(case.situation.title), LINE) or case.situation.session}:"
                f" {shown(plan.reason)}",
                session=case.situation.session,
            )
            if why is not None:
                self.trouble(f"the person could not be told: {why}")

    def gone(self, session: str) -> None:
        """Forget a session that is no longer there."""
        self._board.gone(session)
        self._held.pop(session, None)

    def line(self, text: str, session: str | None = None) -> None:
        """Tell of anything that is neither a finding nor a deed."""
        self._say(Kind.NOTE, text, session)

    def linked(self, name: str, there: bool, text: str) -> None:
        """Tell whether a server or plugin is there."""
        self._say(Kind.LINK if there else Kind.LOST, text, name=name)

    def trouble(self, text: str) -> None:
        """Tell what went wrong in us; the sessions go on untouched."""
        self._say(Kind.TROUBLE, text)

    def _say(self, kind: Kind, text: str, session: str | None = None, name: str = "") -> None:
        self._board.happened(
            kind, line(shown(text), 2 * LINE), at=self._clock(), session=session, name=name
        )


def found_by(audit: Audit) -> str:
    """Say what an audit rests on: the detector that proves it, a probability, or nothing."""
    if audit.by is not None:
        return f"by {audit.by}"
    return audit.reason if audit.probability is None else f"probability {audit.probability:.0%}"
