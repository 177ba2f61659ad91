"""JSON Resume: version 1, the older field names; and our own exports, which come home whole."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks, parsers, values
from cvbuild.importers.documents import people
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import json_items, wordings
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.inputs.references import texts
from cvbuild.model.contact import is_national_number
from cvbuild.outputs.jsonresume import export

_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_SCHEMA = re.compile(rb'"\$schema"\s*:\s*"[^"]*(?:jsonresume|resume-schema)')
_BASICS = re.compile(rb'["\']?basics["\']?\s*:\s*\{')
#: The same in YAML.
_IN_YAML = re.compile(rb"^basics:\s*(?:#.*)?$", re.MULTILINE)
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
        """Return whether it has the keys of such a CV, in JSON or in YAML."""
        head = given.head
        if not _OBJECT.match(head):
            return bool(_IN_YAML.search(head)) and b"\ncontent:" not in head
        lists = set(_LISTS.findall(head))
        if _OTHER.search(head):
            return False
        return bool(_SCHEMA.search(head) or _BASICS.search(head)) or len(lists) > 1

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no JSON or YAML, or has no name."""
        return read(given.data, given.name)


def read(data: bytes, name: str) -> Imported:
    """Return what a JSON Resume says; raise a located CvbuildError for what can't be read."""
    is_yaml = _IN_YAML.search(data) and not _OBJECT.match(data)
    parse = parsers.parse_yaml if is_yaml else values.parse_json
    root = parse(data, name)
    if not isinstance(root.data, dict):
        fact, fix = "this is no JSON Resume: an object is needed", 'begin with {"basics":'
        raise CvbuildError.because("jsonresume", fact, fix, root.place)
    reader = Reader(root, name)
    if person := _own(root, reader.draft):
        reader.draft.data = person
        return reader.draft.done()
    reader.meta()
    reader.basics(root.mapping("basics"))
    for key in list(root.data):
        reader.list(key)
    reader.closing(root.mapping("closing"))
    values.lose_unread(root, reader.draft)
    reader.draft.keep_order()
    return reader.draft.done()


def _is_of(full: str, given: str, family: str) -> bool:
    """Return whether a name is its parts, in either order."""
    whole = "".join(full.split())
    return whole in ("".join(f"{given}{family}".split()), "".join(f"{family}{given}".split()))


def _own(root: Value, draft: Draft) -> dict[str, Any]:
    """Return the person that an export of ours carries, if nobody changed it since."""
    if root.mapping("meta").get("cvbuild") is None:
        return {}
    resume = _plain(root, draft)
    held = resume["meta"].pop("cvbuild")
    if not isinstance(held, dict) or held.get("of") != export.digest(resume):
        return {}
    person = _only(held.get("person"), export.PERSON)
    if isinstance(sections := person.get("sections"), list):
        person["sections"] = [_only(one, export.SECTION) for one in sections]
    return person if person.get("name") else {}


def _plain(value: Value, draft: Draft) -> Any:
    """Return the data of a value; the draft knows where its mappings are."""
    if isinstance(value.data, list):
        return [_plain(one, draft) for one in value.data]
    if not isinstance(value.data, dict):
        return value.data
    found = {key: _plain(one, draft) for key, one in value.data.items()}
    draft.mark(found, value.place)
    return found


