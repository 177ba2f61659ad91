"""Markdown, and HTML that a program made, as blocks: headings, paragraphs, points, rows."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cvbuild.importers.words.outline import Block, Run, has_tab, plain
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
#: Each attribute begins a word, so that a long one takes no longer than it is.
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
#: Points inside each other that are told apart.
_DEEPEST = 20


def blocks(text: str) -> list[Block]:
    """Return the blocks of Markdown: CommonMark and tables. HTML in it is read, too."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": 40, "breaks": True}).enable("table")
    parser.use(deflist_plugin)
    # What may be a link is decided when it is written; scripts stay the text that they are.
    parser.validateLink = _is_no_script  # type: ignore[method-assign]
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    found: list[Block] = []
    tokens: list[Token] = []
    for token in parser.parse(text):
        tokens.append(token)
        if token.map and token.nesting == 1:
            token.attrSet("data-lines", f"{token.map[0] + 1}-{token.map[1]}")
        if token.level or token.nesting > 0:
            continue
        # What HTML leaves open ends with the block.
        reader = _Html(*[(one.map[0] + 1, one.map[1]) for one in tokens if one.map][:1])
        reader.read(parser.renderer.render(tokens, parser.options, {}))
        reader.end()
        found += reader.found
        tokens = []
    return found


def _is_no_script(url: str) -> bool:
    return not url.lower().startswith(("javascript:", "data:", "vbscript:"))


def _code(_: object, tokens: Sequence[Token], at: int, *__: object) -> str:
    """Return lines of code as HTML."""
    lines = re.sub(" {2,}", "\t", html.escape(tokens[at].content)).splitlines()
    return f"<p>{'<br>'.join(f'<code>{line.strip()}</code>' for line in lines)}</p>"


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

    def __init__(self, place: tuple[int, int] = (0, 0)) -> None:
        self.found: list[Block] = []
        #: The first and the last line of the source that a block is of, if it is Markdown.
        self.place = place
        self.is_head = False
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
                said = {
                    name.lower(): html.unescape("".join(values)).strip()
                    for name, *values in _ATTRIBUTE.findall(found[2])
                }
                self.tag(found[1].lower(), said, is_end=found[0].startswith("</"))
            at = found.end()
        self.text(html.unescape(text[at:]))

    def text(self, text: str) -> None:
        """Add a text in the styles that are open; no cell begins with a blank."""
        shown, line = re.sub(r"[ \n\r\f]+", " ", text), self.lines[-1]
        if not line or line[-1].text == "\t":
            shown = shown.lstrip(" ")
        if shown and not self.skipped:
            url = self.urls[-1] if self.urls else ""
            line.append(Run(shown, frozenset(self.styles), url))

    def tag(self, name: str, attributes: dict[str, str], *, is_end: bool) -> None:
        """Open or close a style, a link or a block."""
        address = attributes.get("href") or attributes.get("src", "")
        if self.skipped:
            self.skipped = "" if is_end and name == self.skipped else self.skipped
        elif name in _SKIPPED:
            self.skipped = "" if is_end else name
        elif name in _STYLES:
            style = _STYLES[name]
            if not is_end:
                self.styles.append(style)
            elif style in self.styles:
                self.styles.remove(style)
        elif name == "a" and is_end:
            self.urls = self.urls[:-1]
        elif name == "a":
            # A link to a place in the page is none.
            self.urls.append("" if address.startswith("#") else address)
            if self.urls[-1] and not texts.address(address):
                # No document may lead there: a file beside the page, another protocol.
                self.lose("link", address[:200])
        elif name == "br":
            self.lines += [[]] if self.kind != "row" else []
        elif name in ("img", "iframe", "video") and not is_end:
            what = "image" if name == "img" else name
            self.lose(what, f"{attributes.get('alt', '')} {address[:200]}")
        else:
            self.block(name, attributes, is_end=is_end)

    def block(self, name: str, attributes: dict[str, str], *, is_end: bool) -> None:
        """Begin or end a block, or a part of one."""
        # Markdown's second paragraph of a point is one more; elsewhere it goes on.
        is_next = "data-lines" in attributes and self.lines[-1][-1:] != [Run("\t")]
        if name in ("ul", "ol"):
            self.depth = max(-1, min(_DEEPEST, self.depth + (-1 if is_end else 1)))
            self.end()
        elif name in ("td", "th", "dd") and self.kind == "row" and not is_end:
            self.lines[-1].append(Run("\t" if self.lines[-1] else ""))
        elif name == "thead":
            self.is_head = not is_end
        elif name == "p" and self.kind != "paragraph" and not is_next:
            self.text(" ")
        elif (name in _BLOCKS or _HEADING.fullmatch(name)) and (name, self.kind) != ("dt", "row"):
            self.end()
            self.begin("" if is_end else name, attributes)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Say of what kind the next block is."""
        lines = re.fullmatch(r"(\d{1,6})-(\d{1,6})", attributes.get("data-lines", ""))
        if lines:
            self.place = int(lines[1]), int(lines[2])
        if name == "li":
            indent = re.search(r"ql-indent-(\d)", attributes.get("class", ""))
            self.kind, self.level = "point", self.level + int(indent[1] if indent else 0)
        elif name == "tr" or (name == "dt" and lines):
            self.kind, self.level = "row", int(self.is_head)
        elif _HEADING.fullmatch(name):
            self.kind, self.level = "heading", int(name[1])

    def lose(self, what: str, text: str) -> None:
        """List what has no place in a text."""
        line = [Run(f"{what}: {text.strip()}".strip(" :"))]
        self.found.append(Block("lost", [line], 0, *self.place))

    def end(self) -> None:
        """End the block that is open."""
        lines = [[run for run in line if run.text] for line in self.lines if plain(line)]
        if lines:
            kind = "paragraph" if self.kind == "row" and not has_tab(lines[:1]) else self.kind
            self.found.append(Block(kind, lines, self.level, *self.place))
        self.lines = [[]]
        self.kind, self.level = "paragraph" if self.depth < 0 else "point", max(self.depth, 0)
