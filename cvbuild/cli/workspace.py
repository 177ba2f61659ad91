"""The workspace that the user stands in, and what the arguments request of it.

Only what the quick check needs is imported here. docs/explanation/security.md says why the
search ends where it does.
"""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from cvbuild.building import Request
from cvbuild.cli.arguments import GivenPath
from cvbuild.inputs import people
from cvbuild.inputs.people import FOLDER, WORKSPACE, DefaultFolder


def enter(given: argparse.Namespace) -> None:
    """Make the top the working folder, and find the paths among the arguments from there.

    Also sets the output folder that nobody named. Raises UsageError for a folder that can't be
    entered, CvbuildError for an output folder with a link in it.
    """
    if given.folder_first is not None:
        _change(given.folder_first)
    if given.command == "init":
        return  # It makes a workspace where the user stands.
    here = Path.cwd()
    found = top(here)
    if found != here:
        _change(found)
        for name, value in vars(given).items():
            setattr(given, name, _moved(value, here))
        if not getattr(given, "json", False):
            from cvbuild.cli import console

            console.say(f"working in {found}")
    if getattr(given, "out", None) == "":
        given.out = people.output_folder()


def top(here: Path) -> Path:
    """Return the top of the workspace that a folder is in; the folder itself if in none."""
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - it raises nothing
    device = here.stat().st_dev
    for folder in (here, *here.parents):
        if folder != here and not _is_ours(folder, device):
            break
        if _is_top(folder):
            return folder
        if folder == home:
            break
    return here


def _is_top(folder: Path) -> bool:
    """Return whether the folder has cvbuild.yaml, or people's files."""
    try:
        return (folder / WORKSPACE).is_file() or any((folder / FOLDER).glob("*.yaml"))
    except OSError:
        return False


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
        return [_moved(one, here) for one in value]
    if not isinstance(value, GivenPath) or Path(value).is_absolute():
        return value
    return GivenPath(os.path.relpath(here / value))


def _change(folder: str | Path) -> None:
    try:
        os.chdir(folder)
    except (OSError, ValueError) as error:
        from cvbuild.common.errors import UsageError

        reason = getattr(error, "strerror", None) or str(error)
        message = f'can\'t go to "{folder}": {reason[:1].lower()}{reason[1:]}'
        raise UsageError.because("folder", message, "check the path") from error


# -- requests --------------------------------------------------------------------------------------


def request_of(given: argparse.Namespace) -> Request:
    """Return what the arguments and the environment request."""
    return Request(
        out=given.out,
        templates=tuple(name for names in given.template for name in names),
        all_templates=given.all_templates,
        variants=tuple(name for names in given.variant for name in names),
        everybody=not given.people,
        of_many=len(given.people) != 1,
        template_path=tuple(given.template_path),
        engine=given.engine,
        driver=given.driver,
        locale=given.locale,
        epoch=epoch(),
        cluster=getattr(given, "cluster", None) or "",
        private=given.private,
        sets=tuple(given.set),
        formats=tuple(dict.fromkeys(name for names in given.format for name in names)),
        one_folder=not isinstance(given.out, DefaultFolder),
    )


def in_each_language(given: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """Yield the arguments for each language of ``--locale en,de``, or once as they are.

    Raises UsageError for an unknown one of several, before the first.
    """
    tags = [tag.strip() for tag in (given.locale or "").split(",")]
    if len(tags) == 1:
        yield given
        return
    from cvbuild.building.requested import known_locale

    for tag in dict.fromkeys([known_locale(tag) for tag in tags if tag]) or (None,):
        yield argparse.Namespace(**{**vars(given), "locale": tag})


def epoch() -> str:
    """Return SOURCE_DATE_EPOCH, empty if it isn't set."""
    return os.environ.get("SOURCE_DATE_EPOCH", "")
