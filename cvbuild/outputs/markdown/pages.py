"""Pages of site generators: front matter, names of files, and the items that get a page.

What stands in front matter reaches a theme's templates, some of which print it as HTML and some as
Markdown: ``safe`` is the one place where such a text is escaped for both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date as Day
from typing import Any

from anyascii import anyascii

from cvbuild.common.files.project_files import is_reserved
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.outputs.markdown import export
from cvbuild.outputs.types import Made, Shown
from cvbuild.selection.selected import Selected, date_of
from cvbuild.view import lines
from cvbuild.view.types import Address, Content, Item, Labels, Section

_ENTITY = re.compile(r"&(?=#?\w+;)")
_CONFERENCE = re.compile(r"\b(?:proc(?:eedings)?|conference|workshop|symposium)\b", re.IGNORECASE)
_FENCE = "---\n"
#: The most characters of a file's name that come from a title.
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Entry:
    """An item with a page of its own: what is shown of it, the item of the file, its section."""

    item: Item
    model: Any
    section: Section
    labels: Labels

    @property
    def lines(self) -> tuple[lines.Line, ...]:
        """Its lines; raises CvbuildError for a kind whose items are never lines."""
        return lines.of_item(self.section, self.item, self.labels)

    def selected(self, whole: Selected) -> Selected:
        """Return a selection with nothing but this item."""
        sections = tuple(
            replace(section, groups=(replace(group, items=((path, item),)),))
            for section in whole.sections
            for group in section.groups
            for path, item in group.items
            if path == self.item.path
        )
        return replace(whole, sections=sections)

    @property
    def date(self) -> Day | None:
        """The day that sorts it: of a range the last one, of a month or year the first."""
        date = date_of(self.model)
        point = (date.end or date.start) if date else None
        return Day(*point.first) if point else None

    def text(self, name: str) -> str | None:
        """Return a field as a text of front matter; several are joined by commas."""
        value = self.item.fields.get(name)
        if isinstance(value, tuple):
            return ", ".join(safe(one) for one in value) or None
        return safe(value) if isinstance(value, Content) else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        return [safe(one) for one in self.item.fields.get(name) or ()]

    def texts_of_authors(self, me: str | None = None) -> list[str]:
        """Return the names of the authors; ``me`` stands for the person."""
        return [
            me if me and author.me else safe(author.name) for author in self.item.fields["authors"]
        ]

    @property
    def url(self) -> str | None:
        """Its page."""
        url = self.item.fields.get("url")
        return url.url if isinstance(url, Address) else None

    @property
    def links(self) -> list[tuple[str, str]]:
        """Its links that have an address, with their labels; not that of its DOI."""
        links = (one for one in self.item.fields.get("links") or () if one.path[-1] != "doi")
        return [(safe(link.label), link.url.url) for link in links if link.url]

    @property
    def form(self) -> str:
        """The form of a publication, with a name of CSL."""
        if self.model.book:
            return "chapter"
        if _CONFERENCE.search(str(self.model.venue or "")):
            return "paper-conference"
        return "article-journal" if self.model.venue else "article"

    def body(self, *, links: bool = True) -> str:
        """Return everything below the item's own line, as Markdown."""
        above: tuple[type, ...] = (lines.HeadLine, lines.CitedLine)
        above += () if links else (lines.LinkRow,)
        below = (one for one in self.lines if not isinstance(one, above))
        blocks = [*export.item_blocks(below)]
        return export.joined(blocks) if blocks else ""

    def citation(self) -> str | None:
        """Return the reference of a publication in words."""
        cited = next((one for one in self.lines if isinstance(one, lines.CitedLine)), None)
        return _safe(" ".join(map(lines.plain, cited.sentences))) if cited else None


def entries(shown: Shown, kind: str) -> Iterator[Entry]:
    """Yield the items of a kind in their order."""
    models = dict(shown.selected.items(kind))
    for section in shown.view.sections:
        if section.kind == kind:
            for item in section.items:
                yield Entry(item, models[item.path], section, shown.view.words)


def safe(content: Content) -> str:
    """Return a text as front matter has it: its characters, none of which is HTML."""
    return _safe(str(content))


def _safe(text: str) -> str:
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;")


def page(front: Mapping[str, Any], body: str = "") -> bytes:
    """Return a file with front matter; keys without a value are left out."""
    import yaml

    written = yaml.safe_dump(present(front), sort_keys=False, allow_unicode=True, width=10**6)
    return f"{_FENCE}{written}{_FENCE}{body and chr(10)}{body}".encode()


def present(front: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that have a value."""
    return {key: value for key, value in front.items() if value not in (None, "", [], ())}


class Names:
    """Names of files from titles: plain ASCII, none of them twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, title: object, day: Day | None = None) -> str:
        """Return a name, after its day if there is one: 2024-05-01-a-title."""
        words = re.sub(r"[^a-z0-9]+", "-", anyascii(str(title)).lower()).strip("-")
        if len(words) > _LONGEST:
            words = words[: _LONGEST + 1].rpartition("-")[0] or words[:_LONGEST]
        if not words or is_reserved(words):
            words = f"item-{words}".strip("-")
        stem = f"{day.isoformat()}-{words}" if day else words
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}-{count}"
        self._taken.add(name)
        return name


class Site:
    """What the formats that write pages share: the check, and the text that is searched."""

    name: str

    def make(self, shown: Shown) -> Made:
        """Return the files; raise DocumentError if the page of the CV lacks a text."""
        files = dict(self.files(shown))
        expected = tuple(view_texts.contents(shown.view))
        figures = view_texts.require(self.text_of(files), expected, shown.task.source)
        return Made(files, {**figures, "files": len(files)})

    def files(self, shown: Shown) -> Iterator[tuple[str, bytes]]:
        """Yield the files by name, first that with the whole CV."""
        raise NotImplementedError

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return all texts of the files, with their names."""
        files = content if isinstance(content, Mapping) else {"": content}
        return "\n".join(f"{name}\n{_text(data.decode())}" for name, data in files.items())


def _text(text: str) -> str:
    import yaml

    if not text.startswith(_FENCE):
        return text
    written, _, body = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    front = json.dumps(yaml.safe_load(written), default=str)
    return f"{text_folding.in_json(front)}\n{export.as_read(body)}"
