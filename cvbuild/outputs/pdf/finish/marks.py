"""Read the marks in the content of pages, and put marked-content ids in their place.

templates/_core/cvb-core-marks.sty writes the marks, each on a line of its own and outside of text
objects. They nest, and may begin on one page and end on another. What a PDF may hold is flat: a
sequence with an id belongs to one element, so the outer one is ended before an inner one begins.
"""

from __future__ import annotations

import re

from msgspec import Struct, field
from msgspec.structs import replace

#: A mark; its number counts marks and elements, its path holds the open elements.
_MARK = re.compile(rb"/Cvb<</N (\d+)/P\(([^()\\]*)\)>>BDC")
_ARTIFACT = b"/Artifact BMC"
_BEGIN = re.compile(rb"(?:BDC|BMC)\s*$")
#: Operators that paint a path, a shading, an image or form; other code may write several in a line.
_PAINTS = re.compile(rb"(?:^|\s)(?:S|s|f|F|f\*|B|B\*|b|b\*|sh|Do|EI)(?=\s|$)")
_FIGURES = re.compile(rb"/\S+\s+Do\s*$")
_ACTUAL = re.compile(rb"/ActualText\s*(?:<[^<>]*>|\((?:[^()\\]|\\.)*\))")
#: The element for text that a template prints without a mark, or with a role that PDF doesn't have.
_ADOPTED = "P"
#: The roles of ISO 32000-1, 14.8.4, that a CV may need.
_ROLES = frozenset((
    "P", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Span", "Link", "Figure",
    "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "Quote", "Note", "Reference", "Code",
))  # fmt: skip


class UnbalancedError(ValueError):
    """A mark that ends nothing, or that nothing ends."""


class Step(Struct, frozen=True):
    """An open element: its role, the attribute beside it, and the number that tells it apart."""

    role: str
    attribute: str
    number: int


class Piece(Struct, frozen=True):
    """A part of a page that belongs to one element.

    ``order`` sorts the pieces of a document as they are read; ``path`` is from the outermost
    element in; ``figures`` are the numbers of the images on the page that are drawn in it, from 0.
    """

    order: tuple[int, int, int]
    page: int
    mcid: int
    path: tuple[Step, ...]
    figures: tuple[int, ...] = ()


class _Mark(Struct):
    """A mark that was begun: a piece's, an artifact's (no path), or a sequence of other code."""

    key: int = 0
    path: tuple[Step, ...] = ()
    foreign: bytes = b""
    """How the sequence of other code begins."""
    begun: bool = False
    """Whether that stands in the content, and is not ended yet."""
    shown: bool = False
    """Whether it stood there before: its text is read once."""


class Marks(Struct):
    """Reads the pages of a document, in their order."""

    pieces: list[Piece] = field(default_factory=list)
    adopted: int = 0
    """How many texts had no mark."""
    _stack: list[_Mark] = field(default_factory=list)
    _key: int = 0
    _page: int = -1
    _lines: list[bytes] = field(default_factory=list)
    _ids: int = 0
    _open: bool = False
    _piece: Piece | None = None
    """The open sequence, unless that is an artifact."""
    _figures: list[int] = field(default_factory=list)
    _drawn: int = 0

    def page(self, content: bytes) -> tuple[bytes, int]:
        """Return a page's content with ids, and how many there are; raises UnbalancedError."""
        self._page, self._lines, self._ids, self._drawn = self._page + 1, [], 0, 0
        in_text = False
        for line in content.split(b"\n"):
            if in_text:
                in_text = line.rstrip()[-2:] != b"ET"
                self._lines.append(line)
            elif line == b"BT" or line.startswith(b"BT "):
                self._begin(text=True)
                in_text = line.rstrip()[-2:] != b"ET"
                self._lines.append(line)
            else:
                self._line(line)
        self._end()
        return b"\n".join(self._lines), self._ids

    def finish(self) -> None:
        """Raise UnbalancedError if a mark is still open."""
        if self._stack:
            raise UnbalancedError("a mark is not ended")

    def _line(self, line: bytes) -> None:
        if line[:5] == b"/Cvb<" and (match := _MARK.fullmatch(line.rstrip())):
            self._end()
            self._key = int(match[1])
            self._stack.append(_Mark(self._key, steps(match[2].decode("latin-1"))))
        elif line.rstrip() == _ARTIFACT:
            self._end()
            self._stack.append(_Mark())
        elif line.rstrip() == b"EMC":
            self._pop()
        elif _BEGIN.search(line):
            self._stack.append(_Mark(foreign=line))
        elif _PAINTS.search(line):
            self._begin()
            if _FIGURES.search(line):
                self._figures.append(self._drawn)
                self._drawn += 1
            self._lines.append(line)
        else:
            self._lines.append(line)

    def _pop(self) -> None:
        if not self._stack:
            raise UnbalancedError(f"a mark on page {self._page + 1} ends nothing")
        last = self._stack[-1]
        if last.foreign:
            if last.begun:
                self._lines.append(b"EMC")
            self._stack.pop()
            return
        self._end()
        self._stack.pop()
        for outer in self._stack:
            # What follows inside of an outer element is read after this one.
            outer.key = max(outer.key, last.key)

    def _own(self) -> int:
        """Return the place of the innermost mark in the stack, -1 if there is none."""
        return next(
            (at for at in reversed(range(len(self._stack))) if not self._stack[at].foreign), -1
        )

    def _begin(self, *, text: bool = False) -> None:
        """Begin the sequences that what follows belongs to, unless they are open."""
        own = self._own()
        if not self._open:
            mark = self._stack[own] if own >= 0 else _Mark()
            if own < 0 and text:
                self.adopted += 1
                mark = _Mark(self._key, (Step(_ADOPTED, "", -self.adopted),))
            self._open_piece(mark)
        for part in self._stack[own + 1 :]:
            if not part.begun:
                # The glyphs of a part that follows stand for nothing.
                again = _ACTUAL.sub(b"/ActualText<FEFF>", part.foreign)
                self._lines.append(again if part.shown else part.foreign)
                part.begun = part.shown = True

    def _open_piece(self, mark: _Mark) -> None:
        self._open, self._figures = True, []
        if not mark.path:
            self._lines.append(_ARTIFACT)
            return
        role = mark.path[-1].role.encode("ascii")
        self._lines.append(b"/%s<</MCID %d>>BDC" % (role, self._ids))
        order = (mark.key, self._page, self._ids)
        self._piece = Piece(order, self._page, self._ids, mark.path)
        self._ids += 1

    def _end(self) -> None:
        """End the open sequence, and what other code has begun inside of it."""
        if not self._open:
            return
        for part in self._stack:
            if part.begun:
                self._lines.append(b"EMC")
                part.begun = False
        self._lines.append(b"EMC")
        if self._piece:
            self.pieces.append(replace(self._piece, figures=tuple(self._figures)))
        self._open, self._piece = False, None


def steps(path: str) -> tuple[Step, ...]:
    """Return the elements of a path, which names the innermost first: LBody:5/LI:4/L;Disc:3/."""
    every = []
    for part in filter(None, reversed(path.split("/"))):
        what, _, number = part.rpartition(":")
        role, _, attribute = what.partition(";")
        every.append(Step(role if role in _ROLES else _ADOPTED, attribute, int(number)))
    return tuple(every)
