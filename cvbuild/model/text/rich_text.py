"""The inline Markdown of prose fields, as a tree.

Bold, italic, code, links, ``^superscript^`` and ``~subscript~``, a backslash before punctuation
or a line's end; HTML, entities, images and blocks are plain text. Parsed by markdown-it-py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.model.text import lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
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
    return "".join(
        " "
        if isinstance(node, Break)
        else node.text
        if isinstance(node, Text | Code)
        else plain(node.children)
        for node in nodes
    )


def links(nodes: Iterable[Node]) -> Iterator[Link]:
    """Yield every link in the text, in its order."""
    for node in nodes:
        if isinstance(node, Link):
            yield node
        if isinstance(node, Link | Span):
            yield from links(node.children)


@lru_cache(maxsize=12)
def _parser(quotes: Sequence[str], *, is_plain: bool = False) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("zero", {"typographer": bool(quotes), "quotes": quotes, "maxNesting": 20})
    if is_plain:
        return parser.enable("smartquotes").use(apostrophes)
    parser.enable(["escape", "backticks", "emphasis", "link", "autolink"])
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.at("escape", _escape)
    parser.inline.ruler.after("emphasis", "script", _script)
    parser.inline.ruler2.after("balance_pairs", "signs", _signs)
    parser.use(apostrophes)
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
    return _tree((tokens[0].children if tokens else None) or ())


def doubts(text: str) -> tuple[tuple[str, str], ...]:
    """Return what may not be meant as Markdown, and what it becomes: ``~main~``, "main"."""
    env: dict[str, list[tuple[str, str]]] = {}
    if re.search(r"[\\~*_]", text):
        _parser("").parseInline(text, env)
    written = env.get("escapes", ())
    some_stay = any(sign == becomes for sign, becomes in written)
    lost = (one for one in written if one[0] != one[1] and (some_stay or one[1] in ".:/?,;=@()"))
    return (*env.get("doubts", ()), *lost)


def curl(text: str, quotes: Sequence[str]) -> str:
    """Return a plain text with its straight quotes replaced by those of the language."""
    if '"' not in text and "'" not in text:
        return text
    tokens = _parser(quotes, is_plain=True).parseInline(text, {})
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
            if before is None:
                continue
            children = tuple(_merge(levels.pop()))
            if before.type != "link_open":
                style = _STYLES[before.type.removesuffix("_open")]
                levels[-1].append(Span(style, children))
                continue
            if title := before.attrs.get("title"):
                raise TitleError(str(title))
            url = lines.normal_url(str(before.attrs.get("href", "")))
            levels[-1].append(Link(url, children))
        elif kind == "code_inline":
            levels[-1].append(Code(token.content))
        elif kind == "hardbreak":
            levels[-1].append(Break())
        elif kind == "softbreak" or token.content:
            levels[-1].append(Text(token.content or " "))
    return tuple(_merge(levels[0]))


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
    first, written = language.partition("-")[0], list[Node]()
    for node in nodes:
        if isinstance(node, Text):
            text = node.text.replace("i", "İ") if first in ("az", "tr") else node.text
            if first == "el":
                # Greek capitals have no accents.
                parts = unicodedata.normalize("NFD", text)
                text = unicodedata.normalize("NFC", parts.replace("\u0301", ""))
            written.append(Text(text.upper()))
        elif isinstance(node, Span | Link):
            written.append(replace(node, children=capitals(node.children, language)))
        else:
            written.append(node)
    return tuple(written)


# -- which marks are meant as marks, and which are signs of a text; apostrophes --------------------
#
# Rules of markdown-it for ``* _ ^ ~``: in ``O(n^2)->O(n^1.5)``, ``M*N*K``, ``__init__`` and
# ``~5k→~10k`` they are signs. What may be either is a mark, and a doubt in ``env["doubts"]``.

#: A sign at both ends; a space between them needs a backslash.
_SCRIPT = re.compile(r"([\^~])((?:\\[\W_]|[^\s\\^~]){1,60})\1(?!\1)")
_ESCAPED = re.compile(r"\\([\W_])")
#: What is raised or lowered: words, numbers, charges, signs of notes, perhaps in parentheses.
_RAISED = re.compile(
    r"(?P<open>\()?"
    r"(?:[*†‡§¶'′∞®™℠°+±−–-]{1,3}|[+±−–-]?[^\W_](?:[\w+±−–=,.·*†‡′ -]*[\w+−*†‡′-])?)"
    r"(?(open)\))"
)
#: What may be in the middle of a word: 2 in H₂O, 18 in ¹⁸F.
_IN_WORD = {"^": re.compile(r"[+−-]?\d+[+−]?"), "~": re.compile(r"\d+|[a-z]")}
_SIGNS = frozenset("+−–-")
#: The end of a file's name.
_SUFFIX = re.compile(r"\.[a-z]")
#: The first letters of a word: **H**igh.
_INITIAL = re.compile(r"(?<!\*)\*\*[^\W\d_]{1,30}\Z")
#: What stands between single and double underscores in a program's name.
_NAMES = (re.compile(r"\w+_\w+"), re.compile(r"\w{2,}"))
#: Beside a mark these are signs of paths, patterns and code: before its beginning, and so on.
_NEVER_BEFORE, _NEVER_FIRST = frozenset("/.\\=+$@#%|)]}"), frozenset("/,;:=|)]}>%&")
_NEVER_FIRST_OF_SINGLE = _NEVER_FIRST | frozenset(".-~")
_NEVER_LAST = frozenset("/=|([{<\\&@")
_CODE = re.compile(r"[={}|\\$;]|->|::|\w\(")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
#: Tokens of a pair of marks that is looked into.
_LONG = 60
_ELISION = re.compile(r"(?<![\w'])'(?=\d\ds?\b)|(?<![\w'])'(?=n'(?!\w))|(?<=\bn)'(?!\w)")
_INCHES = re.compile(r"(?<=\d)’(?=\d{1,2}\")")


def apostrophes(parser: MarkdownIt) -> None:
    """Let ``'90s`` and ``rock 'n' roll`` have apostrophes, and ``6'2"`` signs of one sort."""
    parser.core.ruler.before("smartquotes", "elisions", partial(_replace, _ELISION, "’"))
    parser.core.ruler.after("smartquotes", "inches", partial(_replace, _INCHES, "'"))


