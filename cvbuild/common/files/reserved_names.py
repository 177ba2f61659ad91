"""Names that files can't have: those that Windows reserves, and those with another meaning here."""

from __future__ import annotations

import re

#: The names of Windows' devices, in lower case.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10)))
)


def is_reserved(name: str) -> bool:
    """Return whether Windows has no files of this name, whatever they end with."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


#: Folders of a workspace that people write in, and folders of an output folder.
_WRITTEN, _MADE = ("people", "applications", "templates"), ("applications", "site")
_LONGEST = 200
_NAME = re.compile(r"[^.~/\\:*?\"<>|\x00-\x1f\x7f][^/\\:*?\"<>|\x00-\x1f\x7f]{0,99}")


#: What commands read as something else than a part of a path: an option, a variable, a command.
_MISREAD = re.compile(r"(?:^|/)-|[$`]")


def is_misread(text: str) -> bool:
    """Return whether a folder of just this name would be a trap for commands such as rm."""
    return _MISREAD.search(text) is not None


def is_output_folder(text: str) -> bool:
    """Return whether the text is a relative path of a folder that documents may be put into.

    Between slashes there are only plain names, none of them hidden; the path leads neither out of
    the workspace nor into what people write.
    """
    first, *rest = text.split("/")
    return (
        len(text) <= _LONGEST
        and not is_misread(text)
        and all(_NAME.fullmatch(name) and not is_reserved(name) for name in (first, *rest))
        and not any(name.endswith((".", " ")) for name in (first, *rest))
        and first.casefold() not in _WRITTEN
        and not any(name.casefold() in _MADE for name in rest)
    )
