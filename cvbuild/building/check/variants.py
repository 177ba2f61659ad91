"""Check a person's variants beyond the model: names that refer to nothing.

Sections and tags are taken from the file as it is written, so that a variant may name what is
private too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.suggestions import shown, suggest
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.profile import OWN_SECTIONS
from cvbuild.model.variant import EVERY, Variant
from cvbuild.outputs.styles.templates import Library, Template, option_faults

#: Keys of a variant that list sections, and those whose keys are sections.
_LISTS, _MAPPINGS = ("kinds", "without", "order"), ("since", "limit", "titles")


@dataclass(frozen=True, slots=True)
class NamesInFile:
    """The names of sections in a person's file, and its tags."""

    kinds: Counter[str]
    ids: tuple[str, ...]
    own: tuple[str, ...]
    """Those of summary and interests that the file has."""
    tags: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which a variant may refer to a section."""
        return tuple(dict.fromkeys((*self.ids, *self.kinds, *self.own)))


def names_in_file(data: Any) -> NamesInFile:
    """Return the names in the data of a file, whatever else is wrong with it."""
    data = data if isinstance(data, dict) else {}
    sections = [one for one in _list(data.get("sections")) if isinstance(one, dict)]
    return NamesInFile(
        Counter(one["kind"] for one in sections if isinstance(one.get("kind"), str)),
        tuple(one["id"] for one in sections if isinstance(one.get("id"), str)),
        tuple(name for name in OWN_SECTIONS if data.get(name)),
        tuple(dict.fromkeys(_tags(sections))),
    )


def _tags(value: Any) -> Iterator[str]:
    """Yield the tags of everything in the value."""
    if isinstance(value, dict):
        tags = _list(value.get("tags"))
        yield from (tag for tag in tags if isinstance(tag, str))
        for inner in value.values():
            yield from _tags(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _tags(inner)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def check_names(profile: Profile, source: Source, library: Library) -> Iterator[Diagnostic]:
    """Yield errors for variants named like a template, or with the same file on some systems."""
    owners = {name.casefold(): f'the template "{name}"' for name in library.names()}
    for name in profile.variants:
        other = owners.setdefault(name.casefold(), f'the variant "{name}"')
        if other != f'the variant "{name}"':
            message = f'the variant "{name}" and {other} would have the same file'
            span = source.key_span(("variants", name))
            yield Diagnostic(
                "error", "variant-name", message, span, "choose another name for the variant"
            )


def check_ids(profile: Profile, source: Source) -> Iterator[Diagnostic]:
    """Yield errors for ids that don't tell a section from all others."""
    places: dict[str, FieldPath] = {}
    for index, section in enumerate(profile.sections):
        name, path = section.id, ("sections", index, "id")
        if name is None:
            continue
        called = "this id" if source.is_private(path) else f'the id "{name}"'
        others = {one.kind for at, one in enumerate(profile.sections) if at != index}
        if name in others or name in OWN_SECTIONS:
            message = f"{called} already names another section"
        elif name in places:
            line = source.span(places[name]).line
            message = f"{called} is already that of the section on line {line}"
        else:
            places[name] = path
            continue
        hint = "give each section an id of its own"
        yield Diagnostic("error", "section-id", message, source.span(path), hint)


def check_references(
    profile: Profile, source: Source, in_file: NamesInFile, only: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield errors for sections and tags that the variants in ``only`` name and nothing has."""
    for name, variant in profile.variants.items():
        if name not in only:
            continue
        path: FieldPath = ("variants", name)
        known = in_file
        if variant.summary and "summary" not in known.own:
            known = NamesInFile(in_file.kinds, in_file.ids, (*in_file.own, "summary"), in_file.tags)
        yield from _sections(path, variant, source, known)
        yield from _unknown_tags(path, variant, source, known.tags)


def _sections(
    path: FieldPath, variant: Variant, source: Source, in_file: NamesInFile
) -> Iterator[Diagnostic]:
    named = [(key, at, name) for key in _LISTS for at, name in enumerate(getattr(variant, key))]
    for key, at, name in named:
        yield from _unknown(name, source.span((*path, key, at)), in_file)
    for key in _MAPPINGS:
        for name in getattr(variant, key):
            if name != EVERY or key == "titles":
                yield from _unknown(name, source.key_span((*path, key, name)), in_file)
    for name in variant.titles:
        count = in_file.kinds[name]
        if count > 1:
            message = f"{count} sections are called {name}, and only one can have this title"
            hint = "give that section an id, and use the id here"
            span = source.key_span((*path, "titles", name))
            yield Diagnostic("error", "variant-title", message, span, hint)


def _unknown(name: str, span: Span, in_file: NamesInFile) -> Iterator[Diagnostic]:
    if name not in in_file.names:
        hint = suggest(name, in_file.names, "the sections are")
        message = f"no section is called {shown(name)}"
        yield Diagnostic("error", "variant-section", message, span, hint)


def _unknown_tags(
    path: FieldPath, variant: Variant, source: Source, known: Collection[str]
) -> Iterator[Diagnostic]:
    for key in ("include", "exclude"):
        rule = getattr(variant, key)
        for tag in rule.tags if rule else ():
            if tag not in known:
                hint = suggest(tag, known, "the tags are") if known else "write tags: below items"
                message = f"nothing has the tag {shown(tag)}"
                yield Diagnostic("error", "variant-tag", message, source.span((*path, key)), hint)


def check_styles(
    profile: Profile, source: Source, library: Library, only: Collection[str] | None = None
) -> Iterator[Diagnostic]:
    """Yield errors for templates and options that don't exist or fit, of variants in ``only``."""
    for name, variant in profile.variants.items():
        if only is not None and name not in only:
            continue
        path: FieldPath = ("variants", name)
        if variant.template and variant.template not in library.names():
            message = f'unknown template "{variant.template}"'
            hint = suggest(variant.template, library.names(), "the templates are")
            span = source.span((*path, "template"))
            yield Diagnostic("error", "template", message, span, hint)
            continue
        template = _template(profile.template_of(name), library)
        for option, value in variant.options.items():
            place = (*path, "options", option)
            yield from option_faults(place, value, [template], source) if template else ()


def _template(name: str, library: Library) -> Template | None:
    """Return the template if it can be loaded; else ``templates.check`` reports why."""
    try:
        return library.find(name)
    except (KeyError, CvbuildError):
        return None
