"""The draft of a message that carries an application: opened by a mail program, sent by a person.

RFC 5322 and MIME by Python's own package. It has no date and no id, which whoever sends it writes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.positions import quoted

#: Files that a message about size names.
_LARGEST = 3


@dataclass(frozen=True, slots=True)
class Mailbox:
    """Somebody's name, which may be empty, and e-mail address."""

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


def message(draft: Draft, span: Span | None = None) -> bytes:
    """The draft as a file (``.eml``); the same draft gives the same bytes.

    Raises CvbuildError for an e-mail address that is none, with ``span`` as its place.
    """
    made = EmailMessage(policy=SMTP)
    made["X-Unsent"] = "1"
    for header, mailbox in (("From", draft.sender), ("To", draft.recipient)):
        if mailbox is not None:
            made[header] = _address(mailbox, span)
    made["Subject"] = _line(draft.subject)
    body = "\n".join(draft.body.splitlines()) + "\n"
    # A half character is in no encoding.
    body = body.encode("utf-8", "replace").decode("utf-8")
    made.set_content(body, charset="utf-8", cte="quoted-printable")
    for name, content in draft.attachments:
        made.add_attachment(content, maintype="application", subtype="pdf", filename=_line(name))
    if draft.attachments:
        # Neither base64 nor quoted-printable can have "=_" in it.
        made.set_boundary(f"=_{_digest(draft)}")
    return made.as_bytes()


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
    told = ", ".join(f"{name} ({_mb(len(data))})" for name, data in largest)
    raise CvbuildError(
        [
            Diagnostic(
                "error",
                "too-large",
                f"the message with its attachments has {_mb(len(content))}, "
                f"the limit is {limit:g} MB",
                span,
                f"make the largest smaller: {told}" if told else "write less",
            )
        ]
    )


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _address(mailbox: Mailbox, span: Span | None) -> Address:
    try:
        user, _, host = mailbox.address.strip().rpartition("@")
        address = f"{user}@{host.encode('idna').decode('ascii')}"
        if not re.fullmatch(r"[!-~]+@[A-Za-z0-9.-]+", address):
            raise ValueError(address)
        return Address(_line(mailbox.name), addr_spec=address)
    except (ValueError, IndexError, MessageError):
        what = f"{quoted(mailbox.address)} is no e-mail address"
        hint = "write it like ada@example.org, in plain letters before the @"
        raise CvbuildError([Diagnostic("error", "email", what, span, hint)]) from None


def _line(text: str) -> str:
    """A text for a header: one line, and no character that ends or steers it."""
    plain = "".join(c if c.isprintable() else " " for c in text)
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
