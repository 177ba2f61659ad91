"""``cvbuild schema``: print the JSON Schema of a person's file, or its documentation."""

from __future__ import annotations

import argparse
import json

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.inputs.schema import reference_page
from cvbuild.outputs import editor_schema


def run(given: argparse.Namespace) -> int:
    """Print to stdout."""
    text = (
        reference_page.markdown()
        if given.markdown
        else json.dumps(editor_schema.json_schema(workspace_library()), indent=2)
    )
    console.answer(text.rstrip("\n"))
    return 0
