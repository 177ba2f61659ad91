"""The command line: parser, exit codes, the workspace that the user stands in, what is requested.

Little is imported at the start; the module of a command, with all that it needs, when it runs.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import os
import signal
import stat
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from cvbuild.cli import console
from cvbuild.cli.arguments import GivenPath, Parser, add_commands, formatter
from cvbuild.cli.command_table import COMMANDS
from cvbuild.common import VERSION, interrupts
from cvbuild.common.files.safe_files import OUT
from cvbuild.inputs.people import FOLDER, WORKSPACE
from cvbuild.outputs.request import Request, epoch_of

#: Exit codes: 0 done, 1 something failed, 2 bad usage, 3 no usable TeX, 130 interrupted, 128 and
#: its number for another signal that ends a process.
INTERRUPTED = 130
_PLUGINS = "pydantic.plugin._loader"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    root = Parser(
        prog="cvbuild",
        description="Build CVs from one YAML file per person.",
        epilog="cvbuild help COMMAND shows the options of a command.",
        formatter_class=formatter,
    )
    root.add_argument("--version", action="version", version=f"cvbuild {VERSION}")
    root.add_argument(
        "-C", dest="folder_first", metavar="DIR", help="go to this folder before anything else"
    )
    add_commands(root, "command", COMMANDS)
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    given = argparse.Namespace()
    try:
        start_fast()
        console.repair()
        try:
            return _run([*(sys.argv[1:] if arguments is None else arguments)], given)
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - _report raises again what is not ours
            return _report(error, as_json=getattr(given, "json", False))
    except KeyboardInterrupt as stop:
        with contextlib.suppress(OSError):
            sys.stderr.write("interrupted\n")
        return int(getattr(stop, "exit_code", INTERRUPTED))
    except BrokenPipeError:
        # The reader of our output has closed it: end silently, as other tools do.
        return 1
    finally:
        console.discard()


def _run(words: list[str], given: argparse.Namespace) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        parser().parse_args(words, given)
    except SystemExit:
        # Help and version are an answer, too.
        console.finish()
        raise
    if given.command is None:
        console.answer(parser().format_help().rstrip())
        return 0
    console.is_quiet = getattr(given, "quiet", False)
    enter(given)
    runs = COMMANDS[given.command].runs or f"{given.command}.run"
    module, _, function = runs.partition(".")
    command_module = import_module(f"cvbuild.cli.commands.{module}")
    if callable(signal.getsignal(signal.SIGINT)):
        # From here on there may be something to tidy: no longer as in ``start``.
        with contextlib.suppress(ValueError):  # only the main thread may
            signal.signal(signal.SIGINT, signal.default_int_handler)
    # A signal is how watching ends, which sees to it itself.
    with contextlib.nullcontext() if module == "watch" else interrupts.exit_on_signals():
        code = int(getattr(command_module, function)(given))
        console.finish()
    return code


def start_fast() -> None:
    """Leave out what a short run doesn't need, unless the environment asks for it.

    Why a module that stands for pydantic's search for plugins: the real one imports what reads
    metadata, and with it the package email. It is imported all the same if a version of pydantic
    asks for more than the plugins.
    """

    def real(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        del sys.modules[_PLUGINS]
        return getattr(import_module(_PLUGINS), name)

    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        module = sys.modules.setdefault(_PLUGINS, ModuleType(_PLUGINS))
        if not hasattr(module, "get_plugins"):
            vars(module).update(get_plugins=tuple, __getattr__=real)
    # Imports alone make 100,000 objects that stay; Python would scan them again and again.
    gc.set_threshold(1_000_000, 50, 100)


def _report(error: Exception, *, as_json: bool) -> int:
    """Print an error and return its exit code; raise it again if it isn't ours."""
    words = str(error).lower()
    if (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, RuntimeError) and "can't start new thread" in words)
        # Code in C that had no memory for its error either.
        or (isinstance(error, SystemError) and "without" in words)
        # The loader of shared libraries.
        or (isinstance(error, ImportError) and ("failed to map" in words or "allocate" in words))
    ):
        # Nothing more is loaded: there may be no memory for that either.
        sys.stderr.write("there is too little memory for this; close other programs\n")
        return 1
    from cvbuild.common.diagnostics import CvbuildError

    if isinstance(error, OSError):
        # What the system refused where nobody expected it.
        place = f" ({error.filename})" if error.filename else ""
        fact, code, hint = f"{error.strerror or error}{place}", "system", None
        try:
            Path.cwd()
        except OSError:
            fact, code, hint = "the working folder is gone", "folder", "change to another folder"
        error = CvbuildError.because(code, fact, hint)
    if not isinstance(error, CvbuildError):
        raise error
    diagnostics = error.diagnostics
    if as_json and all(item.code != console.UNWRITABLE for item in diagnostics):
        try:
            console.print_json({"diagnostics": diagnostics})
        except CvbuildError as unwritable:
            console.show(unwritable.diagnostics)
    else:
        console.show(diagnostics)
    return error.exit_code


