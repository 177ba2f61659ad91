"""``cvbuild status``: the state of documents; ``cvbuild show``: what one shows, and why."""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.building import Request, batch, pipeline, status
from cvbuild.building.fresh import Entries
from cvbuild.building.requested import checked_request, require_variants, settings_of
from cvbuild.building.status import FAILED, NEVER, OUT_OF_DATE, UP_TO_DATE, Overview, Reason, Status
from cvbuild.cli import console, terminal
from cvbuild.cli.main import epoch, in_each_language, request_of
from cvbuild.common.diagnostics import Diagnostic, Span, id_of
from cvbuild.common.errors import DocumentError, ProfileError
from cvbuild.inputs import people, workspace
from cvbuild.inputs.people import WORKSPACE, DefaultFolder, Person
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.types import BUILD, Shown
from cvbuild.selection import select
from cvbuild.selection.inventory import Part, inventory
from cvbuild.selection.selected import Out

#: The columns of the table; the last of them only where a document has something there.
_HEAD = ("PERSON", "DOCUMENT", "FORMAT", "STATE", "PAGES", "BUILT", "SIZE")
_NEEDED = 4
#: Names of documents that are there besides those listed.
_NAMES = 6
#: What begins a formula of spreadsheets.
_FORMULA = tuple("=+-@\t\r")
_TIDY = "cvbuild status --tidy deletes what was built of them"


def run(given: argparse.Namespace) -> int:
    """Print the table, or with --why the reasons; return 1 or 3 if a file is wrong, or no TeX."""
    if given.why:
        return _why(given)
    found = _find(given)
    persons = _folders(people.find(given.people), given.out)
    folders = {person.name: out for person, out in persons.items()}
    chosen = (given.template, given.variant, given.format, given.locale, given.private)
    is_part = any(chosen) or given.all_templates
    others = [] if is_part else [*_of_nobody(given, folders), *status.unlisted(folders, found)]
    if given.tidy:
        return _tidy(given, others)
    if given.json:
        console.print_json(
            {
                "documents": [_as_json(one) for one in found.documents],
                "unlisted": [str(path) for path in others],
                "diagnostics": found.diagnostics,
                "summary": {state.replace(" ", "_"): n for state, n in _counts(found.documents)},
            }
        )
        return found.exit_code
    if given.csv:
        for line in _csv(found.documents):
            console.answer(line)
        return found.exit_code
    for line in _table(found.documents) if found.documents else ():
        console.answer(line)
    words = ", ".join(f"{count} {state}" for state, count in _counts(found.documents) if count)
    console.answer(words or "there are no documents")
    if others:
        console.answer(f"also there, and not listed: {_names(others)}; {_TIDY}")
    old = [path for one, out in persons.items() for path in status.older(out / one.name, one)]
    if old := [path for path in old if path in others]:
        console.answer(f"older than the person's file: {_names(old)}; {_TIDY}")
    return found.exit_code


def _folders(persons: Iterable[Person], out: str) -> dict[Person, Path]:
    """Return for each person the folder with the folders of people.

    It is ``out``, unless nobody named that and cvbuild.yaml has another for the person's group.
    """
    shared = workspace.load(Path(WORKSPACE)) if isinstance(out, DefaultFolder) else None
    return {one: Path((shared and shared.out(one.name)) or out) for one in persons}


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
    names = [f"{count} {name}" if count > 1 else name for name, count in counts]
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def _of_nobody(given: argparse.Namespace, folders: Mapping[str, Path]) -> Iterator[Path]:
    """Yield the folders of people who are gone, if everybody is asked for."""
    # The folders of groups count where no other is named.
    shared = workspace.load(Path(WORKSPACE)) if isinstance(given.out, DefaultFolder) else None
    groups = shared.data.groups.values() if shared and shared.data else ()
    # While the workspace's file has errors, nobody knows the folders of groups.
    if not given.people and not (shared and not shared.data):
        others = [Path(group.out) for group in groups if group.out]
        yield from status.left_by_people(Path(given.out), others, folders, people.RESERVED)


def _counts(documents: Sequence[Status]) -> list[tuple[str, int]]:
    states = [one.state for one in documents]
    return [(state, states.count(state)) for state in (UP_TO_DATE, OUT_OF_DATE, FAILED, NEVER)]


