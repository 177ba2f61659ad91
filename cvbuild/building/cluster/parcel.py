"""What travels: packed from a person's inputs, built on a worker, published as by a local build.

No path travels, as machines may have another system.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.building import pipeline
from cvbuild.building.cache import records
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Basis, Outcome, Record
from cvbuild.building.plan import places, refuse_links
from cvbuild.common import hashes, versions
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, ProfileError, TemplateError
from cvbuild.common.files import safe_files, safe_folders, work_folders
from cvbuild.inputs import pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs import own_files
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import builtin_folder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import BUILD, Settings, Task
from cvbuild.outputs.types import Machine

#: The size of all templates of one parcel, in bytes; the parcel stays below what Dask calls large.
MAX_STYLES = 4 << 20
#: A finished PDF above this size (bytes) is not sent along: it is rebuilt instead.
_MAX_BEFORE = 1 << 20
#: The exit code of a document for which there is no TeX.
NO_TOOL = 3
#: The name of every person on a worker, so that no real name becomes a path there.
_PERSON = "person"
#: The files that go back; the PDF of a document that failed its checks too, for inspection.
_PDF, _KEPT = "cv.pdf", ("cv.tex", "cv.log")
#: Settings that a worker has of its own.
_LOCAL = ("out", "library", "cache")
#: Files of the package in which documents have a part.
_SOURCES = (".py", ".toml", ".json")
_unpacking = threading.Lock()


@dataclass(frozen=True, slots=True)
class Parcel:
    """All that a worker needs for the document ``name``.

    ``source`` has what the person may show, private data too if ``private``; ``photo`` is a JPEG as
    ``inputs.pictures`` makes it. ``record`` and ``pdf`` are those of the last build, so that the
    worker knows its date and key. ``styles`` are (path, bytes, date in ns since 1970) of each file
    of templates that are not built in, by paths as "plum/template.yaml"; ``homes`` are the folders
    of those templates. ``choices`` are the other fields of Settings.
    """

    person: str
    name: str
    source: Source
    private: bool
    photo: bytes | None
    record: Record | None
    pdf: bytes | None
    styles: tuple[tuple[str, bytes, int], ...]
    homes: Mapping[str, str]
    out: str
    choices: Mapping[str, str | int | float | bool | tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class Finished:
    """The result for one document: its outcome without paths, its record, and its files' bytes.

    ``lasting`` are the diagnostics and the notes that are repeated while it is up to date; among
    ``files`` is no PDF if that stays as it was.
    """

    outcome: Outcome
    files: Mapping[str, bytes]
    record: Record | None = None
    lasting: tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]] = ((), ())


def code_version() -> str:
    """Return the version of cvbuild and a hash of its code and templates, as they were found."""
    return f"{versions.VERSION} ({_code()})"


@cache
def _code() -> str:
    whole, package = hashlib.sha256(), Path(__file__).parents[2]
    # Not what only a checkout has, or only a wheel: the editor's page, folders of files.
    rooms = [one.parent for one in package.glob("*/__init__.py") if one.parent.name != "serve"]
    sources = [path for room in rooms for path in room.rglob("*") if path.suffix in _SOURCES]
    for top, paths in ((package, sources), (builtin_folder(), builtin_folder().rglob("*.*"))):
        for path in sorted(one for one in paths if one.is_file() and one.suffix != ".pyc"):
            whole.update(f"{path.relative_to(top).as_posix()} {hashes.file_hash(path)} ".encode())
    return whole.hexdigest()[:12]


def pack(task: Task, settings: Settings) -> Parcel:
    """Return what a document is made from.

    Raises CvbuildError for a photo or a template that can't be read.
    """
    picture = task.profile.photo
    data = task.source.data
    for place, _ in (*own_files.named(data), *own_files.logos(data)):
        fact = f"a {place[-1]} of one's own can't go to a cluster"
        raise ProfileError.because(
            "own-file-cluster", fact, "build without --cluster", task.source.span(place)
        )
    homes = {
        folder.name: folder
        for folder in settings.library.require(task.template).folders
        if not folder.is_relative_to(builtin_folder())
    }
    choices = {field.name: getattr(settings, field.name) for field in fields(settings)}
    path, keep = places(task, settings)
    record, pdf = records.read(keep / records.name(task.format), settings.cache), None
    if record and record.private and not task.private:
        record = None
    if record:
        with contextlib.suppress(OSError):
            pdf = safe_files.read(path, _MAX_BEFORE, links=False)
    return Parcel(
        person=task.person.name,
        name=task.name,
        # Hidden private data stays here, even as a list of what must not be shown.
        source=replace(task.source, text="", private=()),
        private=task.private,
        photo=pictures.load(picture, task.person.path.parent, task.source) if picture else None,
        record=record,
        pdf=pdf,
        styles=tuple(_styles(homes.values())),
        homes={name: str(folder) for name, folder in homes.items()},
        out=str(settings.out),
        choices={name: value for name, value in choices.items() if name not in _LOCAL},
    )


def _styles(homes: Iterable[Path]) -> Iterator[tuple[str, bytes, int]]:
    size, hint = 0, "keep only the template's own files there, or build without --cluster"
    for folder in homes:
        for path in filter(Path.is_file, map(Path, package_files.listed(folder))):
            try:
                state = path.stat()
                size += state.st_size
                if size > MAX_STYLES:
                    fact = f"the templates take more than {MAX_STYLES >> 20} MiB, with {folder}"
                    raise TemplateError.because("template-large", fact, hint)
                data = safe_files.read(path, MAX_STYLES, links=False)
            except OSError as error:
                reason = f"can't read {path}: {error.strerror or error}"
                raise TemplateError.because("template-unreadable", reason) from None
            yield path.relative_to(folder.parent).as_posix(), data, state.st_mtime_ns


def build(version: str, data: bytes) -> bytes:
    """Build a parcel's document on a worker; return its address and a Finished, both pickled.

    Raises CvbuildError if the client has another version, OSError if the disk can't be used.
    """
    from distributed import get_worker

    worker, home = str(get_worker().address), Path(get_worker().local_directory).resolve()
    if version != code_version():
        message = f"the worker {worker} has cvbuild {code_version()}, this is {version}"
        raise CvbuildError.because("cluster-version", message, "install the same there")
    # From the client that uses this worker, as the call itself was.
    parcel: Parcel = pickle.loads(data)  # noqa: S301
    profile = validate.validate(parcel.source)
    person = Person(_PERSON, Path(f"{_PERSON}.yaml"))
    read = profiles.Checked(person, profile, parcel.source, private=parcel.private)
    (task,) = profiles.tasks([read], [parcel.name])
    task = replace(task, photo=parcel.photo)
    styles, own_cache = _unpacked(parcel, home), os.environ.get("CVBUILD_CACHE")
    with tempfile.TemporaryDirectory(dir=home, ignore_cleanup_errors=True) as folder:
        settings = Settings(
            out=Path(folder),
            library=Library.at(styles),
            # What this worker knows of its TeX and fonts.
            cache=Path(own_cache) if own_cache else home / "cvbuild-cache",
            **parcel.choices,  # type: ignore[arg-type]  # made from the fields of Settings
        )
        _lay_out(task, settings, parcel)
        finished = _finished(task, settings, pipeline.build(task, settings), worker)
        finished = _renamed(finished, _names(parcel, settings.out, styles))
    return pickle.dumps((worker, finished))


def _unpacked(parcel: Parcel, home: Path) -> Path:
    """Return the folder of the parcel's templates: one for all parcels with the same files.

    Why: a format is dumped for files at one place, and templates are remembered by theirs. Why with
    their dates: a font's date tells it from another (``file_state.identity``).
    """
    folder = home / f"styles-{hashes.digest(pickle.dumps(parcel.styles))[:32]}"
    with _unpacking:
        if not folder.is_dir():
            temporary = Path(tempfile.mkdtemp(dir=home))
            for name, data, date in parcel.styles:
                path = temporary / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                os.utime(path, ns=(date, date))
            temporary.rename(folder)
    return folder


def _lay_out(task: Task, settings: Settings, parcel: Parcel) -> None:
    """Write the record and the PDF of the last build, as if it had been here."""
    path, keep = places(task, settings)
    if parcel.record is not None:
        with safe_folders.stored(keep, make=True) as folder:
            records.write(folder, records.name(task.format), parcel.record, settings.cache)
    if parcel.pdf is not None:
        path.parent.mkdir()
        path.write_bytes(parcel.pdf)


def _finished(task: Task, settings: Settings, outcome: Outcome, worker: str) -> Finished:
    pdf, keep = places(task, settings)
    paths = {name: keep / name for name in _KEPT}
    paths[_PDF] = pdf if outcome.path else keep / _PDF
    new = {} if outcome.cached else paths
    files = {name: path.read_bytes() for name, path in new.items() if path.is_file()}
    where = f" (on the worker {worker})" if outcome.exit_code == NO_TOOL else ""
    faults = tuple(replace(one, message=one.message + where) for one in outcome.diagnostics)
    plain, basis = replace(outcome, path=None, log=None, diagnostics=faults), outcome.basis
    if basis is None:
        return Finished(plain, files)
    lasting = (basis.diagnostics, basis.notes)
    return Finished(replace(plain, basis=None), files, basis.record, lasting)


def _names(parcel: Parcel, out: Path, styles: Path) -> dict[str, str]:
    """Return the client's names for this worker's folders."""
    home, here = Path(parcel.out), Path.cwd()
    names = {
        out / _PERSON: str(home / parcel.person),
        out / BUILD / _PERSON: str(home / BUILD / parcel.person),
        out: parcel.out,
        **{styles / name: place for name, place in parcel.homes.items()},
    }
    # A message may name a path from the working folder as well.
    inside = [path for path in names if path.is_relative_to(here)]
    names |= {path.relative_to(here): names[path] for path in inside}
    return {str(path): name for path, name in names.items()}


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """Return the same with the client's names in all texts of a dataclass, and of those in it."""
    if isinstance(part, str):
        for path, name in names.items():
            part = part.replace(path, name)
    elif isinstance(part, tuple):
        part = tuple(_renamed(one, names) for one in part)
    elif is_dataclass(part) and not isinstance(part, type):
        texts = {one.name: _renamed(getattr(part, one.name), names) for one in fields(part)}
        part = replace(part, **texts)
    return part


def publish(task: Task, settings: Settings, finished: Finished) -> Outcome:
    """Publish what a worker built, each file whole; names are ours, only bytes are theirs."""
    return pipeline.attempt(task, lambda: _publish(task, settings, finished))


def _publish(task: Task, settings: Settings, finished: Finished) -> Outcome:
    pdf, keep = places(task, settings)
    files, record, place = finished.files, finished.record, keep / records.name(task.format)
    outcome = replace(finished.outcome, person=task.person.name)
    refuse_links(task, settings)
    with work_folders.alone(keep), safe_folders.stored(keep) as kept:
        for name in (*_KEPT, _PDF):
            if name in files:
                kept.write(name, files[name])
        if record is None:
            return replace(outcome, log=keep / "cv.log" if "cv.log" in files else None)
        if not outcome.cached:
            with safe_folders.opened(pdf.parents[1], pdf.parent.name, make=True) as public:
                kept.rename(_PDF, pdf.name, into=public)
            records.write(kept, place.name, record, settings.cache)
    folders = settings.library.require(task.template).folders
    # Its TeX and fonts are the worker's.
    basis = Basis(place, record, folders, Machine(), *finished.lasting, task.private)
    return replace(outcome, path=pdf, basis=basis)
