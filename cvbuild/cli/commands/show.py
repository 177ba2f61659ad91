"""``cvbuild show``: list what documents show of a person's file, what they don't, and why."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from cvbuild.building import Pending, Request, batch, pipeline
from cvbuild.building.profiles import Checked
from cvbuild.building.requested import checked_request, require_variants, settings_of
from cvbuild.cli import console
from cvbuild.cli.workspace import epoch
from cvbuild.common.diagnostics import Diagnostic, Span, id_of
from cvbuild.common.errors import DocumentError, ProfileError
from cvbuild.inputs import people
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.types import Shown
from cvbuild.selection import select
from cvbuild.selection.inventory import Part, inventory
from cvbuild.selection.selected import Out


def run(given: argparse.Namespace) -> int:
    """List on stdout; return 1 if the person's file is wrong, or a variant selects nothing."""
    persons = people.find([given.person])
    request = Request(
        "out",
        templates=(given.template,) if given.template else (),
        variants=(given.variant,) if given.variant else (),
        template_path=tuple(given.template_path),
        locale=given.locale,
        epoch=epoch(),
        private=given.private,
        sets=tuple(given.set),
        one_folder=True,
    )
    settings = settings_of(request)
    requested = checked_request(request, settings.library)
    require_variants(persons, requested)
    faults: list[Diagnostic] = []

    def on_checked(checked: Checked) -> None:
        faults.extend(checked.diagnostics)

    documents: list[_Listed] = []
    pending = [Pending(person) for person in persons]
    for task in batch.read(pending, requested, settings, on_checked):
        try:
            library, day = settings.library, settings.counted_from
            shown = pipeline.choose(task, library, settings.locale, day)
            documents.append(_Listed(shown))
            select.require(shown.selected, task.source)
        except (ProfileError, DocumentError) as error:
            faults += error.diagnostics
    if given.json:
        console.print_json({"documents": documents, "diagnostics": faults})
    else:
        for number, document in enumerate(documents):
            console.answer("\n".join([*([""] if number else []), *document.lines()]))
        console.show(faults)
    return 1 if any(item.severity == "error" for item in faults) else 0


class _Listed(Struct, frozen=True):
    """A document with all parts of the person's file."""

    shown: Shown

    def lines(self) -> Iterator[str]:
        """Yield the lines of the list."""
        task = self.shown.task
        suffix = f", a variant of {task.template}" if task.shown_variant else ""
        yield f"{task.person.name} {task.name}{suffix} ({task.profile.locale})"
        for section in inventory(self.shown.selected):
            yield ""
            yield from _section(section, task.source)
        if task.source.private:
            yield ""
            yield "Private, and in no public document"
            for secret in task.source.private:
                yield f"  ✗ {secret.span.in_short}  {id_of(secret.path)}"
        if self._is_one_page:
            yield ""
            yield f"{task.template} is one page: what doesn't fit is left out, as the build says."

    @property
    def _is_one_page(self) -> bool:
        return bool(self.shown.template.manifest.tex.density)

    def as_json(self) -> dict[str, Any]:
        """Return the same for scripts, what is private without its words."""
        task = self.shown.task
        parts = inventory(self.shown.selected)
        private = task.source.private
        return {
            "person": task.person.name,
            "variant": task.shown_variant,
            "template": task.template,
            "locale": task.profile.locale,
            "one_page": self._is_one_page,
            "sections": [_part_json(part, task.source) for part in parts],
            "private": [{"path": id_of(one.path), **_place(one.span)} for one in private],
        }


def _section(section: Part, source: Source) -> Iterator[str]:
    items = section.items
    shown = sum(item.shown for item in items)
    number = "" if shown == len(items) else f": {shown} of {len(items)}"
    place = source.span(section.path).in_short
    yield f"{_mark(section)} {place}  {section.words}{number}{_why(section.out, source)}"
    if section.out is None:
        for part in section.parts:
            yield from _part(part, source, "  ")


def _part(part: Part, source: Source, indent: str) -> Iterator[str]:
    """Yield the line of a part, and of what the document leaves out inside it."""
    place = source.span(part.path).in_short
    if part.level == "group":
        yield f"{indent}{part.words}"
    else:
        yield f"{indent}{_mark(part)} {place}  {part.words}{_why(part.out, source)}"
    for inner in part.parts if part.out is None else ():
        if part.level == "group" or _is_incomplete(inner):
            yield from _part(inner, source, f"{indent}  ")


def _is_incomplete(part: Part) -> bool:
    """Return whether the part, or something in it, is left out."""
    return not part.shown or any(map(_is_incomplete, part.parts))


def _mark(part: Part) -> str:
    return "✓" if part.shown else "✗"


def _why(out: Out | None, source: Source) -> str:
    return f" — {out.located(source)}" if out else ""


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
