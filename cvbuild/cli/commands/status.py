"""``cvbuild status``: the state of documents; ``cvbuild show``: what one shows, and why."""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from msgspec.structs import asdict

from cvbuild.building import batch, pipeline, status
from cvbuild.building.fresh import Entries
from cvbuild.building.requested import require_variants, settled
from cvbuild.building.status import FAILED, NEVER, OUT_OF_DATE, UP_TO_DATE, Overview, Reason, Status
from cvbuild.cli import console
from cvbuild.cli.main import in_each_language, request_of
from cvbuild.common.diagnostics import Diagnostic, id_of
from cvbuild.common.errors import DocumentError, ProfileError
from cvbuild.inputs import people
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.types import BUILD, Shown
from cvbuild.selection import select
from cvbuild.selection.selected import Part, inventory

#: The columns of the table; the last of them only where a document has something there.
_HEAD = ("PERSON", "DOCUMENT", "FORMAT", "STATE", "PAGES", "BUILT")
_NEEDED = 4
#: What begins a formula of spreadsheets.
_FORMULA = tuple("=+-@\t\r")
_TIDY = "cvbuild status --tidy deletes what was built of them"


def run(given: argparse.Namespace) -> int:
    """Print the table, or with --why the reasons; return 1 or 3 if a file is wrong, or no TeX."""
    overview = _find(given)
    persons, out = people.find(given.people), Path(given.out)
    chosen = (given.template, given.variant, given.format, given.locale, given.private)
    is_part = any(chosen) or given.all_templates
    gone = () if given.people else status.left_by_people(out, (one.name for one in persons))
    others = [*gone, *status.unlisted(out, persons, overview)]
    others = [] if is_part else others
    if given.tidy:
        return _tidy(given, others)
    if given.json:
        console.print_json(
            {
                "documents": [_as_json(item) for item in overview.documents],
                "unlisted": [str(path) for path in others],
                "diagnostics": overview.diagnostics,
                "summary": {state.replace(" ", "_"): n for state, n in _counts(overview.documents)},
            }
        )
        return overview.exit_code
    if given.why:
        for document in overview.documents:
            if document.path is not None:
                console.answer(_line(document))
        console.show(overview.diagnostics)
        return overview.exit_code
    if given.csv:
        for line in _csv(overview.documents):
            console.answer(line)
        return overview.exit_code
    for line in _table(overview.documents) if overview.documents else ():
        console.answer(line)
    words = ", ".join(f"{count} {state}" for state, count in _counts(overview.documents) if count)
    console.answer(words or "there are no documents")
    if others:
        console.answer(f"also there, and not listed: {_names(others)}; {_TIDY}")
    older = chain(*(status.older(out / person.name, person) for person in persons))
    if old := [path for path in older if path in others]:
        console.answer(f"older than the person's file: {_names(old)}; {_TIDY}")
    return overview.exit_code


def _tidy(given: argparse.Namespace, paths: Iterable[Path]) -> int:
    """Delete the documents among these that a build made; return 0."""
    deleted = [*status.tidied(paths, Path(given.out, BUILD))]
    if given.json:
        console.print_json({"deleted": [str(path) for path in deleted]})
        return 0
    for path in deleted:
        console.answer(f"deleted {path}")
    if not deleted:
        console.answer("nothing to delete: all documents that were built are listed")
    return 0


def _names(paths: Iterable[Path]) -> str:
    """Return the names of documents, the most frequent first, and how many have each."""
    counts = Counter(_plain(path.name) for path in paths).most_common()
    return console.some([f"{count} {name}" if count > 1 else name for name, count in counts])


def _counts(documents: Sequence[Status]) -> list[tuple[str, int]]:
    states = [item.state for item in documents]
    return [(state, states.count(state)) for state in (UP_TO_DATE, OUT_OF_DATE, FAILED, NEVER)]


def _table(documents: Sequence[Status]) -> list[str]:
    """Return the lines of the table; the reason of each state has no heading."""
    rows = [(*_cells(item), _reason(item)) for item in documents]
    used = [at for at in range(len(_HEAD) + 1) if at < _NEEDED or any(row[at] for row in rows)]
    return console.aligned([[row[at] for at in used] for row in ((*_HEAD, ""), *rows)])


def _csv(documents: Iterable[Status]) -> Iterator[str]:
    """Yield the lines of the table for spreadsheets, with the path and the reason of each state."""
    for cells in (
        (*_HEAD, "PATH", "REASON"),
        *((*_cells(item), str(item.path or ""), _reason(item)) for item in documents),
    ):
        stream = io.StringIO()
        # No cell is a formula: a spreadsheet takes one that begins with ' as a text.
        texts = [f"'{cell}" if cell[:1] in _FORMULA else cell for cell in cells]
        csv.writer(stream, lineterminator="").writerow(texts)
        yield stream.getvalue()


