"""The state of documents: up to date or why not, failed, never built; and what else is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from cvbuild.building import batch, pipeline
from cvbuild.building.fresh import Entries
from cvbuild.building.pipeline import Record
from cvbuild.common.diagnostics import CvbuildError, Diagnostic
from cvbuild.common.files import file_state, safe_folders
from cvbuild.inputs import people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.outputs import registry
from cvbuild.outputs.request import document_key, record_name
from cvbuild.outputs.types import Shown, find_output

if TYPE_CHECKING:
    from cvbuild.building.fresh import Pending

UP_TO_DATE, OUT_OF_DATE, FAILED, NEVER = "up to date", "out of date", "failed", "never built"


#: A reason to rebuild a document: a code, and the reason in words.
Reason = tuple[str, str]
#: The reason to build a document of which nothing is stored.
_NEVER = ("never", "never built")


class Status(Struct, frozen=True):
    """The state of a document; without ``name`` it is of a person's file that is wrong.

    ``error`` says why it failed; ``built`` is when it was built last, in seconds since 1970.
    """

    person: str
    state: str
    name: str = ""
    template: str = ""
    variant: str | None = None
    format: str = ""
    path: Path | None = None
    reasons: tuple[Reason, ...] = ()
    error: Diagnostic | None = None
    note: str | None = None
    pages: int | None = None
    built: float | None = None


class Overview(Struct):
    """Documents, diagnostics of files and templates, people's variants, exit code of a build."""

    documents: list[Status] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exit_code: int = 0


def states(entries: Entries, persons: Sequence[Person], status: Overview) -> None:
    """Add the state of all requested documents, in one language; builds nothing."""
    pending, current = entries.check(persons)
    for person, documents, _ in current:
        known = (entries.person(person) or {"documents": {}})["documents"]
        for document, _ in documents:
            name = str(document["variant"] or document["template"])
            record = known.get(document_key(name, document["format"]), {}).get("record", "")
            same = (name, document["template"], document["variant"], document["format"])
            path, pages, stamp = Path(document["path"]), document["pages"], file_state.of(record)
            built = stamp and stamp[0] / 1e9
            status.documents.append(
                Status(person.name, UP_TO_DATE, *same, path, pages=pages, built=built)
            )
    for person in persons:
        if entry := entries.person(person):
            status.variants[person.name] = tuple(entry["variants"])
    unknown: Pending = {}
    request = entries.request
    is_special = bool(request.locale or request.private or request.sets)
    known_templates = {*request.library.names()} if pending else set()
    for person, wanted in pending.items():
        entry, keep = entries.person(person), request.hidden / person.name
        templates = known_templates.difference(entry["variants"] if entry else ())
        # If nothing is stored of any, and none has a variant or failed, the file isn't read.
        if (
            not wanted
            or entry is None
            or entry["failed"]
            or is_special
            or any(
                name not in templates or (keep / name / record_name(output)).exists()
                for name, output in wanted
            )
        ):
            unknown[person] = wanted
            continue
        status.diagnostics += map(Diagnostic.from_json, entry["said"])
        for name, output in wanted:
            path = request.out / person.name / f"{name}{find_output(output).suffix}"
            never = Status(person.name, NEVER, name, name, None, output, path, reasons=(_NEVER,))
            status.documents.append(never)
    _find_exactly(entries, unknown, status)


def _find_exactly(entries: Entries, pending: Pending, overview: Overview) -> None:
    """Add the states of documents that the quick check leaves open; their files are read."""
    request = entries.request

    for task in batch.read(pending.items(), request):
        if isinstance(task, PersonFile):
            overview.diagnostics.extend(task.diagnostics)
            name = task.person.name
            if task.profile is None:
                overview.exit_code = max(overview.exit_code, 1)
                overview.variants.pop(name, None)
                error = next(iter(task.errors), None)
                overview.documents.append(Status(name, FAILED, error=error))
            else:
                overview.variants[name] = tuple(task.profile.variants)
            continue
        entry = entries.person(task.person) or {"failed": {}, "file": None}
        failure = entry["failed"].get(document_key(task.name, task.format))
        same = (task.name, task.style, task.shown_variant, task.format)
        stored, file, record, note = task.record, str(task.person.path), None, None
        reasons: tuple[Reason, ...] = (_NEVER,)
        try:
            if stored.exists():
                reasons = tuple(_reasons(pipeline.prepare(task)))
                record = Record.read(stored, request.cache)
            else:
                # Nothing is stored to compare it with: what it would be made from needn't be made.
                pipeline.shown(task)
        except CvbuildError as error:
            overview.diagnostics.extend(error.diagnostics)
            overview.exit_code = max(overview.exit_code, error.exit_code)
            first = error.diagnostics[0]
            overview.documents.append(Status(task.person.name, FAILED, *same, error=first))
            continue
        state = OUT_OF_DATE
        if not reasons:
            state, failure = UP_TO_DATE, None
            if entry["file"] and entry["file"][0] != file_state.identity(file):
                note = f"{file} changed, but nothing that this document shows"
        elif failure:
            state = FAILED
        elif reasons == (_NEVER,):
            state = NEVER
        fault = Diagnostic.from_json(failure) if failure else None
        pages, built = (record.pages, stored.stat().st_mtime) if record else (None, None)
        overview.documents.append(
            Status(task.person.name, state, *same, task.path, reasons, fault, note, pages, built)
        )


