"""The scripts of the scripted model: what real models did to people, one row each.

Texts are made up and never repeat a sentence where that is not the point: some harnesses stop a
model that does. Every script that may be nudged ends with `FINISHED`, so that an answer is known.
"""

from __future__ import annotations

from tests.e2e.acts import (
    Call,
    CutOff,
    ErrorPiece,
    Finish,
    Hold,
    Pause,
    Refuse,
    Reset,
    Say,
    Script,
    Step,
    Think,
)

TASK = "Let the report builder take a start date."
"""What the person asks in every scenario."""

FINISHED: Step = (Say("The start date works now: I ran the builder with and without it. Done."),)
"""The answer to a nudge."""

LIST: Call = Call("shell", {"command": "ls"})
READ = Call("read", {"path": "builder.py"})
MISSING = Call("shell", {"command": "cat absent.txt"})


def _todos(*states: str) -> Call:
    words = ("Read the report builder", "Accept a start date", "Cover it with tests")
    return Call(
        "todo",
        {
            "todos": [
                {"content": what, "status": state, "priority": "medium"}
                for what, state in zip(words, states, strict=True)
            ]
        },
    )


def _long(sentences: int) -> str:
    return " ".join(
        f"Row {n} of the table keeps {n * 7 + 3} entries and is read in {n + 2} passes."
        for n in range(1, sentences + 1)
    )


XML = (
    "I will run the suite.\n\n<function=bash>\n<parameter=command>\nmake check\n</parameter>\n"
    "</function>\n</tool_call>"
)
HERMES = (
    'First a look.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls reports"}}\n'
    "</tool_call>"
)
JSON = (
    '{"type":"function","function":{"name":"read","arguments":"{\\"filePath\\":\\"builder.py\\"}"}}'
)
CHANT = "Let me look at the date once more. "
TWICE = {"retry-after": "1"}
"""Harnesses wait as they are told: retries take seconds instead of a minute."""

