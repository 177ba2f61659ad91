"""The files that a packet was made from, with the name that each has in a workspace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild.applications.load import FOLDER, LoadedApplication
from cvbuild.building.plan import Document
from cvbuild.inputs import people, workspace
from cvbuild.inputs.references import bibliography
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import MANIFEST, builtin_folder
from cvbuild.outputs.styles.templates import Library


def of(loaded: LoadedApplication, documents: Iterable[Document]) -> tuple[tuple[str, Path], ...]:
    """Return (name, path) of each file, by name: people/ada.yaml, applications/…, templates/…."""
    files = dict(_application_files(loaded))
    for document in documents:
        files |= _of_person(document)
        files = dict(_manifests(document.settings.library)) | files
        for folder in document.template.folders:
            files = _below(folder) | files
    return tuple(sorted(files.items()))


def _manifests(library: Library) -> Iterator[tuple[str, Path]]:
    """Yield the manifests of all own templates: the person's file may name any of them."""
    for folder in reversed(library.folders):
        for package in package_files.packages(folder) if folder != builtin_folder() else ():
            if (package / MANIFEST).is_file():
                yield Path("templates", package.name, MANIFEST).as_posix(), package / MANIFEST


def _application_files(loaded: LoadedApplication) -> Iterator[tuple[str, Path]]:
    """Yield the application and the files that it names."""
    folder = loaded.folder
    letter = loaded.letter and loaded.letter.letter
    names = [loaded.path.name, *(one.name for one in loaded.attached)]
    if letter:
        names += [name for name in (letter.file, letter.signature) if name]
    for name in names:
        plain = os.path.normpath(name)
        yield Path(FOLDER, plain).as_posix(), folder / plain


def _of_person(document: Document) -> dict[str, Path]:
    person, profile = document.task.person, document.task.profile
    named = [*([profile.photo] if profile.photo else []), *bibliography.named(profile)]
    names = [person.path.name, *map(os.path.normpath, named)]
    overlay = people.overlay(person.path)
    if document.task.private and overlay.is_file():
        names.append(overlay.name)
    files = {(people.FOLDER / name).as_posix(): person.path.parent / name for name in names}
    shared = workspace.file_of(person.path)
    return {**files, shared.name: shared} if shared.is_file() else files


def _below(folder: Path) -> dict[str, Path]:
    """Return the files of a template's folder; of several with a name, builds use the first."""
    paths = map(Path, package_files.listed(folder))
    return {
        Path("templates", folder.name, path.relative_to(folder)).as_posix(): path
        for path in paths
        if path.is_file()
    }
