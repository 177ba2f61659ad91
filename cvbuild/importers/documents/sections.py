"""Sections of a document in a person's file: the kind by the heading, then its items.

A section whose parts can't be items of that kind gets the one that they say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates, headings
from cvbuild.importers.documents import citations, items, vocabulary
from cvbuild.importers.documents.items import Made, item_of, split_list
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import (
    Entry,
    Keyed,
    Part,
    Point,
    Prose,
    Section,
    bullets,
    plain_texts,
)
from cvbuild.inputs.references.identity import items_in

_CITED = ("publication", "patent")
#: Kinds of whose items each may be a line of its own.
_OF_LINES = (*_CITED, "skill", "language", "reference", "award", "certificate", "talk",
             "service", "grant")  # fmt: skip

#: How likely the labels of an entry are that isn't marked as a guess.
_SURE = 0.95

#: What a post and a degree are named by.
_HALVES = {"experience": ("employer", "title"), "education": ("institution", "degree")}
#: What no name has: a year, the mark before something else at its end, so many characters.
_NO_NAME = re.compile(r"(?:19|20)\d\d|[:;,–-]\W*$|^in |^.{76}")

#: Characters of a keyword.
_LONGEST_WORD = 40

#: Characters of a paragraph that may be an item.
_LONGEST_LINE = 200


def fill(draft: Draft, sections: Iterable[Section]) -> None:
    """Put all sections into the person's file, whose language is that of most of their titles."""
    sections = [one for one in sections if one.parts]
    kinds = [headings.kind_of(one.title) or ("", "") for one in sections]
    languages = Counter(language for _, language in kinds if language)
    language, count = next(iter(languages.most_common(1)), ("", 0))
    language = language if count * 2 > languages.total() else ""
    if language and language != "en":
        draft.put("locale", language)
    for section, (kind, _) in zip(sections, kinds, strict=True):
        if kind == headings.SUMMARY:
            draft.put("summary", [text for part in section.parts for text in _told(part)])
        elif kind == headings.INTERESTS:
            _interests(draft, section, language)
        else:
            _Filling(draft, section, kind, language).fill()
    draft.keep_order()
    _mark_doubtful(draft)


def _mark_doubtful(draft: Draft) -> None:
    """Mark posts and degrees that aren't plainly whole: what is missing may be elsewhere."""
    for section in draft.data.get("sections", ()):
        organization, title = _HALVES.get(section["kind"], ("", ""))
        mark = vocabulary.POSITION if title == "title" else vocabulary.DEGREE
        for _, item in items_in(section) if title else ():
            named = [key for key in (organization, title) if item.get(key)]
            unsure: list[str | None]
            if item.get("roles"):
                unsure = [] if organization in named else ["roles"]
            elif len(named) < 2 or not item.get("date"):
                unsure = [named[0] if len(named) == 1 else None]
            else:
                is_known = mark.search(item[title])
                is_known = is_known or vocabulary.ORGANIZATION.search(item[organization])
                unsure = [key for key in named if not is_known or _NO_NAME.search(item[key])]
                is_post = title == "title"
                if not dates.is_date(item["date"]) or (is_post and dates.is_point(item["date"])):
                    # Few posts are that short: it is the date of something else, or half a range.
                    unsure.append("date")
            for key in unsure:
                draft.guess(item, key)


def _interests(draft: Draft, section: Section, language: str) -> None:
    """Put interests where their title is kept: the key has no title of its own, as "Hobbies"."""
    found = list[Any]()
    for part in section.parts:
        if isinstance(part, Keyed) and part.label:
            found.append({"name": part.label, "keywords": split_list(part.text)})
            found += plain_texts(part.points)
            continue
        for text in _told(part):
            # Sentences are no enumeration.
            is_whole = text.endswith(".") or isinstance(part, Entry)
            found += [text] if is_whole else split_list(text)
    is_listed = all(isinstance(one, str) and len(one) <= _LONGEST_WORD for one in found)
    title = headings.folded(section.title)
    own = headings.folded(headings.own_title(headings.INTERESTS, language))
    if is_listed and not any(word in title for word in ("intere", own) if word):
        draft.section("keywords", section.title, section.place)["items"] += found
    else:
        draft.put("interests", found)


