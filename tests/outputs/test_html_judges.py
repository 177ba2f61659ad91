"""Web pages before judges: the checker of HTML, axe in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import judges
import papers
import pypdfium2
import pytest
import web_pages
from msgspec.structs import replace
from playwright.sync_api import Browser, Page
from texlive import demand_embedded

from cvbuild.building import pipeline
from cvbuild.building.pipeline import Outcome
from cvbuild.outputs.formats.html import style_sheet

WIDTHS = (360, 1280)
NORA = web_pages.ROOT / "docs/gallery/nora-lindqvist.yaml"
#: The titles of items that have more than a line, and the same with their dates.
_TITLES = """() => [...document.querySelectorAll(":is(.entry, .part):has(> :is(ul, .row))")]
  .flatMap(one => {
    const [what, when] = [".what", ".when"].map(part => one.querySelector(`:scope > ${part}`));
    return what ? [what.innerText, what.innerText + " " + (when ? when.innerText : "")] : [];
  }).map(text => text.replace(/\\s+/g, ""))"""
#: The rules of axe: WCAG 2.2 at level AA, and what is good practice.
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_AXE = """async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ["violations"]});
  return found.violations.concat(found.incomplete.filter(one => one.id === "color-contrast"))
    .map(one => one.id + ": " + one.nodes.map(node => node.html).join(" | ").slice(0, 300));
}"""
#: Letters per line of the paragraphs that have three lines or more.
_MEASURE = """() => Math.max(0, ...[...document.querySelectorAll("p, li")].map(one => {
  if (one.querySelector("p, li, br")) return 0;
  const range = document.createRange(); range.selectNodeContents(one);
  const lines = new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 12))).size;
  return lines < 3 ? 0 : one.textContent.trim().length / lines;
}))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name, text in web_pages.all_pages().items():
        (made / f"{name}.html").write_text(text, "utf-8")
    return made


def test_every_page_is_valid_html(folder: Path) -> None:
    broken = folder / "broken.htm"
    broken.write_text("<!doctype html><title>T</title><p><h1>x</p>", "utf-8")
    told = judges.html_faults(broken, *sorted(folder.glob("*.html"))).splitlines()
    assert any("error" in line for line in told)
    assert [line for line in told if broken.name not in line] == []


def _problems(page: Page, width: int) -> Iterator[str]:
    yield from page.evaluate(_AXE, list(RULES))
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"{wide} pixels wide"
    if (letters := page.evaluate(_MEASURE)) > 75:
        yield f"{letters:.0f} letters in a line"
    family = page.evaluate("getComputedStyle(document.body).fontFamily")
    if "," not in family:
        yield "the security policy refuses the style sheet"


def test_every_page_is_accessible_on_all_screens(folder: Path, browser: Browser) -> None:
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    page = browser.new_page()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    wrong, told = [], list[str]()
    page.on("console", lambda message: told.append(message.text))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    for path in sorted(folder.glob("*.html")):
        loaded.clear()
        page.goto(path.as_uri())
        page.evaluate(axe)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{path.stem}, {width} px: {one}" for one in _problems(page, width)]
        assert [url for url in loaded if not url.startswith("data:")] == [path.as_uri()]
    assert wrong == []
    assert told == []


def opened(browser: Browser, file: Path, width: int = 1280, media: str = "screen") -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.emulate_media(media=media)  # type: ignore[arg-type]
    page.goto(file.as_uri())
    return page


def test_a_page_prints_the_addresses_of_links(folder: Path, browser: Browser) -> None:
    page = opened(browser, folder / "all-academic.html", media="print")
    address = "getComputedStyle(document.querySelector('.in-text'), '::after').content"
    assert page.evaluate(address) == '" (" attr(href) ")"' or "example.org" in page.evaluate(
        address
    )


#: Dates that begin below the first line of their title, and those that stand over its words.
_DATES = """() => [...document.querySelectorAll(":is(.entry, .part, .fact):has(> .when)")]
  .filter(one => !one.closest(".aside"))
  .map(one => [".what", ".top", ".when"].map(part => one.querySelector(part)))
  .filter(([what, top, when]) => {
    const [first, all, date] = [what.getClientRects()[0], top.getBoundingClientRect(),
      when.getBoundingClientRect()];
    const isBeside = date.left >= all.right || date.right <= all.left;
    return Math.abs(first.top - date.top) > 4 || !isBeside;
  }).map(([what, top, when]) => what.innerText + " " + when.innerText)"""


@pytest.mark.parametrize("style", ["academic", "one-page", "grid", "margin", "sidebar"])
def test_dates_stand_beside_their_titles_on_paper(
    folder: Path, browser: Browser, style: str
) -> None:
    # The width of the text on A4.
    page = opened(browser, folder / f"all-{style}.html", 640, "print")
    assert page.evaluate("document.querySelectorAll('.when').length") > 9
    assert page.evaluate(_DATES) == []


def test_short_dates_of_grid_have_one_line(folder: Path, browser: Browser) -> None:
    page = opened(browser, folder / "all-grid.html")
    broken = page.evaluate("""() => [...document.querySelectorAll(".when")].filter(one =>
      one.innerText.length < 20 && one.getBoundingClientRect().height
        > 1.8 * parseFloat(getComputedStyle(one).fontSize)).map(one => one.innerText)""")
    assert broken == []


