"""A LaTeX source as one text: files joined, comments out, the person's own commands applied.

Only definitions by \\newcommand and \\def are applied, as texts, within limits; nothing is run.
Each piece of the text remembers where it is from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents import dates
from cvbuild.importers.documents.latex import scan
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.types import Given
from cvbuild.inputs.references import texts

#: Characters of the joined text: a CV has 20,000.
LARGEST = 1 << 18
_MOST_FILES = 200
_DEEPEST_FILE = 8
_DEEPEST_COMMAND = 12
_MOST_EXPANSIONS = 5_000

_INPUT = re.compile(
    r"\\(?:(input|include|subfile)\s*\{([^{}]*)\}|input\s+([^\s{}\\]+)"
    r"|(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]*)\})"
)
#: Commands that define something, with the number of arguments after the name.
_DEFINING = {
    "newcommand": 1, "renewcommand": 1, "providecommand": 1, "newrobustcmd": 1, "def": 1,
    "DeclareRobustCommand": 1, "NewDocumentCommand": 2, "RenewDocumentCommand": 2,
    "ProvideDocumentCommand": 2, "DeclareDocumentCommand": 2, "newenvironment": 2,
    "renewenvironment": 2, "NewDocumentEnvironment": 3, "edef": 1, "gdef": 1, "xdef": 1, "let": 0,
    "newcolumntype": 1, "newlength": 0, "newcounter": 0, "titleformat": 4, "titlespacing": 3,
    "DeclareFieldFormat": 1, "newif": 0, "newtoggle": 0, "newsavebox": 0,
}  # fmt: skip
_DEFINITION = re.compile(rf"\\(?:long\\)?({'|'.join(_DEFINING)})(?![A-Za-z@])\*?")
_SIMPLE = ("newcommand", "renewcommand", "providecommand", "newrobustcmd", "def",
           "DeclareRobustCommand")  # fmt: skip
_NAME = re.compile(r"\\([A-Za-z@]+)")


@dataclass
class Source:
    """The joined text of all files; ``place`` tells where a position in it is from."""

    text: str
    starts: list[int]
    origins: list[_Origin]
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

    def _at(self, position: int) -> tuple[_Origin, int]:
        at = max(0, bisect_right(self.starts, position) - 1)
        origin = self.origins[at]
        offset = origin.offset + (0 if origin.is_fixed else position - self.starts[at])
        return origin, offset


@dataclass
class _File:
    name: str
    lines: list[int]
    size: int

    @classmethod
    def of(cls, name: str, text: str) -> _File:
        lines = [0, *(found.end() for found in re.finditer("\n", text))]
        return cls(name, lines, len(text))

    def span(self, start: int, end: int) -> Span:
        first, last = (bisect_right(self.lines, at) - 1 for at in (start, end))
        columns = start - self.lines[first] + 1, end - self.lines[last] + 1
        return Span(self.name, first + 1, columns[0], last + 1, columns[1])


@dataclass(frozen=True)
class _Origin:
    file: _File
    offset: int
    is_fixed: bool


@dataclass(frozen=True)
class _Command:
    arguments: int
    default: str | None
    body: str


def joined(given: Given, table: Table) -> Source:
    """Return the text of a file with all that it inputs; commands of ``table`` keep their meaning.

    Raises CvbuildError for one that is too large, or with a command that never ends.
    """
    return _Joining(given, table).source()


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
    if not source.origins:
        return
    for line in scan.visible(text[at : end if end >= 0 else len(text)], hidden).split("\n"):
        if line.strip():
            yield source.place(at, at + len(line)), gone.sub(" ", scan.letters(line))
        at += len(line) + 1


class _Joining:
    def __init__(self, given: Given, table: Table) -> None:
        self.given = given
        self.table = table
        #: Words of definitions that are not applied, by name.
        self.defined: dict[str, tuple[str, Span]] = {}
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.origins: list[_Origin] = []
        self.lost: list[tuple[str, str, Span]] = []
        self.commands: dict[str, _Command] = {}
        self.kept: set[str] = set()
        self.size = 0
        self.files = 0
        self.expansions = 0

    def source(self) -> Source:
        self._file(self.given.name, texts.decoded(self.given.data), PurePosixPath(), 0)
        text = "".join(self.pieces)
        for name, (words, place) in self.defined.items():
            is_used = f"\\{name}" in text or f"{{{name}}}" in text
            if is_used and re.search(r"[^\W\d_]{2}", words):
                self.lost.append((f"words of the definition of {name}", words, place))
        return Source(text, self.starts, self.origins, self.lost, frozenset(self.kept))

    def _emit(self, text: str, origin: _Origin) -> None:
        if not text:
            return
        self.starts.append(self.size)
        self.origins.append(origin)
        self.pieces.append(text)
        self.size += len(text)
        if self.size > LARGEST:
            raise self._error(
                f"more than {LARGEST >> 10} KiB of LaTeX", "is it the source of a CV?", origin
            )

    def _error(self, message: str, hint: str, origin: _Origin) -> CvbuildError:
        place = origin.file.span(origin.offset, origin.offset + 1)
        return CvbuildError([Diagnostic("error", "latex", message, place, hint)])

    def _file(self, name: str, text: str, folder: PurePosixPath, depth: int) -> None:
        if len(text) > LARGEST:
            file = _File(name, [0], len(text))
            raise self._error(
                f"more than {LARGEST >> 10} KiB of LaTeX",
                "is it the source of a CV?",
                _Origin(file, 0, is_fixed=True),
            )
        file = _File.of(name, text)
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

    def _part(self, text: str, start: int, end: int, file: _File) -> None:
        """Emit a part of a file, without the definitions in it, and with them applied."""
        at = start
        while found := _DEFINITION.search(text, at, end):
            self._expand(text[at : found.start()], file, at, None, 0)
            try:
                at = self._define(text, found, end, file)
            except scan.UnclosedError:
                message = f"{found[0]} has a brace that is never closed, or is very long"
                here = _Origin(file, found.start(), is_fixed=True)
                raise self._error(message, "close its braces", here) from None
        self._expand(text[at:end], file, at, None, 0)

    def _define(self, text: str, found: re.Match[str], end: int, file: _File) -> int:
        """Remember a definition, if it is a simple one, and return where it ends."""
        at, word = found.end(), found[1]
        name = ""
        if head := re.compile(r"\s*(?:\{\s*\\?([^{}]+?)\s*\}|\\([A-Za-z@]+|.))").match(
            text, at, end
        ):
            name, at = head[1] or head[2], head.end()
        if word == "let":
            rest = re.compile(r"\s*=?\s*(?:\\(?:[A-Za-z@]+|.)|\S)").match(text, at, end)
            return rest.end() if rest else at
        arguments, default = 0, None
        is_simple = word in _SIMPLE and name not in ("", "document")
        if word.endswith("def"):
            marks = text[at : at + len(text[at:end].partition("{")[0])]
            arguments, at = marks.count("#"), at + len(marks)
            is_simple &= bool(re.fullmatch(r"\s*(?:#\d\s*)*", marks))
        elif options := re.compile(r"\s*\[(\d)\](?:\s*\[([^\[\]]*)\])?").match(text, at, end):
            arguments, default, at = int(options[1]), options[2], options.end()
        bodies: list[str] = []
        while len(bodies) < _DEFINING[word] and (group := scan.group(text, at, end)):
            bodies.append(group[0])
            at = group[1]
        if word.startswith("title") and (rest := re.compile(r"\s*\[[^\]]*\]").match(text, at, end)):
            at = rest.end()
        if word.endswith("DocumentCommand") and re.fullmatch(r"(?:\s*m)*\s*", (bodies or ["o"])[0]):
            arguments, is_simple = bodies.pop(0).count("m"), True
        if is_simple and bodies and self._is_theirs(name, arguments):
            self.commands[name] = _Command(arguments, default, bodies[-1])
        elif name and word not in ("titleformat", "titlespacing", "DeclareFieldFormat"):
            shown = " ".join(scan.visible(" ".join(bodies)).split())
            self.defined[name] = re.sub(r"#\d|[{}&]", "", shown), file.span(found.start(), at)
        return at

    def _is_theirs(self, name: str, arguments: int) -> bool:
        """Return whether a definition counts, not what the name means in a class."""
        own = self.table.commands.get(name)
        if own is None or own.makes == "head":
            return own is None or not arguments
        return arguments not in (0, len(own.slots))

    def _expand(
        self, text: str, file: _File, offset: int, fixed: _Origin | None, depth: int
    ) -> None:
        """Emit a text with the person's own commands applied."""

        def origin(at: int) -> _Origin:
            return fixed or _Origin(file, offset + at, is_fixed=False)

        at = 0
        for found in _NAME.finditer(text) if self.commands else ():
            command = self.commands.get(found[1])
            if command is None or found.start() < at or scan.is_escaped(text, found.start()):
                continue
            body, after, values = _applied(command, text, found.end())
            if len(values) > 1 and _is_entry(command, values):
                self.kept.add(found[1])
                continue
            self._emit(text[at : found.start()], origin(at))
            here = origin(found.start())
            here = _Origin(here.file, here.offset, is_fixed=True)
            self.expansions += 1
            if depth >= _DEEPEST_COMMAND or self.expansions > _MOST_EXPANSIONS:
                message = f"\\{found[1]} is defined by itself, or makes too much text"
                raise self._error(message, "write its text where it is used", here)
            at = after
            self._expand(body, file, offset, here, depth + 1)
        self._emit(text[at:], origin(at))


