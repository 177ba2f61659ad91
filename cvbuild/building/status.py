"""The state of documents: up to date or why not, failed, never built; and what else is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.building import batch, document_key, fresh, pipeline
from cvbuild.building.fresh import Entries
from cvbuild.building.outcome import Record, key_of
from cvbuild.common import file_state, safe_folders
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.outputs import registry
from cvbuild.outputs.types import Plan, record_name

if TYPE_CHECKING:
    from cvbuild.building import Documents, Pending
    from cvbuild.building.fresh import JsonObject
    from cvbuild.inputs.person_file import PersonFile
    from cvbuild.outputs.types import Settings, Task

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


def find(entries: Entries, persons: Sequence[Person], settings: Settings) -> Overview:
    """Return the state of all requested documents, by person and name; builds nothing."""
    status, (pending, current) = Overview(), entries.check(persons)
    for person, documents, _ in current:
        status.documents += [_of_current(document, entries, person) for document, _ in documents]
    for person in persons:
        entry = entries.person(person)
        if entry is not None:
            status.variants[person.name] = tuple(entry["variants"])
    unknown: Pending = {}
    for person, wanted in pending.items():
        known = [*_never_built(person, wanted or [], entries, settings)]
        status.documents += known
        if len(known) < len(wanted or (None,)):
            unknown[person] = wanted
        elif entry := entries.person(person):
            status.diagnostics += map(Diagnostic.from_json, entry["said"])
    status.documents += _exactly(entries, unknown, settings, status)
    status.documents.sort(key=lambda item: (item.person, item.name, item.format))
    return status


def _never_built(
    person: Person, documents: Documents, entries: Entries, settings: Settings
) -> Iterator[Status]:
    """Yield the documents of a person of which nothing is stored, if all are: no file is read.

    None, if one has a variant, or another failed: then only the person's file says what they are.
    """
    entry, asked = entries.person(person), entries.request
    if entry is None or entry["failed"] or asked.locale or asked.private or asked.sets:
        return
    templates = {*settings.library.names()}.difference(entry["variants"])
    keep = settings.hidden / person.name
    if any(
        name not in templates or (keep / name / record_name(output)).exists()
        for name, output in documents
    ):
        return
    for name, output in documents:
        path = settings.out / person.name / f"{name}{registry.find(output).suffix}"
        yield Status(person.name, NEVER, name, name, None, output, path, reasons=(_NEVER,))


def _exactly(
    entries: Entries,
    pending: Pending,
    settings: Settings,
    overview: Overview,
) -> Iterator[Status]:
    """Yield the states of documents that the quick check leaves open; their files are read."""
    wrong: list[Status] = []

    def on_checked(checked: PersonFile) -> None:
        overview.diagnostics.extend(checked.diagnostics)
        name = checked.person.name
        if checked.profile is None:
            overview.exit_code = max(overview.exit_code, 1)
            overview.variants.pop(name, None)
            wrong.append(Status(name, FAILED, error=next(iter(checked.errors), None)))
        else:
            overview.variants[name] = tuple(checked.profile.variants)

    for task in batch.read(pending.items(), entries.request, settings, on_checked):
        try:
            yield _of_task(task, entries, settings)
        except CvbuildError as error:
            overview.diagnostics.extend(error.diagnostics)
            overview.exit_code = max(overview.exit_code, error.exit_code)
            plain = _identity(task)
            yield replace(plain, state=FAILED, error=error.diagnostics[0])
    yield from wrong


def _of_current(document: JsonObject, entries: Entries, person: Person) -> Status:
    entry = entries.person(person)
    name, path = str(document["variant"] or document["template"]), Path(document["path"])
    known = entry["documents"][document_key(name, document["format"])] if entry else {}
    return Status(
        document["person"],
        UP_TO_DATE,
        name,
        document["template"],
        document["variant"],
        document["format"],
        path,
        pages=document["pages"],
        built=_time(known.get("record")),
    )


def _identity(task: Task) -> Status:
    variant = task.shown_variant
    return Status(task.person.name, "", task.name, task.template, variant, task.format)


def _of_task(task: Task, entries: Entries, settings: Settings) -> Status:
    """Return the state of a document by the exact check; raises CvbuildError as a build would."""
    (path, keep), file = pipeline.places(task, settings), str(task.person.path)
    stored, record = keep / record_name(task.format), None
    reasons: tuple[Reason, ...] = (_NEVER,)
    if stored.exists():
        reasons = tuple(_reasons(pipeline.prepare(task, settings)))
        record = fresh.read(stored, settings.cache)
    else:
        # Nothing is stored to compare it with: what it would be made from needn't be made.
        pipeline.shown(task, settings)
    entry = entries.person(task.person)
    failure = (entry or {"failed": {}})["failed"].get(document_key(task.name, task.format))
    if not reasons:
        state = UP_TO_DATE
    elif failure:
        state = FAILED
    else:
        state = NEVER if reasons == (_NEVER,) else OUT_OF_DATE
    note = None
    if state == UP_TO_DATE and entry and entry["file"][0] != file_state.identity(file):
        note = f"{file} changed, but nothing that this document shows"
    return replace(
        _identity(task),
        state=state,
        path=path,
        reasons=reasons,
        error=Diagnostic.from_json(failure) if state == FAILED and failure else None,
        note=note,
        pages=record.pages if record else None,
        built=_time(str(stored)) if record else None,
    )


def _time(path: str | None) -> float | None:
    try:
        return os.lstat(path).st_mtime if path else None
    except OSError:
        return None


def unlisted(out: Path, persons: Iterable[Person], overview: Overview) -> Iterator[Path]:
    """Yield what is in the folders of people and isn't found.

    It is of a template or variant that is gone or was picked once, or of another language. Folders
    of people whose variants aren't known, as their files can't be read, are left out.
    """
    listed = {document.path for document in overview.documents}
    for person in persons:
        if person.name in overview.variants:
            yield from (path for path in _entries(out / person.name) if path not in listed)


def left_by_people(out: Path, known: Iterable[str]) -> Iterator[Path]:
    """Yield the folders in ``out`` that belong to none of those who are there."""
    names = {*known, *people.RESERVED}
    yield from (path for path in _entries(out) if path.name not in names and path.is_dir())


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
        document = path.name.removesuffix(registry.find(name).suffix)
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
                with safe_folders.opened(document.parent) as folder:
                    folder.remove(document.name)
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


def _reasons(document: Plan) -> Iterator[Reason]:
    """Yield the reasons to build a document; without any it is up to date."""
    record = fresh.read(document.record, document.settings.cache)
    if record is None:
        exists = document.record.exists()
        yield Reason("record", "the record of its last build can't be read") if exists else _NEVER
        return
    parts = document.parts()
    if record.key != key_of(parts):
        yield from _changes(record, parts) or [_UNKNOWN]
    if record.verified is None:
        yield Reason("verify", "it was never compared with the profile")
    if not document.path.exists():
        yield Reason("file-gone", "the file is gone")
    elif safe_folders.hash_at(document.path) != record.file_hash:
        kind = "folder" if document.path.is_dir() else "file"
        yield Reason("file-changed", f"the {kind} is not the one that was built")


_UNKNOWN = Reason("version", "it was built by another version of cvbuild")


def _changes(record: Record, parts: Mapping[str, str]) -> list[Reason]:
    """Return the parts of the key that changed."""
    old = record.parts
    reasons: list[Reason] = []
    for name in [name for name in {**old, **parts} if old.get(name) != parts.get(name)]:
        if not old:
            break
        if name.startswith("file "):
            file, is_there = name.removeprefix("file "), name in parts
            how = "changed" if is_there and name in old else "is new" if is_there else "is gone"
            reasons.append(Reason("template", f"the template's {file} {how}"))
        elif name in _VALUES:
            message = f"{_VALUES[name]} was {_value(old, name)} and is {_value(parts, name)}"
            reasons.append(Reason(name, message))
        else:
            reasons.append(Reason(name, _PARTS.get(name, f"{name} changed")))
    codes = {reason.code for reason in reasons}
    # Another engine has other files; it, or a change of the template, makes another text.
    implied = {"engine": {"tree", "text"}, "template": {"text"}, "text": {"about", "priorities"}}
    explained = set().union(*(implied.get(code, set()) for code in codes))
    return [reason for reason in reasons if reason.code not in explained]


def _value(parts: Mapping[str, str], name: str) -> str:
    value = parts.get(name, "None")
    return "not set" if value == "None" else value
