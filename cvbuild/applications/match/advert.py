"""The text of a job advertisement, line by line: from plain text, Markdown or HTML.

Whoever wrote the file is unknown. It is read up to ``MAX_BYTES``, nothing in it is run or fetched,
and the time it takes is that of its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common import plugins
from cvbuild.common.diagnostics import Span, place_of, shown
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.common.files import project_files, safe_files

MAX_BYTES = 1 << 20
#: Characters of a paragraph whose inline Markdown is read; a longer one is taken as it is.
_PARAGRAPH = 1 << 14
_MARKDOWN = (".md", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
_IS_HTML = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
#: How other kinds of files begin, and what they are.
_OTHER = {
    b"%PDF-": "a PDF",
    b"PK\3\4": "a Word document or another archive",
    b"\xd0\xcf\x11\xe0": "an old Word document",
    b"{\\rtf": "an RTF document",
}
_AS_TEXT = "save the advertisement as text, Markdown or HTML, in UTF-8"
_LINE = re.compile(r"\r\n|\r|\n")
_KEPT = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
#: Characters that the parser of HTML gets at a time.
_PIECE = 4096
#: What stands inside of a line of HTML; every other element begins and ends one.
_INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins",
     "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u",
     "var", "wbr")
)  # fmt: skip
#: Elements inside each other.
_DEEPEST = 256
#: Elements whose text is not for readers.
_UNSEEN = frozenset(["head", "noscript", "script", "style", "template"])


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand together, and the line of the file in which they begin."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Advert:
    """What an advertisement says; ``name`` is how messages call its file."""

    name: str
    lines: tuple[Line, ...]


def load(path: Path) -> Advert:
    """Read an advertisement.

    Raises UsageError if there is no such file or it can't be read, ProfileError if it is too
    large, no text, or not in UTF-8.
    """
    name = shown(str(path))
    data = _read(path, name)
    kind = next((kind for start, kind in _OTHER.items() if data.startswith(start)), None)
    if kind is None and b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "a binary file"
    if kind:
        fact = f"this is {kind}, not a text"
        raise ProfileError.because("job-not-text", fact, _AS_TEXT, Span(name))
    return _parsed(_decode(data, name), name, path.suffix.lower())


def pasted(text: str, name: str) -> Advert:
    """Return an advertisement that is no file, text or HTML; ``name`` is for messages.

    Raises ProfileError if it is too large.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        message, hint = "the advertisement is larger than 1 MiB", "paste only the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name))
    return _parsed(text.encode("utf-8", "replace").decode(), name, "")


def _parsed(text: str, name: str, suffix: str) -> Advert:
    lines: Iterable[Line]
    if suffix in _HTML or _IS_HTML.match(text):
        lines = _of_html(text, name)
    elif suffix in _MARKDOWN:
        lines = _of_markdown(text)
    else:
        lines = [Line(at, line) for at, line in enumerate(_LINE.split(text), 1)]
    return Advert(name, tuple(line for line in lines if line.text.strip()))


def _read(path: Path, name: str) -> bytes:
    """The bytes of a regular file; never waits for a pipe or a device."""
    try:
        return project_files.read(path, MAX_BYTES)
    except project_files.OutsideError:
        message = f"{name} is a link out of the working folder"
        hint = "name the file itself"
        raise ProfileError.because("job-link", message, hint, Span(name)) from None
    except safe_files.TooLargeError:
        message = "the file is larger than 1 MiB"
        hint = "cut it down to the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name)) from None
    except safe_files.NotRegularError:
        raise UsageError.because("job-file", f"{name} is no file", "name a text file") from None
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"can't read {name}: {reason[:1].lower()}{reason[1:]}"
        raise UsageError.because("job-file", message, "check the path") from None


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        place = Span(name, *place_of(before, len(before), len(before) + 1))
        byte = f"byte 0x{data[error.start]:02X} is not UTF-8"
        raise ProfileError.because("job-encoding", byte, _AS_TEXT, place) from None


def _of_markdown(text: str) -> Iterator[Line]:
    """A line for each paragraph, heading, point and line of code."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table").disable("inline")
    for token in parser.parse(text):
        first = (token.map or (0, 0))[0] + 1
        if token.type in ("fence", "code_block"):
            start = first + (token.type == "fence")
            yield from (Line(start + at, line) for at, line in enumerate(token.content.split("\n")))
        elif token.type == "inline" and len(token.content) > _PARAGRAPH:
            yield from (Line(first + at, one) for at, one in enumerate(token.content.split("\n")))
        elif token.type == "inline":
            # A list without empty lines between its points, or lines that the writer broke.
            parts = parser.inline.parse(token.content, parser, {}, [])
            words = ("\n" if part.type.endswith("break") else part.content for part in parts if
                     part.type != "html_inline")  # fmt: skip
            yield Line(first, "".join(words).replace("\n", " "))


def _of_html(text: str, name: str) -> Iterable[Line]:
    """A line for each piece of text between two elements that begin a line."""
    try:
        from lxml import etree
    except ImportError as error:
        raise plugins.missing("match", "match", error) from None
    # Why no tree: it would take the square of the time for an element of many attributes.
    target = _Target()
    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True)
    try:
        # Line by line, since the parser doesn't tell a target where it is; and in short pieces, for
        # it stops at an error only when it has read all that it was given.
        for target.number, line in enumerate(_KEPT.findall(text), 1):
            for at in range(0, len(line), _PIECE):
                parser.feed(line[at : at + _PIECE].encode("utf-8"))
        parser.close()
    except _TooDeepError:
        message = "its elements stand too deep inside each other"
        hint = "copy the advertisement into a text file"
        raise ProfileError.because("job-html", message, hint, Span(name)) from None
    except etree.LxmlError:
        pass  # Of what is no HTML at all, what was understood stays.
    return target.lines


class _TooDeepError(Exception):
    """More elements inside each other than any page has."""


class _Target:
    """Takes what the parser finds: texts, where a line begins, and what nobody sees."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.number = 1
        self._first = 1
        self._parts: list[str] = []
        self._open: list[str] = []
        self._unseen = 0

    def start(self, tag: str, _: object) -> None:
        """An element begins."""
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise _TooDeepError
        self._unseen += tag in _UNSEEN
        self._break(tag)

    def end(self, tag: str) -> None:
        """An element ends: the innermost one, as the parser closes what the page forgot."""
        self._open.pop()
        self._break(tag)
        self._unseen -= tag in _UNSEEN

    def data(self, text: str) -> None:
        """Text, which ends in the line that was fed last."""
        if self._unseen:
            return
        if not self._parts:
            text = text.lstrip()
            self._first = self.number - text.rstrip("\n").count("\n")
        if text:
            self._parts.append(text)

    def comment(self, text: str) -> None:
        """Nobody sees it."""

    def close(self) -> None:
        """The page ends."""
        self._break("")

    def _break(self, tag: str) -> None:
        if tag not in _INLINE and self._parts:
            self.lines.append(Line(self._first, " ".join("".join(self._parts).split())))
            self._parts.clear()
