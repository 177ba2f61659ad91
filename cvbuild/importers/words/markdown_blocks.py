"""Markdown, and HTML that a program made, as blocks: headings, paragraphs, points, rows."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from cvbuild.importers.words.outline import Block, Run, as_one, flat, plain
from cvbuild.inputs.references import texts

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "tt": "code",
           "sup": "sup", "sub": "sub"}  # fmt: skip
_HEADING = re.compile("h[1-6]")
_BLOCKS = frozenset(
    ("p", "div", "li", "section", "blockquote", "article", "header", "footer", "main", "aside",
     "address", "center", "details", "summary", "dl", "dt", "dd", "pre", "hr", "table", "tr")
)  # fmt: skip
_SKIPPED = frozenset(("script", "style", "head", "template"))
_TAG = re.compile(r"<!--[^<>]*-->|<[!?][^<>]*>|</?([A-Za-z][A-Za-z0-9]{0,20})((?:\s[^<>]*)?)/?>")
_ADDRESS = re.compile(r"(?i)\b(?:href|src)\s*=\s*(?:([\"'])(.*?)\1|([^\s\"'>]+))")
_ALT = re.compile(r"(?i)\balt\s*=\s*([\"'])(.*?)\1")
#: Points inside each other that are told apart.
_DEEPEST = 20


def blocks(text: str) -> list[Block]:
    """Return the blocks of Markdown: CommonMark and tables. HTML in it is read, too."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table").use(deflist_plugin)
    # What may be a link is decided when it is written; scripts stay the text that they are.
    parser.validateLink = _is_no_script  # type: ignore[method-assign]
    reader = _Markdown()
    for token in parser.parse(text):
        reader.read(token)
    found = reader.found
    return [one for one in found if any(run.text.strip() for line in one.lines for run in line)]


def _is_no_script(url: str) -> bool:
    return not url.lower().startswith(("javascript:", "data:", "vbscript:"))


