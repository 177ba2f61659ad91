"""Which of the works that services list a person's file hasn't, and which it could say more of.

Nothing that is there is changed: a work gets the keys that it lacks, and what is said otherwise is
noted. A preprint that has become a paper is one work with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from cvbuild.common.diagnostics import FieldPath
from cvbuild.importers import merging
from cvbuild.importers.merging import Note
from cvbuild.importers.online import Work
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.references.identity import first_text, folded
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.edit import Addition

#: DOIs of preprints: bioRxiv and medRxiv, arXiv, Research Square, SSRN, OSF, ChemRxiv, Authorea,
#: preprints.org, TechRxiv.
_PREPRINT = re.compile(
    r"10\.1101/(?:\d{4}\.\d\d\.\d\d\.)?\d+(?:v\d+)?|"
    r"10\.(?:48550|64898|21203|2139|31234|31219|26434|22541|20944|36227)/.+",
    re.IGNORECASE,
)
_SERVERS = ("arxiv", "corr", "arxivpreprint", "biorxiv", "medrxiv", "chemrxiv", "ssrn")
_DOI = re.compile(r"10\.\d{4,9}/[^\s<>\"\])]+")
_YEAR = re.compile(r"\d{4}")
#: Where a work appeared, which belongs together.
_NUMBERS = ("volume", "issue", "pages")
_WHERE = ("book", "venue", "series", *_NUMBERS, "publisher")
_KEYS = ("authors", *_WHERE, "date", "doi", "arxiv", "url")
#: Works by what they can be found by; those that nothing can be added to may have no path.
_Index = dict[str, list[tuple[FieldPath | None, Mapping[str, Any]]]]


class Proposal(Struct, frozen=True):
    """A new work, or keys of one that is at ``path``; ``notes`` are of what stays as it is."""

    title: str
    name: str
    services: list[str]
    item: dict[str, Any]
    path: FieldPath = ()
    notes: list[Note] = field(default_factory=list)


def additions(data: Mapping[str, Any], agreed: Collection[Proposal]) -> list[Addition]:
    """Return what is added to a person's facts: keys of works, then works, each at its place."""
    known = (one for one in agreed if one.path)
    keys = [Addition((*one.path, key), one.item[key]) for one in known for key in one.item]
    items = [one.item for one in agreed if not one.path]
    new = {"sections": [{"kind": bibliography.KIND, "items": items}]}
    return keys + merging.merge(edit.apply(data, keys), new).additions


def name_of(item: Mapping[str, Any]) -> str:
    """Return the word for a work in the list of those to leave alone: a DOI, else of its title."""
    year = _YEAR.search(first_text(item.get("date")))
    return _doi(item) or f"{folded(first_text(item.get('title')))}-{year[0] if year else ''}"


def _doi(item: Mapping[str, Any]) -> str:
    found = _DOI.search(first_text(item.get("doi")).casefold())
    return found[0] if found else ""


def _names(item: Mapping[str, Any]) -> list[str]:
    """Return what a work can be found by, the surest first; without one in common two differ."""
    arxiv = re.sub(r"^.*(?:abs/|:)|v\d+$", "", first_text(item.get("arxiv")).casefold())
    return [*filter(None, (_doi(item), arxiv, *map(folded, identity.texts_of(item.get("title")))))]


def is_preprint(item: Mapping[str, Any]) -> bool:
    """Return whether an item is known as a preprint only."""
    if doi := _doi(item):
        return bool(_PREPRINT.fullmatch(doi))
    venue = folded(first_text(item.get("venue")))
    return "preprint" in first_text(item.get("note")).casefold() or (
        "arxiv" in item and not item.keys() & {"book", *_NUMBERS} and venue in ("", *_SERVERS)
    )


