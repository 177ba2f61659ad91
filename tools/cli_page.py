"""The page of all commands, docs/reference/cli.md, from the parser of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cvbuild.cli.main import parser

_INTRODUCTION = """\
# Commands

<!-- Written by `make docs`; don't edit. -->

For looking up what a command does and which options it takes. `cvbuild COMMAND --help` prints
the same in a terminal.

| command | |
| --- | --- |
"""
_CODES = """
Exit codes of all commands: 0 done, 1 a file or a document is wrong (the others are built), 2 bad
usage, 3 no usable TeX, 130 interrupted (143 by SIGTERM).
"""


def markdown() -> str:
    """Return the page: a table of the commands, then each with its options."""
    found = [*_commands(parser(filled=True))]
    rows = [f"| [`{name}`](#{_anchor(name)}) | {about} |" for name, about, _ in found]
    parts = [_INTRODUCTION + "\n".join(rows) + "\n" + _CODES]
    for name, about, command in found:
        parts += ["\n" + _section(f"## {name}", about, command)]
        for below, what, action in _commands(command):
            parts += ["\n" + _section(f"### {name} {below}", what, action)]
    return "".join(parts)


def _anchor(heading: str) -> str:
    return heading.replace(" ", "-")


def _commands(
    above: argparse.ArgumentParser,
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Yield the name, the help line and the parser of each command below a parser."""
    for action in above._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                yield name, about.get(name, ""), command


def _section(heading: str, about: str, command: argparse.ArgumentParser) -> str:
    usage = f"```\n{command.prog}{_usage(command)}\n```"
    parts = [heading, f"{about[:1].upper()}{about[1:]}.", usage]
    rows = [row for group in command._action_groups for row in _rows(group)]
    if rows:
        parts.append("\n".join(["| argument | |", "| --- | --- |", *rows]))
    if command.epilog:
        parts.append(f"```text\n{command.epilog.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _usage(command: argparse.ArgumentParser) -> str:
    """Return the arguments that stand without a dash, and that there are options."""
    words = ""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += f" {action.metavar}"
        elif not action.option_strings:
            many = {"*": "[{} ...]", "+": "{} [{} ...]", "?": "[{}]"}.get(str(action.nargs), "{}")
            words += " " + many.replace("{}", _value(action))
        elif action.required:
            words += f" {action.option_strings[-1]} {_value(action)}"
    has_options = any(found.option_strings[:1] not in ([], ["-h"]) for found in command._actions)
    return words + (" [OPTION ...]" if has_options else "")


def _rows(group: argparse._ArgumentGroup) -> Iterator[str]:
    shown = [
        action
        for action in group._group_actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and action.help != argparse.SUPPRESS
    ]
    title = group.title if group.title not in ("options", "positional arguments") else None
    if shown and title:
        yield f"| **{title}** | |"
    for action in shown:
        value = "" if action.nargs == 0 else _value(action)
        if action.option_strings:
            names = ", ".join(action.option_strings)
            many = " ..." if action.nargs in ("+", "*") else ""
            words = f"{names} {value}{many}".strip()
        else:
            words = value
        yield f"| `{words}` | {_cell(action.help or '')} |"


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return str(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _cell(text: str) -> str:
    """Return a help text for a cell of a table."""
    return text.replace("%%", "%").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
