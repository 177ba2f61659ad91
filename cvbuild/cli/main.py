"""The command line: parser and exit codes.

``command_table`` lists the commands. Little is imported at the start; the module of a command, with
all that it needs, when it runs.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from cvbuild.cli import console, workspace
from cvbuild.cli.arguments import CommandParser, Help, Root
from cvbuild.cli.command_table import COMMANDS
from cvbuild.common import VERSION, interrupts

#: Exit codes: 0 done, 1 something failed, 2 bad usage, 3 no usable TeX, 130 interrupted, 128 and
#: its number for another signal that ends a process.
INTERRUPTED = 130
_PLUGINS = "pydantic.plugin._loader"


def parser(*, filled: bool = False) -> argparse.ArgumentParser:
    """Return the parser of the whole command line.

    A command gets its arguments when it is parsed; ``filled``: all of them at once.
    """
    root = Root(
        prog="cvbuild",
        description="Build CVs from one YAML file per person.",
        formatter_class=Help,
    )
    root.add_argument("--version", action="version", version=f"cvbuild {VERSION}")
    root.add_argument(
        "-C", dest="folder_first", metavar="DIR", help="go to this folder before anything else"
    )
    # With ``prog`` given, argparse doesn't format a usage text to find it.
    commands = root.add_subparsers(
        dest="command", metavar="COMMAND", prog=root.prog, parser_class=CommandParser
    )
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.about, formatter_class=Help)
        subparser.command = command
        if filled:
            subparser.fill()
    return root


def run() -> NoReturn:
    """Run the command line as a program, which ends with it.

    It ends without freeing its objects one by one, which would take as long as importing a library.
    """
    codes: list[int] = []
    # Registered before all others, it runs after them, when all threads have ended.
    atexit.register(lambda: os._exit(codes[0]) if codes else None)
    try:
        codes.append(main())
    except KeyboardInterrupt:
        codes.append(INTERRUPTED)
    except SystemExit as ended:
        # Help, version and bad usage, by argparse.
        codes.append(int(ended.code or 0))
    sys.exit(codes[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    try:
        start_fast()
        console.repair()
        return _run(arguments)
    except KeyboardInterrupt as stop:
        with contextlib.suppress(OSError):
            sys.stderr.write("interrupted\n")
        return int(getattr(stop, "exit_code", INTERRUPTED))
    except BrokenPipeError:
        # The reader of our output has closed it: end silently, as other tools do.
        return 1
    finally:
        console.discard()


def _run(arguments: Sequence[str] | None) -> int:
    given = argparse.Namespace()
    try:
        given = _parsed(arguments)
        if given.command is None:
            console.answer(parser().format_help().rstrip())
            return 0
        console.level = getattr(given, "verbose", False) - getattr(given, "quiet", False)
        workspace.enter(given)
        name = COMMANDS[given.command].runs or f"{given.command}.run"
        module, _, function = name.partition(".")
        command_module = import_module(f"cvbuild.cli.commands.{module}")
        if callable(signal.getsignal(signal.SIGINT)):
            # From here on there may be something to tidy: no longer as in ``start``.
            with contextlib.suppress(ValueError):  # only the main thread may
                signal.signal(signal.SIGINT, signal.default_int_handler)
        # A signal is how these two end, and they see to it themselves.
        is_lasting = module == "watch"
        held = contextlib.nullcontext() if is_lasting else interrupts.exit_on_signals()
        with held:
            code = int(getattr(command_module, function)(given))
            console.finish()
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - _report raises again what is not ours
        return _report(error, as_json=getattr(given, "json", False))
    return code


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        return parser().parse_args(words)
    except SystemExit:
        # Help and version are an answer, too.
        console.finish()
        raise


def start_fast() -> None:
    """Leave out what a short run doesn't need, unless the environment asks for it."""
    # Otherwise pydantic looks for plugins in the metadata of every installed package.
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        sys.modules.setdefault(_PLUGINS, _no_plugins())
    # Imports alone make 100,000 objects that stay; Python would scan them again and again.
    gc.set_threshold(1_000_000, 50, 100)


def _no_plugins() -> ModuleType:
    """Return a module that stands for pydantic's search for plugins, and finds none.

    Why: the real one imports what reads metadata, and with it the package email. It is imported
    all the same if a version of pydantic asks for more than the plugins.
    """

    def real(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        del sys.modules[_PLUGINS]
        return getattr(import_module(_PLUGINS), name)

    made = ModuleType(_PLUGINS)
    vars(made).update(get_plugins=tuple, __getattr__=real)
    return made


def _of_system(error: OSError) -> Exception:
    """Return the error for what the system refused where nobody expected it."""
    from cvbuild.common.errors import CvbuildError

    try:
        Path.cwd()
    except OSError:
        message, hint = "the working folder is gone", "change to another folder"
        return CvbuildError.because("folder", message, hint)
    place = f" ({error.filename})" if error.filename else ""
    return CvbuildError.because("system", f"{error.strerror or error}{place}")


def _is_low_memory(error: Exception) -> bool:
    """Return whether it was raised because there was no memory for something."""
    words = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, RuntimeError) and "can't start new thread" in words)
        # Code in C that had no memory for its error either.
        or (isinstance(error, SystemError) and "without" in words)
        # The loader of shared libraries.
        or (isinstance(error, ImportError) and ("failed to map" in words or "allocate" in words))
    )


def _report(error: Exception, *, as_json: bool) -> int:
    if _is_low_memory(error):
        # Nothing more is loaded: there may be no memory for that either.
        sys.stderr.write("there is too little memory for this; close other programs\n")
        return 1
    from cvbuild.common.errors import CvbuildError

    if isinstance(error, OSError):
        error = _of_system(error)
    if not isinstance(error, CvbuildError):
        raise error
    is_unwritable = any(one.code == console.UNWRITABLE for one in error.diagnostics)
    if as_json and not is_unwritable:
        try:
            console.print_json({"diagnostics": error.diagnostics})
        except CvbuildError as unwritable:
            console.show(unwritable.diagnostics)
    else:
        console.show(error.diagnostics)
    return error.exit_code
