"""Texts of other programs (HTML, plain text, Markdown) as paragraphs and points of an item.

Whole documents become blocks: headings, paragraphs, points, rows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, get_args

from cvbuild.importers.outline import Block, Run, has_tab, markdown, plain
from cvbuild.model import kinds
from cvbuild.model.base import fields_of
from cvbuild.model.kinds.work import Role
from cvbuild.model.text import texts

if TYPE_CHECKING:
    from markdown_it.token import Token

_SENTENCE = (".", "!", "?", ";", "…", "。", "”")
#: Characters of a text that is read: many pages.
_LONGEST = 1 << 17
_IS_HTML = re.compile(
    r"</?(?:p|br|div|ul|ol|li|b|strong|i|em|u|a|span|h[1-6]|sup|sub|code|font|table|td|tr)\b[^<>]*>"
    r"|&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});",
    re.IGNORECASE,
)
#: Of texts of programs that say that theirs are Markdown.
_IS_TAGGED = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]+|#\d+);", re.IGNORECASE)
_HASHES = re.compile(r"(?m)^#{1,6}\s+")
#: An asterisk inside of a word: 2*3*4.
_PRODUCT = re.compile(r"(?<=[^\W_])\*(?=[^\W_])")
_SINGLE = re.compile(r"(?<!\\)([\^~])")
#: Signs that are bullets wherever they stand.
_ALWAYS = "•●▪■◦○‣⁃➢➤►✓✔∙·"
#: Those that need a blank after them.
_DASHES = "–—*-"
#: A bullet at the start of a line.
SIGN = re.compile(rf"\s*(?:[{_ALWAYS}]\s*|[{_DASHES}]\s+)(?=\S)")
#: A bullet, or a number with its dot or bracket.
ITEM = re.compile(rf"(\s*)(?:[{_ALWAYS}{_DASHES}]\s+|[{_ALWAYS}]|\(?\d{{1,2}}[.)]\s+)(?=\S)")
_NUMBER = re.compile(r"\s*\(?(\d{1,2})[.)]\s")
_INNER = "◦○"
_ENDS = (".", "!", "?", ";", ":", "…", "。", "”", '"', ")")


def put(item: dict[str, Any], kind: str, blocks: Blocks) -> list[str]:
    """Put blocks into an item, after what it has already, under the keys that its kind has.

    ``kind`` is that of the section, or ``role`` for a position at an employer. Returns what has no
    place there, such as the address of a link that no document may have.
    """
    keys = keys_of(kind)
    if "bullets" not in keys:
        key = "summary" if "summary" in keys else "quote" if "quote" in keys else ""
        if not key:
            return [*blocks.lost, *blocks.paragraphs]
        item[key] = joined([item.get(key, ""), *blocks.paragraphs])
        return blocks.lost
    opening: list[Paragraph] = []
    if "summary" in keys and "bullets" not in item:
        # What is prose: all before the points, or the first line of several.
        opening = [*takewhile(lambda block: block.level is None, blocks.blocks)]
        if not all(block.text.rstrip("*`").endswith(_SENTENCE) for block in opening[:-1]):
            opening = opening[:1]
    if opening:
        item["summary"] = joined([item.get("summary", ""), *(block.text for block in opening)])
    if points := nested(blocks.blocks[len(opening) :]):
        item["bullets"] = [*item.get("bullets", ()), *points]
    return blocks.lost


def joined(parts: list[str]) -> str:
    """Return texts as one; a full stop stands where one has no end of a sentence."""
    made = ""
    for part in filter(None, parts):
        between = "" if not made else " " if made.endswith((*_SENTENCE, ":", ",")) else ". "
        made += between + part
    return made


def nested(blocks: list[Paragraph]) -> list[Any]:
    """Return paragraphs and points as bullets; deeper ones, and those after a colon, are inner."""
    points: list[Any] = []
    is_under = False
    for index, block in enumerate(blocks):
        if block.level is None:
            is_before = any(one.level is not None for one in blocks[index + 1 : index + 2])
            is_under = is_before and block.text.endswith(":")
        elif points and (block.level > 0 or is_under):
            if not isinstance(points[-1], dict):
                points[-1] = {"text": points[-1], "bullets": []}
            points[-1]["bullets"].append(block.text)
            continue
        points.append(block.text)
    return points


@cache
def keys_of(kind: str) -> Mapping[str, Any]:
    """Return the keys that items of a kind have, and their types; a ``role`` is one of a post."""
    model: Any = Role
    if kind != "role":
        annotation = kinds.of(kind).section.model_fields["items"].annotation  # type: ignore[union-attr]
        (model,) = (one for one in leaves(annotation) if hasattr(one, "model_fields"))
    return {key: field.annotation for key, field in fields_of(model).items()}


def leaves(annotation: Any) -> list[Any]:
    """Return the types that an annotation is made of."""
    inner = get_args(annotation)
    return [leaf for one in inner for leaf in leaves(one)] if inner else [annotation]


@dataclass(slots=True)
class Paragraph:
    """A paragraph, or a point at a level that counts from 0; ``text`` is our inline Markdown."""

    text: str
    level: int | None = None


@dataclass(slots=True)
class Blocks:
    """What a text says in its order; ``lost`` are addresses that no document may link to."""

    blocks: list[Paragraph] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def paragraphs(self) -> list[str]:
        """All of it as paragraphs."""
        return [block.text for block in self.blocks]


def read(text: str, *, is_markdown: bool = False) -> Blocks:
    """Return the paragraphs and points of HTML, of plain text or of a program's Markdown.

    What no CV could hold is lost.
    """
    if is_markdown and not _IS_TAGGED.search(text):
        return _of_lines(_HASHES.sub("", text), is_markdown=True)
    rest, text = text[_LONGEST:], text[:_LONGEST]
    made = Blocks() if _IS_HTML.search(text) else _of_lines(text)
    for block in Html().read(text) if _IS_HTML.search(text) else ():
        is_bare = not any(run.styles or run.url for run in block.runs)
        if block.kind == "lost":
            made.lost.append(block.plain.partition(": ")[2])
        elif block.kind == "paragraph" and is_bare and ITEM.match(block.plain):
            made.blocks += _of_lines(block.plain).blocks
        else:
            level = block.level if block.kind == "point" else None
            made.blocks += [Paragraph(markdown(line, is_all=True), level) for line in block.lines]
    if rest:
        made.lost.append(f"{len(rest):,} characters at the end")
    return made


def inline(text: str, *, is_markdown: bool = False) -> str:
    """Return a text of one line, such as a title: HTML if it has tags or entities.

    In Markdown ``^`` and ``~``, which mean nothing there, stay characters.
    """
    if is_markdown and not _IS_TAGGED.search(text):
        text = texts.line(text)
        if max(map(text.count, "^~")) > 1:
            text = _SINGLE.sub(r"\\\1", text)
        return texts.markdown(_PRODUCT.sub(r"\*", text))
    if not _IS_HTML.search(text):
        return texts.plain(text)
    found = read(text)
    addresses = f" ({texts.plain(', '.join(found.lost))})" if found.lost else ""
    return " ".join(found.paragraphs) + addresses


def _of_lines(text: str, *, is_markdown: bool = False) -> Blocks:
    """Return the blocks of a text: a line with a bullet is a point, another a paragraph."""
    rows: list[tuple[list[str], int | None]] = []
    is_open = False
    lines = text.splitlines()
    numbers = [int(found[1]) for line in lines if (found := _NUMBER.match(line))]
    # "10. May was warm" is no list.
    is_list = numbers[:2] == [1, 2]
    for line in lines:
        text, found = line.strip(), ITEM.match(line)
        before, level = rows[-1] if is_open else ([""], None)
        goes_on = text[:1].islower() and not before[-1].endswith(_ENDS)
        if level is not None:
            # The text was wrapped, or it is indented.
            goes_on = line[:1].isspace() or text[:1].islower()
        if found and (is_list or not _NUMBER.match(line)):
            is_inner = len(found[1].expandtabs(4)) >= 2 or found.group().strip()[:1] in _INNER
            rows.append(([line[found.end() :].strip()], int(is_inner and level is not None)))
        elif text and is_open and goes_on:
            before.append(text)
        elif text:
            rows.append(([text], None))
        is_open = bool(text)
    shown = partial(inline, is_markdown=True) if is_markdown else texts.plain
    return Blocks([Paragraph(shown(" ".join(parts)), level) for parts, level in rows])


# -- HTML and Markdown as blocks -------------------------------------------------------------------

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
    scripts = ("javascript:", "data:", "vbscript:")
    parser.validateLink = lambda url: not url.lower().startswith(scripts)  # type: ignore[method-assign]
    parser.add_render_rule("fence", _code)
    # What people indent is rather a text.
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
        place = [(one.map[0] + 1, one.map[1]) for one in tokens if one.map][:1]
        found += Html(*place).read(parser.renderer.render(tokens, parser.options, {}))
        tokens = []
    return found


def _code(_: object, tokens: Sequence[Token], at: int, *__: object) -> str:
    lines = re.sub(" {2,}", "\t", html.escape(tokens[at].content)).splitlines()
    tags = ("<code>", "</code>") if tokens[at].type == "fence" else ("", "")
    return f"<p>{'<br>'.join(line.strip().join(tags) for line in lines)}</p>"


class Html:
    """Collects blocks. Tags that it doesn't know count as nothing; their text stays.

    Blocks that are ``lost`` are images, and links to where none may lead.
    """

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

    def read(self, text: str) -> list[Block]:
        """Return the blocks; tags are found by their form alone, in linear time."""
        at = 0
        for found in _TAG.finditer(text):
            self._text(html.unescape(text[at : found.start()]))
            if found[1]:
                said = {
                    name.lower(): html.unescape("".join(values)).strip()
                    for name, *values in _ATTRIBUTE.findall(found[2])
                }
                self._tag(found[1].lower(), said, is_end=found[0].startswith("</"))
            at = found.end()
        self._text(html.unescape(text[at:]))
        self._end()
        return self.found

    def _text(self, text: str) -> None:
        """Add a text in the styles that are open; no cell begins with a blank."""
        shown, line = re.sub(r"[ \n\r\f]+", " ", text), self.lines[-1]
        if not line or line[-1].text == "\t":
            shown = shown.lstrip(" ")
        if shown and not self.skipped:
            url = self.urls[-1] if self.urls else ""
            line.append(Run(shown, frozenset(self.styles), url))

    def _tag(self, name: str, attributes: dict[str, str], *, is_end: bool) -> None:
        address, lost = attributes.get("href") or attributes.get("src", ""), ""
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
                lost = f"link: {address[:200]}"
        elif name == "br":
            self.lines += [[]] if self.kind != "row" else []
        elif name in ("img", "iframe", "video") and not is_end:
            said = f"{attributes.get('alt', '')} {address[:200]}".strip()
            lost = f"{'image' if name == 'img' else name}: {said}"
        else:
            self._block(name, attributes, is_end=is_end)
        if lost:
            self.found.append(Block("lost", [[Run(lost.strip(" :"))]], 0, *self.place))

    def _block(self, name: str, attributes: dict[str, str], *, is_end: bool) -> None:
        # Markdown's second paragraph of a point is one more; elsewhere it goes on.
        is_next = "data-lines" in attributes and self.lines[-1][-1:] != [Run("\t")]
        if name in ("ul", "ol"):
            self.depth = max(-1, min(_DEEPEST, self.depth + (-1 if is_end else 1)))
            self._end()
        elif name in ("td", "th", "dd") and self.kind == "row" and not is_end:
            self.lines[-1].append(Run("\t" if self.lines[-1] else ""))
        elif name == "thead":
            self.is_head = not is_end
        elif name == "p" and self.kind != "paragraph" and not is_next:
            self._text(" ")
        elif (name in _BLOCKS or _HEADING.fullmatch(name)) and (name, self.kind) != ("dt", "row"):
            self._end()
            lines = re.fullmatch(r"(\d{1,6})-(\d{1,6})", attributes.get("data-lines", ""))
            if is_end:
                return
            if lines:
                self.place = int(lines[1]), int(lines[2])
            if name == "li":
                indent = re.search(r"ql-indent-(\d)", attributes.get("class", ""))
                self.kind, self.level = "point", self.level + int(indent[1] if indent else 0)
            elif name == "tr" or (name == "dt" and lines):
                self.kind, self.level = "row", int(self.is_head)
            elif _HEADING.fullmatch(name):
                self.kind, self.level = "heading", int(name[1])

    def _end(self) -> None:
        lines = [[run for run in line if run.text] for line in self.lines if plain(line)]
        if lines:
            kind = "paragraph" if self.kind == "row" and not has_tab(lines[:1]) else self.kind
            self.found.append(Block(kind, lines, self.level, *self.place))
        self.lines = [[]]
        self.kind, self.level = "paragraph" if self.depth < 0 else "point", max(self.depth, 0)
