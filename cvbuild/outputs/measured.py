"""Compare what a document says with its limits, before it is made.

There is one ``Measure`` for each limit, kept or not; those that only a finished PDF can tell are
yielded by ``pdf.verify.pdf_facts``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, id_of, suggest
from cvbuild.common.diagnostics import shown as quoted
from cvbuild.inputs.person import settings
from cvbuild.outputs import checks
from cvbuild.outputs.formats import text
from cvbuild.outputs.types import Shown
from cvbuild.selection.selected import sections_of

#: The code of their diagnostics.
CODE = "limits"
#: What the limits of words and characters call a letter, and the texts before all sections.
_LETTER, _SUMMARY = "letter", "summary"
_METRICS = re.compile(
    r"\b(?:h|i10|g)[-‐‑–\s]?ind(?:ex|ices)\b|\bimpact[-\s]factors?\b|\bJIF\b"
    r"|\b\d[\d,.\s]*\+?\s+citations\b|\bcited\s+(?:over\s+)?\d[\d,.]*\+?\s+times\b",
    re.IGNORECASE,
)


class Measure(Struct, frozen=True):
    """One limit and what a document has: ``pages``, ``3 of 4``; ``remedy`` if it isn't kept.

    ``path`` is the text to mend; None where the limit is the place, with the keys of the name.
    """

    name: str
    words: str
    is_kept: bool
    remedy: str = ""
    path: FieldPath | None = None


class Count(Struct, frozen=True):
    """How many words or characters a text has, and may have; ``path`` is its place."""

    name: str
    unit: str
    used: int
    most: int
    path: FieldPath


def contents(shown: Shown) -> Iterator[Measure]:
    """Yield the limits on what the document says."""
    if (limited := shown.limited) is None:
        return
    limits, view = limited[0], shown.view
    for length in counts(shown):
        fact, over = f"{length.name}: {length.used} of {length.most}", length.used - length.most
        remedy = f"make it {over} {length.unit.removesuffix('s' * (over == 1))} shorter"
        yield Measure(length.unit, fact, over <= 0, remedy, length.path)
    if shown.draft:
        return
    texts = dict(_texts(shown))
    # Names in limits of words and characters that no section has.
    names = (name for section in sections_of(shown.profile) for name in section.names)
    known = [*dict.fromkeys((_SUMMARY, _LETTER, *names))]
    for unit, most in (("words", limits.words), ("characters", limits.characters)):
        for name in (name for name in most if name not in known):
            span = shown.source.key_span((*limited[1], unit, name))
            if not settings.is_of_call(span):
                fact, remedy = f"no section is called {quoted(name)}", suggest(name, known, "known")
                yield Measure(unit, fact, is_kept=False, remedy=remedy)
    if limits.publications is not None:
        count = sum(len(part.items) for part in view.sections if part.kind == "publication")
        fits = count <= limits.publications
        remedy = f"write limit: {{publication: {limits.publications}}}; keep: priority chooses them"
        yield Measure("publications", f"{count} of {limits.publications}", fits, remedy)
    if limits.dates:
        form = str(shown.options.get("date-form"))
        remedy = f"write options: {{date-form: {limits.dates}}}"
        yield Measure("dates", form, form == limits.dates, remedy)
    for forbidden in limits.without:
        places = [*_places(shown, forbidden)]
        for what, remedy, path in places:
            yield Measure("without", f"there is {what}", is_kept=False, remedy=remedy, path=path)
        if not places:
            yield Measure("without", forbidden, is_kept=True)
    present = {str(line.kind) for line in view.header.contacts} | texts.keys()
    for name in limits.needs:
        words = f"{name} is there" if name in present else f"{name} is missing"
        remedy = f"add {name} below contact:, or as a section"
        yield Measure("needs", words, name in present, remedy)


def _texts(shown: Shown) -> Iterator[tuple[str, tuple[str, FieldPath]]]:
    """Yield the plain text of each section without its title, and its place, by kind and id."""
    sections = {id_of(section.path): section for section in shown.selected.sections}
    for section in shown.view.sections:
        selected = sections[section.id]
        passage = "\n".join(text.section(section, shown.view.words)[1:]).strip()
        for name in selected.names:
            yield name, (passage, selected.path)


def counts(shown: Shown) -> Iterator[Count]:
    """Yield how long the texts are that a limit is on, of those that the document shows."""
    if (limited := shown.limited) is None:
        return
    limits = limited[0]
    texts = {} if shown.draft else dict(_texts(shown))
    if letter := shown.view.letter:
        # From its opening to its closing words.
        body = [str(text.fields["text"]) for block in letter.body for text in block.texts]
        whole = "\n".join([str(letter.opening), *body, str(letter.closing)])
        texts = {_LETTER: (whole, ("letter",))}
    for unit, most in (("words", limits.words), ("characters", limits.characters)):
        for name in (name for name in most if name in texts):
            passage, path = texts[name]
            used = characters(passage)
            if unit == "words":
                # What is between spaces and has a letter or a digit.
                used = sum(any(map(str.isalnum, word)) for word in passage.split())
            yield Count(name, unit, used, most[name], path)


def characters(passage: str) -> int:
    """Return how many characters a text has, as browsers count them in the field of a form."""
    # These are UTF-16 units: an accent that can be part of its letter is, an emoji counts as two.
    return len(unicodedata.normalize("NFC", passage).encode("utf-16-le")) // 2


def _places(shown: Shown, forbidden: str) -> Iterator[tuple[str, str, FieldPath | None]]:
    view = shown.view
    if forbidden == "metrics":
        for content in checks.contents(view):
            if match := _METRICS.search(str(content)):
                yield quoted(match[0]), "take it out", content.path
    elif forbidden == "photo" and shown.photo is not None:
        yield "a photo", "write options: {photo: false}", None
    elif forbidden == "birth-date" and any(line.kind == forbidden for line in view.header.contacts):
        place = ("contact", forbidden)
        yield "a date of birth", "write it as {value: …, private: true}", place


def report(shown: Shown, more: Iterable[Measure] = ()) -> tuple[Diagnostic, ...]:
    """Return errors for limits that aren't kept, of its contents and ``more``; a note of others."""
    if (limited := shown.limited) is None:
        return ()
    measures, path, source = (*contents(shown), *more), limited[1], shown.source
    faults = []
    for item in measures:
        # The place of a text that must change, else of its limit, or of the call's name.
        span = source.span(item.path or (*path, *item.name.split()))
        if not item.path and settings.is_of_call(span):
            span = source.span((*path[:-1], "call"))
        fault = Diagnostic("error", CODE, f"{item.name}: {item.words}", span, item.remedy)
        faults += [] if item.is_kept else [fault]
    kept = ", ".join(f"{measure.name} {measure.words}" for measure in measures if measure.is_kept)
    span = source.key_span(path[:-1] or path)
    note = Diagnostic("note", CODE, f"limits that are kept: {kept}", span)
    return (*faults, note) if kept else tuple(faults)
