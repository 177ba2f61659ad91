"""``cvbuild check --pdf FILE [PERSON]``: whether a PDF is what the person's file says."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path

from cvbuild.building import recheck
from cvbuild.building.check import profiles
from cvbuild.building.environment import today, workspace_library
from cvbuild.building.plan import PRIVATE
from cvbuild.cli import console
from cvbuild.common import user_cache
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import people, person_file
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task


def run(given: argparse.Namespace) -> int:
    """Show what is wrong with a PDF; 1 if anything is."""
    path = Path(given.pdf)
    if not path.is_file():
        raise UsageError.because("pdf", f'"{path}" is no file', "name a PDF after --pdf")
    if len(given.people) > 1:
        raise UsageError.because("pdf", "a PDF is that of one person", "name one after --pdf")
    library = workspace_library(given.template_path)
    language = ".".join(part for part in path.stem.split(".")[1:] if part != PRIVATE)
    out = path.resolve().parent.parent
    settings = Settings(out, library, today(), cache=user_cache.folder(), locale=language or None)
    done = recheck.recheck(path, _task(path, given.people, library), settings)
    wrong = any(item.severity == "error" for item in done.diagnostics)
    if given.json:
        console.print_json(
            {
                "pdf": str(path),
                "ok": not wrong,
                "compared": done.whole,
                "verified": asdict(done.figures),
                "diagnostics": [item.as_json() for item in done.diagnostics],
            }
        )
    else:
        console.show(done.diagnostics)
        count = done.figures
        what = f"{count.texts} texts, {count.links} links, {count.fonts} fonts, {count.pages} pages"
        console.say(f"{path}: {'not as it should be' if wrong else 'fine'} ({what})")
    return 1 if wrong else 0


def _task(path: Path, names: list[str], library: Library) -> Task | None:
    """The document that a PDF in ``out/<person>/<name>.pdf`` is, if it can be told.

    What is private, and another language than the document's own, stand behind the name of the
    template or variant: ``academic.private.de.pdf``.
    """
    person = _person(path, names)
    if person is None:
        return None
    name, *rest = path.stem.split(".")
    checked = profiles.check(person, library, private=PRIVATE in rest)
    if checked.profile is None and (names or name in library.names()):
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    is_variant = checked.profile is not None and name in checked.profile.variants
    checked = profiles.opened_for(name, checked, library)
    if not is_variant and name not in library.names():
        if not names:
            return None
        reason = (
            f'"{path}" is named after no template or variant: nothing tells what it should show'
        )
        hint = f"call it {library.names()[0]}.pdf or the like, or name no person"
        raise UsageError.because("pdf", reason, hint)
    if checked.profile is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    (task,) = profiles.tasks([checked], [name])
    if checked.private:
        return task
    # Nothing of the overlay may be in the PDF either.
    hidden = (*task.source.hidden, *person_file.secrets(person))
    return replace(task, source=replace(task.source, hidden=hidden))


def _person(path: Path, names: list[str]) -> Person | None:
    if names:
        return people.find(names)[0]
    name = path.resolve().parent.name
    known = [person for person in people.everyone() if person.name == name]
    return known[0] if known else None
