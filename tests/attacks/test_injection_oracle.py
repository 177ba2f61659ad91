"""No text of any field is code: all that it changes in a document or a header is text.

The oracle compares a document with that of a harmless word in the same place, without texts: what
is left of its TeX, of its page or of its file for Word is the same.
"""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from email.header import decode_header
from email.message import EmailMessage
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
import yaml
from attacks.table import named, rows
from attacks.text_fields import CASES, HARMLESS, WORDLESS, Field, fields, task_with, tex_of
from conftest import Run
from deep import sample
from lxml import etree
from markdown_it import MarkdownIt
from pydantic import BaseModel
from texlive import engine_of

from cvbuild.applications.packets.mail import Draft, Mailbox, message
from cvbuild.building import pipeline
from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.model.kinds import KINDS
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Shown, find_output

LIBRARY = Library.at()

#: In TeX: what the escaper writes, a command, or characters that mean nothing to TeX.
_TEX = re.compile(
    r"\\text(?:backslash|asciicircum|asciitilde|less|greater|bar|quotedbl|quotesingle|asciigrave)\{\}"
    r"|\\[{}#$%&_~-]|~|\\Cvb(?:AllowBreak|Inter|End|Rtl|Ltr|Break)\{\}"
    r"|(?P<code>\\(?:[A-Za-z]+|.)|\{\})|[^\\{}#$%&_^~\x01\x02\0]+",
    re.DOTALL,
)
#: Commands of Markdown, by how many arguments each has, which are texts.
_MARKUP = re.compile(
    r"\\Cvb(?:(?:Strong|Emph|Code|Sup|Sub|Mark|Address)@|(?:TextLink|Language|Actual|Script)@@"
    r"|Mirror@@@)".replace("@", r"\{(?:\.|\{\})*\}")
)
#: A dollar sign is a character of an address; a label is there if a grade doesn't say what it is.
_ADDRESS = re.compile(r"\{(?:https?|mailto|tel):[^{}]*")
_LABEL = ", label={Grade}"


def tex_code(tex: str) -> str:
    """TeX without escaped text and balanced markup; each text is a full stop."""
    tex = _ADDRESS.sub(lambda found: found[0].replace("$", ""), tex.replace(_LABEL, ""))
    code = _TEX.sub(lambda found: found["code"] or ".", tex)
    while (less := _MARKUP.sub(".", code)) != code:
        code = less
    return code.replace("{}", "").replace(".", "")


#: Elements that Markdown, the marks of an author or a text of another direction ask for.
_IN_TEXTS = frozenset(("a", "bdi", "br", "code", "em", "span", "strong", "sub", "sup"))


class _Elements(HTMLParser):
    """The elements of a page, but those in texts, and whatever could be code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in _IN_TEXTS:
            self.found.append((tag, *sorted(given)))
        elif tag == "a" and not re.match("https?:|mailto:|tel:", given.get("href") or ""):
            self.found.append(("code", str(given)))
        self.found += [("code", name) for name in given if name.startswith("on") or name == "style"]


_MARKDOWN = MarkdownIt("commonmark")
#: What is of texts in a file for Word: runs, their looks, and links.
_RUNS = frozenset(
    f"{{http://schemas.openxmlformats.org/wordprocessingml/2006/main}}{name}"
    for name in ("r", "rPr", "t", "b", "bCs", "i", "iCs", "rStyle", "rtl", "cs", "lang", "rFonts",
                 "vertAlign", "hyperlink", "br", "tab", "bidi")
)  # fmt: skip


def word_code(content: bytes) -> list[str]:
    """The elements of a file for Word but those of texts, and links to what is no page."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        body, links = (
            etree.fromstring(file.read(f"word/{name}"))
            for name in ("document.xml", "_rels/document.xml.rels")
        )
    found = [str(one.tag) for one in body.iter() if one.tag not in _RUNS]
    outside = [one.get("Target") for one in links if one.get("TargetMode") == "External"]
    return found + [one for one in outside if not re.match("https?:|mailto:|tel:", one)]


