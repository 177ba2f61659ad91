"""The draft as readers of mail see it, and its files: names that no system refuses; greetings."""

from __future__ import annotations

import email
import email.message
import os
import re
import string
from email.policy import SMTP, default
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from told import rows

from cvbuild.applications.documents import check_greetings
from cvbuild.applications.mail import (
    DEFAULT,
    FIELDS,
    Draft,
    Mailbox,
    check_size,
    distinct,
    file_name,
    file_names,
    message,
)
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.letter import Body, parse
from cvbuild.model.locales import known, table

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


NAME_PLACE = Span("applications/x.yaml", 3, 11, 3, 30)
FULL = {"name": "Gyeong-In Yu", "kind": "CV", "position": "Research Scientist"}


def said(pattern: str, **fields: str) -> str:
    with pytest.raises(CvbuildError) as caught:
        file_name(pattern, fields or FULL, span=NAME_PLACE)
    (one,) = caught.value.diagnostics
    assert (one.code, one.span) == ("file-name", NAME_PLACE)
    return str(one).removeprefix("applications/x.yaml:3:11: ")


@pytest.mark.parametrize(
    ("pattern", "fields", "name"),
    [
        (DEFAULT, FULL, "Gyeong-In-Yu_CV_Research-Scientist.pdf"),
        (DEFAULT, {**FULL, "position": ""}, "Gyeong-In-Yu_CV.pdf"),
        (DEFAULT, {"kind": "CV"}, "CV.pdf"), (DEFAULT, {}, "Document.pdf"),
        ("{family}.{kind}.pdf", {"family": "Yu", "kind": "Cover-Letter"}, "Yu.Cover-Letter.pdf"),
        ("Bewerbung – {name}", FULL, "Bewerbung-Gyeong-In-Yu.pdf"),
        ("{name}", {"name": "Zoë O’Brien-Łukasz, Ph.D."}, "Zoe-OBrien-Lukasz-Ph.D.pdf"),
        ("{name}", {"name": "유경인"}, "YuGyeongIn.pdf"),
        ("{name}", {"name": "何清"}, "HeQing.pdf"),
        ("{name}", {"name": "Ελένη Παπαδοπούλου"}, "Eleni-Papadopoyloy.pdf"),
        ("{name}", {"name": "Ｗｉｄｅ"}, "Wide.pdf"),
        ("{position}", {"position": "C++ / Node.js (Sr.) & more"}, "C-Node.js-Sr-more.pdf"),
        ("{name}", {"name": "../../etc/passwd"}, "etc-passwd.pdf"),
        ("{name}", {"name": "-rf .hidden"}, "rf-hidden.pdf"),
        ("{name}", {"name": "con"}, "Document-con.pdf"),
        ("{name}", {"name": "Lpt1.x"}, "Document-Lpt1.x.pdf"),
        ("{name}", {"name": "{kind}\n\0\u202e"}, "kind.pdf"),
        ("{name}", {"name": "🎉"}, "tada.pdf"),
    ],
)  # fmt: skip
def test_names(pattern: str, fields: dict[str, str], name: str) -> None:
    assert file_name(pattern, fields) == name


def test_another_extension() -> None:
    assert file_name(DEFAULT, FULL, ".txt") == "Gyeong-In-Yu_CV_Research-Scientist.txt"
    assert file_name("{name}.PDF", FULL, ".pdf") == "Gyeong-In-Yu.pdf"


def test_a_long_name_loses_words_and_keeps_its_kind_and_extension() -> None:
    long = {**FULL, "position": "Senior Research Scientist for " + "Very Large Systems " * 10}
    name = file_name(DEFAULT, long)
    assert len(name) <= 80
    assert re.fullmatch(
        r"Gyeong-In-Yu_CV_Senior-Research-Scientist-for(-Very|-Large|-Systems)+\.pdf", name
    )
    one = file_name(DEFAULT, {"name": "x" * 300, "kind": "Cover-Letter", "position": "y" * 300})
    assert len(one) <= 80
    assert re.fullmatch(r"x+_Cover-Letter_y+\.pdf", one)
    assert len(file_name("a" * 300 + "{kind}", FULL)) == 80


