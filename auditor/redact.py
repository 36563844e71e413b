"""Secrets and personal data out of a text, before anything is stored or shown elsewhere.

Owns the shapes and the placeholders `<KEY> <EMAIL> <USER> <IP> <PHONE>`. Knows no turns. It takes
out what has a known shape; a bare name stays.

Fast and linear: every pattern begins with a literal or a small set (which `re` skips to) and looks
back from there, its repeats are bounded or possessive, and it runs only where a needle is in the
text. Patterns on names run on the lower-case text and cut the same places out of the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address

KEY, EMAIL, USER, IP, PHONE = "<KEY>", "<EMAIL>", "<USER>", "<IP>", "<PHONE>"

PLACEHOLDERS = (KEY, EMAIL, USER, IP, PHONE)

VERSION = 1
"""Changes with what is taken out, so that a row says by which rules it was redacted."""

LONG_WORD = 20
"""Characters without white space that every provider key below has at least."""

LOCAL_PART = 64
"""Characters before the @ of an address (RFC 5321, 4.5.3.1.1)."""

MAX_PASSES = 8
"""One placeholder can make room for another match; a text that needs more passes than this was
made to (a guess), and is taken out whole."""

_W = "[A-Za-z0-9_-]"
_KEY_SHAPES = {
    # What a provider's key begins with -> what follows. Shapes as the providers document them and
    # as the public secret scanners look for them.
    "sk-": rf"{_W}{{20,}}+",
    "ghp_ gho_ ghr_ ghs_ ghu_": "[A-Za-z0-9]{30,}+",
    "github_pat_ whsec_ gsk_ lin_api_ ntn_ shpat_ shpss_": r"\w{20,}+",
    "hf_ npm_ r8_": "[A-Za-z0-9]{20,}+",
    "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_": r"\w{16,}+",
    "dop_v1_ lsv2_": r"\w{32,}+",
    "glsa_ sbp_ sb_secret_ figd_ ya29. hvs. glpat- xapp-": rf"{_W}{{20,}}+",
    "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-": rf"{_W}{{16,}}+",
    "xai- pplx- nvapi- tvly- fc- PMAK- NRAK- tskey- GOCSPX- pypi-": rf"{_W}{{20,}}+",
    "AIza": rf"{_W}{{35}}+",
    "AKIA ASIA": "[0-9A-Z]{16}+",
    "SG.": rf"{_W}{{16,}}+\.{_W}{{16,}}+",
    "dapi": "[0-9a-f]{32}+",
    "ATATT3": r"[\w=-]{50,}+",
    "eyJ": rf"{_W}{{8,}}+\.eyJ{_W}{{8,}}+(?:\.[\w-]*+)?",  # JSON web tokens
    "hooks.slack.com/services/": "[A-Za-z0-9/_-]{20,}+",
}
_KEYS = tuple(
    (start, re.compile(f"{re.escape(start)}(?<![A-Za-z0-9]{re.escape(start)}){rest}", re.ASCII))
    for starts, rest in _KEY_SHAPES.items()
    for start in starts.split()
)
_PRIVATE = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*)",
    re.DOTALL,
)

# name = value, name: value, "name": "value"; the group is what goes. A value without quotes needs
# a digit (prose has none), or `=` tight on both sides and no call, variable or attribute after it.
_VALUE = r"[^\s\"'`,;<>(){}\[\]\\&]"
_TO_VALUE = r"(?:\\?[\"'])?[ \t]{0,4}(?::=?|=>?)[ \t]{0,4}"
_SET = (
    rf"{_TO_VALUE}(?:\\?[\"'](?![$<{{])([^\s\"'\\<>]{{4,512}}+)(?=\\?[\"'])"
    rf"|(?=[^\s\"'0-9<>()]{{0,64}}[0-9])(?!\$)({_VALUE}{{6,512}}+)(?![(\[])"
    rf"|(?<=[^\s]=)(?![$%]|[a-z_]{{1,16}}\.|(?:true|false|none|null)\b)({_VALUE}{{6,512}}+)(?![(\[]))"
)
_KEY_KINDS = ("api", "access", "private", "signing", "encryption", "account", "auth", "secret")
_NAMED = {
    "passw": rf"(?:or)?d{_SET}",
    "passphrase": _SET,
    "pwd": _SET,
    "secret": rf"(?:[_-]?access)?(?:[_-]?key)?{_SET}",
    "token": _SET,
    "credential": f"s?{_SET}",
    "apikey": _SET,
    "accountkey": _SET,
    **{
        f"{mark}key": f"(?:{'|'.join(f'(?<={kind}{mark}key)' for kind in _KEY_KINDS)}){_SET}"
        for mark in "_-"
    },
    "authorization": rf"{_TO_VALUE}\\?[\"']?(?:(?:bearer|basic|token|digest)[ \t]{{1,4}})?"
    r"(?!(?:bearer|basic|token|digest)\b)([^\s\"'<>$\\{]{8,}+)",
    "bearer ": r"(?=[^\s0-9]{0,64}[0-9])([a-z0-9._~+/=-]{16,}+)",
    "cookie": r":[ \t]{0,4}([^\s=;:<>]{1,64}=[^\r\n\"'<>]{1,4096}+)",
}
_ASSIGNED = tuple((name, re.compile(name + rest, re.ASCII)) for name, rest in _NAMED.items())

_IN_URL = re.compile(r"://([^\s/@:<>\"']{0,128}:[^\s/@<>\"']{1,256})@")
_AT_DOMAIN = re.compile(r"@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])")
_LOCAL_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_HOMES = (
    ("/home/", re.compile(r"/home/(?<![\w.]/home/)([^/\\\s\"'`<>:;,|*?(){}\[\]$&]{1,64})")),
    (
        "/Users/",
        re.compile(
            r"/Users/(?:(?<![\w.]/Users/)|(?<=/[A-Za-z]/Users/)|(?<=[A-Za-z]:/Users/))(?!Shared\b)"
            r"([^/\\\s\"'`<>:;,|*?(){}\[\]$&]{1,64})"
        ),
    ),
    (
        ":\\",
        re.compile(
            r":\\\\?Users\\\\?(?!Public\b)"
            r"([^\\/:*?\"'<>|\r\n]{1,64}(?=[\\/])|[^\\/:*?\"'<>|\s]{1,64})"
        ),
    ),
)
_IPV4 = re.compile(
    # Not a version: no letter, dot, comparison or word "version" before, no `.0.0.0` after.
    r"[1-9](?<![\w.-].)(?=[0-9]{0,2}\.[0-9])(?<![A-Za-z]/.)(?<![=><~^]=.)(?<!ersion .)"
    r"(?<!ersion: .)(?<!elease .)[0-9]{0,2}\.(?<!127\.)(?!0\.0\.0\b)"
    r"(?:[0-9]{1,3}\.){2}[0-9]{1,3}(?![\w-]|\.[0-9])"
)
_IPV6 = re.compile(
    r"[23fF](?<![\w:.].)[0-9a-fA-F]{3}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])",
)
_PHONES = (
    # Conservative: an international number inside a line (a line that begins with + is a diff).
    (
        "+",
        re.compile(
            r"\+(?<=[^\w\n+.].)[1-9]"
            r"(?:[0-9]{9,14}|[0-9]{0,2}(?:[ .-]\(?[0-9]{2,8}\)?){2,5})(?!\w|[.-][0-9])"
        ),
    ),
    ("(", re.compile(r"\((?<![\w.(-].)[2-9][0-9]{2}\) ?[0-9]{3}-[0-9]{4}(?![\w-])")),
)


def redact(text: str) -> str:
    """Put placeholders where secrets and personal data stand; idempotent, in linear time."""
    once = _once(text)
    passes = 1
    while once != text:
        if passes == MAX_PASSES:
            return KEY
        text, once, passes = once, _once(once), passes + 1
    return text


def _once(text: str) -> str:
    if "-----BEGIN " in text:
        text = _PRIVATE.sub(KEY, text)
    text = _provider_keys(text)
    if "=" in text or ":" in text or "earer " in text:
        text = _assignments(text)
    if "@" in text:
        if "://" in text:
            text = _cut(text, _IN_URL.finditer(text), KEY)
        text = _addresses(text)
    for needle, pattern in _HOMES:
        if needle in text:
            text = _cut(text, pattern.finditer(text), USER)
    return _numbers(text)


def _cut(text: str, found: Iterable[re.Match[str]], placeholder: str) -> str:
    """Replace the matched group of each match."""
    pieces, end = [], 0
    for match in found:
        start, stop = match.span(match.lastindex or 0)
        pieces += [text[end:start], placeholder]
        end = stop
    return "".join(pieces) + text[end:] if pieces else text


def _provider_keys(text: str) -> str:
    long = " ".join([word for word in text.split() if len(word) >= LONG_WORD])
    if not long:
        return text
    for needle, pattern in _KEYS:
        if needle in long:
            text = pattern.sub(KEY, text)
    return text


def _assignments(text: str) -> str:
    lower = _lower(text)
    for needle, pattern in _ASSIGNED:
        if needle in lower:
            shorter = _cut(text, pattern.finditer(lower), KEY)
            if shorter is not text:
                text = shorter
                lower = _lower(text)
    return text


def _lower(text: str) -> str:
    """Lower case with every character in its place (one capital grows when lowered: İ)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.replace("İ", "i").lower()


def _addresses(text: str) -> str:
    pieces, end = [], 0
    for domain in _AT_DOMAIN.finditer(text):
        start = domain.start()
        least = max(end, start - LOCAL_PART)
        while start > least and text[start - 1] in _LOCAL_CHARACTERS:
            start -= 1
        if start < domain.start():
            pieces += [text[end:start], EMAIL]
            end = domain.end()
    return "".join(pieces) + text[end:] if pieces else text


def _numbers(text: str) -> str:
    if text.count(".") > 2:
        text = _IPV4.sub(_if_address, text)
    if "::" in text or text.count(":") > 6:
        text = _IPV6.sub(_if_address, text)
    for needle, pattern in _PHONES:
        if needle in text:
            text = pattern.sub(_if_phone, text)
    return text


def _if_address(found: re.Match[str]) -> str:
    try:
        ip_address(found[0])
    except ValueError:
        return found[0]
    return IP


def _if_phone(found: re.Match[str]) -> str:
    digits = sum(char.isdigit() for char in found[0])
    return PHONE if 9 <= digits <= 15 else found[0]
