"""The texts of finished documents, whatever their format, read in processes with limits."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from html import unescape
from pathlib import Path

from cvbuild.common import separate
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.outputs.checks import text_folding
from cvbuild.outputs.pdf.verify import pdf_facts

#: Bytes of a file, unpacked, that are looked into.
_MOST = 4 << 20
#: Files that a process reads, the seconds it may take, and how many processes may fail.
_FILES, _SECONDS, _PATIENCE = 100, 10.0, 10
_TAGS = re.compile(r"<[^<>]*>")


def read(paths: Sequence[Path]) -> dict[str, str]:
    """Return what can be read of files, by path, in processes with limits."""
    texts: dict[str, str] = {}
    todo = [paths[start : start + _FILES] for start in range(0, len(paths), _FILES)]
    failures = 0
    while todo and failures < _PATIENCE:
        some = todo.pop()
        try:
            names = json.dumps([*map(str, some)]).encode()
            texts |= separate.call(__name__, "child", names, _SECONDS)
        except separate.FailedError:
            # One of them is too much: the others are read without it.
            failures += 1
            half = len(some) // 2
            todo += [part for part in (some[:half], some[half:]) if half]
    return texts


def child(names: str, result: str) -> None:
    """Read the files whose paths are a JSON list in the file ``names``; write their texts."""
    texts = {}
    for name in json.loads(Path(names).read_bytes()):
        with suppress(CvbuildError, OSError, ValueError, MemoryError, zipfile.BadZipFile):
            texts[name] = _text(Path(name))[:_MOST]
    Path(result).write_text(json.dumps(texts), encoding="ascii")


def _text(path: Path) -> str:
    """Return all texts of a document, whatever its format."""
    if path.suffix == ".pdf":
        facts = pdf_facts.read(path)
        parts = [page.text for page in facts.pages]
        parts += [link.url for link in facts.links]
        parts += [text for _, text in facts.metadata]
        parts += [_of_data(data) for _, data in facts.attachments]
        return "\n".join(parts)
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
            if sum(one.file_size for one in entries) > _MOST:
                raise ValueError
            files = [package.open(one).read(one.file_size) for one in entries]
        return "\n".join(_of_markup(data) for data in files)
    data = safe_files.read(path, _MOST, links=False)
    return _of_markup(data) if path.suffix == ".html" else _of_data(data)


def _of_data(data: bytes) -> str:
    return text_folding.in_json(data.decode("utf-8", "replace"))


def _of_markup(data: bytes) -> str:
    """Return the text between tags, and all of the markup: addresses stand in tags."""
    whole = data.decode("utf-8", "replace")
    return unescape(f"{_TAGS.sub(' ', whole)}\n{whole}")
