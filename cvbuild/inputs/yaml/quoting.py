"""Which lines of a file that can't be parsed a message may quote.

Nobody knows what is private in such a file, so only those parts of it are quoted that can't hold
anything private.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from cvbuild.common.safe_files import is_overlay

#: Top-level keys of a person's file, except those of personal data.
_PUBLIC_KEYS = frozenset(
    ("formats", "headline", "interests", "locale", "name", "options", "sections", "summary",
     "template", "updated", "variants")
)  # fmt: skip
_KEY = re.compile(r"([\w-]+)\s*:(?=\S|\s|$)")
#: What a flag, or a value with a flag, looks like; with slips.
_FLAG = re.compile(r"\bpri?\w{0,3}v|\bval\w*[\"']?\s*:", re.IGNORECASE)


class Quoting(Struct, frozen=True):
    """The lines of a file; ``personal`` says whether it is a person's file or overlay."""

    name: str
    rows: Sequence[str]
    personal: bool

    def allows(self, row: int) -> bool:
        """Return whether a message may quote the line, counted from 0.

        It may if the line is in a block of a top-level key that isn't personal data, and no value
        in that block has a flag.
        """
        if not self.personal:
            return True
        if is_overlay(Path(self.name)) or row >= len(self.rows):
            return False
        before = (at for at in range(row, -1, -1) if _KEY.match(self.rows[at]))
        after = (at for at in range(row + 1, len(self.rows)) if _KEY.match(self.rows[at]))
        first = next(before, None)
        key = _KEY.match(self.rows[first]) if first is not None else None
        if key is None or key[1] not in _PUBLIC_KEYS:
            return False
        block = self.rows[first : next(after, len(self.rows))]
        return not any(_FLAG.search(line) for line in block)
