"""The report: where points land on a chart, what reaches the page, and what never does."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from auditor.evaluation import (
    Check,
    DetectorRow,
    Drift,
    Estimate,
    Evaluation,
    Judge,
    Mistake,
    Reliability,
    RiskCoverage,
    Row,
    Scores,
    Slice,
    Timings,
)
from auditor.reporting import charts, svg, tables
from auditor.reporting.markup import escaped, shown
from auditor.reporting.report import LONGEST, written

NONE = Estimate(None)
XML = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own output, and it has to be well-formed


def share(value: float, n: int = 100) -> Estimate:
    return Estimate(value, max(0.0, value - 0.1), min(1.0, value + 0.1), n)


def judge(name: str = "turn auditor", **changes: Any) -> Judge:
    """One that ranks; unless told otherwise it nudges 3 % wrongly and finds half."""
    made = Judge(
        name=name,
        recall=share(0.5),
        wrong=share(0.03, 200),
        right=share(0.9, 60),
        ranked=True,
        auc=share(0.95),
        average_precision=share(0.8),
        recall_at={"0.005": share(0.3), "0.01": share(0.4), "0.1": share(0.75)},
        curve=((0.0, 0.0), (0.03, 0.5), (1.0, 1.0)),
    )
    return structs.replace(made, **changes)


RULE = Judge(name="dangling rule", recall=share(0.4), wrong=share(0.3), right=share(0.2))
SILENT = Judge(name="always silent", recall=share(0.0), wrong=share(0.0), right=NONE)
CURVE = Reliability(
    predicted=(0.0, 0.5, 1.0),
    observed=(0.0, 0.25, 1.0),
    band_low=(0.0, 0.3, 0.9),
    band_high=(0.1, 0.6, 1.0),
    histogram=(40, 20, 0, 0, 0, 0, 0, 0, 0, 10),
)
SCORES = Scores(
    log_loss=share(0.2),
    log_loss_base=share(0.5),
    brier=share(0.1),
    brier_base=share(0.2),
    miscalibration=share(0.01),
    discrimination=share(0.05),
    uncertainty=share(0.2),
    ece=share(0.02),
    ece_floor=0.04,
    slope=Estimate(1.1, 0.8, 1.4, 100),
    intercept=Estimate(0.1, -0.2, 0.4, 100),
    spiegelhalter_z=1.2,
    reliability=CURVE,
)


def evaluation(**changes: Any) -> Evaluation:
    made = Evaluation(
        created="2026-12-01",
        data=("/home/somebody/turns/records.jsonl",),
        n=1372,
        yes=323,
        unsure=29,
        unread=1,
        groups=61,
        grouped_by="repository",
        effective_n=302.9,
        residue=736,
        model="tiny",
        calibration="no-model",
        fingerprint={"detectors": "abc"},
        cross_fitted=True,
        headline="Trust it on turns like these: it finds half.",
        judges=(judge(), SILENT, RULE),
        residue_judges=(judge(auc=share(0.87)),),
        scores=SCORES,
        residue_scores=SCORES,
        slices=(
            Slice(
                by="harness",
                name="cursor",
                n=90,
                yes=30,
                recall=share(0.4),
                wrong=share(0.01),
                auc=share(0.9),
            ),
            Slice(by="harness", name="aider", n=4, yes=1, recall=NONE, wrong=NONE, auc=NONE),
            Slice(by="model", name="m1", n=90, yes=0, recall=NONE, wrong=share(0.0), auc=NONE),
        ),
        detectors=(
            DetectorRow(
                detector="offer",
                points_to="awaiting_user",
                fired=9,
                right=share(0.9, 9),
                settled=0,
                settled_right=NONE,
            ),
        ),
        risk_coverage=RiskCoverage(coverage=(0.25, 0.5, 1.0), risk=(0.0, 0.05, 0.1), area=0.04),
        drift=Drift(psi=0.05, limit=0.11, n=150),
        timings=Timings(sieve=(0.053, 0.182), model=(120.0, 340.0), asked=50),
        checks=(
            Check("PASS", "labels", "1,372", "200"),
            Check("WARN", "wrong nudges", "1.9 %", "at most 2.0 %"),
            Check("FAIL", "right nudges", "40.0 %", "at least 80.0 %"),
            Check("REFUSED", "probabilities", "none", "some"),
        ),
        mistakes=(
            Mistake(
                turn="t1",
                session="s1",
                harness="cursor",
                right=False,
                probability=0.93,
                by=None,
                reason=None,
                request="Please fix it",
                reply="I will now",
            ),
            Mistake(
                turn="t2",
                session="s2",
                harness="cursor",
                right=True,
                probability=None,
                by="offer",
                reason="partial-list",
            ),
        ),
        notes=("Turns have sampling weights.",),
        rows=(
            Row(
                turn="t1",
                group="g",
                weight=1.0,
                right=False,
                residue=True,
                nudge=True,
                probability=0.93,
                score=1.0,
            ),
        ),
    )
    return structs.replace(made, **changes)


EMPTY = evaluation(
    judges=(),
    residue_judges=(),
    scores=None,
    residue_scores=None,
    slices=(),
    detectors=(),
    risk_coverage=None,
    drift=None,
    timings=Timings(sieve=None, model=None, asked=0),
    checks=(),
    mistakes=(),
    notes=(),
    rows=(),
    model=None,
    calibration=None,
    threshold=None,
)


class Page(HTMLParser):
    """What a browser would build: elements, attributes, text; all closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


