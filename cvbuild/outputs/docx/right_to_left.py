"""Which parts of a text run from right to left: Word asks for that run by run."""

from __future__ import annotations

import unicodedata
from itertools import groupby

_RIGHT, _LEFT = ("R", "AL", "AN"), ("L", "EN")


def parts(text: str, base: bool) -> list[tuple[str, bool]]:
    """Return the text in parts, each with whether it runs right; ``base`` is the paragraph's.

    What has no direction takes that of its neighbours if they agree, else the paragraph's. A text
    without any letter that runs right is one part.
    """
    ways = [_way(character) for character in text]
    if True not in ways:
        return [(text, False)] if text else []
    filled: list[bool] = []
    for at, way in enumerate(ways):
        before = filled[-1] if filled else base
        after = next((later for later in ways[at:] if later is not None), base)
        filled.append(way if way is not None else before if before == after else base)
    places = groupby(range(len(text)), lambda at: filled[at])
    return [("".join(text[at] for at in found), right) for right, found in places]


def _way(character: str) -> bool | None:
    found = unicodedata.bidirectional(character)
    return True if found in _RIGHT else False if found in _LEFT else None
