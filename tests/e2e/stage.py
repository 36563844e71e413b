"""Scenarios, played on a real OpenCode with or without an auditor beside it.

Owns the table: what the scripted model does, what the person does, and what has to come of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from tests.e2e.fake_model import Asked, FakeModel
from tests.e2e.opencode import OpenCodeServer

AT_ONCE = 5
"""Scenarios that run at the same time: more, and two cores delay what has limits."""

Drive = Callable[[OpenCodeServer, str], None]


class Scenario(Struct, frozen=True, kw_only=True):
    """`about`: what happens to the person. `recovery`: what has to be sent, None: nothing.

    `drive`: what the person does after asking. `ends`: how often the session comes to rest before
    there is anything to say about it; 0: it never does by itself. `slow`: it takes a while, so it
    begins first. `judged`: a line of this kind tells that the watcher has looked.
    """

    name: str
    about: str
    recovery: str | None = None
    script: str = ""
    drive: Drive | None = None
    ends: int = 1
    slow: bool = False
    judged: str | None = "audit"
    words: bool = False
    """Found in what the agent said: not sent by the rules alone."""

    @property
    def model(self) -> str:
        """The script's name."""
        return self.script or self.name


class Played(Struct):
    """What came of a scenario. `asked`: requests to the model, titles left out."""

    scenario: Scenario
    session: str
    began: float
    trouble: str = ""


def person_stops(server: OpenCodeServer, session: str) -> None:
    """Esc, while text streams."""
    server.wait_for(session, "message.part.delta")
    server.abort(session)


def person_stops_tool(server: OpenCodeServer, session: str) -> None:
    """Esc, while a tool runs."""
    server.wait(lambda: _running(server, session), "a running tool")
    server.abort(session)


def person_stops_retry(server: OpenCodeServer, session: str) -> None:
    """Esc, while OpenCode waits to try again."""
    server.wait(
        lambda: any(
            each["properties"]["status"]["type"] == "retry"
            for each in server.seen(session, "session.status")
        ),
        "a retry",
    )
    server.abort(session)


def person_rejects(server: OpenCodeServer, session: str) -> None:
    """No, to a permission."""
    asked = server.wait_for(session, "permission.asked")["properties"]["id"]
    server.http.post(f"/permission/{asked}/reply", json={"reply": "reject"}).raise_for_status()


def person_waits(server: OpenCodeServer, session: str) -> None:
    """A permission stays open."""
    server.wait_for(session, "permission.asked")


def question_waits(server: OpenCodeServer, session: str) -> None:
    """A question stays open."""
    server.wait_for(session, "question.asked")


def _running(server: OpenCodeServer, session: str) -> bool:
    return any(
        each["properties"]["part"]["type"] == "tool"
        and each["properties"]["part"]["state"]["status"] == "running"
        for each in server.seen(session, "message.part.updated")
    )


NUDGED = (
    Scenario(
        name="dangling", about="it announces the next step and ends", recovery="announced_action"
    ),
    Scenario(
        name="dangling-bare", about="nothing but an announcement", recovery="announced_action"
    ),
    Scenario(name="empty", about="an empty reply", recovery="empty_reply"),
    Scenario(name="empty-after-tool", about="nothing after a tool", recovery="unanswered_result"),
    Scenario(name="reasoning-only", about="it only thought", recovery="reasoning_only"),
    Scenario(name="rawtool-xml", about="a call written as XML text", recovery="raw_tool_text"),
    Scenario(name="rawtool-hermes", about="a call in tags, as text", recovery="raw_tool_text"),
    Scenario(name="rawtool-json", about="a call as JSON text", recovery="raw_tool_text"),
    Scenario(
        name="rawtool-reasoning", about="a call inside reasoning", recovery="tool_text_in_reasoning"
    ),
    Scenario(name="length", about="cut by the length limit", recovery="length_limit"),
    Scenario(name="nullname", about="a call without a name ends it", recovery="malformed_call"),
    Scenario(name="nullname-late", about="the name comes late", recovery="malformed_call"),
    Scenario(
        name="http500", about="HTTP 500 until it gives up", recovery="stream_failure", slow=True
    ),
    Scenario(
        name="http429", about="rate limit until it gives up", recovery="rate_limit", slow=True
    ),
    Scenario(
        name="rst-forever", about="the connection breaks", recovery="stream_failure", slow=True
    ),
    Scenario(
        name="eof-forever", about="the stream ends early", recovery="stream_failure", slow=True
    ),
    Scenario(
        name="errchunk-forever",
        about="an error in the stream",
        recovery="stream_failure",
        slow=True,
    ),
    Scenario(
        name="stall-forever", about="the stream falls silent", recovery="silent_stream", ends=0
    ),
    Scenario(
        name="stall-first-forever", about="no first word ever", recovery="silent_stream", ends=0
    ),
    Scenario(name="loop-forever", about="one call again and again", recovery="tool_loop", ends=0),
    Scenario(name="text-loop", about="one sentence again and again", recovery="text_loop", ends=0),
    Scenario(
        name="text-loop-short", about="a loop that ended by itself", recovery="text_loop", ends=1
    ),
    Scenario(
        name="done-claim-open",
        about="it claims all, to-dos open",
        recovery="open_todos",
        words=True,
    ),
    Scenario(
        name="tool-fail-claim",
        about="it claims passes, they failed",
        recovery="false_claim",
        words=True,
    ),
)

