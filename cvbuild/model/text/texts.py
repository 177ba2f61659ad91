"""Texts of other formats as texts of a person's file: inline Markdown, no control characters."""

from __future__ import annotations

import re
import unicodedata

from cvbuild.model.text import lines, rich_text

#: Control characters, invisible marks and directions that a person's file refuses or hides.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
_MARKUP = re.compile(r"([\\`*_\[\]<>^~])")


def decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 with a mark, UTF-8, else Windows' Latin 1."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line(text: str) -> str:
    """Return a text on one line, in NFC, without control characters."""
    return " ".join(_CONTROL.sub("", unicodedata.normalize("NFC", text)).split())


def unaccented(text: str) -> str:
    """Return a text in small letters without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char))


def plain(text: str) -> str:
    r"""Return a plain text as Markdown that shows just its characters: ``2*3*4`` as ``2\*3\*4``."""
    text = line(text)
    # What has no meaning there needs no backslash, and reads better without.
    parsed = nodes(text) or ()
    is_styled = any(not isinstance(node, rich_text.Text) for node in parsed)
    return text if rich_text.plain(parsed) == text and not is_styled else escaped(text)


def escaped(text: str) -> str:
    """Return a part of a text with a backslash before each character that may mean something."""
    return _MARKUP.sub(r"\\\1", text)


def markdown(text: str) -> str:
    """Return Markdown of another program as ours; what can't be read so is shown as it is."""
    text = line(text)
    return plain(text) if nodes(text) is None else text


def address(url: str) -> str:
    """Return an address as a link may have it; empty if it can't be one."""
    try:
        return lines.normal_url(url.strip()) if url.strip() else ""
    except lines.UrlError:
        return ""


def nodes(text: str) -> tuple[rich_text.Node, ...] | None:
    """Return what Markdown makes of a text; None if it has a link that can't be one."""
    try:
        return rich_text.parse(text)
    except ValueError:
        return None
