"""``--format md``: a document as Markdown, with the same texts in the same order as the PDF.

Everything is made of blocks: a paragraph, a heading, a list. An item's blocks stand one below the
other; in a list they are indented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.markdown import inline
from cvbuild.outputs.types import Made, Shown
from cvbuild.view import lines
from cvbuild.view.types import (
    Address,
    ContactLine,
    Content,
    Document,
    Group,
    Header,
    Labels,
    Section,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: Markdown without blank lines inside; its lines may be indented together.
Block = str


def text(document: Document, level: int = 1) -> str:
    """Return a CV as Markdown; ``level`` is that of the heading with the name."""
    blocks = [*_head(document.header, level, document.words)]
    for section in document.sections:
        blocks += section_blocks(section, document.words)
    if closing := document.closing:
        signed = document.words.writing.join(map(inline_of, closing.texts))
        blocks += map(inline.opened, filter(None, [signed, inline_of(document.header.name)]))
    return joined(blocks)


def joined(blocks: Iterable[Block]) -> str:
    """Return blocks as the text of a file."""
    return "\n\n".join(blocks) + "\n"


# -- head ----------------------------------------------------------------------------------------


def _head(header: Header, level: int, labels: Labels) -> Iterator[Block]:
    names = [header.name, header.native] if header.native else [header.name]
    yield heading(level, *names)
    if header.headline:
        yield paragraph(header.headline)
    for other in header.others:
        yield inline.opened(_labelled(other.label, inline_of(other.name), labels))
    if header.contacts:
        yield "\n".join(listed([_contact(line, labels)]) for line in header.contacts)


def _contact(line: ContactLine, labels: Labels) -> str:
    words = inline_of(line.text)
    shown = inline.linked(words, line.url.url) if line.url else words
    label = line.label or line.network
    return _labelled(label, shown, labels) if label else shown


def _labelled(label: Content, shown: str, labels: Labels) -> str:
    return f"{inline_of(label)}{labels.writing.mark(': ', str(label))}{shown}"


def heading(level: int, *texts: Content) -> Block:
    """Return a heading of one line."""
    words = " ".join(inline_of(one) for one in texts).replace("  \n", " ")
    return f"{'#' * level} {words}"


def paragraph(content: Content) -> Block:
    """Return a text as a paragraph."""
    return inline.opened(inline_of(content))


def inline_of(content: Content) -> str:
    """Return a text as inline Markdown."""
    return inline.of(content.nodes)


def listed(blocks: Sequence[Block], indent: int = 0) -> Block:
    """Return blocks as one item of a list of bullets."""
    separate = "\n" if all(block.startswith("- ") for block in blocks[1:]) else "\n\n"
    inner = separate.join(blocks).replace("\n", "\n  ").replace("\n  \n", "\n\n")
    return " " * indent + f"- {inner}"


# -- sections ------------------------------------------------------------------------------------


def section_blocks(section: Section, labels: Labels) -> Iterator[Block]:
    """Yield the blocks of a section, its heading first."""
    yield heading(2, section.title)
    yield from item_blocks(lines.of_text(section.note, labels))
    for group in section.groups:
        if group.title:
            yield heading(3, group.title)
        yield from item_blocks(lines.of_text(group.note, labels))
        yield from _group(section, group, labels)


def _group(section: Section, group: Group, labels: Labels) -> Iterator[Block]:
    if run := lines.run_of(section, group, labels):
        yield inline.opened(inline.words(run))
        return
    items = [lines.of_item(section, item, labels) for item in group.items]
    blocks = [[*item_blocks(item)] for item in items]
    if lines.is_list(section):
        if len(group.items) == 1 and not group.items[0].fields.get("bullets"):
            yield paragraph(group.items[0].text)
            return
        yield "\n".join(block for one in blocks for block in one)
    elif (
        (any(isinstance(one[0], lines.HeadLine) for one in items) and max(map(len, items)) > 1)
        or any(isinstance(one[-1], lines.BulletList) for one in items if _is_prose(one[0]))
        # A list would be numbered anew by whoever shows it.
        or any(_number(one[0]) for one in items)
    ):
        yield from (block for one in blocks for block in one)
    else:
        yield "\n".join(map(listed, blocks))


def _is_prose(line: lines.Line) -> bool:
    return isinstance(line, lines.Row | lines.BulletList)


def item_blocks(item_lines: Iterable[lines.Line]) -> Iterator[Block]:
    """Yield the blocks of an item; the links of a reference follow it."""
    blocks: list[Block] = []
    cited = False
    for line in item_lines:
        new = [*_line(line, "strong")]
        if cited and isinstance(line, lines.LinkRow):
            blocks[-1] += f"\n{new.pop()}"
        blocks += new
        cited = isinstance(line, lines.CitedLine)
    yield from blocks


def _line(line: lines.Line, style: str) -> Iterator[Block]:
    match line:
        case lines.HeadLine():
            yield inline.opened(_numbered(line.number, _entry(line, style)))
        case lines.CitedLine(number, sentences, url):
            yield inline.opened(_numbered(number, _cited(sentences, url)))
        case lines.Row(words, label, colon):
            shown = inline.words(words)
            yield inline.opened(f"{inline_of(label)}{colon}{shown}" if label else shown)
        case lines.BulletList(bullets):
            yield "\n".join(map(_bullet, bullets))
        case lines.LinkRow(links):
            yield inline.opened(", ".join(_link(label, url) for label, url in links))
        case lines.Part(_, below):
            for inner in below:
                yield from _line(inner, "emph")


def _entry(line: lines.HeadLine, style: str) -> str:
    """Return what an item is, its first words in a style, with where and when."""
    first, *others = line.parts or ((),)
    shown = [_titled(first, line.url, style), *map(inline.words, others)]
    shown += [inline_of(line.location)] if line.location else []
    head = line.writing.join(shown)
    date = inline_of(line.date) if line.date else ""
    return f"{head} ({date})" if date and head else date or head


def _cited(sentences: Sequence[lines.Words], url: Address | None) -> str:
    """Return a reference; its title leads to its page."""
    shown = []
    for words in sentences:
        is_title = any(isinstance(one, lines.Piece) and one.field == "title" for one in words)
        if url and is_title and not inline.has_link(words):
            shown.append(inline.linked(inline.words(words), url.url))
            url = None
        else:
            shown.append(inline.words(words))
    return " ".join([*shown, *([_bare(url)] if url else [])])


def _titled(words: lines.Words, url: Address | None, style: str) -> str:
    shown = inline.words(words, style)
    if url is None:
        return shown
    if inline.has_link(words) or not shown:
        return f"{shown} {_bare(url)}".lstrip()
    return inline.linked(shown, url.url)


def _bare(url: Address) -> str:
    return f"<{inline.address(url.url)}>"


def _link(label: Content, url: Address | None) -> str:
    shown = inline_of(label)
    return inline.linked(shown, url.url) if url else shown


def _bullet(bullet: lines.Bullet) -> Block:
    """Return a bullet with those under it."""
    blocks = [paragraph(bullet.text), *(listed([paragraph(one)]) for one in bullet.below)]
    if bullet.number is None:
        return listed(blocks)
    mark = f"{bullet.number}. "
    return mark + "\n".join(blocks).replace("\n", f"\n{' ' * len(mark)}")


def _numbered(number: Content | None, words: str) -> str:
    return f"{inline_of(number)} {words}" if number else words


def _number(line: lines.Line) -> Content | None:
    return line.number if isinstance(line, lines.HeadLine | lines.CitedLine) else None


# -- the format, and what its readers see --------------------------------------------------------


class Format:
    """CommonMark in UTF-8."""

    name = "md"
    suffix = ".md"

    def make(self, shown: Shown) -> Made:
        """Return the view as Markdown; raise DocumentError if a reader would miss a text."""
        written = text(shown.view)
        expected = tuple(view_texts.contents(shown.view))
        figures = view_texts.require(as_read(written), expected, shown.task.source)
        return Made(written.encode(), figures)

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return the text that a reader sees, with the addresses of links."""
        files = content.values() if isinstance(content, Mapping) else (content,)
        return "\n".join(as_read(file.decode()) for file in files)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def as_read(markdown: str) -> str:
    """Return the text that a page shows: a line for each block, addresses after their links.

    HTML stays as it is, except the tags that ``inline`` writes.
    """
    tokens = _parser().parse(markdown)
    return "\n".join(text for token in tokens if (text := _text(token)))


def _text(token: Token) -> str:
    """Return what a block begins with, or the text in it: the number of an item, a paragraph."""
    return token.info if token.type == "list_item_open" else "".join(_inline(token.children or []))


def _inline(tokens: list[Token]) -> Iterator[str]:
    targets: list[str] = []
    for token in tokens:
        match token.type:
            case "link_open":
                targets.append(str(token.attrs.get("href", "")))
            case "link_close":
                yield f" {unescape(targets.pop())} "
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline" if token.content.strip("</>") in _TAGS:
                continue
            case _:
                yield token.content


_TAGS = ("strong", "em", "sup", "sub", "code")