@pytest.mark.parametrize(
    ("style", "above"), [("plain", ".who"), ("bold", ".who"), ("banking", ".what")]
)
def test_places_stand_at_the_edge(folder: Path, browser: Browser, style: str, above: str) -> None:
    page = opened(browser, folder / f"all-{style}.html")
    entry = page.locator(".k-experience .entry:has(.where):has(.when)").first
    what, who, where, when = (
        entry.locator(name).first.evaluate("one => one.getBoundingClientRect().toJSON()")
        for name in (".what", ".who", ".where", ".when")
    )
    first, second = (who, what) if above == ".who" else (what, who)
    assert first["y"] < second["y"]
    assert where["y"] == pytest.approx(who["y"], abs=3)
    assert when["y"] == pytest.approx(what["y"], abs=3)
    assert where["x"] + where["width"] == pytest.approx(when["x"] + when["width"], abs=1)


@pytest.mark.parametrize("media", ["screen", "print"])
def test_the_head_of_sidebar_is_in_the_main_column(
    folder: Path, browser: Browser, media: str
) -> None:
    page = opened(browser, folder / "photo.html", 1280 if media == "screen" else 676, media)
    person, photo, main, aside = (
        page.evaluate(f"document.querySelector('{name}').getBoundingClientRect().toJSON()")
        for name in (".person", ".photo", ".main", ".aside")
    )
    assert person["left"] == main["left"]
    assert person["right"] < aside["left"] == photo["left"]
    assert photo["bottom"] < aside["top"] == main["top"]


def test_pages_are_full_on_paper(tmp_path: Path, browser: Browser) -> None:
    page = browser.new_page()
    for name, style in (("lecturer", "academic"), ("web-developer", "grid")):
        text = (web_pages.ROOT / f"tests/shapes/{name}.yaml").read_text("utf-8")
        path = tmp_path / f"{name}.html"
        path.write_text(web_pages.page(web_pages.shown(text, style)), "utf-8")
        page.goto(path.as_uri())
        with pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True)) as printed:
            first, *others = list(printed)
            words = first.get_textpage()
            boxes = [words.get_charbox(at) for at in range(words.count_chars())]
            assert others
            # Points from the foot of the paper: 45 mm.
            assert min(bottom for _, bottom, _, top in boxes if top > bottom) < 128, name


@pytest.mark.deep
def test_print_has_no_more_pages_than_the_pdf_and_no_title_alone(
    tmp_path: Path, browser: Browser
) -> None:
    demand_embedded()
    files = [*(web_pages.ROOT / "tests/shapes").glob("*.yaml"), NORA]
    # Each of them in one or two styles, and each style with one or two of them.
    cases = [
        (file, style)
        for (row, file), (column, style) in product(
            enumerate(sorted(files)), enumerate(web_pages.STYLES)
        )
        if (row + column) % len(web_pages.STYLES) == 0
    ]
    with ThreadPoolExecutor(2) as pool:
        pairs = list(pool.map(lambda case: _pdf_and_web(case[0], case[1], tmp_path), cases))
    # Web pages keep what the only page of a style has no room for.
    whole = [(pdf, web) for pdf, web in pairs if not pdf.left_out]
    page = browser.new_page()
    longer, alone = [], []
    for pdf, web in whole:
        assert pdf.path is not None, pdf.diagnostics
        assert web.path is not None, web.diagnostics
        page.goto(web.path.as_uri())
        with pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True)) as printed:
            if len(printed) > (pdf.pages or 0):
                longer.append((web.path.parent.name, web.path.name, len(printed), pdf.pages))
            ends = {_last_line(sheet) for sheet in list(printed)[:-1]}
        alone += [(web.path, title) for title in page.evaluate(_TITLES) if title in ends]
    assert len(whole) > 0.8 * len(pairs)
    assert (longer, alone) == ([], [])


def _last_line(sheet: pypdfium2.PdfPage) -> str:
    text = sheet.get_textpage()
    boxes = [text.get_charbox(at) for at in range(text.count_chars())]
    lowest = min(bottom for _, bottom, _, top in boxes if top > bottom)
    line = sorted((box[0], at) for at, box in enumerate(boxes) if box[1] < lowest + 5)
    return "".join("".join(text.get_text_range(at, 1) for _, at in line).split())


def _pdf_and_web(file: Path, style: str, folder: Path) -> tuple[Outcome, Outcome]:
    task = papers.prepare(file, style, folder=folder, engine="auto")
    pdf, web = (pipeline.build(replace(task, format=name)) for name in ("pdf", "html"))
    return pdf, web


def test_a_page_is_set_in_the_faces_that_it_holds(folder: Path, browser: Browser) -> None:
    page = browser.new_page()
    for style in web_pages.STYLES:
        text = (folder / f"all-{style}.html").read_text("utf-8")
        held = re.findall(r"url\(data:font/woff;base64,([^)]+)\)", text)
        assert len(held) in (2, 3), style
        assert sum(map(len, held)) <= style_sheet.MOST_OF_FACES
        page.goto((folder / f"all-{style}.html").as_uri())
        page.evaluate("document.fonts.ready")
        found = page.evaluate("[...document.fonts].map(one => [one.family, one.status])")
        assert ["cv", "loaded"] in found
        assert {family for family, _ in found} == {style_sheet.FAMILY}
        assert "error" not in {status for _, status in found}
