"""Which languages a text may be in, and phrases by language.

Cheap and generous: a script is seen by its letters, a Latin language by a few of its commonest
words. Naming a language too many costs time, never a wrong signal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

# Small words that stand in nearly every sentence of the language and rarely in another's.
_ENGLISH = frozenset(
    "the and is you i it now this for let i'll to of with are be that can we".split()
)
_COMMON = {
    code: frozenset(words.split())
    for code, words in {
        "es": "el la los las una que del voy ahora quieres para con vamos un por en se lo si ya al",
        "pt": "o os uma que do vou agora quer para com você vamos não um em se dos da na por",
        "fr": "le les la je et des une vous pour dans "
        "vais maintenant un est pas que sur avec du au tu",
        "de": "der die das und ich ist sie jetzt den ein eine "
        "zu nun wir mit für auf du dem nicht noch wenn",
        "tr": "ve bir için şimdi bu ile önce ister da de sonra hemen olarak daha tüm var",
        "it": "il che per una ora gli adesso vuoi di con vado lo",
    }.items()
}
_SCRIPTS = {
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
}
_LETTERS = {
    "es": re.compile(r"[ñ¿¡]"),
    "pt": re.compile(r"[ãõ]"),
    "fr": re.compile(r"[èêœ]"),
    "de": re.compile(r"[ßäöü]"),
    "tr": re.compile(r"[ğşı]"),
}
"""Letters that give a Latin language away where none of its small words stands."""
_ANY_LETTER = re.compile("[" + "".join(p.pattern[1:-1] for p in _LETTERS.values()) + "]")
_SURE = 2  # English words that make a Latin text English alone (a guess)
_APART = '.,:;!?()*"`—'
_FOREIGN = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


_TELLING = set().union(_ENGLISH, *_COMMON.values())
"""The words by which a language is told or a phrase found, those of every `Phrases` included."""


class Spoken(NamedTuple):
    """A text in lower case, its telling words, the codes (ISO 639-1) of its possible languages."""

    text: str
    words: AbstractSet[str]
    languages: tuple[str, ...]


def spoken(text: str) -> Spoken:
    """A text with typographic apostrophes made plain, in lower case, and what it may be in."""
    text = text.lower().replace("’", "'")
    apart = text
    for mark in _APART:
        apart = apart.replace(mark, " ")
    words = _TELLING.intersection(apart.split())
    foreign = not text.isascii() and _FOREIGN.search(text)
    if not foreign and len(_ENGLISH & words) >= _SURE:
        return Spoken(text, words, ("en",))
    found = [code for code, common in _COMMON.items() if not common.isdisjoint(words)]
    if not text.isascii() and _ANY_LETTER.search(text):
        found += [
            code for code, letters in _LETTERS.items() if code not in found and letters.search(text)
        ]
    if foreign:
        found += [code for code, script in _SCRIPTS.items() if script.search(text)]
    return Spoken(text, words, ("en", *found))


class Phrases:
    """Phrases of one meaning.

    English ones are found by their first word, so that a text without it costs nothing; the other
    languages have one pattern each.

    `english`: patterns that begin with a literal word. `sentence`: a pattern that counts only where
    the text begins, with the words that it can begin with. `others`: language -> pattern.
    """

    def __init__(
        self,
        english: Iterable[str],
        others: Mapping[str, str],
        sentence: tuple[str, str] | None = None,
    ) -> None:
        by_first: dict[str, list[str]] = {}
        for pattern in english:
            first = re.match(r"[a-z']+(?![a-z'?*{])", pattern)
            if first is None:
                raise ValueError(f"{pattern!r} begins with no literal word")
            by_first.setdefault(first.group(), []).append(pattern[first.end() :])
        self._english = {
            # The literal comes first, so that the search is for it; then it must begin a word.
            first: re.compile(rf"{first}(?<!\w{first})(?:{'|'.join(rest)})")
            for first, rest in by_first.items()
        }
        self._firsts = frozenset(self._english)
        self._others = {code: re.compile(pattern, re.X) for code, pattern in others.items()}
        words, pattern = sentence or ("", "")
        self._starts = frozenset(words.split())
        _TELLING.update(self._firsts, self._starts)
        self._sentence = re.compile(pattern) if sentence else None

    def begins(self, text: str, of: Spoken) -> str | None:
        """The phrase that the sentence `text` begins with, where one counts only there."""
        if self._sentence is None or self._starts.isdisjoint(of.words):
            return None
        match = self._sentence.match(text)
        return match.group() if match else None

    def find(self, text: str, of: Spoken) -> str | None:
        """The first phrase found in `text`, a sentence or longer piece of `of`, or None."""
        for word in sorted(self._firsts & of.words):
            if match := self._english[word].search(text):
                return match.group()
        if self._sentence and (beginning := self.begins(text, of)) is not None:
            return beginning
        for code in of.languages[1:]:
            pattern = self._others.get(code)
            if pattern is not None and (match := pattern.search(text)):
                return match.group()
        return None
