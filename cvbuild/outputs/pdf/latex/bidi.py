"""Levels of the Unicode bidirectional algorithm (UAX #9): which text runs right to left.

Pure. A level is even where text runs left to right and odd where it runs right to left. Lines are
reordered by TeX, so rules L1 to L4 are not here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterator, Sequence
from itertools import accumulate, groupby

#: Characters that only order the text; they are never printed.
CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_STRONG = ("L", "R", "AL")
#: What numbers count as among letters.
_AS_STRONG = {"L": "L", "R": "R", "EN": "R", "AN": "R"}
_NEUTRAL = frozenset(("B", "S", "WS", "ON", "LRI", "RLI", "FSI", "PDI"))
_REMOVED = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "BN"))
_ISOLATES = ("LRI", "RLI", "FSI")
_DEEPEST = 125
#: So many brackets may be open; after one more, pairs are no longer looked for (BD16).
_MOST_BRACKETS = 63
#: Brackets that come in pairs (from BidiBrackets.txt, those in common use).
_PAIRS = dict(zip("([{⁅〈⟦⟨《「『【〔〖〘〚｢", ")]}⁆〉⟧⟩》」』】〕〗〙〛｣", strict=True))
#: Characters that are drawn mirrored in right-to-left text, both ways.
MIRRORED = {a: b for pair in _PAIRS.items() for a, b in (pair, pair[::-1])}
MIRRORED |= {"<": ">", ">": "<", "«": "»", "»": "«", "‹": "›", "›": "‹", "≤": "≥", "≥": "≤"}


def first_strong(text: str) -> int | None:
    """Return the level of the first strong character outside of isolates (P2), or None."""
    # The end of an isolate that begins before the text ends the search.
    depth = 0
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in _ISOLATES:
            depth += 1
        elif kind == "PDI":
            depth -= 1
            if depth < 0:
                return None
        elif not depth and kind in _STRONG:
            return int(kind != "L")
    return None


def runs_right(text: str) -> bool:
    """Return whether the text has a letter that runs right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)


def levels(text: str, base: int) -> list[int]:
    """Return the level of each character in a paragraph of level ``base`` (0 or 1)."""
    # What X9 removes, such as joiners and the controls of embeddings, gets the level of what is
    # before it; isolates have levels of their own, which separate their content from its
    # surroundings.
    kinds = [unicodedata.bidirectional(character) or "L" for character in text]
    levels = _explicit(kinds, base)
    kept = [at for at, kind in enumerate(kinds) if kind not in _REMOVED]
    types, inner = [kinds[at] for at in kept], [levels[at] for at in kept]
    letters = [text[at] for at in kept]
    for run in _sequences(types, inner):
        _resolve(letters, types, inner, run, base)
    resolved = dict(zip(kept, inner, strict=True))
    return list(
        accumulate(range(len(text)), lambda last, at: resolved.get(at, last), initial=base)
    )[1:]


def _explicit(kinds: list[str], base: int) -> list[int]:
    """Rules X1 to X8; overrides change ``kinds``."""
    stack: list[tuple[int, str, bool]] = [(base, "", False)]
    levels = []
    isolates, rightward = 0, _right_isolates(kinds)
    for at, kind in enumerate(list(kinds)):
        level, override, _ = stack[-1]
        # The next even level, and the next odd one.
        higher = [min(level + 1 + ((level + 1) % 2 != right), _DEEPEST) for right in (False, True)]
        if kind in ("RLE", "LRE", "RLO", "LRO"):
            levels.append(level)
            forced = {"RLO": "R", "LRO": "L"}.get(kind, "")
            stack.append((higher[kind[0] == "R"], forced, False))
            continue
        if kind == "PDF":
            if len(stack) > 1 and not stack[-1][2]:
                stack.pop()
        elif kind == "PDI" and isolates:
            while not stack[-1][2]:
                stack.pop()
            stack.pop()
            isolates -= 1
            level, override, _ = stack[-1]
        levels.append(level)
        if override and kind not in _REMOVED:
            kinds[at] = override
        if kind in _ISOLATES:
            stack.append((higher[at in rightward], "", True))
            isolates += 1
    return levels


def _right_isolates(kinds: Sequence[str]) -> set[int]:
    """Return the indices of the isolates that run right to left: an FSI by its first letter."""
    isolates = {at for at, kind in enumerate(kinds) if kind == "RLI"}
    if "FSI" not in kinds:
        return isolates
    opened: list[int | None] = []
    for at, kind in enumerate(kinds):
        if kind in _ISOLATES:
            opened.append(at if kind == "FSI" else None)
        elif kind == "PDI" and opened:
            opened.pop()
        elif kind in _STRONG and opened and opened[-1] is not None:
            if kind != "L":
                isolates.add(opened[-1])
            opened[-1] = None
    return isolates


