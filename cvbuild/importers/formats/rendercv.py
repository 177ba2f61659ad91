"""RenderCV 2.x, and the CV of an al-folio site, ``_data/cv.yml``.

Until 2025 that was a list of cards: each has a title, a type and contents, which are names with
values, a table of times, or lists of texts.
"""

from __future__ import annotations

import re
import string
from functools import partial
from typing import Any

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import dates, descriptions, headings, networks, parsers
from cvbuild.importers.descriptions import Blocks, Paragraph
from cvbuild.importers.documents import items, people, sections, vocabulary
from cvbuild.importers.formats.reader import Reader
from cvbuild.importers.outline import Run
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value
from cvbuild.model.text import language_tags, texts


class Format(Importer):
    """A CV as RenderCV."""

    signs = (
        rb"^cv:",
        rb"^\s+(sections|social_networks|name|headline|location):|^(design|locale|settings):",
    )

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML, or has no name."""
        root = parsers.parse_yaml(given.data, given.name)
        cv = root.get("cv")
        if cv is None or not isinstance(cv.data, dict):
            hint = "write name, email, sections below it"
            place = (cv or root).place
            raise CvbuildError.because("rendercv", '"cv" is no mapping', hint, place)
        reader = _Reader(given.name)
        draft = reader.draft
        reader.head(cv, cv.place, 'write "name: …" below "cv:"')
        draft.put("contact.address", reader.prose(cv, "location"), cv.where("location"))
        for one in cv.mappings("custom_connections"):
            if url := reader.line(one, "url"):
                draft.put("contact.links", [{reader.line(one, "placeholder") or url: url}])
        language = root.text("locale.language").strip()
        tag = language_tags.nearest(language.removeprefix("mandarin_")) or language
        draft.put("locale", tag, root.where("locale.language", "locale"))
        if design := root.get("design"):
            design.read()
            fact = "its look is not taken over: choose a template, and set options"
            draft.lose("design", fact, design.place)
        for key, value in cv.mapping("sections").fields.items():
            title = key.partition(" (earlier,")[0]
            if " " not in title and title == title.lower():
                # As RenderCV prints it: selected_honors is Selected Honors.
                title = string.capwords(title.replace("_", " "))
            reader.section(inline(title), value)
        return reader.done(root)


inline = partial(descriptions.inline, is_markdown=True)
#: Kinds of headings that are keys of the person.
_OWN = (headings.SUMMARY, headings.INTERESTS)
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_MARKED = re.compile(r"\*+|_{2,}")
#: What the main text of an entry is, in the kinds that headings announce.
_MAIN = {
    **{kind: names[0] for kind, names in items.NAMES.items() if kind not in ("skill", "language")},
    "volunteer": "organization", "education": "institution",
}  # fmt: skip
#: Kinds whose items may be a line: "Example Prize, Example Society (2020)".
_LINES = ("talk", "patent", "publication", "award", "grant", "certificate", "service", "teaching")


class _Reader(Reader):
    """Reads entries, whose kinds their keys and their section's heading tell."""

    def section(self, title: str, value: Value) -> None:
        """Read a section: first what is a text, then what has keys."""
        announced = (headings.kind_of(title) or ("", ""))[0]
        # Some write one text without a dash.
        parts = [value] if isinstance(value.data, str) else value.parts()
        is_plain = all(isinstance(one.data, str) or one.get("bullet") for one in parts)
        if announced in _OWN and announced not in self.draft.data and is_plain:
            found = [inline(one.text("bullet") or one.own_text()) for one in parts]
            self.draft.put(announced, "\n\n".join(found) if announced == "summary" else found)
            return
        for one in parts:
            if isinstance(one.data, str):
                self.add("text", inline(one.own_text()), one, title)
        for one in parts:
            if isinstance(one.data, dict) and (made := self.entry(announced, one)):
                kind, item = made
                self.add(kind, item, one, title)

    def entry(self, announced: str, entry: Value) -> tuple[str, Any] | None:
        """Return kind and item of an entry below a heading; None for one without known keys."""
        if text := entry.text("bullet", "number", "reversed_number"):
            return self.of_line(announced, self.points([text])[0], entry)
        if entry.get("label") or entry.get("details"):
            label, details = self.prose(entry, "label"), entry.text("details")
            if announced == "language":
                return "language", {"language": label, "level": inline(details)}
            if announced in _LINES:
                line = ", ".join(filter(None, (label, inline(details))))
                return self.of_line(announced, line, entry)
            # Commas inside of brackets divide nothing.
            mark = ";" if ";" in details else ","
            words = [*filter(None, map(str.strip, re.split(rf"{mark}(?![^(\[]*[)\]])", details)))]
            words[1:] = [re.sub("^and ", "", word) for word in words[1:]]
            return "skill", {"name": label, "keywords": [*map(inline, words)]}
        kind = announced if announced in _MAIN else "entry"
        if entry.get("institution"):
            kind = "education"
        elif entry.get("company"):
            kind = kind if kind in ("education", "volunteer") else "experience"
        elif entry.get("title") and entry.get("authors"):
            kind = "publication"
        elif not (entry.get("name") or entry.get("title")):
            return None
        elif kind == "education":
            kind = "entry"
        main = _MAIN[kind] if kind not in ("education", "experience", "volunteer") else ""
        made = self.item(kind, entry, {main: ("name", "title")})
        for key, text in list(made.items()):
            is_name = isinstance(text, str) and key != "date"
            whole = _LINK.fullmatch(text.strip(" *")) if is_name else None
            if whole and "url" not in made:
                made |= {key: inline(whole[1]), "url": texts.line(whole[2])}
        if not made.get("date") and dates.is_date(str(made.get("summary", ""))):
            made["date"] = dates.normal(made.pop("summary"))
        made["authors"] = [_MARKED.sub("", one) for one in made.get("authors", ())]
        return kind, made

    def points(self, found: list[str]) -> list[Any]:
        """Return points; what follows " - " is under one, as RenderCV shows it."""
        made: list[Any] = []
        for text in found:
            first, *below = map(inline, re.split(r"\s+- (?=\S)", text.strip().removeprefix("- ")))
            made.append({"text": first, "bullets": below} if below else first)
        return made

    def of_line(self, announced: str, item: Any, entry: Value) -> tuple[str, Any]:
        """Return what a line is below a heading: "Example Prize, Example Society (2020)"."""
        if announced not in _LINES or not isinstance(item, str):
            return "bullets", item
        made = sections.item_of_line(announced, item, entry.place)
        return announced, made or {_MAIN[announced]: item}


