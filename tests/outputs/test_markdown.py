"""Markdown says what the document says, to every reader of it, whatever the texts are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import frontmatter
import pytest
import yaml
from conftest import Run
from markdown_it import MarkdownIt
from markdown_it.token import Token
from web_pages import ARABIC, CHINESE, HEAD, everything, hostile, shown

from cvbuild.model.text import rich_text
from cvbuild.outputs.markdown import export, inline, pages
from cvbuild.outputs.markdown.academicpages import Format as Academicpages
from cvbuild.outputs.markdown.export import Format
from cvbuild.outputs.markdown.hugo import Format as Hugo

ROOT = Path(__file__).resolve().parents[2]
#: Texts that Markdown, GitHub, Jekyll, Hugo or a browser would act on.
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
    """The blocks and styles of a page, without its words."""
    return [_kind(one) for token in parser.parse(text) for one in (token, *(token.children or ()))]


def _kind(token: Token) -> str:
    return token.type if token.type != "html_inline" else token.content


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_a_plain_text_is_read_back_as_it_is() -> None:
    for text in PAYLOADS:
        nodes = (rich_text.Text(text),)
        written = inline.opened(inline.of(nodes))
        for parser in (_COMMONMARK, _GITHUB):
            for around in ("{}\n", "- {}\n", "# x {}\n", "- a\n\n  {}\n"):
                page = around.format(written)
                assert structure(page, parser) == structure(around.format("word"), parser), text
                read = export.as_read(page).removeprefix("x").split("\n")[-1]
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
                    page = inline.opened(inline.of(tuple(n for n in nodes if n != text(""))))
                    html = _COMMONMARK.render(page)
                    assert html.count(f"<{tag}>") == html.count(f"</{tag}>") == 1, page
                    assert squeezed(export.as_read(page)) == squeezed(before + inner + after)
    nested = (style("strong", (style("emph", (text("a"),)),)), style("strong", (text("b"),)))
    html = _COMMONMARK.render(inline.of(nested))
    assert html == "<p><strong><em>a</em></strong><strong>b</strong></p>\n"
    code = (rich_text.Code("a`b"), text(" "), rich_text.Code("{{ x }}"), rich_text.Code(" c "))
    assert "{{" not in inline.of(code)
    assert export.as_read(inline.of(code)) == "a`b {{ x }} c "


def test_addresses_are_read_back() -> None:
    for url in (
        "https://example.org/a_(b)", "https://example.org/?a=1&copy=2", "https://example.org/*a*",
        "https://example.org/?a=%7B%7B&amp;b", "mailto:ada@example.org",
    ):  # fmt: skip
        (link,) = [
            one
            for token in _COMMONMARK.parse(inline.linked("a", url))
            for one in token.children or ()
            if one.type == "link_open"
        ]
        assert link.attrs["href"] == url.replace("*", "*")


@pytest.mark.parametrize("style", ["academic", "industry"])
def test_every_kind_is_in_the_file_in_order(style: str) -> None:
    for text in (everything(), hostile(), ARABIC, CHINESE):
        made = Format().make(shown(text, style))
        assert made.figures["texts"] > 8
        assert Format().make(shown(text, style)) == made
    for path in [*ROOT.glob("people/*.yaml"), *ROOT.glob("tests/shapes/*.yaml")]:
        Format().make(shown(path.read_text("utf-8"), style))


def test_a_hostile_person_has_the_structure_of_a_harmless_one() -> None:
    given = hostile()
    word = json.dumps("word")
    harmless = given.replace(json.dumps(yaml.safe_load(given)["name"]), word)
    pair = [export.text(shown(text).view) for text in (given, harmless)]
    first, second = map(structure, pair)
    assert first == second
    assert not {one for one in first if one.startswith("<")}


def files_of(site: pages.Site, text: str) -> dict[str, bytes]:
    content = site.make(shown(text)).content
    assert isinstance(content, dict)
    assert site.make(shown(text)).content == content
    return content


@pytest.mark.parametrize("site", [Academicpages(), Hugo()])
def test_the_pages_of_a_site_have_front_matter_that_its_readers_take(site: pages.Site) -> None:
    for text in (everything(), hostile(), ARABIC, CHINESE):
        for name, data in files_of(site, text).items():
            assert re.fullmatch(r"[a-z0-9_./-]+", name)
            if name.endswith(".md"):
                page = frontmatter.loads(data.decode())
                assert page.metadata["title"], name
                assert "<" not in json.dumps(page.metadata, default=str)
                # Jekyll and Hugo read these before Markdown does.
                assert not re.search(r"\{[{%:]", page.content)
    with pytest.raises(NotImplementedError):
        list(pages.Site().files(shown(HEAD)))


def test_names_of_files_are_plain_and_unique() -> None:
    names = pages.Names()
    titles = ["A title", "A: title!", "", "漢字", "CON", "../../etc/passwd", "x" * 200]
    found = [names.of(title) for title in titles]
    assert found[:2] == ["a-title", "a-title-2"]
    assert len(set(found)) == len(titles)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,70}", name) for name in found), found
    assert "con" not in found


def test_a_flavour_takes_the_place_of_markdown(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ada.yaml").write_text(HEAD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = run("build", "--format", "txt,md", "--flavour", "hugo", "--json")
    found = {one["format"]: one["path"] for one in json.loads(ran.out)["documents"]}
    assert found == {"txt": "out/ada/academic.txt", "hugo": "out/ada/academic.hugo"}
    assert b"555 0199" not in b"".join(
        path.read_bytes() for path in Path("out/ada").rglob("*") if path.is_file()
    )
    ran = run("build", "--flavour", "hugo")
    assert ran.code != 0
    assert "--flavour is for Markdown, and no format md is requested" in ran.err
