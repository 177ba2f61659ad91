"""Make the view of what was selected: what templates see; ``view.types`` has its types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.locales.dates import date_text
from cvbuild.locales.words import language_of, table
from cvbuild.model import kinds, rich_text, urls
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.dates import Date
from cvbuild.model.field_paths import id_of
from cvbuild.model.kinds.describe import SELF
from cvbuild.model.parts import Author, Link
from cvbuild.selection.selected import Selected, SelectedGroup, SelectedSection
from cvbuild.view.author_names import is_person, of_person
from cvbuild.view.grades import says_what
from cvbuild.view.head import Head
from cvbuild.view.types import (
    FOOTER,
    Address,
    Content,
    Document,
    Group,
    Id,
    Item,
    Labels,
    Section,
    Word,
)

if TYPE_CHECKING:
    from cvbuild.model.kinds.publication import Publication


def footer(text: str) -> Content:
    """Return the footer that the person's options ask for."""
    return Content((rich_text.Text(text),), FOOTER)


def build(selected: Selected, options: Mapping[str, Any]) -> Document:
    """Return the view of what was selected, in the profile's locale."""
    return Viewer(selected, options).document()


def dead_labels(selected: Selected) -> Iterator[FieldPath]:
    """Yield where links without an address are, which no document shows."""
    for path, item in selected.items():
        for at, link in enumerate(getattr(item, "links", ())):
            if link.url is None and path not in selected.left_out:
                yield (*path, "links", at)


