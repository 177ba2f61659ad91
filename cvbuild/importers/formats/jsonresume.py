"""JSON Resume: version 1, the older field names; and our own exports, which come home whole.

Each kind of section describes how its items are named there (``model.kinds``).
"""

from __future__ import annotations

import re
from calendar import monthrange
from functools import cache
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks, parsers, values
from cvbuild.importers.documents import citations, people
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions, headings
from cvbuild.importers.words.descriptions import inline_markdown as inline
from cvbuild.inputs.references import texts
from cvbuild.model import kinds
from cvbuild.model.base import Prose
from cvbuild.model.sections import Author, Bullet, Link
from cvbuild.outputs import jsonresume as export

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
#: Lists of which some write just the names.
_NAMED = ("skills", "languages", "references")
#: The kind of a list; some have others besides, by their type.
_KINDS = {
    "work": "experience", "volunteer": "volunteer", "education": "education", "awards": "award",
    "certificates": "certificate", "publications": "publication", "skills": "skill",
    "languages": "language", "references": "reference", "projects": "project",
    # Of the sites that academicpages makes.
    "presentations": "talk", "teaching": "teaching", "portfolio": "project",
}  # fmt: skip
_TYPES = {"presentation": "talk", "talks": "talk", "course": "teaching"}
#: Further names of a field: those of older versions, and what people write.
_OTHERWISE = {
    "employer": ("company", "organization"), "institution": ("school", "university", "institution"),
    "url": ("website", "link"), "grade": ("gpa",), "degree": ("degree", "studyLevel"),
    "title": ("title", "role"), "language": ("name",), "level": ("level", "fluency"),
    "summary": ("summary", "description"), "quote": ("quote", "summary"),
    "relation": ("relation", "relationship"), "venue": ("journal", "venue"), "role": ("role",),
    "name": ("name", "title"), "event": ("event",), "course": ("course",),
}  # fmt: skip
_DAY = re.compile(r"((?:19|20)\d\d-(?:0[1-9]|1[0-2]))-(\d\d)")


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
    root = (parsers.parse_yaml if is_yaml else values.parse_json)(data, name)
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
    values.lose_unread(root, reader.draft)
    reader.draft.keep_order()
    return reader.draft.done()


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


def _line(value: Value, *keys: str) -> str:
    return texts.line(value.text(*keys))


def _inline(value: Value, *keys: str) -> str:
    return inline(value.text(*keys))