def _table(documents: Sequence[Status]) -> list[str]:
    """Return the lines of the table; the reason of each state has no heading."""
    rows = [(*_cells(one), _reason(one)) for one in documents]
    used = [at for at in range(len(_HEAD) + 1) if at < _NEEDED or any(row[at] for row in rows)]
    return terminal.aligned([[row[at] for at in used] for row in ((*_HEAD, ""), *rows)])


def _csv(documents: Iterable[Status]) -> Iterator[str]:
    """Yield the lines of the table for spreadsheets, with the path and the reason of each state."""
    for cells in (
        (*_HEAD, "PATH", "REASON"),
        *((*_cells(one), str(one.path or ""), _reason(one)) for one in documents),
    ):
        stream = io.StringIO()
        # No cell is a formula: a spreadsheet takes one that begins with ' as a text.
        texts = [f"'{cell}" if cell[:1] in _FORMULA else cell for cell in cells]
        csv.writer(stream, lineterminator="").writerow(texts)
        yield stream.getvalue()


def _cells(one: Status) -> tuple[str, ...]:
    built = "" if one.built is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(one.built))
    return (
        _plain(one.person),
        # academic.de, academic.private
        one.path.stem if one.path else one.name,
        one.format,
        one.state,
        str(one.pages or ""),
        built,
        "" if one.size is None else terminal.size_in_words(one.size),
    )


def _reason(one: Status) -> str:
    if one.error is not None:
        return _plain(str(one.error))
    if one.state == OUT_OF_DATE:
        return _plain(_in_words(one.reasons))
    return one.note or ""


def _plain(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())


def _as_json(one: Status) -> dict[str, object]:
    built = one.built and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.built))
    return {
        "person": one.person,
        "template": one.template or None,
        "variant": one.variant,
        "format": one.format or None,
        "path": one.path and str(one.path),
        "state": one.state,
        "reasons": one.reasons,
        "error": one.error,
        "note": one.note,
        "pages": one.pages,
        "built": built,
        "size": one.size,
    }


def _why(given: argparse.Namespace) -> int:
    """Print for each document whether it is up to date, and if not, why.

    Return 1 or 3 if that is unknown for one: the person's file is wrong, or there is no TeX.
    """
    found = _find(given)
    known = [one for one in found.documents if one.path is not None]
    if given.json:
        documents = [_as_json(one) for one in known]
        console.print_json({"documents": documents, "diagnostics": found.diagnostics})
        return found.exit_code
    for one in known:
        console.answer(_line(one))
    console.show(found.diagnostics)
    return found.exit_code


def _find(given: argparse.Namespace) -> Overview:
    """Return the state of the documents in each language; raises UsageError for unknown ones."""
    found = Overview()
    for own in in_each_language(given):
        request = request_of(own)
        settings = settings_of(request)
        requested = checked_request(request, settings.library, own.people)
        persons = people.find(own.people)
        require_variants(persons, requested)
        found.add(status.find(Entries(request), persons, requested, settings))
    return found


def _line(one: Status) -> str:
    if not one.reasons:
        why_not = f": {one.note}" if one.note else ""
        return f"✓ {one.path}  up to date{why_not}"
    return f"✗ {one.path}  {_in_words(one.reasons)}"


def _in_words(reasons: tuple[Reason, ...]) -> str:
    """Return reasons as a line, with their places."""
    return "; ".join(
        reason.message + (f" ({reason.span.in_short})" if reason.span else "") for reason in reasons
    )


# -- show ------------------------------------------------------------------------------------------


