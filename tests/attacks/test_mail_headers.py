"""No text of an application becomes a header of the message, or another text than was written."""

from __future__ import annotations

import base64
import email
import email.policy
import re
from collections.abc import Callable
from email.header import decode_header
from email.message import EmailMessage

import attack_counts
import pytest

from cvbuild.applications.packet.email import Draft, Mailbox, message
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError

ATTACKS = "Mail"
PLACE = Span("applications/x.yaml", 3, 11, 3, 20)
PLACES = dict.fromkeys(("From", "To", "Subject"), PLACE)
PDF = b"%PDF-1.7\n\r\n--=_\n.\nFrom me"


def b(data: bytes) -> str:
    return f"=?utf-8?b?{base64.b64encode(data).decode()}?="


BCC = b"\r\nBcc: evil@e.org"
#: Whatever has "=?" is refused, whatever comes after it.
PAYLOADS = {
    "the one that was found": "Scientist =?utf-8?b?DQpCY2M6IGV2aWxAZS5vcmc=?=", "alone": b(BCC),
    "q": "=?utf-8?q?=0D=0ABcc:_evil@e.org?=", "no end": "=?utf-8?b?DQpCY2M6IGV2aWxAZS5vcmc=",
    "inside a word": f"a{b(BCC)}b", "in quotation marks": f'"{b(BCC)}"',
    "inside another": b(b(BCC).encode()), "marks alone": "=? ?= =?=?=",
    "the first half": "Scientist =?utf-8?b?DQpC", "the second half": "Y2M6IGV2aWxAZS5vcmc=?=",
    "folded": "Scientist\r\nBcc: evil@e.org",
    "folded with a space": "Scientist\r\n Bcc: evil@e.org",
    "folded with a tab": "Scientist\r\n\tBcc: evil@e.org",
    "line feed alone": "Scientist\nBcc: evil@e.org",
    "carriage return alone": "Scientist\rBcc: evil@e.org",
    "wrong order": "Scientist\n\rBcc: evil@e.org",
    "blank lines": "Scientist\r\n\r\n--=_x\r\n\r\nbody", "nul": "Scientist\0Bcc: evil@e.org",
    "vertical tab": "Scientist\vBcc: evil@e.org", "form feed": "Scientist\fBcc: evil@e.org",
    "separators of files": "Scientist\x1c\x1d\x1e\x1fBcc: evil@e.org",
    "next line": "Scientist\x85Bcc: evil@e.org", "line separator": "Scientist\u2028Bcc: evil@e.org",
    "paragraph separator": "Scientist\u2029Bcc: evil@e.org",
    "half a character": "Scientist \ud800 Bcc",
    "right to left": "Scientist \u202egro.e@live\u202c \u200f\u2067x\u2069",
    "a space without width": "Sci\u200bentist", "a byte order mark": "\ufeffScientist",
    "joiners": "علی\u200cرضا", "a long word": "a" * 3000,
    "a long word of other letters": "é" * 3000, "many words": "word " * 400,
    "a quotation mark": 'Ada "Bcc" Example', "an open quotation mark": '"Scientist',
    "backslashes": "a\\b\\\\\\", "an escaped quotation mark": 'a\\"b',
    "brackets": "Scientist (Bcc: evil@e.org)", "an open bracket": "Scientist (((",
    "angles": "Scientist <evil@e.org>",
    "a list of addresses": "Scientist, evil@e.org, Eve <eve@e.org>;",
    "a group": "Group: evil@e.org, eve@e.org;", "colons": "Bcc: evil@e.org",
    "punctuation": "!#$%&'*+-/=?^_`{|}~ .,:;@[]", "other letters": "Zoë 유경인 Łukasz 👩\u200d🔬",
    "marks on letters": "e\u0301\u0327", "wide spaces": "a\u00a0b\u3000c\u2003d",
    "a percent sign": "100% =3D =20", "nothing": "", "blank": " \t ",
}  # fmt: skip
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


