"""What runs on a worker: unpack a parcel into a folder of its own, build, send back."""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building.cache import records
from cvbuild.building.check import profiles
from cvbuild.building.cluster.parcel import PERSON, Finished, Parcel, Returned, code_version
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.files import safe_folders

if TYPE_CHECKING:
    from cvbuild.building.outcome import Outcome
    from cvbuild.inputs.yaml.source import Source
    from cvbuild.outputs.task import Settings, Task

RECORD = "record.json"
#: The files of a document's own folder that go back.
RETURNED = ("cv.tex", "cv.log", RECORD)
#: A PDF that failed its checks goes back too, for inspection.
REFUSED = "cv.pdf"
_unpacking = threading.Lock()


def build(parcel: Parcel) -> bytes:
    """Build a parcel's documents and return a pickled Returned. Errors are in the outcomes.

    Raises OSError if the worker's disk can't be used, ValueError for a parcel that names a file
    outside its folder.
    """
    from distributed import get_worker

    worker = str(get_worker().address)
    if parcel.version != code_version():
        return pickle.dumps(Returned(code_version(), worker))
    folder = Path(tempfile.mkdtemp(prefix="cvbuild-", dir=_home())).resolve()
    try:
        documents = _build(parcel, folder, worker)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return pickle.dumps(Returned(parcel.version, worker, documents))


def _build(parcel: Parcel, folder: Path, worker: str) -> tuple[Finished, ...]:
    from cvbuild.building import pipeline
    from cvbuild.inputs.people import Person
    from cvbuild.inputs.validation import validate
    from cvbuild.outputs.styles.templates import Library
    from cvbuild.outputs.task import Settings

    styles = _styles(parcel)
    out = folder / "out"
    fill(out, parcel.before)
    _seal(out, parcel.before)
    path_names = _PathNames(parcel, out, styles, worker)
    settings = Settings(
        out=out,
        library=Library.at(*([styles] if styles else [])),
        cache=_cache(),
        **parcel.choices,  # type: ignore[arg-type]  # made from the fields of Settings
    )
    # From the client that uses this worker, as the parcel itself was.
    source: Source = pickle.loads(parcel.source)  # noqa: S301
    person = Person(PERSON, folder / f"{PERSON}.yaml")
    profile = validate.validate(source)
    read = profiles.Checked(person, profile, source, private=parcel.private)
    tasks = profiles.tasks([read], parcel.documents)
    documents = []
    for task in tasks:
        own_task = replace(task, photo=parcel.photo)
        documents.append(path_names.collect(own_task, settings, pipeline.build(own_task, settings)))
    return tuple(documents)


def _seal(out: Path, before: Mapping[str, bytes]) -> None:
    """Give the client's records this worker's code."""
    for name, data in before.items():
        place = out / name
        if place.name == RECORD and (record := records.parse(data.decode("utf-8", "replace"))):
            with safe_folders.stored(place.parent) as folder:
                records.write(folder, RECORD, record, _cache())


class _PathNames:
    """Replaces this worker's paths by the client's names for them."""

    def __init__(self, parcel: Parcel, out: Path, styles: Path | None, worker: str) -> None:
        from cvbuild.outputs.task import BUILD

        self._worker = worker
        home = Path(parcel.out)
        self._names = {
            str(out / PERSON): str(home / parcel.name),
            str(out / BUILD / PERSON): str(home / BUILD / parcel.name),
            str(out): parcel.out,
        }
        if styles:
            homes = parcel.places.items()
            self._names |= {str(styles / template): place for template, place in homes}
        # A path may be given relative to the working folder as well.
        for path, name in list(self._names.items()):
            if Path(path).is_relative_to(Path.cwd()):
                self._names[str(Path(path).relative_to(Path.cwd()))] = name

    def collect(self, task: Task, settings: Settings, outcome: Outcome) -> Finished:
        """Return an outcome without this worker's paths, and the files that it made."""
        from cvbuild.building.plan import places

        pdf, keep = places(task, settings)
        names = RETURNED if outcome.path else (*RETURNED, REFUSED)
        made = not outcome.cached
        files = {name: (keep / name).read_bytes() for name in names if (keep / name).is_file()}
        if record := records.read(keep / RECORD, settings.cache):
            # The client seals it with its own key.
            files[RECORD] = records.plain(record).encode()
        result = replace(
            outcome,
            path=None,
            log=None,
            diagnostics=tuple(self._renamed(item, outcome) for item in outcome.diagnostics),
            notes=tuple(self._renamed(item, None) for item in outcome.notes),
            basis=None,
        )
        basis = outcome.basis
        diagnostics, notes = (basis.diagnostics, basis.notes) if basis else ((), ())
        data = pdf.read_bytes() if outcome.path and made else None
        return Finished(result, diagnostics, notes, data, files)

    def _renamed(self, item: Diagnostic, failed: Outcome | None) -> Diagnostic:
        message, hint = self._rename(item.message), self._rename(item.hint or "") or None
        if failed and failed.exit_code == 3 and item.severity == "error":
            message += f" (on the worker {self._worker})"
        span = replace(item.span, file=self._rename(item.span.file)) if item.span else None
        return replace(item, message=message, hint=hint, span=span)

    def _rename(self, text: str) -> str:
        for path, name in self._names.items():
            text = text.replace(path, name)
        return text


def only_name(text: str) -> str:
    """Return ``text`` if it can only be the name of one file; raises ValueError."""
    if text in ("", ".", "..") or set(text) & set("/\\:\0"):
        raise ValueError(f"not a file's name: {text!r}")
    return text


def fill(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` below ``folder``; raises ValueError for a path that leads out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder.joinpath(*(only_name(part) for part in name.split("/")))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _styles(parcel: Parcel) -> Path | None:
    """Return the folder of the parcel's templates: one for all parcels with the same files.

    Why: a format is dumped for files at one place, and templates are remembered by theirs. Why with
    their dates: a font's date tells it from another (``file_state.identity``).
    """
    if not parcel.styles:
        return None
    digest = hashlib.sha256()
    for name, data in sorted(parcel.styles.items()):
        digest.update(f"{name!a} {parcel.dates[name]} {len(data)} ".encode())
        digest.update(data)
    folder = _home() / f"styles-{digest.hexdigest()[:32]}"
    with _unpacking:
        if not folder.is_dir():
            temporary = Path(tempfile.mkdtemp(dir=_home()))
            fill(temporary, parcel.styles)
            for name, date in parcel.dates.items():
                os.utime(temporary / name, ns=(date, date))
            temporary.rename(folder)
    return folder


@cache
def _home() -> Path:
    """Return a folder of this process below Dask's own one for it, deleted when it ends.

    What a killed worker leaves there, Dask removes when the next one starts.
    """
    from distributed import get_worker

    base = get_worker().local_directory
    folder = Path(tempfile.mkdtemp(prefix="cvbuild-", dir=base)).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _cache() -> Path:
    """Return the folder for what this worker knows of its TeX and fonts."""
    named = os.environ.get("CVBUILD_CACHE")
    return Path(named) if named else _home() / "cache"