def _only(value: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    """Take out the keys that no export has: none may come in from a file of somebody else."""
    if not isinstance(value, dict):
        return {}
    for key in value.keys() - {*keys}:
        del value[key]
    return value


class Reader:
    """Reads the parts of such a CV into a draft; ``titles`` are the headings of its lists."""

    def __init__(self, root: Value, name: str) -> None:
        self.root = root
        self.draft = Draft(name)
        self.titles: dict[str, str] = {}

    # -- basics ------------------------------------------------------------------------------

    def basics(self, basics: Value) -> None:
        """Read who it is."""
        draft = self.draft
        given, family = (texts.line(basics.text(one)) for one in ("givenName", "familyName"))
        full = texts.line(basics.text("name"))
        if not full and not (given and family):
            place = (basics if basics.parts() else self.root).place
            fix = 'write "name": "…" into "basics"'
            raise CvbuildError.because("jsonresume", "the CV has no name", fix, place)
        others = [
            {"label": texts.line(one.text("label")), "name": texts.line(one.text("name"))}
            for one in basics.mappings("otherNames")
        ]
        parts = {"given": given, "family": family} if given and family else {"full": full}
        if "given" in parts and full and not _is_of(full, given, family):
            parts["full"] = full
        native = texts.line(basics.text("nativeName"))
        simple = "given" not in parts and not native and not others
        name = full if simple else {**parts, "native": native, "others": others}
        draft.put("name", name)
        draft.put(
            "headline", wordings.inline(basics.text("label", "headline")), basics.where("label")
        )
        summary = wordings.blocks(basics.text("summary")).paragraphs
        draft.put("summary", "\n\n".join(summary))
        self.contact(basics)
        image = basics.text("image", "picture")
        hint = "save it beside the file, as photo: NAME" if image else ""
        draft.lose(f"basics.image ({hint})", image, basics.where("image", "picture"))

    def contact(self, basics: Value) -> None:
        """Read how to reach the person."""
        draft = self.draft
        self.addresses(basics)
        address = self.place(basics.mapping("location")) or wordings.inline(basics.text("location"))
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
        for one in basics.mappings("other"):
            label, text = texts.line(one.text("label")), wordings.inline(one.text("text"))
            if label and text:
                people.put_other(draft, label, text)
            else:
                draft.lose("basics.other", label or text, one.place)
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
            if name == "phone" and any(is_national_number(one.get(key, "+")) for one in listed):
                code = basics.mapping("location").get("countryCode")
                countries += [code.data] if code and isinstance(code.data, str) else []
            if countries:
                self.draft.put("contact.country", countries[0].strip().upper())
            found = [one if "label" in one else one.get(key) for one in listed]
            self.draft.put(f"contact.{name}", found, basics.where(name))

    def place(self, location: Value) -> str:
        """Return a postal address on one line."""
        lines = [wordings.inline(one) for one in location.text("address").split("\n")]
        code, city = location.text("postalCode"), location.text("city")
        town = texts.line(f"{code} {city}")
        # Berlin is its own region.
        region = location.text("region")
        rest = ("" if region == city else region, location.text("countryCode", "country"))
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
                self.draft.add(kind, wordings.inline(one.own_text()), one.place, title)
            elif isinstance(one.data, dict):
                self.item(name, one)

    def interest(self, value: Value) -> Any:
        """Return an interest."""
        name = wordings.inline(value.text("name") or value.own_text())
        keywords = [wordings.inline(one) for one in value.texts("keywords")]
        return {"name": name, "keywords": keywords} if keywords else name

    def item(self, name: str, value: Value) -> None:
        """Read an item of a list."""
        draft = self.draft
        kind = json_items.kind_of(name, value)
        title = wordings.inline(value.text("section") or self.titles.get(name, "")) or None
        group = wordings.inline(value.text("group")) or None
        if kind == "keywords":
            self.keywords(value, title, group)
            return
        made = json_items.read(value, kind)
        if kind == "project" and (sort := wordings.inline(value.text("type"))):
            # application, book: there is no key for it.
            made["keywords"] = [sort, *made.get("keywords", ())]
        short = kind in ("skill", "language") and len(made) == 1
        shown = next(iter(made.values())) if short else made
        value.near = draft.add(kind, shown, value.place, title, group)

    def keywords(self, value: Value, title: str | None, group: str | None) -> None:
        """Read keywords under a heading; the heading is that of the section or the group."""
        name = value.text("name")
        found = value.texts("keywords") or [name]
        if wordings.inline(name) not in (title, group, *map(wordings.inline, found)):
            self.draft.lose("heading of keywords", name, value.place)
        for one in found:
            self.draft.add("keywords", wordings.inline(one), value.place, title, group)

    def closing(self, closing: Value) -> None:
        """Read where and when it is signed."""
        place, day = wordings.inline(closing.text("place")), texts.line(closing.text("date"))
        signed = {key: text for key, text in (("place", place), ("date", day)) if text}
        self.draft.put("closing", signed, closing.place)

    # -- meta --------------------------------------------------------------------------------

    def meta(self) -> None:
        """Read when it was changed, and its language."""
        meta = self.root.mapping("meta")
        for key in ("version", "canonical"):
            meta.text(key)
        if held := meta.get("cvbuild"):
            held.read()
            why = "not read, as the rest of the file was changed since"
            self.draft.lose(held.path, why, held.place)
        self.root.text("$schema")
        updated = texts.line(meta.text("lastModified"))[:10]
        self.draft.put("updated", updated, meta.where("lastModified"))
        self.draft.put("locale", texts.line(meta.text("language")), meta.where("language"))
