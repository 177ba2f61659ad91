"""Spaces at which no line ends, in documents of all formats that have lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import Link, Node, Span, Text
from cvbuild.view.types import Content

#: Where texts that keep all their spaces come from.
AS_WRITTEN = (("contact",), ("name",))
#: No line ends at these spaces: after an initial or a title, in a date or a number, before a state,
#: a unit, a number of an issue, or "al."; inside « » and before ; : ! ?, as French writes them, but
#: not around » «, as German and Danish do.
_SPACES = re.compile(
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
#: The spaces of a date, but not those around the dash of a range, or after the comma between two.
_IN_DATE = re.compile(r"(?<![–—,-]) (?![–—-])|(?<=\b[0-9],) |(?<=\b[0-9]{2},) ")
#: A text of fewer characters has one line. The space before a short word at the end.
_LINE = 60
_SHORT_END = re.compile(r"[ ](?=[^ ]{1,6}$)")
#: Where the last ideograph of a text of more than one line begins, with its marks.
_SQUARES = 24
_LAST_SQUARE = re.compile(r"(?<=[\u3041-\u30ff\u3400-\u9fff])(?=[\u3041-\u30ff\u3400-\u9fff]\W*$)")


def tied(content: Content) -> tuple[Node, ...]:
    """Return the nodes of a text with no-break spaces; those of a name or a contact as they are."""
    if content.path[:1] in AS_WRITTEN:
        return content.nodes
    # A date in so many words is a text like others, which has to fit.
    short = len(rich_text.plain(content.nodes)) < _LINE
    spaces = _IN_DATE if content.path[-1:] == ("date",) and short else _SPACES
    return _joined_end(tuple(_nodes(content.nodes, spaces)))


def _nodes(tree: Iterable[Node], spaces: re.Pattern[str]) -> Iterator[Node]:
    for node in tree:
        match node:
            case Text(text):
                yield Text(spaces.sub("\u00a0", text))
            case Span() | Link():
                yield replace(node, children=tuple(_nodes(node.children, spaces)))
            case _:
                yield node


def _joined_end(tree: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return a long text without a short word or one ideograph alone on its last line."""
    last = tree[-1] if tree else None
    length = len(rich_text.plain(tree))
    if isinstance(last, Text) and length > _SQUARES and _LAST_SQUARE.search(last.text):
        return (*tree[:-1], Text(_LAST_SQUARE.sub("\u2060", last.text)))
    if not isinstance(last, Text) or length < _LINE:
        return tree
    return (*tree[:-1], Text(_SHORT_END.sub("\u00a0", last.text)))
