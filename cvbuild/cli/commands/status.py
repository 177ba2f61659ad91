"""``cvbuild status``: the state of documents; ``cvbuild show``: what one shows, and why."""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, compress
from pathlib import Path

from msgspec.structs import asdict

from cvbuild.building import batch, pipeline, status
from cvbuild.building.fresh import Entries
from cvbuild.building.status import FAILED, NEVER, OUT_OF_DATE, UP_TO_DATE, Overview, Status
from cvbuild.cli import console
from cvbuild.cli.main import in_each_language, request_of
from cvbuild.common.diagnostics import Diagnostic, DocumentError, ProfileError, id_of
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import people
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.yaml.tree import Source
from cvbuild.outputs.types import Shown
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
    persons, out, overview = people.find(given.people), Path(given.out), Overview()
    for asked in in_each_language(given):
        request = batch.settled(asked)
        batch.require_variants(persons, request)
        status.states(Entries(request), persons, overview)
    # One without a language of its own is found in each.
    listed = {item.path or item: item for item in overview.documents}.values()
    documents = sorted(listed, key=lambda item: (item.person, item.name, item.format))
    diagnostics = [*dict.fromkeys(overview.diagnostics)]
    chosen = (given.template, given.variant, given.format, given.locale, given.private)
    is_part = any(chosen) or given.all_templates
    others = [*status.unlisted(out, persons, overview, is_whole=not given.people)]
    others = [] if is_part else others
    if given.tidy:
        # Of these only what a build made is deleted.
        deleted = [str(path) for path in status.tidied(others, out / BUILD)]
        nothing = "nothing to delete: all documents that were built are listed"
        if given.json:
            console.print_json({"deleted": deleted})
        else:
            console.answer("\n".join(f"deleted {path}" for path in deleted) or nothing)
        return 0
    states = Counter(item.state for item in documents)
    counts = {state: states[state] for state in (UP_TO_DATE, OUT_OF_DATE, FAILED, NEVER)}
    if given.json:
        answer = {
            "documents": [_as_json(item) for item in documents],
            "unlisted": [str(path) for path in others],
            "diagnostics": diagnostics,
            "summary": {state.replace(" ", "_"): count for state, count in counts.items()},
        }
        console.print_json(answer)
    elif given.csv and not given.why:
        _print_csv(documents)
    elif given.why:
        for item in [item for item in documents if item.path is not None]:
            note = f": {item.note}" if item.note else ""
            why = "; ".join(words for _, words in item.reasons) or f"up to date{note}"
            console.answer(f"{'✗' if item.reasons else '✓'} {item.path}  {why}")
        console.show(diagnostics)
    else:
        words = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
        # The reason of each state has no heading; columns that are empty are left out.
        rows = [(*_HEAD, ""), *map(_cells, documents)]
        needed = [at < _NEEDED or any(row[at] for row in rows[1:]) for at in range(len(rows[0]))]
        table = console.aligned([[*compress(row, needed)] for row in rows]) if documents else []
        console.answer("\n".join([*table, words or "there are no documents"]))
        if others:
            console.answer(f"also there, and not listed: {_names(others)}; {_TIDY}")
        older = chain(*(status.older(out / person.name, person) for person in persons))
        if old := [path for path in older if path in others]:
            console.answer(f"older than the person's file: {_names(old)}; {_TIDY}")
    return overview.exit_code


def _names(paths: Iterable[Path]) -> str:
    """Return the names of documents, the most frequent first, and how many have each."""
    counts = Counter(" ".join(path.name.split()) for path in paths).most_common()
    return console.some([f"{count} {name}" if count > 1 else name for name, count in counts])


def _print_csv(documents: Iterable[Status]) -> None:
    """Print the table for spreadsheets, with the path and the reason of each state."""
    rows = list[tuple[str, ...]]([(*_HEAD, "PATH", "REASON")])
    for document in documents:
        *cells, reason = _cells(document)
        rows.append((*cells, str(document.path or ""), reason))
    for row in rows:
        stream = io.StringIO()
        # No cell is a formula: a spreadsheet takes one that begins with ' as a text.
        texts = [f"'{cell}" if cell[:1] in _FORMULA else cell for cell in row]
        csv.writer(stream, lineterminator="").writerow(texts)
        console.answer(stream.getvalue())


def _cells(document: Status) -> tuple[str, ...]:
    """Return the row of a document, and the reason of its state."""
    built, reason = time.localtime(document.built or 0), document.note or ""
    if document.error is not None:
        reason = str(document.error)
    elif document.state == OUT_OF_DATE:
        reason = "; ".join(words for _, words in document.reasons)
    return (
        " ".join(document.person.split()),
        # academic.de, academic.private
        document.path.stem if document.path else document.name,
        document.format,
        document.state,
        str(document.pages or ""),
        time.strftime("%Y-%m-%d %H:%M", built) if document.built is not None else "",
        " ".join(reason.split()),
    )


def _as_json(document: Status) -> dict[str, object]:
    built = document.built and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(document.built))
    path = document.path and str(document.path)
    known = {"template": document.template or None, "format": document.format or None}
    reasons = [{"code": code, "message": words} for code, words in document.reasons]
    return {**asdict(document), **known, "path": path, "built": built, "reasons": reasons}


# -- show ------------------------------------------------------------------------------------------


def show(given: argparse.Namespace) -> int:
    """List on stdout; return 1 if the person's file is wrong, or a variant selects nothing."""
    persons, request = people.find([given.person]), batch.settled(request_of(given))
    request = request._replace(everybody=False)
    batch.require_variants(persons, request)
    faults, documents = list[Diagnostic](), list[str]()
    read = [(person, None) for person in persons]
    for task in batch.read(read, request):
        if isinstance(task, PersonFile):
            faults += task.diagnostics
            continue
        try:
            shown = pipeline.choose(task)
            documents.append("\n".join(_lines(shown)))
            select.require(shown.selected, task.source)
        except (ProfileError, DocumentError) as error:
            faults.extend(error.diagnostics)
    if documents:
        console.answer("\n\n".join(documents))
    console.show(faults)
    return int(any(item.severity == "error" for item in faults))


def _lines(shown: Shown) -> Iterator[str]:
    """Yield what a document shows, and what it doesn't; of what is private no words."""
    source, style = shown.source, shown.style
    suffix = f", a variant of {style}" if shown.shown_variant else ""
    name = shown.shown_variant or style
    yield f"{shown.person.name} {name}{suffix} ({shown.profile.locale})"
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
        yield f"{style} is one page: what doesn't fit is left out, as the build says."


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
    return not part.shown or any(map(_is_incomplete, part.parts))