def _sequences(kinds: Sequence[str], levels: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of each isolating run sequence (BD13)."""
    pending: dict[int, list[int]] = {}
    run: list[int] = []
    for at, level in enumerate(levels):
        if run and level != levels[at - 1]:
            # A run that ends with an isolate's start goes on after its end.
            if kinds[at - 1] in _ISOLATES:
                pending[levels[at - 1]] = run
            else:
                yield run
            run = pending.pop(level, []) if kinds[at] == "PDI" else []
        run.append(at)
    if run:
        yield run
    yield from pending.values()


def _resolve(
    letters: list[str], kinds: list[str], levels: list[int], run: list[int], base: int
) -> None:
    """Rules W1 to I2 on one sequence; ``base`` is the paragraph's level."""
    level, first, last = levels[run[0]], run[0], run[-1]
    embedding = "R" if level % 2 else "L"
    lower = levels[first - 1] if first else base
    upper = levels[last + 1] if last + 1 < len(levels) else base
    starts, ends = ("R" if max(level, around) % 2 else "L" for around in (lower, upper))
    types = _weak([kinds[at] for at in run], starts)
    _brackets([letters[at] for at in run], types, embedding, starts)
    # Rules N1 and N2: neutrals take the direction of both neighbours, or of the paragraph.
    for start, end in _stretches(types, _NEUTRAL):
        left = _AS_STRONG.get(types[start - 1]) if start else starts
        right = _AS_STRONG.get(types[end]) if end < len(types) else ends
        types[start:end] = [left if left == right and left else embedding] * (end - start)
    for at, kind in zip(run, types, strict=True):
        if level % 2:
            levels[at] = level + (kind in ("L", "EN", "AN"))
        else:
            levels[at] = level + {"R": 1, "EN": 2, "AN": 2}.get(kind, 0)


def _weak(types: list[str], starts: str) -> list[str]:
    """Rules W1 to W7: numbers, their signs, and marks."""
    before, strong = starts, starts
    for at, kind in enumerate(types):
        if kind == "NSM":
            types[at] = "ON" if before in (*_ISOLATES, "PDI") else before
        elif kind in _STRONG:
            strong = kind
        elif kind == "EN" and strong == "AL":
            types[at] = "AN"
        before = types[at]
    types = ["R" if kind == "AL" else kind for kind in types]
    for at in range(1, len(types) - 1):
        around = (types[at - 1], types[at + 1])
        if types[at] in ("ES", "CS") and around == ("EN", "EN"):
            types[at] = "EN"
        elif types[at] == "CS" and around == ("AN", "AN"):
            types[at] = "AN"
    # Signs such as % and $ belong to the number next to them.
    for start, end in _stretches(types, ("ET",)):
        near = types[max(0, start - 1) : start] + types[end : end + 1]
        types[start:end] = ["EN" if "EN" in near else "ON"] * (end - start)
    strong = starts
    for at, kind in enumerate(types):
        if kind in ("ES", "CS"):
            types[at] = "ON"
        elif kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            types[at] = "L"
    return types


def _stretches(types: Sequence[str], kinds: Container[str]) -> Iterator[tuple[int, int]]:
    """Yield where types of these kinds stand, as long as they follow one another."""
    end = 0
    for inside, group in groupby(list(types), kinds.__contains__):
        start, end = end, end + len(list(group))
        if inside:
            yield start, end


def _brackets(characters: list[str], types: list[str], embedding: str, starts: str) -> None:
    """Rule N0: a pair of brackets takes the direction of its content."""
    # Those that belong together (BD16).
    opened: list[tuple[str, int]] = []
    pairs = []
    for at, character in enumerate(characters):
        if types[at] != "ON":
            continue
        if character in _PAIRS:
            if len(opened) == _MOST_BRACKETS:
                break
            opened.append((_PAIRS[character], at))
        elif any(close == character for close, _ in opened):
            while opened[-1][0] != character:
                opened.pop()
            pairs.append((opened.pop()[1], at))
    if not pairs:
        return
    # How many letters of each direction are before an index. Why not after each step: the brackets
    # inside a pair come after it, and are neutral until then.
    counts = {kind: [0] for kind in ("L", "R")}
    for kind in map(_AS_STRONG.get, types):
        for direction, count in counts.items():
            count.append(count[-1] + (kind == direction))
    context, looked_at = starts, 0
    for first, last in sorted(pairs):
        for kind in types[looked_at:first]:
            context = _AS_STRONG.get(kind) or context
        looked_at = first
        inside = {kind for kind, count in counts.items() if count[last] > count[first + 1]}
        if inside:
            types[first] = types[last] = embedding if embedding in inside else context
