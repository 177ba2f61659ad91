"""JSON Resume (version 1, older field names), YAMLResume; our own exports come home whole."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, DocumentError, reading_errors
from cvbuild.importers import files, headings, networks, parsers, values
from cvbuild.importers.documents import people
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats.reader import Reader
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.inputs.references import texts
from cvbuild.model import kinds
from cvbuild.outputs import jsonresume as export
from cvbuild.outputs.pdf import ATTACHMENT

_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_SCHEMA = re.compile(rb'"\$schema"\s*:\s*"[^"]*(?:jsonresume|resume-schema)')
_BASICS = re.compile(rb'["\']?basics["\']?\s*:\s*\{')
#: The same in YAML.
_IN_YAML = re.compile(rb"^basics:\s*(?:#.*)?$", re.MULTILINE)
_LISTS = re.compile(rb'"(work|education|volunteer|awards|publications|skills|projects)"\s*:\s*\[')
#: YAMLResume, and its lists.
_CONTENT = re.compile(rb'^content:|"content"\s*:\s*\{', re.MULTILINE)
_PARTS = re.compile(
    rb"""(?:^\s+|[{,]\s*)["']?(basics|education|work|skills|projects)["']?\s*:|^layouts:|^locale:""",
    re.MULTILINE,
)
#: The kind of a list, by the names that it has or had; some have others besides, by their type.
_KINDS = {
    "work": "experience", "experience": "experience", "volunteer": "volunteer",
    "volunteering": "volunteer", "education": "education", "awards": "award",
    "certificates": "certificate", "certifications": "certificate", "publications": "publication",
    "skills": "skill", "languages": "language", "references": "reference", "projects": "project",
    # Of the sites that academicpages makes.
    "presentations": "talk", "teaching": "teaching", "portfolio": "project",
}  # fmt: skip
#: Lists of which some write just the names.
_NAMED = ("skills", "languages", "references")
#: The kind of an item with a type in a list.
_TYPES = {
    ("projects", "presentation"): "talk", ("projects", "talks"): "talk",
    ("projects", "course"): "teaching",
}  # fmt: skip
_TYPES |= {
    (form.list, form.type): kind
    for kind, form in ((one.name, one.json) for one in kinds.KINDS.values())
    if isinstance(form, kinds.Listed | kinds.UnderHeading) and form.type
}


class Format:
    """A CV as JSON Resume."""

    name = "jsonresume"
    title = "JSON Resume"

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV, in JSON or in YAML."""
        head = given.head
        if not _OBJECT.match(head):
            return bool(_IN_YAML.search(head)) and b"\ncontent:" not in head
        lists = set(_LISTS.findall(head))
        if _CONTENT.search(head):
            return False
        return bool(_SCHEMA.search(head) or _BASICS.search(head)) or len(lists) > 1

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no JSON or YAML, or has no name."""
        return read(given.data, given.name)


def read(data: bytes, name: str) -> Imported:
    """Return what a JSON Resume says; raise a located CvbuildError for what can't be read."""
    is_yaml = _IN_YAML.search(data) and not _OBJECT.match(data)
    root = (parsers.parse_yaml if is_yaml else values.parse_json)(data, name)
    if not isinstance(root.data, dict):
        fact, fix = "this is no JSON Resume: an object is needed", 'begin with {"basics":'
        raise CvbuildError.because("jsonresume", fact, fix, root.place)
    reader = Resume(root, name)
    if person := _own(root, reader.draft):
        reader.draft.data = person
        return reader.draft.done()
    meta = root.mapping("meta")
    if held := meta.get("cvbuild"):
        held.read()
        why = "not read, as the rest of the file was changed since"
        reader.draft.lose(held.path, why, held.place)
    # Of these nothing is shown.
    for key in ("$schema", "meta.version", "meta.canonical", "meta.theme"):
        root.text(key)
    changed = reader.line(meta, "lastModified")[:10]
    reader.draft.put("updated", changed, meta.where("lastModified"))
    reader.draft.put("locale", reader.line(meta, "language"), meta.where("language"))
    reader.basics(root.mapping("basics"))
    reader.lists()
    return reader.done(root)


def _own(root: Value, draft: Draft) -> dict[str, Any]:
    """Return the person that an export of ours carries, if nobody changed it since."""
    if root.mapping("meta").get("cvbuild") is None:
        return {}
    resume = root.plain(draft)
    held = resume["meta"].pop("cvbuild")
    if not isinstance(held, dict) or held.get("of") != export.digest(resume):
        return {}
    person = _only(held.get("person"), export.PERSON)
    if isinstance(sections := person.get("sections"), list):
        person["sections"] = [_only(section, export.SECTION) for section in sections]
    return person if person.get("name") else {}


def _only(value: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    # No other keys may come in from a file of somebody else; its place is known by its identity.
    known = value if isinstance(value, dict) else {}
    for key in known.keys() - {*keys}:
        del known[key]
    return known


class Resume(Reader):
    """Reads the parts of such a CV; ``titles`` are the headings of its lists."""

    fills_days = True

    def __init__(self, root: Value, name: str) -> None:
        super().__init__(name)
        self.root = root
        self.titles: dict[str, str] = {}

    # -- who it is ---------------------------------------------------------------------------

    def basics(self, basics: Value) -> None:
        """Read who it is, and how to reach the person."""
        draft = self.draft
        place = (basics if basics.parts() else self.root).place
        self.head(basics, place, 'write "name": "…" into "basics"')
        draft.put("summary", "\n\n".join(self.blocks(basics.text("summary")).paragraphs))
        location = basics.mapping("location")
        city, region = location.text("city"), location.text("region")
        # Berlin is its own region.
        rest = ("" if region == city else region, location.text("countryCode", "country"))
        town = texts.line(f"{location.text('postalCode')} {city}")
        street = map(self.inline, location.text("address").split("\n"))
        parts = (part.strip(" ,") for part in (*street, *map(texts.plain, (town, *rest))))
        address = ", ".join(filter(None, parts)) or self.prose(basics, "location")
        draft.put("contact.address", address, basics.where("location"))
        for one in basics.mappings("other"):
            label, text = self.line(one, "label"), self.prose(one, "text")
            if label and text:
                people.put_other(draft, label, text)
            else:
                draft.lose("basics.other", label or text, one.place)
        for key in filter(networks.key_of, basics.fields):
            networks.put(draft, key, basics.text(key), place=basics.where(key))
        self.accounts(basics.mappings("profiles"))

    # -- lists -------------------------------------------------------------------------------

    def lists(self) -> None:
        """Read the lists; what is no item stays unread."""
        for key in [*self.root.fields]:
            for one in self.root.items(key):
                if key == "interests":
                    self.draft.put("interests", [self.interest(one)])
                elif isinstance(one.data, str) and key in _NAMED:
                    self.add(_KINDS[key], self.inline(one.own_text()), one, self.titles.get(key))
                elif isinstance(one.data, dict) and key in _KINDS:
                    self.list_item(key, one)

    def interest(self, value: Value) -> Any:
        """Return an interest."""
        name = self.inline(value.text("name") or value.own_text())
        keywords = [*map(self.inline, value.texts("keywords"))]
        return {"name": name, "keywords": keywords} if keywords else name

    def list_item(self, name: str, value: Value) -> None:
        """Read an item of a list."""
        known = value.get("type")
        kind = _TYPES.get((name, str(known.data).strip().lower())) if known else None
        if known and kind:
            known.read()
        kind = kind or _KINDS[name]
        title = self.inline(value.text("section") or self.titles.get(name, "")) or None
        group = self.prose(value, "group") or None
        if kind == "keywords":
            # The heading is that of the section or of the group.
            heading = value.text("name")
            found = value.texts("keywords") or [heading]
            if self.inline(heading) not in (title, group, *map(self.inline, found)):
                self.draft.lose("heading of keywords", heading, value.place)
            for one in found:
                self.draft.add("keywords", self.inline(one), value.place, title, group)
            return
        if (icon := value.get("icon")) and str(icon.data).startswith("fa"):
            # How al-folio shows it.
            icon.read()
        item = self.item(kind, value)
        if kind == "volunteer" and "organization" not in item:
            kind, title = "entry", title or headings.own_title(kind, "en")
        if kind == "project" and (sort := self.prose(value, "type")):
            # application, book: there is no key for it.
            item["keywords"] = [sort, *item.get("keywords", ())]
        self.add(kind, item, value, title, group)


# -- YAMLResume: the lists in YAML, with Markdown in summaries, and layouts ------------------------


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
        for key in ("location", "profiles"):
            # It has them beside ``basics``.
            if key in content.data:
                basics.fields.setdefault(key, content.data.pop(key))
        reader = Resume(content, given.name)
        reader.basics(basics)
        language = root.text("locale.language")
        reader.draft.put("locale", texts.line(language), root.where("locale.language", "locale"))
        reader.lists()
        return reader.done(root)


# -- the JSON Resume that a PDF of ours carries, if it was built with ``embed`` --------------------


class Embedded:
    """A PDF that carries its facts."""

    name = "embedded"
    title = "PDF with embedded facts"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF with the attachment."""
        import pikepdf

        with suppress(pikepdf.PasswordError, *reading_errors()):
            names = (name for name, _ in files.attachments(given.data))
            return given.data.startswith(b"%PDF-") and ATTACHMENT in names
        return False

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise DocumentError if there is none, or it can't be read."""
        return read(embedded(given.data, given.name), ATTACHMENT)


def embedded(data: bytes, name: str) -> bytes:
    """Return the JSON that a PDF carries, as it was attached; raises DocumentError."""
    import pikepdf

    code, fact = "no-attachment", f"no {ATTACHMENT} is attached to it"
    fix = "build it with: options: {embed: true}"
    try:
        for attached, unpacked in files.attachments(data):
            if attached == ATTACHMENT:
                return unpacked()
    except files.PackedError as error:
        code, fact = f"attachment-{error.args[0]}", f"its attachment {ATTACHMENT} {error.args[1]}"
        fix = "build the PDF once more"
    except pikepdf.PasswordError:
        code, fact = "encrypted", "it is encrypted and needs a password"
        fix = "unlock it first: qpdf --decrypt"
    except reading_errors():
        code, fact, fix = "not-pdf", "it is not a PDF, or damaged", "is it the right file?"
    raise DocumentError.because(code, fact, fix, Span(name))