KNOWN = Page(written(evaluation())).tags


# ---- charts: where things land ------------------------------------------------------------------


def test_half_the_recall_for_three_percent_wrong_lies_in_the_middle_of_the_paper() -> None:
    # √(0.03 / 0.12) is one half of 58 … 378, and 0.5 one half of 230 … 10
    drawn = charts.recall_against_wrong("r", "t", [judge()])
    assert 'transform="translate(218 120)"' in drawn


def test_a_curve_goes_along_before_it_goes_up_and_ends_at_the_edge() -> None:
    drawn = charts.recall_against_wrong("r", "t", [judge()])
    assert 'd="M58 230L218 230L218 120L378 120L378 120"' in drawn


def test_recall_at_a_mark_is_a_dot_with_its_interval() -> None:
    drawn = parsed(charts.recall_against_wrong("r", "t", [judge()]))
    dots = [
        (float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in drawn.iter(f"{XML}circle")
    ]
    assert len(dots) == 3
    assert dots[2] == (pytest.approx(58 + 320 * (0.1 / 0.12) ** 0.5, abs=0.01), 65.0)
    whisker = next(each for each in drawn.iter(f"{XML}line") if "whisker" in each.attrib["class"])
    assert (float(whisker.attrib["y1"]), float(whisker.attrib["y2"])) == (186.0, 142.0)


def test_all_five_marks_are_named_on_the_axis() -> None:
    drawn = parsed(charts.recall_against_wrong("r", "t", [judge()]))
    said = [each.text for each in drawn.iter(f"{XML}text")]
    assert {"0.5", "1", "2", "5", "10"} <= set(said)


def test_a_judge_off_the_paper_has_no_sign_but_a_word() -> None:
    drawn = charts.recall_against_wrong("r", "t", [judge(), RULE])
    assert "dangling rule (off the paper: 30.0 % wrong)" in drawn
    assert drawn.count("translate(") == 2  # ours on the paper and in the legend
    with_silent = charts.recall_against_wrong("r", "t", [judge(), SILENT])
    assert with_silent.count("translate(") == 4


def test_more_judges_than_styles_still_differ_by_their_signs() -> None:
    many = [judge(name=f"judge {number}") for number in range(6)]
    drawn = parsed(charts.recall_against_wrong("r", "t", many))
    signs = {
        (each.attrib["class"], each.attrib["d"])
        for each in drawn.iter(f"{XML}path")
        if "sign" in each.attrib["class"]
    }
    assert len(signs) == 6


def test_reliability_draws_the_curve_the_band_and_a_bar_for_each_bin() -> None:
    drawn = parsed(charts.reliability("r", "t", CURVE, 70))
    paths = {each.attrib["class"]: each.attrib["d"] for each in drawn.iter(f"{XML}path")}
    assert paths["line s0"] == "M58 230L218 175L378 10"
    assert paths["band"] == "M58 230L218 164L378 32L378 10L218 98L58 208Z"
    bars = [float(each.attrib["height"]) for each in drawn.iter(f"{XML}rect")]
    assert bars[:3] == [46.0, 23.0, 0.0]
    assert "40" in [each.text for each in drawn.iter(f"{XML}text")]


def test_a_bar_of_few_turns_stays_visible() -> None:
    few = structs.replace(CURVE, histogram=(1000, 1, 0, 0, 0, 0, 0, 0, 0, 0))
    bars = list(parsed(charts.reliability("r", "t", few, 1001)).iter(f"{XML}rect"))
    assert [float(bar.attrib["height"]) for bar in bars[:3]] == [46.0, 1.5, 0.0]


@pytest.mark.parametrize(
    ("observed", "said"),
    [
        ((0.0, 0.4, 1.0), "The whole curve lies inside the band."),
        ((0.0, 0.25, 1.0), "at probabilities 0.500 (right less often than said): 1 of 3 points"),
        ((0.2, 0.7, 1.0), "0.000 to 0.500 (right more often than said): 2 of 3 points"),
        ((0.2, 0.2, 1.0), "0.000 (right more often than said); 0.500 (right less often"),
    ],
    ids=["inside", "below", "above, a stretch", "first above, then below"],
)
def test_it_says_where_the_curve_leaves_the_band(observed: tuple[float, ...], said: str) -> None:
    assert said in charts.band(structs.replace(CURVE, observed=observed))


def test_risk_is_drawn_up_to_a_round_share_over_it() -> None:
    drawn = parsed(charts.risk_coverage("r", "t", RiskCoverage((0.5, 1.0), (0.01, 0.02), 0.01), 9))
    line = next(each for each in drawn.iter(f"{XML}path"))
    assert line.attrib["d"] == "M218 120L378 10"
    assert "2 %" in [each.text for each in drawn.iter(f"{XML}text")]


@pytest.mark.parametrize(
    "drawn",
    [
        charts.recall_against_wrong("r", "t", []),
        charts.recall_against_wrong("r", "t", [judge(recall=NONE, curve=())]),
        charts.reliability("r", "t", None, 0),
        charts.reliability("r", "t", Reliability((), (), (), (), ()), 0),
        charts.risk_coverage("r", "t", None, 0),
        charts.risk_coverage("r", "t", RiskCoverage((), (), None), 0),
    ],
    ids=["no judge", "a judge of nothing", "no scores", "no curve", "no risk", "empty risk"],
)
def test_where_nothing_can_be_drawn_a_sentence_stands(drawn: str) -> None:
    assert re.fullmatch(r'<p class="missing">[A-Z][^<>]+\.</p>', drawn)
    with pytest.raises(ValueError, match="no chart"):
        charts.standalone(drawn)


@pytest.mark.parametrize(
    "drawn",
    [
        charts.recall_against_wrong("r", "Title", [judge(), SILENT, RULE]),
        charts.reliability("r", "Title", CURVE, 70),
        charts.risk_coverage("r", "Title", RiskCoverage((0.5, 1.0), (0.0, 0.0), None), 70),
    ],
    ids=["recall", "reliability", "risk"],
)
def test_a_chart_says_in_words_what_it_shows(drawn: str) -> None:
    root = parsed(drawn)
    title, told = root[0], root[1]
    assert (title.tag, told.tag) == (f"{XML}title", f"{XML}desc")
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], told.attrib["id"]]
    assert title.text == "Title"
    assert told.text
    assert "%" in told.text or "70 turns" in told.text


