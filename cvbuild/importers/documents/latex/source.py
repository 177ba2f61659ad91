"""A LaTeX source as one text, of which each piece remembers where it is from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents.latex import scan
from cvbuild.importers.sources.located import Places


@dataclass
class Source:
    """The joined text of all files; ``place`` tells where a position in it is from."""

    text: str
    starts: list[int]
    origins: list[Origin]
    lost: list[tuple[str, str, Span]] = field(default_factory=list)
    #: The person's own commands that are not applied: one of their arguments is a date.
    kept: frozenset[str] = frozenset()

    def place(self, start: int, end: int) -> Span:
        """Return the place of a stretch of the text in its file."""
        origin, first = self._at(start)
        same, last = self._at(max(start, end - 1))
        if same.file is not origin.file:
            last = first
        return origin.file.span(first, max(first + 1, last + 1))

    def _at(self, position: int) -> tuple[Origin, int]:
        at = max(0, bisect_right(self.starts, position) - 1)
        origin = self.origins[at]
        offset = origin.offset + (0 if origin.is_fixed else position - self.starts[at])
        return origin, offset


@dataclass(frozen=True)
class Origin:
    """Where a piece of the joined text is from; all of a fixed one is from one place."""

    file: Places
    offset: int
    is_fixed: bool


def lines(
    source: Source, hidden: Mapping[str, int], understood: Collection[str]
) -> Iterator[tuple[Span, str]]:
    """Yield the lines of the document without commands, each with its place.

    ``hidden`` says how many arguments of the class's commands are no texts; ``understood`` are
    texts whose meaning is in the person's file.
    """
    gone = re.compile("|".join(map(re.escape, sorted(understood, key=len))) or "(?!)")
    text, at = source.text, max(0, source.text.find("\\begin{document}"))
    end = text.find("\\end{document}")
    for line in scan.visible(text[at : end if end >= 0 else len(text)], hidden).split("\n"):
        if line.strip():
            yield source.place(at, at + len(line)), gone.sub(" ", scan.letters(line))
        at += len(line) + 1
