"""Write the files of a new person or application, never over one that exists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_folders
from cvbuild.common.files.project_files import is_reserved
from cvbuild.inputs import people
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.base import clean

_NONE: Mapping[str, Any] = {}


def person(name: str, folder: Path, values: Mapping[str, Any] = _NONE) -> Path:
    """Write a person's file and return its path; ``values`` replace those of its keys.

    Raises UsageError for a bad name, or one in use.
    """
    path = place(name, folder)
    put(path, _with(starter_files.person(" ".join(name.split())), values))
    return path


def place(name: str, folder: Path) -> Path:
    """Return the file of a person of that name, which may exist; raises UsageError."""
    try:
        stem = starter_files.slug(clean(name))
        validate(parse(starter_files.person(" ".join(name.split())), stem))
    except (CvbuildError, ValueError):
        stem = ""
    if stem in people.RESERVED:
        stem = ""
    return people.of_stem(safe(stem, name), folder).path


def put(path: Path, text: str) -> None:
    """Write a new file of a folder's person; raises UsageError if it exists."""
    if not [*write(path.parent.parent, {f"{path.parent.name}/{path.name}": text})]:
        raise UsageError.because("exists", f"{path} exists already", "edit it")


def application(name: str, who: str, values: Mapping[str, Any] = _NONE) -> Mapping[str, str]:
    """Write applications/<name>.yaml of a person; return its path and text.

    ``values`` replace those of its keys. Raises UsageError for a bad name, or one in use.
    """
    stem = safe(starter_files.slug(Path(name).stem if name.endswith(".yaml") else name), name)
    files = {
        path: _with(text, values) for path, text in starter_files.application(who, stem).items()
    }
    write_all(files)
    return files


def _with(text: str, values: Mapping[str, Any]) -> str:
    """Return a starter's text with other values: a key of an example that is a comment, too."""
    for key, value in values.items():
        example = re.compile(rf"^# ({key}: )", re.MULTILINE)
        if example.search(text):
            text = example.sub(r"\1", text, count=1)
        elif not re.search(rf"^{key}:", text, re.MULTILINE):
            text = re.sub(r"(?m)^(position: .*\n)", rf"\1{key}: x\n", text, count=1)
        text = edit.put(text, (key,), value)
    return text


def write(root: Path, files: Mapping[str, str | bytes]) -> Iterator[str]:
    """Write the files that don't exist, and yield their names; raise UsageError."""
    for name, content in files.items():
        *above, last = name.split("/")
        try:
            with safe_folders.opened(root, *above, make=True) as folder:
                is_new = not folder.state(last)
                if is_new:
                    data = content.encode() if isinstance(content, str) else content
                    folder.create(last, data)
        except OSError as error:
            path = root / name
            raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None
        if is_new:
            yield name


def write_all(files: Mapping[str, str]) -> None:
    """Write all files; raise UsageError, and write none, if one of them exists."""
    for name in files:
        if Path(name).exists():
            raise UsageError.because("exists", f"{name} exists already", "edit it")
    for _ in write(Path(), files):
        pass


def safe(stem: str, name: str) -> str:
    """Return a name of a file; raise UsageError if there can't be such a file."""
    if not stem or is_reserved(stem):
        raise UsageError.because("name", f"\"{name}\" can't be a file's name", "use letters")
    return stem
