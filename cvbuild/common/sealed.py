"""Whether what is kept between runs, and not looked at value by value, is whole and ours.

A text has its hash in a line before it. One that lies in a project has a code instead, which takes
the user's key (``caches``): a hash anybody can make. A program or a format is taken from no file or
folder that somebody else may have written.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat


def seal(text: str, key: bytes | None = None) -> str:
    """Return the text with its hash, or its code if there is a key."""
    return f"{_sum(text, key)}\n{text}"


def opened(sealed: str, key: bytes | None = None) -> str:
    """Return the text without it; raises ValueError if it isn't what was sealed with that key."""
    total, _, text = sealed.partition("\n")
    if not hmac.compare_digest(total.encode("utf-8", "replace"), _sum(text, key).encode()):
        raise ValueError("not whole")
    return text


def code(data: bytes, key: bytes) -> str:
    """HMAC-SHA-256 in hexadecimal: only who has the key can make it."""
    return hmac.new(key, data, hashlib.sha256).hexdigest()


def _sum(text: str, key: bytes | None) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest() if key is None else code(data, key)


def is_ours(state: os.stat_result) -> bool:
    """Return whether none but this user and root can have written it; where that isn't known, no."""
    own = getattr(os, "geteuid", None)
    others = stat.S_IWGRP | stat.S_IWOTH
    return own is not None and state.st_uid in (0, own()) and not state.st_mode & others
