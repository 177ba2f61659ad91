"""Markdown, and HTML that a program made, as blocks: headings, paragraphs, points, rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from cvbuild.importers.documents.outline import Block, Run, as_one, flat, plain, row_of
from cvbuild.inputs.references import texts

if TYPE_CHECKING:
    from markdown_it.token import Token

_STYLES = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "tt": "code",
           "sup": "sup", "sub": "sub"}  # fmt: skip
_HEADING = re.compile("h[1-6]")
_BLOCKS = frozenset(
    ("p", "div", "li", "section", "blockquote", "article", "header", "footer", "main", "aside",
     "address", "center", "details", "summary", "dl", "dt", "dd", "pre", "hr")
)  # fmt: skip
_SKIPPED = frozenset(("script", "style", "head", "template"))


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
                reader.handle_data(child.content)
            case "code_inline":
                reader.lines[-1].append(Run(child.content, frozenset(("code",))))
            case "softbreak" | "hardbreak":
                reader.lines.append([])
            case "html_inline":
                reader.feed(child.content)
            case "image":
                address = str(child.attrGet("src") or "")
                reader.found.append(Block("lost", [[Run(f"image: {child.content} {address}")]]))
            case "link_open":
                reader.handle_starttag("a", [("href", str(child.attrGet("href") or ""))])
            case "link_close":
                reader.handle_endtag("a")
            case "strong_open" | "em_open":
                reader.handle_starttag(child.tag, [])
            case "strong_close" | "em_close":
                reader.handle_endtag(child.tag)
    return reader.lines, reader.found


def html_blocks(text: str) -> list[Block]:
    """Return the blocks of HTML; what isn't closed ends at the end."""
    reader = _Html()
    reader.feed(text)
    reader.close()
    reader.end()
    while reader.rows:
        reader.handle_endtag("table")
    return reader.found


class _Html(HTMLParser):
    """Collects blocks. Tags that it doesn't know count as nothing; their text stays."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Block] = []
        self.lines: list[list[Run]] = [[]]
        self.kind, self.level = "paragraph", 0
        self.depth = -1
        self.styles: list[str] = []
        self.urls: list[str] = []
        self.skipped = 0
        #: Tables that are open.
        self.tables = 0
        #: Rows that are open, with their cells, where the cell began in what was found, and the
        #: number of tables that were open.
        self.rows: list[tuple[list[list[Block]], int, int]] = []

    def handle_data(self, data: str) -> None:
        """Add a text in the styles that are open."""
        if not self.skipped:
            styles = frozenset(self.styles)
            text = re.sub(r"[ \n\r\f]+", " ", data)
            self.lines[-1].append(Run(text, styles, self.urls[-1] if self.urls else ""))

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Open a style, a link or a block."""
        values = {key: value or "" for key, value in attrs}
        if tag in _SKIPPED:
            self.skipped += 1
        elif tag in _STYLES:
            self.styles.append(_STYLES[tag])
        elif tag == "a":
            self._open_link(values.get("href", "").strip())
        elif tag == "br":
            self.lines.append([])
        elif tag == "img":
            alt = f"image: {values.get('alt', '')} {values.get('src', '')[:200]}"
            self.found.append(Block("lost", [[Run(alt.strip(" :"))]]))
        elif tag in ("ul", "ol"):
            self.end()
            self.depth += 1
        elif tag == "table":
            self.end()
            self.tables += 1
        elif tag == "tr":
            self._end_row()
            self.rows.append(([], len(self.found), self.tables))
        elif tag in ("td", "th"):
            self._end_open_cell()
        elif tag == "li":
            self.end()
            self.kind, self.level = "point", max(self.depth, 0)
        elif _HEADING.fullmatch(tag):
            self.end()
            self.kind, self.level = "heading", int(tag[1])
        elif tag in _BLOCKS and (self.kind != "point" or any(map(plain, self.lines))):
            # The first paragraph of a point is the point.
            self.end()

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened."""
        if tag in _SKIPPED:
            self.skipped = max(0, self.skipped - 1)
        elif tag in _STYLES and _STYLES[tag] in self.styles:
            self.styles.remove(_STYLES[tag])
        elif tag == "a" and self.urls:
            self.urls.pop()
        elif tag in ("ul", "ol"):
            self.end()
            self.depth = max(-1, self.depth - 1)
        elif tag in ("tr", "table"):
            self._end_row()
            self.tables -= tag == "table"
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag in _BLOCKS or _HEADING.fullmatch(tag):
            self.end()

    def _open_link(self, address: str) -> None:
        self.urls.append("" if address.startswith("#") else address)
        if self.urls[-1] and not texts.address(address):
            # No document may lead there: a file beside the page, another protocol.
            self.found.append(Block("lost", [[Run(f"link: {address[:200]}")]]))

    def _end_row(self) -> None:
        """End the row that is open in the innermost table; its end may not be written."""
        self._end_open_cell()
        if self.rows and self.rows[-1][2] >= self.tables:
            self.found += row_of(self.rows.pop()[0])

    def _end_open_cell(self) -> None:
        """End a cell whose end isn't written."""
        self.end()
        if self.rows and len(self.found) > self.rows[-1][1]:
            self._end_cell()

    def _end_cell(self) -> None:
        """Put what was found since the last cell of the row into a new one."""
        self.end()
        if self.rows:
            cells, start, _ = self.rows[-1]
            cells.append(self.found[start:])
            del self.found[start:]

    def end(self) -> None:
        """End the block that is open."""
        lines = [line for line in self.lines if plain(line)]
        if lines:
            self.found.append(Block(self.kind, lines, self.level))
        self.lines = [[]]
        self.kind, self.level = "paragraph", 0
