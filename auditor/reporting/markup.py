"""Strangers' text on a page: what is invisible or turns the writing direction becomes readable.

Owns what may stand in a report as it is. Knows no template and no chart.
"""

from __future__ import annotations

import unicodedata
from html import escape

_JOINERS = "\u200c\u200d"
"""Persian, Indic scripts and emoji need them, and they act on nothing but their neighbours."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories whose characters draw nothing of their own: controls, bidi marks, tags, halves of
surrogate pairs, private use, line and paragraph separators (Unicode, table 4-4)."""


def shown(text: str) -> str:
    r"""Write hidden characters as `\u202e`, so that none acts on the reader; keep tab and newline.

    What is left can be encoded as UTF-8 and may stand in XML 1.0.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join([_shown(sign) for sign in text])


def _shown(sign: str) -> str:
    if sign in "\t\n" or sign in _JOINERS:
        return sign
    code = ord(sign)
    if unicodedata.category(sign) in _HIDDEN or _is_no_character(code):
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return sign


def _is_no_character(code: int) -> bool:
    """Whether Unicode promises never to give this code to a character; XML refuses some."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def escaped(text: str) -> str:
    """Make text safe as content and as a quoted attribute of HTML and XML."""
    return escape(shown(text), quote=True)
