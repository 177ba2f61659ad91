"""The record of a finished document: a key of all that it was made from, stored next to it.

The key is a hash over named parts, and the parts are stored too, so that ``why`` can say which of
them changed. A record vouches for a document, so it has a code (``sealed``) made with the user's
key: one that came with a clone counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from cvbuild.building.outcome import Record
from cvbuild.common import hashes, sealed, user_cache
from cvbuild.common.files import safe_files
from cvbuild.common.files.safe_folders import Folder

#: A record has some kB, with the names of what a person's file leaves out.
_MOST = 16 << 20
#: Parts that may differ between machines on which a document has the same bytes.
_OF_MACHINE = ("tree", "fonts")


def name(output: str) -> str:
    """Return the name of the record's file for an output of that name."""
    return "record.json" if output == "pdf" else f"record-{output}.json"


def key(parts: Mapping[str, str]) -> str:
    """Return a SHA-256 over the parts, in hexadecimal."""
    return hashes.digest(json.dumps(dict(parts), sort_keys=True))


def content(parts: Mapping[str, str]) -> str:
    """Return the key without the parts of this machine; the PDF's ids are made of it."""
    return key({name: part for name, part in parts.items() if name not in _OF_MACHINE})


def read(path: Path, cache: Path | None) -> Record | None:
    """Return the record, or None if there is none, it can't be read, or isn't this user's.

    ``cache`` is the folder with the user's key, by default the user's own.
    """
    try:
        text = safe_files.read(path, _MOST, links=False).decode("utf-8", "surrogatepass")
        data = json.loads(sealed.unseal(text, user_cache.key(user_cache.resolved(cache))))
        return Record(**{**data, "left_out": tuple(data["left_out"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(folder: Folder, name: str, record: Record, cache: Path | None) -> None:
    """Write the record into a document's open folder; raises OSError."""
    text = sealed.seal(json.dumps(asdict(record)), user_cache.key(user_cache.resolved(cache)))
    folder.write(name, text.encode("utf-8", "surrogatepass"))
