"""The page of a study, on its real elements in a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from browser import ask, needs_chromium
from fabricated import fabricate, study_of
from tiewise.report import names
from tiewise.report.study_page.page import study_page, write_page
from tiewise.store.artifacts import read_artifact
from tiewise.study.config import Study
from tiewise.study.layout import Layout

MODELS = ("all-minilm-l6-v2", "bge-reranker-v2-m3")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Layout]:
    study = study_of(["icd10cm", "cwe"], MODELS, ["fp32", "bf16", "bf16-hps"])
    layout = fabricate(study, tmp_path_factory.mktemp("page"))
    files = [f"{layout.figure(n)}{s}" for n in names.figures(study) for s in names.FIGURE_SUFFIXES]
    files += [f"{layout.table(n)}{s}" for n in names.TABLES for s in names.TABLE_SUFFIXES]
    for path in map(Path, files):  # the page embeds and links them, whatever is in them
        path.parent.mkdir(exist_ok=True)
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    write_page(study, layout)
    return study, layout


@pytest.fixture(scope="module")
def page(made: tuple[Study, Layout]) -> Path:
    return made[1].page()


class Loads(HTMLParser):
    """What a page would load, and where it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster") or (tag == "link" and name == "href"):
                self.loaded.append(value or "")
            elif tag == "a" and name == "href":
                self.linked.append(value or "")


def test_the_page_loads_nothing_from_elsewhere(page: Path) -> None:
    text = page.read_text()
    found = Loads(text)
    assert found.loaded  # figures
    assert all(source.startswith("data:") for source in found.loaded)
    assert "@import" not in text
    assert not re.search(r"url\(\s*['\"]?(?!#|data:)", text)


def test_every_link_leads_to_a_file_or_a_place_on_the_page(page: Path) -> None:
    text = page.read_text()
    places = set(re.findall(r'\bid="([^"]+)"', text))
    for target in Loads(text).linked:
        if target.startswith("#"):
            assert target[1:] in places, target
        else:
            assert (page.parent / target).is_file(), target


@pytest.mark.parametrize(
    "shape",
    [
        {"regimes": ["fp32"]},
        {"regimes": ["bf16"]},
        {"datasets": ["miracl-paper", "arguana-paper"], "models": ["qwen3-reranker-0.6b"]},
    ],
    ids=["one regime", "one low regime", "two kinds of candidates"],
)
def test_any_study_renders(shape: dict[str, list[str]], tmp_path: Path) -> None:
    study = study_of(**shape)
    text = study_page(study, fabricate(study, tmp_path))
    for regime in study.regimes:
        assert regime in text


def test_a_study_without_moved_queries_says_so(tmp_path: Path) -> None:
    study = study_of(regimes=["fp32"])
    assert "No query's value depends on the order of ties." in study_page(
        study, fabricate(study, tmp_path)
    )


def test_markup_in_texts_is_text(page: Path) -> None:
    text = page.read_text()
    assert text.count("<script") == 1  # the page's own
    assert "&lt;script&gt;alert(" in text
    assert "what is &lt;b&gt;tied&lt;/b&gt;?" in text


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_never_wider_than_the_screen(page: Path, width: int) -> None:
    script = """[innerWidth, document.documentElement.scrollWidth,
      (document.querySelectorAll('details').forEach(d => d.open = true),
       document.documentElement.scrollWidth)]"""
    inner, closed, opened = ask(page, script, width=width)
    assert closed <= inner
    assert opened <= inner


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280])
def test_the_name_of_every_band_is_shown_whole(page: Path, width: int) -> None:
    script = """(document.querySelectorAll('details').forEach(d => d.open = true),
      [...document.querySelectorAll('.plot .label')].map(l => [l.clientWidth, l.clientHeight,
        l.scrollWidth, l.scrollHeight, getComputedStyle(l).textOverflow]))"""
    labels = ask(page, script, width=width)
    assert len(labels) == 2 * 2 * 2 * 3  # data sets x measures x models x regimes
    for shown_width, shown_height, width_needed, height_needed, overflow in labels:
        assert width_needed <= shown_width
        assert height_needed <= shown_height
        assert overflow == "clip"


