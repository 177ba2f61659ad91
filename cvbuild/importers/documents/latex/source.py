r"""A LaTeX source as one text, of which each piece remembers where it is from.

Its files are joined, without comments, and the person's own commands are applied. Only definitions
by \newcommand and \def are, as texts, within limits; nothing is run.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from operator import itemgetter
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given
from cvbuild.importers.values import Places
from cvbuild.model.text import texts

#: Characters of the joined text: a CV has 20,000.
LARGEST = 1 << 18
#: Characters of an argument, or of a definition.
_LONGEST = 20_000
_MOST_FILES = 200
#: Files that input files, and commands that stand for commands.
_DEEPEST = 12
_MOST_EXPANSIONS = 5_000
#: Stands for a per cent sign in an address, which begins no comment there.
PERCENT = "\ue000"

# -- comments, and lengths that are set ------------------------------------------------------------

#: What is set nowhere, or never; another condition inside would end that early.
_UNREAD = re.compile(
    r"\\begin\s*\{(comment|filecontents\*?)\}(?s:.*?)(?:\\end\s*\{\1\}|\Z)"
    r"|\\iffalse(?![A-Za-z])(?:%[^\n]*|\\%|(?!\\(?:if|else|%|fi(?![A-Za-z])))[^%])*\\fi(?![A-Za-z])"
    # Widths of columns: a line of tabbing that isn't printed.
    r"|(?:(?<=\\\\)|(?<=\{tabbing\})|(?<=\\kill))(?:(?!\\\\|\\begin)(?s:.)){0,300}?\\kill(?![A-Za-z])"
)
#: A line that ends in a comment goes on in the next one; an empty one would end the paragraph.
_COMMENT = re.compile(
    r"(?P<address>\\(?:href|url|nolinkurl)\s*\{[^{}\n]*\})|\\.|^[ \t]*%.*\n|%.*", re.MULTILINE
)
_SIZE = (
    r"-?(?:\d+\.?\d*|\.\d+)\s*(?:true\s*)?(?:pt|cm|mm|em|ex|in|bp|pc|sp|dd|cc|fil+)?(?![A-Za-z\d])"
)
_GLUE = rf"{_SIZE}(?:\s*(?:plus|minus)\s*{_SIZE})*"
#: What sets a length or a typeface: its arguments are no words.
_SET = re.compile(
    r"\\(?:(?:set|addto)length\s*\\[A-Za-z@]+\s*\{[^{}]*\}"
    rf"|(?:{'|'.join(sorted(tables.VALUES))})(?![A-Za-z])\s*"
    rf"(?:=\s*(?:{_GLUE}|\\[A-Za-z@]+)?|(?:by\s*)?{_GLUE})?"
    r"|@setfontsize(?:\s*(?:\\[A-Za-z@]+|\{[^{}]*\})){3}"
    r"|(?:[hv]box|[hv]rule|vtop)(?:\s*(?:to|spread|width|height|depth)"
    rf"\s*(?:{_GLUE}|(?:{_SIZE})?\s*\\[A-Za-z@]+))+"
    rf"|[A-Za-z@]+\s*=\s*(?:{_GLUE}|(?=\\)))"
)


def without_comments(text: str) -> str:
    """Return the text with blanks for comments and lengths, so that all keeps its position."""

    def uncommented(found: re.Match[str]) -> str:
        if found["address"]:
            return found[0].replace("\\%", "%").rjust(len(found[0])).replace("%", PERCENT)
        return found[0] if found[0][0] == "\\" else " " * len(found[0])

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    text = _SET.sub(blank, _COMMENT.sub(uncommented, _UNREAD.sub(blank, text)))
    if "{tabbing}" in text:
        text = re.sub(r"(\\\\)|\\[=>]", lambda found: found[1] or "& ", text)
    return re.split(r"(?<=\\end\{document\})", text)[0]


# -- definitions of the person's own commands, and what a use of one stands for --------------------

_BRACE, _MARK = re.compile(r"\s*\{"), re.compile(r"\\.|[{}]", re.DOTALL)
_OPTION = re.compile(r"\s*\[([^\[\]]*)\]")


def _groups(text: str, at: int, most: int) -> tuple[list[str], int]:
    """Return what is in the groups ``{…}`` that begin at a position, and the position after them.

    One that doesn't end, or late, is none.
    """
    found: list[str] = []
    while len(found) < most and (begin := _BRACE.match(text, at)):
        depth, start = 0, begin.end()
        # One that isn't closed would be looked for to the end, each time.
        for mark in _MARK.finditer(text, start - 1, start + _LONGEST):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if depth == 0:
                found.append(text[start : mark.start()])
                at = mark.end()
                break
        else:
            break
    return found, at


_HEAD = re.compile(
    r"\*?\s*(?:\{\s*\\?([^{}]+?)\s*\}|\\(?:csname\s*)?([A-Za-z@]+|.)(?:\\endcsname)?)"
)
_PARAMETERS = re.compile(r"\s*\[(\d)\](?:\s*\[([^\[\]]*)\])?")
#: A command in a definition, or the name of an environment: no words.
_USE = re.compile(r"\\(?:(?:begin|end)\s*\{[^{}]*\}|[A-Za-z@]+\*?)(?:\[[^\]]*\])*")


#: What a command stands for, ``#1`` in it for the first argument; how many; the first's default.
Definition = tuple[str, int, str | None]


def applied(command: Definition, text: str, at: int) -> tuple[str, int]:
    """Return the body of a command with its arguments, and where they end in the text."""
    values: list[str] = []
    written, count, default = command
    if default is not None:
        option = _OPTION.match(text, at)
        values, at = ([option[1]], option.end()) if option else ([default], at)
    groups, at = _groups(text, at, count - len(values))
    values += groups
    known = {f"#{at}": value for at, value in enumerate(values, 1)}
    written = re.sub(r"(\\[A-Za-z@]+)(?=#\d)", r"\1 ", written)
    return re.sub(r"#\d", lambda found: known.get(found[0], ""), written), at


# -- files joined, with the person's own commands applied ------------------------------------------

_INPUT = re.compile(
    r"\\(?:(?:input|include|subfile|makerubric)\s*\{(?P<file>[^{}]*)\}|input\s+(?P<bare>[^\s{}\\]+)"
    r"|(?:sub)?import\*?\s*\{(?P<folder>[^{}]*)\}\s*\{(?P<inner>[^{}]*)\})"
)
_NAME = re.compile(r"\\(?:([A-Za-z@]+)|.)", re.DOTALL)


class Source:
    """The joined text of a file and all that it inputs; ``place`` tells where a part is from.

    Commands of ``table`` keep their meaning; one that never ends is kept as it is written. Raises
    CvbuildError for a text that is too large.
    """

    def __init__(self, draft: Draft, given: Given, folder: PurePosixPath, table: Table) -> None:
        self.draft = draft
        self.given = given
        self.table = table
        #: Definitions that are applied, and words of others with their places, by name.
        self._commands: dict[str, Definition] = {}
        self._defined: dict[str, tuple[str, Span]] = {}
        #: Where texts begin, whose they are, and where in it, or the place of the use that made it.
        self._pieces: list[tuple[int, str, Places, int, Span | None]] = []
        self._size = self._files = self._expansions = 0
        self._root = PurePosixPath(given.name).parents[len(folder.parts)]
        self._file(given.name, given.data, folder, 0)
        self.text = "".join(piece[1] for piece in self._pieces)
        for name, (words, place) in self._defined.items():
            if words and (f"\\{name}" in self.text or f"{{{name}}}" in self.text):
                draft.lose(f"words of the definition of {name}", words, place)

    def place(self, position: int) -> Span:
        """Return where a place in the text is in its file."""
        at = bisect_right(self._pieces, position, key=itemgetter(0)) - 1
        start, _, file, offset, fixed = self._pieces[at]
        offset += position - start
        return fixed or file.span(offset, offset + 1)

    def _emit(self, text: str, file: Places, at: int, fixed: Span | None) -> None:
        # A letter would go on with the name of a command before it.
        before = self._pieces[-1][1] if self._pieces else ""
        if text[:1].isalpha() and re.search(r"\\[A-Za-z@]+\Z", before[-40:]):
            self._emit(" ", file, at, fixed)
        if text or not self._pieces:
            self._pieces.append((self._size, text, file, at, fixed))
            self._size += len(text)

    def _file(self, name: str, data: bytes, folder: PurePosixPath, depth: int) -> None:
        text = texts.decoded(data)[: LARGEST + 1]
        self._read(without_comments(text), Places(text, name), folder, depth)

    def _input(self, found: re.Match[str], place: Span, folder: PurePosixPath, depth: int) -> None:
        """Join a file that is input; one that can't be is lost."""
        below = folder / (found["folder"] or "").strip()
        wanted = str(below / (found["file"] or found["bare"] or found["inner"] or "").strip())
        wanted = posixpath.normpath(wanted)
        self._files += 1
        if depth >= _DEEPEST or self._files > _MOST_FILES:
            self.draft.lose("files that input each other", found[0], place)
            return
        for name in (f"{wanted.removesuffix('.tex')}.tex", wanted):
            if (data := self.given.files.read(name)) is not None:
                self._file(str(self._root / name), data, below, depth + 1)
                return
        self.draft.lose("a file that isn't there", found[0], place)

    def _read(
        self, text: str, file: Places, folder: PurePosixPath, depth: int, fixed: Span | None = None
    ) -> None:
        """Emit a text, with what it inputs, and without definitions, which are applied."""
        if self._size + len(text) > LARGEST:
            message = f"more than {LARGEST >> 10} KiB of LaTeX"
            hint = "is it the source of a CV?"
            raise CvbuildError.because("latex", message, hint, fixed or file.span(0, 1))
        at = 0
        for found in _NAME.finditer(text):
            start, end, name = found.start(), found.end(), found[1]
            put = _INPUT.match(text, start)
            command = self._commands.get(name)
            if command and (depth >= _DEEPEST or self._expansions > _MOST_EXPANSIONS):
                continue  # It is defined by itself.
            if start < at or not (put or command or name in tables.DEFINING):
                continue
            self._emit(text[at:start], file, at, fixed)
            here = fixed or file.span(start, start + 1)
            if command:
                self._expansions += 1
                body, at = applied(command, text, end)
                self._read(body, file, folder, depth + 1, here)
            elif put:
                at = put.end()
                self._input(put, here, folder, depth)
            else:
                at = self._define(name, text, end, here)
        self._emit(text[at:], file, at, fixed)

    def _define(self, word: str, text: str, at: int, here: Span) -> int:
        """Take the definition by a command that ends there; return where it ends."""
        name, count, default = "", 0, None
        if head := _HEAD.match(text, at):
            name, at = head[1] or head[2], head.end()
        if word.endswith("def"):
            marks = text[at : max(at, text.find("{", at))]
            count, at = marks.count("#"), at + len(marks)
        elif options := _PARAMETERS.match(text, at):
            count, default, at = int(options[1]), options[2], options.end()
        bodies, at = _groups(text, at, tables.DEFINING[word])
        if len(bodies) < tables.DEFINING[word] and _BRACE.match(text, at):
            message = f"\\{word} has a brace that is never closed, or is very long"
            raise CvbuildError.because("latex", message, "close its braces", here)
        is_simple = tables.DEFINING[word] == 1 and name not in ("", "document", *tables.LINKS)
        if word.endswith("DocumentCommand") and bodies and re.fullmatch(r"[\sm]*", bodies[0]):
            count, is_simple = bodies.pop(0).count("m"), True
        # What the name means in a class counts, unless the definition has other arguments.
        own = self.table.commands.get(name)
        is_theirs = own is None or (
            not count if own.makes == "head" else count not in (0, len(own.slots))
        )
        if is_simple and bodies and is_theirs:
            self._commands[name] = bodies[-1], count, default
        elif name not in ("", *tables.LINKS):
            words = re.findall(r"[^\W\d_]{3,}", _USE.sub(" ", " ".join(bodies)))
            self._defined[name] = " ".join(words), here
        return at
