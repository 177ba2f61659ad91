"""What parses a command's arguments, and prints its help."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any


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


class Command(argparse.ArgumentParser):
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
