"""An evaluation as one HTML file that needs nothing else: no network, no script, all escaped.

Owns which parts a report has and in which order. Tables are `tables`', charts `charts`', the words
around them stand in `report.html.j2`, the looks in `report.css`.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from auditor.evaluating.figures import plain, share
from auditor.evaluation import Evaluation, Scores
from auditor.reporting import charts, tables
from auditor.reporting.markup import shown

LONGEST = 4000
"""Characters of a text of a turn; readers cut them shorter (`glimpse`), other makers may not."""


def written(found: Evaluation) -> str:
    """Write the report. It may be read by anybody who may read the evaluation's mistakes."""
    from markupsafe import Markup  # noqa: PLC0415 - only who writes a report loads it

    style = charts.styles() + _beside("report.css")
    drawn = {name: Markup(chart) for name, chart in _charts(found).items()}  # noqa: S704 - escaped there
    page: str = _template().render(
        found=found,
        charts=drawn,
        policy=_policy(style),
        style=Markup(style),  # noqa: S704 - a file of ours
        short=lambda text: text if len(text) <= LONGEST else text[: LONGEST - 1] + "…",
        **_tables(found),
    )
    return page


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _template() -> Any:
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - only who writes a report
    from markupsafe import Markup  # noqa: PLC0415

    def readable(value: Any) -> Any:
        hostile = isinstance(value, str) and not isinstance(value, Markup)
        return shown(value) if hostile else value

    surroundings = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return surroundings.from_string(_beside("report.html.j2"))


def _policy(style: str) -> str:
    """Allow nothing but this very style sheet."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _charts(found: Evaluation) -> dict[str, str]:
    every, rest = found.scores, found.residue_scores
    return {
        "recall": charts.recall_against_wrong("recall", "All turns", found.judges),
        "residue_recall": charts.recall_against_wrong(
            "residue-recall", "Residue", found.residue_judges
        ),
        "reliability": charts.reliability(
            "reliability", "All turns", every.reliability if every else None, found.n
        ),
        "residue_reliability": charts.reliability(
            "residue-reliability", "Residue", rest.reliability if rest else None, found.residue
        ),
        "risk": charts.risk_coverage("risk", "All turns", found.risk_coverage, found.n),
    }


def _band(found: Scores | None) -> str:
    return charts.band(found.reliability) if found and found.reliability else ""


def _tables(found: Evaluation) -> dict[str, Any]:
    return {
        "band": _band(found.scores),
        "residue_band": _band(found.residue_scores),
        "tiles": tables.tiles(found),
        "states": _states(found),
        "gate": tables.gate(found),
        "judges": tables.judges("All turns", found.judges),
        "residue_judges": tables.judges("Residue", found.residue_judges),
        "recalls": tables.recalls("All turns", found.judges),
        "residue_recalls": tables.recalls("Residue", found.residue_judges),
        "scores": tables.scores(found),
        "slices": tables.slices(found),
        "detectors": tables.detectors(found),
        "provenance": tables.provenance(found),
        "drift": _drift(found),
        "timings": _timings(found),
        "probability": lambda value: share(value, digits=2),
        "with_texts": any(each.request or each.reply for each in found.mistakes),
    }


def _drift(found: Evaluation) -> str:
    """Say whether turns are still like those of the fit."""
    moved = found.drift
    if moved is None or moved.psi is None or moved.limit is None:
        return "Not measured: there are no probabilities of turns that the calibration did not see."
    verdict = "within" if moved.psi <= moved.limit else "beyond"
    return (
        f"The probabilities of {moved.n:,} residue turns lie {plain(moved.psi)} (PSI)"
        f" from those of the fit, {verdict} the {plain(moved.limit)} that chance alone shows."
    )


def _timings(found: Evaluation) -> list[str]:
    """Say how long a turn takes."""
    times = found.timings
    told = []
    if times.sieve:
        told.append(f"Sieve: {_milliseconds(times.sieve)}.")
    if times.model:
        asked = f"{times.asked:,} turns asked about"
        told.append(f"Decision model: {_milliseconds(times.model)} ({asked}).")
    return told or ["Nothing was timed."]


def _milliseconds(found: tuple[float, float]) -> str:
    middle, high = found
    return f"{middle:,.3g} ms a turn at the median, {high:,.3g} ms at the 95 % quantile"


def _states(found: Evaluation) -> list[tuple[str, int]]:
    """Count the checks of each state, the worst first."""
    order = ("FAIL", "REFUSED", "WARN", "PASS")
    counts = [(state, sum(check.state == state for check in found.checks)) for state in order]
    return [(state, number) for state, number in counts if number]