def _cells(document: Status) -> tuple[str, ...]:
    built = time.localtime(document.built or 0)
    return (
        _plain(document.person),
        # academic.de, academic.private
        document.path.stem if document.path else document.name,
        document.format,
        document.state,
        str(document.pages or ""),
        time.strftime("%Y-%m-%d %H:%M", built) if document.built is not None else "",
    )


def _reason(document: Status) -> str:
    if document.error is not None:
        return _plain(str(document.error))
    if document.state == OUT_OF_DATE:
        return _plain(_in_words(document.reasons))
    return document.note or ""


def _plain(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())


def _as_json(document: Status) -> dict[str, object]:
    built = document.built and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(document.built))
    path = document.path and str(document.path)
    known = {"template": document.template or None, "format": document.format or None}
    return {**asdict(document), **known, "path": path, "built": built}


def _find(given: argparse.Namespace) -> Overview:
    """Return the state of the documents in each language; raises UsageError for unknown ones."""
    overview = Overview()
    for own in in_each_language(given):
        request, settings = settled(request_of(own))
        persons = people.find(own.people)
        require_variants(persons, request)
        overview.add(status.find(Entries(request), persons, settings))
    return overview


def _line(document: Status) -> str:
    if not document.reasons:
        why_not = f": {document.note}" if document.note else ""
        return f"✓ {document.path}  up to date{why_not}"
    return f"✗ {document.path}  {_in_words(document.reasons)}"


def _in_words(reasons: tuple[Reason, ...]) -> str:
    """Return reasons as a line."""
    return "; ".join(reason.message for reason in reasons)


# -- show ------------------------------------------------------------------------------------------


def show(given: argparse.Namespace) -> int:
    """List on stdout; return 1 if the person's file is wrong, or a variant selects nothing."""
    given.people = [given.person]
    persons = people.find(given.people)
    request, settings = settled(request_of(given))
    require_variants(persons, request)
    faults: list[Diagnostic] = []

    def on_checked(checked: PersonFile) -> None:
        faults.extend(checked.diagnostics)

    documents = list[list[str]]()
    for task in batch.read([(person, None) for person in persons], request, settings, on_checked):
        try:
            library, day = settings.library, settings.counted_from
            shown = pipeline.choose(task, library, settings.locale, day)
            documents.append([*_lines(shown)])
            select.require(shown.selected, task.source)
        except (ProfileError, DocumentError) as error:
            faults += error.diagnostics
    if documents:
        console.answer("\n\n".join("\n".join(lines) for lines in documents))
    console.show(faults)
    return 1 if any(item.severity == "error" for item in faults) else 0


def _lines(shown: Shown) -> Iterator[str]:
    """Yield what a document shows, and what it doesn't; of what is private no words."""
    task, source, template = shown.task, shown.task.source, shown.task.template
    suffix = f", a variant of {template}" if task.shown_variant else ""
    name = task.shown_variant or template
    yield f"{task.person.name} {name}{suffix} ({task.profile.locale})"
    for section in inventory(shown.selected):
        yield ""
        yield from _part_lines(section, source, "")
    if source.private:
        yield ""
        yield "Private, and in no public document"
        for secret in source.private:
            yield f"  ✗ {secret.span.in_short if secret.span else None}  {id_of(secret.path)}"
    if shown.template.manifest.tex.density:
        yield ""
        yield f"{template} is one page: what doesn't fit is left out, as the build says."


def _part_lines(part: Part, source: Source, indent: str) -> Iterator[str]:
    """Yield the line of a part, and of what the document leaves out inside it."""
    level, words, out = part.level, part.words, part.out
    if level == "section":
        groups = [inner.parts if inner.level == "group" else [inner] for inner in part.parts]
        items = [item.shown for group in groups for item in group]
        words += "" if all(items) else f": {sum(items)} of {len(items)}"
    if out:
        words += f" — {out.words}"
        words += f" ({source.key_span(out.rule).in_short})" if out.rule else ""
    mark = "✓" if part.shown else "✗"
    place = source.span(part.path).in_short
    yield indent + (words if level == "group" else f"{mark} {place}  {words}")
    for inner in () if out else part.parts:
        if level in ("section", "group") or _is_incomplete(inner):
            yield from _part_lines(inner, source, f"{indent}  ")


def _is_incomplete(part: Part) -> bool:
    """Return whether the part, or something in it, is left out."""
    return not part.shown or any(map(_is_incomplete, part.parts))
