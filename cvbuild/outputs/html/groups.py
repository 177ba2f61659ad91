"""The groups of a section with their form: what a page makes of their lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct

from cvbuild.model.text import rich_text
from cvbuild.view import lines
from cvbuild.view.types import Content, Document, Group, Id, Labels, Section


class Shown(Struct, frozen=True):
    """A group: each item as its lines.

    ``form`` is run, bullets, facts (a line for each item), cited, rows (lines without a head) or
    entries; ``run`` are the words of a run, ``bullets`` all bullets of a list.
    """

    title: Content | None
    note: tuple[lines.Line, ...]
    form: str
    items: tuple[tuple[lines.Line, ...], ...] = ()
    run: lines.Words = ()
    bullets: lines.BulletList | None = None


class Part(Struct, frozen=True):
    """A section with its groups."""

    id: Id
    kind: str
    title: Content
    note: tuple[lines.Line, ...]
    groups: tuple[Shown, ...]


class Block(Struct, frozen=True):
    """Sections one below the other; or in two columns, the main one first."""

    sections: tuple[Part, ...] = ()
    columns: tuple[tuple[Part, ...], ...] = ()


def blocks(document: Document) -> tuple[Block, ...]:
    """Return all sections of a document: what is as wide as the page, and what has columns."""
    grouped = []
    for is_wide, run in groupby(document.sections, key=lambda section: section.column == 0):
        sections = tuple(run)
        if is_wide:
            grouped.append(Block(_parts(sections, document)))
            continue
        narrow = tuple(one for one in sections if one.column == 2)
        main = tuple(one for one in sections if one.column != 2)
        grouped.append(Block(columns=(_parts(main, document), _parts(narrow, document))))
    return tuple(grouped)


def _parts(sections: Iterable[Section], document: Document) -> tuple[Part, ...]:
    return tuple(
        Part(
            section.id,
            section.kind,
            section.title,
            lines.of_text(section.note, document.words),
            tuple(_shown(section, group, document.words) for group in section.groups),
        )
        for section in sections
    )


def _shown(section: Section, group: Group, labels: Labels) -> Shown:
    title, note = group.title, lines.of_text(group.note, labels)
    if run := lines.run_of(section, group, labels):
        return Shown(title, note, "run", run=run)
    items = tuple(lines.of_item(section, item, labels) for item in group.items)
    if lines.is_list(section):
        lists = [one for item in items for one in item if isinstance(one, lines.BulletList)]
        every = tuple(bullet for one in lists for bullet in one.bullets)
        return Shown(title, note, "bullets", bullets=lines.BulletList(every))
    return Shown(title, note, _form(items), items)


def _form(items: Iterable[tuple[lines.Line, ...]]) -> str:
    firsts = [item[0] for item in items if item]
    if any(isinstance(one, lines.CitedLine) for one in firsts):
        return "cited"
    if not any(isinstance(one, lines.HeadLine) for one in firsts):
        return "rows"
    return "entries" if any(len(item) > 1 for item in items) else "facts"


def has_link(parts: Iterable[lines.Words]) -> bool:
    """Return whether one of the parts of a head has a link of its own."""
    return any(_links(one) for words in parts for one in words)


def spaced(sentences: Iterable[lines.Words]) -> lines.Words:
    """Return sentences as the words of one line, with a space between them."""
    whole: list[lines.Piece | str] = []
    for sentence in sentences:
        whole += [" ", *sentence] if whole else sentence
    return tuple(whole)


def linkable(sentences: Iterable[lines.Words]) -> lines.Piece | None:
    """Return the title among the texts of a reference; None if it has a link of its own."""
    for sentence in sentences:
        for word in sentence:
            if isinstance(word, lines.Piece) and word.field == "title":
                return None if _links(word) else word
    return None


def _links(word: lines.Piece | str) -> bool:
    return isinstance(word, lines.Piece) and any(rich_text.links(word.content.nodes))
