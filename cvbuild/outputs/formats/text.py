"""``--format txt``: a document as plain text, to paste into the forms of portals.

Made from the same view as the PDF, so it shows the same in the same order. A paragraph is one line,
because forms wrap lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cvbuild.model.text import rich_text
from cvbuild.model.text.lines import short_url
from cvbuild.outputs import checks
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.view import builder, lines
from cvbuild.view.types import Content, Document, Labels, Section

Lines = list[str]


def text(document: Document) -> str:
    """Return a document's words, a line feed after each line."""
    head, labels = document.header, document.words
    names = [_labelled(other.label, _plain(other.name), labels) for other in head.others]
    top = [_plain(head.name), _plain(head.native), *names, _plain(head.headline)]
    blocks = [[*filter(None, top), *([""] if head.contacts else [])]]
    for way in head.contacts:
        shown, label = _plain(way.text), way.label or way.network
        if way.url and way.url.url.startswith("http"):
            shown = way.url.url if shown in way.url.url else f"{shown} ({way.url.url})"
        blocks[0].append(_labelled(label, shown, labels) if label else shown)
    blocks += [section(part, labels) for part in builder.capitals(document).sections]
    if letter := document.letter:
        marks = {"bullets": "- ", "numbers": "{}. "}
        parts = [
            [_plain(line) for line in letter.recipient],
            [_plain(letter.date)],
            [_plain(letter.subject)] if letter.subject else [],
            [_plain(letter.opening)],
        ]
        for block in letter.body:
            mark = marks.get(block.kind, "")
            parts.append(
                [mark.format(_plain(each.number)) + _plain(each.text) for each in block.texts]
            )
        parts.append([_plain(letter.closing), _plain(head.name)])
        if letter.enclosures:
            enclosed = labels.writing.join(map(_plain, letter.enclosures))
            parts.append([_labelled(letter.label, enclosed, labels)])
        # Its parts have an empty line between them.
        blocks += ["\n\n".join("\n".join(part) for part in parts if part).split("\n")]
    if closing := document.closing:
        signed = labels.writing.join(map(_plain, closing.texts))
        blocks += [[*filter(None, [signed]), _plain(head.name)]]
    return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


def _plain(content: Content | None) -> str:
    """Return a text on one line; the address of a link after its words."""
    return " ".join(_nodes(content.nodes).split()) if content else ""


#: What reads well on the line: 5th, Na+, and marks of notes.
_ON_LINE = re.compile(r"[^\W\d]{2,}|[^\w∞]+|\s*")


def _nodes(nodes: Iterable[rich_text.Node]) -> str:
    """Return the words of texts; a raised number has a ^ before it, so that 10^9 isn't 109."""
    # A link has its address after its words, or in their place, if these are the same.
    words = ""
    for node in nodes:
        if isinstance(node, rich_text.Link | rich_text.Span):
            text = _nodes(node.children)
        else:
            text = rich_text.plain((node,))
        if isinstance(node, rich_text.Link) and node.url not in text:
            is_same, is_web = short_url(node.url) == text.removesuffix("/"), node.url[:4] == "http"
            text = node.url if is_same and is_web else text if is_same else f"{text} ({node.url})"
        is_raised = isinstance(node, rich_text.Span) and node.style == "sup"
        is_power = is_raised and words[-1:].strip(" (–-+/") and not _ON_LINE.fullmatch(text)
        words += "^" * bool(is_power) + text
    return words


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
        if run := lines.run_of(section, group, labels):
            rows.append(_words(run))
            continue
        items = [_lines(lines.of_item(section, item, labels)) for item in group.items]
        apart = not lines.is_list(section) and any(len(item) > 1 for item in items)
        for number, item in enumerate(items):
            rows += [*([""] if apart and number else []), *item]
    return rows


def _lines(item_lines: Iterable[lines.Line]) -> Lines:
    rows: Lines = []
    for line in item_lines:
        match line:
            case lines.HeadLine(number, what, who, location, date, url, writing):
                head = writing.join((*map(_words, (*what, *who)), _plain(location)))
                head = f"{head} ({_plain(date)})" if date else head
                rows.append(f"{_plain(number)} {head}" if number else head)
                rows += [url.url] if url else []
            case lines.CitedLine(number, sentences, url):
                place = [_plain(number)] if number else []
                rows.append(" ".join([*place, *map(_words, sentences)]))
                rows += [url.url] if url else []
            case lines.Row(words, label, colon):
                rows.append(f"{_plain(label)}{colon}{_words(words)}" if label else _words(words))
            case lines.BulletList(bullets):
                for bullet in bullets:
                    mark = f"{_plain(bullet.number)}. " if bullet.number else "- "
                    rows.append(f"{mark}{_plain(bullet.text)}")
                    rows += [f"  - {_plain(text)}" for text in bullet.below]
            case lines.LinkRow(links):
                rows.append(", ".join(f"[{_plain(label)}] {url.url}" for label, url in links))
            case lines.Part(_, below):
                rows += _lines(below)
    return rows


def _words(words: lines.Words) -> str:
    return "".join(word if isinstance(word, str) else _plain(word.content) for word in words)


class Format(Output):
    """Plain text in UTF-8; a paragraph is one line."""

    name = "txt"
    suffix = ".txt"
    shows_letters = True

    def make(self, shown: Shown) -> Made:
        """Return the view as text; raise DocumentError if a text of the view is missing from it."""
        written = text(shown.view)
        expected = tuple(checks.contents(builder.capitals(shown.view)))
        return Made(written.encode(), checks.require(written, expected, shown.source))
