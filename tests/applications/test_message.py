"""The draft as readers of mail see it; a CV as plain text has every fact, in its order."""

from __future__ import annotations

import email
import email.message
import os
import re
from email.policy import SMTP, default
from typing import Any

import pytest
from profiles import profile

from cvbuild.applications.mail import Draft, Mailbox, check_size, message
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.model import Profile
from cvbuild.model.kinds import KINDS
from cvbuild.outputs import text as plain_text
from cvbuild.selection.fit import units
from cvbuild.selection.select import select
from cvbuild.selection.selected import Selected
from cvbuild.view import builder
from cvbuild.view.types import Document

PLACE = Span("applications/x.yaml", 7, 3, 7, 9)
BODY = """\
Dear Dr Specimen,

I am writing to apply – with „quotes“, 유경인 and a line of more than seventy-eight characters.
From here on.
.
=_ is no boundary, nor is --=_

Yours sincerely
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
    assert content.count(boundary.encode()) == 5  # the header, three parts, the end
    assert email.message_from_bytes(content, policy=SMTP).as_bytes() == content


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


def document(made: Profile, **options: Any) -> Document:
    return builder.build(select(made, options), options)


def text(yaml: str, **options: Any) -> str:
    return plain_text.text(document(profile(yaml), **options))


def test_a_publication_and_its_number() -> None:
    found = text(KINDS["publication"].example)
    assert (
        "3. Ada Example*, Sam Specimen*, Grace Sample. Schedules that hold. "
        "Journal of Examples (JEx 2024). Best paper.\n"
        "[doi:10.1234/example.5678] https://doi.org/10.1234/example.5678, "
        "[arXiv:2401.00001] https://arxiv.org/abs/2401.00001, "
        "[PDF] https://example.org/paper.pdf\n"
    ) in found


def test_headings_are_in_capitals_of_their_language() -> None:
    turkish = text("locale: tr\nsections: [{kind: award, title: İlgi ışık, items: [{title: T}]}]")
    assert "\nİLGİ IŞIK\n" in turkish
    assert "ÜBER MICH" in text("locale: de\nsections: [{kind: text, items: Ja.}]")


def test_what_one_page_left_out_is_left_out() -> None:
    made = profile("sections: [{kind: award, items: [{title: First}, {title: Second}]}]")
    selected = select(made, {})
    (unit, *_) = [one for one in units(selected) if one.path == ("sections", 0, "items", 1)]
    cut = Selected(made, selected.sections, frozenset({unit.path}))
    found = plain_text.text(builder.build(cut, {}))
    assert "First" in found
    assert "Second" not in found


def test_a_paragraph_is_a_line() -> None:
    words = " ".join(["word"] * 500)
    assert f"\n{words}\n" in text(f"summary: {words}\nsections: []")
