"""What a typesetter adds to a text: spaces that don't break, and addresses of links on paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import unquote

from cvbuild.model import rich_text, urls
from cvbuild.model.rich_text import Link, Node, Span, Text
from cvbuild.view.types import Content

#: The style of the address that follows a link: see ``escape.STYLES``.
ADDRESS = "address"
#: Characters of the longest address that is printed: a longer one helps nobody on paper.
_MOST = 44
#: No line ends at these spaces: after an initial or a title, in a date or a number, before a state,
#: a unit, a number of an issue, or "al."; inside « » and before ; : ! ?, as French writes them, but
#: not around » «, as German and Danish do.
_TIES = re.compile(
    r"""
      (?<=\b[^\W\d_][.])[ ](?=[^\W\d_])                             # G. He
    | (?<=\bDr)[ ](?=\w) | (?<=\b(?:Dr|Mr|Ms|St)[.])[ ](?=\w)       # Dr Eiko
    | (?<=\b(?:Mrs)[.])[ ](?=\w) | (?<=\bProf[.])[ ](?=\w)          # Prof. Lee
    | (?<=\bProf)[ ](?=[^\W\d_]\w)
    | (?<=,)[ ](?=[A-Z]{2}\b(?![ ]*\w))                             # Seattle, WA
    | (?<=\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))[ ](?=[0-9]{4}\b)
    | (?<![^\s(\[-][«‹])(?<=[«‹])[ ] | [ ](?=[»›](?!\w))             # « mot »
    | [ ](?=[;:!?]+(?:[\s»›)\]]|$)) | (?<=[0-9])[ ](?=[0-9])        # fin ! 200 000
    | (?<=[0-9])[ ](?=[%‰€$£¥°](?!\w) | [kM]€ | (?:EUR|CHF)\b)      # 30 %
    | (?<=[0-9])[ ](?=(?:µs|ms|[kMGT]B|GHz|MHz|km|kg)\b)           # 40 ms
    | (?<=\b(?:by|to|of))[ ](?=[0-9][0-9.,]*[x×%])                  # by 4.2x
    | (?<=\b(?:Patent|Figure))[ ](?=[0-9]) | (?<=\b(?:Chapter|Section|Version))[ ](?=[0-9])
    | (?<=\b(?:Grade|Level|Phase|Table))[ ](?=[0-9])               # US Patent 11,514,370
    | (?<=\bet)[ ](?=al\b) | (?<=\b[Nn]o[.])[ ](?=[0-9]) | (?<=\b[Vv]ol[.])[ ](?=[0-9])
    """,
    re.VERBOSE,
)
#: The spaces of a date, but not those around the dash of a range.
_IN_DATE = re.compile(r"(?<![–—-]) (?![–—-])")
#: A text of fewer characters has one line. The space before a short word at the end.
_LINE = 60
_SHORT_END = re.compile(r"[ ](?=[^ ]{1,6}$)")
#: Where the last ideograph of a text of more than one line begins, with its marks.
_SQUARES = 24
_LAST_SQUARE = re.compile(r"(?<=[\u3041-\u30ff\u3400-\u9fff])(?=[\u3041-\u30ff\u3400-\u9fff]\W*$)")
#: After these an address may break.
_JOINTS = re.compile(r"(?<=[\w])([/._?&=;:-])(?=\w)")


def typeset(content: Content, *, addresses: bool) -> Content:
    """Return a text as it is set: tied, and with the addresses of its links if asked for."""
    if content.path[:1] in (("contact",), ("name",)):
        return content
    # A date in so many words is a text like others, which has to fit.
    short = len(rich_text.plain(content.nodes)) < _LINE
    spaces = _IN_DATE if content.path[-1:] == ("date",) and short else _TIES
    made = _joined_end(tuple(_nodes(content.nodes, spaces, addresses)))
    return content if made == content.nodes else replace(content, nodes=made)


def _nodes(tree: Iterable[Node], spaces: re.Pattern[str], addresses: bool) -> Iterator[Node]:
    for node in tree:
        match node:
            case Text(text):
                yield Text(spaces.sub("\u00a0", text))
            case Span(style, children):
                yield Span(style, tuple(_nodes(children, spaces, addresses)))
            case Link(url, children):
                yield Link(url, tuple(_nodes(children, spaces, addresses=False)))
                if addresses and (shown := _address(node)):
                    yield Text(" ")
                    yield Span(ADDRESS, (Text(f"({shown})"),))
            case _:
                yield node


def _joined_end(tree: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the text of more than one line without a short word alone on its last one.

    Ideographs are two at least.
    """
    last = tree[-1] if tree else None
    length = len(rich_text.plain(tree))
    if isinstance(last, Text) and length > _SQUARES and _LAST_SQUARE.search(last.text):
        return (*tree[:-1], Text(_LAST_SQUARE.sub("\u2060", last.text)))
    if not isinstance(last, Text) or length < _LINE:
        return tree
    return (*tree[:-1], Text(_SHORT_END.sub("\u00a0", last.text)))


def _address(link: Link) -> str:
    """Return the short address of a link, with marks where it may break; "" if it needs none."""
    shown = urls.display(link.url)
    words = rich_text.plain(link.children).casefold()
    if len(shown) > _MOST or unquote(shown).casefold().removesuffix("/") in unquote(words):
        return ""
    return _JOINTS.sub("\\1\u200b", shown)
