"""A finished message is read again, as two mail programs read it, before it is published."""

from __future__ import annotations

import email
import email.errors
import re
from collections.abc import Iterator, Mapping, Sequence
from email import policy
from email.header import decode_header
from email.message import Message

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError

#: The most bytes of a line that servers take (RFC 5322).
_LONGEST = 998

#: Name and value.
Header = tuple[str, str]
#: File name, if the part has one, and bytes.
Part = tuple[str | None, bytes]


def mailbox(name: str, address: str) -> str:
    """Return a name and an address as readers show them."""
    return f"{name} <{address}>"


def check(
    content: bytes,
    meant: Mapping[str, str],
    technical: Sequence[str],
    parts: Sequence[Part],
    places: Mapping[str, Span | None],
) -> None:
    """Raise CvbuildError unless two readers find in the bytes what was meant, and nothing else.

    ``meant`` are the message's own headers in their order, ``technical`` the names of those that
    follow, ``places`` the positions of what the headers were made from. One reader decodes by hand,
    the other is that of mail programs written in Python.
    """
    for reader, plain in ((_by_hand, str), (_by_policy, _unspaced)):
        try:
            headers, found = reader(content)
        except (ValueError, LookupError, TypeError, AttributeError, email.errors.MessageError):
            raise _misread("the message", None) from None
        for (name, value), (header, text) in zip(headers, meant.items(), strict=False):
            if (name, plain(value)) != (header, plain(text)):
                raise _misread(header, places.get(header))
        if [name for name, _ in headers] != [*meant, *technical]:
            raise _misread("the headers", places["Subject"])
        if found != list(parts):
            raise _misread("a part", places["Subject"])
    if max(map(len, content.split(b"\r\n"))) > _LONGEST:
        fact = f"a line of the message would have more than {_LONGEST} bytes"
        hint = "write position, names and subject shorter"
        raise CvbuildError([Diagnostic("error", "message", fact, places["Subject"], hint)])


def _by_hand(content: bytes) -> tuple[list[Header], list[Part]]:
    """Return headers and parts, (file name, bytes), as an old mail program reads them."""
    read = email.message_from_bytes(content, policy=policy.compat32)
    headers = [(name, _decoded(name, str(value))) for name, value in read.raw_items()]
    return headers, list(_parts(read))


def _by_policy(content: bytes) -> tuple[list[Header], list[Part]]:
    """Return the same as a modern one reads them."""
    read = email.message_from_bytes(content, policy=policy.default)
    if read.defects or any(part.defects for part in read.walk()):
        raise ValueError(read.defects)
    headers = []
    for name, value in read.items():
        if name in ("From", "To"):
            (one,) = value.addresses
            headers.append((name, mailbox(one.display_name, one.addr_spec)))
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
    return mailbox(name, address.removesuffix(">"))


def _unspaced(text: str) -> str:
    # Python 3.11 puts a space between two encoded words of a name.
    return "".join(text.split())


def _words(text: str) -> str:
    return "".join(
        part.decode(coding or "ascii") if isinstance(part, bytes) else part
        for part, coding in decode_header(text)
    )


def _parts(read: Message) -> Iterator[Part]:
    for part in read.walk():
        if not part.is_multipart():
            data = part.get_payload(decode=True)
            if not isinstance(data, bytes):
                raise TypeError(type(data))
            yield part.get_filename(), data


def _misread(what: str, span: Span | None) -> CvbuildError:
    fact = f"a mail program would read {what} of the message differently"
    hint = "write position, names and subject in plain words"
    return CvbuildError([Diagnostic("error", "message", fact, span, hint)])