def _escape(state: StateInline, silent: bool) -> bool:
    from markdown_it.rules_inline import escape

    start = state.pos
    if not escape(state, silent):
        return False
    written = state.src[start : state.pos]
    if not silent and written[1] != "\n":
        state.env.setdefault("escapes", []).append((written, state.tokens[-1].content))
    return True


def _script(state: StateInline, silent: bool) -> bool:
    match = None if silent else _SCRIPT.match(state.src, state.pos, state.posMax)
    if not match or not _is_raised(match, state.src):
        return False
    kind = "sup" if match[1] == "^" else "sub"
    content = _ESCAPED.sub(r"\1", match[2])
    state.push(f"{kind}_open", kind, 1)
    state.push("text", "", 0).content = content
    state.push(f"{kind}_close", kind, -1)
    if kind == "sub" and not state.src[match.start() - 1 : match.start()].strip():
        state.env.setdefault("doubts", []).append((match[0], content))
    state.pos = match.end()
    return True


def _is_raised(match: re.Match[str], text: str) -> bool:
    """Return whether a pair of ``^`` or ``~`` is meant so."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    content = _ESCAPED.sub(r"\1", match[2])
    if before == match[1] or not _RAISED.fullmatch(content) or ".." in content:
        return False
    in_word = _IN_WORD[match[1]].fullmatch(content) is not None
    if after in _SIGNS:
        return in_word or content.isalnum()
    return not _is_letter(after) or (in_word and not after.isdigit())


def _is_letter(character: str) -> bool:
    """Return whether it is a digit or a letter of a script with capitals; Chinese has no words."""
    return unicodedata.category(character or " ") in ("Lu", "Ll", "Lt", "Nd")


def _emphasis(state: StateInline, silent: bool) -> bool:
    from markdown_it.rules_inline import emphasis

    start, text = state.pos, state.src
    if not emphasis.tokenize(state, silent):
        return False
    count, last = state.pos - start, text[start - 1 : start]
    # Other marks may stand between: _**x**_.
    before = text[max(0, start - 8) : start].rstrip("*_")[-1:]
    after = text[state.pos : state.pos + 8].lstrip("*_")
    first = text[state.pos : state.pos + 1]
    is_bold = count == 2 and first.isalpha()
    opens = not _is_letter(before) and (is_bold or before not in _NEVER_BEFORE)
    opens = opens and first not in (_NEVER_FIRST if count > 1 else _NEVER_FIRST_OF_SINGLE)
    closes = not _is_letter(after[:1]) and not (count == 1 and _SUFFIX.match(after))
    closes = closes or (count == 2 and bool(_INITIAL.search(text, max(0, start - 33), start)))
    for delimiter in state.delimiters[-count:]:
        delimiter.open = delimiter.open and opens
        delimiter.close = delimiter.close and closes and last not in _NEVER_LAST
    return True


def _signs(state: StateInline) -> None:
    """Part the pairs that are a program's name, or have half of a pair of brackets in them."""
    for meta in ({"delimiters": state.delimiters}, *filter(None, state.tokens_meta)):
        delimiters = meta.get("delimiters", ())
        for opener in delimiters:
            closer = delimiters[opener.end] if opener.end >= 0 else opener
            if not 0 < closer.token - opener.token <= _LONG:
                continue
            tokens = state.tokens[opener.token : closer.token + 1]
            mark, length = tokens[0].content, opener.length
            text = "".join(token.content for token in tokens if token.type == "text").strip(mark)
            if (mark == "_" and _NAMES[length > 1].fullmatch(text)) or not _is_balanced(text):
                opener.end = -1
            elif length == closer.length == 1 and _CODE.search(text):
                state.env.setdefault("doubts", []).append((f"{mark}{text}{mark}", text))


def _is_balanced(text: str) -> bool:
    opened: list[str] = []
    for character in text:
        if character in _BRACKETS.values():
            opened.append(character)
        elif character in _BRACKETS and (not opened or opened.pop() != _BRACKETS[character]):
            return False
    return not opened


def _replace(pattern: re.Pattern[str], character: str, state: StateCore) -> None:
    if state.md.options.typographer:
        for block in state.tokens:
            for token in block.children or ():
                if token.type == "text":
                    token.content = pattern.sub(character, token.content)