def test_a_chart_alone_brings_its_styles_along() -> None:
    alone = parsed(charts.standalone(charts.reliability("r", "t", CURVE, 70)))
    assert alone[0].tag == f"{XML}style"
    assert "prefers-color-scheme: dark" in (alone[0].text or "")


def test_a_value_beyond_an_axis_stays_on_the_paper() -> None:
    axis = svg.Axis(0, 1, 10, 20)
    assert [axis.at(value) for value in (-5, 0, 0.5, 1, 7)] == [10, 10, 15, 20, 20]


# ---- the page -----------------------------------------------------------------------------------


def test_a_page_has_every_part_and_says_what_it_is_about() -> None:
    page = Page(written(evaluation()))
    for said in (
        "Trust it on turns like these: it finds half.",
        "1 FAIL 1 REFUSED 1 WARN 1 PASS",
        "at least 80.0 %",
        "dangling rule",
        "Turns have sampling weights.",
        "Too few turns for a number: aider (4).",
        "The probabilities of 150 residue turns lie 0.050 (PSI) from those of the fit, within",
        "Sieve: 0.053 ms a turn at the median, 0.182 ms at the 95 % quantile.",
        "Decision model: 120 ms a turn at the median, 340 ms at the 95 % quantile (50 turns",
        "Wrong nudge",
        "Missed stop",
        "Please fix it",
        "1,372: 323 deserve a nudge, 1,049 silence",
        "29 unsure, 1 not read, 0 duplicates",
        "fingerprint: detectors abc",
    ):
        assert said in page.text


