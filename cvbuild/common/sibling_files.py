"""A file that a YAML file names, and that lies beside it or in a folder there; nothing else."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PurePosixPath
from typing import Literal

from cvbuild.common import safe_files
from cvbuild.common.positions import quoted


class NotBesideError(Exception):
    """No file that may be read.

    ``why``: it lies outside of the folder, or would on another machine; there is none, or a folder
    or a pipe; no file can have that ``name``; it has an ``odd`` one (``is_odd``); it has too many
    bytes; or it can't be read, for what the system gives as the ``reason``.
    """

    def __init__(
        self,
        why: Literal["outside", "missing", "name", "odd", "large", "unreadable"],
        reason: str | None = None,
    ) -> None:
        super().__init__(why)
        self.why, self.reason = why, reason

    def said(self, name: str, kind: str, most: str = "") -> tuple[str, ...]:
        """Return a code, a fact and perhaps a hint; ``most`` is how large such a file may be."""
        called = quoted(name, 100)
        what = called if kind == "file" else f"the {kind} {called}"
        match self.why:
            case "outside":
                return "outside", f"{what} lies outside the folder"
            case "missing":
                return "missing", f"there is no {kind} {called}"
            case "odd":
                fact = f"{called} has a character that no file's name should have"
                return "name", fact, "rename the file: letters, digits, hyphens and dots are safe"
            case "large":
                return "large", f"{what} is over {most}", "make it smaller"
        return "missing", f"can't read {called}: {self.reason or 'not a file name'}"


def find(name: str, folder: Path) -> Path:
    """The regular file of that name, without links; raises NotBesideError.

    Links may lead from place to place in the folder.
    """
    plain = PurePosixPath(os.path.normpath(name))
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        there = path.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
        raise NotBesideError("name", getattr(error, "strerror", None)) from None
    # A path from the root may lead inside today; on another machine it leads elsewhere.
    if Path(name).is_absolute() or plain.parts[:1] == ("..",) or not path.is_relative_to(root):
        raise NotBesideError("outside")
    if not there:
        raise NotBesideError("missing")
    if any(map(is_odd, plain.parts)):
        raise NotBesideError("odd")
    return path


def is_odd(part: str) -> bool:
    """Whether a name has a character that not every system can keep, or nobody sees."""
    return any(char in "\\:" or unicodedata.category(char) in ("Cc", "Cs") for char in part)


def read(path: Path, most: int) -> bytes:
    """The bytes of a file that was found; raises NotBesideError for over ``most``."""
    try:
        return safe_files.read(path, most)
    except safe_files.TooLargeError:
        raise NotBesideError("large") from None
    except OSError as error:
        raise NotBesideError("unreadable", error.strerror or str(error)) from None
