"""Check that files kept between runs, which are not validated, are undamaged and our own.

A text has its hash in a line before it. A text in a project has a code (HMAC) instead, made with
the user's key (``user_cache``), since anybody can make a hash. Programs and formats are never
loaded from a file or folder that somebody else may have written.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
from pathlib import Path
from typing import Any

from cvbuild.common.files import safe_files

#: How many bytes of a file are read.
_MOST = 64 << 20


def seal(text: str, key: bytes | None = None) -> str:
    """Return the text after a line with its hash, or its code if there is a key."""
    return f"{_sum(text, key)}\n{text}"


def unseal(sealed: str, key: bytes | None = None) -> str:
    """Return the sealed text; raises ValueError if it was changed or the key is another."""
    total, _, text = sealed.partition("\n")
    if not hmac.compare_digest(total.encode("utf-8", "replace"), _sum(text, key).encode()):
        raise ValueError("damaged")
    return text


def load(path: Path, key: bytes | None = None) -> Any:
    """Return what a file of sealed JSON holds; raises OSError, or ValueError as ``unseal``."""
    text = safe_files.read(path, _MOST, links=False).decode("utf-8")
    return json.loads(unseal(text, key))


def save(path: Path, data: object, key: bytes | None = None) -> None:
    """Replace a file by sealed JSON; raises OSError."""
    safe_files.replace(path, seal(json.dumps(data), key).encode())


def code(data: bytes, key: bytes) -> str:
    """Return the HMAC-SHA-256 in hexadecimal: it can't be made without the key."""
    return hmac.new(key, data, hashlib.sha256).hexdigest()


def _sum(text: str, key: bytes | None) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest() if key is None else code(data, key)


def is_ours(state: os.stat_result) -> bool:
    """Return whether only this user and root can have written it; False if that isn't known."""
    own = getattr(os, "geteuid", None)
    others = stat.S_IWGRP | stat.S_IWOTH
    return own is not None and state.st_uid in (0, own()) and not state.st_mode & others
