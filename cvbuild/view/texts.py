"""The texts of a view: each value of the model as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.dates import Date
from cvbuild.model.locales.dates import FORMS, date_text
from cvbuild.model.locales.words import language_of, table
from cvbuild.model.parts import Author, Link
from cvbuild.model.text import rich_text, urls
from cvbuild.selection.select import value_at
from cvbuild.selection.selected import Selected
from cvbuild.view.author_names import is_person, of_person
from cvbuild.view.types import Address, Content, Item

if TYPE_CHECKING:
    from cvbuild.model.kinds.publications import Publication

#: What a grade is called, in the languages of the tables, besides their own word for it.
_NAMES = re.compile(
    r"""
      \b(?: c?gpa | wam | qpa | grades? | marks? | scores? | average | rank(?:ed)? | top )\b
    | noten? \b | noten | schnitt\b | prädikat | \b(?: mention | moyenne | nota | media | média
    | promedio | voto | votazione | cijfer | gemiddeld\w* | snitt? | średnia | průměr | keskiarvo
    | балл\w* | оценка | ortalama\w* )\b
    | معدل | تقدير | ממוצע | 绩 | 績 | 評定 | 平均 | 排名 | 평점 | 학점
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: A name that the person gave it: "Note: 1,3".
_NAMED = re.compile(r"[^\W\d_]\s*[:：]")


class Texts:
    """Makes the texts of a view, and its items."""

    def __init__(self, selected: Selected, dates: str = FORMS[0]) -> None:
        self.dates = dates
        self.profile = selected.profile
        self.selected = selected
        self.table = table(self.profile.locale)
        self._names: dict[FieldPath, frozenset[str]] = {}

    def of(self, value: Any, path: FieldPath) -> Any:
        """Return the view of any value of the model; None for what is left out."""
        if path in self.selected.left_out:
            return None
        match value:
            case Prose():
                return self.prose(value, path)
            case Date():
                return self.line(date_text(value, self.profile.locale, self.dates), path)
            case Author():
                return self.author(value, path)
            case Link(label=label, url=url):
                # A label that leads nowhere tells nothing; ``dead_labels`` counts them.
                name = self.line(label, (*path, "label"))
                return Item(path, {"label": name, "url": Address(url)}) if url else None
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

    def prose(self, text: Prose, path: FieldPath) -> Content:
        """Return a paragraph with the list below it."""
        language = text.language
        nodes = rich_text.parse(text.source, self.quotes(language))
        return Content(nodes, path, language, tuple(self.points(text, path)))

    def points(self, prose: Prose, path: FieldPath) -> Iterator[Item]:
        """Yield the list below a paragraph."""
        language = prose.language
        for index, point in enumerate(prose.points):
            place = (*path, index)
            bullets = tuple(
                Item((*place, under), {"text": self.prose(replace(text, language=language), place)})
                for under, text in enumerate(point.below)
            )
            written = None if point.number is None else str(point.number)
            number = self.verbatim(written, (*place, "number")) if written else None
            text = self.prose(replace(point.text, language=language), place)
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
            address = self.verbatim(urls.display(url.url), (*path, "url")) if url else None
            fields["address"] = address
        if "grade" in fields:
            grade, label = fields["grade"], self.word("grade", (*path, "grade"))
            is_clear = not grade or _says_what(str(grade), str(label))
            fields["grade_label"] = None if is_clear else label
        return Item(path, fields)

    def publication(
        self, item: Publication, path: FieldPath, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return a publication; drop a year that its venue has, link its DOI and arXiv id.

        ``column_date`` is a date so dropped, for styles with a column of dates.
        """
        shown = self.shortened(fields["authors"], (*path, "authors"))
        extra: dict[str, Any] = {"column_date": None, "authors": shown}
        venues = " ".join(str(venue) for venue in (item.venue, item.short_venue) if venue)
        year = item.date.lone_year if item.date else None
        if year and re.search(rf"{year}|['’]{year % 100:02}(?![0-9])", venues):
            extra |= {"date": None, "column_date": fields["date"]}
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
        printed = self.line(author.name, (*path, "name"))
        marks = self.line(author.marks, (*path, "name")) if author.marks else None
        return Item(path, {"name": printed, "marks": marks, "me": me, "gap": None, "count": None})

    def shortened(self, authors: tuple[Item, ...], path: FieldPath) -> tuple[Item, ...]:
        """Return the authors that the section asks for: the first ones, the person, the last one.

        ``gap`` is a mark for those that are left out after one, ``count`` is how many there are.
        """
        most = getattr(value_at(self.profile, path[:2]), "authors", None) or len(authors)
        more = bool(authors) and str(authors[-1].name).startswith("et al")
        last = len(authors) - 1
        if last < most + more:
            return authors
        kept = {0, last, *(at for at, one in enumerate(authors) if one.me)}
        others = (at for at in range(last) if at not in kept)
        kept |= {*islice(others, max(0, most + more - len(kept)))}
        shown = []
        for at in sorted(kept):
            is_before = at < last and at + 1 not in kept and not (more and at == max(kept - {last}))
            gap = self.verbatim("…", path) if is_before else None
            count = None if more or at < last else self.number_of("authors", last + 1, path)
            fields = {**authors[at].fields, "gap": gap, "count": count}
            shown.append(Item(authors[at].path, fields))
        return tuple(shown)

    def number_of(self, key: str, number: int, path: FieldPath) -> Content:
        """Return in brackets how many there are, in a word whose own number is 1,000."""
        word = self.word(key, path)
        mark = re.search(r"1(.)000", str(word))
        written = f"{number:,}".replace(",", mark[1].replace(" ", "\u202f") if mark else ",")
        text = re.sub(r"1.000", written, str(word))
        return replace(word, nodes=(rich_text.Text(f"({text})"),))

    def _names_in(self, path: FieldPath) -> frozenset[str]:
        """Return the person's names in the list of authors at ``path``."""
        if path not in self._names:
            authors = value_at(self.profile, path)
            self._names[path] = of_person(authors, self.profile.name)
        return self._names[path]

    def line(self, text: str, path: FieldPath) -> Content:
        """Return a plain text; its straight quotes become those of the language."""
        language = text.language if isinstance(text, Wording) else None
        curled = rich_text.curl(text, self.quotes(language))
        return Content((rich_text.Text(curled),), path, language)

    def quotes(self, language: str | None) -> tuple[str, ...]:
        """Return the quotation marks of a text; None is the document's language."""
        return (table(language) if language else self.table).quotes

    def word(self, key: str, path: FieldPath) -> Content:
        """Return a heading or a label; in English if the language has none."""
        is_own = language_of(self.profile.locale) and key not in self.table.lacking
        word = Wording(self.table.word(key), language=None if is_own else "en")
        return self.line(word, path)

    def phrase(self, key: str, path: FieldPath, then: str = "", **fields: str) -> Content:
        """Return words of the language's table; in English if the language has none."""
        language = None if language_of(self.profile.locale) else self.table.language
        text = self.table.words[key].format(**fields) + then
        return self.line(Wording(text, language=language), path)

    def verbatim(self, text: str, path: FieldPath) -> Content:
        """Return a plain text exactly as written: an address, a number."""
        return Content((rich_text.Text(text),), path)


def _says_what(grade: str, word: str) -> bool:
    """Return whether a grade needs no label; ``word`` is the label in the document's language.

    "GPA 3.8" and "Note: 1,3" need none, "3.8" and "with distinction" do.
    """
    named = _NAMES.search(grade) or _NAMED.search(grade)
    return bool(named) or word.casefold() in grade.casefold()
