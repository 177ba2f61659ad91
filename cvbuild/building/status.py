"""The state of documents: up to date or why not, failed, never built; and what else is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from cvbuild.building import batch, outcome, pipeline
from cvbuild.building.fresh import Entries
from cvbuild.building.outcome import key_of
from cvbuild.common import file_state, safe_folders
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.outputs import registry
from cvbuild.outputs.request import document_key, record_name
from cvbuild.outputs.types import Shown, find_output

if TYPE_CHECKING:
    from cvbuild.building.fresh import Documents, Pending
    from cvbuild.inputs.person_file import PersonFile

UP_TO_DATE, OUT_OF_DATE, FAILED, NEVER = "up to date", "out of date", "failed", "never built"


class Reason(Struct, frozen=True):
    """One reason to rebuild a document."""

    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        return {"code": self.code, "message": self.message}


#: The reason to build a document of which nothing is stored.
_NEVER = Reason("never", "never built")


class Status(Struct, frozen=True):
    """The state of a document; without ``name`` it is of a person's file that is wrong.

    ``path`` is None if it isn't known, ``error`` why it failed; ``built`` is when it was built last
    (seconds since 1970).
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
    """What was found: documents, the diagnostics of files and templates, the exit code of a build.

    ``variants`` are those of each person whose file could be read.
    """

    documents: list[Status] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exit_code: int = 0

    def add(self, other: Overview) -> None:
        """Add what was found in another language."""
        self.documents = sorted(
            {item.path or item: item for item in (*self.documents, *other.documents)}.values(),
            key=lambda item: (item.person, item.name, item.format),
        )
        self.diagnostics += [item for item in other.diagnostics if item not in self.diagnostics]
        self.variants |= other.variants
        self.exit_code = max(self.exit_code, other.exit_code)


def find(entries: Entries, persons: Sequence[Person]) -> Overview:
    """Return the state of all requested documents, by person and name; builds nothing."""
    status, (pending, current) = Overview(), entries.check(persons)
    for person, documents, _ in current:
        known = (entries.person(person) or {"documents": {}})["documents"]
        for document, _ in documents:
            name = str(document["variant"] or document["template"])
            record = known.get(document_key(name, document["format"]), {}).get("record")
            same = {
                key: document[key] for key in ("person", "template", "variant", "format", "pages")
            }
            path, built = Path(document["path"]), _time(record)
            status.documents.append(
                Status(state=UP_TO_DATE, name=name, path=path, built=built, **same)
            )
    for person in persons:
        entry = entries.person(person)
        if entry is not None:
            status.variants[person.name] = tuple(entry["variants"])
    unknown: Pending = {}
    for person, wanted in pending.items():
        never = [*_never_built(person, wanted or [], entries)]
        status.documents += never
        if len(never) < len(wanted or (None,)):
            unknown[person] = wanted
        elif entry := entries.person(person):
            status.diagnostics += map(Diagnostic.from_json, entry["said"])
    _find_exactly(entries, unknown, status)
    status.documents.sort(key=lambda item: (item.person, item.name, item.format))
    return status


def _never_built(person: Person, documents: Documents, entries: Entries) -> Iterator[Status]:
    """Yield the documents of a person of which nothing is stored, if all are: no file is read.

    None, if one has a variant, or another failed: then only the person's file says what they are.
    """
    entry, asked = entries.person(person), entries.request
    if entry is None or entry["failed"] or asked.locale or asked.private or asked.sets:
        return
    templates = {*asked.library.names()}.difference(entry["variants"])
    keep = asked.hidden / person.name
    if any(
        name not in templates or (keep / name / record_name(output)).exists()
        for name, output in documents
    ):
        return
    for name, output in documents:
        path = asked.out / person.name / f"{name}{find_output(output).suffix}"
        yield Status(person.name, NEVER, name, name, None, output, path, reasons=(_NEVER,))


