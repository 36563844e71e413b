"""Take the canary with the model of a policy: loaded for it, and asked past every cache."""

from __future__ import annotations

from collections.abc import Callable

from auditor.asking import DEADLINE, located
from auditor.calibration import Calibration
from auditor.errors import AuditorError, JudgeUnavailable
from auditor.features import facts
from auditor.gating import canary
from auditor.gating.frozen import Frozen
from auditor.judge import Answer
from auditor.models import registry
from auditor.sieve import settled, sieve
from auditor.turn import Turn


def take(policy: Frozen, offline: bool) -> tuple[canary.Readings | None, str]:
    """Give the readings, or None and why there are none."""
    from auditor.calibrations import named  # noqa: PLC0415 - reads files

    try:
        return taken(named(policy.calibration), offline), "by command"
    except AuditorError as error:
        return None, str(error)


def taken(calibration: Calibration, offline: bool) -> canary.Readings:
    """Ask the model that the calibration is for, if it is for one. Raises `JudgeUnavailable`."""
    probability = _probability(calibration)
    if calibration.model is None:
        return canary.taken(lambda _: None, probability)
    from auditor.evidence import evidence  # noqa: PLC0415
    from auditor.judge import WHOSE_MOVE, Asked  # noqa: PLC0415
    from auditor.models.loaded import loaded  # noqa: PLC0415 - brings llama.cpp

    model = next((each for each in registry.known() if each.digest == calibration.model), None)
    if model is None:
        raise JudgeUnavailable(f"no known model has the digest {calibration.model[:16]}")
    with loaded(located(model.name, offline=offline)) as llama:
        return canary.taken(
            lambda turn: llama.ask(Asked(WHOSE_MOVE, evidence(turn)), DEADLINE), probability
        )


def _probability(calibration: Calibration) -> Callable[[Turn, Answer | None], float | None]:
    from auditor.calibration import Calibrations  # noqa: PLC0415

    plain = calibration if calibration.model is None else None
    used = Calibrations(plain=plain, model=None if plain else calibration)

    def probability(turn: Turn, answer: Answer | None) -> float | None:
        signals = sieve(turn)
        found = used.probability(signals, settled(signals), answer, facts(turn))
        return None if found is None else found[0]

    return probability
