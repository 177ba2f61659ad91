"""``cvbuild check``: validate people's files, or a PDF; build nothing."""

from __future__ import annotations

import argparse

from cvbuild import batch, console, people
from cvbuild.api import workspace_library


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with everybody's file; 1 if anything is."""
    if given.pdf is not None:
        from cvbuild.commands import checkpdf

        return checkpdf.run(given)
    library = workspace_library(given.template_path)
    checked = [batch.check(person, library) for person in people.find(given.people)]
    faults = [item for one in checked for item in one.diagnostics]
    wrong = sum(one.profile is None for one in checked)
    if given.json:
        console.print_json(
            {
                "people": [
                    {
                        "person": one.person.name,
                        "path": str(one.person.path),
                        "ok": bool(one.profile),
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