def test_paths_of_data_keep_only_the_name_of_the_file() -> None:
    page = written(evaluation())
    assert "records.jsonl" in page
    assert "somebody" not in page


def test_a_page_needs_nothing_and_runs_nothing() -> None:
    text = written(evaluation())
    page = Page(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form", "base", "a:href"}
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "srcset", "style", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert all((value or "").startswith("#") for name, value in page.attributes if name == "href")
    assert "url(" not in text
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_this_very_style_sheet_and_nothing_else() -> None:
    text = written(evaluation())
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [
        value
        for name, value in Page(text).attributes
        if name == "content" and "'none'" in (value or "")
    ]
    assert policy is not None
    assert policy.split("; ")[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert "unsafe" not in policy
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_every_chart_of_a_page_is_well_formed_and_named_once() -> None:
    drawn = re.findall(r"<svg .*?</svg>", written(evaluation()), re.S)
    assert len(drawn) == 5
    for chart in drawn:
        parsed(chart)
    ids = [value for name, value in Page(written(evaluation())).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_links_lead_to_parts_of_the_page() -> None:
    attributes = Page(written(evaluation())).attributes
    ids = {value for name, value in attributes if name == "id"}
    links = [(value or "")[1:] for name, value in attributes if name == "href"]
    assert len(links) == 10
    assert set(links) <= ids


def test_every_cell_of_a_table_knows_its_head() -> None:
    page = Page(written(evaluation()))
    cells = [value for name, value in page.attributes if name == "data-head"]
    assert cells
    assert all(cells)
    assert {value for name, value in page.attributes if name == "scope"} == {"col", "row"}


def test_nothing_measured_is_said_so_and_no_number_is_invented() -> None:
    page = Page(written(EMPTY))
    for said in (
        "Reliability is not drawn",
        "Recall against wrong nudges is not drawn",
        "Risk is not drawn",
        "There is no calibrated probability for every turn",
        "No property was asked for.",
        "Not measured",
        "Nothing was timed.",
        "There is none: every labelled turn was decided as its label says.",
        "none asked",
        "nudged from probability —",
    ):
        assert said in page.text
    assert "recall — n 0" in page.text
    assert not re.search(r"\bNone\b|\bnan\b", page.text)
    assert "0.0 %" not in page.text


def test_without_texts_the_page_says_that_they_are_left_out() -> None:
    bare = tuple(
        [structs.replace(each, request=None, reply=None) for each in evaluation().mistakes]
    )
    assert "Texts of turns are left out" in Page(written(evaluation(mistakes=bare))).text
    assert "Texts are redacted and cut." in Page(written(evaluation())).text


def test_a_text_without_end_is_cut() -> None:
    long = structs.replace(evaluation().mistakes[0], reply="x" * 50_000)
    page = written(evaluation(mistakes=(long,)))
    assert "x" * (LONGEST - 1) + "…" in page
    assert "x" * LONGEST not in page


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "text", "small"),
    [
        (Estimate(0.714, 0.63, 0.782, 1200), "71.4 %", "[63.0,\u00a078.2] · n\u00a01,200"),
        (Estimate(0.714, None, None, 12), "71.4 %", "no interval · n\u00a012"),
        (Estimate(None, n=7), "—", "n\u00a07"),
        (None, "—", ""),
    ],
    ids=["a share", "no interval", "undefined", "not asked"],
)
def test_a_number_never_stands_alone(found: Estimate | None, text: str, small: str) -> None:
    cell = tables.shared(found)
    assert (cell.text, cell.small) == (text, small)


def test_a_slice_of_too_few_turns_is_named_but_has_no_row() -> None:
    first, second = tables.slices(evaluation())
    assert [row[0].text for row in first.rows] == ["cursor"]
    assert first.note == "Too few turns for a number: aider (4)."
    assert [row[0].text for row in second.rows] == ["m1"]
    assert second.note == ""


# ---- hostile text -------------------------------------------------------------------------------

HOSTILE = (
    "</style></title></svg><script>alert(1)</script><img src=x onerror=alert(1)>"
    "\"' onload='x' {{ 7 * 7 }} {% raw %} <!-- ]]> &amp; "
    "\x00\x1b[31m\u202eabc\u2066\ufeff\x85\ufffe\ud800"
)


def each_text(found: Any, change: Callable[[str], str]) -> Any:
    """Change every text in an evaluation; what only this package writes keeps its keys."""
    match found:
        case str():
            return change(found)
        case dict():
            return {key: each_text(value, change) for key, value in found.items()}
        case list() | tuple():
            return [each_text(value, change) for value in found]
        case _:
            return found


def hostile(text: str) -> Evaluation:
    plain = each_text(msgspec.to_builtins(evaluation()), lambda held: held + text)
    plain["fingerprint"] = {text: text}
    return msgspec.convert(plain, Evaluation)


def assert_harmless(text: str) -> None:
    text.encode("utf-8")
    page = Page(text)
    assert page.tags == KNOWN
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    acting = {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Co"}}
    assert acting <= {"\n", "\t", "\u200c", "\u200d"}
    for chart in re.findall(r"<svg .*?</svg>", text, re.S):
        parsed(chart)


def test_no_text_of_an_evaluation_becomes_mark_up() -> None:
    text = written(hostile(HOSTILE))
    assert_harmless(text)
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "\\u202eabc\\u2066" in text
    assert "{{ 7 * 7 }}" in text


@given(st.text(st.characters(), max_size=30))
@settings(max_examples=25, deadline=None)
def test_no_text_at_all_becomes_mark_up(text: str) -> None:
    assert_harmless(written(hostile(text)))


@given(st.text(st.characters()))
def test_what_is_shown_is_fit_for_xml_and_stays_so(text: str) -> None:
    once = shown(text)
    assert shown(once) == once
    root = parsed(f'<a b="{escaped(text)}">{escaped(text)}</a>')
    assert (root.text or "") == once


@pytest.mark.parametrize(
    "text",
    ["नमस्ते", "می‌خواهم", "👩‍💻", "שלום", "日本語\n\tTab", "naïve – “quoted”"],
    ids=["Hindi", "Persian with its joiner", "emoji", "Hebrew", "Japanese", "typography"],
)
def test_writing_of_people_stays_as_it_is(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("a\x1b[0m", "a\\u001b[0m"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\U000e0041"),
        ("\uffff", "\\uffff"),
        ("a\u2028b\x85", "a\\u2028b\\u0085"),
        ("\r\n", "\\u000d\n"),
    ],
    ids=["bidi", "escape", "half a pair", "tag", "no character", "separators", "carriage return"],
)
def test_what_is_hidden_is_shown(text: str, said: str) -> None:
    assert shown(text) == said


# ---- colours ------------------------------------------------------------------------------------


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


LIGHT, DARK = (colours(block) for block in charts.styles().split("@media", 1))


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_writing_and_lines_can_be_told_from_the_page(scheme: dict[str, str]) -> None:
    assert {"page", "sheet", "line"} < set(scheme)
    for name in set(scheme) - {"page", "sheet", "line"}:
        assert contrast(scheme[name], scheme["page"]) >= 4.5, name  # WCAG 2.2 AA
        assert contrast(scheme[name], scheme["sheet"]) >= 4.5, name


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_both_schemes_colour_the_same_things() -> None:
    assert set(LIGHT) == set(DARK)
