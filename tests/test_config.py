"""The configuration: what a person may write, and what is said where that is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from auditor.config import FILE, LARGEST, Config, default_path, parsed, read, span
from auditor.errors import ConfigError
from auditor.live.settings import DEFAULTS, Settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("AUDITOR_CONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


GOOD: list[tuple[str, str, dict[str, Any]]] = [
    ("nothing at all", "", {}),
    ("an empty section", "[watch]", {}),
    ("a whole number of seconds", "[watch]\nquiet = 60", {"quiet": 60.0}),
    ("never", "[watch]\nquiet = inf", {"quiet": float("inf")}),
    ("a ladder", "[watch]\nrate_limit = [60, 120.5]", {"rate_limit": (60.0, 120.5)}),
    ("Chinese nudges", '[watch]\nlanguage = "zh"', {"language": "zh"}),
    ("own words", '[watch.texts]\njudged = "On: {tail}"', {"texts": {"judged": "On: {tail}"}}),
    ("stop lines", '[watch]\nstop_patterns = ["^A: \\\\w+"]', {"stop_patterns": (r"^A: \w+",)}),
    ("a desktop notification", '[watch]\nnotify = "desktop"', {"notify": "desktop"}),
    ("a webhook", '[watch]\nnotify = "https://h.example/x?y"', {"notify": "https://h.example/x?y"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "set_"), [pytest.param(*row[1:], id=row[0]) for row in GOOD])
def test_what_is_written_is_set_and_the_rest_is_the_default(
    text: str, set_: dict[str, Any]
) -> None:
    assert parsed(text) == Config(watch=structs.replace(DEFAULTS, **set_))


WRONG = [
    ("no TOML", "[watch", "not TOML"),
    ("AR-T155 a key with a slip", "[watch]\nquite = 3", "did you mean quiet?"),
    ("AR-T155 a key like no other", "[watch]\nxyzzy = 3", "there are quiet, settle"),
    ("a section with a slip", "[wach]", "wach is not a setting; did you mean watch?"),
    ("a key outside its section", "quiet = 3", "quiet is not a setting; there are watch"),
    ("a value for a section", "watch = 3", "expected a section [watch]"),
    ("a text for a number", '[watch]\nquiet = "3m"', "watch.quiet: expected a number, got a text"),
    ("less than nothing", "[watch]\nquiet = -1", "watch.quiet: expected a number >= 0"),
    ("not a number", "[watch]\nquiet = nan", "watch.quiet: expected a number >= 0"),
    ("a number beyond all", f"[watch]\nquiet = {'9' * 400}", "watch.quiet: "),
    ("half a nudge", "[watch]\nmost = 1.5", "watch.most: expected a whole number, got a number"),
    ("no nudge", "[watch]\nmost = 0", "watch.most: expected a whole number >= 1"),
    ("a number for a switch", "[watch]\nhidden = 1", "watch.hidden: expected true or false"),
    ("a text for a list", '[watch]\nretryable = "x"', "watch.retryable: expected a list, got"),
    ("a wrong item", '[watch]\nrate_limit = [1, "x"]', "watch.rate_limit[1]: expected a number"),
    ("no ladder", "[watch]\nrate_limit = []", "watch.rate_limit: expected at least one"),
    ("a language nobody wrote", '[watch]\nlanguage = "fr"', "'fr' is not en or zh"),
    ("words for nothing", '[watch.texts]\njudge = "x"', "did you mean judged?"),
    ("no text for words", "[watch.texts]\njudged = 1", "watch.texts[...]: expected a text"),
    ("a number for an optional text", "[watch]\nnotify = 3", "watch.notify: expected a text, got"),
    ("a way to nowhere", '[watch]\nnotify = "mail"', "neither desktop nor an http(s) address"),
    ("a file as a way", '[watch]\nnotify = "file:///etc/passwd"', "neither desktop nor"),
    ("an address of nobody", '[watch]\nnotify = "http://"', "neither desktop nor"),
    ("half an address", '[watch]\nnotify = "http://[::1"', "neither desktop nor"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_a_wrong_file_says_where_and_what_was_expected(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parsed(text)
    assert said in str(error.value)


@pytest.mark.parametrize("broken", ["(", "[z-a]", "(?P<n>a)(?P<n>b)", "*", "a{99999999999999999}"])
def test_a_broken_pattern_costs_only_itself_and_is_named_once(broken: str) -> None:
    found = parsed(f"[watch]\nstop_patterns = ['^A$', '{broken}', '^B$']\nquiet = 5")
    assert found.watch == structs.replace(DEFAULTS, stop_patterns=("^A$", "^B$"), quiet=5.0)
    (trouble,) = found.troubles
    assert broken in trouble


def test_braces_that_are_not_filled_in_are_named_and_kept() -> None:
    text = '[watch]\nloop_text = "on {tial} {tial} {tool} {}"\n[watch.texts]\njudged = "{x} {tail}"'
    found = parsed(text)
    assert found.watch.texts == {"judged": "{x} {tail}"}
    assert [trouble.split(";")[0] for trouble in found.troubles] == [
        "watch.texts.judged: {x} stays as it is",
        "watch.loop_text: {tial} stays as it is",
    ]


def test_without_a_file_everything_is_the_default() -> None:
    assert read() == Config()
    assert default_path().name == FILE
    assert "turn-auditor" in default_path().parts


def test_the_file_in_its_place_is_read(home: Path) -> None:
    place = default_path()
    assert place.is_relative_to(home)
    place.parent.mkdir(parents=True)
    place.write_text("[watch]\nquiet = 7", encoding="utf-8")
    found = read()
    assert (found.watch.quiet, found.path) == (7.0, place)


def test_the_environment_names_another(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_CONFIG", "~/mine.toml")
    with pytest.raises(ConfigError, match="there is no configuration"):
        read()
    (home / "mine.toml").write_text("[watch]\nmost = 9", encoding="utf-8")
    assert read().watch.most == 9


def test_a_file_that_is_named_has_to_be_there(home: Path) -> None:
    with pytest.raises(ConfigError, match="there is no configuration"):
        read(home / "none.toml")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"[watch]\nquite = 1", "mine.toml: watch.quite"),
        (b"\xff\xfe", "not UTF-8"),
        (b"#" * (LARGEST + 1), "larger than"),
    ],
)
def test_what_is_wrong_with_a_file_names_it(home: Path, raw: bytes, said: str) -> None:
    path = home / "mine.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError) as error:
        read(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_folder_is_no_file(home: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read(home)


def _written(value: object) -> str:
    match value:
        case dict():
            return (
                "{" + ", ".join(f'"{key}" = {_written(each)}' for key, each in value.items()) + "}"
            )
        case list():
            return "[" + ", ".join(_written(each) for each in value) + "]"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value + "'"
    return repr(value)


_PLAIN = st.text("abc {}()[*", max_size=5)
_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), _PLAIN),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", min_size=1), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(st.sampled_from(sorted(Settings.__struct_fields__)), _VALUES)
def test_any_value_of_any_key_is_read_or_refused_in_words(key: str, value: object) -> None:
    text = f"[watch]\n{key} = {_written(value)}"
    tomllib.loads(text)  # the control: it is TOML
    try:
        found = parsed(text)
    except ConfigError as error:
        assert str(error).startswith(f"watch.{key}")
    else:
        assert isinstance(found.watch, Settings)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parsed(text)
    except ConfigError as error:
        assert str(error)


SPANS = [("90s", 90.0), ("30m", 1800.0), (" 2h ", 7200.0), ("1 d", 86_400.0), ("1w", 604_800.0)]


@pytest.mark.parametrize(("text", "seconds"), SPANS)
def test_a_length_of_time(text: str, seconds: float) -> None:
    assert span(text, "--for") == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "1", "0h", "-1h", "1.5h", "1y", "1h30m", "１h", "9999999d"]
)
def test_what_is_no_length_of_time(text: str) -> None:
    with pytest.raises(ConfigError, match=r"--for: .* is not a length of time like 30m"):
        span(text, "--for")
