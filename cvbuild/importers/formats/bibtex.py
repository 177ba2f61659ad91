"""BibTeX and BibLaTeX: a list of publications."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references import bibtex, bibtex_file, texts
from cvbuild.inputs.references.bibtex_file import Entry
from cvbuild.inputs.references.reference import ET_AL, Reference

_ENTRY = re.compile(rb"(?m)^[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]\s*[^\s{}(),=\"#%']+[ \t]*(?:,|\})")
_NOT_TEXT = (b"%PDF", b"PK\x03\x04", b"\0")
#: Characters of an entry that can't be read, in a comment.
_LONGEST = 2000


class Format:
    """Lists of publications in BibTeX."""

    name = "bibtex"
    title = "BibTeX"

    def recognises(self, given: Given) -> bool:
        """Return whether an entry begins in the first part of the file."""
        return not given.head.startswith(_NOT_TEXT) and bool(_ENTRY.search(given.head))

    def read(self, given: Given) -> Imported:
        """Return its publications and patents; entries that can't be read are lost.

        Raises CvbuildError if none can.
        """
        found = bibtex_file.read(texts.decoded(given.data), given.name)
        if not found.entries:
            raise bibtex_file.nothing(found, given.name)
        draft = Draft(given.name)
        works: list[Reference] = []
        for entry in found.entries:
            if bibtex.is_work(entry, found.parents):
                works.append(bibtex.of(entry))
                add_work(draft, works[-1])
            else:
                _lose_parent(draft, entry)
        name_person(draft)
        for fault in bibtex.unread(works):
            draft.lose(fault.message, fault.hint, fault.span)
        for fault in found.faults:
            draft.lose(f"{fault.message} ({fault.hint})", _lines(given, fault.span), fault.span)
        for what, value, place in found.texts:
            draft.lose(what, value.strip(), place)
        return draft.done()


def _lose_parent(draft: Draft, entry: Entry) -> None:
    """List the fields that others don't inherit."""
    for name in bibtex_file.not_inherited(entry):
        if not bibtex.is_managed(name):
            draft.lose(f"{entry.key}: {name}", entry.fields[name], entry.places[name])


def _lines(given: Given, span: Span | None) -> str:
    """Return the lines of a place, without their indentation."""
    lines = texts.decoded(given.data).split("\n")
    shown = lines[span.line - 1 : max(span.line, span.end_line)] if span else lines
    return "\n".join(map(str.strip, shown))[:_LONGEST]


# -- references in a draft, of ORCID, too: as publications and patents, and whose they are --------


def add_work(draft: Draft, reference: Reference) -> dict[str, Any]:
    """Add a work to a draft, with notes of what has no key; return its item."""
    is_patent = reference.type == "patent"
    item = reference.patent() if is_patent else reference.publication()
    if item.get("title"):
        item = draft.add("patent" if is_patent else "publication", item, reference.place)
    else:
        draft.lose("work without a title", item, reference.place)
    for what, value, place in reference.lost:
        draft.lose(what, value, place, item)
    return item


def name_person(draft: Draft) -> None:
    """Name the person of a list of works: the one author of most of them, if there is one."""
    works = [
        item.get("authors") or item.get("inventors") or []
        for section in draft.data.get("sections", ())
        for item in section["items"]
    ]
    works = [authors for authors in works if authors]
    counted = Counter(name for authors in works for name in dict.fromkeys(authors))
    (first, most), (_, next_one), *_ = [*counted.most_common(2), ("", 0), ("", 0)]
    if most > next_one and 2 * most > len(works) and first != ET_AL:
        draft.put("name", first)
        draft.authors = tuple(counted)


_TYPES = {
    word: kind
    for kind, words in tomllib.loads(
        Path(__file__).with_name("types.toml").read_text("utf-8")
    ).items()
    for word in words.split()
}


def type_of(word: str) -> str:
    """Return the kind of work; the word itself if it says nothing that a reader must be told."""
    bare = word.strip().lower().replace("_", "-").replace(" ", "-")
    return _TYPES.get(bare, bare)
