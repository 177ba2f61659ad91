"""The draft of an e-mail that carries an application: opened by a mail program, sent by a person.

Its bytes are written here, because Python's package decodes whatever looks encoded in a text, so
that a text could become a header. The package then reads the bytes again, and must find exactly
what was written. The draft has no date and no id; the mail program adds them.
"""

from __future__ import annotations

import base64
import hashlib
import quopri
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from urllib.parse import quote

from cvbuild.applications.packet import email_check
from cvbuild.applications.packet.email_check import Header
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.positions import quoted
from cvbuild.model import hidden_characters

#: How many files a message about size names.
_LARGEST = 3
#: The usual width of a line in characters.
_WIDTH = 76
#: UTF-8 bytes of one encoded word, which must fit on a line with a header's name.
_WORD = 39
#: Joiners are part of words; every other invisible character becomes a space.
_JOINERS = "\u200c\u200d"
#: Characters of an address before the @ without quotation marks (RFC 5322, dot-atom).
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
_PLAIN_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
#: What an encoded word begins with.
_ENCODED = "=?"
_TYPES = MappingProxyType(
    {
        ".pdf": "application/pdf",
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
)
_TYPE, _CODING, _PLACING = "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A name, which may be empty, and an e-mail address."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before it is encoded; ``attachments`` are files by their name."""

    subject: str
    body: str
    sender: Mailbox | None = None
    recipient: Mailbox | None = None
    attachments: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the message: its headers as they are written, and its bytes."""

    headers: tuple[Header, ...]
    encoded: bytes
    content: bytes
    name: str | None = None


def message(
    draft: Draft, span: Span | None = None, places: Mapping[str, Span | None] | None = None
) -> bytes:
    """Return the draft as a file (``.eml``); the same draft gives the same bytes.

    ``span`` is the position of the application, ``places`` are those of single headers. Raises
    CvbuildError for an invalid e-mail address, and if a reader would see something else than meant.
    """
    where = {"From": span, "To": span, "Subject": span, **(places or {})}
    meant: dict[str, str] = {"X-Unsent": "1"}
    top: list[Header] = [("X-Unsent", "1")]
    for header, mailbox in (("From", draft.sender), ("To", draft.recipient)):
        if mailbox is not None:
            name, address = _line(mailbox.name), _address(mailbox, where[header])
            meant[header] = email_check.mailbox(name, address)
            top.append((header, _folded(header, [*_phrase(name), f"<{address}>"])))
    meant["Subject"] = _line(draft.subject)
    top += [("Subject", _folded("Subject", _text(meant["Subject"]))), ("MIME-Version", "1.0")]
    parts = [_body(draft.body), *(_attachment(*one) for one in draft.attachments)]
    content = _written(top, parts, f"=_{_digest(draft)}")
    technical = [name for name, _ in parts[0].headers] if len(parts) == 1 else [_TYPE]
    email_check.check(
        content,
        meant,
        ["MIME-Version", *technical],
        [(part.name, part.content) for part in parts],
        where,
    )
    return content


def _written(top: Iterable[Header], parts: Sequence[_Part], boundary: str) -> bytes:
    """Return the whole file. Neither base64 nor quoted-printable can have "=_" in it."""
    if len(parts) == 1:
        return _headers((*top, *parts[0].headers)) + parts[0].encoded
    mixed = (_TYPE, f'multipart/mixed;\r\n boundary="{boundary}"')
    found = [_headers((*top, mixed))]
    for part in parts:
        found += [f"--{boundary}\r\n".encode("ascii"), _headers(part.headers), part.encoded]
        found.append(b"\r\n")
    return b"".join((*found, f"--{boundary}--\r\n".encode("ascii")))


def _headers(headers: Iterable[Header]) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in headers).encode("ascii") + b"\r\n"


def _body(text: str) -> _Part:
    # Half a surrogate pair has no encoding.
    plain = ("\r\n".join(text.splitlines()) + "\r\n").encode("utf-8", "replace")
    lines = quopri.encodestring(plain.replace(b"\r\n", b"\n"))
    headers = ((_TYPE, 'text/plain; charset="utf-8"'), (_CODING, "quoted-printable"))
    return _Part(headers, lines.replace(b"\n", b"\r\n"), plain)


