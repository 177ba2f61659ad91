"""BibTeX and BibLaTeX: a list of publications."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.importers.draft import Draft
from cvbuild.importers.references import drafts
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references import bibtex, bibtex_file, texts
from cvbuild.inputs.references.bibtex_file import Entry
from cvbuild.inputs.references.reference import Reference

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
        managed: dict[str, None] = {}
        works: list[Reference] = []
        for entry in found.entries:
            if bibtex.is_work(entry, found.parents):
                works.append(bibtex.of(entry))
                drafts.add(draft, works[-1])
            else:
                _lose_parent(draft, entry)
            managed |= dict.fromkeys(name for name in entry.fields if bibtex.is_managed(name))
        drafts.name_person(draft)
        for fault in bibtex.unread(works):
            draft.lose(fault.message, fault.hint, fault.span)
        for fault in found.faults:
            draft.lose(f"{fault.message} ({fault.hint})", _lines(given, fault.span), fault.span)
        for what, value, place in found.texts:
            draft.lose(what, value.strip(), place)
        hidden = ", ".join(sorted(managed))
        draft.lose("fields for reference managers and styles", hidden, Span(given.name))
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
