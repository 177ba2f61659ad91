"""The pages of docs/ as files and as a site: links, anchors, navigation, and search offline."""

from __future__ import annotations

import functools
import http.server
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import judges
import pytest
from lxml import html
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page

from cvbuild.common import VERSION
from tools import docs_site

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = (
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "SECURITY")),
    *DOCS.rglob("*.md"),
)
READER = MarkdownIt("commonmark").enable("table")
#: Folders and files whose texts name pages.
NAMING = ("cvbuild", "templates", "tests", "tools", "people", "applications", ".ci", "docs")
TEXTS = (".py", ".md", ".yaml", ".sty", ".j2", ".toml", ".txt", ".ts")
#: The pages that it names.
NAVIGATION = re.findall(r'"([^"\s]+\.md)"', (ROOT / "zensical.toml").read_text("utf-8"))
OLDER = "0.0.9"
#: Nothing is judged while it fades in.
STILL = "*, ::before, ::after { transition: none !important; animation: none !important }"


@functools.cache
def page(path: Path) -> html.HtmlElement:
    return html.fromstring(f"<div>{READER.render(path.read_text('utf-8'))}</div>")


@functools.cache
def anchors(path: Path) -> set[str]:
    heads = (one.text_content() for one in page(path).xpath("//h1|//h2|//h3|//h4"))
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


def test_links_lead_somewhere() -> None:
    found = 0
    for path in PAGES:
        for target in page(path).xpath("//a/@href|//img/@src"):
            if "://" in target or target.startswith("mailto:"):
                continue
            found += 1
            name, _, anchor = unquote(target).partition("#")
            file = (path.parent / name).resolve() if name else path
            assert file.exists(), f"{path.name}: {target}"
            assert not anchor or anchor in anchors(file), f"{path.name}: {target}"
    assert found > 300


def test_the_pages_that_code_and_messages_name_are_there() -> None:
    files = [path for name in NAMING for path in (ROOT / name).rglob("*") if path.suffix in TEXTS]
    files += [ROOT / name for name in ("Makefile", "pyproject.toml", "CHANGELOG.md", "README.md")]
    found = 0
    for file in files:
        if "node_modules" in file.parts or not file.is_file():
            continue
        for name in re.findall(
            r"(?<![\w./-])docs/[\w./-]+\.(?:md|json|yaml|png)\b", file.read_text("utf-8", "replace")
        ):
            found += 1
            assert (ROOT / name).is_file(), f"{file.relative_to(ROOT)}: {name}"
    assert found > 70


def test_every_page_is_in_the_navigation() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert Counter(NAVIGATION) == Counter([*pages, "changelog.md"])


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    (folder / OLDER).mkdir()
    (folder / OLDER / "index.html").write_text("<p>old</p>", "utf-8")
    assert docs_site.build(folder) == folder / VERSION
    return folder


def test_the_site_links_to_itself_and_shows_what_the_pages_have(out: Path) -> None:
    """The site's Markdown isn't GitHub's: lists, tables, code and headings must be the same."""
    pages = (out / VERSION).rglob("*.html")
    site = {path: html.fromstring(path.read_bytes()) for path in pages if path.name != "404.html"}
    kinds = ("li", "tr", "pre", "h2", "h3", "h4", "ol", "img", "strong", "blockquote")
    assert len(site) == len(NAVIGATION)
    ids = {path: set(made.xpath("//@id")) for path, made in site.items()}
    for path, made in site.items():
        loaded = made.xpath("//script/@src|//img/@src|//link/@href|//iframe/@src|//source/@src")
        for address in loaded:
            assert (path.parent / unquote(address.partition("#")[0])).resolve().is_file(), address
        for address in made.xpath("//a/@href"):
            file, _, anchor = unquote(address).partition("#")
            if "://" in file or file.startswith("mailto:"):
                continue
            target = (path.parent / file).resolve() if file else path
            if target.is_dir():
                target /= "index.html"
            assert target.is_file(), f"{path.name}: {address}"
            known = ids.get(target, {anchor})
            assert anchor in ("", *known), f"{path.name}: {address}"
        name = path.relative_to(out / VERSION).with_suffix(".md")
        source = ROOT / "CHANGELOG.md" if name.name == "changelog.md" else DOCS / name
        (article,) = made.xpath("//article")
        for kind in kinds:
            told, shown = page(source).iter(kind), article.iter(kind)
            assert len([*shown]) == len([*told]), f"{name}: {kind}"
        assert f"cvbuild {VERSION}" in made.xpath("string(//title)")


def test_versions_stay_beside_each_other(out: Path) -> None:
    versions = json.loads((out / "versions.json").read_text("utf-8"))
    assert [one["version"] for one in versions] == [VERSION, OLDER]
    assert f'href="{VERSION}/index.html"' in (out / "index.html").read_text("utf-8")


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(out: Path) -> Iterator[str]:
    handler = functools.partial(_Silent, directory=str(out))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser_page(browser: Browser) -> Page:
    return browser.new_page()


def test_the_search_finds_and_versions_can_be_chosen(served: str, browser_page: Page) -> None:
    loaded, told = list[str](), list[str]()
    browser_page.on("request", lambda request: loaded.append(request.url))
    # Chromium's own remarks, such as on what has the focus already, depend on how quick it is.
    browser_page.on(
        "console", lambda said: told.extend([said.text] * (said.type in ("error", "warning")))
    )
    browser_page.goto(served)
    browser_page.wait_for_url(f"{served}{VERSION}/index.html")
    browser_page.get_by_role("button", name=f"Version {VERSION}").focus()
    browser_page.get_by_role("link", name=OLDER).wait_for()
    browser_page.keyboard.press("/")
    browser_page.keyboard.type("overlay")
    browser_page.get_by_text("The overlay").first.click()
    browser_page.wait_for_url(re.compile(r"/how-to/privacy\.html"))
    assert [url for url in loaded if not url.startswith(served)] == []
    assert told == []


@pytest.mark.deep
def test_the_site_is_accessible_on_all_screens(served: str, browser_page: Page) -> None:
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    check = """async tags => (await axe.run(document, {runOnly: tags})).violations
      .map(one => one.id + ": " + one.nodes.map(node => node.html).join(" | ").slice(0, 300))"""
    wrong = []
    for name in ("index", "tutorial", "reference/templates"):
        for width, scheme in ((360, "light"), (1280, "dark")):
            browser_page.set_viewport_size({"width": width, "height": 900})
            browser_page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            browser_page.goto(f"{served}{VERSION}/{name}.html")
            browser_page.add_style_tag(content=STILL)
            browser_page.evaluate(axe)
            wrong += [f"{name}, {width}: {one}" for one in browser_page.evaluate(check, rules)]
            if browser_page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append(f"{name}: wider than {width} pixels")
    assert wrong == []