def test_whatever_is_written_it_is_the_name_of_a_file() -> None:
    characters = [*map(chr, range(0x400)), "\ud800", "\U0001f600", *string.printable]
    for number, one in enumerate(characters):
        for value in (one, one * 90, f"a{one}b", f"{one}.", f".{one}"):
            name = file_name(
                DEFAULT, {"name": value, "kind": "CV", "position": characters[-number]}
            )
            assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*\.pdf", name), (value, name)
            assert len(name) <= 80
            assert ".." not in name
            assert PurePosixPath(name).name == PureWindowsPath(name).name == name


def test_bad_patterns_say_what_is_meant() -> None:
    assert said("{nmae}") == 'unknown field "nmae" in "{nmae}"; did you mean "name"?'
    assert said("{zzz}").endswith(f"; fields: {', '.join(FIELDS)}")
    for evil in ("{name.__class__}", "{name!r}", "{name:>99999}", "{0}", "{}", "{ name }"):
        assert "unknown field" in said(evil)
    for broken in ("{name", "name}", "{{name}}", "{na{me}}"):
        assert "has an unmatched brace" in said(broken)
    for leaving in ("../{name}", "{name}/{kind}", "a\\{name}", "~{name}", "{name}..{kind}"):
        assert "leads out of the folder" in said(leaving)


def test_every_field_is_known_to_the_parser() -> None:
    assert file_name("".join(f"{{{name}}}" for name in FIELDS), dict.fromkeys(FIELDS, "x"))


def test_two_documents_never_have_one_name() -> None:
    kinds = ("CV", "Cover-Letter", "Application")
    documents = [{**FULL, "kind": kind} for kind in kinds]
    assert len(set(file_names(DEFAULT, documents))) == 3
    with pytest.raises(CvbuildError) as caught:
        file_names("{name}", documents, span=NAME_PLACE)
    assert str(caught.value) == (
        "applications/x.yaml:3:11: two documents would have the same file name: "
        '"Gyeong-In-Yu.pdf"; put {kind} into the pattern'
    )
    with pytest.raises(CvbuildError, match=r'same file name: "cv\.pdf"'):
        file_names("cv", documents)
    with pytest.raises(CvbuildError, match=r'"a\.pdf" and "A\.pdf"'):
        distinct(["a.pdf", "b.pdf", "A.pdf"], NAME_PLACE, "")


BOTH = ["letter-opening", "letter-closing"]


def greetings(text: str) -> list[str]:
    node = Node((3, 1, 4, 1), None, {}, "a.yaml")
    source = Source("a.yaml", "", node).grafted(PATH, node)
    body = Body(parse(text)[0])
    diagnostics = list(check_greetings(body, source))
    assert all(str(one).startswith("a.yaml:3:1: warning: the letter gets") for one in diagnostics)
    assert all(one.hint for one in diagnostics)
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(("letter", "own"), rows("applications/greetings.txt"))
def test_what_is_a_second_greeting_or_closing(letter: str, own: str) -> None:
    _, _, text = letter.rstrip("\n").partition("\n")
    assert greetings(text) == [f"letter-{word}" for word in own.split() if word != "neither"]


#: Greetings of these end with no mark.
UNMARKED = {"da", "et", "ja", "ko", "th"}


@pytest.mark.parametrize("locale", sorted(known() - UNMARKED))
def test_the_words_of_each_language_are_known(locale: str) -> None:
    words = table(locale).words
    opening, closing = words["letter-opening-name"].format(name="Lin"), words["letter-closing"]
    assert greetings(f"{opening}\n\nText.\n\n{closing}\\\nAda Example") == BOTH
    assert greetings(f"{words['letter-opening']}\n\nText.") == BOTH[:1]
