"""Templates: folders with a manifest, found by name; their options, typed.

A template is its author's code: adding one runs it. Its Jinja is sandboxed nevertheless.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import ProfileError, TemplateError, UsageError
from cvbuild.common.files import file_state
from cvbuild.common.suggestions import shown, suggest
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap
from cvbuild.model.variant import Variant
from cvbuild.outputs.styles import (
    BASE,
    LETTER,
    MANIFEST,
    TEMPLATE,
    builtin_folder,
    manifests,
    package_files,
)
from cvbuild.outputs.styles.manifests import SIDES, Manifest, Option


class Template(Struct, frozen=True):
    """A template; its own folder, then those it extends; ``notes`` say what it replaces."""

    name: str
    manifest: Manifest
    folders: tuple[Path, ...]
    notes: tuple[Diagnostic, ...] = ()


class Library(Struct, frozen=True):
    """The folders that are searched for templates, in this order.

    ``own`` is the one of them that nobody named: ``templates/`` of the working folder. What is in
    there replaces no built-in template, unless it extends it.
    """

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

    def packages(self) -> tuple[Path, ...]:
        """Return the folders of all templates and of what they share; raises TemplateError."""
        return tuple(one for folder in self.folders for one in package_files.packages(folder))

    def names(self) -> tuple[str, ...]:
        """Return the names of all templates, sorted."""
        names = {one.name for one in self.packages() if _has_manifest(one)}
        return tuple(sorted(name for name in names if TEMPLATE.fullmatch(name)))

    def find(self, name: str) -> Template:
        """Return the template of that name; raise TemplateError if faulty, KeyError if missing."""
        names = self.names()
        if name not in names:
            raise KeyError(name)
        # The digest is for a process that runs while manifests are edited.
        every = (folder / one / MANIFEST for folder in self.folders for one in (*names, BASE))
        template = _read(name, self, file_state.digest(every))
        for folder in template.folders:
            # What was read is remembered, but a link may be new.
            _check_folder(folder, self)
        return template

    def letter(self, template: Template) -> Template:
        """Return the template that sets letters in this style, on as many pages as they need.

        It has no manifest, so no name refers to it as a template. Raises TemplateError.
        """
        places = (folder / LETTER for folder in self.folders)
        base = next(place for place in places if place.is_dir() and not _has_manifest(place))
        _check_folder(base, self)
        if package_files.is_silent(base, builtin_folder(), self.own):
            raise package_files.error(base)
        tex = template.manifest.tex.model_copy(update={"density": (), "paging": (), "fit": ()})
        manifest = template.manifest.model_copy(update={"pages": "any", "tex": tex})
        notes = (*template.notes, *package_files.notes([base], builtin_folder()))
        return Template(LETTER, manifest, (base, *template.folders), notes)

    def require(self, name: str) -> Template:
        """Return the template for a name of a command line; raise UsageError if it is unknown."""
        try:
            return self.find(name)
        except KeyError:
            hint = suggest(name, self.names(), "the templates are")
            raise UsageError.because("template", f'unknown template "{name}"', hint) from None


def _has_manifest(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def _folder(name: str, library: Library, chain: list[Path]) -> Path:
    """Return the folder of that name that extends the chain; raise TemplateError for none."""
    # Not Path.is_dir, which raises OSError for a name that is too long.
    places = (folder / name for folder in library.folders)
    existing = [place for place in places if os.path.isdir(place)]  # noqa: PTH112
    if chain and chain[-1] in existing:
        # It extends the template of its own name that it replaces.
        existing = existing[existing.index(chain[-1]) + 1 :]
        if not existing:
            message = f'template "{chain[0].name}" extends itself'
            raise TemplateError.because("template-extends", message)
    if not existing:
        message = f'template "{chain[0].name}" extends "{name}", which doesn\'t exist'
        raise TemplateError.because("template-extends", message)
    _check_folder(existing[0], library)
    return existing[0]


def _check_folder(folder: Path, library: Library) -> None:
    """Raise TemplateError for a folder with links, or one that a link makes part of ``own``."""
    if folder.parent == builtin_folder():
        return
    if folder.parent == library.own and folder.is_symlink():
        raise package_files.link(folder)
    package_files.listed(folder)


@lru_cache(maxsize=256)
def _read(name: str, library: Library, _: str) -> Template:
    chain: list[Path] = []
    sources: list[Source] = []
    here = name
    while True:
        folder = _folder(here, library, chain)
        if folder in chain:
            raise TemplateError.because("template-extends", f'template "{name}" extends itself')
        chain.append(folder)
        if here != BASE or _has_manifest(folder):
            sources.append(manifests.load(folder / MANIFEST))
        above = here
        here = manifests.extended(sources[-1]) if above != BASE else ""
        if here != above and package_files.is_silent(folder, builtin_folder(), library.own):
            raise package_files.error(folder)
        if above == BASE:
            notes = package_files.notes(chain, builtin_folder())
            return Template(name, manifests.read(sources), tuple(chain), notes)


def check(profile: Profile, source: Source, library: Library) -> None:
    """Raise ProfileError for templates and options of a profile that don't exist or don't fit."""
    wrong = [*_unknown_templates(profile, source, library)]
    known = [library.find(name) for name in library.names()] if profile.options else []
    for key, value in profile.options.items():
        if key in library.names() and _has_options(key, value, known):
            template = library.find(key)
            for name, inner in value.items():
                wrong += option_faults(("options", key, name), inner, [template], source)
        else:
            wrong += option_faults(("options", key), value, known, source)
    if wrong:
        raise ProfileError(wrong)


def _has_options(name: str, value: object, templates: Iterable[Template]) -> bool:
    """Return whether a value holds the options of the template of that name.

    The option ``margin`` takes a mapping, too: ``margin: {top: 30}``.
    """
    if not isinstance(value, FrozenMap):
        return False
    choices = [template.manifest.options.get(name) for template in templates]
    options = [option for option in choices if option]
    if any(option.type == "margins" for option in options) and not {*value}.isdisjoint(SIDES):
        return False
    return all(_error(option, value) for option in options)


def _unknown_templates(profile: Profile, source: Source, library: Library) -> Iterable[Diagnostic]:
    # A file with another error has no variants yet, but it has their names.
    written = source.data.get("variants") if isinstance(source.data, dict) else None
    variants = tuple(written) if isinstance(written, dict) else ()
    noun = "the templates and variants are" if variants else "the templates are"
    known = (*library.names(), *variants)
    for index, name in enumerate(profile.template):
        if name not in known:
            span, hint = source.span(("template", index)), suggest(name, known, noun)
            yield Diagnostic("error", "template", f'unknown template "{name}"', span, hint)


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
    message = f"{name} can't be {shown(value)}" if quotes else f"{name} has a wrong value"
    hint = _WITHOUT.sub(" of kinds: ", faults[0]) if hidden else faults[0]
    return [Diagnostic("error", "option-value", message, source.span(path), hint)]


def _error(option: Option, value: object) -> str | None:
    """Return what an option takes, if it doesn't take the value."""
    try:
        option.read(value)
    except ValueError as error:
        return str(error)
    return None


def resolve(
    template: Template, profile: Profile, variant: Variant | None = None
) -> Mapping[str, Any]:
    """Return the typed value of every option of the template for this person; see ``origins``."""
    values = origins(template, profile, variant)
    return MappingProxyType({name: value for name, (value, _) in values.items()})


def origins(
    template: Template, profile: Profile, variant: Variant | None = None
) -> Mapping[str, tuple[Any, FieldPath | None]]:
    """Return the typed value of every option, and its path in the file; None for a default.

    The variant's value comes before the person's own for this template, then the person's for all
    templates, then the default. A general value that does not fit this template's type is skipped:
    ``check`` has made sure that it fits one that has the option.
    """
    options = profile.options.get(template.name)
    layers: list[tuple[Mapping[str, Any], FieldPath]] = [(profile.options, ("options",))]
    if isinstance(options, FrozenMap):
        layers.insert(0, (options, ("options", template.name)))
    if variant:
        called = next((name for name, one in profile.variants.items() if one is variant), "")
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