class _Markdown:
    """Collects the blocks of markdown-it's tokens."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        #: Lists inside each other; -1 outside.
        self.level = -1
        self.heading = 0
        self.row: list[Run] | None = None
        self.is_table_head = False
        #: Whether a definition is open: only its first paragraph is in the row of its term.
        self.is_defined = False

    def read(self, token: Token) -> None:
        """Read the next token."""
        place = (token.map[0] + 1, token.map[1]) if token.map else (0, 0)
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self.level += 1
            case "bullet_list_close" | "ordered_list_close":
                self.level -= 1
            case "heading_open":
                self.heading = int(token.tag[1])
            case "heading_close":
                self.heading = 0
            case "thead_open" | "thead_close":
                self.is_table_head = token.type == "thead_open"
            case "tr_open" | "dt_open":
                self.row = []
            case "tr_close" | "dd_close":
                self.row, self.is_defined = None, False
            case "dd_open":
                self.is_defined = True
            case "inline":
                self._inline(token, place)
            case "fence" | "code_block":
                code = [[Run(line, frozenset(("code",)))] for line in token.content.splitlines()]
                self.found.append(Block("paragraph", code, 0, *place))
            case "html_block":
                found = html_blocks(token.content)
                self.found += [replace(one, first=place[0], last=place[1]) for one in found]

    def _inline(self, token: Token, place: tuple[int, int]) -> None:
        lines, lost = _lines(token.children or ())
        self.found += [replace(one, first=place[0], last=place[1]) for one in lost]
        if self.row is not None:
            # The cells of a row are one block, which grows.
            if not self.row:
                level = int(self.is_table_head)
                self.found.append(Block("row", [self.row], level, *place))
            else:
                self.row.append(Run("\t"))
                self.found[-1].last = max(self.found[-1].last, place[1])
            self.row += flat(as_one(lines)) or [Run("")]
            if self.is_defined:
                self.row = None
        elif self.heading:
            self.found.append(Block("heading", lines, self.heading, *place))
        else:
            # A second paragraph of a point is one more.
            kind = "point" if self.level >= 0 else "paragraph"
            self.found.append(Block(kind, lines, max(self.level, 0), *place))


def _lines(children: Iterable[Token]) -> tuple[list[list[Run]], list[Block]]:
    """Return the lines of a paragraph in runs, and the images in it."""
    reader = _Html()
    for child in children:
        match child.type:
            case "text" | "text_special":
                reader.text(child.content)
            case "code_inline":
                reader.lines[-1].append(Run(child.content, frozenset(("code",))))
            case "softbreak" | "hardbreak":
                reader.lines.append([])
            case "html_inline":
                reader.read(child.content)
            case "image":
                reader.lose("image", f"{child.content} {child.attrGet('src') or ''}")
            case "link_open":
                reader.link(str(child.attrGet("href") or ""))
            case "link_close" | "strong_open" | "em_open" | "strong_close" | "em_close":
                reader.tag(child.tag, is_end=child.nesting < 0)
    return reader.lines, reader.found


def html_blocks(text: str) -> list[Block]:
    """Return the blocks of HTML; what isn't closed ends at the end.

    ``lost`` blocks are images, and links to where no document may lead.
    """
    reader = _Html()
    reader.read(text)
    reader.end()
    return reader.found


class _Html:
    """Collects blocks. Tags that it doesn't know count as nothing; their text stays."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        self.lines: list[list[Run]] = [[]]
        self.kind, self.level = "paragraph", 0
        self.depth = -1
        self.styles: list[str] = []
        self.urls: list[str] = []
        self.skipped = ""

    def read(self, text: str) -> None:
        """Read a piece of HTML; tags are found by their form alone, in linear time."""
        at = 0
        for found in _TAG.finditer(text):
            self.text(html.unescape(text[at : found.start()]))
            if found[1]:
                self.tag(found[1].lower(), found[2], is_end=found[0].startswith("</"))
            at = found.end()
        self.text(html.unescape(text[at:]))

    def text(self, text: str) -> None:
        """Add a text in the styles that are open."""
        if text and not self.skipped:
            shown = re.sub(r"[ \n\r\f]+", " ", text)
            url = self.urls[-1] if self.urls else ""
            self.lines[-1].append(Run(shown, frozenset(self.styles), url))

    def tag(self, name: str, attributes: str = "", *, is_end: bool) -> None:
        """Open or close a style, a link or a block."""
        if self.skipped or name in _SKIPPED:
            self.skipped = "" if is_end and name == self.skipped else self.skipped or name
        elif name in _STYLES:
            self.style(_STYLES[name], is_end=is_end)
        elif name == "a" and is_end:
            self.urls = self.urls[:-1]
        elif name == "a":
            self.link(address_in(attributes))
        elif name == "br":
            self.lines.append([])
        elif name in ("img", "iframe", "video") and not is_end:
            alt = _ALT.search(attributes)
            what = "image" if name == "img" else name
            self.lose(what, f"{alt[2] if alt else ''} {address_in(attributes)[:200]}")
        elif name in ("ul", "ol"):
            self.end()
            self.depth = max(-1, min(_DEEPEST, self.depth + (-1 if is_end else 1)))
        elif name in ("td", "th"):
            if not is_end and self.kind == "row" and any(map(plain, self.lines)):
                self.lines[-1].append(Run("\t"))
        elif name == "p" and self.kind in ("point", "row"):
            # The point goes on.
            self.text(" ")
        elif name in _BLOCKS or _HEADING.fullmatch(name):
            self.end()
            self.begin("" if is_end else name, attributes)

    def style(self, style: str, *, is_end: bool) -> None:
        """Open or close a style."""
        if not is_end:
            self.styles.append(style)
        elif style in self.styles:
            self.styles.remove(style)

    def begin(self, name: str, attributes: str) -> None:
        """Say of what kind the next block is."""
        if name == "li":
            indent = re.search(r"ql-indent-(\d)", attributes)
            self.kind, self.level = "point", max(self.depth, 0) + int(indent[1] if indent else 0)
        elif name == "tr":
            self.kind = "row"
        elif _HEADING.fullmatch(name):
            self.kind, self.level = "heading", int(name[1])

    def link(self, address: str) -> None:
        """Open a link; one to a place in the page is none."""
        self.urls.append("" if address.startswith("#") else address)
        if self.urls[-1] and not texts.address(address):
            # No document may lead there: a file beside the page, another protocol.
            self.lose("link", address[:200])

    def lose(self, what: str, text: str) -> None:
        """List what has no place in a text."""
        self.found.append(Block("lost", [[Run(f"{what}: {text.strip()}".strip(" :"))]]))

    def end(self) -> None:
        """End the block that is open."""
        lines = [line for line in self.lines if plain(line)]
        if lines:
            has_cells = self.kind != "row" or any(run.text == "\t" for run in lines[0])
            self.found.append(Block(self.kind if has_cells else "paragraph", lines, self.level))
        self.lines = [[]]
        self.kind, self.level = "paragraph", 0


def address_in(attributes: str) -> str:
    """Return the address that the attributes of a tag have; empty for none."""
    found = _ADDRESS.search(attributes)
    return html.unescape(found[2] or found[3] or "").strip() if found else ""
