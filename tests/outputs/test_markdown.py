"""Markdown says what the document says, to every reader of it, whatever the texts are."""

from __future__ import annotations

from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from cvbuild.model import rich_text
from cvbuild.outputs import markdown

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
    """The blocks and styles of a page, without its words."""
    return [_kind(one) for token in parser.parse(text) for one in (token, *(token.children or ()))]


def _kind(token: Token) -> str:
    return token.type if token.type != "html_inline" else token.content


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
