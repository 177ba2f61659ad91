"""The texts of a view: each value of the model as a reader sees it, and where its lines end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.references.identity import persons
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.locales import FORMS, date_text, language_of, table
from cvbuild.model.locales.dates import Date
from cvbuild.model.sections import Author, Link
from cvbuild.model.text import lines, rich_text
from cvbuild.selection.selected import Selected, value_at
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

    def __init__(self, selected: Selected, options: Mapping[str, Any]) -> None:
        self.options = options
        self.dates = str(options.get("date-form", FORMS[0]))
        self.profile = selected.profile
        self.selected = selected
        self.table = table(self.profile.locale)
        self._persons: dict[FieldPath, list[bool]] = {}

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
                # With marks, and whether it is the person.
                above, place = path[:-1], (*path, "name")
                if above not in self._persons:
                    authors = value_at(self.profile, above)
                    self._persons[above] = persons(authors, self.profile.name)
                me, name = self._persons[above][int(path[-1])], self.line(value.name, place)
                marks = self.line(value.marks, place) if value.marks else None
                rest = {"marks": marks, "gap": None, "count": None}
                return Item(path, {"name": name, "me": me, **rest})
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
        language, points = text.language, []
        for index, point in enumerate(text.points):
            place = (*path, index)
            # The point, and those under it.
            words = [replace(one, language=language) for one in (point.text, *point.below)]
            first, *below = (self.prose(one, place) for one in words)
            bullets = tuple(Item((*place, at), {"text": one}) for at, one in enumerate(below))
            is_plain = point.number is None
            number = None if is_plain else self.verbatim(str(point.number), (*place, "number"))
            points.append(Item(place, {"text": first, "bullets": bullets, "number": number}))
        quotes = (table(language) if language else self.table).quotes
        nodes = rich_text.parse(text.source, quotes)
        return Content(nodes, path, language, tuple(points))

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
            address = self.verbatim(lines.short_url(url.url), (*path, "url")) if url else None
            fields["address"] = address
        if "grade" in fields:
            # "GPA 3.8" and "Note: 1,3" need no label, "3.8" and "with distinction" do.
            grade, label = str(fields["grade"] or ""), self.phrase("grade", (*path, "grade"))
            is_named = _NAMES.search(grade) or _NAMED.search(grade)
            is_clear = not grade or is_named or str(label).casefold() in grade.casefold()
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
        for scheme, value, page in (
            ("doi", item.doi, "https://doi.org"), ("arXiv", item.arxiv, "https://arxiv.org/abs")
        ):  # fmt: skip
            if value:
                place, address = (*path, scheme.lower()), lines.normal_url(f"{page}/{value}")
                label = self.verbatim(f"{scheme}:{value}", place)
                identifiers.append(Item(place, {"label": label, "url": Address(address)}))
        return {**extra, "links": (*identifiers, *fields["links"])}

    def shortened(self, authors: tuple[Item, ...], path: FieldPath) -> tuple[Item, ...]:
        """Return the authors that the section asks for: the first ones, the person, the last one.

        ``gap`` is a mark for those that are left out after one, ``count`` is how many there are.
        """
        most = getattr(value_at(self.profile, path[:2]), "authors", None) or len(authors)
        more = bool(authors) and str(authors[-1].name).startswith("et al")
        last = len(authors) - 1
        if last < most + more:
            return authors
        kept = {0, last, *(at for at, author in enumerate(authors) if author.me)}
        others = (at for at in range(last) if at not in kept)
        kept |= {*islice(others, max(0, most + more - len(kept)))}
        shown = []
        for at in sorted(kept):
            is_before = at < last and at + 1 not in kept and not (more and at == max(kept - {last}))
            gap = self.verbatim("…", path) if is_before else None
            count = None
            if not more and at == last:
                # In a word whose own number is 1,000.
                word = self.phrase("authors", path)
                mark = re.search(r"1(.)000", str(word))
                sign = mark[1].replace(" ", "\u202f") if mark else ","
                text = re.sub(r"1.000", f"{last + 1:,}".replace(",", sign), str(word))
                count = replace(word, nodes=(rich_text.Text(f"({text})"),))
            fields = {**authors[at].fields, "gap": gap, "count": count}
            shown.append(Item(authors[at].path, fields))
        return tuple(shown)

    def line(self, text: str, path: FieldPath) -> Content:
        """Return a plain text; its straight quotes become those of the language."""
        language = text.language if isinstance(text, Wording) else None
        curled = rich_text.curl(text, (table(language) if language else self.table).quotes)
        return Content((rich_text.Text(curled),), path, language)

    def phrase(self, key: str, path: FieldPath, then: str = "", **fields: str) -> Content:
        """Return a heading, a label or a sentence; in English if the language has none."""
        language = None if language_of(self.profile.locale) else self.table.language
        text = self.table.words[key]
        whole = (text.format(**fields) if fields else text) + then
        return self.line(Wording(whole, language=language), path)

    def verbatim(self, text: str, path: FieldPath) -> Content:
        """Return a plain text exactly as written: an address, a number."""
        return Content((rich_text.Text(text),), path)


# -- spaces at which no line ends, in documents of all formats that have lines --------------------


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


def tied(content: Content) -> tuple[rich_text.Node, ...]:
    """Return the nodes of a text with no-break spaces; those of a name or a contact as they are."""
    if content.path[:1] in AS_WRITTEN:
        return content.nodes
    # A date in so many words is a text like others, which has to fit.
    short = len(rich_text.plain(content.nodes)) < _LINE
    spaces = _IN_DATE if content.path[-1:] == ("date",) and short else _SPACES
    nodes = [*_nodes(content.nodes, spaces)]
    length, last = len(rich_text.plain(nodes)), nodes[-1] if nodes else None
    # A long text has no short word, and no ideograph, alone on its last line.
    if isinstance(last, rich_text.Text) and length > _SQUARES and _LAST_SQUARE.search(last.text):
        nodes[-1] = rich_text.Text(_LAST_SQUARE.sub("\u2060", last.text))
    elif isinstance(last, rich_text.Text) and length >= _LINE:
        nodes[-1] = rich_text.Text(_SHORT_END.sub("\u00a0", last.text))
    return tuple(nodes)


def _nodes(tree: Iterable[rich_text.Node], spaces: re.Pattern[str]) -> Iterator[rich_text.Node]:
    for node in tree:
        match node:
            case rich_text.Text(text):
                yield rich_text.Text(spaces.sub("\u00a0", text))
            case rich_text.Span() | rich_text.Link():
                yield replace(node, children=tuple(_nodes(node.children, spaces)))
            case _:
                yield node
