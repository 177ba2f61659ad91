"""Find the top of the workspace that the user stands in, and work from there.

Only what the quick check needs is imported here. docs/internals/workspace.md says why the search
ends where it does.
"""

from __future__ import annotations

import argparse
import os
import stat
from typing import NoReturn

from cvbuild.cli.shared_arguments import GivenPath
from cvbuild.inputs import output_folder
from cvbuild.inputs.output_folder import FILE
from cvbuild.inputs.people import FOLDER

#: Commands that need no workspace: they work where the user stands.
_ANYWHERE = ("init", "extract")


def enter(given: argparse.Namespace) -> None:
    """Make the top the working folder, and find the paths among the arguments from there.

    Also sets the output folder that nobody named. Raises UsageError for a folder that can't be
    entered, CvbuildError for an output folder with a link in it.
    """
    if given.folder_first is not None:
        _change(given.folder_first)
    if given.command in _ANYWHERE:
        return
    here = os.getcwd()
    found = top(here)
    if found != here:
        _change(found)
        for name, value in vars(given).items():
            setattr(given, name, _moved(value, here, found))
        if not getattr(given, "json", False):
            from cvbuild.cli import console

            console.say(f"working in {found}")
    if getattr(given, "out", None) == "":
        given.out = output_folder.default()


def top(here: str) -> str:
    """Return the top of the workspace that a folder is in; the folder itself if in none."""
    home = os.path.realpath(os.path.expanduser("~"))
    folder, device = here, os.stat(here).st_dev
    while not _is_top(folder):
        parent = os.path.dirname(folder)
        if folder in (parent, home) or not _may_enter(parent, device):
            return here
        folder = parent
    return folder


def _is_top(folder: str) -> bool:
    """Return whether the folder has cvbuild.yaml, or people's files."""
    if os.path.isfile(os.path.join(folder, FILE)):
        return True
    try:
        return any(name.endswith(".yaml") for name in os.listdir(os.path.join(folder, FOLDER)))
    except OSError:
        return False


def _may_enter(folder: str, device: int) -> bool:
    """Return whether it is on the same file system, and nobody else can put a workspace there."""
    try:
        state = os.stat(folder)
    except OSError:
        return False
    if state.st_dev != device:
        return False
    return not hasattr(os, "getuid") or (
        state.st_uid == os.getuid() and not state.st_mode & stat.S_IWOTH
    )


def _moved(value: object, here: str, there: str) -> object:
    """Return an argument with its paths, which are relative to one folder, as seen from another."""
    if isinstance(value, list):
        return [_moved(one, here, there) for one in value]
    if not isinstance(value, GivenPath) or os.path.isabs(value):
        return value
    return type(value)(os.path.relpath(os.path.join(here, value), there))


def _change(folder: str) -> None:
    try:
        os.chdir(folder)
    except (OSError, ValueError) as error:
        _refuse(folder, getattr(error, "strerror", None) or str(error))


def _refuse(folder: str, reason: str) -> NoReturn:
    from cvbuild.common.errors import UsageError

    message = f'can\'t go to "{folder}": {reason[:1].lower()}{reason[1:]}'
    raise UsageError.because("folder", message, "check the path")
