"""What parses a command's arguments, and prints its help."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any, NoReturn


class Help(argparse.RawDescriptionHelpFormatter):
    """A help formatter as wide as the terminal; argparse's own way loads archivers and more."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdecimal() else 0
        if not width:
            try:
                width = os.get_terminal_size().columns
            except (OSError, ValueError):
                width = 0
        super().__init__(prog, width=(width or 80) - 2)


class Parser(argparse.ArgumentParser):
    """A parser that suggests the choice that was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and end with code 2, as argparse does."""
        fact, _, choices = message.partition(" (choose from ")
        if choices:
            from cvbuild.common.suggestions import nearest

            known = [one.strip("'") for one in choices.removesuffix(")").split(", ")]
            close = nearest(fact.rpartition("invalid choice: ")[2].strip("'"), known)
            message = f'{fact}; did you mean "{close}"?' if close else message
        super().error(message)


class Command(Parser):
    """A command's parser, whose arguments are added when they are needed."""

    fill: Callable[[argparse.ArgumentParser], None] | None = None

    def filled(self) -> None:
        """Add the arguments, if that hasn't been done."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Add the arguments, then parse as argparse does."""
        self.filled()
        return super().parse_known_args(args, namespace)
