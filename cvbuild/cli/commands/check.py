"""``cvbuild check``: validate people's files, or a PDF; build nothing."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from cvbuild.building import plan
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common import git
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.templates import Library
from cvbuild.selection import select


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with everybody's files; 1 if anything is."""
    if given.pdf is not None:
        from cvbuild.cli.commands import check_pdf

        return check_pdf.run(given)
    library = workspace_library(given.template_path)
    found = {person: _found(person, library) for person in people.find(given.people)}
    faults = [item for items in found.values() for item in items]
    if not given.people:
        faults += _nobodys()
    fine = [all(item.severity != "error" for item in items) for items in found.values()]
    if given.json:
        console.print_json(
            {
                "people": [
                    {"person": person.name, "path": str(person.path), "ok": ok}
                    for person, ok in zip(found, fine, strict=True)
                ],
                "diagnostics": [item.as_json() for item in faults],
            }
        )
    else:
        console.show(faults)
        console.say(f"{sum(fine)} of {len(fine)} files are fine")
    return 0 if all(fine) else 1


def _found(person: Person, library: Library) -> list[Diagnostic]:
    """All there is to say of the public part, and of all of it with the overlay."""
    public = whole = profiles.check(person, library)
    source, overlay = public.source, people.overlay(person.path)
    if source is not None and (source.hidden or os.path.lexists(overlay)):
        whole = profiles.check(person, library, private=True)
    items = (*public.diagnostics, *whole.diagnostics, *_empty(public, whole, library))
    return [*dict.fromkeys(items), *_advice(public), *_taken(overlay)]


def _empty(public: Checked, whole: Checked, library: Library) -> Iterator[Diagnostic]:
    """Variants that select nothing of what they may show: an error of that document alone."""
    for checked, private in ((public, False), (whole, True)):
        variants = checked.profile.variants if checked.profile else {}
        names = [name for name, one in variants.items() if one.private == private]
        for task in profiles.tasks([checked], names) if names else ():
            try:
                select.require(plan.choose(task, library, None).selected, task.source)
            except CvbuildError as error:
                yield from error.diagnostics


def _advice(checked: Checked) -> Iterator[Diagnostic]:
    """A warning for what is public of a person's file and had better not be."""
    if checked.profile is None or checked.source is None:
        return
    contact = checked.profile.contact
    found: list[tuple[str, FieldPath]] = [
        ("a phone number", ("contact", "phone", at)) for at in range(len(contact.phone))
    ]
    if contact.birth_date is not None:
        found.append(("the date of birth", ("contact", "birth-date")))
    file = people.overlay(checked.person.path)
    for what, path in found:
        yield Diagnostic(
            "warning",
            "public",
            f"{what} is in every CV that is built",
            checked.source.span(path),
            f"move it to {file}, or say that it is private: docs/privacy.md",
        )


def _taken(overlay: Path) -> Iterator[Diagnostic]:
    """A warning for an overlay that git would take, and that others would get with the rest."""
    if os.path.lexists(overlay) and not git.ignored(overlay):
        message = "git doesn't ignore this file, which is private"
        hint = "add the line *.private.yaml to .gitignore"
        yield Diagnostic("warning", "overlay-taken", message, Span(str(overlay)), hint)


def _nobodys() -> Iterator[Diagnostic]:
    """A warning for each overlay that is nobody's, or that nobody reads."""
    for path in sorted(filter(people.is_overlay, people.FOLDER.iterdir())):
        name = path.name[: path.name.lower().rindex(".private.")]
        person = people.FOLDER / f"{name}.yaml"
        if path.name != people.overlay(person).name:
            message = "this isn't read, and git doesn't ignore it"
            hint = f"call it {people.overlay(person).name}"
        elif not person.exists():
            message = f"there is no {person} that this belongs to"
            hint = "give it the name of the person's file"
        else:
            continue
        yield Diagnostic("warning", "nobodys", message, Span(str(path)), hint)