_ROWS: dict[str, tuple[Step, ...]] = {
    # Ends that are right.
    "complete": ((Say("A start date is accepted and checked. The work is complete."),),),
    "tools": (
        (Say("I start with the folder."), LIST),
        (READ,),
        (Say("The builder takes a start date now. All is done."),),
    ),
    "edit": (
        (Call("write", {"path": "notes.txt", "content": "start date\n"}),),
        (Say("I put the note into notes.txt. Done."),),
    ),
    "two-tools": ((LIST, READ), (Say("Both files are as expected. Done."),)),
    "question": ((Say("Should the date be a flag, or a setting in the file?"),),),
    "ask-tool": (
        (
            Call(
                "question",
                {
                    "questions": [
                        {
                            "question": "Where does the date belong?",
                            "header": "Date",
                            "options": [
                                {"label": "flag", "description": "on the command line"},
                                {"label": "file", "description": "in the settings"},
                            ],
                        }
                    ]
                },
            ),
        ),
        (Say("As you like it. Done."),),
    ),
    # Ends that come too early.
    "dangling": (
        (Say("I read the builder first."), LIST),
        (Say("I see where rows are chosen. Let me now add the start date to the query:"),),
        FINISHED,
    ),
    "dangling-bare": ((Say("Let me change the query now:"),), FINISHED),
    "dangling-forever": ((Say("Let me change the query now:"),),),
    "empty": ((), FINISHED),
    "empty-forever": ((),),
    "dangling-then-slow": ((Say("Let me change the query now:"),), (Say(_long(60), pause=0.5),)),
    "empty-after-tool": ((LIST,), (), FINISHED),
    "reasoning-only": (
        (Think("They want a start date. The query has to change, then the tests."),),
        FINISHED,
    ),
    "rawtool-xml": ((Say(XML),), FINISHED),
    "rawtool-hermes": ((Say(HERMES),), FINISHED),
    "rawtool-json": ((Say(JSON),), FINISHED),
    "rawtool-reasoning": ((Think(HERMES),), FINISHED),
    "length": ((Say(_long(30)), Finish("length")), FINISHED),
    "length-tool": (
        (Say("I write the file."), Call("shell", '{"command": "echo cut'), Finish("length")),
        FINISHED,
    ),
    "filter": ((Say("I can"), Finish("content_filter")), FINISHED),
    "todos-open": (
        (_todos("completed", "in_progress", "pending"),),
        (Say("I have read the builder. The first item is finished."),),
        (_todos("completed", "completed", "completed"),),
        FINISHED,
    ),
    "done-claim-open": (
        (_todos("completed", "pending", "pending"),),
        (Say("Everything is complete!"),),
        (_todos("completed", "completed", "completed"),),
        FINISHED,
    ),
    "tool-fail-claim": (
        (Call("shell", {"command": "echo '3 failed, 1 passed'; exit 1"}),),
        (Say("All tests pass now. The work is complete."),),
        FINISHED,
    ),
    # Calls that break.
    "nullname": ((Call("shell", {"command": "ls"}, no_name=True),), FINISHED),
    "nullname-late": ((Call("shell", {"command": "ls"}, name_late=True),), FINISHED),
    "badargs": ((Call("shell", '{"command": "ls", '),), (Say("That call failed. I stop here."),)),
    "unknown-tool": ((Call("teleport", {}),), (Say("There is no such tool. I stop here."),)),
    # Providers that fail.
    "http500": ((Refuse(500, "the upstream is down", TWICE),),) * 6 + (FINISHED,),
    "http500-once": ((Refuse(500, "the upstream is down", TWICE),), FINISHED),
    "http429": ((Refuse(429, "rate limit reached", TWICE),),) * 6 + (FINISHED,),
    "http429-once": ((Refuse(429, "rate limit reached", TWICE),), FINISHED),
    "http401": ((Refuse(401, "the key is not valid", code="invalid_api_key"),),),
    "http400": ((Refuse(400, "the request is not valid"),),),
    "overflow": (
        (
            Refuse(
                400,
                "This model's maximum context length is 128000 tokens.",
                code="context_length_exceeded",
            ),
        ),
        FINISHED,
    ),
    "rst": ((Say("I begin with"), Reset()), FINISHED),
    "rst-first": ((Reset(),), FINISHED),
    "rst-forever": ((Say("I begin with"), Reset()),) * 6 + (FINISHED,),
    "eof": ((Say("I begin with"), CutOff()), FINISHED),
    "eof-forever": ((Say("I begin with"), CutOff()),) * 6 + (FINISHED,),
    "errchunk": ((Say("I begin with"), ErrorPiece("the worker was lost")), FINISHED),
    "errchunk-forever": ((Say("I begin with"), ErrorPiece("the worker was lost")),) * 6
    + (FINISHED,),
    "nofinish": ((Say("I will read the builder and then"), Finish(None)), FINISHED),
    # Silence.
    "stall": ((Say("Let me think."), Pause(4.0), Say(" Now it is done.")),),
    "stall-forever": ((Say("Let me think about the query."), Hold()), FINISHED),
    "stall-first": ((Pause(4.0), Say("The first word took a while. It is done.")),),
    "stall-first-forever": ((Hold(),), FINISHED),
    "slow": ((Say(_long(60), pause=0.5),),),
    "slow-tool": (
        (Call("shell", {"command": "sleep 15; echo woke"}),),
        (Say("The long command is over. Done."),),
    ),
    # Loops.
    "few-equal-calls": ((MISSING,),) * 3 + ((Say("The file is not there, so I stop."),),),
    "polling": ((Call("shell", {"command": "date +%s%N"}),),) * 8 + ((Say("It is time. Done."),),),
    "loop-forever": ((Pause(0.2), MISSING),),
    "loop-parallel": ((MISSING,) * 4, (Say("The file is not there, so I stop."),)),
    "text-loop": ((Say(CHANT * 400, pause=0.02),), FINISHED),
    "text-loop-short": ((Say(CHANT * 12),), FINISHED),
    # Sub-agents.
    "subagent": (
        (Say("I let a helper look."), Call("task", {"prompt": "[[scenario:sub-child]] Find it."})),
        (Say("The helper found it in builder.py. Done."),),
    ),
    "sub-child": ((Say("Rows are chosen in builder.py."),),),
    "sub-dangling": (
        (Call("task", {"prompt": "[[scenario:sub-child-dangling]] Find it."}),),
        (Say("The helper did not say much. All is done."),),
    ),
    "sub-child-dangling": ((Say("Let me look into the folder now:"),),),
    "subagent-stuck": (
        (Call("task", {"prompt": "[[scenario:stall-forever]] Find it."}),),
        (Say("The helper was stopped; I looked myself. All is done."),),
    ),
    "background-shell": (
        (Call("shell", {"command": "(sleep 20 >/dev/null 2>&1 &) ; echo started"}),),
        (Say("It runs in the background; I wait for it to finish."),),
    ),
}
_WHEN_TOLD: dict[str, Step] = {"loop-forever": FINISHED}
"""The answer to any further message, whatever the step."""

SCRIPTS = {name: Script(name, steps, _WHEN_TOLD.get(name)) for name, steps in _ROWS.items()}
"""All scripts by name."""
