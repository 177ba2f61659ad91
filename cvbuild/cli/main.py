"""The command line: parser, exit codes, the workspace that the user stands in, what is requested.

``command_table`` lists the commands. Little is imported at the start; the module of a command, with
all that it needs, when it runs. docs/explanation/security.md says why the search for a workspace
ends where it does.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import errno
import gc
import os
import signal
import stat
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from cvbuild.cli import console
from cvbuild.cli.arguments import GivenPath, Help, Parser, add_commands
from cvbuild.cli.command_table import COMMANDS
from cvbuild.common import VERSION, interrupts
from cvbuild.common.safe_files import OUT
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
        formatter_class=Help,
    )
    root.add_argument("--version", action="version", version=f"cvbuild {VERSION}")
    root.add_argument(
        "-C", dest="folder_first", metavar="DIR", help="go to this folder before anything else"
    )
    add_commands(root, "command", COMMANDS)
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
        words = [*(sys.argv[1:] if arguments is None else arguments)]
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        try:
            given = parser().parse_args(words)
        except SystemExit:
            # Help and version are an answer, too.
            console.finish()
            raise
        if given.command is None:
            console.answer(parser().format_help().rstrip())
            return 0
        console.is_quiet = getattr(given, "quiet", False)
        enter(given)
        name = COMMANDS[given.command].runs or f"{given.command}.run"
        module, _, function = name.partition(".")
        command_module = import_module(f"cvbuild.cli.commands.{module}")
        if callable(signal.getsignal(signal.SIGINT)):
            # From here on there may be something to tidy: no longer as in ``start``.
            with contextlib.suppress(ValueError):  # only the main thread may
                signal.signal(signal.SIGINT, signal.default_int_handler)
        # A signal is how watching ends, which sees to it itself.
        is_lasting = module == "watch"
        with contextlib.nullcontext() if is_lasting else interrupts.exit_on_signals():
            code = int(getattr(command_module, function)(given))
            console.finish()
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - _report raises again what is not ours
        return _report(error, as_json=getattr(given, "json", False))
    return code


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

    module = ModuleType(_PLUGINS)
    vars(module).update(get_plugins=tuple, __getattr__=real)
    return module


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
    from cvbuild.common.errors import CvbuildError

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
    """Make the top the working folder, and find the paths among the arguments from there.

    Also sets the output folder that nobody named. Raises UsageError for a folder that can't be
    entered.
    """
    if given.folder_first is not None:
        _change(given.folder_first)
    if given.command == "init":
        return  # It makes a workspace where the user stands.
    here = Path.cwd()
    workspace = top(here)
    if workspace != here:
        _change(workspace)
        for name, value in vars(given).items():
            setattr(given, name, _moved(value, here))
        if not getattr(given, "json", False):
            console.say(f"working in {workspace}")
    if getattr(given, "out", None) == "":
        given.out = OUT


def top(here: Path) -> Path:
    """Return the top of the workspace that a folder is in; the folder itself if in none.

    That has cvbuild.yaml, or people's files.
    """
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


def _moved(value: object, here: Path) -> object:
    """Return an argument with its paths, which are relative to ``here``, as seen from the top."""
    if isinstance(value, list):
        return [_moved(item, here) for item in value]
    if not isinstance(value, GivenPath) or Path(value).is_absolute():
        return value
    return GivenPath(os.path.relpath(here / value))


def _change(folder: str | Path) -> None:
    try:
        os.chdir(folder)
    except (OSError, ValueError) as error:
        from cvbuild.common.errors import UsageError

        reason = getattr(error, "strerror", None) or "it has a null character"
        message = f'can\'t go to "{folder}": {reason[:1].lower()}{reason[1:]}'
        raise UsageError.because("folder", message, "check the path") from error


# -- requests --------------------------------------------------------------------------------------


def request_of(given: argparse.Namespace) -> Request:
    """Return what the arguments and the environment request; a command needs not have all.

    Raises UsageError for a SOURCE_DATE_EPOCH that is no number.
    """
    from cvbuild.building import fresh

    def listed(name: str) -> tuple[str, ...]:
        """Return the names of an argument that takes ``a,b`` and may be repeated, or takes one."""
        value = getattr(given, name, None) or ()
        every = [[value]] if isinstance(value, str) else value
        return tuple(dict.fromkeys(name for names in every for name in names))

    alike = ("all_templates", "engine", "driver", "locale", "private", "jobs", "force", "timeout")
    return Request(
        Path(getattr(given, "out", OUT)),
        fresh.today(),
        templates=listed("template"),
        variants=listed("variant"),
        everybody=not getattr(given, "people", ()),
        formats=listed("format"),
        sets=tuple(getattr(given, "set", ())),
        template_path=tuple(getattr(given, "template_path", ())),
        epoch=epoch_of(os.environ.get("SOURCE_DATE_EPOCH", "")),
        cluster=getattr(given, "cluster", None),
        **{name: getattr(given, name) for name in alike if hasattr(given, name)},
    )


def in_each_language(given: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """Yield the arguments for each language of ``--locale en,de``, or once as they are.

    Raises UsageError for an unknown one of several, before the first.
    """
    tags = [tag.strip() for tag in (given.locale or "").split(",")]
    if len(tags) == 1:
        yield given
        return
    from cvbuild.building.pipeline import known_locale

    for tag in dict.fromkeys([known_locale(tag) for tag in tags if tag]) or (None,):
        yield argparse.Namespace(**{**vars(given), "locale": tag})
