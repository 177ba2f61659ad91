"""JSON Resume (version 1, older field names), YAMLResume; our own exports come home whole."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import headings, networks, parsers, values
from cvbuild.importers.documents import people
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats.reader import Reader
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value
from cvbuild.model import kinds
from cvbuild.model.text import texts
from cvbuild.outputs.formats import jsonresume as export
from cvbuild.outputs.pdf import ATTACHMENT

_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_BASICS = re.compile(rb'["\']?basics["\']?\s*:\s*\{')
#: The same in YAML.
_IN_YAML = re.compile(rb"^basics:\s*(?:#.*)?$", re.MULTILINE)
_LISTS = re.compile(rb'"(work|education|volunteer|awards|publications|skills|projects)"\s*:\s*\[')
#: What YAMLResume has around it, and some of what it has.
_CONTENT = re.compile(rb'^content:|"content"\s*:\s*\{', re.MULTILINE)
_OF_CONTENT = re.compile(
    rb"""(?:^\s+|[{,]\s*)["']?(basics|education|work|skills|projects)["']?\s*:|^(layouts|locale):""",
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


class Format(Importer):
    """A CV as JSON Resume, or as YAMLResume: the lists below ``content``, and layouts."""

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV, in JSON or in YAML."""
        if _CONTENT.search(given.head):
            return bool(_OF_CONTENT.search(given.head))
        if not _OBJECT.match(given.head):
            return bool(_IN_YAML.search(given.head))
        return bool(_BASICS.search(given.head)) or len({*_LISTS.findall(given.head)}) > 1

    def read(self, given: Given) -> Imported:
        """Read it; raise a located CvbuildError for what is no JSON or YAML, or has no name."""
        is_json = _OBJECT.match(given.data) or not (
            _IN_YAML.search(given.data) or _CONTENT.search(given.data)
        )
        root = (values.parse_json if is_json else parsers.parse_yaml)(given.data, given.name)
        content = root if root.get("basics") else root.get("content") or root
        if not isinstance(content.data, dict):
            fact = f"{content.path or 'this'} is no JSON Resume: an object is needed"
            raise CvbuildError.because("jsonresume", fact, 'begin with "basics":', content.place)
        reader, meta = Resume(given.name), root.mapping("meta")
        if person := _own(root, reader.draft):
            reader.draft.data = person
            return reader.draft.done()
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
        reader.draft.put("locale", reader.line(root, "locale.language"), root.where("locale"))
        basics = content.mapping("basics")
        for key in {"location", "profiles"} & content.fields.keys():
            # YAMLResume has them beside ``basics``.
            basics.fields.setdefault(key, content.fields.pop(key))
        reader.basics(basics, content.place)
        # What is no item stays unread.
        for key in [*content.fields]:
            for one in content.items(key):
                reader.entry(key, one)
        return reader.done(root)


def _own(root: Value, draft: Draft) -> dict[str, Any]:
    """Return the person that an export of ours carries, if nobody changed it since."""
    if root.mapping("meta").get("cvbuild") is None:
        return {}
    resume = root.plain(draft)
    held = resume["meta"].pop("cvbuild")
    if not isinstance(held, dict) or held.get("of") != export.digest(resume):
        return {}
    person = held.get("person")
    if not isinstance(person, dict) or not person.get("name"):
        return {}
    parts: list[Any] = []
    if isinstance(sections := person.get("sections"), list):
        person["sections"] = parts = [one for one in sections if isinstance(one, dict)]
    # No other keys may come in from a file of somebody else; places are known by identity.
    for part, keys in ((person, export.PERSON), *((one, export.SECTION) for one in parts)):
        for key in part.keys() - {*keys}:
            del part[key]
    return person


class Resume(Reader):
    """Reads the parts of such a CV."""

    fills_days = True

    def basics(self, basics: Value, place: Span) -> None:
        """Read who it is, and how to reach the person."""
        draft = self.draft
        place = basics.place if basics.parts() else place
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

    def entry(self, name: str, value: Value) -> None:
        """Read an item of a list."""
        if name == "interests":
            interest = self.inline(value.text("name") or value.own_text())
            keywords = [*map(self.inline, value.texts("keywords"))]
            shown = {"name": interest, "keywords": keywords} if keywords else interest
            self.draft.put("interests", [shown])
            return
        if isinstance(value.data, str) and name in _NAMED:
            self.add(_KINDS[name], self.inline(value.own_text()), value)
        if not isinstance(value.data, dict) or name not in _KINDS:
            return
        known = value.get("type")
        kind = _TYPES.get((name, str(known.data).strip().lower())) if known else None
        if known and kind:
            known.read()
        kind = kind or _KINDS[name]
        title, group = (self.prose(value, key) or None for key in ("section", "group"))
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


class Embedded(Importer):
    """A PDF of ours that carries a JSON Resume, as it was built with ``embed``."""

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF with the attachment."""
        return given.data.startswith(b"%PDF-") and ATTACHMENT in given.files.names

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise CvbuildError if there is none, or it can't be read."""
        if not self.recognises(given):
            fact, place = f"no {ATTACHMENT} is attached to it", Span(given.name)
            fix = "build it with: options: {embed: true}"
            raise CvbuildError.because("no-attachment", fact, fix, place)
        data = given.files.read(ATTACHMENT) or b""
        return Format().read(Given(ATTACHMENT, data, given.files))