def unlisted(
    out: Path, persons: Sequence[Person], overview: Overview, *, is_whole: bool
) -> Iterator[Path]:
    """Yield what is in people's folders and isn't listed; if ``is_whole``, first of nobody's."""
    names = {*(person.name for person in persons), *people.RESERVED}
    for path in _entries(out) if is_whole else ():
        if path.name not in names and path.is_dir():
            yield path
    listed = {document.path for document in overview.documents}
    for person in persons:
        if person.name in overview.variants:
            yield from (path for path in _entries(out / person.name) if path not in listed)


def older(folder: Path, person: Person) -> Iterator[Path]:
    """Yield the documents in a folder that are older than what is written of their person."""
    sources = (person.path, people.overlay(person.path), Path(WORKSPACE))
    written = max(stamp[0] for source in sources if (stamp := file_state.of(source)))
    for path in _entries(folder):
        stamp = file_state.of(path)
        if stamp and stamp[0] < written:
            yield path


def was_built(path: Path, hidden: Path) -> bool:
    """Return whether a document in a person's folder has a record of its build in ``hidden``."""
    for name in registry.MODULES:
        document = path.name.removesuffix(find_output(name).suffix)
        record = hidden / path.parent.name / document / record_name(name)
        if document != path.name and record.is_file():
            return True
    return False


def tidied(paths: Iterable[Path], hidden: Path) -> Iterator[Path]:
    """Delete what a build made, also of people who are gone, and yield it; raises CvbuildError."""
    for path in paths:
        is_folder_of_person = path.is_dir() and not was_built(path, hidden)
        for document in _entries(path) if is_folder_of_person else [path]:
            if was_built(document, hidden):
                safe_folders.remove(safe_folders.real(document.parent) / document.name)
                yield document
        with suppress(OSError):
            path.rmdir()


def _entries(folder: Path) -> list[Path]:
    """Return the visible entries of a folder, in order; none if it can't be read."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


# -- why a document would be rebuilt: the parts of its key that changed, in words ------------------


_CONTENT = "what it shows changed, or how"
#: Messages for parts of a key whose name and value don't say enough.
_PARTS = {
    "text": _CONTENT,
    "content": _CONTENT,
    "photo": "the photo changed",
    "logo": "the logo changed",
    "signature": "the signature changed",
    "attachment": "the data that the PDF carries changed",
    "priorities": "what goes first from a full page changed",
    "tree": "TeX's files changed: another version of it, or of a package, was installed",
    "fonts": "a font changed",
}
#: What parts are called whose values are words.
_VALUES = {
    "version": "cvbuild",
    "engine": "the engine",
    "epoch": "SOURCE_DATE_EPOCH",
    "updated": "`updated`",
}
#: Another engine has other files; it, or a change of the template, makes another text.
_IMPLIED = {"engine": ("tree", "text"), "template": ("text",), "text": ("about", "priorities")}


def _reasons(document: Shown) -> list[Reason]:
    """Return the reasons to build a document; without any it is up to date."""
    record = Record.read(document.record, document.request.cache)
    if record is None:
        exists = document.record.exists()
        return [("record", "the record of its last build can't be read") if exists else _NEVER]
    reasons: list[Reason] = []
    if record.key != document.key:
        old, parts = record.parts, document.parts
        for name in [name for name in {**old, **parts} if old and old.get(name) != parts.get(name)]:
            code, message = name, _PARTS.get(name, f"{name} changed")
            if name.startswith("file "):
                is_there = name in parts
                how = "changed" if is_there and name in old else "is new" if is_there else "is gone"
                code, message = "template", f"the template's {name.removeprefix('file ')} {how}"
            elif name in _VALUES:
                values = (part.get(name, "None") for part in (old, parts))
                was, now = ("not set" if value == "None" else value for value in values)
                message = f"{_VALUES[name]} was {was} and is {now}"
            reasons.append((code, message))
        codes = {code for code, _ in reasons}
        explained = set[str]().union(*(_IMPLIED.get(code, ()) for code in codes))
        reasons = [reason for reason in reasons if reason[0] not in explained]
        reasons = reasons or [("version", "it was built by another version of cvbuild")]
    if record.verified is None:
        reasons.append(("verify", "it was never compared with the profile"))
    if not document.path.exists():
        reasons.append(("file-gone", "the file is gone"))
    elif safe_folders.hash_at(document.path) != record.file_hash:
        kind = "folder" if document.path.is_dir() else "file"
        reasons.append(("file-changed", f"the {kind} is not the one that was built"))
    return reasons