class Reader:
    """Reads the parts of such a CV into a draft; ``titles`` are the headings of its lists."""

    def __init__(self, root: Value, name: str) -> None:
        self.root = root
        self.draft = Draft(name)
        self.titles: dict[str, str] = {}

    # -- who it is ---------------------------------------------------------------------------

    def basics(self, basics: Value) -> None:
        """Read who it is."""
        draft = self.draft
        if not (name := _line(basics, "name")):
            place = (basics if basics.parts() else self.root).place
            fix = 'write "name": "…" into "basics"'
            raise CvbuildError.because("jsonresume", "the CV has no name", fix, place)
        draft.put("name", name)
        draft.put("headline", _inline(basics, "label", "headline"), basics.where("label"))
        summary = descriptions.read_markdown(basics.text("summary")).paragraphs
        draft.put("summary", "\n\n".join(summary))
        self.contact(basics)
        image = basics.text("image", "picture")
        hint = "save it beside the file, as photo: NAME" if image else ""
        draft.lose(f"basics.image ({hint})", image, basics.where("image", "picture"))

    def contact(self, basics: Value) -> None:
        """Read how to reach the person."""
        draft = self.draft
        for name in ("email", "phone"):
            draft.put(f"contact.{name}", [*map(texts.line, basics.texts(name))], basics.where(name))
        address = _address(basics.mapping("location")) or _inline(basics, "location")
        draft.put("contact.address", address, basics.where("location"))
        site = _line(basics, "url", "website")
        draft.put("contact.website", [site] if site else [], basics.where("url", "website"))
        for one in basics.mappings("other"):
            label, text = _line(one, "label"), _inline(one, "text")
            if label and text:
                people.put_other(draft, label, text)
            else:
                draft.lose("basics.other", label or text, one.place)
        for key in filter(networks.key_of, basics.data if isinstance(basics.data, dict) else ()):
            networks.put(draft, key, basics.text(key), place=basics.where(key))
        for one in basics.mappings("profiles"):
            network, user, url = map(one.text, ("network", "username", "url"))
            if network.strip() or user.strip() or url.strip():
                networks.put(draft, network, user, url, one.place)

    # -- lists -------------------------------------------------------------------------------

    def list(self, key: str) -> None:
        """Read one of the lists; what is no item stays unread."""
        name = _NAMES.get(key, key)
        if key == "interests":
            self.draft.put("interests", [*map(self.interest, self.root.items(key))])
        for one in self.root.items(key) if name in _KINDS else ():
            if isinstance(one.data, str) and name in _NAMED:
                one.near = {}
                title = self.titles.get(name)
                self.draft.add(_KINDS[name], inline(one.own_text()), one.place, title)
            elif isinstance(one.data, dict):
                self.item(name, one)

    def interest(self, value: Value) -> Any:
        """Return an interest."""
        name = inline(value.text("name") or value.own_text())
        keywords = [*map(inline, value.texts("keywords"))]
        return {"name": name, "keywords": keywords} if keywords else name

    def item(self, name: str, value: Value) -> None:
        """Read an item of a list."""
        kind = _kind_of(name, value)
        title = inline(value.text("section") or self.titles.get(name, "")) or None
        group = _inline(value, "group") or None
        if kind == "keywords":
            # The heading is that of the section or of the group.
            heading = value.text("name")
            found = value.texts("keywords") or [heading]
            if inline(heading) not in (title, group, *map(inline, found)):
                self.draft.lose("heading of keywords", heading, value.place)
            for one in found:
                self.draft.add("keywords", inline(one), value.place, title, group)
            return
        if (icon := value.get("icon")) and str(icon.data).startswith("fa"):
            # How al-folio shows it.
            icon.read()
        made = _item(value, kind)
        if kind == "volunteer" and "organization" not in made:
            kind, title = "entry", title or headings.own_title(kind, "en")
        if kind == "project" and (sort := _inline(value, "type")):
            # application, book: there is no key for it.
            made["keywords"] = [sort, *made.get("keywords", ())]
        short = kind in ("skill", "language") and len(made) == 1
        shown = next(iter(made.values())) if short else made
        value.near = self.draft.add(kind, shown, value.place, title, group)

    # -- meta --------------------------------------------------------------------------------

    def meta(self) -> None:
        """Read when it was changed, and its language."""
        root, draft = self.root, self.draft
        meta = root.mapping("meta")
        if held := meta.get("cvbuild"):
            held.read()
            why = "not read, as the rest of the file was changed since"
            draft.lose(held.path, why, held.place)
        # Of these nothing is shown.
        for key in ("$schema", "meta.version", "meta.canonical", "meta.theme"):
            root.text(key)
        draft.put("updated", _line(meta, "lastModified")[:10], meta.where("lastModified"))
        draft.put("locale", _line(meta, "language"), meta.where("language"))


def _address(location: Value) -> str:
    """Return a postal address on one line."""
    city, region = location.text("city"), location.text("region")
    # Berlin is its own region.
    rest = ("" if region == city else region, location.text("countryCode", "country"))
    town = texts.line(f"{location.text('postalCode')} {city}")
    parts = [*map(inline, location.text("address").split("\n")), *map(texts.plain, (town, *rest))]
    return ", ".join(filter(None, (part.strip(" ,") for part in parts)))


# -- items -----------------------------------------------------------------------------------------


def _kind_of(name: str, item: Value) -> str:
    """Return the kind of an item of a list."""
    given = item.get("type")
    word = given.data.strip().lower() if given and isinstance(given.data, str) else ""
    for kind in kinds.KINDS.values():
        form = kind.json
        fixed = getattr(form, "fixed", {}).get("type")
        if getattr(form, "list", "") == name and fixed and word == fixed:
            item.text("type")
            return kind.name
    if name == "projects" and word in _TYPES:
        item.text("type")
        return _TYPES[word]
    return _KINDS[name]


