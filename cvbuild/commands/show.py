"""``cvbuild show``: what documents show of a person's file, what they don't, and why."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from cvbuild import batch, console, document, people, selection
from cvbuild.api import known_locale, workspace_library
from cvbuild.choosing import Out
from cvbuild.contents import Part, contents
from cvbuild.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.document import Chosen, Task
from cvbuild.errors import ProfileError, UsageError
from cvbuild.hints import suggest
from cvbuild.model import Profile
from cvbuild.model.variants import Variant
from cvbuild.selection import id_of
from cvbuild.source import Source


def run(given: argparse.Namespace) -> int:
    """List on stdout; 1 if the person's file is wrong, or a variant selects nothing."""
    library, locale = workspace_library(given.template_path), known_locale(given.locale)
    (person,) = people.find([given.person])
    checked = batch.check(person, library)
    faults = list(checked.diagnostics)
    chosen: list[Chosen] = []
    if checked.profile is not None and checked.source is not None:
        for name in _names(given, checked.profile):
            variant = checked.profile.variants.get(name)
            own = batch.check(person, library, private=True) if _opens(variant) else checked
            faults += (item for item in own.diagnostics if item not in faults)
            if own.profile is not None and own.source is not None:
                task = _task(own.profile, own.source, person, name)
                chosen.append(document.choose(task, library, locale))
    for one in chosen:
        try:
            selection.require(one.selected, one.task.source)
        except ProfileError as error:
            faults += error.diagnostics
    if given.json:
        shown = [_as_json(one) for one in chosen]
        plain = [item.as_json() for item in faults]
        console.print_json({"documents": shown, "diagnostics": plain})
    else:
        for number, one in enumerate(chosen):
            console.answer("\n".join([*([""] if number else []), *_lines(one)]))
        console.show(faults)
    return 1 if any(item.severity == "error" for item in faults) else 0


def _opens(variant: Variant | None) -> bool:
    """Whether a document shows what is private by itself."""
    return variant is not None and variant.private


def _names(given: argparse.Namespace, profile: Profile) -> tuple[str, ...]:
    """The documents that are asked for; raises UsageError for a variant that isn't there."""
    if given.variant is None:
        return (given.template,) if given.template else profile.template
    if given.variant not in profile.variants:
        hint = suggest(given.variant, profile.variants, "the variants are")
        message = f'{given.person} has no variant "{given.variant}"'
        raise UsageError([Diagnostic("error", "variant", message, hint=hint)])
    return (given.variant,)


def _task(profile: Profile, source: Source, person: people.Person, name: str) -> Task:
    if name not in profile.variants:
        return Task(person, profile, source, name)
    picked = (one for one in profile.template if one not in profile.variants)
    template = profile.variants[name].template or next(picked, "academic")
    return Task(person, profile, source, template, variant=name)


def _lines(chosen: Chosen) -> Iterator[str]:
    task = chosen.task
    of = f", a variant of {task.template}" if task.variant else ""
    yield f"{task.person.name} {task.name}{of} ({task.profile.locale})"
    for section in contents(chosen.selected):
        yield ""
        yield from _section(section, task.source)
    hidden = [*_private(chosen)]
    if hidden:
        yield ""
        yield "Private, and in no public document"
        yield from (f"  ✗ {_at(span)}  {id_of(path)}" for path, span in hidden)
    if _is_one_page(chosen):
        yield ""
        yield f"{task.template} is one page: what finds no room goes too, and the build says what."


def _section(section: Part, source: Source) -> Iterator[str]:
    items = section.items
    shown = sum(item.shown for item in items)
    number = "" if shown == len(items) else f": {shown} of {len(items)}"
    place = _at(source.span(section.path))
    yield f"{_mark(section)} {place}  {section.words}{number}{_why(section.out, source)}"
    if section.out is None:
        for part in section.parts:
            yield from _part(part, source, "  ")


def _part(part: Part, source: Source, indent: str) -> Iterator[str]:
    """A line for the part; of what is in an item only what the document leaves out of it."""
    place = _at(source.span(part.path))
    if part.level == "group":
        yield f"{indent}{part.words}"
    else:
        yield f"{indent}{_mark(part)} {place}  {part.words}{_why(part.out, source)}"
    for inner in part.parts if part.out is None else ():
        if part.level == "group" or _lacks(inner):
            yield from _part(inner, source, f"{indent}  ")


def _lacks(part: Part) -> bool:
    """Whether it is out, or something in it is."""
    return not part.shown or any(map(_lacks, part.parts))


def _mark(part: Part) -> str:
    return "✓" if part.shown else "✗"


def _why(out: Out | None, source: Source) -> str:
    if out is None:
        return ""
    rule = f" ({_at(source.key_span(out.rule))})" if out.rule else ""
    return f" — {out.words}{rule}"


def _at(span: Span) -> str:
    return f"{span.file}:{span.line}"


def _private(chosen: Chosen) -> Iterator[tuple[FieldPath, Span]]:
    """Path and place of what is private; its words are nobody's business."""
    return ((one.path, one.span) for one in chosen.task.source.hidden)


def _is_one_page(chosen: Chosen) -> bool:
    return bool(chosen.template.manifest.density)


def _as_json(chosen: Chosen) -> dict[str, Any]:
    task = chosen.task
    return {
        "person": task.person.name,
        "variant": task.variant,
        "template": task.template,
        "locale": task.profile.locale,
        "one_page": _is_one_page(chosen),
        "sections": [_part_json(part, task.source) for part in contents(chosen.selected)],
        "private": [{"path": id_of(path), **_place(span)} for path, span in _private(chosen)],
    }


def _part_json(part: Part, source: Source) -> dict[str, Any]:
    why = None
    if part.out is not None:
        place = _place(source.key_span(part.out.rule)) if part.out.rule else _NOWHERE
        why = {"reason": part.out.reason, "message": part.out.words, **place}
    return {
        "path": id_of(part.path),
        "level": part.level,
        "words": part.words,
        "shown": part.shown,
        "why": why,
        **_place(source.span(part.path)),
        "parts": [_part_json(inner, source) for inner in part.parts],
    }


_NOWHERE = {"file": None, "line": None}


def _place(span: Span) -> dict[str, object]:
    return {"file": span.file, "line": span.line or None}