def _find_exactly(entries: Entries, pending: Pending, overview: Overview) -> None:
    """Add the states of documents that the quick check leaves open; their files are read."""
    request = entries.request

    def on_checked(checked: PersonFile) -> None:
        overview.diagnostics.extend(checked.diagnostics)
        name = checked.person.name
        if checked.profile is None:
            overview.exit_code = max(overview.exit_code, 1)
            overview.variants.pop(name, None)
            error = next(iter(checked.errors), None)
            overview.documents.append(Status(name, FAILED, error=error))
        else:
            overview.variants[name] = tuple(checked.profile.variants)

    for task in batch.read(pending.items(), request, on_checked):
        entry = entries.person(task.person) or {"failed": {}, "file": None}
        failure = entry["failed"].get(document_key(task.name, task.format))
        same = (task.name, task.style, task.shown_variant, task.format)
        (path, keep), file = pipeline.places(task, request), str(task.person.path)
        stored, record, note = keep / record_name(task.format), None, None
        reasons: tuple[Reason, ...] = (_NEVER,)
        try:
            if stored.exists():
                reasons = tuple(_reasons(pipeline.prepare(task, request)))
                record = outcome.read(stored, request.cache)
            else:
                # Nothing is stored to compare it with: what it would be made from needn't be made.
                pipeline.shown(task, request)
        except CvbuildError as error:
            overview.diagnostics.extend(error.diagnostics)
            overview.exit_code = max(overview.exit_code, error.exit_code)
            fault = error.diagnostics[0]
            overview.documents.append(Status(task.person.name, FAILED, *same, error=fault))
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
        overview.documents.append(
            Status(
                task.person.name,
                state,
                *same,
                path=path,
                reasons=reasons,
                error=Diagnostic.from_json(failure) if failure else None,
                note=note,
                pages=record.pages if record else None,
                built=_time(str(stored)) if record else None,
            )
        )


def _time(path: str | None) -> float | None:
    try:
        return os.lstat(path).st_mtime if path else None
    except OSError:
        return None


def unlisted(
    out: Path, persons: Sequence[Person], overview: Overview, *, is_whole: bool
) -> Iterator[Path]:
    """Yield what is in the folders of people and isn't found; if ``is_whole``, first of nobody's.

    It is of a template or variant that is gone or was picked once, or of another language. Folders
    of people whose variants aren't known, as their files can't be read, are left out.
    """
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
    """Delete documents, and those in folders of people who are gone; yield what was deleted.

    What no build made stays. Raises CvbuildError for a folder that is a link.
    """
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


def _reasons(document: Shown) -> Iterator[Reason]:
    """Yield the reasons to build a document; without any it is up to date."""
    record = outcome.read(document.record, document.request.cache)
    if record is None:
        exists = document.record.exists()
        yield Reason("record", "the record of its last build can't be read") if exists else _NEVER
        return
    parts = document.parts()
    if record.key != key_of(parts):
        changes = _changes(record.parts, parts) if record.parts else []
        yield from changes or [Reason("version", "it was built by another version of cvbuild")]
    if record.verified is None:
        yield Reason("verify", "it was never compared with the profile")
    if not document.path.exists():
        yield Reason("file-gone", "the file is gone")
    elif safe_folders.hash_at(document.path) != record.file_hash:
        kind = "folder" if document.path.is_dir() else "file"
        yield Reason("file-changed", f"the {kind} is not the one that was built")


def _changes(old: Mapping[str, str], parts: Mapping[str, str]) -> list[Reason]:
    """Return the parts of the key that changed."""
    reasons: list[Reason] = []
    for name in [name for name in {**old, **parts} if old.get(name) != parts.get(name)]:
        code, message = name, _PARTS.get(name, f"{name} changed")
        if name.startswith("file "):
            is_there = name in parts
            how = "changed" if is_there and name in old else "is new" if is_there else "is gone"
            code, message = "template", f"the template's {name.removeprefix('file ')} {how}"
        elif name in _VALUES:
            message = f"{_VALUES[name]} was {_value(old, name)} and is {_value(parts, name)}"
        reasons.append(Reason(code, message))
    codes = {reason.code for reason in reasons}
    # Another engine has other files; it, or a change of the template, makes another text.
    implied = {"engine": {"tree", "text"}, "template": {"text"}, "text": {"about", "priorities"}}
    explained = set().union(*(implied.get(code, set()) for code in codes))
    return [reason for reason in reasons if reason.code not in explained]


def _value(parts: Mapping[str, str], name: str) -> str:
    value = parts.get(name, "None")
    return "not set" if value == "None" else value
