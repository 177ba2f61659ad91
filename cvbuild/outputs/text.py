"""``--format txt``: a document as plain text, to paste into the forms of portals.

Made from the same view as the PDF, so it shows the same in the same order. What one page had no
room for must be in ``Selected.left_out`` when ``view.builder.build`` makes the view. A paragraph is
one line, because forms wrap lines, unless they are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cvbuild.model import rich_text
from cvbuild.model.lines import short_url
from cvbuild.outputs import checks
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.view import builder, lines
from cvbuild.view.types import (
    Address,
    ContactLine,
    Content,
    Document,
    Group,
    Header,
    Labels,
    Letter,
    LetterBlock,
    Section,
)

Lines = list[str]


def text(document: Document) -> str:
    """Return a document's words, a line feed after each line."""
    blocks = [_head(document.header, document.words)]
    blocks += [section(part, document.words) for part in builder.capitals(document).sections]
    if document.letter:
        blocks += [_letter(document.letter, document.header, document.words)]
    if closing := document.closing:
        signed = document.words.writing.join(map(_plain, closing.texts))
        blocks += [[*filter(None, [signed]), _plain(document.header.name)]]
    return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


# -- texts ---------------------------------------------------------------------------------------


def _plain(content: Content | None) -> str:
    """Return a text on one line; the address of a link after its words."""
    return " ".join(_nodes(content.nodes).split()) if content else ""


#: What reads well on the line: 5th, Na+, and marks of notes.
_ON_LINE = re.compile(r"[^\W\d]{2,}|[^\w∞]+|\s*")


def _nodes(nodes: Iterable[rich_text.Node]) -> str:
    """Return the words of texts; a raised number has a ^ before it, so that 10^9 isn't 109."""
    words = ""
    for node in nodes:
        text = _node(node)
        is_raised = isinstance(node, rich_text.Span) and node.style == "sup"
        is_power = is_raised and words[-1:].strip(" (–-+/") and not _ON_LINE.fullmatch(text)
        words += "^" * bool(is_power) + text
    return words


def _node(node: rich_text.Node) -> str:
    match node:
        case rich_text.Link(url, children):
            return _linked(_nodes(children), url)
        case rich_text.Span(_, children):
            return _nodes(children)
    return rich_text.plain((node,))


def _linked(words: str, url: str) -> str:
    """Return words and their address; only the address, if the words are the same."""
    if url in words:
        return words
    if short_url(url) == words.removesuffix("/"):
        return url if url.startswith("http") else words
    return f"{words} ({url})"


# -- the document --------------------------------------------------------------------------------


def _head(header: Header, labels: Labels) -> Lines:
    names = [_labelled(other.label, _plain(other.name), labels) for other in header.others]
    top = [_plain(header.name), _plain(header.native), *names, _plain(header.headline)]
    contacts = [_contact(line, labels) for line in header.contacts]
    return [*filter(None, top), *([""] if contacts else []), *contacts]


def _contact(line: ContactLine, labels: Labels) -> str:
    shown = _plain(line.text)
    if line.url and line.url.url.startswith("http"):
        shown = line.url.url if shown in line.url.url else f"{shown} ({line.url.url})"
    label = line.label or line.network
    return _labelled(label, shown, labels) if label else shown


def _labelled(label: Content, shown: str, labels: Labels) -> str:
    return f"{_plain(label)}{labels.writing.mark(': ', str(label))}{shown}"


def section(section: Section, labels: Labels) -> Lines:
    """Return the lines of a section; the first one is its title."""
    rows = [_plain(section.title)]
    rows += _lines(lines.of_text(section.note, labels))
    for group in section.groups:
        rows.append("")
        rows += [_plain(group.title)] if group.title else []
        rows += _lines(lines.of_text(group.note, labels))
        rows += _group(section, group, labels)
    return rows


def _group(section: Section, group: Group, labels: Labels) -> Lines:
    if run := lines.run_of(section, group, labels):
        return [_words(run)]
    items = [_lines(lines.of_item(section, item, labels)) for item in group.items]
    apart = not lines.is_list(section) and any(len(item) > 1 for item in items)
    joined: Lines = []
    for number, rows in enumerate(items):
        joined += [""] if apart and number else []
        joined += rows
    return joined


# -- items ---------------------------------------------------------------------------------------


def _lines(item_lines: Iterable[lines.Line]) -> Lines:
    return [text for line in item_lines for text in _line(line)]


def _line(line: lines.Line) -> Lines:
    match line:
        case lines.HeadLine(number, parts, location, date, url, writing):
            head = writing.join((*map(_words, parts), _plain(location)))
            return [_number(number) + (f"{head} ({_plain(date)})" if date else head), *_url(url)]
        case lines.CitedLine(number, sentences, url):
            return [_number(number) + " ".join(map(_words, sentences)), *_url(url)]
        case lines.Row(words, label, colon):
            return [f"{_plain(label)}{colon}{_words(words)}" if label else _words(words)]
        case lines.BulletList(bullets):
            return [text for bullet in bullets for text in _bullet(bullet)]
        case lines.LinkRow(links):
            return [", ".join(f"[{_plain(label)}] {url.url}" for label, url in links)]
        case lines.Part(_, below):
            return _lines(below)


def _bullet(bullet: lines.Bullet) -> Lines:
    """Return a line for a bullet, and one for each bullet under it."""
    mark = f"{_plain(bullet.number)}. " if bullet.number else "- "
    return [f"{mark}{_plain(bullet.text)}", *(f"  - {_plain(text)}" for text in bullet.below)]


def _words(words: lines.Words) -> str:
    return "".join(word if isinstance(word, str) else _plain(word.content) for word in words)


def _number(place: Content | None) -> str:
    return f"{_plain(place)} " if place else ""


def _url(url: Address | None) -> Lines:
    return [url.url] if url else []


# -- letters -------------------------------------------------------------------------------------


def _letter(letter: Letter, header: Header, labels: Labels) -> Lines:
    """Return a letter below the head; its parts have an empty line between them."""
    parts = [
        [_plain(line) for line in letter.recipient],
        [_plain(letter.date)],
        [_plain(letter.subject)] if letter.subject else [],
        [_plain(letter.opening)],
        *map(_letter_block, letter.body),
        [_plain(letter.closing), _plain(header.name)],
    ]
    if letter.enclosures:
        parts.append(
            [_labelled(letter.label, labels.writing.join(map(_plain, letter.enclosures)), labels)]
        )
    return "\n\n".join("\n".join(part) for part in parts if part).split("\n")


def _letter_block(block: LetterBlock) -> Lines:
    marks = {"bullets": "- ", "numbers": "{}. "}
    mark = marks.get(block.kind, "")
    return [mark.format(_plain(text.number)) + _plain(text.text) for text in block.texts]


# -- the format ----------------------------------------------------------------------------------


class Format(Output):
    """Plain text in UTF-8; a paragraph is one line."""

    name = "txt"
    suffix = ".txt"
    shows_letters = True

    def make(self, shown: Shown) -> Made:
        """Return the view as text; raise DocumentError if a text of the view is missing from it."""
        written = text(shown.view)
        expected = tuple(checks.contents(builder.capitals(shown.view)))
        return Made(written.encode(), checks.require(written, expected, shown.task.source))
