"""A model's chat template, taken apart into what stands before, between and after our texts.

Texts of a transcript never go through the template: it is rendered once, with placeholders, and
cut at them. So nothing a transcript says can be taken for a part of the template.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from auditor.errors import JudgeUnavailable

_PLACES = ("FirstPlaceForText", "SecondPlaceForText", "ThirdPlaceForText", "FourthPlaceForText")


class Frame(Struct, frozen=True):
    """What stands around the contents of system, user and agent message, and the question."""

    opening: str
    user: str
    agent: str
    question: str
    answer: str

    @property
    def markers(self) -> set[str]:
        """Lines of the frame that could begin a message: those with more than words in them."""
        pieces = (self.opening, self.user, self.agent, self.question, self.answer)
        found = {line.strip() for piece in pieces for line in piece.splitlines()}
        return {line for line in found if len(line) > 2 and not re.fullmatch(r"[\w\s.,']+", line)}


PLAIN = Frame(
    "", "\n\n### Request:\n", "\n\n### Agent:\n", "\n\n### Question:\n", "\n\n### Answer:"
)
"""For a model that has learned no chat."""


def frame(template: str | None, bos: str, eos: str) -> Frame:
    """Take a chat template apart. Raises `JudgeUnavailable` where it changes what it is given."""
    if not template:
        return PLAIN
    system, user, agent, question = _PLACES
    talk = [("user", user), ("assistant", agent), ("user", question)]
    for messages in ([("system", system), *talk], [("user", f"{system}\n\n{user}"), *talk[1:]]):
        try:
            text = _applied(template, messages, bos, eos)
        except Exception as error:  # noqa: BLE001 - a template is a program of somebody else's
            reason = str(error)
            continue
        pieces = re.split("|".join(_PLACES), text)
        if re.findall("|".join(_PLACES), text) == list(_PLACES):
            return Frame(*pieces)
        reason = "it leaves out or moves a message"
    raise JudgeUnavailable(f"the chat template of the model cannot be used: {reason}")


def _applied(template: str, messages: list[tuple[str, str]], bos: str, eos: str) -> str:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter  # noqa: PLC0415 - heavy

    formatter: Any = Jinja2ChatFormatter(template, eos_token=eos, bos_token=bos)
    talk = [{"role": role, "content": content} for role, content in messages]
    return str(formatter(messages=talk, enable_thinking=False).prompt)