def is_one(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two items are one work, or one is the preprint of the other."""
    if identity.is_same_item(bibliography.KIND, one, other):
        return True
    titles = [folded(first_text(item.get("title"))) for item in (one, other)]
    is_version = titles[0] == titles[1] and (is_preprint(one) or is_preprint(other))
    return is_version and identity.have_same_author(one, other)


def together(works: Iterable[Work]) -> list[Work]:
    """Return each work once, of what several services list; the first one's words count."""
    whole: list[Work] = []
    known: dict[str, list[Work]] = {}
    for new in works:
        if not (names := _names(new.item)):
            continue
        alike = (one for name in names for one in known.get(name, ()) if is_one(one.item, new.item))
        if (same := next(alike, None)) is None:
            same = Work({}, [])
            whole.append(same)
        first, other = same.item, new.item
        if is_preprint(first) and not is_preprint(other):
            first, other = other, first
        merged = {**more(first, other), **first} if first else other
        same.item = {key: merged[key] for key in ("title", *_KEYS, "note") if key in merged}
        same.services += [one for one in new.services if one not in same.services]
        for name in names:
            known.setdefault(name, []).append(same)
    return whole


def is_of(work: Work, names: Iterable[str]) -> bool:
    """Return whether one of the authors may be the person; ORCID's works need not name any."""
    authors = [*identity.texts_of(work.item.get("authors"))]
    if not authors:
        return "ORCID" in work.services
    return any(identity.agree(name, author) for name in names for author in authors)


def more(there: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that an item lacks, of another item of the same work."""
    absent = {key: new[key] for key in _KEYS if key in new and there.get(key) is None}
    if is_preprint(new) and not is_preprint(there):
        return {key: absent[key] for key in ("authors", "arxiv") if key in absent}
    where, source = (first_text(item.get("venue") or item.get("book")) for item in (there, new))
    if where or there.get("short-venue"):
        # Numbers of one journal say nothing of another, or of a preprint's server.
        same = _NUMBERS if identity.is_alike(where, source) else ()
        absent = {key: absent[key] for key in absent if key not in _WHERE or key in same}
    if "doi" in new or there.keys() & {"doi", "arxiv", "url", "links"}:
        absent.pop("url", None)
    if _doi(new) and _doi(there) not in ("", _doi(new)) and there.get("links") is None:
        absent["links"] = [{"Paper": f"https://doi.org/{_doi(new)}"}]
    return absent


def find(
    works: Iterable[Work],
    data: Mapping[str, Any],
    expanded: Mapping[str, Any],
    elsewhere: Iterable[Mapping[str, Any]],
    alone: Collection[str],
) -> Iterator[Proposal]:
    """Yield what could be added to a person's file.

    ``data`` are the facts as they are written, and ``expanded`` with the items of BibTeX files.
    ``elsewhere`` are works that are never added, such as those of the private file; ``alone`` are
    the names of those to leave alone.
    """
    written: dict[FieldPath, Mapping[str, Any]] = {}
    for spot, one in works_in(data):
        # Of what is private, or is in something private, nothing is named.
        around = [edit.value_at(data, spot[:end]) for end in range(len(spot) + 1)]
        parts = (part for part in (*around, *one.values()) if isinstance(part, dict))
        if not any("private" in part for part in parts):
            written[spot] = one
    index: _Index = {}
    for place in (*((None, one) for one in elsewhere), *works_in(expanded)):
        for name in _names(place[1]):
            index.setdefault(name, []).append(place)
    dois = set(_DOI.findall(" ".join(identity.texts_of(expanded)).casefold()))
    size = max((len(first_text(one.get("date"))) for one in written.values()), default=7)
    taken: set[FieldPath] = set()
    for work in works:
        item = dict(work.item)
        if size == 4 and isinstance(item.get("date"), str):
            # As in the rest of the file, the year.
            item["date"] = item["date"][:4]
        alike = [
            place
            for name in _names(item)
            for place in index.get(name, ())
            if place[0] not in taken and is_one(place[1], item)
        ]
        name = name_of(item)
        if name in alone or (not alike and _doi(item) in dois):
            continue
        if not alike:
            yield Proposal(first_text(item["title"]), name, work.services, item)
            continue
        # The paper itself goes before its preprint, and what can be written before what can't.
        ranks = [
            (not identity.is_same_item(bibliography.KIND, there, item), path not in written)
            for path, there in alike
        ]
        path, there = alike[ranks.index(min(ranks))]
        if path is not None and path in written:
            taken.add(path)
            added, notes = more(there, item), [*_kept(path, there, item)]
            if added or notes:
                title = first_text(there["title"])
                yield Proposal(title, name, work.services, added, path, notes)


def works_in(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """Yield the publications of a person's facts that are mappings, each with its path."""
    sections = data.get("sections")
    for at, section in enumerate(sections if isinstance(sections, list) else ()):
        if isinstance(section, dict) and section.get("kind") == bibliography.KIND:
            items = identity.items_in(section, ("sections", at))
            yield from ((path, item) for path, item in items if isinstance(item, dict))


def _kept(path: FieldPath, there: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Note]:
    """Yield what of an item stays as it is, and is said otherwise by the services."""
    if is_preprint(new) and not is_preprint(there):
        return
    is_paper_now = is_preprint(there) and not is_preprint(new)
    for key in ("title", "doi", "date", *(("venue",) if is_paper_now else ())):
        years = [_YEAR.findall(first_text(item.get(key))) for item in (there, new)]
        if key in there and key in new and not (key == "date" and {*years[0]} & {*years[1]}):
            yield from merging.kept((*path, key), there[key], new[key])
