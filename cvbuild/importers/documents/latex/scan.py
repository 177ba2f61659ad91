"""The text of a LaTeX source before it is parsed: comments, braces, the person's own commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cvbuild.importers.documents.latex import tables

#: Characters of an argument, or of a definition.
_LONGEST = 20_000
#: Stands for a per cent sign in an address, which begins no comment there.
PERCENT = "\ue000"
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl)\s*\{([^{}\n]*)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
#: What is never set; another condition inside would end it early.
_FALSE = re.compile(
    r"\\iffalse(?![A-Za-z])(?:%[^\n]*|\\%|(?!\\(?:if|else|%|fi(?![A-Za-z])))[^%])*\\fi(?![A-Za-z])"
)
_BLOCK = re.compile(r"\\(begin|end)\s*\{comment\}")


class UnclosedError(ValueError):
    """Braces that are not closed."""


def is_escaped(text: str, at: int) -> bool:
    """Return whether the backslash at a position belongs to another before it."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return bool((at - start) % 2)


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


def without_comments(text: str) -> str:
    """Return the text with blanks for comments, so that all else keeps its position."""

    def masked(found: re.Match[str]) -> str:
        return found[0].replace("\\%", "%").rjust(len(found[0])).replace("%", PERCENT)

    begin = None
    for found in list(_BLOCK.finditer(text)):
        if found[1] == "begin":
            begin = found.start() if begin is None else begin
        elif begin is not None:
            blank = re.sub(r"[^\n]", " ", text[begin : found.end()])
            text, begin = text[:begin] + blank + text[found.end() :], None
    text = _FALSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    text = _ADDRESS.sub(masked, text)
    # A line that ends in a comment goes on in the next one; an empty one would end the paragraph.
    text = _COMMENT.sub(lambda found: found[1] + "\x00" * (len(found[0]) - len(found[1])), text)
    text = re.sub(r"(?m)^[ \t]*\x00+\n", lambda found: " " * len(found[0]), text)
    text = _without_layout(text)
    stop = re.search(r"\\end\s*\{document\}", text)
    return text[: stop.end() if stop else len(text)].replace("\x00", " ")


def _without_layout(text: str) -> str:
    """Return the text with blanks for lengths that are set, drawings in a line, and loops."""
    at = 0
    while found := _DRAWN.search(text, at):
        at, end = found.end(), found.end()
        try:
            for _ in range(0 if found[2] else 1 + (found[1] == "foreach")):
                if part := braced(text, end, len(text)):
                    end = part[1]
        except UnclosedError:
            continue
        if found[2] or end > at:
            blank = re.sub(r"[^\n]", " ", text[found.start() : end])
            text, at = text[: found.start()] + blank + text[end:], end
    return text


_SIZE = (
    r"-?(?:\d+\.?\d*|\.\d+)\s*(?:true\s*)?(?:pt|cm|mm|em|ex|in|bp|pc|sp|dd|cc|fil+)?(?![A-Za-z\d])"
)
_GLUE = rf"{_SIZE}(?:\s*(?:plus|minus)\s*{_SIZE})*"
#: What sets a length or a typeface, or draws: its arguments are no words.
_DRAWN = re.compile(
    r"\\(?:(foreach)(?![A-Za-z])[^{}\n]{0,60}?\bin\s*(?=\{)|tikz(?![A-Za-z])\s*(?:\[[^\]]*\])?\s*(?=\{)"
    rf"|(fontdimen\s*\d+\s*\\[A-Za-z]+\s*=?\s*{_SIZE}"
    r"|(?:set|addto)length\s*(?:\{\s*\\[A-Za-z@]+\s*\}|\\[A-Za-z@]+)\s*\{[^{}]*\}"
    r"|font(?:family|series|shape|encoding)\s*\{[^{}]*\}))"
)
#: The value of a length, and an assignment to what has an unknown name.
VALUE = re.compile(rf"\s*(?:=\s*(?:{_GLUE})?|{_GLUE})\s?")
ASSIGNED = re.compile(rf"\s*=\s*{_GLUE}\s?")
_NAME = re.compile(r"\\(?:([A-Za-z@]+)\*?|.)", re.DOTALL)
#: Options with values, or with what is no word: layout.
_OPTION = re.compile(r"[ \t]*\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\[\]]*\])*\]")
_VALUES = re.compile(r"\[[^\[\]=]*=[^\[\]]*\]")
_ENVIRONMENT = re.compile(r"\s*\{([^{}]*)\}")
#: Commands with arguments that name something, beside the layout's.
_NAMING = {"begin": 1, "end": 1, "includegraphics": 1, "item": 0, "href": 1, "documentclass": 1}
_ACCENT = re.compile(
    r"\\(?:[\"'`^~=.]\s*\{?\\?([A-Za-z])\}?|[cvuHkrd](?:\{([A-Za-z])\}|\s+([A-Za-z])))"
)
_LETTERS = {
    "ss": "ß", "ae": "æ", "oe": "œ", "aa": "å", "AA": "Å", "AE": "Æ", "OE": "Œ", "o": "ø", "O": "Ø",
    "l": "ł", "L": "Ł", "i": "i", "j": "j",
}  # fmt: skip
_LETTER = re.compile(rf"\{{?\\({'|'.join(_LETTERS)})(?![A-Za-z])(?:\{{\}}|\s)?\}}?")


