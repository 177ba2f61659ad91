"""The draft as Python's own email package and a strict reader of its bytes see it."""

from __future__ import annotations

import email
import email.message
import os
import random
import re
from email.policy import SMTP, default

import pytest

from cvbuild.applications.packet.email import Draft, Mailbox, check_size, message
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError

PLACE = Span("applications/x.yaml", 7, 3, 7, 9)
BODY = """\
Dear Dr Specimen,

I am writing to apply – with „quotes“, 유경인 and a line of more than seventy-eight characters.
From here on.
.
=_ is no boundary, nor is --=_

Yours sincerely
"""
WORDS = """
Application: Lead Engineer (m/f/d), Čapek-O'Neill Müller für C++ – & PhD, <x@example.org>
"ML" a=b 100% ?x? 日本語 Wissenschaftliche Donaudampfschifffahrtsgesellschaftskapitänin
"""
PDF = b"%PDF-1.7\n\x80\xff\r\n.\r\nFrom me\n" + bytes(range(256)) * 40


def draft(**changes: object) -> Draft:
    fields: dict[str, object] = {
        "subject": "Application: Research Scientist",
        "body": BODY,
        "sender": Mailbox("Zoë O'Brien, Ph.D.", "ada@example.org"),
        "recipient": Mailbox("유경인", "jobs@example.com"),
        "attachments": (("Ada_CV.pdf", PDF), ("Ada_Cover-Letter.pdf", PDF[::-1])),
    }
    return Draft(**{**fields, **changes})  # type: ignore[arg-type]


def read(content: bytes) -> email.message.EmailMessage:
    return email.message_from_bytes(content, policy=default)


def test_a_draft_is_read_as_it_was_meant() -> None:
    content = message(draft())
    found = read(content)
    assert found["X-Unsent"] == "1"
    assert found["Subject"] == "Application: Research Scientist"
    (sender,), (recipient,) = found["From"].addresses, found["To"].addresses
    assert (sender.display_name, sender.addr_spec) == ("Zoë O'Brien, Ph.D.", "ada@example.org")
    assert (recipient.display_name, recipient.addr_spec) == ("유경인", "jobs@example.com")
    assert found["Date"] is None
    assert found["Message-ID"] is None
    body = found.get_body(("plain",))
    assert body is not None
    assert body.get_content_charset() == "utf-8"
    assert body.get_content().replace("\r\n", "\n") == BODY
    files = {one.get_filename(): one for one in found.iter_attachments()}
    assert [*files] == ["Ada_CV.pdf", "Ada_Cover-Letter.pdf"]
    for one in files.values():
        assert one.get_content_type() == "application/pdf"
        assert one.get_content_disposition() == "attachment"
    assert files["Ada_CV.pdf"].get_content() == PDF
    assert files["Ada_Cover-Letter.pdf"].get_content() == PDF[::-1]
    assert [*found.defects, *(d for one in found.walk() for d in one.defects)] == []


def test_it_is_plain_ascii_in_short_lines_with_crlf_and_always_the_same() -> None:
    content = message(draft(subject="Bewerbung für " + "eine lange Stelle " * 20))
    assert content == message(draft(subject="Bewerbung für " + "eine lange Stelle " * 20))
    content.decode("ascii")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", content)
    assert max(len(line) for line in content.split(b"\r\n")) <= 78
    assert read(content)["Subject"] == ("Bewerbung für " + "eine lange Stelle " * 20).strip()
    boundary = read(content).get_boundary()
    assert boundary
    assert boundary != read(message(draft())).get_boundary()
    assert content.count(boundary.encode()) == 5  # the header, three parts, the end
    assert email.message_from_bytes(content, policy=SMTP).as_bytes() == content


def test_names_and_subjects_of_any_length_and_letters_are_read_as_they_were_meant() -> None:
    draw = random.Random(7)
    for _ in range(200):
        text = " ".join(draw.choices(WORDS.split(), k=draw.randint(1, 16)))
        found = read(message(draft(subject=text, sender=Mailbox(text, "a@example.org"))))
        (sender,) = found["From"].addresses
        assert found["Subject"] == text
        # Python 3.11 puts a space between two encoded words of a name.
        assert sender.display_name.replace(" ", "") == text.replace(" ", "")


def test_nobody_and_nothing_is_needed() -> None:
    content = message(Draft("", "Hello"))
    found = read(content)
    assert (found["From"], found["To"], found["Subject"]) == (None, None, "")
    assert found.get_content() == "Hello\r\n"
    assert not found.is_multipart()
    half = read(message(Draft("half \ud800", "half \ud800")))
    assert (half["Subject"], half.get_content()) == ("half", "half ?\r\n")


def test_the_size_of_what_is_sent() -> None:
    files = [("small.pdf", os.urandom(1000)), ("b.pdf", os.urandom(2_000_000)),
             ("a.pdf", os.urandom(2_000_000)), ("large.pdf", os.urandom(3_000_000))]  # fmt: skip
    content = message(draft(attachments=tuple(files)))
    # What is sent is a third larger than the files.
    with pytest.raises(CvbuildError) as caught:
        check_size(content, files, 5, PLACE)
    (one,) = caught.value.diagnostics
    assert str(one) == (
        "applications/x.yaml:7:3: the message with its attachments has 9.6 MB, the limit is 5 MB; "
        "make the largest smaller: large.pdf (3.0 MB), a.pdf (2.0 MB), b.pdf (2.0 MB)"
    )
    check_size(content, files, 10)
    check_size(content, files, len(content) / 1e6)
    with pytest.raises(CvbuildError):
        check_size(content, files, (len(content) - 1) / 1e6)
