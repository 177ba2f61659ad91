"""``cvbuild apply-patch``: show what somebody proposes for a person's file, and write it if wanted.

The first line says which facts it would add that the file hasn't: those are to be checked by whom
the file is of. Nothing is written that makes the file worse than it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from cvbuild.applications.versions import Compared
from cvbuild.building import profiles
from cvbuild.building.requested import workspace_library
from cvbuild.cli import console
from cvbuild.cli.commands import diff
from cvbuild.cli.commands.import_file import agreed, save
from cvbuild.cli.report import counted
from cvbuild.inputs import changes, patches, people
from cvbuild.inputs.changes import NewFact
from cvbuild.inputs.yaml import source

#: Facts that are named.
_NAMED = 12


def run(given: argparse.Namespace) -> int:
    """Show the changes, and make them if somebody agrees; return 1 if nothing was written."""
    patch = patches.read(given.patch)
    (person,) = people.find([patch.person])
    before, after = patches.applied(patch, person)
    checked = profiles.check(person._replace(text=after), workspace_library(given.template_path))
    errors = [item for item in checked.diagnostics if item.severity == "error"]
    there, changed = source.parse(before, str(person.path)), source.parse(after, str(person.path))
    facts = changes.find_new(there.data, changed.data)
    compared = Compared(person.name, there.data, changed.data, changed)
    if not given.json:
        console.answer(added(facts))
        diff.say([(person.name, compared.as_json())], "with the patch")
    console.show(errors)
    is_wanted = not errors and (given.yes or (not given.json and agreed(f"write {person.path}?")))
    if is_wanted:
        save(person, before, after)
    if given.json:
        new = [{"kind": one.kind, "words": one.words, "path": [*one.path]} for one in facts]
        told: dict[str, object] = {"person": person.name, "written": is_wanted, "new_facts": new}
        console.print_json({**told, "changes": compared.as_json(), "diagnostics": errors})
    else:
        console.say(f"wrote {person.path}" if is_wanted else "nothing was written")
    return int(not is_wanted)


def added(facts: Sequence[NewFact]) -> str:
    """Return the first line about a patch: which facts it adds."""
    what = counted(len(facts), "fact", "facts")
    listed = ", ".join(f"{one.kind} {one.words}" for one in facts[:_NAMED])
    more = f" and {len(facts) - _NAMED} more" if len(facts) > _NAMED else ""
    return f"it adds {what} that the file hasn't: {listed}{more}" if facts else "it adds no facts"
