"""``cvbuild schema``: the JSON Schema of a person's file, or its documentation."""

from __future__ import annotations

import argparse
import json

from cvbuild import schema


def run(given: argparse.Namespace) -> int:
    """Print to stdout."""
    text = schema.markdown() if given.markdown else json.dumps(schema.json_schema(), indent=2)
    print(text.rstrip("\n"))
    return 0
