"""``cvbuild schema``: print the JSON Schema of a person's file, or its documentation."""

from __future__ import annotations

import argparse
import json

from cvbuild.cli import console
from cvbuild.inputs.schema import json_schema, reference_page


def run(given: argparse.Namespace) -> int:
    """Print to stdout."""
    text = (
        reference_page.markdown()
        if given.markdown
        else json.dumps(json_schema.json_schema(), indent=2)
    )
    console.answer(text.rstrip("\n"))
    return 0