def raw(content: bytes) -> list[tuple[str, str]]:
    """The headers by nothing but RFC 5322: lines, and lines that begin with a space."""
    head = content.partition(b"\r\n\r\n")[0].decode("ascii")
    assert "\n" not in head.replace("\r\n", "")
    assert "\r" not in head.replace("\r\n", "")
    lines = re.sub(r"\r\n(?=[ \t])", "", head).split("\r\n")
    return [(name, value.removeprefix(" ")) for name, _, value in (x.partition(":") for x in lines)]


def decoded(value: str) -> str:
    return "".join(
        part.decode(charset or "ascii") if isinstance(part, bytes) else part
        for part, charset in decode_header(value)
    )


def name_of(phrase: str) -> str:
    """A mailbox's name, in quotation marks or encoded."""
    phrase = phrase.rstrip(" ")
    if phrase.startswith('"'):
        return re.sub(r"\\(.)", r"\1", phrase[1:-1])
    return decoded(phrase)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_text_is_shown_as_it_was_written(payload: str, field: str) -> None:
    draft = drafted(field, payload)
    if "=?" in shown(draft.attachments[0][0] if field == "file" else payload):
        with pytest.raises(CvbuildError, match="which mail programs decode"):
            message(draft, PLACES)
        return
    content = message(draft, PLACES)
    headers = raw(content)
    assert sorted(name for name, _ in headers) == [
        "Content-Type", "From", "MIME-Version", "Subject", "To", "X-Unsent",
    ]  # fmt: skip
    assert max(map(len, content.split(b"\r\n"))) <= 998
    assert decoded(dict(headers)["Subject"]) == shown(draft.subject)
    found = email.message_from_bytes(content, policy=email.policy.default)
    assert found["Subject"] == shown(draft.subject)
    for header, mailbox in (("From", draft.sender), ("To", draft.recipient)):
        (one,) = found[header].addresses
        assert mailbox is not None
        # Python 3.11 sets a space between two encoded words of a name.
        assert "".join(one.display_name.split()) == "".join(shown(mailbox.name).split())
        assert one.addr_spec == mailbox.address
        phrase, _, address = f" {dict(headers)[header]}".rpartition(" ")
        assert name_of(phrase.strip()) == shown(mailbox.name)
        assert address.strip("<>") == mailbox.address
    (file,) = found.iter_attachments()
    assert file.get_filename() == shown(draft.attachments[0][0])
    assert file.get_content() == PDF
    assert sorted(file.keys()) == [
        "Content-Disposition", "Content-Transfer-Encoding", "Content-Type", "MIME-Version",
    ]  # fmt: skip
    assert "Bcc" not in {key for part in found.walk() for key in part}
    assert len([*found.walk()]) == 3
    assert email.message_from_bytes(content, policy=email.policy.compat32)["Bcc"] is None


def test_two_payloads_in_a_text(tried: Callable[[int], None]) -> None:
    """Each behind, in front of, or inside of another, in a random field."""
    pairs = [(one, other) for one in PAYLOADS.values() for other in PAYLOADS.values()]
    drawn = attack_counts.sample(pairs, 150, "mail")
    for number, (one, other) in enumerate(drawn):
        joined = (f"{one} {other}", f"{one}{other}", f"{one[:9]}{other}{one[9:]}")[number % 3]
        test_a_text_is_shown_as_it_was_written(joined, FIELDS[number % len(FIELDS)])
    tried(len(drawn))


