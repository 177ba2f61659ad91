"""The entries of a section: those of its kind that RenderCV has, else the nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.dates import Date
from cvbuild.outputs.rendercv import words
from cvbuild.view import lines
from cvbuild.view.types import Document, Group, Item, Section

Entry = dict[str, Any] | str
Dates = Mapping[FieldPath, Date]


def of_group(section: Section, group: Group, document: Document, dates: Dates) -> list[Entry]:
    """Return the entries of a group; all are of one type, as RenderCV wants it."""
    run = lines.run_of(section, group, document.words)
    if run is not None and section.kind != "language":
        return [words.joined(run)]
    maker = _Maker(section, document, dates)
    if section.kind in ("skill", "language"):
        return maker.one_line(group)
    made = [one for item in group.items for one in maker.of(item)]
    for entry in made:
        if isinstance(entry, dict):
            # What an item lacks is empty: without the key, all would be of another type.
            for key, nothing in _REQUIRED.get(section.kind, {}).items():
                entry.setdefault(key, nothing)
    return made


#: What entries of a type must have, if it is empty.
_REQUIRED: Mapping[str, Mapping[str, Any]] = {
    "education": {"institution": "", "area": ""},
    "experience": {"company": "", "position": ""},
    "publication": {"title": "", "authors": []},
    "patent": {"title": "", "authors": []},
}


class _Maker:
    """Makes the entries of a section from the lines of its items."""

    def __init__(self, section: Section, document: Document, dates: Dates) -> None:
        self.section = section
        self.labels = document.words
        self.dates = dates

    def one_line(self, group: Group) -> list[Entry]:
        """Return skills or languages: a label and details, or lines of text if one has none."""
        made: list[Entry] = []
        for item in group.items:
            if self.section.kind == "language":
                label, details = words.of(item.language), words.of(item.level)
            else:
                listed = [words.of(one) for one in item.keywords]
                mark = "; " if any("," in one for one in listed) else ", "
                label, details = words.of(item.name), mark.join(listed)
                if item.level and details:
                    label += f" ({words.of(item.level)})"
                elif item.level:
                    details = words.of(item.level)
            made.append({"label": label, "details": details})
        if all(one["details"] for one in made if isinstance(one, dict)):
            return made
        return [": ".join(filter(None, one.values())) for one in made if isinstance(one, dict)]

    def of(self, item: Any) -> list[Entry]:
        """Return the entries of an item; an employer with several roles has one for each."""
        found = lines.of_item(self.section, item, self.labels)
        if self.section.kind in ("text", "summary"):
            return [text for line in found for text in _paragraphs(line)]
        if self.section.kind == "bullets":
            return [{"bullet": text} for line in found for text in self.points(line)]
        parts = [line for line in found if isinstance(line, lines.Part)]
        own = tuple(line for line in found if not isinstance(line, lines.Part))
        if not parts:
            return [self.entry(item, own)]
        employer = _company(item)
        first, *others = [self.entry(one.item, one.lines, employer, item) for one in parts]
        told = self.entry(item, own)
        for key in ("summary", "highlights"):
            if key in told and key not in first:
                first[key] = told[key]
            elif key in told:
                said = told[key] if isinstance(told[key], list) else [told[key]]
                first["highlights"] = [*map(_unbroken, said), *first.get("highlights", ())]
        return [first, *others]

    def entry(
        self, item: Item, found: tuple[lines.Line, ...], company: str = "", employer: Any = None
    ) -> dict[str, Any]:
        """Return an item, or a role at an employer, with all of its lines."""
        made = self.head(item, found, company)
        shown = getattr(item, "date", None) or getattr(employer, "date", None)
        dated = self.dates.get((*item.path, "date"))
        if dated is None and employer is not None:
            dated = self.dates.get((*employer.path, "date"))
        made |= words.date(dated, words.of(shown))
        place = getattr(item, "location", None) or getattr(employer, "location", None)
        if place and self.section.kind not in _CITED:
            made["location"] = words.of(place)
        points: list[str] = []
        for line in found:
            if isinstance(line, lines.Row) and _fields(line.words) == {"summary"}:
                made["summary"] = " ".join(filter(None, (made.get("summary"), _row(line))))
            elif self.section.kind not in _CITED:
                points += self.points(line)
            elif isinstance(line, lines.LinkRow):
                # RenderCV prints a DOI that has its key.
                links = [one for one in line.links if one[0].path[-1] != "doi" or "doi" not in made]
                points += self.points(lines.LinkRow(tuple(links))) if links else []
            else:
                points += map(_stopped, self.points(line))
        if self.section.kind in _CITED:
            # Such entries have no highlights.
            made["summary"] = " ".join(filter(None, (made.get("summary"), *points)))
        elif points:
            made["highlights"] = points
        return {key: value for key, value in made.items() if value}

    def head(self, item: Item, found: tuple[lines.Line, ...], company: str) -> dict[str, Any]:
        """Return what the item is, in the keys of its kind."""
        url = item.fields.get("url")
        match self.section.kind:
            case "education":
                area, degree = words.of(item.area), words.of(item.degree)
                made = {"institution": words.of(item.institution), "area": area or degree}
                made["degree"] = degree if area else ""
                return made | ({"summary": words.escaped(url.url)} if url else {})
            case "experience":
                company = company or _company(item)
                if url:
                    company = words.linked(company or words.escaped(url.url), url.url)
                return {"company": company, "position": words.of(item.title)}
            case "publication" | "patent":
                return self.cited(item, found, url.url if url else "")
        line = next(one for one in found if isinstance(one, lines.HeadLine))
        name = ", ".join(map(words.joined, line.parts))
        return {"name": words.linked(name, url.url) if url else name}

    def cited(self, item: Item, found: tuple[lines.Line, ...], url: str) -> dict[str, Any]:
        """Return a publication: authors and journal by themselves, the rest as its summary."""
        line = next(one for one in found if isinstance(one, lines.CitedLine))
        authors, journal, rest = [], "", []
        doi = str(item.fields.get("doi") or "")
        has_doi = bool(doi) and words.is_literal(doi)
        for sentence in line.sentences:
            fields = _fields(sentence)
            if fields & {"authors", "inventors"}:
                people = item.fields.get("authors") or item.fields.get("inventors") or ()
                authors = [name for one in people for name in _author(one)]
            elif fields == {"title"} or (has_doi and "doi" in fields):
                continue
            elif not journal and not fields & {"note", "marks", "status", "doi"}:
                journal = _undated(sentence)
            else:
                rest.append(words.joined(sentence))
        has_url = not has_doi and words.is_web(url)
        return {
            "title": words.of(item.title), "authors": authors, "journal": journal,
            "doi": doi if has_doi else "", "url": url if has_url else "",
            "summary": " ".join([*rest, *([words.escaped(url)] if url and not has_url else [])]),
        }  # fmt: skip

    def points(self, line: lines.Line) -> list[str]:
        """Return a line as highlights; nothing for what has a key."""
        match line:
            case lines.Row():
                return [_unbroken(_row(line))]
            case lines.BulletList(bullets):
                # RenderCV makes a point below of what comes after such a hyphen.
                return [
                    (f"{bullet.number}. " if bullet.number else "")
                    + " - ".join(_unbroken(words.of(one)) for one in (bullet.text, *bullet.below))
                    for bullet in bullets
                ]
            case lines.LinkRow(links):
                shown = [
                    words.linked(words.of(label), url.url) if url else words.of(label)
                    for label, url in links
                ]
                return [_unbroken(", ".join(shown))]
        return []


_CITED = ("publication", "patent")


def _paragraphs(line: lines.Line) -> list[str]:
    """Return a line of prose as texts; such sections have no lists of their own."""
    if isinstance(line, lines.Row):
        return [words.joined(line.words)]
    found = []
    for bullet in line.bullets if isinstance(line, lines.BulletList) else ():
        found.append(f"{f'{bullet.number}.' if bullet.number else '•'} {words.of(bullet.text)}")
        found += (f"– {words.of(below)}" for below in bullet.below)
    return found


def _company(item: Any) -> str:
    parts = (words.of(one) for one in (item.department, item.employer))
    return ", ".join(filter(None, parts))


def _author(author: Item) -> Iterator[str]:
    name, count = words.of(author.name), f" {words.of(author.count)}".rstrip()
    yield (f"*{name}*" if author.me else name) + words.of(author.marks) + count
    if author.gap:
        yield words.of(author.gap)


def _unbroken(point: str) -> str:
    return point.replace(" - ", r" \- ")


def _row(line: lines.Row) -> str:
    text = words.joined(line.words)
    label = _LABELS.get(next(iter(_fields(line.words)), "")) if not line.label else ""
    shown = words.of(line.label) if line.label else label
    return f"{shown}: {text}" if shown else text


#: Labels that RenderCV's readers expect, of lines that have none here.
_LABELS = {"grade": "Grade"}


def _fields(found: lines.Words) -> set[str]:
    return {one.field for one in found if isinstance(one, lines.Piece)}


def _undated(sentence: lines.Words) -> str:
    """Return where it appeared, without the date, which has its own key."""
    kept: list[lines.Piece | str] = []
    for word in sentence:
        if isinstance(word, lines.Piece) and word.field == "date":
            if kept and isinstance(kept[-1], str):
                kept.pop()
            continue
        kept.append(word)
    if kept and kept[-1] == ".":
        # Not the full stop of an abbreviation, which is part of the name.
        kept.pop()
    return words.joined(tuple(kept))


def _stopped(text: str) -> str:
    return text if text.endswith((".", "?", "!", "。", ")")) else f"{text}."
