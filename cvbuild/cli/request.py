"""What the arguments request. Little is imported: a build without changes has a request, too."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from cvbuild.building.request import Request
from cvbuild.inputs.output_folder import DefaultFolder


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
    from cvbuild.building.environment import known_locale

    for tag in dict.fromkeys([known_locale(tag) for tag in tags if tag]) or (None,):
        yield argparse.Namespace(**{**vars(given), "locale": tag})


def epoch() -> str:
    """Return SOURCE_DATE_EPOCH, empty if it isn't set."""
    return os.environ.get("SOURCE_DATE_EPOCH", "")
