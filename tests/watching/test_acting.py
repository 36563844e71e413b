"""Deeds that go wrong half-way: lost answers, killed watchers, a store that cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import trio
from msgspec import structs

from auditor.asking import Asker
from auditor.calibration import NO_CALIBRATIONS
from auditor.errors import StoreError
from auditor.live.settings import Mode
from auditor.live.spent import Deed, Done, Outcome
from auditor.live.switches import Switch
from auditor.policy import Policy
from auditor.watching.auditing import Auditing
from auditor.watching.board import Kind
from tests.watching.fake import Fake, now
from tests.watching.place import Place, permits, play, until
from tests.watching.test_loop import stalled

PROMPT = "POST /session/ses_a/prompt_async"


def lost(fake: Fake, *, stored: bool) -> Callable[[], object]:
    """The next prompt gets no answer; it arrived, or it did not."""

    def hook() -> object:
        del fake.before[PROMPT]
        if stored:
            fake.prompts.append(("ses_a", {}))
            mark = {"auditor": {"recovery": "length_limit", "v": 1}}
            fake.ask("ses_a", "Go on.", synthetic=True, metadata=mark)
            fake.answer("ses_a", "All tests pass.")
        raise httpx.ReadTimeout("no answer")

    return hook


def deeds(place: Place) -> list[Done]:
    return [done for done in place.store.spent("ses_a").done if done.deed is Deed.NUDGE]


def outcomes(place: Place) -> list[Outcome]:
    return [done.outcome for done in deeds(place)]


def test_a_lost_answer_to_a_nudge_that_arrived_is_a_nudge(tmp_path: Path) -> None:
    seen: list[Outcome] = []

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            place.fake.before[PROMPT] = lost(place.fake, stored=True)
            await anyio.sleep(300)
        seen.extend(outcomes(place))

    assert len(play(tmp_path, script).fake.prompts) == 1
    assert seen == [Outcome.DONE]


def test_a_nudge_that_did_not_arrive_is_sent_again_once(tmp_path: Path) -> None:
    seen: list[Outcome] = []

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            place.fake.before[PROMPT] = lost(place.fake, stored=False)
            await anyio.sleep(30)
            assert not place.fake.prompts
            await until(lambda: place.fake.prompts, 60)
            await anyio.sleep(300)
        seen.extend(outcomes(place))

    assert len(play(tmp_path, script).fake.prompts) == 1
    assert seen == [Outcome.FAILED, Outcome.DONE]


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_server_that_always_refuses_is_asked_twice_and_no_more(
    tmp_path: Path, status: int
) -> None:
    """AR-T156 all sends rejected: the budget is untouched, and it ends."""
    seen: list[Outcome] = []

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            place.fake.before[PROMPT] = lambda: httpx.Response(status)
            await anyio.sleep(1800)
        seen.extend(outcomes(place))

    place = play(tmp_path, script)
    assert place.fake.asked.count(PROMPT) == 2
    assert seen == [Outcome.FAILED, Outcome.FAILED]
    (toast,) = place.fake.toasts
    assert toast["variant"] == "warning"


def test_a_nudge_nobody_can_look_for_counts_as_sent(tmp_path: Path) -> None:
    seen: list[Outcome] = []

    async def script(place: Place) -> None:
        fake = place.fake

        def gone() -> object:
            fake.up = False
            raise httpx.ReadError("the connection broke")

        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            fake.before[PROMPT] = gone
            await until(lambda: outcomes(place), 30)
            fake.before.clear()
            fake.drop()
            await anyio.sleep(10)
            fake.up = True
            await anyio.sleep(300)
        seen.extend(outcomes(place))

    assert not play(tmp_path, script).fake.prompts
    assert seen == [Outcome.UNKNOWN]


def test_a_watcher_killed_between_claim_and_send_loses_nothing(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        message = stalled(place)
        assert place.store.claim("ses_a", message, Deed.NUDGE, "killed", now())
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(50)
            assert not place.fake.prompts
            await until(lambda: place.fake.prompts, 25)
            await anyio.sleep(300)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_after_two_killed_watchers_it_is_left_alone(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        message = stalled(place)
        for at in (now() - 200, now() - 100):
            assert place.store.claim("ses_a", message, Deed.NUDGE, "killed", at)
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(900)
            assert place.fake.asked.count("GET /session/ses_a") < 10

    assert not play(tmp_path, script).fake.prompts


def test_a_store_that_cannot_be_written_sends_nothing(tmp_path: Path) -> None:
    async def aside(do: Callable[..., object], *arguments: object) -> object:
        await anyio.lowlevel.checkpoint()
        if do.__name__ == "claim":
            raise StoreError("the disk is full")
        return do(*arguments)

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place), aside=aside)):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert place.lines(Kind.TROUBLE) == ["ses_a: the disk is full"]


def test_an_end_in_the_middle_of_a_deed_waits_for_it(tmp_path: Path) -> None:
    """AR-T153: what is begun is finished and remembered; nothing is begun after that."""
    seen: list[Outcome] = []

    async def script(place: Place) -> None:
        async def slow() -> None:
            await anyio.sleep(5)

        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            place.fake.before[PROMPT] = slow
            await until(lambda: PROMPT in place.fake.asked, 10)
        seen.extend(outcomes(place))

    assert len(play(tmp_path, script).fake.prompts) == 1
    assert seen == [Outcome.DONE]


def test_our_abort_is_never_the_users_even_if_we_are_killed_right_after_it(
    tmp_path: Path,
) -> None:
    async def script(place: Place) -> None:
        fake = place.fake

        def killed() -> object:
            del fake.before["POST /session/ses_a/abort"]
            fake.stop("ses_a")
            raise httpx.ReadError("killed")

        fake.before["POST /session/ses_a/abort"] = killed
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.write("ses_a", fake.begin("ses_a"), "I will look at")
            await until(lambda: not fake.statuses, 200)
        async with place.watched(place.watcher(permits(place), "w2")):
            await until(lambda: fake.prompts, 20)
            await anyio.sleep(120)

    place = play(tmp_path, script)
    ((_, body),) = place.fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "silent_stream"
    assert not [line for line in place.lines(Kind.AUDIT) if "user_stopped" in line]


def test_a_toast_that_fails_costs_nothing(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            place.fake.before["/tui/show-toast"] = lambda: httpx.Response(500)
            stalled(place)
            await until(lambda: place.fake.prompts, 10)
            await anyio.sleep(300)

    place = play(tmp_path, script)
    assert len(place.fake.prompts) == 1
    assert not place.lines(Kind.TROUBLE)


MEANWHILE: dict[str, Callable[[Place, str], object]] = {
    "a permission was asked": lambda place, _: place.fake.permission("ses_a"),
    "it ended": lambda place, _: place.fake.answer("ses_a", "All tests pass."),
    "the person stopped it": lambda place, _: place.fake.stop("ses_a"),
    "its stream goes on": lambda place, part: place.fake.more(
        "ses_a", place.fake.messages["ses_a"][-1]["info"]["id"], part, "the parser"
    ),
    "the connection was lost": lambda place, _: place.fake.drop(),
}


@pytest.mark.parametrize("step", ["claim", "remember"])
@pytest.mark.parametrize("change", MEANWHILE)
def test_a_turn_is_stopped_only_as_it_is_right_before(
    tmp_path: Path, change: str, step: str
) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        claimed: list[object] = []

        async def aside(do: Callable[..., object], *arguments: object) -> object:
            await anyio.lowlevel.checkpoint()
            done = do(*arguments)
            if do.__name__ == step and not claimed:
                claimed.append(done)
                MEANWHILE[change](place, part)
                await anyio.wait_all_tasks_blocked()
            return done

        async with place.watched(place.watcher(permits(place), aside=aside)):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            part = fake.write("ses_a", fake.begin("ses_a"), "I will look at")
            await until(lambda: claimed, place.settings.quiet + 10)
            await anyio.sleep(60)
            assert not fake.aborts
            assert not fake.prompts

    play(tmp_path, script)


def test_what_a_person_asks_for_and_what_is_due_are_one_nudge(tmp_path: Path) -> None:
    """Two watchers: one sends what was asked for, the other one finds the same turn."""

    async def script(place: Place) -> None:
        fake = place.fake
        fake.then = None

        async def slow() -> None:
            await anyio.sleep(2)

        async with place.watched(*[place.watcher(permits(place), by) for by in ("w1", "w2")]):
            await anyio.sleep(1)
            stalled(place)
            fake.before[PROMPT] = slow
            await anyio.sleep(1.5)
            place.store.switch(Switch.NOW, "ses_a", now())
            await anyio.sleep(60)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_what_a_person_asks_for_is_sent_though_the_message_is_used_up(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        message = stalled(place)
        for at in (now() - 200, now() - 100):
            assert place.store.claim("ses_a", message, Deed.NUDGE, "killed", at)
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(60)
            assert not place.fake.prompts
            place.store.switch(Switch.NOW, "ses_a", now())
            await until(lambda: place.fake.prompts, 10)
            await anyio.sleep(300)

    ((_, body),) = play(tmp_path, script).fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "resume_now"


def test_a_server_that_hangs_delays_the_end_of_the_program_little(tmp_path: Path) -> None:
    took: list[float] = []

    async def script(place: Place) -> None:
        fake = place.fake

        async def hang() -> None:
            await anyio.sleep(1000)

        def hangs() -> object:
            fake.before["GET /session"] = hang
            return hang()

        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            fake.before[PROMPT] = hangs
            await anyio.sleep(8)
            took.append(trio.current_time())
        took.append(trio.current_time())

    play(tmp_path, script)
    assert took[1] - took[0] < 45  # the answer itself may take thirty


UNWRITTEN = ["the row that says so", "what is asked right before"]


@pytest.mark.parametrize(
    ("broken", "stops"), [(UNWRITTEN[0], True), (UNWRITTEN[1], True), (UNWRITTEN[1], False)]
)
def test_an_abort_that_was_not_sent_is_not_ours_whatever_can_be_written(
    tmp_path: Path, broken: str, stops: bool
) -> None:
    """The person stops it in that moment, or nobody does: then it is stopped later."""

    async def script(place: Place) -> None:
        fake, store, seen = place.fake, place.store, list[Outcome]()
        mode = store.mode

        def once(_: str | None) -> Mode:
            store.mode = mode  # type: ignore[method-assign]
            raise StoreError("the disk fails")

        async def aside(do: Callable[..., object], *arguments: object) -> object:
            await anyio.lowlevel.checkpoint()
            if do.__name__ != "remember":
                return do(*arguments)
            outcome = arguments[1].outcome  # type: ignore[attr-defined]
            first = outcome not in seen
            seen.append(outcome)
            if outcome is Outcome.UNKNOWN and first:
                if stops:
                    fake.stop("ses_a")
                    await anyio.wait_all_tasks_blocked()
                if broken == UNWRITTEN[1]:
                    store.mode = once  # type: ignore[method-assign]
            if outcome is Outcome.FAILED and broken == UNWRITTEN[0]:
                raise StoreError("the disk is full")
            return do(*arguments)

        async with place.watched(place.watcher(permits(place), aside=aside)):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.write("ses_a", fake.begin("ses_a"), "I will look at")
            await until(lambda: Outcome.UNKNOWN in seen, place.settings.quiet + 10)
            await anyio.sleep(600)
            assert bool(fake.aborts) is not stops

    assert bool(play(tmp_path, script).fake.prompts) is not stops


@pytest.mark.parametrize("what", ["they write", "they stop it", "nothing"])
def test_what_happens_while_a_turn_is_audited_a_second_time_is_seen(
    tmp_path: Path, what: str
) -> None:
    """The policy changed between the claim and the deed."""

    async def script(place: Place) -> None:
        fake, claimed, did = place.fake, list[bool](), list[bool]()

        async def aside(do: Callable[..., Any], *arguments: object) -> object:
            await anyio.lowlevel.checkpoint()
            if do.__name__ == "claim":
                claimed.append(True)
            if do.__name__ == "_write" and claimed and not did:
                did.append(True)
                if what == "they write":
                    fake.ask("ses_a", "Never mind, do the docs.")
                if what == "they stop it":
                    fake.stop("ses_a")
                await anyio.sleep(0.5)
            return do(*arguments)

        asker = Asker(None, questions=None, offline=True)
        auditing = Auditing(place.store, asker, NO_CALIBRATIONS, aside)
        permitted = permits(place)
        given = permitted.policy

        def policy(at: float) -> Policy:
            return structs.replace(given(at), max_nudges=4) if claimed else given(at)

        permitted.policy = policy  # type: ignore[method-assign]
        async with place.watched(place.watcher(permitted, auditing=auditing, aside=aside)):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(60)
            assert did

    assert bool(play(tmp_path, script).fake.prompts) is (what == "nothing")