# -- the cards of al-folio -------------------------------------------------------------------------

_FIRST = ("general information", "personal information", "contact information", "basics")
#: What the names of the first card are, besides labels of contacts in any document.
_NAMES = {"summary": "summary", "title": "headline", "birthday": "contact.birth-date"}


class AlFolio(Importer):
    """A CV as al-folio's cards."""

    signs = (rb"^- title:.*\n(?:[ \t]+.*\n|\n|#.*\n){0,9}?[ \t]+type: *[\"']?(?:map|time_table)",)

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML."""
        root = parsers.parse_yaml(given.data, given.name)
        reader = _Reader(given.name)
        for card in root.data if isinstance(root.data, list) else ():
            title, is_map = reader.prose(card, "title"), card.text("type") == "map"
            kind = (headings.kind_of(title) or ("",))[0]
            # The headings of these cards have no place.
            is_told = title.lower() not in _FIRST if is_map else kind in _OWN
            if is_told and not headings.has_no_other_words(title):
                reader.draft.lose("heading", title, card.place)
            for one in card.items("contents"):
                if not is_map:
                    _content(reader, kind, title, one)
                    continue
                label = reader.line(one, "name")
                # What has no name stays unread.
                value = reader.prose(one, "value") if label else ""
                is_known = label.lower() in people.LABELS
                cell = [Run(f"{label}: {one.text('value')}")] if is_known else []
                if path := _NAMES.get(label.lower()):
                    reader.draft.put(path, value, one.place)
                elif label.lower() in ("languages", "language"):
                    for text in re.split(r",\s*(?![^(]*\))", value):
                        name, level = vocabulary.level(text)
                        language = {"language": name, "level": level} if name else text
                        reader.draft.add("language", language, one.place)
                elif not cell and networks.key_of(label):
                    networks.put(reader.draft, label, value, place=one.place)
                elif value and not (cell and people.contact(reader.draft, cell, one.place)):
                    people.put_other(reader.draft, label, value)
        return reader.done(root)


def _content(reader: _Reader, kind: str, title: str, one: Value) -> None:
    """Read a row of a table of times, a text, or a list with a title."""
    listed = one.items("items", "contents") if isinstance(one.data, dict) else [one]
    if not listed:
        if kind not in items.NAMES or kind in ("language", "patent", "reference", "skill"):
            kind = "entry"
        main, place = items.NAMES[kind]
        names = {
            main: ("title", "name", "position", "degree"),
            place: ("institution", "company", "organization"),
        }
        item = reader.item(kind, one, names)
        points = _points([text for text in one.items("description") if not text.is_read], 0)
        descriptions.put(item, kind, Blocks(points))
        reader.add(kind, item, one, title)
        return
    name, year = reader.prose(one, "title").rstrip(" .:"), dates.normal(one.text("year", "date"))
    words = [inline(text.own_text()) for text in listed if isinstance(text.data, str)]
    if kind in _OWN:
        reader.draft.put(kind, [{"name": name, "keywords": words}] if name else words, one.place)
    elif kind == "skill" and name:
        reader.add(kind, {"name": name, "keywords": words}, one, title)
    else:
        for text in words:
            shown, item = reader.of_line(kind, text, one)
            if isinstance(item, dict):
                item["date"] = item.get("date") or year
            shown = kind if kind in ("skill", "language") else shown
            reader.add(shown, item, one, title, name or ("" if isinstance(item, dict) else year))


def _points(described: list[Value], level: int) -> list[Paragraph]:
    """Return texts, and those with a title and contents of their own, as points."""
    found: list[Paragraph] = []
    for one in described:
        found.append(Paragraph(inline(one.own_text() or one.text("title")), level))
        found += _points(one.items("contents", "items"), level + 1)
    return [block for block in found if block.text]
