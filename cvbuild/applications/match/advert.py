"""The text of a job advertisement, line by line: from plain text or Markdown.

Whoever wrote the file is unknown. It is read up to ``MAX_BYTES``, nothing in it is run or fetched,
and the time it takes is that of its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from cvbuild.common.diagnostics import Span, place_of, shown
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.common.files import project_files, safe_files

MAX_BYTES = 1 << 20
#: Characters of a paragraph whose inline Markdown is read; a longer one is taken as it is.
_PARAGRAPH = 1 << 14
_MARKDOWN = (".md", ".markdown")
_HTML = (".html", ".htm", ".xhtml")
_IS_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
#: How other kinds of files begin, and what they are.
_OTHER = {
    b"%PDF-": "a PDF",
    b"PK\3\4": "a Word document or another archive",
    b"\xd0\xcf\x11\xe0": "an old Word document",
    b"{\\rtf": "an RTF document",
}
_AS_TEXT = "save the advertisement as text or Markdown, in UTF-8"
_LINE = re.compile(r"\r\n|\r|\n")


class Line(Struct, frozen=True):
    """Words that stand together, and the line of the file in which they begin."""

    number: int
    text: str


class Advert(Struct, frozen=True):
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
    if path.suffix.lower() in _HTML or _IS_HTML.match(data.removeprefix(b"\xef\xbb\xbf")):
        kind = "a web page"
    if kind:
        fact = f"this is {kind}, not a text"
        raise ProfileError.because("job-not-text", fact, _AS_TEXT, Span(name))
    return _parsed(_decode(data, name), name, path.suffix.lower())


def pasted(text: str, name: str) -> Advert:
    """Return an advertisement that is no file; ``name`` is for messages.

    Raises ProfileError if it is too large.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        message, hint = "the advertisement is larger than 1 MiB", "paste only the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name))
    return _parsed(text.encode("utf-8", "replace").decode(), name, "")


def _parsed(text: str, name: str, suffix: str) -> Advert:
    lines: Iterable[Line]
    if suffix in _MARKDOWN:
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
