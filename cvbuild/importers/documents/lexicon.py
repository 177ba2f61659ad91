"""Names of towns and words of occupations, as a set of hashes (Bloom, Space/time trade-offs, 1970).

``python -m tools.learn words`` makes it. Of what isn't in it, one in a hundred seems to be.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection
from functools import cache
from pathlib import Path

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.model.text import texts

FILE = Path(__file__).with_name("lexicon.bin")
#: Bits for each name, and how many of them one sets; the most words of a text that is a name.
_BITS, _ROUNDS, _WORDS = 10, 7, 12


@cache
def _bits() -> bytes:
    if not FILE.is_file() or not (bits := FILE.read_bytes()):
        raise CvbuildError.because("labels", f"{FILE.name} is lost", "install cvbuild again")
    return bits


def _places(kind: str, name: str, size: int) -> list[int]:
    """Return which bits a name of a kind sets."""
    start, step = (zlib.crc32(f"{kind} {name}".encode(), salt) for salt in (0, 0x5EED))
    return [(start + count * (step | 1)) % (size * 8) for count in range(_ROUNDS)]


def packed(names: Collection[tuple[str, str]]) -> bytes:
    """Return a set of names, each with its kind."""
    bits = bytearray(len(names) * _BITS // 8 + 1)
    for at in (at for kind, name in names for at in _places(kind, name, len(bits))):
        bits[at // 8] |= 1 << at % 8
    return bytes(bits)


def _has(kind: str, *words: str) -> bool:
    places = _places(kind, " ".join(words), len(_bits()))
    return all(_bits()[at // 8] >> at % 8 & 1 for at in places)


def folded(text: str) -> list[str]:
    """Return the words of a text in small letters without accents."""
    return re.findall(r"\w+", texts.unaccented(text))


def senses(text: str) -> set[str]:
    """Return what a short text is known as: a town, one at an end, words of an occupation."""
    words = folded(text)
    if not 0 < len(words) <= _WORDS:
        return set()
    counts, jobs = range(1, min(4, len(words))), [_has("job", word) for word in words]
    is_end = any(_has("town", *words[-count:]) for count in counts)
    is_start = any(_has("town", *words[:count]) for count in counts)
    said = {
        "town-known": (is_town := _has("town", *words)),
        "town-end": is_end and not is_town,
        "town-start": is_start and not (is_end or is_town),
        "job-end": jobs[-1],
        "job-start": jobs[0],
        "job-in": any(jobs),
        f"work-{4 * sum(_has('work', word) for word in words) // len(words)}": True,
    }
    return {name for name, is_said in said.items() if is_said}