class _Filling:
    """Fills one section."""

    def __init__(self, draft: Draft, section: Section, kind: str, language: str) -> None:
        self.draft = draft
        self.section = section
        self.language = language
        self.kind = kind
        self.group = ""
        #: Whether the group has an item.
        self.is_begun = False
        if not kind or not fits(section, kind):
            self.kind = general(section.parts)
        own = headings.own_title(self.kind, language)
        same = headings.folded(own) == headings.folded(section.title)
        self.title = None if same or not section.title else section.title

    def fill(self) -> None:
        """Add all parts in their order."""
        self.draft.section(self.kind, self.title, self.section.place)
        entries = [part for part in self.section.parts if isinstance(part, Entry)]
        usual = sum(items.order_of(self.kind, entry) for entry in entries)
        for part in self.section.parts:
            self.is_begun &= part.group == self.group
            self.group = part.group
            match part:
                case Entry():
                    item = self._finish(item_of(self.kind, part, usual), part.place)
                    if part.chance < _SURE:
                        self.draft.guess(item, None)
                case Keyed():
                    self._keyed(part)
                case Point():
                    self._point(part)
                case Prose():
                    self._prose(part)

    def _add(self, item: Any, place: Span) -> Any:
        if isinstance(item, dict) and not any(item[key] for key in item if key != "text"):
            # A text alone is short for it.
            item = item.get("text", item)
        self.is_begun = True
        return self.draft.add(self.kind, item, place, self.title, self.group or None)

    def _finish(self, made: Made, place: Span) -> Any:
        item = self._add(made.item, place)
        for what, text in made.lost:
            self.draft.lose(what, text, place, item)
        for key in made.guessed:
            self.draft.guess(item, key)
        return item

    def _keyed(self, part: Keyed) -> None:
        text = ", ".join(one for one in (part.text, part.comment) if one)
        if self.kind in ("skill", "language"):
            self._known(part, f"{part.label}: {part.text}" if part.label else part.text)
        elif self.kind == "bullets":
            text = f"**{part.label}:** {text}" if part.label else text
            self._add({"text": text, "bullets": bullets(part.points)}, part.place)
        elif dates.is_date(part.label):
            self._item(_line_of(part), part.place, part.points)
        else:
            more = [text] if part.label and text else []
            entry = Entry([part.label or text], part.place, paragraphs=more, points=part.points)
            self._finish(item_of(self.kind, entry), part.place)

    def _item(self, text: str, place: Span, points: list[Point]) -> None:
        item = citations.of_kind(self.kind, text) if self.kind in _CITED else None
        if item or (self.kind in _CITED and text[:1] != "["):
            lost = [("point", text) for text in plain_texts(points)]
            self._finish(Made(item or {"title": text}, lost), place)
        else:
            entry = items.split_text(text, place)
            entry.points = points
            self._finish(item_of(self.kind, entry), place)

    def _known(self, part: Keyed, whole: str) -> None:
        """Add a skill or a language; the ``whole`` of the line may list several."""
        is_language = self.kind == "language"
        many = items.languages_in(whole) if is_language else items.split_list(part.text)
        is_sentence = part.text.endswith(".") and len(part.text.split()) > 4 * len(many)
        is_list = not (part.label and not is_language) and not (part.points or part.comment)
        if is_list and len(many) > 1 and not is_sentence:
            for one in many:
                if is_language:
                    self._point(Point(one, part.place))
                else:
                    self._add({"name": one}, part.place)
            return
        item: dict[str, Any] = {items.NAMES[self.kind][0]: part.label or part.text}
        levels, below = [part.comment] if part.comment else [], plain_texts(part.points)
        if part.label and (is_language or all(map(vocabulary.LEVEL.fullmatch, many))):
            levels.insert(0, part.text)
        elif part.label:
            item["keywords"] = [part.text] if is_sentence else many
        item["level"] = ", ".join(one for one in levels if one)
        if not is_language:
            item["keywords"] = [*item.get("keywords", ()), *below]
        lost = [("point", text) for text in below if is_language]
        self._finish(Made(item, lost), part.place)

    def _point(self, part: Point) -> None:
        if self.kind == "bullets":
            self._add({"text": part.text, "bullets": bullets(part.points)}, part.place)
        elif self.kind in ("skill", "language"):
            known = ("", part.text) if part.text[-1:] == "." else vocabulary.level(part.text)
            label, text = vocabulary.keyed(part.text) or known
            self._known(Keyed(label, text, part.place, points=part.points), part.text)
        else:
            self._item(part.text, part.place, part.points)

    def _prose(self, part: Prose) -> None:
        has_entries = any(isinstance(one, Entry) for one in self.section.parts)
        is_line = not has_entries and len(part.text) <= _LONGEST_LINE
        # Above publications it is about all of them.
        is_note = self.kind in _CITED and not (
            self.is_begun or citations.of_kind(self.kind, part.text)
        )
        if self.kind in ("text", "bullets"):
            self._add({"text": part.text}, part.place)
        elif not is_note and (self.kind in _OF_LINES or is_line):
            self._point(Point(part.text, part.place))
        else:
            section = self.draft.section(self.kind, self.title)
            section["note"] = f"{section.get('note', '')} {part.text}".strip()


