"""Load the classes that installed packages register as entry points.

A problem with one of them is an error that names its package; the others can still be used.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import PluginError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


def names(group: str, built_in: Mapping[str, str]) -> tuple[str, ...]:
    """Return the built-in names, then those that packages register, sorted, each once."""
    registered = {one.name for one in _registered(group)}
    return (*built_in, *sorted(registered.difference(built_in)))


def find(group: str, built_in: Mapping[str, str], name: str, kind: Collection[str]) -> Any:
    """Return an object of the class of that name; None if there is none.

    ``built_in`` has the modules of the built-in ones, each with a class ``Format``; packages are
    asked only for other names. Raises PluginError as ``load`` does.
    """
    if name in built_in:
        return import_module(built_in[name]).Format()
    return load(group, name, kind)


def load(group: str, name: str, kind: Collection[str]) -> object | None:
    """Return an object of the class that is registered under a name; None if there is none.

    ``kind`` are the attributes that it must have. Raises PluginError if it can't be used, or if
    several packages register the name.
    """
    entries = tuple(_registered(group).select(name=name))
    if not entries:
        return None
    if len(entries) > 1:
        others = ", ".join(_package(one) for one in entries[1:])
        raise _error(
            entries[0], f'the name "{name}" is also registered by {others}', "keep one of them"
        )
    (entry,) = entries
    try:
        made: object = entry.load()()
    except Exception as error:
        package = entry.dist.name if entry.dist else ""
        hint = f"install it again, or remove it: pip uninstall {package}"
        raise _error(entry, f"can't be loaded: {_words(error)}", hint) from error
    if missing := [one for one in kind if not hasattr(made, one)]:
        raise _error(entry, f"has no {', '.join(missing)}", "it is for another version of cvbuild")
    return made


def faults(group: str, built_in: Collection[str]) -> tuple[Diagnostic, ...]:
    """Return an error for each registered class that can't be used or has a built-in name."""
    diagnostics: list[Diagnostic] = []
    for entry in _registered(group):
        if entry.name in built_in:
            error = _error(entry, f'the name "{entry.name}" is built in', "give it another name")
            diagnostics += error.diagnostics
            continue
        try:
            load(group, entry.name, ())
        except PluginError as error:
            diagnostics += error.diagnostics
    return tuple(dict.fromkeys(diagnostics))


def failed(group: str, name: str, error: Exception) -> PluginError:
    """Return the error for an exception that a loaded class raised."""
    (entry,) = tuple(_registered(group).select(name=name))
    return _error(
        entry, f"failed: {_words(error)}", "please report it to the authors of the package"
    )


def _registered(group: str) -> EntryPoints:
    """Return what installed packages register. Its module imports a lot, and few need it."""
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _error(entry: EntryPoint, message: str, hint: str) -> PluginError:
    place = Span(_package(entry))
    text = f"{entry.name} ({entry.value}) {message}"
    return PluginError([Diagnostic("error", "plugin", text, place, hint)])


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unnamed package"


def _words(error: Exception) -> str:
    first = str(error).strip().splitlines()[:1]
    return ": ".join([type(error).__name__, *first])[:300]


def missing(what: str, extra: str, error: ImportError) -> UsageError:
    """Return the error for a package of an extra that isn't installed: what needs it, and how.

    Raises MemoryError if it is installed, and there is no memory to load it.
    """
    if any(words in str(error).lower() for words in ("failed to map", "allocate")):
        raise MemoryError from error
    message = f"{what} needs the package {error.name}, which is not installed"
    return UsageError([Diagnostic("error", f"{extra}-missing", message, hint=how_to_get(extra))])


def how_to_get(extra: str) -> str:
    """Return the command that adds an extra to the environment that cvbuild runs in.

    pipx and uv give each program an environment of its own, which the user's pip doesn't know. In
    double quotes, which Windows' Command Prompt understands, too.
    """
    here = Path(sys.prefix)
    if (here / "pipx_metadata.json").is_file():
        return f'pipx runpip {shlex.quote(here.name)} install "cvbuild[{extra}]"'
    if (here / "uv-receipt.toml").is_file():
        return f'uv pip install --python {shlex.quote(str(here))} "cvbuild[{extra}]"'
    return f'pip install "cvbuild[{extra}]"'