# -- the workspace that the user stands in, and what the arguments request of it -------------------


def enter(given: argparse.Namespace) -> None:
    """Make the top the working folder, as whose paths arguments are seen; raises UsageError."""
    if (folder := given.folder_first) is not None:
        try:
            os.chdir(folder)
        except (OSError, ValueError) as error:
            from cvbuild.common.diagnostics import UsageError

            reason = getattr(error, "strerror", None) or "it has a null character"
            message = f'can\'t go to "{folder}": {reason[:1].lower()}{reason[1:]}'
            raise UsageError.because("folder", message, "check the path") from error
    if given.command == "init":
        return  # It makes a workspace where the user stands.
    here = Path.cwd()
    workspace = top(here)
    if workspace != here:
        os.chdir(workspace)
        # Paths are relative to where the user stands.
        for name, value in vars(given).items():
            items = value if isinstance(value, list) else [value]
            for at, item in enumerate(items):
                if isinstance(item, GivenPath) and not Path(item).is_absolute():
                    items[at] = GivenPath(os.path.relpath(here / item))
            setattr(given, name, items if isinstance(value, list) else items[0])
        if not getattr(given, "json", False):
            console.say(f"working in {workspace}")
    if getattr(given, "out", None) == "":
        given.out = OUT


def top(here: Path) -> Path:
    """Return the folder, or the one above it, that has cvbuild.yaml or people's files."""
    # Why it ends where it does: docs/explanation/security.md.
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - it raises nothing
    device = here.stat().st_dev
    for folder in (here, *here.parents):
        if folder != here and not _is_ours(folder, device):
            break
        with contextlib.suppress(OSError):
            if (folder / WORKSPACE).is_file() or any((folder / FOLDER).glob("*.yaml")):
                return folder
        if folder == home:
            break
    return here


def _is_ours(folder: Path, device: int) -> bool:
    """Return whether it is on the same file system, and nobody else can put a workspace there."""
    try:
        state = folder.stat()
    except OSError:
        return False
    if state.st_dev != device:
        return False
    return not hasattr(os, "getuid") or (
        state.st_uid == os.getuid() and not state.st_mode & stat.S_IWOTH
    )


# -- requests --------------------------------------------------------------------------------------


def request_of(given: argparse.Namespace) -> Request:
    """Return what arguments, not all of which are there, and the environment request."""
    from cvbuild.building import fresh

    alike = ("all_templates", "engine", "driver", "locale", "private", "jobs", "force", "timeout")
    how: dict[str, Any] = {name: getattr(given, name) for name in alike if hasattr(given, name)}
    for name in ("template", "variant", "format"):
        # It takes ``a,b`` and may be repeated, or takes one.
        value = getattr(given, name, None) or ()
        every = [[value]] if isinstance(value, str) else value
        how[f"{name}s"] = tuple(dict.fromkeys(part for names in every for part in names))
    return Request(
        Path(getattr(given, "out", OUT)),
        fresh.today(),
        everybody=not getattr(given, "people", ()),
        sets=tuple(getattr(given, "set", ())),
        template_path=tuple(getattr(given, "template_path", ())),
        epoch=epoch_of(os.environ.get("SOURCE_DATE_EPOCH", "")),
        cluster=getattr(given, "cluster", None),
        **how,
    )


def in_each_language(given: argparse.Namespace) -> list[Request]:
    """Return the request for each language of ``--locale en,de``; raises UsageError."""
    request, tags = request_of(given), [tag.strip() for tag in (given.locale or "").split(",")]
    if len(tags) == 1:
        return [request]
    from cvbuild.model.text import language_tags

    known = dict.fromkeys([language_tags.require(tag) for tag in tags if tag]) or (None,)
    return [request._replace(locale=tag) for tag in known]
