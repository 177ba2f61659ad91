"""Whether the inputs that were kept with a packet still make the same bytes."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from cvbuild.applications import load
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import frozen_folder, manifest
from cvbuild.applications.sent.manifest import INPUTS, Made, Manifest, World
from cvbuild.common import versions, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, foreign
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, day_of

#: Builds the packet of a manifest from the workspace in a folder, and writes nowhere else.
Build = Callable[[Path, Manifest], Packet]
#: Whether a file has the same bytes; "none": it was not built again.
Verdict = Literal["same", "other", "none"]
#: What parts of a document's key are, in words; what else there is follows from the inputs.
_PARTS = {"engine": "another TeX program", "tree": "other files of TeX's", "fonts": "other fonts"}


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came of it: a verdict on each file, and what is to be said."""

    files: Mapping[str, Verdict]
    diagnostics: tuple[Diagnostic, ...] = ()


def builder(settings: Settings) -> Build:
    """What builds a packet as its manifest says.

    Of ``settings`` only the cache, the time limit, and folders with further templates are used.
    """

    def build(workspace: Path, made: Manifest) -> Packet:
        how, out = made.built, workspace / "out"
        first = next(iter(how.documents), None)
        again = Settings(
            out=out,
            library=Library((workspace / "templates", *settings.library.folders)),
            # The CV, if it says no date itself, was dated when it was built first.
            today=first.date if first else how.today,
            epoch=how.epoch,
            engine=how.engine,
            driver=how.driver,
            tags=how.tags,
            timeout=settings.timeout,
            cache=settings.cache,
            locale=how.locale,
        )
        day = day_of(how.today if how.epoch is None else how.epoch)
        return assemble.build(load.load(made.slug, day, workspace), again, workspace, day)

    return build


def world() -> World:
    """The programs that are here now."""
    found = {name: _version(name) for name in sorted(versions.PACKAGES)}
    libraries = {name: version for name, version in found.items() if version}
    return World(cvbuild=versions.VERSION, python=platform.python_version(), libraries=libraries)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def rebuild(folder: Path, made: Manifest, build: Build) -> Rebuilt:
    """Build an untouched packet again, in a folder of its own that is gone afterwards.

    Other bytes are an error only where the programs are the same. That it can't be built is none:
    a TeX or a font that is gone is no fault of the packet. Raises CvbuildError if a file
    can't be read or copied.
    """
    with (
        foreign("rebuild", "can't build it again"),
        work_folders.folder(Path(tempfile.gettempdir())) as workspace,
    ):
        for item in made.inputs:
            frozen_folder.copy(folder / INPUTS / item.name, workspace / item.name)
        try:
            again = build(workspace, made)
        except CvbuildError as error:
            return _failed(folder, made, error)
        files = {item.name: _verdict(again, item.name, item.sha256) for item in made.files}
        others = tuple(_others(made, again))
    return Rebuilt(files, tuple(_said(folder, files, others)))


def _failed(folder: Path, made: Manifest, error: CvbuildError) -> Rebuilt:
    others = tuple(_programs(made.world, world()))
    reason = "; ".join(item.message for item in error.diagnostics[:3])
    message = f"can't be built again: {reason}"
    hint = f"it was built with {'; '.join(others)}" if others else error.diagnostics[0].hint
    fault = Diagnostic("warning", "rebuild", message, Span(str(folder)), hint)
    return Rebuilt(dict.fromkeys((item.name for item in made.files), "none"), (fault,))


def _verdict(again: Packet, name: str, expected: str) -> Verdict:
    if name not in again.files:
        return "none"
    return "same" if frozen_folder.digest(again.folder / name).sha256 == expected else "other"


def _said(
    folder: Path, files: Mapping[str, Verdict], others: tuple[str, ...]
) -> Iterator[Diagnostic]:
    if others:
        message = f"it was built with {'; '.join(others)}"
        yield Diagnostic("note", "other-programs", message, Span(str(folder)))
    severity: Literal["error", "note"] = "note" if others else "error"
    for name, verdict in files.items():
        if verdict != "same":
            what = "has other bytes" if verdict == "other" else "isn't made"
            message = f"{what} when it is built again"
            hint = None if others else "nothing else is other than it was: please report it"
            yield Diagnostic(severity, "other-bytes", message, Span(str(folder / name)), hint)


def _others(made: Manifest, again: Packet) -> Iterator[str]:
    """What was other than now, in words: programs, TeX, fonts."""
    yield from _programs(made.world, world())
    now = {document.file: document for document in manifest.built(again.built).documents}
    said = dict.fromkeys(
        words
        for document in made.built.documents
        if document.file in now
        for words in _of_document(document, now[document.file])
    )
    yield from said


def _programs(then: World, now: World) -> Iterator[str]:
    before = {"cvbuild": then.cvbuild, "Python": then.python, **then.libraries}
    here = {"cvbuild": now.cvbuild, "Python": now.python, **now.libraries}
    for name in dict.fromkeys((*before, *here)):
        if before.get(name) != here.get(name):
            yield f"{name} {before.get(name, 'missing')} and not {here.get(name, 'none')}"


def _of_document(then: Made, now: Made) -> Iterator[str]:
    if then.engine != now.engine:
        yield f"{then.engine} and not {now.engine}"
    for name, words in _PARTS.items():
        if then.parts.get(name) != now.parts.get(name):
            yield words
