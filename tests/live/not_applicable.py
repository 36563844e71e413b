"""Scenarios of the field notes on prior systems that are no rows of ours, each with its reason.

`NOT_APPLICABLE`: what we do not do, or the harness does itself. `ELSEWHERE`: what holds, in a test
that is not named after it.
"""

from __future__ import annotations


def _each(
    prefix: str, numbers: range | tuple[int, ...], why: str, width: int = 2
) -> dict[str, str]:
    return {f"{prefix}-T{number:0{width}}": why for number in numbers}


_NO_TOOL = "no tool is registered with the harness: a turn's end is judged, not declared"
_SATURATION = "OpenCode compacts a context that is full by itself; an overflow is told (AR-T070)"
_UNKNOWN_TOOL = (
    "OpenCode answers a call of an unknown tool itself, as the tool `invalid`, and the model goes"
    " on; the same call again and again is a loop like any other"
)
_NO_SHELLS = "OpenCode 1.18 has no events of background shells; its terminals are the user's own"
_REPAIR = "repairs the stream between model and harness, which an auditor beside it never sees"
_CONTEXT = "changes what the harness sends to the model; an auditor changes nothing there"
_COMMANDS = "judges or replaces commands and their output, not the end of a turn"
_CONFABULATED = "judges what a model writes about itself, not whose move is next"
_REPORTS = (
    "an empty report goes to the parent's agent, which goes on by itself; the turn that ends on it"
    " is judged as any other"
)
_RUNNER = (
    "a runner that starts agents and keeps their state; we sit beside one session and what has to"
    " outlive us (claims, deeds, pauses) is in the store"
)
_IN_HOST = "no engine of ours runs inside the harness, and nothing there waits for a timer"

NOT_APPLICABLE: dict[str, str] = {
    "AR-T029": "two sessions that are busy say nothing of one another: only a parent's link does",
    **_each("AR", range(31, 36), _NO_TOOL, 3),
    **_each("AR", (148, 149), _NO_TOOL, 3),
    "AR-T054": "nudges that bring nothing end in telling the person, never in an abort",
    "AR-T065": "there is no debug mode: every look says its reason in the view",
    **_each("AR", (118, 119), _NO_SHELLS, 3),
    "AR-T124": "every end waits until it settled: late words land in it",
    **_each("AR", range(132, 137), _SATURATION, 3),
    **_each("AR", range(145, 148), _UNKNOWN_TOOL, 3),
    "AR-T151": "a list comes with the session's messages and events; nothing of ours can write one",
    "DS-T18": "a browser's bridge: ours are the plugin and /stats, with tests of their own",
    **_each("DS", (19, 20), _IN_HOST),
    "DS-T52": "counters are kept whether or not anybody is notified: one does not know the other",
    **_each("TG", range(1, 11), _REPAIR),
    **_each("TG", (11, 12), _CONTEXT),
    **_each("TG", range(24, 27), _CONFABULATED),
    **_each("TG", range(27, 32), _COMMANDS),
    "TG-T32": "a stream guard's sign of life; a plugin that speaks is seen as a link",
    **_each("TG", (33, 34), _REPORTS),
    "TG-T35": "the repairs of the stream (TG-T01 to TG-T12) from end to end",
    "TG-T36": "OpenCode 2 is not to be had from the registry, and nothing of it is known",
    **_each("OL", range(1, 31), _RUNNER),
}

_LOOP = "tests/watching/test_loop.py::"
_CONNECTION = "tests/watching/test_connection.py::"

ELSEWHERE: dict[str, str] = {
    "AR-T053": "tests/test_live_rows.py::test_what_was_done_comes_back_in_another_process",
    "AR-T126": f"{_LOOP}test_nothing_is_asked_of_the_server_after_the_end",
    "DS-T10": "tests/watching/test_stats.py::test_the_numbers",
    "DS-T21": f"{_LOOP}test_an_error_costs_its_session_a_line_and_no_other",
    "DS-T50": f"{_CONNECTION}test_ds_t47_corrupt_histories_cost_no_healthy_session",
    "TG-T18": "tests/test_judge.py::test_there_is_one_judgement_and_a_catch_all",
    "TG-T23": "tests/test_live_rows.py::test_what_was_done_comes_back_in_another_process",
}
