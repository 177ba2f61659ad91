"""``cvbuild check``: validate people's files, or a PDF; build nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cvbuild import batch, console, document, people, selection
from cvbuild.api import workspace_library
from cvbuild.batch import Checked
from cvbuild.diagnostics import Diagnostic
from cvbuild.errors import CvbuildError
from cvbuild.templates import Library


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with everybody's file; 1 if anything is."""
    if given.pdf is not None:
        from cvbuild.commands import checkpdf

        return checkpdf.run(given)
    library = workspace_library(given.template_path)
    checked = [batch.check(person, library) for person in people.find(given.people)]
    found = [(*one.diagnostics, *_empty(one, library)) for one in checked]
    faults = [item for items in found for item in items]
    fine = [all(item.severity != "error" for item in items) for items in found]
    if given.json:
        console.print_json(
            {
                "people": [
                    {
                        "person": one.person.name,
                        "path": str(one.person.path),
                        "ok": ok,
                    }
                    for one, ok in zip(checked, fine, strict=True)
                ],
                "diagnostics": [item.as_json() for item in faults],
            }
        )
    else:
        console.show(faults)
        console.say(f"{sum(fine)} of {len(checked)} files are fine")
    return 0 if all(fine) else 1


def _empty(checked: Checked, library: Library) -> Iterator[Diagnostic]:
    """Variants that select nothing: an error of that document alone.

    Of one that is private, the overlay may have what it selects.
    """
    variants = checked.profile.variants if checked.profile else {}
    names = [name for name, one in variants.items() if not one.private]
    for task in batch.tasks([checked], names) if names else ():
        try:
            selection.require(document.choose(task, library, None).selected, task.source)
        except CvbuildError as error:
            yield from error.diagnostics
