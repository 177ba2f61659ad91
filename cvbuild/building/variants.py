"""Check a person's variants beyond the model: names that refer to nothing.

Sections and tags are taken from the file as it is written, so that a variant may name what is
private too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date as Day

from msgspec import structs

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, shown_value, suggest
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import layers, workspace
from cvbuild.inputs.person_file import NamesInFile
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.contact import Contact
from cvbuild.model.profile import EVERY, OWN_SECTIONS, Variant
from cvbuild.outputs.templates import Library, option_faults
from cvbuild.selection import select, selected

#: The codes of a section or a tag that a file hasn't, and of a document that has nothing.
SECTION, TAG, NOTHING = "variant-section", "variant-tag", "variant-nothing"
#: All names that a section can have without an id.
SECTIONS = (*Profile.KINDS, *OWN_SECTIONS, "closing")
#: Keys of a variant that list sections, and those whose keys are sections.
_LISTS, _MAPPINGS = ("kinds", "without", "order"), ("since", "limit", "titles")


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
        others = {section.kind for at, section in enumerate(profile.sections) if at != index}
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
    """Yield errors for sections and tags that the variants in ``only`` name and nothing has.

    What the rules of a workspace name, and sections of ``--set``, need not be in each person's
    file.
    """
    for name, variant in profile.variants.items():
        if name not in only:
            continue
        known = in_file
        if variant.summary and "summary" not in known.own:
            known = structs.replace(in_file, own=(*in_file.own, "summary"))
        for error, may_lack in references(("variants", name), variant, source, known):
            place = error.span or Span("")
            is_shared = workspace.is_shared(place)
            is_set = error.code == SECTION and place.file.startswith(layers.OPTION)
            if not (workspace.is_of_call(place) or (may_lack and (is_shared or is_set))):
                yield replace(error, severity="warning") if is_shared else error


def references(
    path: FieldPath, variant: Variant, source: Source, in_file: NamesInFile
) -> Iterator[tuple[Diagnostic, bool]]:
    """Yield an error for each name in a variant, which is at this path, that doesn't fit a file.

    And whether the file may be as it is if the rule is many people's.
    """
    yield from _sections(path, variant, source, in_file)
    for name in variant.titles:
        count = in_file.kinds[name]
        if count > 1:
            message = f"{count} sections are called {name}, and only one can have this title"
            hint = "give that section an id, and use the id here"
            span = source.key_span((*path, "titles", name))
            yield Diagnostic("error", "variant-title", message, span, hint), True
    for key in ("include", "exclude"):
        rule, span = getattr(variant, key), source.span((*path, key))
        for tag in rule.tags if rule else ():
            if tag not in in_file.tags:
                known, message = in_file.tags, f"nothing has the tag {shown_value(tag)}"
                hint = suggest(tag, known, "the tags are") if known else "write tags: below items"
                yield Diagnostic("error", TAG, message, span, hint), True


def _sections(
    path: FieldPath, variant: Variant, source: Source, in_file: NamesInFile
) -> Iterator[tuple[Diagnostic, bool]]:
    named = [(key, at, name) for key in _LISTS for at, name in enumerate(getattr(variant, key))]
    places = [(name, source.span((*path, key, at))) for key, at, name in named]
    for key in _MAPPINGS:
        keys = [name for name in getattr(variant, key) if name != EVERY or key == "titles"]
        places += [(name, source.key_span((*path, key, name))) for name in keys]
    for name, span in places:
        if name not in in_file.names:
            hint = suggest(name, in_file.names, "the sections are")
            if name.replace("-", "_") in Contact.model_fields:
                hint = f"{name} is contact data: hide it with {{value: …, private: true}} there"
            message = f"no section is called {shown_value(name)}"
            yield Diagnostic("error", SECTION, message, span, hint), name in SECTIONS


def nothing(profile: Profile, source: Source, name: str, day: Day) -> Diagnostic | None:
    """Return a note if a variant of the workspace or ``--set`` leaves nothing of this person."""
    span = source.key_span(("variants", name))
    is_own = not (workspace.is_shared(span) or span.file.startswith(layers.OPTION))
    if name not in profile.variants or is_own:
        return None
    shown_by_it, _ = selected.applied(selected.dated(profile, day), source, name)
    if not select.leaves_nothing(select.select(shown_by_it, {}, name)):
        return None
    hint = f"it isn't built: {span.in_short} selects nothing of the file"
    return Diagnostic("note", NOTHING, f'nothing for "{name}"', Span(source.name), hint)


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
        for option, value in variant.options.items():
            place = (*path, "options", option)
            names = [profile.template_of(name)]
            if variant.template is None and workspace.is_shared(source.key_span(place)):
                # Not everybody's template must have it.
                names = [*library.names()]
            known = []
            for each in names:
                # Of a template that can't be loaded ``templates.check`` reports why.
                with suppress(KeyError, CvbuildError):
                    known.append(library.find(each))
            yield from option_faults(place, value, known, source) if known else ()
