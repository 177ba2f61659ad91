"""Web pages: what they hold, how they look to programs, and what fails a build."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import web_pages
from conftest import Run
from markdown_it import MarkdownIt

from cvbuild.common.diagnostics import ProfileError, TemplateError
from cvbuild.model.text import rich_text
from cvbuild.outputs import text_folding
from cvbuild.outputs.formats import html, markdown
from cvbuild.outputs.formats.html import style_sheet
from cvbuild.outputs.styles.manifests import ACCENTS
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.styles.typefaces import TYPEFACES

PLAIN = "name: Ada Example\ncontact: {email: ada@example.org}\n"
STYLED = """\
api: 1
title: Plum
description: Like academic, in plum.
extends: academic
tex: {style: cvb-academic}
options: {accent: {default: "8E4585"}}
"""


@pytest.fixture
def workspace(here: Path) -> Path:
    for name, text in {
        "people/ada.yaml": f"{PLAIN}template: plum\nsummary: One.\n",
        "templates/plum/template.yaml": STYLED,
        "templates/plum/page.css": "h1 { color: plum }\r\n",
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_bytes(text.encode())
    return here


def test_every_accent_can_be_read() -> None:
    extremes = ("000000", "FFFFFF", "FFFF00", "00FF00", "0000FF", "FF00FF", "808080", "0A0A0A")
    for accent in (*ACCENTS.values(), *extremes):
        found = {name: _rgb(text) for name, text in style_sheet.palette(accent).items()}
        pairs = [("ink", "back"), ("muted", "back"), ("accent", "back"), ("accent", "band")]
        for text, back in pairs:
            assert style_sheet.contrast(found[text], found[back]) >= 4.5, (accent, text, back)


def test_contrast_is_that_of_wcag() -> None:
    assert style_sheet.contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert style_sheet.contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)
    for accent in ("1f3a5f", "000000"):
        assert style_sheet.palette(accent)["accent"] == f"#{accent}"


def _rgb(digits: str) -> style_sheet.Rgb:
    red, green, blue = bytes.fromhex(digits.removeprefix("#"))
    return red, green, blue


def test_every_typeface_has_substitutes() -> None:
    for name, face in TYPEFACES.items():
        assert face.web[0].endswith("sans-serif" if face.sans else " serif"), name
        assert all(face.word), name


def test_styles_differ_and_extend_each_other(workspace: Path, run: Run) -> None:
    library = Library.at()
    sheets = {
        name: style_sheet.of(library.find(name), {"accent": "123456"}).text
        for name in library.names()
    }
    assert len(set(sheets.values())) == len(sheets) > 8
    assert run("build", "--format", "html").code == 0
    text = (workspace / "out/ada/plum.html").read_text("utf-8")
    core, academic, own = (
        text.index(part) for part in (":root {", "h1 { font-weight: 400", "plum }")
    )
    assert core < academic < own
    assert "\r" not in text
    assert "--accent: #8e4585" in text
    (workspace / "templates/plum/page.css").write_text("h1 { color: navy }\n", "utf-8")
    assert run("build", "--format", "html").code == 0
    assert "navy }" in (workspace / "out/ada/plum.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("css", "fact"),
    [
        (b"h1 {}</style><script>x</script>", 'it has a "<"'),
        (b"h1 { content: '\xff' }", "it is not UTF-8"),
        (b"/*" + b"x" * (1 << 20) + b"*/", "it has over 1 MiB"),
    ],
)
def test_a_faulty_style_sheet_is_named(css: bytes, fact: str, workspace: Path, run: Run) -> None:
    (workspace / "templates/plum/page.css").write_bytes(css)
    ran = run("build", "--format", "html")
    assert (ran.code, ran.err.count(f"templates/plum/page.css: {fact}")) == (1, 1), ran.err
    assert not (workspace / "out/ada").exists()
    with pytest.raises(TemplateError):
        style_sheet.of(Library.at(own=workspace / "templates").find("plum"), {})


def test_a_page_holds_every_text_in_order_and_nothing_private() -> None:
    shown = web_pages.shown(web_pages.everything())
    text = web_pages.page(shown)
    assert web_pages.page(shown) == text
    read = html.text_of(text)
    places = [read.find(f"\n{section.title}\n") for section in shown.view.sections]
    assert places == sorted(places)
    assert -1 not in places
    assert "555 0123" in read
    assert "0199" not in text
    assert "<script" not in text
    for part in ("<h1>", "<main>", "<address>", '<html lang="en" dir="ltr">', "<article", "<ol "):
        assert part in text


def test_headings_go_down_step_by_step() -> None:
    text = web_pages.page(web_pages.shown(web_pages.everything()))
    levels = [int(level) for level in re.findall(r"<h(\d)", text)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert re.findall(r'aria-labelledby="([^"]*)"', text) == ids


def test_languages_and_directions() -> None:
    arabic = web_pages.page(web_pages.shown(web_pages.ARABIC))
    assert '<html lang="ar" dir="rtl">' in arabic
    assert '<a href="tel:+12025550123" dir="ltr">+1 202 555 0123</a>' in arabic
    assert "<bdi>Open source in English.</bdi>" in arabic
    # A reference in Latin letters is one line from left to right, full stops included.
    assert re.search(r'<p class="citation"><bdi>.*2024</span>\.</bdi></p>', arabic)
    latin = web_pages.shown(PLAIN + "headline: Engineer\nsummary: 'With عادل in it.'\n")
    assert "<bdi>With عادل in it.</bdi>" in web_pages.page(latin)
    mixed = PLAIN + "locale: cy\nsections: [{kind: award, items: [{title: Prize}]}]\n"
    text = web_pages.page(web_pages.shown(mixed))
    assert '<bdi lang="en" dir="ltr">Honors and Awards</bdi>' in text


def test_the_address_of_a_post_is_that_of_the_employer() -> None:
    items = {
        "experience": "{employer: Ex Co, title: Engineer, url: 'https://co.example.org'}",
        "volunteer": "{organization: Ex Club, url: 'https://club.example.org'}",
        "award": "{title: Ex Prize, awarder: Ex Fund, url: 'https://prize.example.org'}",
    }
    sections = ", ".join(f"{{kind: {kind}, items: [{item}]}}" for kind, item in items.items())
    made = web_pages.page(web_pages.shown(f"{PLAIN}sections: [{sections}]\n"))
    linked = re.findall(r'<a href="https://(\w+)[^>]*>(.*?)</a>', made)
    words = [(host, re.sub("<[^>]*>", "", text)) for host, text in linked]
    assert words == [("co", "Ex Co"), ("club", "Ex Club"), ("prize", "Ex Prize")]


def test_a_link_is_never_in_a_link() -> None:
    item = "{title: '[Title](https://example.org/t)', url: 'https://example.org/u', date: 2020}"
    kinds = ("award", "publication", "talk")
    sections = ", ".join(f"{{kind: {kind}, items: [{item}]}}" for kind in kinds)
    text = web_pages.page(web_pages.shown(f"{PLAIN}sections: [{sections}]\n"))
    assert not re.search(r"<a [^>]*>(?:(?!</a>).)*<a ", text)
    assert text.count('href="https://example.org/u"') == text.count('"https://example.org/t"') == 3


def test_a_photo_is_in_the_page_where_the_document_shows_it() -> None:
    named = PLAIN + "summary: One.\nphoto: ada.jpg\n"
    assert "<img" not in web_pages.page(web_pages.shown(named, photo=web_pages.picture()))
    text = named + "options: {photo: true}\n"
    found = web_pages.page(web_pages.shown(text, photo=web_pages.picture()))
    (tag,) = re.findall("<img[^>]*>", found)
    assert 'src="data:image/jpeg;base64,' in tag
    assert 'width="300" height="400" alt="Ada Example"' in tag
    with pytest.raises(ProfileError) as caught:
        web_pages.page(web_pages.shown(text))
    assert "ada.jpg" in str(caught.value)


def test_a_letter_is_a_page() -> None:
    shown = web_pages.letter()
    text = web_pages.page(shown)
    read = " ".join(html.text_of(text).split())
    for part in (
        "Dr. Lin Example", "March 5, 2026", "Application for Engineer", "Dear Dr. Lin Example,",
        "I write with pleasure, see my page (https://example.org/me).", "1. one", "Kind regards,",
        "Enclosures: CV, List of references",
    ):  # fmt: skip
        assert part in read, part
    assert '<p class="sent">March\xa05,\xa02026</p>' in text
    assert f"<title>{shown.view.letter.title}</title>" in text  # type: ignore[union-attr]
    without = web_pages.letter(written="letter: {date: 2026-03-05, body: Text., closing: Bye}\n")
    assert "Enclosures" not in web_pages.page(without)


def test_what_is_private_is_found_wherever_it_is() -> None:
    text = web_pages.page(web_pages.shown(web_pages.HEAD))
    secret = text_folding.fold("+1 202 555 0199".casefold())

    def says(page: str) -> bool:
        read = html.Format().text_of(page.encode())
        return text_folding.has_words(text_folding.fold(read.casefold()), secret)

    assert not says(text)
    for leak in (
        "<p>+1 202 <b>555</b> 0199</p>",
        '<p title="+1 202 555 0199">',
        "<title>+1&#32;202 555 0199</title>",
        "<script>+1 202 555 0199</script>",
    ):
        assert says(text + leak), leak


ROOT = Path(__file__).resolve().parents[2]
#: Texts that Markdown, GitHub, Jekyll or a browser would act on.
PAYLOADS = (
    "# a", "#", "- a", "+ a", "* a", "1. a", "12) a", "> a", "=== a", "--- a", "---", "===", "***",
    "~~~", "```", "    a", "| a | b |", ": a", "*a*", "**a**", "_a_", "__a__", "a_b_c", "~a~",
    "~~a~~", "`a`", "``a`b``", "[a](https://example.org)", "![a](b)", "[a]: b", "[a][b]", "[^1]",
    "<b>a</b>", "<script>alert(1)</script>", "<!-- a", "<https://example.org>", "&amp;",
    "&lt;b&gt;", "&#35; a", "a & b", "AT&T;", "\\", "\\\\", "\\*a\\*", "a\\", "{{ 7*7 }}",
    "{% raw %}", "{: .a}", "{ a }", "{{{%",
    "{{< figure >}}", "{{% callout %}}", "$x$", "$$x$$", ":smile:", "a: b", "a #", "a  ", "H^2^",
    "\ta", "javascript:alert(1)", "https://example.org/a_b_c", "a * b * c", "2 < 3 > 1", "!a",
    "(a)",     "\"a\"", "'a'", "C++", "C#", ".NET", "100 %", "1986\\. A year",
)  # fmt: skip
_COMMONMARK = MarkdownIt("commonmark")
#: Also tables, strikethrough, and addresses as links.
_GITHUB = MarkdownIt("gfm-like", {"linkify": False}).enable(["table", "strikethrough"])


def structure(text: str, parser: MarkdownIt = _COMMONMARK) -> list[str]:
    tokens = (one for token in parser.parse(text) for one in (token, *(token.children or ())))
    return [one.content if one.type == "html_inline" else one.type for one in tokens]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_a_plain_text_is_read_back_as_it_is() -> None:
    for text in PAYLOADS:
        nodes = (rich_text.Text(text),)
        written = markdown.opened(markdown.of(nodes))
        for parser in (_COMMONMARK, _GITHUB):
            for around in ("{}\n", "- {}\n", "# x {}\n", "- a\n\n  {}\n"):
                page = around.format(written)
                assert structure(page, parser) == structure(around.format("word"), parser), text
                read = markdown.as_read(page).removeprefix("x").split("\n")[-1]
                assert squeezed(read.removeprefix("x ")) == squeezed(text), page
        for mark in ("{{", "{%", "{:"):
            assert mark not in written


def test_styles_are_read_back_beside_any_character() -> None:
    style, text = rich_text.Span, rich_text.Text
    for before in ("", "a", " ", "(", "*", "漢"):
        for inner in ("b", "(b)", "b.", "漢字", "*b*", "é"):
            for after in ("", "c", " ", ",", "*", "字"):
                for name, tag in (("strong", "strong"), ("emph", "em"), ("sup", "sup")):
                    nodes = (text(before), style(name, (text(inner),)), text(after))
                    page = markdown.opened(markdown.of(tuple(n for n in nodes if n != text(""))))
                    html = _COMMONMARK.render(page)
                    assert html.count(f"<{tag}>") == html.count(f"</{tag}>") == 1, page
                    assert squeezed(markdown.as_read(page)) == squeezed(before + inner + after)
    nested = (style("strong", (style("emph", (text("a"),)),)), style("strong", (text("b"),)))
    html = _COMMONMARK.render(markdown.of(nested))
    assert html == "<p><strong><em>a</em></strong><strong>b</strong></p>\n"
    code = (rich_text.Code("a`b"), text(" "), rich_text.Code("{{ x }}"), rich_text.Code(" c "))
    assert "{{" not in markdown.of(code)
    assert markdown.as_read(markdown.of(code)) == "a`b {{ x }} c "


def test_addresses_are_read_back() -> None:
    for url in (
        "https://example.org/a_(b)", "https://example.org/?a=1&copy=2", "https://example.org/*a*",
        "https://example.org/?a=%7B%7B&amp;b", "mailto:ada@example.org",
    ):  # fmt: skip
        (link,) = [
            one
            for token in _COMMONMARK.parse(markdown.linked("a", url))
            for one in token.children or ()
            if one.type == "link_open"
        ]
        assert link.attrs["href"] == url.replace("*", "*")