def markdown_code(text: str) -> list[str]:
    tokens = _MARKDOWN.parse(text)
    inside = [one.content for token in tokens for one in token.children or () if "html" in one.type]
    return [token.type for token in tokens] + [
        one for one in inside if one.strip("</>") not in _IN_TEXTS
    ]


def _shown(field: Field, text: str) -> Shown:
    return pipeline.choose(task_with(field, text))


def _made(name: str, shown: Shown) -> bytes:
    output: Any = find_output(name)
    content: bytes = output.make(shown).content
    return content


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[Shown], Any]]:
    """What of a document is code, in each format; compiled templates are kept in a folder."""
    folder = tmp_path_factory.mktemp("jinja")
    return {
        "TeX": lambda shown: tex_code(tex_of(shown, Setting(), folder)),
        "TeX in Unicode": lambda shown: tex_code(tex_of(shown, Setting(unicode=True), folder)),
        "html": lambda shown: _Elements(_made("html", shown).decode()).found,
        "md": lambda shown: markdown_code(_made("md", shown).decode()),
        "docx": lambda shown: word_code(_made("docx", shown)),
    }


#: What takes no words, or is in no document: of any model, or of one.
UNSHOWN = {
    "private", "id", "order", "priority", "keep", "tags", "include", "exclude", "kinds", "without",
    "since", "limit", "limits", "call", "template", "options", "formats", "locale", "photo",
    "signature", "updated", "numbering", "bib", "me", "orcid", "country", "birth_date",
    "Name.short", "Name.author", "Group.letter", "PublicationSection.authors", "Closing.date",
    "Letter.date", "Letter.file",
}  # fmt: skip


def models(value: Any) -> Iterator[BaseModel]:
    if isinstance(value, BaseModel):
        yield value
        yield from models(vars(value))
    elif isinstance(value, Mapping | tuple):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from models(inner)


def test_every_text_field_is_there(tmp_path: Path) -> None:
    assert len({field.name for field in fields()}) == len(fields())
    assert len(CASES) > 6_500
    given: dict[type[BaseModel], set[str]] = {}
    for field in fields():
        if field.name not in WORDLESS:
            task = task_with(field, HARMLESS)
            # Else the oracle would have nothing to look at.
            tex = tex_of(pipeline.choose(task), Setting(), tmp_path)
            assert HARMLESS in tex, field.name
            for one in models((task.profile, task.draft and task.draft.letter)):
                given.setdefault(type(one), set()).update(one.model_fields_set)
    assert {KINDS[kind].section for kind in KINDS} <= given.keys()
    for model, names in given.items():
        title = model.__name__.partition("[")[0]
        lacking = {name for name in model.model_fields.keys() - names if name not in UNSHOWN}
        assert {f"{title}.{name}" for name in lacking} <= UNSHOWN


def test_the_oracle_sees_code() -> None:
    harmless = tex_code(HARMLESS)
    for text in (
        "a\\_b\\textbackslash{}c\\{", "\\CvbStrong{a\\CvbEmph{b}}", "\\CvbTextLink{https://a\\#b}{c}",
        "a~b", "\\CvbMirror{a}{b}{c}", "a-{}-b",
    ):  # fmt: skip
        assert tex_code(text) == harmless, text
    for text in (
        "\\input{x}", "a}b", "{a", "\\CvbStrong{a", "\\CvbStrong{\\x}", "a%b", "$x$", "a_b", "^^M",
        "\\CvbTextLink{a}", "\\CvbLinkLabel{a}{b}", "\\textbackslash a", "#1", "\\textbf{}", "{a}",
        "\\\\{", "\\\\input",
    ):  # fmt: skip
        assert tex_code(text) != harmless, text


