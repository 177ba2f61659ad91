"""The page of all commands, docs/reference/cli.md, from the parser of the command line."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Container, Iterator

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

## What --json prints

One object on stdout. Every command but `templates` and `doctor` has `diagnostics`: `severity`,
`code`, `message`, `hint`, `file`, `line`, `column`, `end_line`, `end_column`.

- `build`, `gallery`, `site`: `documents`, `notes`, `summary`, `sandbox`. A document has `person`,
  `template`, `variant`, `format`, `path`, `engine`, `fonts`, `pages`, `seconds`, `cached`, `fill`,
  `verified`, `left_out`, `log`, `diagnostics`. `gallery` and `site` add `page`, `site` also `kept`
  and `missing`.
- `status`: `documents` (`path`, `state`, `reasons`, `error`, `pages`, `built`, `size` …),
  `left_over`, `unlisted`, `summary`; with `--why` `documents` with `fresh`, `reasons`; with
  `--since` only `since` and `people`.
- `check`: `people` with `person`, `path`, `ok`, or with `--settings` `person`, `settings`.
- `show`: `documents`, their `sections` with `path`, `words`, `shown`, `why`, `file`, `line`,
  `parts`.
- `import`: [imports](../how-to/moving-in.md#for-scripts). `match`:
  [terms](../how-to/match.md#how-to-read-the-answer).
- `apply`: `packets` with `slug`, `ok`, `employer`, `position`, `deadline`, `days_left`, `folder`,
  `cached`, `files`, `sent`, `diagnostics`.
- `applications`: `slug`, `employer`, `position`, `person`, `document`, `status`,
  `deadline`, `days_left`, `sent`, `notes`.
- `templates`: `templates` with `name`, `title`, `description`, `folder`, `pages`, `columns`,
  `typeface`, `options` …
- `doctor`: `cvbuild`, `python`, `system`, `sandbox`, `templates`, `typefaces`, `scripts`.

## Options of many commands

Each command below names those that it takes.

| option | |
| --- | --- |
"""
#: An option that so many commands have is described once, at the top.
_MANY = 3


def markdown() -> str:
    """Return the page: a table of the commands, the options of many, then each with its own."""
    found = [*_commands(parser(filled=True))]
    full = [
        (heading, about, command)
        for name, about, top in found
        for heading, about, command in (
            (f"## {name}", about, top),
            *((f"### {name} {below}", what, action) for below, what, action in _commands(top)),
        )
    ]
    counts = Counter(row for _, _, command in full for row in _rows(command) if "`-" in row)
    shared = [row for row, count in counts.items() if count >= _MANY]
    parts = [
        _INTRODUCTION,
        "\n".join(f"| [`{name}`](#{_anchor(name)}) | {about} |" for name, about, _ in found),
        "\n" + _CODES + "\n".join(shared) + "\n",
    ]
    parts += ["\n" + _section(heading, about, command, shared) for heading, about, command in full]
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


def _section(
    heading: str, about: str, command: argparse.ArgumentParser, shared: Container[str]
) -> str:
    parts = [heading, f"{about[:1].upper()}{about[1:]}."]
    if about.startswith("the older name of"):
        return "\n\n".join(parts) + "\n"
    parts.append(f"```\n{command.prog}{_usage(command)}\n```")
    rows = [row for row in _rows(command) if row not in shared]
    if rows:
        parts.append("\n".join(["| argument | |", "| --- | --- |", *rows]))
    if also := [
        row.split("`")[1].split()[0].rstrip(",") for row in _rows(command) if row in shared
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


def _rows(command: argparse.ArgumentParser) -> Iterator[str]:
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
