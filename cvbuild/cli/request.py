"""What the arguments request: settings and documents."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from cvbuild.building.environment import known_locale, today, workspace_library
from cvbuild.building.requested_documents import (
    RequestedDocuments,
    refuse_variants,
    requested_formats,
)
from cvbuild.cli.report import request_of
from cvbuild.common import user_cache
from cvbuild.common.errors import UsageError
from cvbuild.inputs import overrides, people
from cvbuild.inputs.output_folder import DefaultFolder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings


def settings_of(given: argparse.Namespace) -> Settings:
    """Return how documents are built; raises UsageError for what doesn't exist."""
    return Settings(
        out=Path(given.out),
        library=workspace_library(given.template_path),
        today=today(),
        epoch=_epoch(os.environ.get("SOURCE_DATE_EPOCH")),
        engine=given.engine,
        driver=given.driver,
        force=given.force,
        timeout=given.timeout,
        cache=user_cache.folder(),
        locale=known_locale(given.locale),
        private=given.private,
        sets=tuple(given.set),
        by_group=isinstance(given.out, DefaultFolder),
    )


def _epoch(text: str | None) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,11}", text):
        raise UsageError.because(
            "epoch",
            f'SOURCE_DATE_EPOCH is "{text}"',
            "set it to a number of seconds since 1970",
        )
    return int(text)


def _refuse_templates(
    names: Sequence[str], templates: Collection[str], chosen: Sequence[str]
) -> None:
    """Raise UsageError for a template where a person is named: ``-t academic industry``."""
    meant = [name for name in names if name in templates]
    for name in meant:
        if not Path(people.FOLDER, f"{name}.yaml").exists():
            fact = f'"{name}" is a template, and nobody in {people.FOLDER}/ has that name'
            hint = f"several templates are written as -t {','.join((*chosen, *meant))}"
            raise UsageError.because("person", fact, hint)


def documents_of(given: argparse.Namespace, library: Library) -> RequestedDocuments:
    """Return what is requested of everybody; raises UsageError for unknown names or keys."""
    overrides.read(given.set)
    _refuse_templates(given.people, library.names(), request_of(given).templates)
    request, everybody = request_of(given), not given.people
    formats = requested_formats(request.formats, cluster=bool(request.cluster))
    if given.all_templates:
        return RequestedDocuments(library.names(), everybody=everybody, formats=formats)
    if request.variants:
        return RequestedDocuments(
            request.variants, variants=True, everybody=everybody, formats=formats
        )
    names = request.templates
    refuse_variants(names, library.names())
    for name in names:
        library.require(name)
    return RequestedDocuments(names, everybody=everybody, formats=formats)
