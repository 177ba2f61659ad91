"""``cvbuild check``: validate people's files, or a PDF; build nothing."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from cvbuild import batch, console, people
from cvbuild.api import workspace_library
from cvbuild.batch import Checked
from cvbuild.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.people import Person
from cvbuild.templates import Library


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with everybody's files; 1 if anything is."""
    if given.pdf is not None:
        from cvbuild.commands import checkpdf

        return checkpdf.run(given)
    library = workspace_library(given.template_path)
    checked = [_checked(person, library) for person in people.find(given.people)]
    faults = [item for one in checked for item in (*one.diagnostics, *_advice(one))]
    if not given.people:
        faults += _nobodys()
    wrong = sum(not _is_fine(one) for one in checked)
    if given.json:
        console.print_json(
            {
                "people": [
                    {
                        "person": one.person.name,
                        "path": str(one.person.path),
                        "ok": _is_fine(one),
                    }
                    for one in checked
                ],
                "diagnostics": [item.as_json() for item in faults],
            }
        )
    else:
        console.show(faults)
        console.say(f"{len(checked) - wrong} of {len(checked)} files are fine")
    return 1 if wrong else 0


def _checked(person: Person, library: Library) -> Checked:
    """What came of a person's file, of its public part, and of all of it with the overlay."""
    checked = batch.check(person, library)
    hides = checked.source is not None and checked.source.hidden
    if checked.source is None or not (hides or os.path.lexists(person.overlay)):
        return checked
    return batch.with_private(checked, library)


def _is_fine(checked: Checked) -> bool:
    return all(one.profile is not None for one in (checked, checked.private) if one is not None)


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
    for what, path in found:
        yield Diagnostic(
            "warning",
            "public",
            f"{what} is in every CV that is built",
            checked.source.span(path),
            f"move it to {checked.person.overlay}, or say that it is private: docs/privacy.md",
        )


def _nobodys() -> Iterator[Diagnostic]:
    """A warning for each overlay that is nobody's."""
    for path in sorted(people.FOLDER.glob(f"*{people.OVERLAY}")):
        name = path.name.removesuffix(people.OVERLAY)
        if not (people.FOLDER / f"{name}.yaml").exists():
            message = f"there is no {people.FOLDER / name}.yaml that this belongs to"
            hint = "give it the name of the person's file"
            yield Diagnostic("warning", "nobodys", message, Span(str(path)), hint)
