"""The folders of templates, and the files in them: regular files and folders, in bounds.

TeX and Jinja read what lies in a template's folder, through links as well. So a template with a
link, a pipe or a device in it is refused before anything of it is used.

Templates with the name of a built-in one are said, or refused: a clone's ``templates/academic/`` is
code that nobody chose, if people's files name ``academic`` and mean the built-in one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic, Span, shown
from cvbuild.common.errors import TemplateError
from cvbuild.common.files import file_state
from cvbuild.outputs.styles import BASE, LETTER, MANIFEST, TEMPLATE

#: How many templates a folder may have, and how many files and bytes a template.
MAX_TEMPLATES, MAX_FILES, MAX_BYTES = 2_000, 10_000, 256 << 20
#: How deep the folders of a template may be.
_MAX_DEPTH = 20


def packages(library: Path) -> tuple[Path, ...]:
    """Return a library's folders of templates and their parts, sorted; raises TemplateError."""
    try:
        with os.scandir(library) as entries:
            folders = [Path(entry.path) for entry in entries if _is_package(entry)]
    except OSError as error:
        raise _error(library, f"can't be read: {error.strerror or error}", "check it") from None
    if len(folders) > MAX_TEMPLATES:
        raise _error(library, f"has over {MAX_TEMPLATES:,} templates", "name another folder")
    return tuple(sorted(folders))


def _is_package(entry: os.DirEntry[str]) -> bool:
    if entry.name in (BASE, LETTER):
        return entry.is_dir()
    return bool(TEMPLATE.fullmatch(entry.name)) and Path(entry.path, MANIFEST).exists()


def listed(folder: Path) -> tuple[str, ...]:
    """Return the folder and all files and folders below it that count, sorted.

    Raises TemplateError, located at what may not be there: a link, what is no regular file, more
    than ``MAX_FILES`` files or ``MAX_BYTES``.
    """
    paths, number, size = [os.fspath(folder)], 0, 0
    for path, state, is_counted in _below(folder):
        number, size = number + 1, size + state.st_size
        if number > MAX_FILES:
            raise _error(folder, f"the template has over {MAX_FILES:,} files", _FEWER)
        if size > MAX_BYTES:
            raise _error(folder, f"the template takes over {MAX_BYTES >> 20} MiB", _FEWER)
        if is_counted:
            paths.append(path)
    return tuple(sorted(paths))


_FEWER = "keep only what TeX needs there"


def _below(folder: Path) -> Iterator[tuple[str, os.stat_result, bool]]:
    """Yield path and state of everything below, and whether a document may depend on it."""
    left = [(os.fspath(folder), 0, True)]
    while left:
        here, depth, is_counted = left.pop()
        if depth > _MAX_DEPTH:
            raise _error(here, f"folders in a template are at most {_MAX_DEPTH} deep", _FEWER)
        try:
            entries = list(os.scandir(here))
        except OSError as error:
            raise _error(here, f"can't be read: {error.strerror or error}", "check it") from None
        for entry in entries:
            state = entry.stat(follow_symlinks=False)
            counts = is_counted and file_state.counts(entry.name)
            if stat.S_ISDIR(state.st_mode) and not entry.is_symlink():
                left.append((entry.path, depth + 1, counts))
            elif not stat.S_ISREG(state.st_mode):
                raise _refused(entry)
            yield entry.path, state, counts


def _refused(entry: os.DirEntry[str]) -> TemplateError:
    if not entry.is_symlink():
        return _error(entry.path, "a template has only files and folders", "remove it")
    try:
        target = shown(str(Path(entry.path).readlink()))
    except OSError:
        target = "another place"
    fact = f"it is a symbolic link to {target}, and TeX would follow it"
    return _error(entry.path, fact, "put the file itself there")


def _error(path: str | Path, fact: str, hint: str) -> TemplateError:
    return TemplateError([Diagnostic("error", "template-file", fact, Span(place(path)), hint)])


def place(path: str | Path) -> str:
    """Return a path for messages: relative to the working folder if it is below it."""
    try:
        return shown(str(Path(path).relative_to(Path.cwd())))
    except (ValueError, OSError):
        return shown(str(path))


# -- templates with the name of a built-in one ---------------------------------------------------


def is_silent(folder: Path, builtin: Path, own: Path | None) -> bool:
    """Return whether a folder of ``own`` has the name of a built-in one."""
    return own is not None and folder.parent == own and (builtin / folder.name).is_dir()


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
    return _error(folder, fact, "name the folder of these templates with --template-path")


def notes(folders: Iterable[Path], builtin: Path) -> tuple[Diagnostic, ...]:
    """Return a note for each of these folders that replaces a built-in one."""
    hidden = [one for one in folders if one.parent != builtin and (builtin / one.name).is_dir()]
    facts = (f"{one.name} is that of {place(one)}, not the built-in one" for one in hidden)
    hint = "rename it if that isn't meant"
    return tuple(Diagnostic("note", "template-replaces", fact, hint=hint) for fact in facts)
