r"""A LaTeX source as one text, of which each piece remembers where it is from.

Its files are joined, without comments, and the person's own commands are applied. Only definitions
by \newcommand and \def are, as texts, within limits; nothing is run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.types import Given
from cvbuild.importers.values import Places
from cvbuild.inputs.references import texts

#: Characters of the joined text: a CV has 20,000.
LARGEST = 1 << 18
#: Characters of an argument, or of a definition.
_LONGEST = 20_000
_MOST_FILES = 200
_DEEPEST_FILE = 8
_DEEPEST_COMMAND = 12
_MOST_EXPANSIONS = 5_000
#: Stands for a per cent sign in an address, which begins no comment there.
PERCENT = "\ue000"

# -- comments, and lengths that are set ------------------------------------------------------------

_UNREAD = re.compile(r"\\begin\s*\{(comment|filecontents\*?)\}")
#: What is never set; another condition inside would end it early.
_FALSE = re.compile(
    r"\\iffalse(?![A-Za-z])(?:%[^\n]*|\\%|(?!\\(?:if|else|%|fi(?![A-Za-z])))[^%])*\\fi(?![A-Za-z])"
)
#: A line that ends in a comment goes on in the next one; an empty one would end the paragraph.
_COMMENT = re.compile(
    r"(?P<address>\\(?:href|url|nolinkurl)\s*\{[^{}\n]*\})|\\.|^[ \t]*%.*\n|%.*", re.MULTILINE
)
_SIZE = (
    r"-?(?:\d+\.?\d*|\.\d+)\s*(?:true\s*)?(?:pt|cm|mm|em|ex|in|bp|pc|sp|dd|cc|fil+)?(?![A-Za-z\d])"
)
_GLUE = rf"{_SIZE}(?:\s*(?:plus|minus)\s*{_SIZE})*"
_LENGTH = r"\\[A-Za-z@]+"
#: What sets a length or a typeface: its arguments are no words.
_SET = re.compile(
    rf"\\(?:fontdimen\s*\d+\s*{_LENGTH}\s*=?\s*{_SIZE}"
    rf"|(?:set|addto)length\s*(?:\{{\s*{_LENGTH}\s*\}}|{_LENGTH})\s*\{{[^{{}}]*\}}"
    r"|font(?:family|series|shape|encoding)\s*\{[^{}]*\}"
    rf"|(?:{'|'.join(sorted(tables.VALUES))})(?![A-Za-z])\s*"
    rf"(?:=\s*(?:{_GLUE}|{_LENGTH})?|{_GLUE})?"
    rf"|[A-Za-z@]+\s*=\s*(?:{_GLUE}|(?=\\)))"
)


def without_comments(text: str) -> str:
    """Return the text with blanks for comments and lengths, so that all keeps its position."""

    def uncommented(found: re.Match[str]) -> str:
        if found["address"]:
            return found[0].replace("\\%", "%").rjust(len(found[0])).replace("%", PERCENT)
        return found[0] if found[0][0] == "\\" else " " * len(found[0])

    text = _COMMENT.sub(uncommented, _FALSE.sub(_blank, _without_unread(text)))
    text = _SET.sub(_blank, text)
    stop = re.search(r"\\end\s*\{document\}", text)
    return text[: stop.end()] if stop else text


def _without_unread(text: str) -> str:
    """Return the text with blanks for environments whose content is set nowhere."""
    pieces: list[str] = []
    at = 0
    while begin := _UNREAD.search(text, at):
        end = text.find(f"\\end{{{begin[1]}}}", begin.end())
        if end < 0:
            break
        pieces += [text[at : begin.end()], re.sub(r"[^\n]", " ", text[begin.end() : end])]
        at = end
    return "".join([*pieces, text[at:]])


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


# -- definitions of the person's own commands, and what a use of one stands for --------------------


class UnclosedError(ValueError):
    """Braces that are not closed."""


def braced(text: str, at: int, end: int) -> tuple[str, int] | None:
    """Return what is between the braces that begin at a position, and the position after them.

    None if none begin there. Raises UnclosedError if they don't end, or late.
    """
    begin = re.compile(r"\s*\{").match(text, at, end)
    if not begin:
        return None
    depth = 0
    # One that isn't closed would be looked for to the end, each time.
    last = min(end, begin.end() + _LONGEST)
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, begin.end() - 1, last):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return text[begin.end() : found.start()], found.end()
    raise UnclosedError


_DEFINITION = re.compile(rf"\\(?:long\\)?({'|'.join(tables.DEFINING)})(?![A-Za-z@])\*?")
_HEAD = re.compile(r"\s*(?:\{\s*\\?([^{}]+?)\s*\}|\\([A-Za-z@]+|.))")
_SIMPLE = ("newcommand", "renewcommand", "providecommand", "newrobustcmd", "def",
           "DeclareRobustCommand")  # fmt: skip
#: A command in a definition, with the argument that is no text if it is one of layout.
_USE = re.compile(r"\\([A-Za-z@]+)\*?((?:\[[^\]]*\]|\{[^{}]*\})*)")


@dataclass(frozen=True)
class Definition:
    """A definition: what a use stands for, in which ``#1`` is the first argument; where it ends.

    ``is_simple`` says that it can be applied.
    """

    name: str
    end: int
    bodies: tuple[str, ...] = ()
    arguments: int = 0
    default: str | None = None
    is_simple: bool = False

    def words(self) -> str:
        """Return what it shows by itself."""

        def shown(found: re.Match[str]) -> str:
            is_layout = found[1] in ("begin", "end") or tables.is_setting(found[1])
            return " " if is_layout else re.sub(r"\[[^\]]*\]", " ", found[2])

        return " ".join(re.findall(r"[^\W\d_]{3,}", _USE.sub(shown, " ".join(self.bodies))))


def definition(text: str, found: re.Match[str], end: int) -> Definition:
    """Return the definition that begins there; raise UnclosedError if a brace is never closed."""
    at, word = found.end(), found[1]
    name = ""
    if head := _HEAD.match(text, at, end):
        name, at = head[1] or head[2], head.end()
    if word == "let":
        rest = re.compile(r"\s*=?\s*(?:\\(?:[A-Za-z@]+|.)|\S)").match(text, at, end)
        return Definition("", rest.end() if rest else at)
    arguments, default = 0, None
    is_simple = word in _SIMPLE and name not in ("", "document")
    if word.endswith("def"):
        marks = text[at : at + len(text[at:end].partition("{")[0])]
        arguments, at = marks.count("#"), at + len(marks)
        is_simple &= bool(re.fullmatch(r"\s*(?:#\d\s*)*", marks))
    elif options := re.compile(r"\s*\[(\d)\](?:\s*\[([^\[\]]*)\])?").match(text, at, end):
        arguments, default, at = int(options[1]), options[2], options.end()
    bodies: list[str] = []
    while len(bodies) < tables.DEFINING[word] and (group := braced(text, at, end)):
        bodies.append(group[0])
        at = group[1]
    if word.endswith("DocumentCommand") and re.fullmatch(r"(?:\s*m)*\s*", (bodies or ["o"])[0]):
        arguments, is_simple = bodies.pop(0).count("m"), True
    return Definition(name, at, tuple(bodies), arguments, default, is_simple and bool(bodies))


def applied(command: Definition, text: str, at: int) -> tuple[str, int]:
    """Return the body of a command with its arguments, and where they end in the text."""
    values: list[str] = []
    if command.default is not None:
        option = re.compile(r"\s*\[([^\[\]]*)\]").match(text, at)
        values.append(option[1] if option else command.default)
        at = option.end() if option else at
    while len(values) < command.arguments:
        try:
            group = braced(text, at, len(text))
        except UnclosedError:
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

    body = re.sub(r"(\\[A-Za-z@]+)?#(\d)", value, command.bodies[-1])
    # A letter after it would go on with the name of a command at its end.
    if re.search(r"\\[A-Za-z@]+\Z", body) and text[at : at + 1].isalpha():
        body += " "
    return body, at


# -- files joined, with the person's own commands applied ------------------------------------------

_INPUT = re.compile(
    r"\\(?:(input|include|subfile|makerubric)\s*\{([^{}]*)\}|input\s+([^\s{}\\]+)"
    r"|(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]*)\})"
)
_NAME = re.compile(r"\\(?:([A-Za-z@]+)|.)", re.DOTALL)


@dataclass(frozen=True)
class Origin:
    """Where a piece of the joined text is from; all of a fixed one is from one place."""

    file: Places
    offset: int
    is_fixed: bool


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


def joined(given: Given, table: Table) -> Source:
    """Return the text of a file with all that it inputs; commands of ``table`` keep their meaning.

    Raises CvbuildError for one that is too large, or with a command that never ends.
    """
    return _Joining(given, table).source()


class _Joining:
    def __init__(self, given: Given, table: Table) -> None:
        self.given = given
        self.table = table
        #: Definitions that are applied, and words of others with their places, by name.
        self.commands: dict[str, Definition] = {}
        self.defined: dict[str, tuple[str, Span]] = {}
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.origins: list[Origin] = []
        self.lost: list[tuple[str, str, Span]] = []
        self.size = 0
        self.files = 0
        self.expansions = 0

    def source(self) -> Source:
        written = texts.decoded(self.given.data)
        self._file(self.given.name, written, PurePosixPath(), 0)
        text = "".join(self.pieces)
        for name, (words, place) in self.defined.items():
            if words and (f"\\{name}" in text or f"{{{name}}}" in text):
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
        text = without_comments(text)
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
        while found := _DEFINITION.search(text, at, end):
            self._expand(text[at : found.start()], file, at, None, 0)
            try:
                defined = definition(text, found, end)
            except UnclosedError:
                message = f"{found[0]} has a brace that is never closed, or is very long"
                here = Origin(file, found.start(), is_fixed=True)
                raise self._error(message, "close its braces", here) from None
            if defined.is_simple and self._is_theirs(defined):
                self.commands[defined.name] = defined
            elif defined.name and not (defined.is_simple and defined.arguments):
                place = file.span(found.start(), defined.end)
                self.defined[defined.name] = defined.words(), place
            at = defined.end
        self._expand(text[at:end], file, at, None, 0)

    def _is_theirs(self, defined: Definition) -> bool:
        """Return whether a definition counts, not what the name means in a class."""
        own = self.table.commands.get(defined.name)
        if own is None or own.makes == "head":
            return own is None or not defined.arguments
        return defined.arguments not in (0, len(own.slots))

    def _expand(
        self, text: str, file: Places, offset: int, fixed: Origin | None, depth: int
    ) -> None:
        """Emit a text with the person's own commands applied."""

        def origin(at: int) -> Origin:
            return fixed or Origin(file, offset + at, is_fixed=False)

        at = 0
        for found in _NAME.finditer(text) if self.commands else ():
            command = self.commands.get(found[1])
            if command is None or found.start() < at:
                continue
            body, after = applied(command, text, found.end())
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
