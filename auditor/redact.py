"""Secrets and personal data out of a text, before anything is stored or shown elsewhere.

Owns the placeholders `<KEY> <EMAIL> <USER> <IP> <PHONE>`, the shapes of personal data, and the
order of it all; how secrets look is `secret_shapes`'. Knows no turns. It takes out what has a known
shape; a bare name stays, and so does a random string that nothing names (a commit hash is one).

Fast and linear: every pattern begins with a literal or a small set (which `re` skips to) and looks
back from there, its repeats are bounded or possessive, and it runs only where a needle is in the
text. Patterns on names run on the lower-case text and cut the same places out of the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address

from auditor.secret_shapes import IN_URL, KEYS, LONG_WORD, NAMED, PRIVATE

KEY, EMAIL, USER, IP, PHONE = "<KEY>", "<EMAIL>", "<USER>", "<IP>", "<PHONE>"

PLACEHOLDERS = (KEY, EMAIL, USER, IP, PHONE)

VERSION = 3
"""Changes with what is taken out, so that a row says by which rules it was redacted."""

LOCAL_PART = 64
"""Characters before the @ of an address (RFC 5321, 4.5.3.1.1)."""

MAX_PASSES = 8
"""One placeholder can make room for another match; a text that needs more passes than this was
made to (a guess), and is taken out whole."""

_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,32}[mK]")
"""What programs print for colours: select graphic rendition and erase in line (ECMA-48, 8.3)."""

_AT_DOMAIN = re.compile(
    # No picture for another density (icon@2x.png), no unit of systemd (getty@tty1.service).
    r"@(?![1-4]x\.|[\w-]{1,62}\.(?:service|socket|timer)\b)"
    r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
)
_AT_HOST = re.compile(
    # A shell's prompt, or what scp and rsync take: joe@laptop:~$, joe@laptop:/srv, joe@laptop ~ %
    # and joe@<IP>; no entry of a lock file (dep@npm:~1.0, dep@file:/x).
    r"@(?:(?!(?:npm|file|link|portal|patch|workspace|https?|github|git)\b)"
    r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?=:~[/ \t$#%>\])]|:/(?!/)"
    r"|[ \t][~/][^\s\]$#%]{0,64}[ \t\]]{0,2}[$#%]|[ \t][^\s\]]{1,64}\][$#])"
    r"|<IP>)"
)
_SHELLS = tuple(
    (
        start,
        re.compile(
            start + r"(?:[^\s@<>]{1,64}+[ \t]){0,6}(?!(?:root|git|ubuntu|ec2-user|admin)@)"
            r"([A-Za-z0-9._+-]{1,64}+@[A-Za-z0-9][\w.-]{0,62})",
            re.ASCII,
        ),
    )
    for start in ("ssh ", "scp ", "sftp ", "rsync ")
)
_NOBODY = frozenset(
    ("git", "noreply", "no-reply", "root", "user", "ubuntu", "ec2-user", "admin", "node", "runner")
)
"""Names before an @ that every machine has."""

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
            r"([^\\/:*?\"'<>|{}%$\r\n]{1,64}(?=[\\/])|[^\\/:*?\"'<>|{}%$\s]{1,64})"
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
_EVERYBODYS = frozenset(("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1"))
"""Addresses of public name servers."""

_PHONES = (
    # Conservative: an international number inside a line (a line that begins with + is a diff).
    (
        "+",
        re.compile(
            r"\+(?<=[^\w\n+.].)[1-9]"
            r"(?:[0-9]{9,14}|[0-9]{0,2}[ .-][0-9]{9,12}|[0-9]{0,2}(?:[ .-]\(?[0-9]{2,8}\)?){2,5})"
            r"(?!\w|[.-][0-9])"
        ),
    ),
    ("(", re.compile(r"\((?<![\w.(-].)[2-9][0-9]{2}\) ?[0-9]{3}-[0-9]{4}(?![\w-])")),
)


def redact(text: str) -> str:
    """Put placeholders where secrets and personal data stand; idempotent, in linear time.

    Colours of a terminal go: the letter that ends one would stand before a secret like a word's.
    """
    once = _once(text)
    passes = 1
    while once != text:
        if passes == MAX_PASSES:
            return KEY
        text, once, passes = once, _once(once), passes + 1
    return text


def placeholders(text: str) -> dict[str, int]:
    """Count the placeholders that stand in a text; those that do not are left out."""
    return {mark: count for mark in PLACEHOLDERS if (count := text.count(mark))}


def redacted_with_counts(text: str) -> tuple[str, dict[str, int]]:
    """Redact, and count what was put in: what stood there before does not count."""
    clean = redact(text)
    before = placeholders(text)
    put = {mark: count - before.get(mark, 0) for mark, count in placeholders(clean).items()}
    return clean, {mark: count for mark, count in put.items() if count > 0}


def _once(text: str) -> str:
    if "\x1b[" in text:
        text = _COLOUR.sub("", text)
    if "-----BEGIN " in text:
        text = PRIVATE.sub(KEY, text)
    text = _provider_keys(text)
    text = _assignments(text)
    if "@" in text:
        if "://" in text:
            text = _cut(text, IN_URL.finditer(text), KEY)
        text = _before_at(text, _AT_DOMAIN, EMAIL)
        text = _before_at(text, _AT_HOST, USER)
        for needle, pattern in _SHELLS:
            if needle in text:
                text = _cut(text, pattern.finditer(text), USER)
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
    for needle, pattern in KEYS:
        if needle in long:
            text = pattern.sub(KEY, text)
    return text


def _assignments(text: str) -> str:
    lower = _lower(text)
    for needle, pattern in NAMED:
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


def _before_at(text: str, places: re.Pattern[str], placeholder: str) -> str:
    """Replace each place that begins with @, and the name before it, unless it is nobody's."""
    pieces, end = [], 0
    for place in places.finditer(text):
        start = place.start()
        least = max(end, start - LOCAL_PART)
        while start > least and text[start - 1] in _LOCAL_CHARACTERS:
            start -= 1
        if text[start - 1 : start] == "\\" and text[start] in "nrt":
            start += 1  # an escaped line break: \n@decorator
        if start < place.start() and text[start : place.start()] not in _NOBODY:
            pieces += [text[end:start], placeholder]
            end = place.end()
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
    if found[0] in _EVERYBODYS:
        return found[0]
    try:
        ip_address(found[0])
    except ValueError:
        return found[0]
    return IP


def _if_phone(found: re.Match[str]) -> str:
    digits = sum(char.isdigit() for char in found[0])
    return PHONE if 9 <= digits <= 15 else found[0]