@needs_chromium
def test_dark_and_light_are_readable(page: Path) -> None:
    script = """['h1', '.quiet', '.best', '.holds, .fails', 'a'].map(s => [s,
      getComputedStyle(document.querySelector(s)).color,
      getComputedStyle(document.body).backgroundColor])"""
    pages = {}
    for dark in (False, True):
        for name, ink, paper in ask(page, script, dark=dark):
            assert contrast(ink, paper) >= 4.5, (name, ink, paper)
            pages[dark] = paper
    assert luminance(pages[True]) < 0.1 < 0.9 < luminance(pages[False])


def luminance(colour: str) -> float:
    """Relative luminance of a CSS colour (WCAG)."""
    channels = [int(n) / 255 for n in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@needs_chromium
@pytest.mark.parametrize("width", [390, 1280])
def test_pointing_at_a_cutoff_shows_its_numbers_on_the_screen(
    made: tuple[Study, Layout], page: Path, width: int
) -> None:
    script = """(() => {
      const panel = [...document.querySelectorAll('.panel')]
        .find(p => p.querySelector('figcaption').textContent === 'bf16');
      const spot = panel.querySelectorAll('.spot')[3];
      spot.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      const tip = document.getElementById('tip'), box = tip.getBoundingClientRect();
      const shown = [tip.hidden, tip.textContent, box.left, box.right, box.width];
      document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
      return [...shown, tip.hidden];
    })()"""
    hidden, said, left, right, wide, hidden_after = ask(page, script, width=width)
    assert not hidden
    assert wide > 50
    assert left >= 0
    assert right <= width
    assert hidden_after
    study, layout = made
    row = (
        read_artifact(layout.summary())
        .filter(
            pl.col("dataset") == "icd10cm",
            pl.col("model") == MODELS[0],
            pl.col("regime") == "bf16",
            pl.col("measure") == "nDCG@10",
            pl.col("policy") == study.config.policies[0],
        )
        .row(0, named=True)
    )
    expected, low, high = (f"{100 * row[name]:.2f}" for name in ("expected", "min", "max"))
    assert said.startswith("nDCG@10, bf16\n")
    assert f"all-MiniLM-L6-v2: expected {expected} ({low} to {high})" in said


@needs_chromium
def test_bands_lie_where_their_numbers_are(made: tuple[Study, Layout], page: Path) -> None:
    script = """[...document.querySelector('.bands').querySelectorAll('.track')].map(track => {
      const at = name => track.querySelector(name).getBoundingClientRect();
      const [band, mark] = [at('.band'), at('.expected')];
      return [band.left, (mark.left + mark.right) / 2, band.right];
    })"""
    study, layout = made
    rows = read_artifact(layout.summary()).filter(
        pl.col("dataset") == "icd10cm",
        pl.col("measure") == study.config.table_measures[0],
        pl.col("policy") == study.config.policies[0],
    )
    places = ask(page, script)
    assert len(places) == rows.height
    pairs = [
        (value, place)
        for row, found in zip(rows.iter_rows(named=True), places, strict=True)
        if row["range"] > 0
        for value, place in zip((row["min"], row["expected"], row["max"]), found, strict=True)
    ]
    (v0, p0), (v1, p1) = min(pairs), max(pairs)
    for value, place in pairs:
        assert place == pytest.approx(p0 + (value - v0) / (v1 - v0) * (p1 - p0), abs=2)


@needs_chromium
def test_the_best_value_stands_out_and_no_text_became_a_script(page: Path) -> None:
    script = """[document.querySelectorAll('script').length,
      getComputedStyle(document.querySelector('#main ~ .wide .best')).fontWeight,
      document.querySelector('.document').textContent.includes("<script>alert('d1')</" + "script>"),
      document.querySelectorAll('#claims ~ ol li').length]"""
    scripts, weight, is_text, claims = ask(page, script)
    assert scripts == 2  # the page's own, and this question
    assert int(weight) >= 600
    assert is_text
    assert claims == 7
