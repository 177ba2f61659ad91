"""``cvbuild import``: write a person's file from CVs in other formats, or add to one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from cvbuild.cli import console
from cvbuild.cli.commands.import_file import each, one
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import files, merging, one_person, registry

_APART = "import each by itself: --each; if they are one person, say so: --as NAME"


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, or add to it with --merge; return 1 if it isn't valid then."""
    if given.each:
        return each.run(given)
    read = [(file, registry.read(files.opened(Path(file)), given.source)) for file in given.files]
    told = one_person.difference([one_person.named(*each_file) for each_file in read], _APART)
    if told and not given.person:
        raise CvbuildError([told])
    if told:
        console.show([replace(told, severity="warning", hint=one.AS_SAYS)])
    found = merging.combined([part for _, part in read])
    return one.put(given.files[0], found, one.target(given.person, found), given)