@pytest.mark.parametrize(
    "address",
    [
        "a(evil)@b.org", "(evil)a@b.org", "a@b.org(evil)", "a@(evil)b.org", '"a b"@c.org',
        '"a"@c.org', "a..b@c.org", ".a@c.org", "a.@c.org", "a@c..org", "a@.c.org", "a@-c.org",
        "a@c-.org", "a@[127.0.0.1]", "a,b@c.org", "a;b@c.org", "a:b@c.org", "a\\b@c.org",
        "<a@b.org>", "Eve <a@b.org>", "a@b@c.org", "a@b.org,eve@e.org", "a@b.org\nBcc: e@e.org",
        "=?utf-8?q?a?=@b.org", b(b"eve@e.org") + "@b.org", "a@=?utf-8?q?b?=.org", "é@b.org",
        "a\u200b@b.org", "a@b\u200b.org", "a\0@b.org", "a\ud800@b.org", "a@\ud800.org",
        "a@b\u2028.org", "ａ@b.org", "a@ｂ.org", "a@straße.example", "a@b。org",
        "", "a", "@b.org", "a@", "a@b.org\r\nBcc: x@y.org", "a b@c.org", "a@" + "x" * 70 + ".org",
        "a" * 65 + "@b.org",
        "a@" + "b." * 130 + "org", "a@" + "b" * 64 + ".org", "a@b.org?bcc=e@e.org", "a @b.org",
    ],
)  # fmt: skip
@pytest.mark.parametrize("who", ["sender", "recipient"])
def test_an_address_that_could_be_read_otherwise(address: str, who: str) -> None:
    draft = Draft("x", "Hello", **{who: Mailbox("A", address)})  # type: ignore[arg-type]
    with pytest.raises(CvbuildError) as caught:
        message(draft, PLACES)
    (one,) = caught.value.diagnostics
    assert (one.code, one.span) == ("email", PLACE)
    assert one.hint


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("a+b@c.org", "a+b@c.org"), ("a.b-c_d@e-f.co.uk", "a.b-c_d@e-f.co.uk"),
        ("O'Brien@c.org", "O'Brien@c.org"), (" a@b.org ", "a@b.org"), ("A@B.ORG", "A@B.ORG"),
        ("a@bücher.example", "a@xn--bcher-kva.example"),
        ("a@Bücher.example", "a@xn--bcher-kva.example"),
        ("a@例え.jp", "a@xn--r8jz45g.jp"), ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
        ("{}=@c.org", "{}=@c.org"),
    ],
)  # fmt: skip
def test_an_address_that_can_only_be_read_so(address: str, meant: str) -> None:
    content = message(Draft("x", "Hello", recipient=Mailbox("A", address)), PLACES)
    found = email.message_from_bytes(content, policy=email.policy.default)
    assert found["To"].addresses[0].addr_spec == meant


@pytest.mark.parametrize(
    "broken",
    [
        (b"Subject: x\r\n", b"Subject: y\r\n"),
        (b"Subject: x\r\n", b"Subject: x\r\nBcc: evil@e.org\r\n"),
        (b"X-Unsent: 1\r\n", b"Bcc: evil@e.org\r\nX-Unsent: 1\r\n"),
        (b"<a@b.org>", b"<a@b.org>, <evil@e.org>"),
        (b"<a@b.org>", b"<evil@e.org>"),
        (b"Hello", b"Hallo"),
        (b"JVBERi0", b"JVBERi1"),
        (b'"CV.pdf"', b'"CV.exe"'),
        (b"Subject: x\r\n", b"Subject: =?utf-8?b?DQpCY2M6IGV2aWxAZS5vcmc=?=\r\n"),
        (b"Subject: x\r\n", b""),
        (b"Subject: x\r\n", b"Subject: x\r\n" + b" " * 999 + b"\r\n"),
        (b"\r\n\r\n--", b"\r\n\r\n"),
    ],
)
def test_what_reads_otherwise_is_refused_whatever_wrote_it(
    broken: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_bytes = EmailMessage.as_bytes
    monkeypatch.setattr(EmailMessage, "as_bytes", lambda mail: as_bytes(mail).replace(*broken))
    with pytest.raises(CvbuildError) as caught:
        message(drafted("subject", "x"), PLACES)
    (one,) = caught.value.diagnostics
    assert (one.code, bool(one.hint)) == ("message", True)
