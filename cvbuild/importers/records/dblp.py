"""DBLP's page of a person as XML: dblp.org/pid/….xml, or its list of publications."""

from __future__ import annotations

import re

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.references import drafts
from cvbuild.importers.sources import located_xml
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import html_texts
from cvbuild.inputs.references import reference, texts
from cvbuild.inputs.references.reference import Reference

_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
                   rb"<(?:!DOCTYPE\s+)?dblp(?:person)?[\s>]", re.DOTALL)  # fmt: skip
#: The number that tells people of one name apart.
_NUMBER = re.compile(r" \d{4}$")
_TYPES = {"mastersthesis": "mastersthesis", "phdthesis": "phdthesis", "data": "dataset"}
_WORKS = frozenset(("article", "inproceedings", "proceedings", "book", "incollection", "phdthesis",
                    "mastersthesis", "data", "www"))  # fmt: skip
_PLAIN = ("volume", "pages", "chapter")
_RICH = {"journal": "venue", "booktitle": "venue", "school": "venue", "series": "series",
         "publisher": "publisher", "address": "location"}  # fmt: skip
#: What says nothing of the work to a reader.
_REGISTRY = ("crossref", "cdrom", "cite", "stream", "isbn")


class Format:
    """A person of DBLP."""

    name = "dblp"
    title = "DBLP"

    def recognises(self, given: Given) -> bool:
        """Return whether the root is DBLP's."""
        return bool(_ROOT.match(given.head))

    def read(self, given: Given) -> Imported:
        """Return the person with all publications; raise a located CvbuildError for none."""
        root = located_xml.parse(given.data, given.name)
        works = [one for one in root.walk() if _is_work(one)]
        if not works:
            hint = "open the person's page on dblp.org and export it as XML: dblp.org/pid/….xml"
            message = "the file has no publication"
            raise CvbuildError.because("dblp", message, hint, root.place)
        draft = Draft(given.name)
        _person(draft, root)
        for work in works:
            work.item = drafts.add(draft, _reference(work))
        if "name" not in draft.data:
            drafts.name_person(draft)
        # Co-authors, and what only DBLP uses.
        for one in root.walk():
            if one.name in ("person", "coauthors"):
                one.read()
        for path, text, element, item in root.unread():
            draft.lose(path, text, element.place, item)
        return draft.done()


def _is_work(element: Element) -> bool:
    is_home = element.attributes.get("key", "").startswith("homepages/")
    return element.name in _WORKS and "key" in element.attributes and not is_home


def _name(element: Element) -> str:
    element.is_read = True
    return _NUMBER.sub("", " ".join("".join(map(str, element.parts)).split()))


def _person(draft: Draft, root: Element) -> None:
    name = texts.line(_NUMBER.sub("", root.attributes.get("name", "")))
    if pid := root.attributes.get("pid", ""):
        networks.put(draft, "dblp", pid, place=root.place)
    others: list[str] = []
    for home in (one for one in root.walk() if one.attributes.get("key", "")[:9] == "homepages"):
        others += [_name(one) for one in home.all("author")]
        for address in home.all("url"):
            networks.put(draft, url=address.text(), place=address.place)
        for title in home.all("title"):
            title.is_read = True
        for note in home.all("note"):
            if note.attributes.keys() == {"type"} and note.attributes["type"] == "affiliation":
                draft.add("experience", {"employer": texts.plain(note.text())}, note.place)
            elif label := note.attributes.get("label"):
                kind = note.attributes.get("type", "")
                draft.lose(f"note {kind}", f"{label}: {note.text()}", note.place)
    others = [one for one in dict.fromkeys(others) if one != name]
    draft.put("name", {"full": name, "author": others} if name and others else name, root.place)


def _reference(work: Element) -> Reference:
    sort = work.attributes.get("publtype", "")
    kind = "software" if sort == "software" else work.name
    made = Reference(work.place, _TYPES.get(kind, kind))
    title = work.raw("title")
    title = title[:-1] if title.endswith(".") and not title.endswith("..") else title
    first = work.first("title")
    has_html = first is not None and first.children
    made.put("title", html_texts.inline(title) if has_html else texts.plain(title))
    for name, key in (("author", "authors"), ("editor", "editors")):
        people = [_name(one) for one in work.all(name)]
        found = [texts.line(one) if key == "authors" else texts.plain(one) for one in people]
        made.put(key, found)
    venue = "book" if kind == "incollection" else "venue"
    for key in _PLAIN:
        made.put(key, texts.line(work.text(key)))
    for name, key in (_RICH | {"booktitle": venue}).items():
        for one in work.all(name):
            made.put(key, texts.plain(one.text()), one.place, name)
    number = texts.line(work.text("number"))
    made.put("volume" if kind in ("book", "proceedings") else "issue", number)
    made.put("date", reference.date(work.text("year"), work.text("month")))
    _addresses(work, made)
    for note in (one for one in work.all("note") if not one.attributes):
        made.notes.append(texts.plain(note.text()))
    if made.item.get("venue") == "CoRR" and made.type == "article":
        made.type = "preprint"
    if "withdrawn" in sort:
        made.lost.append(("publtype", sort, work.place))
    for name in _REGISTRY:
        for one in work.all(name):
            one.is_read = name != "isbn"
    # Its own page there, relative to dblp.org.
    work.text("url")
    return made


def _addresses(work: Element, made: Reference) -> None:
    """Read the electronic editions: a DOI, an arXiv id, a page; DBLP's archives of them last."""
    for one in sorted(work.all("ee"), key=lambda one: one.attributes.get("type", "")):
        address = texts.line(one.text())
        if re.match(r"https?://(?:dx\.)?doi\.org/", address) and "doi" not in made.item:
            made.put("doi", address, one.place, "ee")
        elif "wikidata.org" in address:
            made.lost.append(("ee", address, one.place))
        else:
            made.put("url", address, one.place, "ee")