def fits(section: Section, kind: str) -> bool:
    """Return whether the parts of a section can be items of a kind."""
    parts = section.parts
    if kind in _CITED:
        return any(
            isinstance(part, Entry) or citations.of_kind(kind, _line_of(part)) for part in parts
        )
    if kind == "reference":
        return all(isinstance(part, Entry | Keyed) or "," in part.text[:120] for part in parts)
    if kind in ("education", "experience", "volunteer"):
        return general(parts) == "entry" or any(
            isinstance(part, Point)
            and (dates.ends_in(part.text)[1] or dates.begins_with(part.text)[1])
            for part in parts
        )
    return True


def _line_of(part: Point | Keyed | Prose) -> str:
    """Return the text of a part; a label that is its date stands at the end."""
    if isinstance(part, Keyed) and dates.is_date(part.label):
        return f"{part.text.rstrip('. ')}, {part.label}."
    return part.text


def item_of_line(kind: str, text: str, place: Span) -> dict[str, Any] | None:
    """Return the item that a line says: "Example Prize, Example Society (2020)".

    None if the line says something that the kind has no key for.
    """
    if kind in _CITED:
        return citations.of_kind(kind, text)
    made = item_of(kind, items.split_text(text, place))
    return None if made.lost else made.item


def general(parts: list[Part]) -> str:
    """Return the kind of a section whose title says nothing, by its parts."""
    labels = [part.label for part in parts if isinstance(part, Keyed)]
    if any(isinstance(part, Entry) for part in parts) or any(map(dates.is_date, labels)):
        return "entry"
    if labels and len(labels) == len(parts):
        return "skill"
    return "bullets" if any(isinstance(part, Keyed | Point) for part in parts) else "text"


def _told(part: Part) -> list[str]:
    """Return all that a part says, as texts."""
    match part:
        case Entry():
            names = (*part.texts, part.location, part.date)
            found = [", ".join(one for one in names if one), *part.paragraphs]
        case Keyed():
            words = ", ".join(one for one in (part.text, part.comment) if one)
            found = [f"{part.label}: {words}" if part.label else words]
        case _:
            found = [part.text]
    return [*found, *plain_texts(getattr(part, "points", ()))]
