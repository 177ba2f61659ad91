"""Build a frozen packet again from its inputs, and compare the bytes."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Literal

from cvbuild.applications import load
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import frozen_folder, manifest
from cvbuild.applications.sent.manifest import INPUTS, Made, Manifest, World
from cvbuild.common import versions
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, foreign
from cvbuild.common.files import work_folders
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, day_of

#: Builds the packet of a manifest from the workspace in a folder, and writes nowhere else.
Build = Callable[[Path, Manifest], Packet]
#: Whether a file has the same bytes; "none": it was not built again.
Verdict = Literal["same", "other", "none"]
#: Parts of a document's key, in words; all others follow from the inputs.
_PARTS = {"engine": "another TeX program", "tree": "other files of TeX's", "fonts": "other fonts"}


#: The result: a verdict on each file, and diagnostics.
Rebuilt = tuple[Mapping[str, Verdict], tuple[Diagnostic, ...]]


def builder(settings: Settings) -> Build:
    """Return a function that builds a packet as its manifest says.

    Only the cache, the time limit and the folders of templates are taken from ``settings``.
    """

    def build(workspace: Path, record: Manifest) -> Packet:
        how, out = record.built, workspace / "out"
        first = next(iter(how.documents), None)
        again = Settings(
            out=out,
            library=Library((workspace / "templates", *settings.library.folders)),
            # A CV without a date of its own was dated when it was first built.
            today=first.date if first else how.today,
            epoch=how.epoch,
            engine=how.engine,
            driver=how.driver,
            timeout=settings.timeout,
            cache=settings.cache,
            locale=how.locale,
        )
        day = day_of(how.today if how.epoch is None else how.epoch)
        return assemble.build(load.load(record.slug, day, workspace), again, workspace, day)

    return build


def world() -> World:
    """Return the programs that are installed now."""
    installed = {name: _version(name) for name in sorted(versions.PACKAGES)}
    libraries = {name: version for name, version in installed.items() if version}
    return World(cvbuild=versions.VERSION, python=platform.python_version(), libraries=libraries)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def rebuild(folder: Path, record: Manifest, build: Build) -> Rebuilt:
    """Build an unmodified packet again, in a temporary folder.

    Other bytes are an error only if the programs are the same. A failed build is none: a TeX or a
    font that is gone is not the packet's fault. Raises CvbuildError if a file can't be read or
    copied.
    """
    with (
        foreign("rebuild", "can't build it again"),
        work_folders.folder(Path(tempfile.gettempdir())) as workspace,
    ):
        for item in record.inputs:
            frozen_folder.copy(folder / INPUTS / item.name, workspace / item.name)
        try:
            again = build(workspace, record)
        except CvbuildError as error:
            return _failed(folder, record, error)
        files = {item.name: _verdict(again, item.name, item.sha256) for item in record.files}
        differences = tuple(_differences(record, again))
    return files, tuple(_diagnostics(folder, files, differences))


def _failed(folder: Path, record: Manifest, error: CvbuildError) -> Rebuilt:
    differences = tuple(_programs(record.world, world()))
    reason = "; ".join(item.message for item in error.diagnostics[:3])
    message = f"can't be built again: {reason}"
    hint = (
        f"it was built with {'; '.join(differences)}" if differences else error.diagnostics[0].hint
    )
    fault = Diagnostic("warning", "rebuild", message, Span(str(folder)), hint)
    return dict.fromkeys((item.name for item in record.files), "none"), (fault,)


def _verdict(again: Packet, name: str, expected: str) -> Verdict:
    if name not in again.files:
        return "none"
    return "same" if frozen_folder.digest(again.folder / name).sha256 == expected else "other"


def _diagnostics(
    folder: Path, files: Mapping[str, Verdict], differences: tuple[str, ...]
) -> Iterator[Diagnostic]:
    if differences:
        message = f"it was built with {'; '.join(differences)}"
        yield Diagnostic("note", "other-programs", message, Span(str(folder)))
    severity: Literal["error", "note"] = "note" if differences else "error"
    for name, verdict in files.items():
        if verdict != "same":
            what = "has other bytes" if verdict == "other" else "isn't made"
            message = f"{what} when it is built again"
            hint = None if differences else "nothing else has changed: please report it"
            yield Diagnostic(severity, "other-bytes", message, Span(str(folder / name)), hint)


def _differences(record: Manifest, again: Packet) -> Iterator[str]:
    """Yield what differs from now, in words: programs, TeX, fonts."""
    yield from _programs(record.world, world())
    now = {document.file: document for document in manifest.built(again.built).documents}
    yield from dict.fromkeys(
        words
        for document in record.built.documents
        if document.file in now
        for words in _document_differences(document, now[document.file])
    )


def _programs(then: World, now: World) -> Iterator[str]:
    before = {"cvbuild": then.cvbuild, "Python": then.python, **then.libraries}
    after = {"cvbuild": now.cvbuild, "Python": now.python, **now.libraries}
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name} {before.get(name, 'missing')} and not {after.get(name, 'none')}"


def _document_differences(then: Made, now: Made) -> Iterator[str]:
    if then.engine != now.engine:
        yield f"{then.engine} and not {now.engine}"
    for name, words in _PARTS.items():
        if then.parts.get(name) != now.parts.get(name):
            yield words