#: Cases whose payload has a character that means something to HTML and XML.
MARKED = [case for case in CASES if set("<&\"'") & set(case[1])]
#: No letter is Markdown.
CVS = [case for case in CASES if not case[0].letter]
#: Each format with its cases, and how many are drawn; a document for Word takes its time.
FORMATS = (
    ("TeX", CASES, 40), ("TeX in Unicode", CASES, 40),
    ("html", MARKED, 15), ("html", CASES, 5), ("md", CVS, 40), ("docx", MARKED[::7], 3),
)  # fmt: skip
MANY = 500
DRAWN = [
    pytest.param(name, drawn[at : at + MANY], id=f"{name} {most} {at}")
    for name, cases, most in FORMATS
    for drawn in [sample(cases, most, name)]
    for at in range(0, len(drawn), MANY)
]


@pytest.mark.parametrize(("name", "drawn"), DRAWN)
def test_no_text_is_code(
    name: str, drawn: list[tuple[Field, str]], formats: dict[str, Callable[[Shown], Any]]
) -> None:
    code, refused = formats[name], 0
    harmless: dict[str, Any] = {}
    for field, payload in drawn:
        try:
            found = code(_shown(field, payload))
        except CvbuildError as error:
            if any("report it" in str(one) for one in error.diagnostics):
                raise
            refused += 1
            continue
        assert field.name not in WORDLESS, f"{field.name} takes {payload!r}"
        if field.name not in harmless:
            harmless[field.name] = code(_shown(field, HARMLESS))
        assert found == harmless[field.name], f"{field.name}: {payload!r}"
    # All of three may be: those are drawn at random.
    assert len(drawn) < 10 or refused < len(drawn) * 2 / 3


SECRET_WORDS = "the-secret-of-the-file"


@pytest.mark.parametrize("engine", [pytest.param("pdflatex", marks=pytest.mark.deep), "embedded"])
def test_tex_runs_no_text(
    engine: str, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What becomes of every other text in every field is asked of the TeX above."""
    engine_of(engine)
    secret, owned = here / "secret.tex", here / "owned"
    secret.write_text(SECRET_WORDS, "utf-8")
    monkeypatch.setenv("HOME", str(here))
    (here / "work/people").mkdir(parents=True)
    monkeypatch.chdir(here / "work")
    texts = [
        text.replace("SECRET", str(secret)).replace("OWNED", str(owned))
        for text in rows("texts that act")
    ]
    # Tags make long documents slow.
    publications = [
        {"title": text, "authors": [{"name": f"A. {text} B"}], "marks": {text: text}}
        for text in texts[::3]
    ]
    sections = [
        {"kind": "bullets", "title": texts[5], "items": texts},
        {"kind": "publication", "items": publications},
    ]
    person = {"name": f"Ada {texts[0]}", "headline": texts[1], "sections": sections}
    text = yaml.safe_dump(person, allow_unicode=True, width=10**9)
    Path("people/ada.yaml").write_text(text, "utf-8")
    before = {path for path in here.rglob("*") if "out" not in path.parts}
    ran = run("build", "--engine", engine, "--driver", "direct", "-t", "academic")
    assert ran.code == 0, ran.err[:2000]
    assert {path for path in here.rglob("*") if "out" not in path.parts} == before
    with pypdfium2.PdfDocument("out/ada/academic.pdf") as document:
        text = "".join(page.get_textpage().get_text_bounded() for page in document)
    assert "secret.tex}" in text
    assert "__class__.__mro__ }}" in text
    assert not re.search(f"{SECRET_WORDS}|uid=|root:x|<class", text)
    with pikepdf.open("out/ada/academic.pdf") as pdf:
        raw = [bytes(obj.read_bytes()) for obj in pdf.objects if isinstance(obj, pikepdf.Stream)]
        notes = [note for page in pdf.pages for note in page.get("/Annots", [])]
        assert {str(note["/A"]["/S"]) for note in notes} <= {"/URI"}
    assert raw
    assert not [stream for stream in raw if SECRET_WORDS.encode() in stream]


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
