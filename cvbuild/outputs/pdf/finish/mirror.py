"""Mirror the lines and pictures of a page that runs right to left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_MOVE = re.compile(rb"1 0 0 1 (\S+) (\S+) cm\s*")
_DRAWN = re.compile(rb"(/\S+) Do\s*")


def mirrored(content: bytes, forms: Mapping[bytes, float], width: float) -> bytes:
    """Return the content with lines and pictures on the other side of the page.

    ``width`` is that of the page, ``forms`` are the sums of the left and right edges of forms.
    pdfTeX draws them between q and Q, after it has moved the origin there and before it moves it
    back. They are mirrored, pictures twice; text that is turned stays where it is.
    """
    made: list[bytes] = []
    lines = content.split(b"\n")
    depth, moved, drawing = 0, 0.0, False
    for at, line in enumerate(lines):
        words = line.split()
        begins = depth == 0 and words == [b"q"]
        depth += words.count(b"q") - words.count(b"Q")
        if depth == 0 and (found := _MOVE.fullmatch(line)):
            moved += float(found[1])
            made.append(b"1 0 0 1 %s %s cm" % (number(-float(found[1])), found[2]))
        elif begins:
            drawing = not _has_text(lines[at + 1 :])
            flip = (-1.0, width) if drawing else (1.0, 2 * moved)
            made += [line, b"%s 0 0 1 %s 0 cm" % tuple(map(number, flip))]
        elif drawing and depth and (figure := _DRAWN.fullmatch(line)):
            # An image is drawn from 0 to 1.
            size = number(forms.get(figure[1], 1.0))
            made += [b"q", b"-1 0 0 1 %s 0 cm" % size, line, b"Q"]
        else:
            made.append(line)
    return b"\n".join(made)


def _has_text(lines: Iterable[bytes]) -> bool:
    """Return whether there is text before the q that stands before these lines is ended."""
    depth = 1
    for line in lines:
        words = line.split()
        depth += words.count(b"q") - words.count(b"Q")
        if depth <= 0:
            return False
        if line[:2] == b"BT":
            return True
    return False


def number(value: float) -> bytes:
    """Return a number as PDF writes it."""
    return f"{value:.4f}".rstrip("0").rstrip(".").encode("ascii")
