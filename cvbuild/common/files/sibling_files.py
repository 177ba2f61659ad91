"""A file that a YAML file names: in the YAML file's folder or below it, nowhere else."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PurePosixPath
from typing import Literal

from cvbuild.common.diagnostics import quoted
from cvbuild.common.files import project_files, safe_files


class SiblingFileError(Exception):
    """A file that may not or can't be read.

    ``why``: it is outside of the folder, or would be on another machine; it doesn't exist, or is a
    folder or a pipe; no file can have that ``name``; its name is ``odd`` (``is_odd``); it has too
    many bytes; or it can't be read, and ``reason`` is the system's error.
    """

    def __init__(
        self,
        why: Literal["outside", "missing", "name", "odd", "large", "unreadable"],
        reason: str | None = None,
    ) -> None:
        super().__init__(why)
        self.why, self.reason = why, reason

    def describe(self, name: str, kind: str, most: str = "") -> tuple[str, ...]:
        """Return a code, a fact and perhaps a hint; ``most`` is the largest size allowed."""
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
    """Return the regular file of that name, without links; raise SiblingFileError.

    Links may lead from place to place inside the folder.
    """
    plain = PurePosixPath(os.path.normpath(name))
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        exists = path.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
        raise SiblingFileError("name", getattr(error, "strerror", None)) from None
    # An absolute path may lead inside here, but elsewhere on another machine.
    if Path(name).is_absolute() or plain.parts[:1] == ("..",) or not path.is_relative_to(root):
        raise SiblingFileError("outside")
    if not exists:
        raise SiblingFileError("missing")
    if any(map(is_odd, plain.parts)):
        raise SiblingFileError("odd")
    return path


def is_odd(part: str) -> bool:
    """Return whether a name has an invisible character or one that some systems don't allow."""
    return any(char in "\\:" or unicodedata.category(char) in ("Cc", "Cs") for char in part)


def read(path: Path, most: int) -> bytes:
    """Return the bytes of a file that was found; raise SiblingFileError for more than ``most``."""
    try:
        return project_files.read(path, most)
    except safe_files.TooLargeError:
        raise SiblingFileError("large") from None
    except OSError as error:
        raise SiblingFileError("unreadable", error.strerror or str(error)) from None
