"""``cvbuild applications verify``: check that sent files are unmodified and can be rebuilt."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cvbuild.applications import load, overview
from cvbuild.applications.sent import archive, rebuild
from cvbuild.applications.sent.archive import Verified
from cvbuild.applications.sent.rebuild import Build
from cvbuild.building.environment import today, workspace_library
from cvbuild.cli import console
from cvbuild.common import interrupts, user_cache
from cvbuild.common.positions import shown
from cvbuild.outputs.task import Settings


def run(given: argparse.Namespace) -> int:
    """Check sent packets; return 1 if one was modified, or comes out differently for no reason."""
    slugs = load.find(given.slugs, known=overview.slugs()) if given.slugs else (None,)
    library = workspace_library()
    settings = Settings(
        Path("out"), library, today(), cache=user_cache.folder(), timeout=given.timeout
    )
    verified = []
    with interrupts.exit_on_signals():
        for one in _verified(slugs, rebuild.builder(settings)):
            verified.append(one)
            if not given.json:
                console.answer(_line(one))
                console.show(one.diagnostics)
    if given.json:
        console.print_json({"packets": [one.as_json() for one in verified]})
    elif not verified:
        console.say("nothing was sent yet; to keep what you send: cvbuild apply NAME --sent")
    return int(not all(one.is_whole for one in verified))


def _verified(slugs: tuple[str | None, ...], build: Build) -> Iterator[Verified]:
    for slug in slugs:
        for one in archive.packets(Path(), slug):
            yield archive.verify(one, build)


def _line(one: Verified) -> str:
    sign, folder = "✓" if one.is_whole else "✗", shown(str(one.packet.folder))
    count = len(one.files)
    if not one.files:
        return f"{sign} {folder}: modified since it was sent"
    if not one.built:
        return f"{sign} {folder}: unmodified, but can't be built again"
    if len(one.same) == count:
        return (
            f"{sign} {folder}: unmodified; all {count} files have the same bytes when built again"
        )
    same = f"{len(one.same)} of {count} files have the same bytes when built again"
    return f"{sign} {folder}: unmodified; {same}"