def _attachment(name: str, content: bytes) -> _Part:
    plain = _line(name)
    parameter = f'filename="{plain}"'
    if not _PLAIN_FILE.fullmatch(plain):
        parameter = f"filename*=utf-8''{quote(plain, safe='')}"
    # Text is sent as bytes too, so that nothing changes its line ends.
    kind = _TYPES.get(PurePath(plain).suffix, "application/octet-stream")
    headers = (
        (_TYPE, kind),
        (_CODING, "base64"),
        (_PLACING, f"attachment;\r\n {parameter}"),
    )
    return _Part(headers, base64.encodebytes(content).replace(b"\n", b"\r\n"), content, plain)


def _text(text: str) -> list[str]:
    """Return the words of a text header as they are written."""
    words = text.split(" ")
    long = any(len(word) > _WORD for word in words)
    return _encoded(text) if long or not text.isascii() or _ENCODED in text else words


def _phrase(name: str) -> list[str]:
    """Return the words of a mailbox's name."""
    words = _text(name) if name else []
    if words[:1] and not words[0].startswith(_ENCODED):
        if all(re.fullmatch(r"[A-Za-z0-9_-]+", word) for word in words):
            return words
        if len(name) <= _WORD:
            escaped = re.sub(r'(["\\])', r"\\\1", name)
            return [f'"{escaped}"']
        return _encoded(name)
    return words


def _encoded(text: str) -> list[str]:
    """Return the whole text in words of base64, each of whole characters (RFC 2047)."""
    chunks = [b""]
    for character in text:
        data = character.encode("utf-8")
        if len(chunks[-1]) + len(data) > _WORD:
            chunks.append(b"")
        chunks[-1] += data
    return [f"=?utf-8?b?{base64.b64encode(chunk).decode('ascii')}?=" for chunk in chunks]


def _folded(name: str, words: Iterable[str]) -> str:
    """Return the words in lines that aren't too long; a line ends before a space."""
    lines = [f"{name}:"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > _WIDTH and lines[-1] != f"{name}:":
            lines.append("")
        lines[-1] += f" {word}"
    return "\r\n".join(lines).removeprefix(f"{name}:").removeprefix(" ")


def check_size(
    content: bytes,
    files: Sequence[tuple[str, bytes]],
    limit: float,
    span: Span | None = None,
) -> None:
    """Raise CvbuildError if an encoded message is larger than ``limit`` MB (a million bytes)."""
    if len(content) <= limit * 1e6:
        return
    largest = sorted(files, key=lambda file: (-len(file[1]), file[0]))[:_LARGEST]
    largest_files = ", ".join(f"{name} ({_mb(len(data))})" for name, data in largest)
    raise CvbuildError(
        [
            Diagnostic(
                "error",
                "too-large",
                f"the message with its attachments has {_mb(len(content))}, "
                f"the limit is {limit:g} MB",
                span,
                f"make the largest smaller: {largest_files}" if largest_files else "write less",
            )
        ]
    )


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _address(mailbox: Mailbox, span: Span | None) -> str:
    """Return the address in plain letters; raises CvbuildError for one that is ambiguous."""
    hint = "write it like ada@example.org, in plain letters before the @"
    if hidden := hidden_characters.find(mailbox.address, "address"):
        fact = f"{quoted(mailbox.address)}: {hidden.name} {hidden.fact}"
        raise CvbuildError([Diagnostic("error", "email", fact, span, hint)])
    user, _, host = mailbox.address.strip().rpartition("@")
    try:
        plain = host.encode("idna").decode("ascii")
        # Some letters silently become others: ß would lead to another host.
        decoded = plain.encode("ascii").decode("idna")
        same = host.lower() in (plain.lower(), decoded.lower())
    except UnicodeError:
        plain, same = "", False
    good = _LOCAL.fullmatch(user) and all(map(_LABEL.fullmatch, plain.split(".")))
    if good and same and _ENCODED not in user and len(user) <= 64 and len(plain) <= 253:
        return f"{user}@{plain}"
    fact = f"{quoted(mailbox.address)} is not an e-mail address"
    raise CvbuildError([Diagnostic("error", "email", fact, span, hint)])


def _line(text: str) -> str:
    """Return a text for a header: one line, without characters that end or control it."""
    plain = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text)
    return " ".join(plain.split())


def _digest(draft: Draft) -> str:
    found = hashlib.sha256()
    for piece in _pieces(draft):
        found.update(len(piece).to_bytes(8, "big") + piece)
    return found.hexdigest()[:32]


def _pieces(draft: Draft) -> Iterable[bytes]:
    yield repr((draft.subject, draft.body, draft.sender, draft.recipient)).encode()
    for name, content in draft.attachments:
        yield repr(name).encode()
        yield content
