"""No text of an application becomes a header of the message, or another text than was written."""

from __future__ import annotations

import email
import email.policy
import re
from email.header import decode_header
from email.message import EmailMessage

import pytest
from attacks.table import named, rows

from cvbuild.applications.mail import Draft, Mailbox, message
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError

PLACE = Span("applications/x.yaml", 3, 11, 3, 20)
PLACES = dict.fromkeys(("From", "To", "Subject"), PLACE)
PDF = b"%PDF-1.7\n\r\n--=_\n.\nFrom me"
PAYLOADS = named("mail")
FIELDS = ("subject", "sender", "recipient", "both", "file")


def shown(text: str) -> str:
    """What a line of a mail program has of a text: no character that ends or steers it."""
    kept = "".join(c if c.isprintable() or c in "\u200c\u200d" else " " for c in text)
    return " ".join(kept.split())


def drafted(field: str, text: str) -> Draft:
    words = {"subject": "x", "body": "Hello", "sender": "A", "recipient": "C", "file": "CV"}
    fields = ("subject", "body", "sender", "recipient") if field == "both" else (field,)
    words |= dict.fromkeys(fields, text)
    sender, recipient = Mailbox(words["sender"], "a@b.org"), Mailbox(words["recipient"], "c@d.org")
    file = (f"{words['file'][:60]}.pdf", PDF)
    return Draft(words["subject"], words["body"], sender, recipient, (file,))


def raw(content: bytes) -> dict[str, str]:
    """The headers by nothing but RFC 5322: lines, and lines that begin with a space."""
    head = content.partition(b"\r\n\r\n")[0].decode("ascii")
    assert not re.search(r"[\r\n]", head.replace("\r\n", ""))
    lines = re.sub(r"\r\n(?=[ \t])", "", head).split("\r\n")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def decoded(value: str) -> str:
    if re.fullmatch('".*"', value):
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return "".join(
        part.decode(charset or "ascii") if isinstance(part, bytes) else part
        for part, charset in decode_header(value)
    )


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_text_is_shown_as_it_was_written(payload: str) -> None:
    # What is refused is refused in each field by itself.
    for field in FIELDS if "=?" in shown(payload) else FIELDS[-2:]:
        is_shown_as_written(payload, field)
        # Behind another that is harmless by itself.
        is_shown_as_written(f"Scientist {payload}", field)


def is_shown_as_written(payload: str, field: str) -> None:
    draft = drafted(field, payload)
    if "=?" in shown(draft.attachments[0][0] if field == "file" else payload):
        with pytest.raises(CvbuildError, match="which mail programs decode"):
            message(draft, PLACES)
        return
    content = message(draft, PLACES)
    headers = raw(content)
    assert {*headers} == {"Content-Type", "From", "MIME-Version", "Subject", "To", "X-Unsent"}
    assert max(map(len, content.split(b"\r\n"))) <= 998
    found = email.message_from_bytes(content, policy=email.policy.default)
    assert found["Subject"] == decoded(headers["Subject"]) == shown(draft.subject)
    for header, mailbox in (("From", draft.sender), ("To", draft.recipient)):
        (one,) = found[header].addresses
        assert mailbox is not None
        # Python 3.11 sets a space between two encoded words of a name.
        assert "".join(one.display_name.split()) == "".join(shown(mailbox.name).split())
        phrase, _, address = f" {headers[header]}".rpartition(" ")
        assert decoded(phrase.strip()) == shown(mailbox.name)
        assert address.strip("<>") == one.addr_spec == mailbox.address
    (file,) = found.iter_attachments()
    assert (file.get_filename(), file.get_content()) == (shown(draft.attachments[0][0]), PDF)
    assert len([*found.walk()]) == 3
    assert "Bcc" not in {key for part in found.walk() for key in part}


@pytest.mark.parametrize("address", rows("addresses that could be read otherwise"))
def test_an_address_that_could_be_read_otherwise(address: str) -> None:
    for who in ("sender", "recipient"):
        draft = Draft("x", "Hello", **{who: Mailbox("A", address)})  # type: ignore[arg-type]
        with pytest.raises(CvbuildError) as caught:
            message(draft, PLACES)
        (one,) = caught.value.diagnostics
        assert (one.code, one.span) == ("email", PLACE)
        assert one.hint


@pytest.mark.parametrize(("address", "meant"), rows("addresses"))
def test_an_address_that_can_only_be_read_so(address: str, meant: str) -> None:
    content = message(Draft("x", "Hello", recipient=Mailbox("A", address)), PLACES)
    found = email.message_from_bytes(content, policy=email.policy.default)
    assert found["To"].addresses[0].addr_spec == meant


@pytest.mark.parametrize(("part", "other"), rows("broken messages"))
def test_what_reads_otherwise_is_refused_whatever_wrote_it(
    part: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_bytes, parts = EmailMessage.as_bytes, (part.encode(), other.encode())
    monkeypatch.setattr(EmailMessage, "as_bytes", lambda mail: as_bytes(mail).replace(*parts))
    with pytest.raises(CvbuildError) as caught:
        message(drafted("subject", "x"), PLACES)
    (one,) = caught.value.diagnostics
    assert (one.code, bool(one.hint)) == ("message", True)
