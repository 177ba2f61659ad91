"""Templates with the name of a built-in one: said, or refused.

A clone's ``templates/academic/`` is code that nobody chose, if people's files name ``academic`` and
mean the built-in one. A folder with the same files as the built-in one replaces nothing: in a copy
of this project, all are such.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import TemplateError
from cvbuild.common.files import file_state
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import BASE, LETTER, MANIFEST
from cvbuild.outputs.styles.package_files import place


def is_silent(folder: Path, builtin: Path, own: Path | None) -> bool:
    """Return whether a folder of ``own`` has the name of a built-in one."""
    return own is not None and folder.parent == own and (builtin / folder.name).is_dir()


def copies(own: Path | None, builtin: Path) -> frozenset[Path]:
    """Return the folders of ``own`` with the name and all files of a built-in one.

    The built-in one is used instead of each. Raises TemplateError if ``own`` can't be read.
    """
    if own is None:
        return frozenset()
    found = (one for one in package_files.packages(own) if is_silent(one, builtin, own))
    return frozenset(one for one in found if _is_copy(one, builtin / one.name))


def _is_copy(folder: Path, builtin: Path) -> bool:
    if folder.is_symlink():
        return False
    try:
        pair = package_files.listed(folder), tuple(file_state.below(builtin))
    except TemplateError:
        # What is wrong with it is said of the documents that need it.
        return False
    return _are_same(folder, builtin, *(file_state.digest(one) for one in pair))


@lru_cache(maxsize=64)
def _are_same(folder: Path, builtin: Path, *_: str) -> bool:
    """Return whether the files are the same, by name and content; remembered by their stamps."""
    one, other = _contents(folder), _contents(builtin)
    return bool(one) and one == other


def _contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder that count; none if one can't be read."""
    found = (Path(one) for one in file_state.below(folder))
    try:
        return {
            one.relative_to(folder).as_posix(): hashlib.sha256(one.read_bytes()).digest()
            for one in found
            if one.is_file()
        }
    except OSError:
        return {}


def error(folder: Path) -> TemplateError:
    """Return the error for such a folder."""
    name = folder.name
    manifest = folder / MANIFEST
    path = manifest if manifest.exists() else folder
    hint = "rename it, or name its folder with --template-path if you trust it"
    if name not in (BASE, LETTER):
        hint = f"rename it, or write extends: {name} in it to build on the built-in one"
    fact = f"{name} is the name of a built-in template, which nothing says that it replaces"
    return TemplateError([Diagnostic("error", "template-replaces", fact, Span(place(path)), hint)])


def link(folder: Path) -> TemplateError:
    """Return the error for ``templates``, or a folder in it, that is a link."""
    fact = "it is a symbolic link, and a project's own templates are in its folder"
    hint = "name the folder of these templates with --template-path"
    span = Span(place(folder))
    return TemplateError([Diagnostic("error", "template-file", fact, span, hint)])


def notes(folders: Iterable[Path], builtin: Path) -> tuple[Diagnostic, ...]:
    """Return a note for each of these folders that replaces a built-in one."""
    found = [one for one in folders if one.parent != builtin and (builtin / one.name).is_dir()]
    return tuple(
        Diagnostic(
            "note",
            "template-replaces",
            f"{one.name} is that of {place(one)}, not the built-in one",
            hint="rename it if that isn't meant",
        )
        for one in found
    )
