"""``cvbuild completion``: complete arguments in a shell: the script, and names for it.

shtab writes the script from the parser. Names of people and applications are asked of ``cvbuild
completion SHELL --names FOLDER WORD``, so that they are those of the folder one is in. The cvbuild
on PATH is asked, never the one that is being typed: ``./cvbuild`` may be anybody's.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from cvbuild.cli import console, main
from cvbuild.inputs import people

#: The folder whose files complete an argument, by its metavar or dest.
_FOLDERS = {"PERSON": "people", "slug": "applications", "slugs": "applications"}
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
    kind, word = given.names
    for path in sorted(Path(kind).glob("[!.]*.yaml")) if kind in _FOLDERS.values() else ():
        name = path.stem
        if _PLAIN.fullmatch(name) and name.startswith(word) and not people.is_overlay(path):
            console.answer(name)
    return 0


def _mark(parser: argparse.ArgumentParser) -> None:
    """Say of each argument, in the way of shtab, what completes it."""
    import shtab

    from cvbuild.outputs import registry, styles
    from cvbuild.outputs.styles import package_files

    builtin = (path.name for path in package_files.packages(styles.builtin_folder()))
    templates = sorted({*builtin} - {styles.BASE, styles.LETTER})
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of its arguments
        metavar = str(action.metavar)
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                _mark(command)
        elif metavar == "TEMPLATE" or action.dest == "format":
            action.choices = templates if metavar == "TEMPLATE" else registry.names()
        elif metavar == "DIR" or metavar.startswith("FILE"):
            vars(action)["complete"] = shtab.DIRECTORY if metavar == "DIR" else shtab.FILE
        elif kind := _FOLDERS.get(metavar) or _FOLDERS.get(action.dest):
            name, texts = f"_cvbuild_{kind}", _ASKING.items()
            preamble = {shell: text.format(kind=kind) for shell, text in texts}
            asked = {**dict.fromkeys(_ASKING, name), "fish": f"({name})"}
            vars(action)["complete"] = {**asked, "preamble": preamble}
