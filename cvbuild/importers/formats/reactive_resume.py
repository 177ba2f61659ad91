"""Reactive Resume, versions 4 and 5: JSON Resume's lists under other names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cvbuild.importers import values
from cvbuild.importers.formats.jsonresume import Resume
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value

_SECTIONS = re.compile(rb'"sections"\s*:\s*\{')
_OWN = re.compile(rb'"(?:metadata|customFields|customSections)"\s*:\s*[\[{]')
#: Its sections by the list that they are in JSON Resume; custom ones are projects.
_LISTS = {
    "experience": "work", "education": "education", "skills": "skills", "awards": "awards",
    "languages": "languages", "projects": "projects", "certifications": "certificates",
    "publications": "publications", "volunteer": "volunteer", "references": "references",
    "interests": "interests",
}  # fmt: skip
#: Keys of items by those of JSON Resume.
_KEYS = {"period": "date", "school": "institution", "website": "url"}
_OF_LIST = {
    "skills": {"description": "level", "proficiency": "level"},
    "languages": {"name": "language", "description": "fluency"},
    "certificates": {"title": "name"}, "publications": {"title": "name", "date": "releaseDate"},
    "references": {"description": "relationship", "summary": "reference"},
    "work": {"description": "summary"}, "education": {"grade": "score"},
}  # fmt: skip
#: What says how it looks, or orders it.
_OF_LOOK = (
    "id", "visible", "hidden", "columns", "separateLinks", "icon", "iconColor", "options", "size",
    "aspectRatio", "borderRadius", "effects", "showLinkInTitle", "color",
)  # fmt: skip


class Format:
    """A CV as Reactive Resume keeps it."""

    name = "reactive-resume"
    title = "Reactive Resume"

    def recognises(self, given: Given) -> bool:
        """Return whether it is JSON with its sections."""
        head = given.head
        is_json = head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
        is_its = bool(_SECTIONS.search(given.data)) and bool(_OWN.search(given.data))
        return is_json and b'"basics"' in head and is_its

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no JSON, or has no name."""
        root = values.parse_json(given.data, given.name)
        for value in [*root.walk()]:
            for key, inner in [*value.fields.items()]:
                if key in _OF_LOOK and not (isinstance(inner.data, str) and " " in inner.data):
                    inner.read()
                elif key in ("url", "website") and isinstance(inner.data, dict):
                    # An address with a label.
                    address = inner.data.get("href") or inner.data.get("url")
                    value.fields[key] = address or Value("", inner.place)
        sections, basics = root.mapping("sections"), root.mapping("basics")
        reader = Resume(root, given.name)
        _put_basics(root, basics, sections)
        reader.basics(basics)
        known = [(key, value) for key, value in sections.fields.items() if key in _LISTS]
        own = (*sections.mapping("custom").parts(), *root.mappings("customSections"))
        for key, section in [*known, *(("", one) for one in own)]:
            name, title = _LISTS.get(key, "projects"), _title(section, key)
            if key == "interests":
                reader.draft.lose(f"{section.path}.name", title, section.place)
            elif title and key:
                reader.titles[name] = title
            for item in section.mappings("items") if _is_shown(section) else ():
                if _is_shown(item):
                    _item(reader, name, item, key, title)
        return reader.done(root)


def _item(reader: Resume, name: str, item: Value, key: str, title: str) -> None:
    if name in ("skills", "languages") and (level := item.fields.pop("level", None)):
        # Dots that are drawn; words say it where there are any.
        level.read()
    _rename(item, _KEYS | _OF_LIST.get(name, {}))
    if name == "interests":
        reader.draft.put("interests", [reader.interest(item)])
    elif key or item.text("name", "title"):
        item.fields["section"] = Value("" if key else title, item.place)
        reader.list_item(name, item)
    else:
        for block in reader.blocks(item.text("summary", "description")).blocks:
            kind = "text" if block.level is None else "bullets"
            reader.draft.add(kind, block.text, item.place, title)


def _put_basics(root: Value, basics: Value, sections: Value) -> None:
    data, profiles = basics.fields, sections.mapping("profiles")
    for summary in (sections.mapping("summary"), root.mapping("summary")):
        _title(summary, "summary")
        if (content := summary.get("content")) and _is_shown(summary):
            data["summary"] = content
    _title(profiles, "profiles")
    data["profiles"] = Value(profiles.mappings("items"), profiles.place)
    for own in basics.mappings("customFields"):
        if own.get("text"):
            own.fields["label"] = own.get("name") or Value("Other", own.place)
        else:
            _rename(own, {"name": "label", "value": "text"})
    data["other"] = Value(basics.mappings("customFields"), basics.place)
    for picture in (*basics.mappings("picture"), *root.mappings("picture")):
        data["image"] = picture.get("url") or data.get("image", Value("", picture.place))


def _title(section: Value, key: str) -> str:
    """Return the heading of a section; none if it is the usual one."""
    title = section.text("name", "title")
    return "" if title.lower() in (key, "volunteering") else title


def _rename(item: Value, names: Mapping[str, str]) -> None:
    data = item.fields
    for key, new in names.items():
        if key in data and not (new in data and data[new].data):
            data[new] = data.pop(key)


def _is_shown(value: Value) -> bool:
    visible, hidden = value.get("visible"), value.get("hidden")
    return not (visible and visible.data == "false") and not (hidden and hidden.data == "true")
