"""What JSON Resume's reader reads besides: Reactive Resume, YAMLResume, the facts in our PDFs.

The first two have its lists under other names; their values get its keys.
"""

from __future__ import annotations

import json
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
from cvbuild.importers.words import descriptions, headings
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
        sections, basics = root.mapping("sections"), root.mapping("basics")
        reader = Reader(root, given.name)
        _put_basics(root, basics, sections)
        reader.basics(basics)
        for key, section in _sections(root, sections):
            name = _LISTS.get(key, "projects")
            title = section.text("name", "title")
            if key == "interests" and not headings.has_no_other_words(title):
                reader.draft.lose("sections.interests.name", title, section.place)
            elif key and title.lower() not in (key, "volunteering"):
                reader.titles[name] = title
            for item in section.mappings("items"):
                if not (_is_shown(section) and _is_shown(item)):
                    continue
                _as_json_resume(item, name)
                if name == "interests":
                    reader.draft.put("interests", [reader.interest(item)])
                    continue
                if key:
                    reader.item(name, item)
                elif item.text("name", "title"):
                    item.add("section", Value(title, section.place))
                    reader.item(name, item)
                else:
                    for block in descriptions.read(item.text("summary", "description")).blocks:
                        kind = "text" if block.level is None else "bullets"
                        reader.draft.add(kind, block.text, item.place, title)
            _ignore(section)
        return _done(reader, root)


def _sections(root: Value, sections: Value) -> Iterator[tuple[str, Value]]:
    """Yield the sections with items by their keys, the person's own behind the others."""
    yield from ((key, value) for key, value in _data(sections).items() if key in _LISTS)
    for own in (*sections.mapping("custom").parts(), *root.mappings("customSections")):
        yield "", own


def _put_basics(root: Value, basics: Value, sections: Value) -> None:
    """Put what JSON Resume has in ``basics`` there."""
    data = _data(basics)
    for summary in (sections.mapping("summary"), root.mapping("summary")):
        if (content := summary.get("content")) and _is_shown(summary):
            data["summary"] = content
            _usual(summary, "Summary")
        _ignore(summary)
    profiles = sections.mapping("profiles")
    _usual(profiles, "Profiles")
    for profile in profiles.mappings("items"):
        _address(profile)
        _ignore(profile)
    data["profiles"] = Value(profiles.mappings("items"), profiles.place)
    _ignore(profiles)
    for own in basics.mappings("customFields"):
        if own.get("text"):
            _data(own)["label"] = own.get("name") or Value("Other", own.place)
        else:
            _rename(own, {"name": "label", "value": "text"})
        _ignore(own)
    data["other"] = Value(basics.mappings("customFields"), basics.place)
    _address(basics)
    for picture in (*basics.mappings("picture"), *root.mappings("picture")):
        _ignore(picture)
        data["image"] = picture.get("url") or data.get("image", Value("", picture.place))


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


def _rename(item: Value, names: Mapping[str, str]) -> None:
    data = _data(item)
    for key, new in names.items():
        told = data.get(new)
        if key in data and (told is None or not told.data):
            data[new] = data.pop(key)


def _address(item: Value) -> None:
    """Make an address with a label the address."""
    for key in ("url", "website"):
        value = item.get(key)
        if value and isinstance(value.data, dict):
            address = value.data.get("href") or value.data.get("url")
            _data(item)[key] = address or Value("", value.place)


def _is_shown(value: Value) -> bool:
    visible, hidden = value.get("visible"), value.get("hidden")
    is_off = visible is not None and visible.data == "false"
    return not is_off and not (hidden is not None and hidden.data == "true")


def _ignore(value: Value) -> None:
    """Take keys of the look as read."""
    for look in filter(None, map(value.get, _OF_LOOK)):
        if not (isinstance(look.data, str) and " " in look.data):
            look.read()


def _usual(value: Value, name: str) -> None:
    """Take the usual heading of what has none here as read."""
    for heading in filter(None, map(value.get, ("name", "title"))):
        heading.is_read = heading.is_read or heading.data == name


# -- YAMLResume: JSON Resume's lists in YAML, with Markdown in summaries, and layouts --------------

_CONTENT = re.compile(rb'^content:|"content"\s*:\s*\{', re.MULTILINE)
_PARTS = re.compile(
    rb"""(?:^\s+|[{,]\s*)["']?(basics|education|work|skills|projects)["']?\s*:|^layouts:|^locale:""",
    re.MULTILINE,
)
#: The order in which it shows the lists, unless a layout says otherwise.
_ORDER = (
    "basics", "education", "work", "languages", "skills", "awards", "certificates", "publications",
    "references", "projects", "interests", "volunteer",
)  # fmt: skip


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
        order = _layouts(root, reader)
        reader.basics(basics)
        language = root.text("locale.language")
        reader.draft.put("locale", texts.line(language), root.where("locale.language", "locale"))
        for key in sorted(content.data, key=lambda one: order.index(one) if one in order else 99):
            reader.list(key)
        return _done(reader, root)


def _layouts(root: Value, reader: Reader) -> list[str]:
    """Return the order of the sections, and note their titles: those of the first layout."""
    order = list(_ORDER)
    for layout in root.mappings("layouts")[:1]:
        first = layout.texts("sections.order")
        order = [*first, *(name for name in order if name not in first)]
        aliases = layout.mapping("sections.aliases")
        for key in _data(aliases):
            # What heads the person's own texts has no heading of its own here.
            if key not in ("basics", "interests"):
                reader.titles[key] = texts.plain(aliases.text(key))
        paper = layout.text("page.paperSize")
        if paper == "letter":
            reader.draft.put("options", {"paper": paper})
        elif paper not in ("", "a4"):
            reader.draft.lose("layouts[0].page.paperSize", paper, layout.place)
    return order


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

    Raises DocumentError if it is not a readable PDF, or its attachment is missing, not a JSON
    object or larger than a file may be.
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
    try:
        # NaN and infinities are not JSON: int refuses them.
        value = json.loads(content.decode("utf-8"), parse_constant=int)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise fault("attachment-json", f"its attachment {ATTACHMENT} is not a JSON object")
    return content
