"""What the values of another program's tree are here: items, by what it calls their keys.

``model.kinds`` says what JSON Resume calls the keys of each kind, ``reader.toml`` what others do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, descriptions, headings, networks, values
from cvbuild.importers.documents import citations
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Imported
from cvbuild.importers.values import Value
from cvbuild.model import kinds
from cvbuild.model.base import Prose
from cvbuild.model.sections import Author, Bullet
from cvbuild.model.text import texts

#: Further names of a key.
_NAMES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: When something began, ended, or was.
_START = ("startDate", "start_date", "started on", "start date")
_END = ("endDate", "end_date", "finished on", "end date")
_DATE = ("date", "releaseDate", "year", "years", "published on", "issued on", "filed on",
         "tested on")  # fmt: skip
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
#: Editors of JSON Resume write 2020-03-01 for March 2020, and that or 2020-03-31 for an end.
_BEGUN = re.compile(r"(\d{4}-\d\d)-01")
_ENDED = re.compile(r"(\d{4}-(?:\d\d(?=-01|-31)|(?:0[469]|11)(?=-30)|02(?=-2[89])))-\d\d")
#: What is called keys of the person.
_HEAD = {
    "headline": ("headline", "label"), "contact.email": ("email",), "contact.phone": ("phone",),
    "contact.website": ("url", "website"),
}  # fmt: skip


class Reader:
    """Puts what a file says into a draft."""

    #: What its texts are, and whether days may only fill the form of a date.
    is_markdown, fills_days = True, False

    def __init__(self, name: str) -> None:
        self.draft = Draft(name)
        self.inline = partial(descriptions.inline, is_markdown=self.is_markdown)
        self.blocks = partial(descriptions.read, is_markdown=self.is_markdown)

    def done(self, root: Value) -> Imported:
        """Return the result in the order of the file; what was not read is listed."""
        values.lose_unread(root, self.draft)
        self.draft.keep_order()
        return self.draft.done()

    def head(self, value: Value, place: Span, fix: str) -> None:
        """Read who it is, and how to reach the person; raise CvbuildError without a name."""
        if not (name := self.line(value, "name")):
            raise CvbuildError.because("import", "the CV has no name", fix, place)
        self.draft.put("name", name)
        for path, names in _HEAD.items():
            is_line = path.startswith("contact.")
            given = [text.removeprefix("tel:") for text in value.texts(*names)]
            words = [*map(texts.line if is_line else self.inline, given)]
            self.draft.put(path, words if is_line else ", ".join(words), value.where(*names))
        for one in value.mappings("profiles", "social_networks"):
            network, user, url = map(one.text, ("network", "username", "url"))
            networks.put(self.draft, network, user, url, one.place)
        for photo in filter(None, map(value.get, ("photo", "image", "picture"))):
            what = f"{photo.path} (save it beside the file, as photo: NAME)"
            self.draft.lose(what, photo.own_text(), photo.place)

    def line(self, value: Value, *names: str) -> str:
        """Return a text that is no prose."""
        return texts.line(value.text(*names))

    def prose(self, value: Value, *names: str) -> str:
        """Return a text as Markdown on one line."""
        return self.inline(value.text(*names))

    def add(
        self, kind: str, item: Any, value: Value, title: str | None = None, group: str | None = None
    ) -> Any:
        """Add an item, and remember of which value; a name alone is a text, a usual title none."""
        title = title if title != headings.own_title(kind, "en") else None
        if kind in ("skill", "language") and isinstance(item, dict) and len(item) == 1:
            item = item.get("name") or item.get("language") or item
        made = self.draft.add(kind, item, value.place, title or None, group or None)
        value.near = made if isinstance(made, dict) else {}
        return made

    # -- items -------------------------------------------------------------------------------

    def item(
        self, kind: str, value: Value, names: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Return an item; ``names`` are all that keys have here, and what has none stays unread."""
        form: Any = kinds.of(kind).json
        shapes, used = _shapes(kind), set[str]()
        made: dict[str, Any] = {}
        for key, shape in shapes.items():
            others = (name for name in _NAMES.get(key, ()) if name not in form.keys.values())
            # short-venue is shortVenue there.
            own = form.keys.get(key) or re.sub("-(.)", lambda letter: letter[1].upper(), key)
            known = tuple(name for name in names.get(key) or (own, *others) if name not in used)
            if found := self._value(value, shape, known):
                made[key] = found
                used |= {next(filter(value.get, known), "")}
        if date := self.date(value, kind):
            made["date"] = date
        summary, bullets = made.pop("summary", None), made.pop("bullets", [])
        # Points of a summary become bullets; of kinds without these it is the other way round.
        points = [] if "bullets" in shapes else map(self.blocks, value.texts("highlights"))
        for blocks in filter(None, (summary, *points)):
            lost = descriptions.put(made, kind, blocks)
            self.draft.lose(value.path, lost, value.place, made)
        if bullets:
            made["bullets"] = [*made.get("bullets", ()), *bullets]
        for one in value.mappings("links"):
            name, url = self.line(one, "label", "name"), self.line(one, "url")
            made.setdefault("links", []).append({name: url} if name and url else name or url)
        # An address may only repeat a number.
        doi, arxiv = made.get("doi"), made.get("arxiv")
        same = f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}"
        if made.get("url") == same:
            del made["url"]
        return made

    def _value(self, item: Value, shape: str, names: tuple[str, ...]) -> Any:
        """Return the value of a field of that shape under the first of the names that has one."""
        match shape:
            case "bullets":
                return self.points(item.texts(*names))
            case "lines" | "proses":
                to_text = texts.line if shape == "lines" else self.inline
                found = [*map(to_text, item.texts(*names))]
                is_one = len(found) == 1 and names[0] in ("authors", "inventors")
                return (is_one and citations.authors(found[0])) or found
            case "line":
                return self.line(item, *names)
            case "summary":
                # Of work, the description is about the employer.
                parts = (item.text(name) for name in dict.fromkeys(("description", *names)))
                return self.blocks("\n\n".join(filter(None, parts)))
        return self.prose(item, *names) or ", ".join(map(self.inline, item.texts(*names)))

    def points(self, found: list[str]) -> list[Any]:
        """Return the texts of a list as bullets."""
        blocks = (self.blocks(text).blocks for text in found)
        return [point for some in blocks for point in descriptions.nested(some)]

    def date(self, item: Value, kind: str) -> str:
        """Return when: a date, or from when to when; of a certificate that is how long it holds."""
        single = getattr(kinds.of(kind).json, "date", "")
        if date := dates.normal(item.text(*filter(None, (single, *_DATE)))):
            return date
        start, end = (dates.normal(item.text(*names)) for names in (_START, _END))
        begun, ended = _BEGUN.fullmatch(start), _ENDED.fullmatch(end)
        ends = ((start, begun), (end, ended))
        is_day = any(_DAY.fullmatch(date) for date, filled in ends if not filled)
        if self.fills_days and not is_day:
            start, end = begun[1] if begun else start, ended[1] if ended else end
        return dates.between(start, end, goes_on=kind != "certificate")


@cache
def _shapes(kind: str) -> dict[str, str]:
    """Return the shape of each field of an item that the source can have; not of its date."""
    skipped = ("tags", "priority", "keep", "private", "date", "roles", "marks", "links")
    found = {}
    for key, annotation in descriptions.keys_of(kind).items():
        leaves = descriptions.leaves(annotation)
        many = "s" if "tuple" in str(annotation) else ""
        shapes = {Bullet: "bullets", Author: "lines", Prose: f"prose{many}"}
        shape = next((shape for leaf, shape in shapes.items() if leaf in leaves), f"line{many}")
        if key not in skipped:
            found[key] = "summary" if key == "summary" else shape
    # What a kind has no summary for becomes bullets, or a quotation.
    return found | ({"summary": "summary"} if found.keys() & {"bullets", "quote"} else {})
