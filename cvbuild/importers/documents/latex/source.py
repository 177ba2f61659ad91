"""A LaTeX source as one text, of which each piece remembers where it is from.

Its files are joined, without comments, and the person's own commands are applied. Only definitions
by \\newcommand and \\def are, as texts, within limits; nothing is run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents.latex import scan
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.sources.located import Places
from cvbuild.importers.types import Given
from cvbuild.inputs.references import texts

#: Characters of the joined text: a CV has 20,000.
LARGEST = 1 << 18
_MOST_FILES = 200
_DEEPEST_FILE = 8
_DEEPEST_COMMAND = 12
_MOST_EXPANSIONS = 5_000

_INPUT = re.compile(
    r"\\(?:(input|include|subfile|makerubric)\s*\{([^{}]*)\}|input\s+([^\s{}\\]+)"
    r"|(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]*)\})"
)
_NAME = re.compile(r"\\([A-Za-z@]+)")


@dataclass
class Source:
    """The joined text of all files; ``place`` tells where a position in it is from."""

    text: str
    starts: list[int]
    origins: list[Origin]
    lost: list[tuple[str, str, Span]]

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


def joined(given: Given, table: Table) -> Source:
    """Return the text of a file with all that it inputs; commands of ``table`` keep their meaning.

    Raises CvbuildError for one that is too large, or with a command that never ends.
    """
    return _Joining(given, table).source()


class _Joining:
    def __init__(self, given: Given, table: Table) -> None:
        self.given = given
        self.table = table
        #: Words of definitions that are not applied, by name.
        self.defined: dict[str, tuple[str, Span]] = {}
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.origins: list[Origin] = []
        self.lost: list[tuple[str, str, Span]] = []
        self.commands: dict[str, scan.Command] = {}
        self.size = 0
        self.files = 0
        self.expansions = 0

    def source(self) -> Source:
        written = texts.decoded(self.given.data)
        self._file(self.given.name, written, PurePosixPath(), 0)
        text = "".join(self.pieces)
        for name, (words, place) in self.defined.items():
            is_used = f"\\{name}" in text or f"{{{name}}}" in text
            if is_used and re.search(r"[^\W\d_]{2}", words):
                self.lost.append((f"words of the definition of {name}", words, place))
        return Source(text, self.starts, self.origins, self.lost)

    def _emit(self, text: str, origin: Origin) -> None:
        if not text:
            return
        self.starts.append(self.size)
        self.origins.append(origin)
        self.pieces.append(text)
        self.size += len(text)
        self._check_size(self.size, origin)

    def _check_size(self, size: int, origin: Origin) -> None:
        if size > LARGEST:
            message = f"more than {LARGEST >> 10} KiB of LaTeX"
            raise self._error(message, "is it the source of a CV?", origin)

    def _error(self, message: str, hint: str, origin: Origin) -> CvbuildError:
        place = origin.file.span(origin.offset, origin.offset + 1)
        return CvbuildError.because("latex", message, hint, place)

    def _file(self, name: str, text: str, folder: PurePosixPath, depth: int) -> None:
        file = Places(text, name)
        self._check_size(len(text), Origin(file, 0, is_fixed=True))
        text = scan.without_comments(text)
        at = 0
        for found in _INPUT.finditer(text):
            # What a definition inputs, it inputs when it is used.
            self._part(text, at, found.start(), file)
            at = found.end()
            place = file.span(found.start(), found.end())
            if found[4] is not None:
                wanted = folder / found[4].strip() / found[5].strip()
            else:
                wanted = folder / (found[2] or found[3] or "").strip()
            self._input(found[0], wanted, place, folder, depth)
        self._part(text, at, len(text), file)

    def _input(
        self, written: str, wanted: PurePosixPath, place: Span, folder: PurePosixPath, depth: int
    ) -> None:
        """Join a file that is input; one that can't be is lost."""
        names = [str(wanted)] if wanted.suffix == ".tex" else [f"{wanted}.tex", str(wanted)]
        self.files += 1
        if depth >= _DEEPEST_FILE or self.files > _MOST_FILES:
            self.lost.append(("files that input each other", written, place))
            return
        for name in names:
            data = self.given.files.read(name)
            if data is not None:
                inner = wanted.parent if written.startswith((r"\import", r"\subimport")) else folder
                shown = str(PurePosixPath(self.given.name).parent / name)
                self._file(shown, texts.decoded(data), inner, depth + 1)
                return
        self.lost.append(("a file that isn't there", written, place))

    def _part(self, text: str, start: int, end: int, file: Places) -> None:
        """Emit a part of a file, without the definitions in it, and with them applied."""
        at = start
        while found := scan.find_definition(text, at, end):
            self._expand(text[at : found.start()], file, at, None, 0)
            try:
                definition = scan.definition(text, found, end)
            except scan.UnclosedError:
                message = f"{found[0]} has a brace that is never closed, or is very long"
                here = Origin(file, found.start(), is_fixed=True)
                raise self._error(message, "close its braces", here) from None
            self._define(definition, found.start(), file)
            at = definition.end
        self._expand(text[at:end], file, at, None, 0)

    def _define(self, definition: scan.Definition, start: int, file: Places) -> None:
        """Remember a definition: its command if that is applied, else its words."""
        name, command = definition.name, definition.command
        if command and self._is_theirs(name, command.arguments):
            self.commands[name] = command
        elif name and not (command and command.arguments):
            self.defined[name] = definition.words(), file.span(start, definition.end)

    def _is_theirs(self, name: str, arguments: int) -> bool:
        """Return whether a definition counts, not what the name means in a class."""
        own = self.table.commands.get(name)
        if own is None or own.makes == "head":
            return own is None or not arguments
        return arguments not in (0, len(own.slots))

    def _expand(
        self, text: str, file: Places, offset: int, fixed: Origin | None, depth: int
    ) -> None:
        """Emit a text with the person's own commands applied."""

        def origin(at: int) -> Origin:
            return fixed or Origin(file, offset + at, is_fixed=False)

        at = 0
        for found in _NAME.finditer(text) if self.commands else ():
            command = self.commands.get(found[1])
            if command is None or found.start() < at or scan.is_escaped(text, found.start()):
                continue
            body, after = scan.applied(command, text, found.end())
            self._emit(text[at : found.start()], origin(at))
            here = origin(found.start())
            here = Origin(here.file, here.offset, is_fixed=True)
            self.expansions += 1
            if depth >= _DEEPEST_COMMAND or self.expansions > _MOST_EXPANSIONS:
                message = f"\\{found[1]} is defined by itself, or makes too much text"
                raise self._error(message, "write its text where it is used", here)
            at = after
            self._expand(body, file, offset, here, depth + 1)
        self._emit(text[at:], origin(at))


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
