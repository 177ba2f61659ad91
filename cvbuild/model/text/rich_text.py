"""The inline Markdown of prose fields, as a tree.

Bold, italic, code, links, ``^superscript^`` and ``~subscript~``, a backslash before punctuation
or a line's end; HTML, entities, images and blocks are plain text. Parsed by markdown-it-py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.model.text import urls

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class Text(Struct, frozen=True):
    """Characters as a reader sees them."""

    text: str


class Code(Struct, frozen=True):
    """Characters in a typewriter face, printed exactly as they are."""

    text: str


class Break(Struct, frozen=True):
    """A line break that the writer asked for."""


class Span(Struct, frozen=True):
    """Children in one style: strong, emph, sup or sub."""

    style: str
    children: tuple[Node, ...]


class Link(Struct, frozen=True):
    """Children that lead to ``url``, an absolute URL in ASCII."""

    url: str
    children: tuple[Node, ...]


class TitleError(ValueError):
    """A link with a title, which no document shows; ``args[0]`` is the title."""


#: Characters of which one has to be there for a text to be more than its characters.
_MEANT = re.compile(r"""[\\`*_\[\]<>^~"'\r\n\0]""")

Node: TypeAlias = Text | Code | Break | Span | Link

#: Styles inside each other.
MAX_DEPTH = 20
_STYLES = {"strong": "strong", "em": "emph", "sup": "sup", "sub": "sub"}


def plain(nodes: Iterable[Node]) -> str:
    """Return the tree's characters without any style."""
    return "".join(_plain(node) for node in nodes)


def links(nodes: Iterable[Node]) -> Iterator[Link]:
    """Yield every link in the text, in its order."""
    for node in nodes:
        if isinstance(node, Link):
            yield node
        if isinstance(node, Link | Span):
            yield from links(node.children)


def _plain(node: Node) -> str:
    match node:
        case Text(text) | Code(text):
            return text
        case Break():
            return " "
        case Span(_, children) | Link(_, children):
            return plain(children)


@lru_cache(maxsize=8)
def _parser(quotes: Sequence[str]) -> MarkdownIt:
    from markdown_it import MarkdownIt

    from cvbuild.model.text import marks

    parser = MarkdownIt("zero", {"typographer": bool(quotes), "quotes": quotes, "maxNesting": 20})
    parser.enable(["escape", "backticks", "emphasis", "link", "autolink"])
    parser.use(marks.rules)
    if quotes:
        parser.enable("smartquotes")
    # The scheme is checked by urls.normalise, which can say what is wrong; markdown-it would
    # silently print the brackets instead.
    for name, function in {
        "validateLink": lambda _: True,
        "normalizeLink": str,
        "normalizeLinkText": str,
    }.items():
        setattr(parser, name, function)
    return parser


def parse(text: str, quotes: Sequence[str] = "") -> tuple[Node, ...]:
    """Return the tree of one paragraph; raise urls.UrlError for a link that is not allowed.

    Raises TitleError for one with a title, which would be lost.

    ``quotes`` are the four quotation marks of the language, as in "“”‘’", hashable: straight
    quotes in words become these, those in code stay. Without them every quote stays as written.
    """
    if not _MEANT.search(text):
        return (Text(text),) if text else ()
    tokens = _parser(quotes).parseInline(text, {})
    children = tokens[0].children if tokens else None
    return _tree(children or ())


def doubts(text: str) -> tuple[tuple[str, str], ...]:
    """Return what may not be meant as Markdown, and what it becomes: ``~main~``, "main"."""
    env: dict[str, list[tuple[str, str]]] = {}
    if re.search(r"[\\~*_]", text):
        _parser("").parseInline(text, env)
    written = env.get("escapes", ())
    some_stay = any(sign == becomes for sign, becomes in written)
    lost = (one for one in written if one[0] != one[1] and (some_stay or one[1] in ".:/?,;=@()"))
    return (*env.get("doubts", ()), *lost)


@lru_cache(maxsize=4)
def _plain_parser(quotes: Sequence[str]) -> MarkdownIt:
    from markdown_it import MarkdownIt

    from cvbuild.model.text import marks

    parser = MarkdownIt("zero", {"typographer": True, "quotes": quotes}).enable("smartquotes")
    return parser.use(marks.apostrophes)


def curl(text: str, quotes: Sequence[str]) -> str:
    """Return a plain text with its straight quotes replaced by those of the language."""
    if '"' not in text and "'" not in text:
        return text
    tokens = _plain_parser(quotes).parseInline(text, {})
    return "".join(token.content for token in tokens[0].children or ())


def _tree(tokens: Iterable[Token]) -> tuple[Node, ...]:
    """Return the nodes of a token list; styles nested more than MAX_DEPTH deep are removed.

    It doesn't recurse: a text of ten thousand asterisks nests as deep as it is long.
    """
    levels: list[list[Node]] = [[]]
    opened: list[Token | None] = []
    for token in tokens:
        kind = token.type
        if kind.endswith("_open"):
            deep = len(levels) > MAX_DEPTH
            opened.append(None if deep else token)
            if not deep:
                levels.append([])
        elif kind.endswith("_close"):
            before = opened.pop()
            if before is not None:
                children = tuple(_merge(levels.pop()))
                levels[-1].append(_styled(before, children))
        else:
            levels[-1].extend(_leaf(token))
    return tuple(_merge(levels[0]))


def _styled(token: Token, children: tuple[Node, ...]) -> Node:
    if token.type == "link_open":
        if title := token.attrs.get("title"):
            raise TitleError(str(title))
        return Link(urls.normalise(str(token.attrs.get("href", ""))), children)
    return Span(_STYLES[token.type.removesuffix("_open")], children)


def _leaf(token: Token) -> Iterator[Node]:
    if token.type == "code_inline":
        yield Code(token.content)
    elif token.type == "hardbreak":
        yield Break()
    elif token.type == "softbreak":
        yield Text(" ")
    elif token.content:
        yield Text(token.content)


def _merge(nodes: Iterable[Node]) -> Iterator[Node]:
    """Join neighbouring texts, so that escaping sees whole words."""
    waiting = ""
    for node in nodes:
        if isinstance(node, Text):
            waiting += node.text
            continue
        if waiting:
            yield Text(waiting)
            waiting = ""
        yield node
    if waiting:
        yield Text(waiting)


def capitals(nodes: Iterable[Node], language: str) -> tuple[Node, ...]:
    """Return the same in capitals, as the language writes them; code stays as it is."""
    return tuple(_capital(node, language.partition("-")[0]) for node in nodes)


def _capital(node: Node, language: str) -> Node:
    match node:
        case Text(text=text):
            if language in ("az", "tr"):
                text = text.replace("i", "İ")
            if language == "el":
                # Greek capitals have no accents.
                parts = unicodedata.normalize("NFD", text)
                text = unicodedata.normalize("NFC", parts.replace("\u0301", ""))
            return Text(text.upper())
        case Span() | Link():
            return replace(node, children=capitals(node.children, language))
    return node