def _is_entry(command: _Command, values: list[str]) -> bool:
    """Return whether a command shows an entry: a date, other arguments, and no words of its own."""
    own = re.sub(r"#\d", "", scan.visible(command.body))
    plain = [scan.visible(value).strip(" {}()") for value in values]
    dated = [dates.is_date(value) for value in plain if value]
    return not re.search(r"[^\W\d_]{2}", own) and any(dated) and not all(dated)


def _applied(command: _Command, text: str, at: int) -> tuple[str, int, list[str]]:
    """Return the body of a command with its arguments, where they end in the text, and them."""
    values: list[str] = []
    if command.default is not None:
        option = re.compile(r"\s*\[([^\[\]]*)\]").match(text, at)
        values.append(option[1] if option else command.default)
        at = option.end() if option else at
    while len(values) < command.arguments:
        try:
            group = scan.group(text, at, len(text))
        except scan.UnclosedError:
            group = None
        if not group:
            break
        values.append(group[0])
        at = group[1]
    # A blank after a command without arguments only ends its name.
    if not command.arguments and (blank := re.compile(r"[ \t]+|\{\}").match(text, at)):
        at = blank.end()

    def value(found: re.Match[str]) -> str:
        number = int(found[2])
        text = values[number - 1] if 0 < number <= len(values) else ""
        # A letter would go on with the name of a command right before it.
        return f"{found[1]} {text}" if found[1] else text

    body = re.sub(r"(\\[A-Za-z@]+)?#(\d)", value, command.body)
    # A letter after it would go on with the name of a command at its end.
    if re.search(r"\\[A-Za-z@]+\Z", body) and text[at : at + 1].isalpha():
        body += " "
    return body, at, values