SILENT = (
    Scenario(name="complete", about="it is done"),
    Scenario(name="tools", about="it is done, with tools"),
    Scenario(name="edit", about="it is done, a file was written"),
    Scenario(name="two-tools", about="two calls in one step"),
    Scenario(name="question", about="it asks the person"),
    Scenario(name="todos-open", about="open to-dos, and no claim: never a proof by themselves"),
    Scenario(name="ask-tool", about="it asks by a tool", drive=question_waits, ends=0, judged=None),
    Scenario(name="length-tool", about="a call cut by length: OpenCode goes on"),
    Scenario(name="badargs", about="arguments that do not parse"),
    Scenario(name="unknown-tool", about="a tool that is not there"),
    Scenario(name="nofinish", about="no finish reason: OpenCode goes on"),
    Scenario(name="filter", about="a content filter"),
    Scenario(name="http401", about="a key that is not valid"),
    Scenario(name="http400", about="a request that is not valid"),
    Scenario(name="http500-once", about="one HTTP 500"),
    Scenario(name="http429-once", about="one rate limit"),
    Scenario(name="rst", about="one broken connection"),
    Scenario(name="rst-first", about="broken before the first word"),
    Scenario(name="eof", about="one stream that ends early"),
    Scenario(name="errchunk", about="one error in the stream"),
    Scenario(name="overflow", about="the context is full: OpenCode compacts"),
    Scenario(name="stall", about="silence for a few seconds"),
    Scenario(name="stall-first", about="a slow first word"),
    Scenario(name="slow-tool", about="a tool that runs long", slow=True),
    Scenario(name="few-equal-calls", about="three equal calls, then it stops itself"),
    Scenario(name="polling", about="one call again and again, always another result"),
    Scenario(name="loop-parallel", about="four equal calls in one step"),
    Scenario(name="subagent", about="a sub-agent works"),
    Scenario(name="sub-dangling", about="a sub-agent stops early: its parent goes on"),
    Scenario(name="abort-text", about="Esc in the text", script="slow", drive=person_stops),
    Scenario(name="abort-tool", about="Esc in a tool", script="slow-tool", drive=person_stops_tool),
    Scenario(
        name="abort-retry", about="Esc in a retry", script="http500", drive=person_stops_retry
    ),
)


class Stage:
    """Plays scenarios beside each other; what each came to is asked for by name."""

    def __init__(self, server: OpenCodeServer, model: FakeModel) -> None:
        self.server, self.model = server, model
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._played = {}

    def play(self, scenarios: tuple[Scenario, ...], **prompt: object) -> None:
        """Begin all of them, the slow ones first."""
        for scenario in sorted(scenarios, key=lambda each: not each.slow):
            self._played[scenario.name] = self._pool.submit(self._play, scenario, prompt)

    def played(self, name: str) -> Played:
        """Give what came of one, once it came to rest."""
        return self._played[name].result(300)

    def _play(self, scenario: Scenario, prompt: dict[str, object]) -> Played:
        server = self.server
        session = server.session(scenario.name)
        played = Played(scenario, session, time.time())
        server.prompt(session, scenario.model, **prompt)
        try:
            if scenario.drive is not None:
                scenario.drive(server, session)
            if scenario.ends:
                server.wait_idle(session, scenario.ends)
        except TimeoutError as error:
            played.trouble = str(error)
        return played

    def close(self) -> None:
        """End it; what still waits is not begun."""
        self.server.closing.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def nudges(asked: list[Asked], prompts: int = 1) -> list[Asked]:
    """Give the requests that brought a new text of the user, beyond the person's own."""
    found, known = [], prompts
    for each in asked:
        if len(each.users) > known:
            known = len(each.users)
            found.append(each)
    return found