def _item(item: Value, kind: str) -> dict[str, Any]:
    """Return an item with the keys of its kind; what has none stays unread."""
    form: Any = kinds.of(kind).json
    made: dict[str, Any] = {}
    for key, shape in _fields(kind).items():
        name = form.keys.get(key) or camel(key)
        names = (name, *(one for one in _OTHERWISE.get(key, ()) if one not in form.keys.values()))
        if value := _value(item, shape, names):
            made[key] = value
    if date := _date(item, form.date):
        made["date"] = date
    summary, bullets = made.pop("summary", None), made.pop("bullets", [])
    if summary:
        # Points of it become bullets.
        descriptions.put(made, kind, summary)
    if bullets:
        made["bullets"] = [*made.get("bullets", ()), *bullets]
    _tidy(made, item)
    return made


def _value(item: Value, shape: str, names: tuple[str, ...]) -> Any:
    """Return the value of a field of that shape under the first of the names that has one."""
    match shape:
        case "bullets":
            points = (descriptions.read_markdown(text).blocks for text in item.texts(names[0]))
            return [point for blocks in points for point in descriptions.nested(blocks)]
        case "links":
            return None
        case "lines" | "proses":
            found = [*map(texts.line if shape == "lines" else inline, item.texts(*names))]
            is_one = len(found) == 1 and names[0] in ("authors", "inventors")
            return (is_one and citations.authors(found[0])) or found
        case "line":
            return _line(item, *names)
        case "summary":
            # Of work, the description is about the employer.
            parts = (item.text(name) for name in dict.fromkeys(("description", *names)))
            return descriptions.read_markdown("\n\n".join(filter(None, parts)))
    return _inline(item, *names) or ", ".join(map(inline, item.texts(*names)))


def _date(item: Value, single: str) -> Any:
    """Return when, as JSON Resume has it."""
    start = dates.normal(item.text("startDate"))
    end = dates.normal(item.text("endDate"))
    one = dates.normal(item.text(*dict.fromkeys((single or "date", "date", "releaseDate"))))
    if one and not (start or end):
        return one
    return dates.between(*_months(start, end))


def _months(start: str, end: str) -> tuple[str, str]:
    """Return both ends of a range without their days, where these only fill the form.

    Editors of JSON Resume write 2020-03-01 for March 2020, and that or 2020-03-31 for an end.
    """
    begun, ended = _DAY.fullmatch(start), _DAY.fullmatch(end)
    if begun and begun[2] != "01":
        return start, end
    if ended and int(ended[2]) not in (1, monthrange(int(end[:4]), int(end[5:7]))[1]):
        return start, end
    return begun[1] if begun else start, ended[1] if ended else end


def _tidy(made: dict[str, Any], item: Value) -> None:
    """Add links, and take out what only repeats something else."""
    links = [(_line(one, "label", "name"), _line(one, "url")) for one in item.mappings("links")]
    if links:
        made["links"] = [{label: url} if label and url else label or url for label, url in links]
    doi, arxiv = made.get("doi"), made.get("arxiv")
    same = (f"https://doi.org/{doi}",) if doi else (f"https://arxiv.org/abs/{arxiv}",)
    if made.get("url") in same:
        del made["url"]


@cache
def _fields(kind: str) -> dict[str, str]:
    """Return the shape of each field of an item that the source can have; not of its date."""
    skipped = ("tags", "priority", "keep", "private", "date", "roles", "marks")
    model = descriptions.item_model(kind)
    known = ((info.alias or name, info) for name, info in model.model_fields.items())
    return {key: _shape(key, info) for key, info in known if key not in skipped}


def _shape(key: str, info: Any) -> str:
    leaves = descriptions.leaves(info.annotation)
    if key == "summary":
        return "summary"
    for model, shape in ((Bullet, "bullets"), (Link, "links"), (Author, "lines")):
        if model in leaves:
            return shape
    is_many = "tuple" in str(info.annotation)
    return ("prose" if Prose in leaves else "line") + ("s" if is_many else "")


def camel(name: str) -> str:
    """Return short-venue as shortVenue."""
    return re.sub("-(.)", lambda letter: letter[1].upper(), name)
