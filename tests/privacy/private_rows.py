"""Persons and overlays in rows, for the tests beside; the files of rows say what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import parse

CORPUS = Path(__file__).resolve().parents[2] / "tools" / "ats" / "corpus"
ADA = Person("ada", Path("people/ada.yaml"))
OVERLAY = Path("people/ada.private.yaml")


def data(text: str) -> object:
    return parse(text, "a.yaml").data


def write(text: str, over: str | None = None) -> None:
    """Write Ada's file, and an overlay of it."""
    ADA.path.write_text(text, encoding="utf-8")
    if over is not None:
        OVERLAY.write_text(over, encoding="utf-8")


def leaves(data: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from leaves(value, (*path, at))
    elif isinstance(data, str):
        yield path, data