def visible(text: str, hidden: Mapping[str, int] = MappingProxyType({})) -> str:
    """Return a text with blanks for what nobody sees: names of commands, arguments of layout.

    ``hidden`` says how many first arguments of other commands are no texts; their options are none
    either. Accents stay; ``letters`` makes characters of them.
    """
    pieces: list[str] = []
    at = 0
    for found in _NAME.finditer(text):
        name = found[1]
        if found.start() < at or (name is None and found[0] != "\\\\"):
            continue
        if name and (_ACCENT.match(text, found.start()) or _LETTER.match(text, found.start())):
            continue
        end = _end(text, name, found.end(), hidden) if name else found.end()
        if not name and (option := _OPTION.match(text, end)):
            end = option.end()
        pieces += [text[at : found.start()], re.sub(r"[^\n]", " ", text[found.start() : end])]
        at = end
    return _VALUES.sub(lambda one: re.sub(r"[^\n]", " ", one[0]), "".join([*pieces, text[at:]]))


def _end(text: str, name: str, at: int, hidden: Mapping[str, int]) -> int:
    """Return where a command and its arguments of layout end."""
    if name in tables.VALUES and (value := VALUE.match(text, at)):
        return value.end()
    if (name in hidden and name != "entry") or (
        name not in ("item", "printinfo") and tables.is_known(name)
    ):
        while option := _OPTION.match(text, at):
            at = option.end()
    elif value := ASSIGNED.match(text, at):
        return value.end()
    count = _NAMING.get(name, hidden.get(name, tables.LAYOUT.get(name, 0)))
    if name == "begin" and (environment := _ENVIRONMENT.match(text, at)):
        makes, _, slots = tables.environments().get(environment[1], "").partition(":")
        count += {"table": 2 - (environment[1] in ("tabular", "longtable", "array"))}.get(
            makes, len(slots.split())
        )
    for _ in range(count):
        if option := _OPTION.match(text, at):
            at = option.end()
        try:
            one = braced(text, at, len(text))
        except UnclosedError:
            one = None
        if one is None:
            break
        at = one[1]
    return at


def letters(text: str) -> str:
    """Return a text with the letters that accents and commands of letters stand for."""
    text = _ACCENT.sub(lambda found: found[1] or found[2] or found[3], text)
    text = _LETTER.sub(lambda found: _LETTERS[found[1]], text)
    return text.replace("\\-", "").replace("\\", " ")


# -- definitions of the person's own commands, and what a use of one stands for -------------------

_DEFINITION = re.compile(rf"\\(?:long\\)?({'|'.join(tables.DEFINING)})(?![A-Za-z@])\*?")
_SIMPLE = ("newcommand", "renewcommand", "providecommand", "newrobustcmd", "def",
           "DeclareRobustCommand")  # fmt: skip
_OF_LAYOUT = ("titleformat", "titlespacing", "DeclareFieldFormat")
_HEAD = re.compile(r"\s*(?:\{\s*\\?([^{}]+?)\s*\}|\\([A-Za-z@]+|.))")


@dataclass(frozen=True)
class Command:
    """What a use of a command stands for; ``#1`` in the body is its first argument."""

    arguments: int
    default: str | None
    body: str


@dataclass(frozen=True)
class Definition:
    """A definition in a text: where it ends, and its command if it is a simple one."""

    name: str
    end: int
    command: Command | None = None
    bodies: tuple[str, ...] = ()

    def words(self) -> str:
        """Return what it shows by itself."""
        shown = " ".join(visible(" ".join(self.bodies)).split())
        return re.sub(r"#\d|[{}&]", "", shown)


def find_definition(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the next command that defines something."""
    return _DEFINITION.search(text, start, end)


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
    if word in _OF_LAYOUT:
        # No words of the page.
        rest = re.compile(r"\s*\[[^\]]*\]").match(text, at, end)
        return Definition("", rest.end() if rest and word.startswith("title") else at)
    if word.endswith("DocumentCommand") and re.fullmatch(r"(?:\s*m)*\s*", (bodies or ["o"])[0]):
        arguments, is_simple = bodies.pop(0).count("m"), True
    command = Command(arguments, default, bodies[-1]) if is_simple and bodies else None
    return Definition(name, at, command, tuple(bodies))


def applied(command: Command, text: str, at: int) -> tuple[str, int]:
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

    body = re.sub(r"(\\[A-Za-z@]+)?#(\d)", value, command.body)
    # A letter after it would go on with the name of a command at its end.
    if re.search(r"\\[A-Za-z@]+\Z", body) and text[at : at + 1].isalpha():
        body += " "
    return body, at
