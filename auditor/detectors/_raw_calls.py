"""Tool calls written out as text: every notation we know, whole, cut off or half swallowed.

Looks at text only. Code, inline code and quoted lines are taken out first, so that markup which is
shown or spoken of is no call, except for the notations whose very form is a fence. A call is the
agent's own move only when nothing but markup follows it, or results it invented. The notations are
those of the chat templates of Qwen, Hermes, Llama, Mistral, DeepSeek, Kimi, GLM, MiniMax, Gemma,
Gemini, gpt-oss (harmony), LFM2, Nemotron and Claude, of ReAct prompts and of Cline's tool tags.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from auditor import text as texts
from auditor.detectors._tool_names import family

WINDOW = 8000
"""Characters before the end that are looked at; a longer call has its closing tags in them."""

_AT_START = r"(?:^|(?<=[.!?:;)…。！？：]))[ \t]*"

_TAG = (
    r"(?:antml:|minimax:|seed:)?(?:function_?calls?|tool_?calls?|tool_use|longcat_tool_call"
    r"|start_function_call|invoke|function)"
)
_XML = re.compile(
    rf"""{_AT_START}<(?P<tag>{_TAG})
    (?: > \s* (?: [\[{{<] | call: | [\w.:-]+ \s* (?:\n|<|\{{|\() | [\w.:-]* \Z )
      | = [\w.:-]+ > \s* (?:<|\{{|\Z)
      | \s+ (?:name|id|tool)="[^">\n]{{1,80}}" [^>\n]{{0,80}} > \s*
        (?:<(?:antml:)?(?:parameter|arg)|<?/|\{{|\Z)
    )""",
    re.M | re.X | re.I,
)
_TOKEN = re.compile(
    r"<[|｜](?:tool|plugin|action|python|function|invoke|DSML|channel|start)[^>\n]{0,60}[|｜]>"
    r"(?:\s*[\[{<]|\s*(?:functions\.)?[A-Za-z_][\w.-]*\s*(?:[.:(\n{<]|to=))"
    r"|<[|｜]DSML[|｜]\w+[^>\n]{0,60}>"
    r"|\[TOOL_CALLS?\]\s*[\[{\w]"
    r"|✿FUNCTION✿\s*:"
    r"|\bto=functions\.\w+"
)
_LINE = re.compile(
    r"^[ \t]*(?:Action|Tool)[ \t]*:[ \t]*`?[\w.:-]+`?[ \t]*"
    r"\n\s*(?:Action|Tool)?[ _]?(?:Input|Args|Arguments)[ \t]*:[ \t]*\S"
    r"|^[ \t]*(?:print\()?default_api\.\w+\("
    r"|^[ \t]*(?:<ctrl\d+>)?call:[\w:.]+\{"
    r"|^[ \t]*\[(?:Tool call|tool_call|Calling tool|Called tool)\b[^\]\n]{2,}",
    re.M,
)
_CLOSERS = re.compile(
    r"(?:(?:</(?:antml:)?(?:parameter|arg_value|arguments)>\s*)?"
    r"(?:</(?:antml:|minimax:)?(?:function|invoke|tool_?calls?|function_?calls?|tool_use)>\s*)+"
    r"|</(?:antml:)?(?:parameter|arg_value)>\s*)\Z"
)
_LAST_CLOSER = re.compile(
    r"</(?:antml:|minimax:|seed:)?(?:parameter|arg_value|function|invoke|tool_?calls?"
    r"|function_?calls?"
    r"|tool_use|longcat_tool_call)>|<end_function_call>|<[|｜][^>\n]{0,40}(?:end|eom"
    r"|eot)[^>\n]{0,20}[|｜]>|^[ \t]*[\]})]+[ \t;]*$"
    r"|[\]})][ \t]*\Z",
    re.M,
)
_RESULTS = re.compile(
    r"<(?:tool_response|tool_result|function_results?|tool_output|observation)s?>|^Observation:",
    re.M | re.I,
)
_CUT = re.compile(rf"{_AT_START}<(?P<cut>[|｜]?[a-z_:=▁]{{2,24}})\Z", re.M)
_OPENINGS = (
    "tool_call>", "tool_calls>", "function=", "function_calls>", "function_call>", "invoke name=",
    "parameter=", "antml:invoke", "antml:function_calls", "|tool_call", "|tool_calls_section",
    "|python_tag", "｜tool▁calls",
)  # fmt: skip
_TOOL_TAG = re.compile(r"^[ \t]*<(?P<tag>[a-z]+(?:_[a-z]+)+)>\s*<(?P<arg>[a-z_]+)>[^<]", re.M)
_FENCE_LINE = re.compile(r"^[ \t]*```[ \t]*(\w*)[^`\n]*$", re.M)
_CALL_FENCES = {
    "tool_code",
    "tool_call",
    "tool_calls",
    "tool_use",
    "tool",
    "function_call",
    "toolcall",
}
_JSON = re.compile(
    r"""\s*[\[{]\s*(?:\{\s*)?
    (?:"tool_calls"\s*:\s*\[\s*\{\s*)?
    (?:"(?:id|type|call_id)"\s*:\s*"[^"\n]{0,80}"\s*,\s*)*
    (?:"function"\s*:\s*\{\s*)?
    "(?:name|tool|tool_name|function_name|function|action|recipient_name)"\s*:\s*
    "(?P<name>[\w.:-]+)"\s*,\s*
    "(?:arguments|parameters|args|input|params|action_input|tool_input)"\s*:\s*
    (?!\{\s*"(?:type|properties|\$schema)")["{\[]""",
    re.X,
)
_JSON_START = re.compile(r"^[ \t]*[\[{]", re.M)


_HINT = re.compile(
    r"<(?:/?(?:antml|func|tool|invo|param|arg_|minimax|seed:|longcat|start_f|[a-z]+_[a-z]+>)|[|｜])"
)
_KEYS = ('"arguments"', '"parameters"', '"args"', '"input"', '"params"', '_input"')
_MARKS = (
    *_KEYS, "TOOL_CALL", "default_api", "```tool", "```function_call", "Action:", "Action Input:",
    "\nTool:", "to=functions", "[Tool c", "[tool_c", "[Call", "call:", "✿",
)  # fmt: skip
_BY_END = {
    "}": (*_KEYS, "Action", "call:", "to=functions", "✿"),
    "]": (*_KEYS, "TOOL_CALL", "[Tool", "[tool", "[Call", "Action"),
    ")": ("default_api", "Action"),
    "`": ("```tool", "```function_call", *_KEYS),
}
"""What must stand in a whole call that ends so; few texts end so, fewer hold one of these."""
_SHORT = 300
"""Characters before the end in which closing tags, or a short call in words, stand (a guess)."""
_CUT_END = re.compile(r"<[|｜]?[a-z_:=▁]{2,24}\Z")
_CUT_TAG = 26
"""Characters of the longest opening that may stand cut at the end."""


def suspicious(text: str, cut: bool) -> bool:
    """A cheap first look: whether any notation could be in the text. `cut`: it may end anywhere."""
    if "<" in text and (_HINT.search(text) or _CUT_END.search(text, max(0, len(text) - _CUT_TAG))):
        return True
    marks = _MARKS if cut else _BY_END.get(text[-1:])
    if marks is not None:
        return any(mark in text for mark in marks)
    return text.find("Action Input", -_SHORT) >= 0


def printed_call(text: str, known: Collection[str] = ()) -> str | None:
    """Find the call that `text` ends on: its start. `known`: names of the agent's tools."""
    text = (text if len(text) <= WINDOW else text[-WINDOW:]).strip()
    if "```" in text and (found := _fenced(text, known)):
        return found
    text = texts.without_code(text)
    if ">" in text:
        text = texts.without_quotes(text)
    text = text.strip()
    if not text:
        return None
    return _marked(text) or _json(text)


def _marked(text: str) -> str | None:
    """A call in tags, tokens or labelled lines."""
    if "<" in text:
        if _CLOSERS.search(text, max(0, len(text) - _SHORT)):
            return text[-80:]
        cut = _CUT.search(text)
        if cut and any(opening.startswith(cut["cut"]) for opening in _OPENINGS):
            return cut.group(0)
        if (found := _XML.search(text)) and _own_move(text, found):
            return text[found.start() : found.start() + 80]
        if (found := _TOOL_TAG.search(text)) and family(found["tag"]) and _closed_last(text, found):
            return text[found.start() : found.start() + 80]
    if (found := _TOKEN.search(text) or _LINE.search(text)) and _own_move(text, found):
        return text[found.start() : found.start() + 80]
    return None


def _own_move(text: str, found: re.Match[str]) -> bool:
    """Nothing but the call follows, or it is cut off, or the agent invented its results."""
    body = text[found.start() :]
    if _RESULTS.search(body):
        return True
    closers = [closer.end() for closer in _LAST_CLOSER.finditer(body, 1)]
    if not closers or _unclosed(body, found):
        return "\n\n" not in body or body.count("<") > 1
    return len(body) - closers[-1] < 3


def _unclosed(body: str, found: re.Match[str]) -> bool:
    tag = found.groupdict().get("tag")
    return tag is not None and f"</{tag}" not in body


def _closed_last(text: str, found: re.Match[str]) -> bool:
    return text.endswith(f"</{found['tag']}>") or f"</{found['tag']}>" not in text


def _json(text: str) -> str | None:
    """A bare JSON call that reaches to the end."""
    start = _JSON_START.search(text)
    if start is None or not (found := _JSON.match(text, start.start())):
        return None
    if text.endswith(("}", "]")) or "\n\n" not in text[start.start() :]:
        return found.group(0).strip()[:80]
    return None


def _fenced(text: str, known: Collection[str]) -> str | None:
    """A fence as the last thing that is a call by its name, or holds the JSON of a known tool."""
    fences = list(_FENCE_LINE.finditer(text))
    closed = len(fences) % 2 == 0
    if not fences or (closed and fences[-1].end() != len(text)):
        return None
    opening = fences[-2 if closed else -1]
    body = text[opening.end() : fences[-1].start() if closed else len(text)].strip()
    kind = opening[1].lower()
    if not body:
        return None
    if kind in _CALL_FENCES:
        return body[:80]
    if kind not in ("json", "") or not (call := _JSON.match(body)):
        return None
    before = text[: opening.start()].rstrip()
    known_tool = call["name"] in known or family(call["name"]) is not None
    if known_tool and (not before or before.endswith((":", "：", ".", "。"))):
        return body[:80]
    return None
