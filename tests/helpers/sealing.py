"""Records and indexes as plain text: what the user's key seals, read and written again."""

from __future__ import annotations

from pathlib import Path

from cvbuild.common import user_cache


def unsealed(path: Path, cache: Path | None = None) -> str:
    """The text, which must have the user's code."""
    text = path.read_text(encoding="utf-8")
    return user_cache.unseal(text, user_cache.key(user_cache.resolved(cache)))


def seal(path: Path, text: str, cache: Path | None = None) -> None:
    """Write the text with the user's code, as if cvbuild had written it."""
    code = user_cache.key(user_cache.resolved(cache))
    path.write_text(user_cache.seal(text, code), encoding="utf-8")
