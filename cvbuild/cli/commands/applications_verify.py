"""``cvbuild applications verify``: whether what was sent is as it was, and comes out the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cvbuild.applications import load, overview
from cvbuild.applications.sent import archive, rebuild
from cvbuild.applications.sent.archive import Verified
from cvbuild.applications.sent.rebuild import Build
from cvbuild.building.environment import today, workspace_library
from cvbuild.cli import console, request
from cvbuild.common import user_cache
from cvbuild.common.positions import shown
from cvbuild.outputs.task import Settings


def run(given: argparse.Namespace) -> int:
    """Look at packets again; 1 if one was touched, or comes out otherwise for no reason."""
    slugs = load.find(given.slugs, known=overview.slugs()) if given.slugs else (None,)
    library = workspace_library()
    settings = Settings(
        Path("out"), library, today(), cache=user_cache.folder(), timeout=given.timeout
    )
    found = []
    with request.ended_by_signals():
        for one in _verified(slugs, rebuild.builder(settings)):
            found.append(one)
            if not given.json:
                console.answer(_line(one))
                console.show(one.diagnostics)
    if given.json:
        console.print_json({"packets": [one.as_json() for one in found]})
    elif not found:
        console.say("nothing was sent yet: cvbuild apply NAME --sent keeps what is")
    return int(not all(one.is_whole for one in found))


def _verified(slugs: tuple[str | None, ...], build: Build) -> Iterator[Verified]:
    for slug in slugs:
        for one in archive.packets(Path(), slug):
            yield archive.verify(one, build)


def _line(one: Verified) -> str:
    sign, folder = "✓" if one.is_whole else "✗", shown(str(one.packet.folder))
    count = len(one.files)
    if not one.files:
        return f"{sign} {folder}: it isn't what was sent"
    if not one.built:
        return f"{sign} {folder}: untouched, but can't be built again"
    if len(one.same) == count:
        return f"{sign} {folder}: untouched, and built again all {count} files have the same bytes"
    return f"{sign} {folder}: untouched; built again {len(one.same)} of {count} have the same bytes"
