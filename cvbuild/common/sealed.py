"""Whether what is kept between runs, and not looked at value by value, is whole and ours.

A text has its hash in a line before it. A program or a format is taken from no file or folder that
somebody else may have written.
"""

from __future__ import annotations

import hashlib
import os
import stat


def seal(text: str) -> str:
    """The text with its hash."""
    return f"{_sum(text)}\n{text}"


def opened(sealed: str) -> str:
    """The text without it; raises ValueError if it isn't what was sealed."""
    total, _, text = sealed.partition("\n")
    if total != _sum(text):
        raise ValueError("not whole")
    return text


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_ours(state: os.stat_result) -> bool:
    """Whether none but this user and root can have written it; where that isn't known, no."""
    own = getattr(os, "geteuid", None)
    others = stat.S_IWGRP | stat.S_IWOTH
    return own is not None and state.st_uid in (0, own()) and not state.st_mode & others
