"""JSON Resume: version 1, the older field names, and what cvbuild itself adds to its exports."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import file_order, networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.resumes import json_items
from cvbuild.importers.resumes.json_texts import Texts
from cvbuild.importers.sources import located, located_json
from cvbuild.importers.sources.located import Value
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references import texts
from cvbuild.model import kinds, phones
from cvbuild.model.kinds.describe import Outlined

_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_SCHEMA = re.compile(rb'"\$schema"\s*:\s*"[^"]*(?:jsonresume|resume-schema)')
_BASICS = re.compile(rb'["\']?basics["\']?\s*:\s*\{')
_LISTS = re.compile(rb'"(work|education|volunteer|awards|publications|skills|projects)"\s*:\s*\[')
#: YAMLResume in JSON.
_OTHER = re.compile(rb'"content"\s*:\s*\{')
#: Lists by the name that they have, or had.
_NAMES = {"certifications": "certificates", "experience": "work", "volunteering": "volunteer"}
_NAMED = ("skills", "languages", "references")


class Format:
    """A CV as JSON Resume."""

    name = "jsonresume"
    title = "JSON Resume"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a JSON object with the keys of such a CV."""
        head = given.head
        if not _OBJECT.match(head):
            return False
        lists = set(_LISTS.findall(head))
        if _OTHER.search(head):
            return False
        return bool(_SCHEMA.search(head) or _BASICS.search(head)) or len(lists) > 1

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no JSON, or has no name."""
        return read(given.data, given.name)


def read(data: bytes, name: str) -> Imported:
    """Return what a JSON Resume says; raise a located CvbuildError for what can't be read."""
    root = located_json.parse(data, name)
    if not isinstance(root.data, dict):
        raise _error(root, "this is no JSON Resume: an object is needed", 'begin with {"basics":')
    reader = Reader(root, name)
    reader.meta()
    reader.basics(root.mapping("basics"))
    for key in list(root.data):
        reader.list(key)
    reader.outline()
    located.lose_unread(root, reader.draft)
    file_order.keep(reader.draft.data.get("sections", []))
    return reader.draft.done()


def _error(value: Value, message: str, hint: str) -> CvbuildError:
    return CvbuildError([Diagnostic("error", "jsonresume", message, value.place, hint)])


