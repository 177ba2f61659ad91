"""The lines of an item, for outputs without templates: what its kind describes, filled.

Every text keeps its style, its language and its field, and what joins them is there, too. Plain
text, Markdown, HTML and Word are written from these lines: they say the same in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from cvbuild.model import kinds
from cvbuild.model.locales import Writing
from cvbuild.model.text import rich_text
from cvbuild.view.types import Address, Content, Group, Item, Labels, Section

#: Fields of which the second completes what the first says: Ph.D., Computer Science.
_TOGETHER = (("degree", "area"), ("department", "employer"))


class Piece(Struct, frozen=True):
    """A text with the field of the item that it is: title, employer, authors; the item itself: ''.

    ``me`` is whether it is the person's own name among authors.
    """

    content: Content
    field: str = ""
    me: bool = False


#: Texts, and the plain characters between them.
Words = tuple[Piece | str, ...]


class HeadLine(Struct, frozen=True):
    """What an item is, with where and when; ``writing`` has the commas between them."""

    number: Content | None
    what: tuple[Words, ...]
    """The parts that say what it is."""
    who: tuple[Words, ...]
    """The other parts: with whom, as what."""
    location: Content | None
    date: Content | None
    url: Address | None
    writing: Writing


class CitedLine(Struct, frozen=True):
    """A reference: its sentences, each with its full stop."""

    number: Content | None
    sentences: tuple[Words, ...]
    url: Address | None


class Row(Struct, frozen=True):
    """Words on a line of their own, after a label with its colon if there is one."""

    words: Words
    label: Content | None = None
    colon: str = ": "


class Bullet(Struct, frozen=True):
    """A bullet, and those under it."""

    text: Content
    below: tuple[Content, ...] = ()
    number: Content | None = None


class BulletList(Struct, frozen=True):
    """Bullets, one below the other."""

    bullets: tuple[Bullet, ...]


class LinkRow(Struct, frozen=True):
    """Links with their labels."""

    links: tuple[tuple[Content, Address], ...]


class Part(Struct, frozen=True):
    """A part of an item with lines of its own: a role at an employer."""

    item: Item
    lines: tuple[Line, ...]


Line = HeadLine | CitedLine | Row | BulletList | LinkRow | Part


def plain(words: Words) -> str:
    """Return the characters of words without any style."""
    return "".join(word if isinstance(word, str) else str(word.content) for word in words)


def has_link(words: Words) -> bool:
    """Return whether words have a link inside."""
    pieces = (word for word in words if isinstance(word, Piece))
    return any(True for piece in pieces for _ in rich_text.links(piece.content.nodes))


def run_of(section: Section, group: Group, labels: Labels) -> Words | None:
    """Return the words of a group whose items are set as one run; None for any other group."""
    kind = kinds.of(section.kind)
    if not (group.run and kind.run):
        return None
    return _apart([_words(item, kind.run.word, labels) for item in group.items], labels)


def of_item(section: Section, item: Any, labels: Labels) -> tuple[Line, ...]:
    """Return the lines of an item, or of a text."""
    described = kinds.of(section.kind).text
    return tuple(line for part in described for line in _line(item, part, labels))


def of_text(text: Content | None, labels: Labels) -> tuple[Line, ...]:
    """Return a text, and the list below it; nothing for none."""
    return tuple(_row(text, kinds.SELF, None, labels)) if text else ()


def is_list(section: Section) -> bool:
    """Return whether the items are bullets of one list."""
    described = kinds.of(section.kind).text
    return any(isinstance(part, kinds.Bullets) for part in described[:1])


def _line(item: Any, part: kinds.Line, labels: Labels) -> Iterator[Line]:
    match part:
        case kinds.Head(described):
            parts = tuple(filter(None, (_words(item, words, labels) for words in described)))
            pieces = ((piece for piece in part if isinstance(piece, Piece)) for part in parts[:2])
            fields = tuple(next((piece.field for piece in part), "") for part in pieces)
            what = parts[: 2 if fields in _TOGETHER else 1]
            location, date = (getattr(item, name, None) for name in ("location", "date"))
            number, url = (getattr(item, name, None) for name in ("place", "url"))
            who = parts[len(what) :]
            yield HeadLine(number, what, who, location, date, url, labels.writing)
        case kinds.Cited(described):
            number, url = (getattr(item, name, None) for name in ("place", "url"))
            sentences = []
            for sentence in filter(None, (_words(item, words, labels) for words in described)):
                # What stands in quotes or brackets at its end decides which full stop is its own.
                bare = plain(sentence).rstrip("”’»)]")
                stop = () if bare[-1:] in ".?!。？！" else (labels.writing.mark(".", bare),)
                sentences.append((*sentence, *stop))
            yield CitedLine(number, tuple(sentences), url)
        case kinds.Row(words, label):
            yield from _row(item, words, getattr(item, label) if label else None, labels)
        case kinds.Labelled(label, words, several):
            many = several and isinstance(words, str) and len(getattr(item, words) or ()) > 1
            yield from _row(item, words, labels[several if many else label], labels)
        case kinds.Bullets(name):
            bullets = item if name == kinds.SELF else getattr(item, name)
            if isinstance(bullets, Content):
                bullets = bullets.points
            if points := (bullets,) if isinstance(bullets, Item) else bullets:
                listed = (
                    Bullet(
                        point.text,
                        tuple(below.text for below in point.fields.get("bullets", ())),
                        point.fields.get("number"),
                    )
                    for point in points
                )
                yield BulletList(tuple(listed))
        case kinds.Links():
            if item.links:
                yield LinkRow(tuple((link.label, link.url) for link in item.links))
        case kinds.Each(name, below):
            for inner in getattr(item, name):
                lines = (line for each in below for line in _line(inner, each, labels))
                yield Part(inner, tuple(lines))


def _row(item: Any, words: kinds.Words, label: Content | None, labels: Labels) -> Iterator[Line]:
    """Yield words as a line, and the list below them if they are a text that has one."""
    if shown := _words(item, words, labels):
        yield Row(shown, label, labels.writing.mark(": ", str(label)) if label else ": ")
    text = item if words == kinds.SELF else getattr(item, str(words), None)
    if isinstance(text, Content):
        yield from _line(text, kinds.Bullets(kinds.SELF), labels)


def _words(item: Any, words: kinds.Words, labels: Labels) -> Words:
    match words:
        case kinds.Apart(name):
            return _apart([(Piece(value, name),) for value in getattr(item, name)], labels)
        case kinds.Meanings(name):
            pairs = getattr(item, name) or ()
            meant = [(Piece(mark, name), Piece(text, name)) for mark, text in pairs]
            return _joined(meant, ", ", labels)
        case kinds.Pair(name, aside, between):
            head, more = (_value(getattr(item, field), field, labels) for field in (name, aside))
            if not (head and more):
                return head or more
            texts, mark = (plain(head), plain(more)), labels.writing.mark
            return (*head, mark(f"{between}(", *texts), *more, mark(")", *texts))
        case kinds.Worded(label, name):
            value = _value(getattr(item, name), name, labels)
            return (Piece(labels[label], "label"), " ", *value) if value else ()
        case kinds.Joined(parts, between):
            return _joined([_words(item, part, labels) for part in parts], between, labels)
        case kinds.SELF:
            return (Piece(item),) if str(item) else ()
    return _value(getattr(item, words), words, labels)


def _value(value: Any, field: str, labels: Labels) -> Words:
    match value:
        case tuple():
            return _joined([_value(part, field, labels) for part in value], ", ", labels)
        case Item():
            words: Words = (Piece(value.name, field, bool(value.me)),)
            words += (Piece(value.marks, "marks"),) if value.marks else ()
            if gap := value.fields.get("gap"):
                words += (labels.writing.mark(", ", plain(words)), Piece(gap, "gap"))
            return (*words, " ", Piece(value.count, "gap")) if value.fields.get("count") else words
        case Content():
            return (Piece(value, field),) if str(value) else ()
    return ()


def _apart(texts: Sequence[Words], labels: Labels) -> Words:
    """Return keywords, separated clearly even where they have commas."""
    has_commas = any(set(",，、،").intersection(plain(text)) for text in texts)
    return _joined(texts, "; " if has_commas else ", ", labels)


def _joined(texts: Iterable[Words], between: str, labels: Labels) -> Words:
    whole: list[Piece | str] = []
    for part in filter(None, texts):
        if whole:
            whole.append(labels.writing.mark(between, plain(tuple(whole)), plain(part)))
        whole += part
    return tuple(whole)
