"""``cvbuild check --pdf FILE [PERSON]``: check a PDF against the person's file."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgspec.structs import replace

from cvbuild.building import PRIVATE, pipeline, profiles
from cvbuild.building.requested import today, workspace_library
from cvbuild.cli import console
from cvbuild.cli.report import counted
from cvbuild.common import user_cache
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import people, person_file
from cvbuild.inputs.people import Person
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import Settings, Task

_COUNTED = ("text", "link", "font", "page")


def check_pdf(given: argparse.Namespace) -> int:
    """Show what is wrong with a PDF; return 1 if anything is."""
    path = Path(given.pdf)
    if not path.is_file():
        raise UsageError.because("pdf", f'"{path}" is not a file', "name a PDF after --pdf")
    if len(given.people) > 1:
        raise UsageError.because("pdf", "a PDF belongs to one person", "name only one")
    library = workspace_library(given.template_path)
    language = ".".join(part for part in path.stem.split(".")[1:] if part != PRIVATE)
    task = _task(path, given.people, library)
    out = path.resolve().parent.parent
    if task and task.out and Path(task.out).resolve() == out:
        # What is stored of the documents of a group is in the folder of all others.
        out = Path(people.output_folder()).resolve()
    settings = Settings(out, library, today(), cache=user_cache.folder(), locale=language or None)
    verified, is_compared = pipeline.recheck(path, task, settings)
    wrong = any(item.severity == "error" for item in verified.diagnostics)
    if given.json:
        console.print_json(
            {
                "pdf": str(path),
                "ok": not wrong,
                "compared": is_compared,
                "verified": verified.figures,
                "diagnostics": verified.diagnostics,
            }
        )
    else:
        console.show(verified.diagnostics)
        what = ", ".join(counted(int(verified.figures[f"{one}s"]), one) for one in _COUNTED)
        console.say(f"{path}: {'not as it should be' if wrong else 'fine'} ({what})")
    return 1 if wrong else 0


def _task(path: Path, names: list[str], library: Library) -> Task | None:
    """Return the document that the PDF ``out/<person>/<name>.pdf`` is, if that can be found out.

    ``private``, and a language other than the document's own, are part of the file's name:
    ``academic.private.de.pdf``.
    """
    person = _person(path, names)
    if person is None:
        return None
    name, *suffixes = path.stem.split(".")
    checked = profiles.check(person, library, private=PRIVATE in suffixes)
    if checked.profile is None and (names or name in library.names()):
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    is_variant = checked.profile is not None and name in checked.profile.variants
    checked = profiles.for_document(name, checked, library)
    if not is_variant and name not in library.names():
        if not names:
            return None
        reason = f'"{path}" is not named after a template or variant, so its content is unknown'
        hint = f"rename it, such as {library.names()[0]}.pdf, or name no person"
        raise UsageError.because("pdf", reason, hint)
    if checked.profile is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    (task,) = profiles.tasks([checked], [name])
    task = replace(task, out=checked.out)
    if checked.private:
        return task
    # Nothing of the overlay may be in the PDF either.
    private = (*task.source.private, *person_file.secrets(person))
    return replace(task, source=replace(task.source, private=private))


def _person(path: Path, names: list[str]) -> Person | None:
    if names:
        return people.find(names)[0]
    name = path.resolve().parent.name
    matching = [person for person in people.everyone() if person.name == name]
    return matching[0] if matching else None