class Reader:
    """Reads the parts of such a CV into a draft; ``titles`` are the headings of its lists."""

    def __init__(self, root: Value, name: str) -> None:
        self.root = root
        self.draft = Draft(name)
        self.words = Texts(root)
        self.titles: dict[str, str] = {}
        self.entries: dict[str, dict[str, Any]] = {}

    # -- basics ------------------------------------------------------------------------------

    def basics(self, basics: Value) -> None:
        """Read who it is."""
        draft, words = self.draft, self.words
        given, family = (texts.line(basics.text(one)) for one in ("givenName", "familyName"))
        full = texts.line(basics.text("name"))
        if not full and not (given and family):
            place = basics if basics.parts() else self.root
            raise _error(place, "the CV has no name", 'write "name": "…" into "basics"')
        others = [
            {"label": texts.line(one.text("label")), "name": texts.line(one.text("name"))}
            for one in basics.mappings("otherNames")
        ]
        parts = {"given": given, "family": family} if given and family else {"full": full}
        native = texts.line(basics.text("nativeName"))
        simple = "full" in parts and not native and not others
        name = full if simple else {**parts, "native": native, "others": others}
        draft.put("name", name)
        draft.put("headline", words.inline(basics.text("label", "headline")), basics.where("label"))
        if words.is_own:
            summary = [words.inline(one) for one in texts.paragraphs(basics.text("summary"))]
        else:
            summary = words.blocks(basics.text("summary")).paragraphs
        draft.put("summary", "\n\n".join(summary))
        self.contact(basics)
        for one in basics.mappings("links"):
            if texts.line(one.text("url")) in words.addresses:
                one.read()
        image = basics.text("image", "picture")
        hint = "save it beside the file, as photo: NAME" if image else ""
        draft.lose(f"basics.image ({hint})", image, basics.where("image", "picture"))

    def contact(self, basics: Value) -> None:
        """Read how to reach the person."""
        draft = self.draft
        self.addresses(basics)
        address = self.place(basics.mapping("location")) or self.words.inline(
            basics.text("location")
        )
        draft.put("contact.address", address, basics.where("location"))
        sites = basics.texts("websites") or [basics.text("url", "website")]
        basics.text("url", "website")
        addresses = [site for one in sites if (site := texts.line(one))]
        draft.put("contact.website", addresses, basics.where("websites", "url", "website"))
        birth, nations = basics.text("birthDate"), basics.texts("nationalities")
        draft.put("contact.birth-date", texts.line(birth), basics.where("birthDate"))
        draft.put(
            "contact.nationality", list(map(texts.line, nations)), basics.where("nationalities")
        )
        other = {
            texts.line(one.text("label")): self.words.inline(one.text("text"))
            for one in basics.mappings("other")
        }
        if other:
            draft.data.setdefault("contact", {}).setdefault("other", {}).update(other)
        for one in basics.mappings("profiles"):
            network, user, url = (one.text(key) for key in ("network", "username", "url"))
            if network.strip() or user.strip() or url.strip():
                networks.put(draft, network, user, url, one.place)

    def addresses(self, basics: Value) -> None:
        """Read e-mail addresses and phone numbers."""
        for name, key in (("email", "address"), ("phone", "number")):
            given = [texts.line(one) for one in basics.texts(name)]
            listed = [
                {part: texts.line(one.text(part)) for part in (key, "label", "country")}
                for one in basics.mappings(f"{name}s")
            ]
            listed = [{part: value for part, value in one.items() if value} for one in listed]
            known = [one.get(key) for one in listed]
            listed = [*({key: one} for one in given if one not in known), *listed]
            countries = [country for one in listed if (country := one.pop("country", ""))]
            if name == "phone" and any(phones.is_national(one.get(key, "+")) for one in listed):
                code = basics.mapping("location").get("countryCode")
                countries += [code.data] if code and isinstance(code.data, str) else []
            if countries:
                self.draft.put("contact.country", countries[0].strip().upper())
            found = [one if "label" in one else one.get(key) for one in listed]
            self.draft.put(f"contact.{name}", found, basics.where(name))

    def place(self, location: Value) -> str:
        """Return a postal address on one line."""
        lines = [self.words.inline(one) for one in location.text("address").split("\n")]
        code, city = location.text("postalCode"), location.text("city")
        town = texts.line(f"{code} {city}")
        rest = (location.text("region"), location.text("countryCode", "country"))
        parts = [*lines, *(texts.plain(one) for one in (town, *rest))]
        return ", ".join(filter(None, (part.strip(" ,") for part in parts)))

    # -- lists -------------------------------------------------------------------------------

    def list(self, key: str) -> None:
        """Read one of the lists; what is no item stays unread."""
        name = _NAMES.get(key, key)
        if key == "interests":
            self.draft.put("interests", [*map(self.interest, self.root.items(key))])
        if name not in json_items.KINDS:
            return
        for one in self.root.items(key):
            if isinstance(one.data, str) and name in _NAMED:
                # Some write just the names.
                one.near = {}
                kind = json_items.KINDS[name]
                title = self.titles.get(name)
                self.draft.add(kind, self.words.inline(one.own_text()), one.place, title)
            elif isinstance(one.data, dict):
                self.item(name, one)

    def interest(self, value: Value) -> Any:
        """Return an interest."""
        name = self.words.inline(value.text("name") or value.own_text())
        keywords = [self.words.inline(one) for one in value.texts("keywords")]
        for one in value.mappings("links"):
            if texts.line(one.text("url")) in self.words.addresses:
                one.read()
        return {"name": name, "keywords": keywords} if keywords else name

    def item(self, name: str, value: Value) -> None:
        """Read an item of a list."""
        draft, words = self.draft, self.words
        kind = json_items.kind_of(name, value)
        title = words.inline(value.text("section") or self.titles.get(name, "")) or None
        group = words.inline(value.text("group")) or None
        if kind == "keywords":
            self.keywords(value, title, group)
            return
        entry = value.text("entry") if kind == "experience" else ""
        if entry and entry in self.entries:
            self.role(self.entries[entry], value)
            return
        made = json_items.read(value, kind, words)
        if kind == "project" and (sort := words.inline(value.text("type"))):
            # application, book: there is no key for it.
            made["keywords"] = [sort, *made.get("keywords", ())]
        short = kind in ("skill", "language") and len(made) == 1
        shown = next(iter(made.values())) if short else made
        value.near = draft.add(kind, shown, value.place, title, group)
        if entry:
            self.entries[entry] = made
            if "title" in made:
                role = {key: made.pop(key) for key in list(made) if key not in _EMPLOYER}
                made["roles"] = [role]

    def role(self, employer: dict[str, Any], value: Value) -> None:
        """Add a further role at an employer."""
        role = json_items.read(value, "experience", self.words, is_role=True)
        for key in ("name", "company", "department", "url", "website"):
            value.text(key)
        if role.get("location") == employer.get("location"):
            role.pop("location", None)
        employer.setdefault("roles", []).append(role)
        value.near = role

    def keywords(self, value: Value, title: str | None, group: str | None) -> None:
        """Read keywords under a heading; the heading is that of the section or the group."""
        name = value.text("name")
        found = value.texts("keywords") or [name]
        for one in found:
            self.draft.add("keywords", self.words.inline(one), value.place, title, group)
        for link in value.mappings("links"):
            link.read()

    # -- meta --------------------------------------------------------------------------------

    def meta(self) -> None:
        """Read when it was changed, and which sections there are, in their order."""
        meta = self.root.mapping("meta")
        for key in ("version", "canonical", "markdown"):
            for one in filter(None, (meta.get(key),)):
                one.read()
        self.root.text("$schema")
        updated = texts.line(meta.text("lastModified"))[:10]
        self.draft.put("updated", updated, meta.where("lastModified"))
        self.draft.put("locale", texts.line(meta.text("language")), meta.where("language"))
        for one in meta.mappings("sections"):
            kind, title = one.text("kind"), one.text("title")
            if kind not in kinds.KINDS:
                continue
            made = self.draft.section(kind, self.words.inline(title) or None, one.place)
            one.near = made
            for key in ("note", "order", "numbering"):
                if text := one.text(key):
                    made[key] = self.words.inline(text)
            for link in one.mappings("headLinks"):
                link.read()

    def outline(self) -> None:
        """Read the prose and the notes of sections, which have no list."""
        for one in self.root.mapping("meta").mappings("sections"):
            kind = one.text("kind")
            if not isinstance(one.near, dict):
                continue
            section, title = one.near, one.near.get("title")
            for part in (one, *one.mappings("groups")):
                group = None if part is one else self.words.inline(part.text("title"))
                if isinstance(kinds.of(kind).json, Outlined):
                    for text in json_items.bullets(part, "text", self.words):
                        self.draft.add(kind, text, part.place, title, group)
                for under in section["groups"]:
                    if part is not one and under["title"] == group and part.text("note"):
                        under["note"] = self.words.inline(part.text("note"))
                for link in (*part.mappings("links"), *part.mappings("headLinks")):
                    link.read()


_EMPLOYER = ("employer", "department", "location", "url")