def show(given: argparse.Namespace) -> int:
    """List on stdout; return 1 if the person's file is wrong, or a variant selects nothing."""
    persons = people.find([given.person])
    request = Request(
        "out",
        templates=(given.template,) if given.template else (),
        variants=(given.variant,) if given.variant else (),
        template_path=tuple(given.template_path),
        locale=given.locale,
        epoch=epoch(),
        private=given.private,
        sets=tuple(given.set),
        one_folder=True,
    )
    settings = settings_of(request)
    requested = checked_request(request, settings.library)
    require_variants(persons, requested)
    faults: list[Diagnostic] = []

    def on_checked(checked: PersonFile) -> None:
        faults.extend(checked.diagnostics)

    documents: list[_Listed] = []
    for task in batch.read([(person, None) for person in persons], requested, settings, on_checked):
        try:
            library, day = settings.library, settings.counted_from
            shown = pipeline.choose(task, library, settings.locale, day)
            documents.append(_Listed(shown))
            select.require(shown.selected, task.source)
        except (ProfileError, DocumentError) as error:
            faults += error.diagnostics
    if given.json:
        console.print_json({"documents": documents, "diagnostics": faults})
    else:
        for number, document in enumerate(documents):
            console.answer("\n".join([*([""] if number else []), *document.lines()]))
        console.show(faults)
    return 1 if any(item.severity == "error" for item in faults) else 0


class _Listed(Struct, frozen=True):
    """A document with all parts of the person's file."""

    shown: Shown

    def lines(self) -> Iterator[str]:
        """Yield the lines of the list."""
        task = self.shown.task
        suffix = f", a variant of {task.template}" if task.shown_variant else ""
        yield f"{task.person.name} {task.name}{suffix} ({task.profile.locale})"
        for section in inventory(self.shown.selected):
            yield ""
            yield from _section(section, task.source)
        if task.source.private:
            yield ""
            yield "Private, and in no public document"
            for secret in task.source.private:
                yield f"  ✗ {secret.span.in_short}  {id_of(secret.path)}"
        if self._is_one_page:
            yield ""
            yield f"{task.template} is one page: what doesn't fit is left out, as the build says."

    @property
    def _is_one_page(self) -> bool:
        return bool(self.shown.template.manifest.tex.density)

    def as_json(self) -> dict[str, Any]:
        """Return the same for scripts, what is private without its words."""
        task = self.shown.task
        parts = inventory(self.shown.selected)
        private = task.source.private
        return {
            "person": task.person.name,
            "variant": task.shown_variant,
            "template": task.template,
            "locale": task.profile.locale,
            "one_page": self._is_one_page,
            "sections": [_part_json(part, task.source) for part in parts],
            "private": [{"path": id_of(one.path), **_where(one.span)} for one in private],
        }


def _section(section: Part, source: Source) -> Iterator[str]:
    items = section.items
    shown = sum(item.shown for item in items)
    number = "" if shown == len(items) else f": {shown} of {len(items)}"
    place = source.span(section.path).in_short
    yield f"{_mark(section)} {place}  {section.words}{number}{_reason_out(section.out, source)}"
    if section.out is None:
        for part in section.parts:
            yield from _part(part, source, "  ")


def _part(part: Part, source: Source, indent: str) -> Iterator[str]:
    """Yield the line of a part, and of what the document leaves out inside it."""
    place = source.span(part.path).in_short
    if part.level == "group":
        yield f"{indent}{part.words}"
    else:
        yield f"{indent}{_mark(part)} {place}  {part.words}{_reason_out(part.out, source)}"
    for inner in part.parts if part.out is None else ():
        if part.level == "group" or _is_incomplete(inner):
            yield from _part(inner, source, f"{indent}  ")


def _is_incomplete(part: Part) -> bool:
    """Return whether the part, or something in it, is left out."""
    return not part.shown or any(map(_is_incomplete, part.parts))


def _mark(part: Part) -> str:
    return "✓" if part.shown else "✗"


def _reason_out(out: Out | None, source: Source) -> str:
    return f" — {out.located(source)}" if out else ""


def _part_json(part: Part, source: Source) -> dict[str, Any]:
    why = None
    if part.out is not None:
        place = _where(source.key_span(part.out.rule)) if part.out.rule else _NOWHERE
        why = {"reason": part.out.reason, "message": part.out.words, **place}
    return {
        "path": id_of(part.path),
        "level": part.level,
        "words": part.words,
        "shown": part.shown,
        "why": why,
        **_where(source.span(part.path)),
        "parts": [_part_json(inner, source) for inner in part.parts],
    }


_NOWHERE = {"file": None, "line": None}


def _where(span: Span) -> dict[str, object]:
    return {"file": span.file, "line": span.line or None}