class Viewer:
    """Makes the parts of a view."""

    def __init__(self, selected: Selected, options: Mapping[str, Any]) -> None:
        self.profile = selected.profile
        self.selected = selected
        self.options = options
        self.table = table(self.profile.locale)
        self._names: dict[FieldPath, frozenset[str]] = {}

    def document(self) -> Document:
        """Return the whole view."""
        sections = [self.section(part) for part in self.selected.sections]
        labels = {key: self.word(key, ("locale",)) for key in self.table.words}
        return Document(
            header=Head(self).header(),
            sections=tuple(section for section in sections if section.groups),
            words=Labels(labels, self.profile.locale),
            keywords=tuple(_keywords(sections)),
            language=self.profile.locale,
        )

    def of(self, value: Any, path: FieldPath) -> Any:
        """Return the view of any value of the model; None for what is left out."""
        if path in self.selected.left_out:
            return None
        match value:
            case Prose():
                return self.prose(value, path)
            case Date():
                return self.line(date_text(value, self.profile.locale), path)
            case Author():
                return self.author(value, path)
            case Link(label=label, url=url):
                # A label that leads nowhere tells nothing; ``dead_labels`` counts them.
                shown = self.line(label, (*path, "label"))
                return Item(path, {"label": shown, "url": Address(url)}) if url else None
            case BaseModel():
                return self.item(value, path)
            case tuple():
                parts = (self.of(item, (*path, index)) for index, item in enumerate(value))
                return tuple(part for part in parts if part is not None)
            case FrozenMap():
                return tuple(
                    (self.line(key, (*path, key)), self.of(text, (*path, key)))
                    for key, text in value.items()
                )
            case str():
                return self.line(value, path)
        return value

    def prose(self, given: Prose, path: FieldPath) -> Content:
        """Return a paragraph with the list below it."""
        language = given.language
        nodes = rich_text.parse(given.source, self.quotes(language))
        return Content(nodes, path, language, tuple(self.points(given, path)))

    def points(self, given: Prose, path: FieldPath) -> Iterator[Item]:
        """Yield the list below a paragraph."""
        language = given.language
        for at, one in enumerate(given.points):
            place = (*path, at)
            bullets = tuple(
                Item((*place, under), {"text": self.prose(replace(text, language=language), place)})
                for under, text in enumerate(one.below)
            )
            written = None if one.number is None else str(one.number)
            number = self.verbatim(written, (*place, "number")) if written else None
            text = self.prose(replace(one.text, language=language), place)
            yield Item(place, {"text": text, "bullets": bullets, "number": number})

    def item(self, model: BaseModel, path: FieldPath) -> Item:
        """Return a model with every field as a view; URLs become addresses."""
        fields: dict[str, Any] = {}
        for name, info in type(model).model_fields.items():
            value, place = getattr(model, name), (*path, info.alias or name)
            is_url = name == "url" and value is not None
            fields[name] = Address(value) if is_url else self.of(value, place)
        # Not by its class, whose module others don't need.
        if "arxiv" in fields:
            fields |= self.publication(cast("Publication", model), path, fields)
        elif "url" in fields:
            url = fields["url"]
            shown = self.verbatim(urls.display(url.url), (*path, "url")) if url else None
            fields["address"] = shown
        if "grade" in fields:
            grade, label = fields["grade"], self.word("grade", (*path, "grade"))
            is_clear = not grade or says_what(str(grade), str(label))
            fields["grade_label"] = None if is_clear else label
        return Item(path, fields)

    def publication(
        self, item: Publication, path: FieldPath, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return a publication; drop a year that its venue has, link its DOI and arXiv id.

        ``column_date`` is a date so dropped, for styles with a column of dates.
        """
        extra: dict[str, Any] = {"column_date": None}
        venues = " ".join(str(venue) for venue in (item.venue, item.short_venue) if venue)
        year = item.date.lone_year if item.date else None
        if year and re.search(rf"{year}|['’]{year % 100:02}(?![0-9])", venues):
            extra = {"date": None, "column_date": fields["date"]}
        identifiers = []
        if item.doi:
            address = Address(urls.normalise(f"https://doi.org/{item.doi}"))
            label = self.verbatim(f"doi:{item.doi}", (*path, "doi"))
            identifiers.append(Item((*path, "doi"), {"label": label, "url": address}))
        if item.arxiv:
            address = Address(urls.normalise(f"https://arxiv.org/abs/{item.arxiv}"))
            label = self.verbatim(f"arXiv:{item.arxiv}", (*path, "arxiv"))
            identifiers.append(Item((*path, "arxiv"), {"label": label, "url": address}))
        return {**extra, "links": (*identifiers, *fields["links"])}

    def author(self, author: Author, path: FieldPath) -> Item:
        """Return a name with its marks, and whether it is the person."""
        me = is_person(author, self._names_in(path[:-1]))
        shown = self.line(author.name, (*path, "name"))
        marks = self.line(author.marks, (*path, "name")) if author.marks else None
        return Item(path, {"name": shown, "marks": marks, "me": me})

    def _names_in(self, path: FieldPath) -> frozenset[str]:
        """Return the person's names in the list of authors at ``path``."""
        if path not in self._names:
            here: Any = self.profile
            for step in path:
                here = here[step] if isinstance(step, int) else getattr(here, step)
            self._names[path] = of_person(here, self.profile.name)
        return self._names[path]

    def line(self, text: str, path: FieldPath) -> Content:
        """Return a plain text; its straight quotes become those of the language."""
        language = text.language if isinstance(text, Wording) else None
        shown = rich_text.curl(text, self.quotes(language))
        return Content((rich_text.Text(shown),), path, language)

    def quotes(self, language: str | None) -> tuple[str, ...]:
        """Return the quotation marks of a text; None is the document's language."""
        return (table(language) if language else self.table).quotes

    def word(self, key: str, path: FieldPath) -> Content:
        """Return a heading or a label; in English if the language has none."""
        is_own = language_of(self.profile.locale) and key not in self.table.lacking
        word = Wording(self.table.word(key), language=None if is_own else "en")
        return self.line(word, path)

    def verbatim(self, text: str, path: FieldPath) -> Content:
        """Return a plain text exactly as written: an address, a number."""
        return Content((rich_text.Text(text),), path)

    def section(self, part: SelectedSection) -> Section:
        """Return a section with its heading: its own, or that of its kind."""
        groups = (self.group(part, group) for group in part.groups)
        note = part.source.note if part.source is not None else None
        for label in kinds.of(part.kind).labels:
            self.table.word(label)  # raise now if one is missing: an output couldn't say why
        return Section(
            id=Id(id_of(part.path)),
            kind=Word(part.kind),
            title=self.of(part.title, part.title_path) or self.word(part.kind, part.path),
            note=self.of(note, (*part.path, "note")),
            groups=tuple(group for group in groups if group.items),
            column=part.column,
        )

    def group(self, part: SelectedSection, group: SelectedGroup) -> Group:
        """Return the items under a sub-heading, or a section's own."""
        pairs = ((path, self.of(item, path)) for path, item in group.items)
        items = [view for _, view in pairs if view is not None]
        if group.run_path in self.selected.left_out:
            items = []
        if hasattr(part.source, "numbering"):
            items = self.numbered(items, part.source.numbering)
        return Group(
            id=Id(id_of(group.path)),
            title=self.of(group.title, (*group.path, "title")),
            note=self.of(group.note, (*group.path, "note")) if group.title else None,
            items=tuple(items),
            run=Id(id_of(group.run_path)) if group.run else None,
        )

    def numbered(self, items: list[Item], numbering: str | None) -> list[Item]:
        """Return the items with their numbers in the group, as the section or template says."""
        way = numbering or self.options.get("numbering", "none")
        count = len(items)
        places = {
            "forward": range(1, count + 1),
            "reversed": range(count, 0, -1),
        }.get(way)
        return [
            Item(
                item.path,
                {**item.fields, "place": self.line(str(places[at]), item.path) if places else None},
            )
            for at, item in enumerate(items)
        ]


def _keywords(sections: Iterable[Section]) -> Iterator[Content]:
    """Yield keywords for a search, kind by kind."""
    shown = tuple(sections)
    for name in (*kinds.OWN, *kinds.KINDS):
        if field := kinds.of(name).search:
            for item in (one for section in shown if section.kind == name for one in section.items):
                yield item if field == SELF else getattr(item, field)
