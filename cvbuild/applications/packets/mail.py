"""The draft of an e-mail that carries an application: opened by a mail program, sent by a person.

Python's package decodes whatever looks encoded in a text, so that a text could become a header:
texts with ``=?`` are refused. The package then reads the bytes again, and must find exactly what
was written. The draft has no date and no id; the mail program adds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from email import errors, message_from_bytes, policy
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import PurePath
from types import MappingProxyType

from msgspec import Struct

from cvbuild.common.diagnostics import CvbuildError, Span, quoted, suggest
from cvbuild.common.files.safe_files import is_reserved
from cvbuild.inputs.yaml import misread
from cvbuild.model import locales
from cvbuild.model.text import language_tags

#: How many files a message about size names.
_LARGEST = 3
#: Characters of a name or subject that fits on a line with its header.
_WIDTH = 60
#: The most bytes of a line that servers take (RFC 5322).
_LONGEST = 998
#: Joiners are part of words; every other invisible character becomes a space.
_JOINERS = "\u200c\u200d"
#: Characters of an address before the @ without quotation marks (RFC 5322, dot-atom).
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
#: What an encoded word begins with (RFC 2047).
_ENCODED = "=?"
_NOWHERE: Mapping[str, Span | None] = MappingProxyType({})
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_TYPES = MappingProxyType({".pdf": "application/pdf", ".docx": _WORD})


class Mailbox(Struct, frozen=True):
    """A name, which may be empty, and an e-mail address."""

    name: str
    address: str


class Draft(Struct, frozen=True):
    """A message before it is encoded; ``attachments`` are files by their name."""

    subject: str
    body: str
    sender: Mailbox | None = None
    recipient: Mailbox | None = None
    attachments: tuple[tuple[str, bytes], ...] = ()


def message(draft: Draft, places: Mapping[str, Span | None] = _NOWHERE) -> bytes:
    """Return the draft as a file (``.eml``), always alike; ``places`` are those of the headers.

    Raises CvbuildError for a wrong address, and if a reader would see something else than meant.
    """
    subject_place = places.get("Subject")
    headers: dict[str, str | Address] = {"X-Unsent": "1"}
    for header, mailbox in (("From", draft.sender), ("To", draft.recipient)):
        if mailbox is not None:
            address = _address(mailbox, places.get(header))
            headers[header] = Address(_line(mailbox.name, places.get(header)), addr_spec=address)
    headers["Subject"] = _line(draft.subject, subject_place)
    # Half a surrogate pair has no encoding.
    lines = draft.body.encode("utf-8", "replace").decode("utf-8").splitlines()
    body = "\n".join(lines) + "\n"
    files = [(_line(name, subject_place), content) for name, content in draft.attachments]
    mail = EmailMessage(policy.SMTP)
    for header, value in headers.items():
        text = value if isinstance(value, str) else value.display_name
        after = "" if isinstance(value, str) else f"\n <{value.addr_spec}>"
        if not text.isascii() or len(text) > _WIDTH:
            # The package itself loses and adds spaces between the encoded words of a long text.
            words = Header(text, "utf-8", header_name=header).encode()
            mail.set_raw(header, f"{words}{after}")
        else:
            mail[header] = value
    mail.set_content(body, cte="quoted-printable")
    for name, content in files:
        # Text is sent as bytes too, so that nothing changes its line ends.
        kind = _TYPES.get(PurePath(name).suffix, "application/octet-stream").split("/")
        mail.add_attachment(content, maintype=kind[0], subtype=kind[1], filename=name)
    if files:
        # Neither base64 nor quoted-printable can have "=_" in it.
        mail.set_boundary("=_part")
    written = mail.as_bytes()
    if max(map(len, written.split(b"\r\n"))) > _LONGEST:
        fact = f"a line of the message would have more than {_LONGEST} bytes"
        raise _refused(fact, subject_place)
    different = _misread(written, headers, [(None, body.encode()), *files])
    if different is not None:
        fact = f"a mail program would read {different or 'a part'} of the message differently"
        raise _refused(fact, places.get(different, subject_place))
    return written


def _misread(
    content: bytes, meant: Mapping[str, str | Address], parts: Sequence[tuple[str | None, bytes]]
) -> str | None:
    """Return the header that a mail program reads differently, empty for anything else, or None."""
    try:
        mail = message_from_bytes(content, policy=policy.default)
        for name, value in meant.items():
            if _shown(mail[name]) != _shown(value):
                return name
        names = [*meant, "MIME-Version", "Content-Type"]
        names += [] if mail.is_multipart() else ["Content-Transfer-Encoding"]
        has_defects = any(part.defects for part in mail.walk())
        leaves = [part for part in mail.walk() if not part.is_multipart()]
        files = [(part.get_filename(), part.get_payload(decode=True)) for part in leaves]
    except (ValueError, LookupError, TypeError, AttributeError, errors.MessageError):
        return ""
    (no_name, body), *others = parts
    same_files = files == [(no_name, body.replace(b"\n", b"\r\n")), *others]
    return None if sorted(mail) == sorted(names) and same_files and not has_defects else ""


def _shown(value: object) -> object:
    """Return a header as a reader shows it: a text, or names and addresses."""
    mailboxes = (value,) if isinstance(value, Address) else getattr(value, "addresses", None)
    if mailboxes is None:
        return str(value)
    # Python 3.11 puts a space between two encoded words of a name.
    return [("".join(box.display_name.split()), box.addr_spec) for box in mailboxes]


def _refused(fact: str, span: Span | None) -> CvbuildError:
    hint = "write position, names and subject in plain words, and shorter"
    return CvbuildError.because("message", fact, hint, span)


def as_read(data: bytes) -> dict[str, object]:
    """Return a draft as it reads: to whom, its subject, its text, its attachments."""
    mail = message_from_bytes(data, policy=policy.default)
    to, body = mail.get("To"), mail.get_body(("plain",))
    boxes = ((box.display_name, box.addr_spec) for box in (to.addresses if to else ()))
    return {
        # As people write it: a header has quotation marks around "Dr. Lin Example".
        "to": ", ".join(f"{name} <{address}>" if name else address for name, address in boxes),
        "subject": str(mail.get("Subject", "")),
        "body": body.get_content() if body else "",
        "attached": [str(part.get_filename()) for part in mail.iter_attachments()],
    }


def check_size(
    content: bytes, files: Sequence[tuple[str, bytes]], limit: float, span: Span | None = None
) -> None:
    """Raise CvbuildError if an encoded message is larger than ``limit`` MB (a million bytes)."""
    size = len(content) / 1e6
    if size <= limit:
        return
    largest = sorted(files, key=lambda file: (-len(file[1]), file[0]))[:_LARGEST]
    names = ", ".join(f"{name} ({len(data) / 1e6:.1f} MB)" for name, data in largest)
    fact = f"the message with its attachments has {size:.1f} MB, the limit is {limit:g} MB"
    hint = f"make the largest smaller: {names}" if names else "write less"
    raise CvbuildError.because("too-large", fact, hint, span)


def _address(mailbox: Mailbox, span: Span | None) -> str:
    """Return the address in plain letters; raises CvbuildError for one that is ambiguous."""
    hint = "write it like ada@example.org, in plain letters before the @"
    if hidden := misread.hidden_in(mailbox.address, "address"):
        fact = f"{quoted(mailbox.address)}: {hidden.name} {hidden.fact}"
        raise CvbuildError.because("email", fact, hint, span)
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
    raise CvbuildError.because("email", fact, hint, span)


def _line(text: str, span: Span | None) -> str:
    """Return a text as a line of a header; raises CvbuildError for one that could be decoded."""
    plain = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text)
    if _ENCODED in plain:
        raise _refused(f"{quoted(plain)} has {quoted(_ENCODED)}, which mail programs decode", span)
    return " ".join(plain.split())


# -- names of files that employers like ------------------------------------------------------------

#: The fields that a pattern may name.
FIELDS = (
    "name", "given", "family", "kind", "position", "employer", "date", "slug", "template",
    "variant",
)  # fmt: skip
DEFAULT = "{name}_{kind}_{position}"
_NAME = "file-name"
_FIELD = re.compile(r"\{([^{}]*)\}")
#: The values of ``kind`` in English, and where a language has another script.
_ENGLISH = {"cv": "CV", "letter": "Cover-Letter", "application": "Application"}
#: The most characters of a name, including the extension.
LONGEST = 80
#: The most characters of a field.
_MOST = 40


def kind(document: str, locale: str) -> str:
    """Return the word for a cv, letter or application, in its language if that is Latin script."""
    is_english = locales.table(locale).language in ("en", "en-GB")
    if is_english or language_tags.script(locale) != "Latn":
        return _ENGLISH[document]
    return locales.table(locale).words[f"{document}-title"]


def file_name(
    pattern: str, fields: Mapping[str, str], extension: str = ".pdf", span: Span | None = None
) -> str:
    """Return the name of a file; raises CvbuildError for a pattern that can't name files.

    A field that is empty leaves no separator; of a long one the last words are left out.
    """
    others = _FIELD.sub(" ", pattern)
    if re.search("[{}]", others):
        what = f"{quoted(pattern)} has an unmatched brace"
        raise CvbuildError.because(_NAME, what, "write fields as {name}, and no other braces", span)
    for name in _FIELD.findall(pattern):
        if name not in FIELDS:
            what = f"unknown field {quoted(name)} in {quoted(pattern)}"
            raise CvbuildError.because(_NAME, what, suggest(name, FIELDS, "fields"), span)
    if re.search(r"[/\\~]|\.\.", others):
        what = f"{quoted(pattern)} leads out of the folder"
        raise CvbuildError.because(_NAME, what, "remove / \\ .. and ~", span)
    pattern = re.sub(rf"(?i){re.escape(extension)}$", "", pattern)

    def short(field: re.Match[str]) -> str:
        """Return the first words of a value that is long, or the beginning of a single word."""
        word = _word(fields.get(field[1], ""))
        return word if len(word) <= _MOST else word[: _MOST + 1].rpartition("-")[0] or word[:_MOST]

    stem = _FIELD.sub(short, pattern)
    stem = _tidy(re.sub(r"[^A-Za-z0-9._-]+", "-", _ascii(stem)))
    stem = _tidy(stem[: LONGEST - len(extension)])
    stem = stem or _tidy(_word(fields.get("kind", ""))) or "Document"
    return f"Document-{stem}{extension}" if is_reserved(stem) else stem + extension


def distinct(names: Iterable[str], span: Span | None, hint: str) -> None:
    """Raise CvbuildError if two of the names are the same file on some system."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if seen[name.lower()] is not name:
            both = quoted(name) if other == name else f"{quoted(other)} and {quoted(name)}"
            what = f"two documents would have the same file name: {both}"
            raise CvbuildError.because(_NAME, what, hint, span)


def file_names(
    pattern: str,
    documents: Sequence[Mapping[str, str]],
    extension: str = ".pdf",
    span: Span | None = None,
) -> tuple[str, ...]:
    """Return a name for each document; raises CvbuildError where two are the same."""
    names = tuple(file_name(pattern, fields, extension, span) for fields in documents)
    hint = "put {kind} into the pattern"
    if "{kind}" in pattern:
        hint = "give each attachment a title of its own, or shorten the pattern"
    distinct(names, span, hint)
    return names


def _ascii(text: str) -> str:
    from anyascii import anyascii

    # Without it, marks that are separate from their letter would be lost.
    return anyascii(text).replace("'", "").replace("`", "")


def _word(value: str) -> str:
    """Return a field's value: words joined by hyphens, full stops only inside words."""
    text = re.sub(r"\.(?![A-Za-z0-9])|(?<![A-Za-z0-9])\.", " ", _ascii(value))
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")


def _tidy(stem: str) -> str:
    """Remove repeated, leading and trailing separators; of several the strongest stays."""
    stem = re.sub(r"[._-]{2,}", lambda match: "_" if "_" in match[0] else "-", stem)
    return stem.strip("._-")
