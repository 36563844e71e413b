"""Prose out of a reply: code and quotes out, the tail, the last sentence; total on any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import text as texts

PROSE = [
    ("nothing", "", ""),
    ("white space at the end", "Done. \n\n", "Done."),
    ("a closed fence before the end", "a\n```\nb\n```\nc", "a\n\nc"),
    ("a fence with an info string", "a\n```python\nb\n```\nc", "a\n\nc"),
    ("a fence of tildes", "a\n~~~\nb\n~~~\nc", "a\n\nc"),
    ("an indented fence", "a\n  ```\n  b\n  ```\nc", "a\n\nc"),
    ("an unclosed fence takes the rest", "a\n```python\nb\nc", "a"),
    ("a fence quoted in a fence", "a\n```md\nb\n```py\nc\n```\nd\n```\ne", "a\n\ne"),
    ("inline code leaves a mark", "run `make all` now", f"run {texts.CODE} now"),
    ("inline code in double marks", "the ``a b`` operator", f"the {texts.CODE} operator"),
    ("a lone mark stays", "a ` b", "a ` b"),
    ("a quoted line", "> old words\nnew words", "new words"),
    ("a link keeps its words", "see [the page](http://a/b)", "see the page"),
    ("bold loses its stars", "**all** done", "all done"),
]


@pytest.mark.parametrize(("reply", "found"), [pytest.param(a, b, id=i) for i, a, b in PROSE])
def test_prose(reply: str, found: str) -> None:
    assert texts.prose(reply) == found


OPEN = [
    ("nothing", "", None),
    ("closed", "```\na\n```", None),
    ("open with a language", "a\n```python\nb", "python"),
    ("open without one", "a\n```\nb", ""),
    ("closed twice", "```\na\n```\n```\nb\n```", None),
    ("the second is open", "```\na\n```\n```sh\nb", "sh"),
    ("three marks inside a line are no fence", "use ``` in Markdown", None),
]


@pytest.mark.parametrize(("text", "info"), [pytest.param(a, b, id=i) for i, a, b in OPEN])
def test_open_fence(text: str, info: str | None) -> None:
    assert texts.open_fence(text) == info


def test_fences_are_spans_of_whole_blocks_and_nested_ones_are_inside() -> None:
    text = "a\n```md\n```py\nb\n```\n```\nc\n```sh\nd"
    spans, unclosed = texts.fences(text)
    assert [text[start:end] for start, end in spans] == ["```md\n```py\nb\n```\n```"]
    assert unclosed is not None
    assert text[unclosed:] == "```sh\nd"


LAST = [
    ("nothing", "", ""),
    ("one", "Done.", "Done."),
    ("the last of two", "It is in. Let me look.", "Let me look."),
    ("only the last line", "One. Two.\nThree", "Three"),
    ("blank lines at the end", "One.\n\n  \n", "One."),
    ("a version number ends nothing", "It needs 3.11 or later.", "It needs 3.11 or later."),
    ("a file name ends nothing", "See a.py for it.", "See a.py for it."),
    ("a question", "All in. Shall I go on?", "Shall I go on?"),
    ("a quotation mark after the stop", 'He said "no." It is in.', "It is in."),
    ("an ellipsis", "Hm… Let me look.", "Let me look."),
    ("Chinese, without spaces", "问题已找到。让我修复它。", "让我修复它。"),
    ("Japanese", "原因です。直します！", "直します！"),
    ("Hindi", "हो गया। अब देखते हैं।", "अब देखते हैं।"),
    ("Arabic", "ما المنفذ؟ سأبحث.", "سأبحث."),
]


@pytest.mark.parametrize(("text", "found"), [pytest.param(a, b, id=i) for i, a, b in LAST])
def test_last_sentence(text: str, found: str) -> None:
    assert texts.last_sentence(text) == found


def test_windows_bound_what_is_looked_at() -> None:
    assert len(texts.prose("word " * 10_000)) <= texts.TAIL
    assert len(texts.last_sentence("word " * 10_000)) <= texts.SENTENCE
    assert texts.prose("x" * 50_000 + " The end.").endswith("The end.")


def test_a_fence_far_before_the_end_costs_no_words() -> None:
    assert texts.prose("```\ncode\n```\n" + "word " * 400).endswith("word word")


PIECES = st.text() | st.lists(
    st.sampled_from(["```", "~~~", "`", "\n", "> ", "**", "[a](b)", ". ", "。", "?", "a", " ", '"'])
).map("".join)


@given(PIECES)
def test_every_function_is_total_and_bounded(text: str) -> None:
    assert len(texts.prose(text)) <= texts.TAIL
    assert texts.prose(text) == texts.prose(text).rstrip()
    assert len(texts.last_sentence(text)) <= texts.SENTENCE
    assert "\n" not in texts.last_line(text)
    assert all(texts.sentences(text))
    texts.without_code(text)
    texts.open_fence(text)


@given(PIECES)
def test_fences_are_ordered_and_apart(text: str) -> None:
    spans, unclosed = texts.fences(text)
    places = [place for span in spans for place in span]
    assert places == sorted(places)
    assert unclosed is None or 0 <= unclosed <= len(text)


@given(st.text(alphabet="abc .?\n"))
def test_text_without_code_keeps_every_word(text: str) -> None:
    assert texts.without_code(text) == text
