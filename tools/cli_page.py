"""The page of all commands, docs/reference/cli.md, from the parser of the command line."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path

from cvbuild.cli.main import parser
from tools.generated import filled, table

#: An option that so many commands have is described once, at the top.
_MANY = 3
PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "cli.md"


def markdown() -> str:
    """Return the page with a table of the commands, the options of many, then each with its own."""
    found = [*_commands(parser())]
    full = [
        (heading, about, command)
        for name, about, top in found
        for heading, about, command in (
            (f"## {name}", about, top),
            *((f"### {name} {below}", what, action) for below, what, action in _commands(top)),
        )
    ]
    counts = Counter(row for _, _, command in full for row in _rows(command) if "`-" in row[0])
    shared = [row for row, count in counts.items() if count >= _MANY]
    return filled(
        PAGE,
        commands=table(
            ("command", ""), [(f"[`{name}`](#{_anchor(name)})", about) for name, about, _ in found]
        ),
        shared=table(("option", ""), shared),
        each="\n".join(
            _section(heading, about, command, shared) for heading, about, command in full
        ),
    )


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


def _section(
    heading: str, about: str, command: argparse.ArgumentParser, shared: Container[tuple[str, str]]
) -> str:
    parts = [heading, f"{about[:1].upper()}{about[1:]}."]
    parts.append(f"```\n{command.prog}{_usage(command)}\n```")
    rows = [row for row in _rows(command) if row not in shared]
    if rows:
        parts.append(table(("argument", ""), rows).strip())
    if also := [
        row[0].split("`")[1].split()[0].rstrip(",") for row in _rows(command) if row in shared
    ]:
        parts.append("Also " + ", ".join(f"`{name}`" for name in also) + ".")
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


def _rows(command: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield a row of a table for each argument."""
    for action in command._actions:
        if (
            isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
            or action.help == argparse.SUPPRESS
        ):
            continue
        words = _value(action) if action.nargs != 0 else ""
        if action.option_strings:
            many = " ..." if action.nargs in ("+", "*") else ""
            words = f"{', '.join(action.option_strings)} {words}{many}".strip()
        yield f"`{words}`", _cell(action.help or "")


def _value(action: argparse.Action) -> str:
    if action.metavar is not None:
        return str(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _cell(text: str) -> str:
    """Return a help text for a cell of a table."""
    return text.replace("%%", "%").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
