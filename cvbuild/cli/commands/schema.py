"""``cvbuild schema``: print the JSON Schema of a file, or the documentation of a person's file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from cvbuild.applications import editor_schema as applications
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.errors import UsageError
from cvbuild.inputs.schema import json_schema, reference_page
from cvbuild.outputs import editor_schema
from cvbuild.outputs.styles.templates import Library

_SCHEMAS: Mapping[str, Callable[[Library], Any]] = {
    "person": editor_schema.json_schema,
    "application": applications.json_schema,
    "workspace": editor_schema.workspace_schema,
}


def run(given: argparse.Namespace) -> int:
    """Print to stdout."""
    if not given.markdown:
        console.answer(text(given.of, workspace_library()).rstrip("\n"))
        return 0
    if given.of != "person":
        hint = "leave out --of, or --markdown"
        raise UsageError.because("schema", f"there is no such page of {given.of}", hint)
    console.answer(reference_page.markdown().rstrip("\n"))
    return 0


def text(kind: str, library: Library) -> str:
    """Return the schema of a file as JSON; raises TemplateError for a faulty manifest."""
    return json.dumps(_SCHEMAS[kind](library), indent=2) + "\n"


def files(library: Library) -> dict[str, str]:
    """Return the schema of each kind of file, by its place in a workspace."""
    return {file: text(kind, library) for kind, file in json_schema.FILES.items()}
