"""What JSON Resume's reader reads besides: Reactive Resume, YAMLResume, the facts in our PDFs.

The first two have its lists under other names; their values get its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, DocumentError, reading_errors
from cvbuild.importers import files, parsers, values
from cvbuild.importers.formats import jsonresume
from cvbuild.importers.formats.jsonresume import Reader
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import descriptions
from cvbuild.inputs.references import texts
from cvbuild.outputs.pdf import ATTACHMENT


def _done(reader: Reader, root: Value) -> Imported:
    values.lose_unread(root, reader.draft)
    reader.draft.keep_order()
    return reader.draft.done()


def _data(value: Value) -> dict[str, Value]:
    """Return what a mapping holds, to be changed."""
    return value.data if isinstance(value.data, dict) else {}


# -- Reactive Resume, versions 4 and 5 -------------------------------------------------------------

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


class ReactiveResume:
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
            _without_look(value)
        sections, basics = root.mapping("sections"), root.mapping("basics")
        reader = Reader(root, given.name)
        _put_basics(root, basics, sections)
        reader.basics(basics)
        for key, section in _sections(root, sections):
            name, title = _LISTS.get(key, "projects"), _title(section, key)
            if title and key and key != "interests":
                reader.titles[name] = title
            for item in section.mappings("items"):
                if not (_is_shown(section) and _is_shown(item)):
                    continue
                if name in ("skills", "languages") and (level := item.get("level")):
                    # Dots that are drawn; words say it where there are any.
                    level.read()
                    del _data(item)["level"]
                _rename(item, _KEYS)
                _rename(item, _OF_LIST.get(name, {}))
                if name == "interests":
                    reader.draft.put("interests", [reader.interest(item)])
                    continue
                if key or item.text("name", "title"):
                    item.add("section", Value("" if key else title, section.place))
                    reader.item(name, item)
                    continue
                for block in descriptions.read(item.text("summary", "description")).blocks:
                    kind = "text" if block.level is None else "bullets"
                    reader.draft.add(kind, block.text, item.place, title)
        return _done(reader, root)


def _sections(root: Value, sections: Value) -> Iterator[tuple[str, Value]]:
    """Yield the sections with items by their keys, the person's own behind the others."""
    yield from ((key, value) for key, value in _data(sections).items() if key in _LISTS)
    for own in (*sections.mapping("custom").parts(), *root.mappings("customSections")):
        yield "", own


def _put_basics(root: Value, basics: Value, sections: Value) -> None:
    """Put what JSON Resume has in ``basics`` there."""
    data, profiles = _data(basics), sections.mapping("profiles")
    for summary in (sections.mapping("summary"), root.mapping("summary")):
        _title(summary, "summary")
        if (content := summary.get("content")) and _is_shown(summary):
            data["summary"] = content
    _title(profiles, "profiles")
    data["profiles"] = Value(profiles.mappings("items"), profiles.place)
    for own in basics.mappings("customFields"):
        if own.get("text"):
            _data(own)["label"] = own.get("name") or Value("Other", own.place)
        else:
            _rename(own, {"name": "label", "value": "text"})
    data["other"] = Value(basics.mappings("customFields"), basics.place)
    for picture in (*basics.mappings("picture"), *root.mappings("picture")):
        data["image"] = picture.get("url") or data.get("image", Value("", picture.place))


def _title(section: Value, key: str) -> str:
    """Return the heading of a section; none if it is the usual one."""
    title = section.text("name", "title") if key != "interests" else ""
    for usual in filter(None, (section.get("name"), section.get("title"))):
        usual.is_read = usual.is_read or str(usual.data).lower() == key
    return "" if title.lower() in (key, "volunteering") else title


