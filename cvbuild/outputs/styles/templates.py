"""Templates: folders with a manifest, found by name; their options, typed; the files in them.

A template is its author's code: adding one runs it. Its Jinja is sandboxed nevertheless.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import (
    Diagnostic,
    FieldPath,
    ProfileError,
    Span,
    TemplateError,
    UsageError,
    shown_value,
    suggest,
)
from cvbuild.common.diagnostics import shown as printable
from cvbuild.common.files import file_state
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.base import FrozenMap
from cvbuild.model.profile import Profile, Variant
from cvbuild.outputs.installed import BASE, LETTER, MANIFEST, TEMPLATE, builtin_folder
from cvbuild.outputs.styles import manifests
from cvbuild.outputs.styles.manifests import SIDES, Manifest, Option


class Template(Struct, frozen=True):
    """A template; its own folder, then those it extends; ``notes`` say what it replaces."""

    name: str
    manifest: Manifest
    folders: tuple[Path, ...]
    notes: tuple[Diagnostic, ...] = ()


class Library(Struct, frozen=True):
    """The folders that are searched for templates, in this order; ``own`` is what nobody named."""

    folders: tuple[Path, ...]
    own: Path | None = None

    @classmethod
    def at(cls, *folders: Path, own: Path | None = None) -> Library:
        """Return a library of these folders, ``own`` and the built-in one; raises UsageError."""
        for folder in folders:
            if not folder.is_dir():
                fact = f'there is no folder "{folder}"'
                raise UsageError.because("template-path", fact, "look at --template-path")
        named = [*(folder.resolve() for folder in folders), builtin_folder()]
        mine = own.resolve() if own else None
        places = [*named[:-1], mine, named[-1]] if mine and mine not in named else named
        return cls(tuple(dict.fromkeys(places)), None if mine in named else mine)

    @classmethod
    def of_workspace(cls, template_path: Iterable[str | Path] = ()) -> Library:
        """Return the templates of folders, the workspace and ours; TemplateError for a link."""
        local = Path("templates")
        if local.is_symlink():
            raise link(local)
        return cls.at(*map(Path, template_path), own=local if local.is_dir() else None)

    def packages(self) -> tuple[Path, ...]:
        """Return the folders of all templates and of what they share; raises TemplateError."""
        every: list[Path] = []
        for library in self.folders:
            try:
                with os.scandir(library) as entries:
                    every += sorted(
                        Path(entry.path)
                        for entry in entries
                        if (
                            entry.is_dir()
                            if entry.name in (BASE, LETTER)
                            else TEMPLATE.fullmatch(entry.name)
                            and Path(entry.path, MANIFEST).exists()
                        )
                    )
            except OSError as error:
                fact = f"can't be read: {error.strerror or error}"
                raise _bad_file(library, fact, "check it") from None
        return tuple(every)

    def names(self) -> tuple[str, ...]:
        """Return the names of all templates, sorted."""
        names = {package.name for package in self.packages() if (package / MANIFEST).exists()}
        return tuple(sorted(name for name in names if TEMPLATE.fullmatch(name)))

    def find(self, name: str) -> Template:
        """Return the template of that name; raise TemplateError if faulty, KeyError if missing."""
        names = self.names()
        if name not in names:
            raise KeyError(name)
        # The digest is for a process that runs while manifests are edited.
        every = (folder / each / MANIFEST for folder in self.folders for each in (*names, BASE))
        template = _read(name, self, file_state.stamps_hash(every))
        for folder in template.folders:
            # What was read is remembered, but a link may be new.
            _check_folder(folder, self)
        return template

    def letter(self, template: Template) -> Template:
        """Return the template that sets letters in this style, on as many pages as they need."""
        # It has no manifest, so no name refers to it as a template. Raises TemplateError.
        places = (folder / LETTER for folder in self.folders)
        base = next(place for place in places if place.is_dir() and not (place / MANIFEST).exists())
        _check_folder(base, self)
        _refuse_silent(base, self.own)
        tex = template.manifest.tex.model_copy(update={"density": (), "paging": (), "fit": ()})
        manifest = template.manifest.model_copy(update={"pages": "any", "tex": tex})
        notes = (*template.notes, *_replacing([base]))
        return Template(LETTER, manifest, (base, *template.folders), notes)

    def require(self, name: str) -> Template:
        """Return the template for a name of a command line; raise UsageError if it is unknown."""
        try:
            return self.find(name)
        except KeyError:
            hint = suggest(name, self.names(), "the templates are")
            raise UsageError.because("template", f'unknown template "{name}"', hint) from None


def _check_folder(folder: Path, library: Library) -> None:
    """Raise TemplateError for a folder with links, or one that a link makes part of ``own``."""
    if folder.parent == builtin_folder():
        return
    if folder.parent == library.own and folder.is_symlink():
        raise link(folder)
    listed(folder)


@lru_cache(maxsize=256)
def _read(name: str, library: Library, _: str) -> Template:
    chain: list[Path] = []
    sources: list[Source] = []
    here = name
    while True:
        # Not Path.is_dir, which raises OSError for a name that is too long.
        places = (folder / here for folder in library.folders)
        existing = [place for place in places if os.path.isdir(place)]  # noqa: PTH112
        fact = f'extends "{here}", which doesn\'t exist'
        if chain and chain[-1] in existing:
            # It extends the template of its own name that it replaces.
            existing, fact = existing[existing.index(chain[-1]) + 1 :], "extends itself"
        if not existing:
            raise TemplateError.because("template-extends", f'template "{chain[0].name}" {fact}')
        folder = existing[0]
        _check_folder(folder, library)
        if folder in chain:
            raise TemplateError.because("template-extends", f'template "{name}" extends itself')
        chain.append(folder)
        if here != BASE or (folder / MANIFEST).exists():
            sources.append(manifests.load(folder / MANIFEST))
        above = here
        here = manifests.extended(sources[-1]) if above != BASE else ""
        if here != above:
            _refuse_silent(folder, library.own)
        if above == BASE:
            return Template(name, manifests.read(sources), tuple(chain), _replacing(chain))


def check(profile: Profile, source: Source, library: Library) -> None:
    """Raise ProfileError for templates and options of a profile that don't exist or don't fit."""
    wrong: list[Diagnostic] = []
    # A file with another error has no variants yet, but it has their names.
    written = source.data.get("variants") if isinstance(source.data, dict) else None
    variants = tuple(written) if isinstance(written, dict) else ()
    noun = "the templates and variants are" if variants else "the templates are"
    names = library.names()
    for index, name in enumerate(profile.template):
        if name not in (*names, *variants):
            span, hint = source.span(("template", index)), suggest(name, (*names, *variants), noun)
            wrong.append(Diagnostic("error", "template", f'unknown template "{name}"', span, hint))
    templates = [library.find(name) for name in names] if profile.options else []
    for key, value in profile.options.items():
        having = [option for each in templates if (option := each.manifest.options.get(key))]
        is_margins = any(option.type == "margins" for option in having)
        # The options of a template; but margin takes a mapping, too: {top: 30}.
        if (
            key in names
            and isinstance(value, FrozenMap)
            and not (is_margins and not {*value}.isdisjoint(SIDES))
            and all(_error(option, value) for option in having)
        ):
            template = library.find(key)
            for name, inner in value.items():
                wrong += option_faults(("options", key, name), inner, [template], source)
        else:
            wrong += option_faults(("options", key), value, templates, source)
    if wrong:
        raise ProfileError(wrong)


#: The wrong element of a list, in a hint.
_WITHOUT = re.compile(r' without ".*": ', re.DOTALL)


def option_faults(
    path: FieldPath, value: object, templates: Iterable[Template], source: Source
) -> list[Diagnostic]:
    """Return what is wrong with an option: no template has it, or none takes its value."""
    name = str(path[-1])
    having = [t.manifest.options[name] for t in templates if name in t.manifest.options]
    hidden = source.is_private(path)
    if not having:
        names = {key for template in templates for key in template.manifest.options}
        if isinstance(value, FrozenMap) and path[0] == "options":
            names |= {template.name for template in templates}
        message = "unknown option" if hidden else f'unknown option "{name}"'
        hint = suggest(name, sorted(names), "the options are")
        return [Diagnostic("error", "option", message, source.key_span(path), hint)]
    if value is None:
        return []
    faults = [f"write {error}" for option in having if (error := _error(option, value))]
    if len(faults) < len(having):
        return []
    quotes = not (hidden or isinstance(value, tuple))
    message = f"{name} can't be {shown_value(value)}" if quotes else f"{name} has a wrong value"
    hint = _WITHOUT.sub(" of kinds: ", faults[0]) if hidden else faults[0]
    return [Diagnostic("error", "option-value", message, source.span(path), hint)]


def _error(option: Option, value: object) -> str | None:
    try:
        option.read(value)
    except ValueError as error:
        return str(error)
    return None


def origins(
    template: Template, profile: Profile, variant: Variant | None = None
) -> Mapping[str, tuple[Any, FieldPath | None]]:
    """Return the typed value of every option, and its path in the file; None for a default.

    The variant's come first, then the person's for this template, those for all, the default. One
    that doesn't fit is skipped: ``check`` has made sure that it fits another template.
    """
    options = profile.options.get(template.name)
    layers: list[tuple[Mapping[str, Any], FieldPath]] = [(profile.options, ("options",))]
    if isinstance(options, FrozenMap):
        layers.insert(0, (options, ("options", template.name)))
    if variant:
        called = next((name for name, other in profile.variants.items() if other is variant), "")
        layers.insert(0, (variant.options, ("variants", called, "options")))
    chosen: dict[str, tuple[Any, FieldPath | None]] = {}
    for name, option in template.manifest.options.items():
        candidates = [(values[name], (*at, name)) for values, at in layers if name in values]
        for candidate, path in (*candidates, (option.default, None)):
            if candidate is None:
                continue
            with contextlib.suppress(ValueError):
                chosen[name] = option.read(candidate), path
                break
    return chosen


# -- the files in their folders --------------------------------------------------------------------
# TeX and Jinja read what lies in a template's folder, through links as well. So a template with a
# link, a pipe or a device in it is refused before anything of it is used.


#: How many files and bytes a template may have.
MAX_FILES, MAX_BYTES = 10_000, 256 << 20
#: How deep the folders of a template may be.
_MAX_DEPTH = 20
_FEWER = "keep only what TeX needs there"


def listed(folder: Path) -> tuple[str, ...]:
    """Return the folder and all that counts below it, sorted; TemplateError for what may not be."""
    paths, number, size = [os.fspath(folder)], 0, 0
    # Each folder with its depth, and whether a document may depend on what is in it.
    left = [(os.fspath(folder), 0, True)]
    while left:
        here, depth, is_counted = left.pop()
        if depth > _MAX_DEPTH:
            raise _bad_file(here, f"folders in a template are at most {_MAX_DEPTH} deep", _FEWER)
        try:
            entries = [*os.scandir(here)]
        except OSError as error:
            raise _bad_file(here, f"can't be read: {error.strerror or error}", "check it") from None
        for entry in entries:
            try:
                state = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # It is being saved.
            counts = is_counted and file_state.counts(entry.name)
            if stat.S_ISDIR(state.st_mode) and not entry.is_symlink():
                left.append((entry.path, depth + 1, counts))
            elif entry.is_symlink():
                target = "another place"
                with contextlib.suppress(OSError):
                    target = printable(str(Path(entry.path).readlink()))
                fact = f"it is a symbolic link to {target}, and TeX would follow it"
                raise _bad_file(entry.path, fact, "put the file itself there")
            elif not stat.S_ISREG(state.st_mode):
                raise _bad_file(entry.path, "a template has only files and folders", "remove it")
            number, size = number + 1, size + state.st_size
            if number > MAX_FILES:
                raise _bad_file(folder, f"the template has over {MAX_FILES:,} files", _FEWER)
            if size > MAX_BYTES:
                raise _bad_file(folder, f"the template takes over {MAX_BYTES >> 20} MiB", _FEWER)
            if counts:
                paths.append(entry.path)
    return tuple(sorted(paths))


def _bad_file(path: str | Path, fact: str, hint: str) -> TemplateError:
    return TemplateError([Diagnostic("error", "template-file", fact, Span(place(path)), hint)])


def place(path: str | Path) -> str:
    """Return a path for messages: relative to the working folder if it is below it."""
    try:
        return printable(str(Path(path).relative_to(Path.cwd())))
    except (ValueError, OSError):
        return printable(str(path))


# -- templates with the name of a built-in one -----------------------------------------------------
# They are said, or refused: a clone's ``templates/academic/`` is code that nobody chose, if
# people's files name ``academic`` and mean the built-in one.


def _refuse_silent(folder: Path, own: Path | None) -> None:
    """Raise TemplateError for a folder of ``own`` with the name of a built-in one."""
    name = folder.name
    if own is None or folder.parent != own or not (builtin_folder() / name).is_dir():
        return
    span = Span(place(folder / MANIFEST if (folder / MANIFEST).exists() else folder))
    hint = "rename it, or name its folder with --template-path if you trust it"
    if name not in (BASE, LETTER):
        hint = f"rename it, or write extends: {name} in it to build on the built-in one"
    fact = f"{name} is the name of a built-in template, which nothing says that it replaces"
    raise TemplateError([Diagnostic("error", "template-replaces", fact, span, hint)])


def link(folder: Path) -> TemplateError:
    """Return the error for ``templates``, or a folder in it, that is a link."""
    fact = "it is a symbolic link, and a project's own templates are in its folder"
    return _bad_file(folder, fact, "name the folder of these templates with --template-path")


def _replacing(folders: Iterable[Path]) -> tuple[Diagnostic, ...]:
    """Return a note for each of these folders that replaces a built-in one."""
    builtin, hint = builtin_folder(), "rename it if that isn't meant"
    facts = (
        f"{folder.name} is that of {place(folder)}, not the built-in one"
        for folder in folders
        if folder.parent != builtin and (builtin / folder.name).is_dir()
    )
    return tuple(Diagnostic("note", "template-replaces", fact, hint=hint) for fact in facts)
