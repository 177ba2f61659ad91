"""Reactive Resume, versions 4 and 5: JSON Resume's lists under other names."""

from __future__ import annotations

import re
from collections.abc import Collection

from cvbuild.importers import values
from cvbuild.importers.formats.jsonresume import Resume
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value

#: Its sections, by names that lists have or had in JSON Resume; custom ones are projects.
_LISTS = (
    "experience", "education", "skills", "awards", "languages", "projects", "certifications",
    "publications", "volunteer", "references", "interests",
)  # fmt: skip
#: Keys of items by those of JSON Resume.
_KEYS = {"period": "date", "school": "institution", "website": "url"}
_OF_LIST = {
    "skills": {"description": "level", "proficiency": "level"},
    "languages": {"name": "language", "description": "fluency"},
    "certifications": {"title": "name"}, "publications": {"title": "name", "date": "releaseDate"},
    "references": {"description": "relationship", "summary": "reference"},
    "experience": {"description": "summary"}, "education": {"grade": "score"},
}  # fmt: skip
#: What says how it looks, or orders it.
_OF_LOOK = (
    "id", "visible", "hidden", "columns", "separateLinks", "icon", "iconColor", "options", "size",
    "aspectRatio", "borderRadius", "effects", "showLinkInTitle", "color",
)  # fmt: skip


class Format(Importer):
    """A CV as Reactive Resume keeps it."""

    signs = (
        rb"\A(?:\xef\xbb\xbf)?\s*\{",
        rb'"basics"',
        rb'"sections"\s*:\s*\{',
        rb'"(?:metadata|customFields|customSections)"\s*:\s*[\[{]',
    )

    def recognises(self, given: Given) -> bool:
        """Return whether all signs are there, also behind a picture or a long summary."""
        return all(re.search(sign, given.data) for sign in self.signs)

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no JSON, or has no name."""
        root = values.parse_json(given.data, given.name)
        hidden: set[Value] = set()
        for value in [*root.walk()]:
            fields = value.fields
            for key, inner in [*fields.items()]:
                if (key, inner.data) in (("visible", "false"), ("hidden", "true")):
                    hidden.add(value)
                if key in _OF_LOOK and not (isinstance(inner.data, str) and " " in inner.data):
                    inner.read()
                elif key in ("url", "website") and isinstance(inner.data, dict):
                    # An address with a label.
                    address = inner.data.get("href") or inner.data.get("url")
                    fields[key] = address or Value("", inner.place)
        reader, sections = Resume(given.name), root.mapping("sections")
        reader.basics(_basics(root, hidden), root.place)
        known = [(key, value) for key, value in sections.fields.items() if key in _LISTS]
        own = (*sections.mapping("custom").parts(), *root.mappings("customSections"))
        for key, section in [*known, *(("", one) for one in own)]:
            title = section.text("name", "title")
            # The usual one says nothing.
            title = "" if title.lower() in (key, "volunteering") else title
            if key == "interests":
                reader.draft.lose(f"{section.path}.name", title, section.place)
                title = ""
            for item in section.mappings("items") if section not in hidden else ():
                if item not in hidden:
                    _entry(reader, key, item, title)
        return reader.done(root)


def _basics(root: Value, hidden: Collection[Value]) -> Value:
    """Return who it is with what is elsewhere: summary, accounts, picture."""
    basics, sections = root.mapping("basics"), root.mapping("sections")
    data, profiles = basics.fields, sections.mapping("profiles")
    for summary in (sections.mapping("summary"), root.mapping("summary")):
        summary.text("name", "title")
        if (content := summary.get("content")) and summary not in hidden:
            data["summary"] = content
    profiles.text("name", "title")
    data["profiles"] = Value(profiles.mappings("items"), profiles.place)
    others, other = basics.mappings("customFields"), Value("Other", basics.place)
    for own in others:
        own.fields["label"] = own.fields.pop("name", own.get("label") or other)
        if not own.get("text"):
            own.fields["text"] = own.fields.pop("value", Value("", own.place))
    data["other"] = Value(others, basics.place)
    for picture in (*basics.mappings("picture"), *root.mappings("picture")):
        data["image"] = picture.get("url") or data.get("image", Value("", picture.place))
    return basics


def _entry(reader: Resume, key: str, item: Value, title: str) -> None:
    name, data = key or "projects", item.fields
    if name in ("skills", "languages") and (level := data.pop("level", None)):
        # Dots that are drawn; words say it where there are any.
        level.read()
    for theirs, ours in (_KEYS | _OF_LIST.get(name, {})).items():
        if theirs in data and not (ours in data and data[ours].data):
            data[ours] = data.pop(theirs)
    if key or item.text("name", "title"):
        data["section"] = Value(title, item.place)
        reader.entry(name, item)
        return
    for block in reader.blocks(item.text("summary", "description")).blocks:
        kind = "text" if block.level is None else "bullets"
        reader.draft.add(kind, block.text, item.place, title)