def _without_look(value: Value) -> None:
    """Take keys of the look as read, and put an address in the place of one with a label."""
    for key, inner in [*_data(value).items()]:
        if key in _OF_LOOK and not (isinstance(inner.data, str) and " " in inner.data):
            inner.read()
        elif key in ("url", "website") and isinstance(inner.data, dict):
            address = inner.data.get("href") or inner.data.get("url")
            _data(value)[key] = address or Value("", inner.place)


def _rename(item: Value, names: Mapping[str, str]) -> None:
    data = _data(item)
    for key, new in names.items():
        told = data.get(new)
        if key in data and (told is None or not told.data):
            data[new] = data.pop(key)


def _is_shown(value: Value) -> bool:
    visible, hidden = value.get("visible"), value.get("hidden")
    is_off = visible is not None and visible.data == "false"
    return not is_off and not (hidden is not None and hidden.data == "true")


# -- YAMLResume: JSON Resume's lists in YAML, with Markdown in summaries, and layouts --------------

_CONTENT = re.compile(rb'^content:|"content"\s*:\s*\{', re.MULTILINE)
_PARTS = re.compile(
    rb"""(?:^\s+|[{,]\s*)["']?(basics|education|work|skills|projects)["']?\s*:|^layouts:|^locale:""",
    re.MULTILINE,
)


class YamlResume:
    """A CV as YAMLResume."""

    name = "yamlresume"
    title = "YAMLResume"

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV."""
        return bool(_CONTENT.search(given.head) and _PARTS.search(given.head))

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML, or has no name."""
        root = parsers.parse_yaml(given.data, given.name)
        content = root.get("content")
        if content is None or not isinstance(content.data, dict):
            place = content.place if content else root.place
            message, hint = '"content" is no mapping', "write basics, education, … below it"
            raise CvbuildError.because("yamlresume", message, hint, place)
        basics = content.mapping("basics")
        for key in ("location", "profiles") if content.get("basics") is basics else ():
            # It has them beside ``basics``.
            if key in content.data:
                _data(basics).setdefault(key, content.data.pop(key))
        reader = Reader(content, given.name)
        reader.basics(basics)
        language = root.text("locale.language")
        reader.draft.put("locale", texts.line(language), root.where("locale.language", "locale"))
        for key in list(content.data):
            reader.list(key)
        return _done(reader, root)


# -- the JSON Resume that a PDF of ours carries, if it was built with ``embed`` --------------------


class Embedded:
    """A PDF that carries its facts."""

    name = "embedded"
    title = "PDF with embedded facts"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF with the attachment."""
        import pikepdf

        if not given.data.startswith(b"%PDF-"):
            return False
        with suppress(pikepdf.PasswordError, *reading_errors()):
            return any(name == ATTACHMENT for name, _ in files.attachments(given.data))
        return False

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise CvbuildError if there is none, or it can't be read."""
        return jsonresume.read(embedded(given.data, given.name), ATTACHMENT)


def embedded(data: bytes, name: str) -> bytes:
    """Return the JSON that a PDF carries, as it was attached; ``name`` is the PDF's in messages.

    Raises DocumentError if it is not a readable PDF, or its attachment is missing or larger than a
    file may be.
    """
    import pikepdf

    def fault(code: str, reason: str, hint: str = "build the PDF once more") -> CvbuildError:
        return DocumentError.because(code, reason, hint, Span(name))

    try:
        content = next((read() for own, read in files.attachments(data) if own == ATTACHMENT), None)
    except files.PackedError as error:
        code, words = error.args
        raise fault(f"attachment-{code}", f"its attachment {ATTACHMENT} {words}") from None
    except pikepdf.PasswordError:
        reason = "it is encrypted and needs a password"
        raise fault("encrypted", reason, "unlock it first: qpdf --decrypt") from None
    except reading_errors():
        hint = "is it the right file?"
        raise fault("not-pdf", "it is not a PDF, or damaged", hint) from None
    if content is None:
        hint = "build it with: options: {embed: true}"
        raise fault("no-attachment", f"no {ATTACHMENT} is attached to it", hint)
    return content
