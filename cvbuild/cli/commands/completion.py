"""``cvbuild completion``: complete arguments in a shell: the script, and names for it.

shtab writes the script from the parser. Names that a workspace has (people, templates,
applications) and formats are asked of ``cvbuild completion SHELL --names KIND WORD``, so that they
are those of the folder one is in. The cvbuild on PATH is asked, never the one that is being typed:
``./cvbuild`` may be anybody's.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from cvbuild.cli import console, main
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people

#: What there are names of.
_PEOPLE, _TEMPLATES, _FORMATS, _APPLICATIONS = "people", "templates", "formats", "applications"
#: Of these one argument takes several, with commas between.
_LISTS = (_TEMPLATES, _FORMATS)
#: What an argument takes, by its metavar.
_OF_METAVAR = {"PERSON": _PEOPLE, "TEMPLATE": _TEMPLATES}
#: The same by its dest, for metavars that stand for several things.
_OF_DEST = {"format": _FORMATS, "slug": _APPLICATIONS, "slugs": _APPLICATIONS}

#: Names that mean nothing else to any shell; others are not completed.
_PLAIN = re.compile(r"\w[\w.+-]*")
# Each shell's function prints the names that begin with what was typed.
_ASKING = {
    "bash": """
_cvbuild_{kind}() {{ command cvbuild completion bash --names {kind} "$1" 2>/dev/null; }}
""",
    "zsh": """
_cvbuild_{kind}() {{
  compadd -- $(command cvbuild completion zsh --names {kind} "$PREFIX" 2>/dev/null)
}}
""",
    "fish": """
function _cvbuild_{kind}
  command cvbuild completion fish --names {kind} (commandline -ct) 2>/dev/null
end
""",
    "powershell": """
function _cvbuild_{kind} {{
  param([string]$WordToComplete)
  $program = @(Get-Command cvbuild -CommandType Application -ErrorAction SilentlyContinue)[0]
  if ($program) {{ & $program completion powershell --names {kind} "$WordToComplete" 2>$null }}
}}
""",
}


def run(given: argparse.Namespace) -> int:
    """Print the script to stdout; with --names, the names that complete a word, a line each."""
    if given.names is None:
        import shtab

        parser = main.parser(filled=True)
        _mark(parser)
        console.answer(shtab.complete(parser, given.shell).rstrip("\n"))
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
        if _PLAIN.fullmatch(name) and name not in taken and name.startswith(word):
            console.answer(f"{before}{comma}{name}")
    return 0


def _names(kind: str) -> tuple[str, ...]:
    """Return the names of a kind in the working folder; raises OSError and CvbuildError."""
    if kind == _PEOPLE:
        return tuple(person.name for person in people.everyone())
    if kind == _FORMATS:
        from cvbuild.outputs import registry

        return registry.names()
    # Not with the modules that read them: those take a third of a second to load.
    if kind == _APPLICATIONS:
        return tuple(sorted(path.stem for path in Path("applications").glob("[!.]*.yaml")))
    if kind != _TEMPLATES:
        return ()
    from cvbuild.outputs.styles import file_names, package_files

    folders = [one for one in (Path("templates"), file_names.builtin_folder()) if one.is_dir()]
    found = {one.name for folder in folders for one in package_files.packages(folder)}
    return tuple(sorted(found.difference((file_names.BASE, file_names.LETTER))))


def _mark(parser: argparse.ArgumentParser) -> None:
    """Say of each argument, in the way of shtab, what completes it."""
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of its arguments
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                _mark(command)
        elif (found := _completer(action)) is not None:
            vars(action)["complete"] = found


def _completer(action: argparse.Action) -> dict[str, Any] | None:
    import shtab

    metavar = str(action.metavar)
    if metavar.startswith("FILE"):
        return dict(shtab.FILE)
    if metavar == "DIR":
        return dict(shtab.DIRECTORY)
    if (kind := _OF_METAVAR.get(metavar) or _OF_DEST.get(action.dest)) is None:
        return None
    preamble = {shell: text.format(kind=kind) for shell, text in _ASKING.items()}
    name = f"_cvbuild_{kind}"
    return {**dict.fromkeys(_ASKING, name), "fish": f"({name})", "preamble": preamble}
