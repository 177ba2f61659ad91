"""``cvbuild completion``: print the script that completes arguments in a shell."""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.cli import console, main, shell_completion
from cvbuild.cli.shell_completion import APPLICATIONS, FORMATS, PEOPLE, TEMPLATES
from cvbuild.common.errors import CvbuildError

#: Of these one argument takes several, with commas between.
_LISTS = (TEMPLATES, FORMATS)


def run(given: argparse.Namespace) -> int:
    """Print the script to stdout; with --names, the names that complete a word, a line each."""
    if given.names is None:
        console.answer(shell_completion.script(given.shell, main.parser(filled=True)).rstrip("\n"))
        return 0
    kind, text = given.names
    try:
        names = _names(kind)
    except (CvbuildError, OSError):
        return 1  # a shell completes nothing then; the command itself will tell
    # A list (pdf,html) is completed at its end.
    before, comma, word = text.rpartition(",") if kind in _LISTS else ("", "", text)
    taken = before.split(",")
    for name in names:
        # A name on two lines would be two names.
        if name.isprintable() and name not in taken and name.startswith(word):
            console.answer(f"{before}{comma}{name}")
    return 0


def _names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind in the working folder; raises OSError and CvbuildError."""
    if kind == PEOPLE:
        from cvbuild.inputs import people

        return tuple(person.name for person in people.everyone())
    if kind == FORMATS:
        from cvbuild.outputs import registry

        return registry.names()
    # Not with the modules that read them: those take a third of a second to load.
    if kind == APPLICATIONS:
        return tuple(sorted(path.stem for path in Path("applications").glob("[!.]*.yaml")))
    if kind != TEMPLATES:
        return ()
    from cvbuild.outputs.styles import file_names, package_files

    folders = [one for one in (Path("templates"), file_names.builtin_folder()) if one.is_dir()]
    found = {one.name for folder in folders for one in package_files.packages(folder)}
    return tuple(sorted(found.difference((file_names.BASE, file_names.LETTER))))
