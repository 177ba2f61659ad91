"""Reactive Resume's own JSON, of versions 4 and 5: JSON Resume's lists by other names."""

from __future__ import annotations

import re

from cvbuild.importers import values
from cvbuild.importers.formats.jsonresume import Reader
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import headings

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
_OF_LOOK = frozenset(
    ("id", "visible", "hidden", "columns", "separateLinks", "icon", "iconColor", "options", "size",
     "aspectRatio", "borderRadius", "effects", "showLinkInTitle", "color")
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
        sections, basics = root.mapping("sections"), root.mapping("basics")
        reader = Reader(root, given.name)
        _basics(root, basics, sections)
        reader.basics(basics)
        for key, value in _sections(root, sections):
            name = _LISTS.get(key, "projects")
            title = value.text("name", "title")
            _title(reader, key, name, title, value)
            items = [one for one in value.mappings("items") if _is_shown(value) and _is_shown(one)]
            for one in items:
                _as_json_resume(one, name)
                if name == "interests":
                    reader.draft.put("interests", [reader.interest(one)])
                    continue
                if key not in _LISTS:
                    one.add("section", Value(title, value.place))
                reader.item(name, one)
            _ignore(value)
        values.lose_unread(root, reader.draft)
        reader.draft.keep_order()
        return reader.draft.done()


def _title(reader: Reader, key: str, name: str, title: str, value: Value) -> None:
    """Keep a heading that isn't the usual one; that of what has none is lost."""
    if key == "interests" and not headings.has_no_other_words(title):
        reader.draft.lose("sections.interests.name", title, value.place)
    elif key and title.lower() not in (key, "volunteering"):
        reader.titles[name] = title


def _sections(root: Value, sections: Value) -> list[tuple[str, Value]]:
    """Return the sections with items by their keys, the person's own behind the others."""
    own = [*sections.mapping("custom").parts(), *root.mappings("customSections")]
    known = sections.data.items() if isinstance(sections.data, dict) else ()
    return [
        *((key, value) for key, value in known if key in _LISTS),
        *(("", value) for value in own),
    ]


def _basics(root: Value, basics: Value, sections: Value) -> None:
    """Put what JSON Resume has in ``basics`` there."""
    if not isinstance(basics.data, dict):
        return
    for summary in (sections.mapping("summary"), root.mapping("summary")):
        if (content := summary.get("content")) and _is_shown(summary):
            basics.data["summary"] = content
            _usual(summary, "Summary")
        _ignore(summary)
    profiles = sections.mapping("profiles")
    _usual(profiles, "Profiles")
    for one in profiles.mappings("items"):
        _address(one)
        _ignore(one)
    basics.data["profiles"] = Value([*profiles.mappings("items")], profiles.place)
    _ignore(profiles)
    for one in basics.mappings("customFields"):
        if "text" not in _data(one):
            _rename(one, {"name": "label", "value": "text"})
        else:
            _data(one)["label"] = one.get("name") or Value("Other", one.place)
        _ignore(one)
    basics.data["other"] = Value([*basics.mappings("customFields")], basics.place)
    _address(basics)
    picture = basics.get("picture") or root.get("picture")
    if picture and isinstance(picture.data, dict):
        _ignore(picture)
        basics.data["picture"] = picture.data.get("url") or Value("", picture.place)


def _as_json_resume(item: Value, name: str) -> None:
    """Give an item the keys of JSON Resume."""
    _ignore(item)
    if name in ("skills", "languages") and (level := item.get("level")):
        # Dots that are drawn; words say it where there are any.
        level.read()
        del _data(item)["level"]
    _address(item)
    _rename(item, _KEYS)
    _rename(item, _OF_LIST.get(name, {}))


def _rename(item: Value, names: dict[str, str]) -> None:
    data = _data(item)
    for key, new in names.items():
        told = data.get(new)
        if key in data and (told is None or not told.data):
            data[new] = data.pop(key)


def _data(value: Value) -> dict[str, Value]:
    """Return what a mapping holds, to be changed."""
    return value.data if isinstance(value.data, dict) else {}


def _address(item: Value) -> None:
    """Make an address with a label the address."""
    for key in ("url", "website"):
        value = item.get(key)
        if value and isinstance(value.data, dict) and isinstance(item.data, dict):
            address = value.data.get("href") or value.data.get("url")
            item.data[key] = address or Value("", value.place)


def _is_shown(value: Value) -> bool:
    visible, hidden = value.get("visible"), value.get("hidden")
    is_off = visible is not None and visible.data == "false"
    return not is_off and not (hidden is not None and hidden.data == "true")


def _ignore(value: Value) -> None:
    """Take keys of the look as read."""
    for key in _OF_LOOK & set(value.data if isinstance(value.data, dict) else ()):
        one = value.get(key)
        is_word = one is not None and isinstance(one.data, str) and " " not in one.data
        if one and (is_word or not isinstance(one.data, str)):
            one.read()


def _usual(value: Value, name: str) -> None:
    """Take the usual heading of what has none here as read."""
    for key in ("name", "title"):
        if (one := value.get(key)) and one.data == name:
            one.read()
