"""``cvbuild init``: a workspace for someone who installed with pip."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cvbuild import console, schema, starter
from cvbuild.commands import new
from cvbuild.errors import UsageError


def run(given: argparse.Namespace) -> int:
    """Make the folder and fill it; what is there already stays as it is."""
    root = Path(given.folder)
    files = {
        "Makefile": starter.MAKEFILE,
        ".gitignore": starter.GITIGNORE,
        "docs/profile.schema.json": json.dumps(schema.json_schema(), indent=2) + "\n",
    }
    try:
        (root / "people").mkdir(parents=True, exist_ok=True)
        (root / "docs").mkdir(exist_ok=True)
        for name, text in files.items():
            if not (root / name).exists():
                (root / name).write_text(text, encoding="utf-8")
    except OSError as error:
        place = error.filename or root
        raise UsageError.because("write", f"can't write {place}: {error.strerror}") from None
    if not any((root / "people").glob("*.yaml")):
        new.create("Ada Example", root / "people")
    console.say(f"{root} is ready: edit people/ada-example.yaml, then run: cvbuild build")
    return 0
