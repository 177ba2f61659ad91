"""Make parcels of people's inputs, and publish what comes back, as a local build does."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from cvbuild.building import pipeline
from cvbuild.building.cache import records
from cvbuild.building.cache.records import Record
from cvbuild.building.cluster.parcel import PERSON, Finished, Parcel, code_version
from cvbuild.building.cluster.worker import RECORD, REFUSED, RETURNED
from cvbuild.building.outcome import Basis, Outcome
from cvbuild.building.plan import places, refuse_links
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, TemplateError
from cvbuild.common.files import safe_files, safe_folders, work_folders
from cvbuild.inputs import pictures
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import builtin_folder
from cvbuild.outputs.styles.templates import Template
from cvbuild.outputs.task import Settings, Task

#: The size of all templates of one parcel, in bytes; the parcel stays below what Dask calls large.
MAX_STYLES = 4 << 20
#: A finished PDF above this size (bytes) is not sent along: it is rebuilt instead.
MAX_BEFORE = 1 << 20
#: Settings that a worker has of its own.
_LOCAL = ("out", "library", "cache")


def pack(tasks: Sequence[Task], settings: Settings) -> Parcel:
    """Return a parcel with the documents ``tasks`` of one person; all of them private, or none.

    Raises CvbuildError for a photo or a template that can't be read.
    """
    first = tasks[0]
    picture = first.profile.photo
    templates = [settings.library.require(task.template) for task in tasks]
    styles, dates, homes = _styles(templates)
    return Parcel(
        version=code_version(),
        name=first.person.name,
        # Hidden private data stays here, even as a list of what must not be shown.
        source=pickle.dumps(replace(first.source, text="", private=())),
        private=first.private,
        photo=pictures.load(picture, first.person.path.parent, first.source) if picture else None,
        documents=tuple(task.name for task in tasks),
        styles=styles,
        dates=dates,
        places=homes,
        before={name: data for task in tasks for name, data in _before(task, settings)},
        out=str(settings.out),
        choices={
            field.name: getattr(settings, field.name)
            for field in fields(settings)
            if field.name not in _LOCAL
        },
    )


def _styles(
    templates: Iterable[Template],
) -> tuple[dict[str, bytes], dict[str, int], dict[str, str]]:
    """Return the files of all templates that are not built in, the files' dates, the folders."""
    homes = {
        folder.name: folder
        for template in templates
        for folder in template.folders
        if not folder.is_relative_to(builtin_folder())
    }
    files: dict[str, bytes] = {}
    dates: dict[str, int] = {}
    size = 0
    for name, folder in homes.items():
        for path in filter(Path.is_file, map(Path, package_files.listed(folder))):
            inside = f"{name}/{path.relative_to(folder).as_posix()}"
            try:
                state = path.stat()
                size += state.st_size
                if size > MAX_STYLES:
                    raise _too_large(folder)
                files[inside], dates[inside] = (
                    safe_files.read(path, MAX_STYLES, links=False),
                    state.st_mtime_ns,
                )
            except OSError as error:
                reason = f"can't read {path}: {error.strerror or error}"
                raise TemplateError.because("template-unreadable", reason) from None
    return files, dates, {name: str(folder) for name, folder in homes.items()}


def _too_large(folder: Path) -> Exception:
    message = f"the templates take more than {MAX_STYLES >> 20} MiB, with {folder}"
    hint = "keep only the template's own files there, or build without --cluster"
    return TemplateError.because("template-large", message, hint)


def _before(task: Task, settings: Settings) -> Iterable[tuple[str, bytes]]:
    """Yield the record and the PDF of the last build, so that the worker knows date and key."""
    pdf, keep = places(task, settings)
    record = records.read(keep / RECORD, settings.cache)
    if record is None or (record.private and not task.private):
        return
    renamed = replace(task, person=Person(PERSON, task.person.path))
    their_path, their_folder = places(renamed, replace(settings, out=Path()))
    # The record has no code on its way: the worker's key is another.
    yield (their_folder / RECORD).as_posix(), records.plain(record).encode()
    with contextlib.suppress(OSError):
        yield their_path.as_posix(), safe_files.read(pdf, MAX_BEFORE, links=False)


def publish(task: Task, settings: Settings, finished: Finished) -> Outcome:
    """Publish what a worker built, each file whole; names are ours, only bytes are theirs."""
    pdf, keep = places(task, settings)
    outcome = replace(
        finished.outcome,
        person=task.person.name,
        template=task.template,
        variant=task.shown_variant,
    )
    try:
        refuse_links(task, settings)
        with work_folders.alone(keep), safe_folders.stored(keep) as kept:
            for name in (*RETURNED, REFUSED):
                if name in finished.files and name != RECORD:
                    kept.write(name, finished.files[name])
            if outcome.exit_code:
                log = keep / "cv.log" if "cv.log" in finished.files else None
                return replace(outcome, log=log)
            record = records.parse(finished.files.get(RECORD, b"").decode("utf-8", "replace"))
            if finished.pdf is not None and record is not None:
                kept.write(REFUSED, finished.pdf)
                parent = pdf.parent
                with safe_folders.opened(parent.parent, parent.name, make=True) as public:
                    kept.rename(REFUSED, pdf.name, into=public)
                records.write(kept, RECORD, record, settings.cache)
    except CvbuildError as error:
        return pipeline.failed(task, *error.diagnostics)
    except OSError as error:
        return pipeline.failed(task, *_unwritten(error))
    folders = settings.library.require(task.template).folders
    record = records.read(keep / RECORD, settings.cache)
    basis = _basis(keep / RECORD, record, folders, finished) if record else None
    return replace(outcome, path=pdf, basis=basis and replace(basis, private=task.private))


def _basis(place: Path, record: Record, folders: tuple[Path, ...], finished: Finished) -> Basis:
    """Return what the document depends on here; its TeX and fonts are the worker's."""
    return Basis(
        record=place,
        key=record.key,
        file_hash=record.file_hash,
        folders=folders,
        tree=(),
        tree_part="",
        fonts=(),
        fonts_part="",
        diagnostics=finished.diagnostics,
        notes=finished.notes,
    )


def _unwritten(error: OSError) -> tuple[Diagnostic]:
    place = f" ({error.filename})" if error.filename else ""
    reason = f"can't write the document: {error.strerror or error}{place}"
    return (Diagnostic("error", "output", reason, hint="check the output folder"),)
