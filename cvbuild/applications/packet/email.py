"""The draft of an e-mail that carries an application: opened by a mail program, sent by a person.

Its bytes are written here, because Python's package decodes whatever looks encoded in a text, so
that a text could become a header. The package then reads the bytes again, and must find exactly
what was written. The draft has no date and no id; the mail program adds them.
"""

from __future__ import annotations

import base64
import email
import email.errors
import hashlib
import quopri
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email import policy
from email.header import decode_header
from email.message import Message
from urllib.parse import quote

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.positions import quoted

#: How many files a message about size names.
_LARGEST = 3
#: The usual width of a line in characters, and the most bytes that servers take.
_WIDTH, _LONGEST = 76, 998
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
_TYPE, _CODING, _PLACING = "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A name, which may be empty, and an e-mail address."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before it is encoded; ``attachments`` are PDFs by their file name."""

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
            meant[header] = _mailbox(name, address)
            top.append((header, _folded(header, [*_phrase(name), f"<{address}>"])))
    meant["Subject"] = _line(draft.subject)
    top += [("Subject", _folded("Subject", _text(meant["Subject"]))), ("MIME-Version", "1.0")]
    parts = [_body(draft.body), *(_attachment(*one) for one in draft.attachments)]
    content = _written(top, parts, f"=_{_digest(draft)}")
    _check(content, meant, parts, where)
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
    headers = (
        (_TYPE, "application/pdf"),
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


def _check(
    content: bytes,
    meant: Mapping[str, str],
    parts: Sequence[_Part],
    where: Mapping[str, Span | None],
) -> None:
    """Raise CvbuildError unless two readers find in the bytes what was meant, and nothing else.

    One decodes by hand, the other is that of mail programs written in Python.
    """
    for reader, plain in ((_by_hand, str), (_by_policy, _unspaced)):
        try:
            headers, found = reader(content)
        except (ValueError, LookupError, TypeError, AttributeError, email.errors.MessageError):
            raise _misread("the message", None) from None
        # Every header of the message's own, in order; then the technical ones.
        technical = [name for name, _ in headers[len(meant) :]]
        expected = [name for name, _ in parts[0].headers] if len(parts) == 1 else [_TYPE]
        for (name, value), (header, text) in zip(headers, meant.items(), strict=False):
            if (name, plain(value)) != (header, plain(text)):
                raise _misread(header, where.get(header))
        if len(headers) < len(meant) or technical != ["MIME-Version", *expected]:
            raise _misread("the headers", where["Subject"])
        if found != [(part.name, part.content) for part in parts]:
            raise _misread("a part", where["Subject"])
    if max(map(len, content.split(b"\r\n"))) > _LONGEST:
        fact = f"a line of the message would have more than {_LONGEST} bytes"
        hint = "write position, names and subject shorter"
        raise CvbuildError([Diagnostic("error", "message", fact, where["Subject"], hint)])


def _by_hand(content: bytes) -> tuple[list[Header], list[tuple[str | None, bytes]]]:
    """Return headers and parts, (file name, bytes), as an old mail program reads them."""
    read = email.message_from_bytes(content, policy=policy.compat32)
    headers = [(name, _decoded(name, str(value))) for name, value in read.raw_items()]
    return headers, list(_parts(read))


def _by_policy(content: bytes) -> tuple[list[Header], list[tuple[str | None, bytes]]]:
    """Return the same as a modern one reads them."""
    read = email.message_from_bytes(content, policy=policy.default)
    if read.defects or any(part.defects for part in read.walk()):
        raise ValueError(read.defects)
    headers = []
    for name, value in read.items():
        if name in ("From", "To"):
            (one,) = value.addresses
            headers.append((name, _mailbox(one.display_name, one.addr_spec)))
        else:
            headers.append((name, str(value)))
    return headers, list(_parts(read))


def _decoded(name: str, value: str) -> str:
    lines = re.sub(r"\r?\n(?=[ \t])", "", value)
    if re.search(r"[\r\n]", lines):
        raise ValueError(lines)
    if name not in ("From", "To"):
        return _words(lines)
    phrase, _, address = lines.rpartition("<")
    phrase = phrase.strip()
    quotes = phrase.startswith('"')
    name = re.sub(r"\\(.)", r"\1", phrase[1:-1]) if quotes else _words(phrase)
    return _mailbox(name, address.removesuffix(">"))


def _unspaced(text: str) -> str:
    # Python 3.11 puts a space between two encoded words of a name.
    return "".join(text.split())


def _words(text: str) -> str:
    return "".join(
        part.decode(coding or "ascii") if isinstance(part, bytes) else part
        for part, coding in decode_header(text)
    )


def _parts(read: Message) -> Iterator[tuple[str | None, bytes]]:
    for part in read.walk():
        if not part.is_multipart():
            data = part.get_payload(decode=True)
            if not isinstance(data, bytes):
                raise TypeError(type(data))
            yield part.get_filename(), data


def _mailbox(name: str, address: str) -> str:
    return f"{name} <{address}>"


def _misread(what: str, span: Span | None) -> CvbuildError:
    fact = f"a mail program would read {what} of the message differently"
    hint = "write position, names and subject in plain words"
    return CvbuildError([Diagnostic("error", "message", fact, span, hint)])


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
    hint = "write it like ada@example.org, in plain letters before the @"
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
