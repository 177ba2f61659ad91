"""Templates with the name of a built-in one: said, or refused.

A clone's ``templates/academic/`` is code that nobody chose, if people's files name ``academic`` and
mean the built-in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import TemplateError
from cvbuild.outputs.styles.file_names import BASE, LETTER, MANIFEST
from cvbuild.outputs.styles.package_files import place


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
