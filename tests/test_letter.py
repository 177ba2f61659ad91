"""Cover letters: read with their places, shown in a language, set, tagged and read again."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Callable
from dataclasses import replace
from datetime import date as Day
from pathlib import Path

import outloud
import pikepdf
import pypdfium2
import pytest
from outloud.model import Document as Tagged
from outloud.rules._common import element_text
from pdfua.validator import validate
from PIL import Image
from texlive import demand_embedded, demand_fonts, demand_texlive

from cvbuild.building import batch, pipeline, plan
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.building.plan import Document
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError, ProfileError
from cvbuild.inputs import letters, localize, people
from cvbuild.inputs.letters import Draft, Written
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task
from cvbuild.selection import select
from cvbuild.view import letters as view_letters
from cvbuild.view.types import Letter

DOCS = Path(__file__).parent.parent / "docs" / "letters.md"
DAY = Day(2026, 3, 5)
EPOCH = 1700000000
ADA = """\
name: Ada Example
headline: Research engineer
contact:
  email: ada@example.org
  phone: +1 202 555 0123
photo: photo.png
options: {photo: true, embed: true, footer: Of the CV alone}
sections:
  - kind: text
    items: Of the CV alone.
"""
NOA = """\
name: נועה כהן
locale: he
contact: {email: noa@example.org}
"""
WHOLE = """\
recipient:
  name: Prof. Lin Example
  title: Director of Research
  organization: Example Institute & Sons
  address: |
    12 Example Street

    Springfield, EX 01234
subject: "Research Scientist, reference #42 (100 % open)"
signature: sig.png
enclosures: [CV, Transcript]
body: |
  I apply for the position on [your page](https://example.org/jobs/42), "with joy".

  I have

  - built a scheduler that **halves** the waiting time,
  - published on its *theory*.

  And:

  3. care,
  4. joy.

  I'd be glad to talk.
"""
SHORT = "recipient: {organization: Beispiel AG}\nbody: Ich freue mich.\n"
HEBREW = """\
recipient: {name: "ד״ר לוי", address: [רחוב 1, תל אביב]}
signature: sig.png
body: |
  אני כותבת בנוגע ל[משרה](https://example.org/jobs) בתחום machine learning.

  1. ראשון
  2. שני
"""


def source_of(letter: str, **others: str) -> Source:
    """An application's file with the letter, whose lines begin at the second one."""
    more = "".join(f"{key}: {value}\n" for key, value in others.items())
    return parse(f"letter:\n{textwrap.indent(letter, '  ')}{more}", "applications/a.yaml")


def read(letter: str) -> Written:
    return letters.read(source_of(letter))


def wrong(letter: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(letter)
    return [str(one).removeprefix("applications/a.yaml:") for one in caught.value.diagnostics]


# ------------------------------------------------------------------------------------ reading


def test_every_field_keeps_its_place() -> None:
    written = read(WHOLE)
    source = written.into(parse("name: Ada Example\n", "people/ada.yaml"))
    places: dict[FieldPath, str] = {
        ("name",): "people/ada.yaml:1:7",
        ("letter", "recipient", "name"): "applications/a.yaml:3:11",
        ("letter", "recipient", "address", 0): "applications/a.yaml:6:14",
        ("letter", "enclosures", 1): "applications/a.yaml:12:20",
        ("letter", "body"): "applications/a.yaml:13:9",
        ("letter", "body", 0, 0): "applications/a.yaml:14:5",
        ("letter", "body", 2, 1): "applications/a.yaml:19:7",
        ("letter", "body", 4, 1): "applications/a.yaml:24:8",
        ("letter", "closing"): "applications/a.yaml:2:3",
    }
    assert {path: str(source.span(path)) for path in places} == places
    assert written.letter.recipient
    assert written.letter.recipient.address == ("12 Example Street", "Springfield, EX 01234")
    assert written.letter.body
    assert [block.kind for block in written.letter.body.blocks] == [
        "paragraph", "paragraph", "bullets", "paragraph", "numbers", "paragraph",
    ]  # fmt: skip


def test_a_file_is_read_from_beside_and_has_its_own_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cover.md").write_text("\ufeffDear me,\r\n\r\n- a\r\n- b\r\n", encoding="utf-8")
    for text in ("letter: cover.md\n", "letter: {file: cover.md, closing: Bye}\n"):
        source = parse(text, "a.yaml")
        found = letters.markdown(source, tmp_path)
        assert found is not None
        assert found.path == tmp_path / "cover.md"
        written = letters.read(source, markdown=found)
        whole = written.into(parse("name: Ada", "ada.yaml"))
        assert str(whole.span(("letter", "body", 1, 1))) == "cover.md:4:3"
        assert str(whole.span(("letter", "file"))).startswith("a.yaml:1:")
    (tmp_path / "cover.md").write_text("one\n\n# two\n\nthree <b>\n", encoding="utf-8")
    with pytest.raises(ProfileError) as caught:
        letters.read(source, markdown=letters.markdown(source, tmp_path))
    assert [str(one) for one in caught.value.diagnostics] == [
        "cover.md:3:1: a letter has no headings; write a paragraph, perhaps in **bold**",
        "cover.md:5:7: a letter has no HTML; write Markdown, or a \\ before the <",
    ]
    assert letters.markdown(parse("letter: {body: a}", "a.yaml"), tmp_path) is None
    assert letters.markdown(parse("person: a", "a.yaml"), tmp_path) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.md", 'a.yaml:1:9: there is no file "none.md"'),
        ("../out.md", 'a.yaml:1:9: "../out.md" lies outside the folder'),
        ("/etc/passwd", 'a.yaml:1:9: "/etc/passwd" lies outside the folder'),
        ("link.md", 'a.yaml:1:9: "link.md" lies outside the folder'),
        (".", 'a.yaml:1:9: there is no file "."'),
    ],
)
def test_a_file_that_can_t_be_had(name: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "applications"
    folder.mkdir()
    (tmp_path / "out.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(ProfileError) as caught:
        letters.markdown(parse(f"letter: {name}\n", "a.yaml"), folder)
    assert str(caught.value) == f"{message}; name a Markdown file that lies beside this one"


def test_a_file_that_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = parse("letter: a.md\n", "a.yaml")
    for data, start in (
        (b"a\xff", "a.md:1:2: byte 0xFF is not UTF-8"),
        (b"a\nb\x07", "a.md:2:2: U+0007 (control character) can't be in a CV"),
        (b"a" * ((1 << 20) + 1), "a.md: the file is larger than 1 MiB"),
    ):
        (tmp_path / "a.md").write_bytes(data)
        with pytest.raises(ProfileError) as caught:
            letters.markdown(source, tmp_path)
        assert str(caught.value).startswith(start)


_FOLDED = (
    "YAML joins the lines of this text, and with them paragraphs and lists; "
    'write "body: |" and the text below it'
)
_EMPTY = 'the letter has no text; write "body: |" and the text below it, or "file: letter.md"'


@pytest.mark.parametrize(
    ("letter", "messages"),
    [
        ("closing: a\n", [f"2:3: {_EMPTY}"]),
        ("body: |\n\n", ["2:9: the letter has no text; write at least one paragraph"]),
        ("body: >\n  a\n\n  b\n", [f"2:9: {_FOLDED}"]),
        ("body: a\n  b\n", [f"2:9: {_FOLDED}"]),
        ("body: [a]\n", ["2:9: body must be a text, not a list; write one text"]),
        (
            "recipient: Lin\nbody: a\n",
            [
                (
                    "2:14: recipient must be a mapping of keys, not a text; "
                    "write name: Lin Example below it"
                )
            ],
        ),
        (
            "recipient: {title: a}\nbody: a\n",
            [
                (
                    "2:14: the recipient has no name and no organization; "
                    "add name: or organization: to it"
                )
            ],
        ),
        (
            "date: 2026-03\nbody: a\n",
            ['2:9: "2026-03" is not a full date; write a full date such as 2026-01-31'],
        ),
        ("date: 2026-02-30\nbody: a\n", ["2:9: 2026-02 has no day 30; look at the calendar"]),
        (
            "subjct: a\nbody: |\n  a\n\n      b\n",
            [
                '2:3: unknown key "subjct"; did you mean "subject"?',
                (
                    "6:9: a line that begins with four spaces or more is a block of code; "
                    "take the spaces away"
                ),
            ],
        ),
        (
            "body: |\n  a\n  # b\nopening: ''\n",
            [
                "4:5: a letter has no headings; write a paragraph, perhaps in **bold**",
                "5:12: opening is empty; write something, or leave the key out",
            ],
        ),
        (
            "body: '[a](ftp://example.org)'\n",
            [
                (
                    '2:9: a link can\'t be "ftp:", only http, https, mailto or tel; write '
                    "[words](https://example.org/page); a \\ before [ or < makes it plain text"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_letter(letter: str, messages: list[str]) -> None:
    assert wrong(letter) == messages


def test_a_letter_that_is_none(tmp_path: Path) -> None:
    for text, message in (
        ("letter: [a]\n", "1:9: the letter must be a mapping of keys, or the name of a file"),
        ("person: ada\n", f"1:1: {_EMPTY}"),
        ("letter:\n", f"1:8: {_EMPTY}"),
    ):
        with pytest.raises(ProfileError) as caught:
            letters.read(parse(text, "a.yaml"))
        assert str(caught.value).startswith(f"a.yaml:{message}")
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    source = parse("letter: {file: a.md, body: b}\n", "a.yaml")
    with pytest.raises(ProfileError) as caught:
        letters.read(source, markdown=letters.markdown(source, tmp_path))
    assert str(caught.value) == (
        "a.yaml:1:22: the letter has both a body and a file; keep one of them"
    )


def test_what_an_application_says_itself_serves_the_letter() -> None:
    shared: dict[str, FieldPath] = {"recipient": ("recipient",), "enclosures": ("enclosures",)}
    source = source_of("body: a\n", recipient="{name: Lin}")
    written = letters.read(source, shared=shared)
    assert written.letter.recipient
    assert written.letter.recipient.name == "Lin"
    whole = written.into(parse("name: Ada", "ada.yaml"))
    assert str(whole.span(("letter", "recipient", "name"))) == "applications/a.yaml:3:19"
    own = letters.read(source_of("recipient: {name: Max}\nbody: a\n", recipient="x"), shared=shared)
    assert own.letter.recipient
    assert own.letter.recipient.name == "Max"
    with pytest.raises(ProfileError) as caught:
        letters.read(source_of("body: a\n", recipient="{nam: Lin}"), shared=shared)
    assert str(caught.value).startswith('applications/a.yaml:3:13: unknown key "nam"')


def test_the_letter_of_the_page_is_sound() -> None:
    (text,) = re.findall(r"^```yml\n(.*?)^```", DOCS.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    letter = letters.read(parse(text, "docs.yaml")).letter
    told = re.findall(r"^\| `([a-z]+)` \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert told == list(type(letter).model_fields)
    unset = {name for name in told if not getattr(letter, name)}
    assert unset == {"file"}


# ------------------------------------------------------------------------------------ the view


def view(letter: str, locale: str = "en", position: str | None = None) -> Letter:
    profile = batch_profile(f"name: Ada Example\nlocale: {locale}\n")
    draft = Draft("a", read(letter).letter, Path(), DAY, position)
    return view_letters.build(select.select(profile, {}), draft)


def batch_profile(text: str) -> batch.Profile:  # type: ignore[name-defined]
    from cvbuild.inputs.validation import validate

    source = parse(text, "ada.yaml")
    return localize.localize(validate.validate(source), source)[0]


def test_what_nobody_wrote_is_in_the_words_of_the_language() -> None:
    named, plain = "recipient: {name: Lin Beispiel}\nbody: a\n", "body: a\n"

    def said(letter: str, locale: str) -> list[str]:
        shown = view(letter, locale, position="Research Scientist")
        parts = (shown.title, shown.date, shown.subject, shown.opening, shown.closing)
        return [str(part) for part in (*parts, shown.label, shown.signature)]

    assert said(plain, "en") == [
        "Cover letter, Ada Example", "March 5, 2026", "Application for Research Scientist",
        "Dear Hiring Committee,", "Sincerely,", "Enclosures", "Signature of Ada Example",
    ]  # fmt: skip
    assert said(named, "de") == [
        "Anschreiben, Ada Example", "5. März 2026", "Bewerbung als Research Scientist",
        "Guten Tag Lin Beispiel,", "Mit freundlichen Grüßen", "Anlagen",
        "Unterschrift: Ada Example",
    ]  # fmt: skip
    assert said(plain, "de")[3] == "Sehr geehrte Damen und Herren,"
    # Words in English say so, the date is that of the language.
    croatian = view(plain, "hr")
    assert (str(croatian.opening), croatian.opening.language) == ("Dear Hiring Committee,", "en")
    assert (str(croatian.date), croatian.date.language) == ("5. ožujka 2026.", None)
    assert view(plain).subject is None


def test_what_was_written_is_shown() -> None:
    shown = view('date: 2025-12-31\nopening: Hi,\nclosing: "It\'s me"\nbody: a\n', "de")
    assert [str(one) for one in (shown.date, shown.opening, shown.closing)] == [
        "31. Dezember 2025", "Hi,", "It’s me",
    ]  # fmt: skip
    whole = view(WHOLE)
    assert [str(line) for line in whole.recipient] == [
        "Prof. Lin Example", "Director of Research", "Example Institute & Sons",
        "12 Example Street", "Springfield, EX 01234",
    ]  # fmt: skip
    numbers = [[str(one.number) for one in block.texts] for block in whole.body]
    assert numbers == [["None"], ["None"], ["None"] * 2, ["None"], ["3", "4"], ["None"]]
    assert str(whole.body[0].texts[0].text).endswith("“with joy”.")


# ------------------------------------------------------------------------------------ templates


def test_letters_are_no_template_that_anybody_can_name(tmp_path: Path) -> None:
    library = Library.at()
    assert library.names() == ("academic", "industry", "one-page")
    for name in library.names():
        template = library.find(name)
        letter = library.letter(template)
        assert letter.name == "letter"
        assert letter.folders == (library.folders[-1] / "letter", *template.folders)
        assert (letter.manifest.pages, letter.manifest.density) == ("any", ())
        assert letter.manifest.options == template.manifest.options
    own = tmp_path / "letter"
    shutil.copytree(library.folders[-1] / "letter", own)
    found = Library.at(tmp_path)
    assert found.letter(found.find("academic")).folders[0] == own
    # With a manifest it is a template of CVs, whatever it is called.
    shutil.copy(library.folders[-1] / "academic" / "template.yaml", own)
    assert "letter" in found.names()
    assert found.letter(found.find("letter")).folders[:2] == (library.folders[-1] / "letter", own)


# ------------------------------------------------------------------------------------ documents

Make = Callable[..., Document]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two people, a photo and a signature."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "ada.yaml").write_text(ADA, encoding="utf-8")
    (folder / "noa.yaml").write_text(NOA, encoding="utf-8")
    Image.new("RGB", (30, 40), (200, 120, 90)).save(folder / "photo.png")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(folder / "sig.png")
    return folder


@pytest.fixture(scope="module")
def make(files: Path, tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Make:
    """``make(letter, person, template, engine, ...)``: a document, before TeX runs."""
    out = tmp_path_factory.mktemp("out")

    def made(  # noqa: PLR0913, PLR0917
        letter: str,
        person: str = "ada",
        template: str = "academic",
        engine: str = "pdflatex",
        locale: str | None = None,
        force: bool = False,
    ) -> Document:
        checked = profiles.check(people.Person(person, files / f"{person}.yaml"), Library.at())
        assert checked.profile is not None, checked.diagnostics
        assert checked.source is not None
        written = read(letter)
        task = Task(
            checked.person,
            checked.profile,
            written.into(checked.source),
            template,
            draft=Draft(f"{template}-{engine}", written.letter, files, DAY, "Research Scientist"),
        )
        settings = Settings(
            out, Library.at(), 0, EPOCH, engine=engine, timeout=600, cache=tex_cache,
            locale=locale, force=force,
        )  # fmt: skip
        return plan.prepare(task, settings)

    return made


def build(made: Document) -> Outcome:
    outcome = pipeline.build(made.task, made.settings)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


def text_of(pdf: Path) -> str:
    opened = pypdfium2.PdfDocument(pdf)
    try:
        pages = [page.get_textpage().get_text_bounded() for page in opened]
    finally:
        opened.close()
    return " ".join("\n".join(pages).split())


def elements(pdf: Path) -> list[tuple[str, str]]:
    """(tag, text) of the elements of a tagged PDF, in the order of its structure."""
    tagged = Tagged(str(pdf))
    try:
        return [(one.type, " ".join(element_text(tagged, one).split())) for one in tagged.elements]
    finally:
        tagged.close()


def check(pdf: Path) -> None:
    result = outloud.check(str(pdf))
    assert result.error is None
    assert result.stats["tagged"]
    assert result.findings == []
    report = validate(str(pdf))
    assert report.findings == ()
    assert len(report.outcomes) >= 10


def figure(pdf: Path) -> tuple[str, list[float]]:
    """The only picture's alternative text, and its box on the page in bp."""
    with pikepdf.open(pdf) as opened:
        found = [one for one in opened.objects if isinstance(one, pikepdf.Dictionary)]
        (alt,) = (str(one.Alt) for one in found if one.get("/S") == "/Figure")
        (box,) = ([float(side) for side in one.BBox] for one in found if "/BBox" in one)
    return alt, box


def lowest(pdf: Path, words: str) -> tuple[float, float]:
    """Where the words begin on the first page, at the lowest place that has them; in bp."""
    opened = pypdfium2.PdfDocument(pdf)
    try:
        text = opened[0].get_textpage()
        search = text.search(words)
        found: list[tuple[float, float]] = []
        while place := search.get_next():
            left, bottom, _, _ = text.get_charbox(place[0])
            found.append((left, bottom))
    finally:
        opened.close()
    return min(found, key=lambda place: place[1])


@pytest.fixture(scope="module")
def whole(make: Make) -> Path:
    """A letter with all there is, set by pdfLaTeX."""
    demand_texlive()
    outcome = build(make(WHOLE))
    assert outcome.diagnostics == outcome.notes == ()
    assert outcome.pages == 1
    assert outcome.path
    return outcome.path


def test_a_letter_says_all_in_its_order(whole: Path) -> None:
    assert whole.parts[-4:] == (".build", "applications", "academic-pdflatex", "letter.path")
    assert text_of(whole) == (
        "Ada Example Research engineer ada@example.org · +1 202 555 0123 "
        "Prof. Lin Example Director of Research Example Institute & Sons 12 Example Street "
        "Springfield, EX 01234 March 5, 2026 "
        "Research Scientist, reference #42 (100 % open) Dear Prof. Lin Example, "
        "I apply for the position on your page, “with joy”. I have "
        "• built a scheduler that halves the waiting time, • published on its theory. "
        "And: 3. care, 4. joy. I’d be glad to talk. Sincerely, Ada Example "
        "Enclosures: CV, Transcript"
    )
    with pikepdf.open(whole) as opened:
        assert str(opened.docinfo.Title) == "Cover letter, Ada Example"
        assert str(opened.docinfo.Subject) == "Research Scientist, reference #42 (100 % open)"
        assert str(opened.docinfo.CreationDate) == "D:20231114221320Z"
        assert len(opened.attachments) == 0
        links = [str(link.A.URI) for page in opened.pages for link in page.get("/Annots", [])]
    assert "https://example.org/jobs/42" in links
    # The head is the CV's, but for the photo.
    kept = whole.parent / "letter"
    assert (kept / "record.json").is_file()
    tex = (kept / "cv.tex").read_text(encoding="utf-8")
    assert "photo" not in tex
    assert "Of the CV alone" not in tex


def test_a_letter_is_tagged(whole: Path) -> None:
    check(whole)
    found = elements(whole)
    assert [one for one in found if re.fullmatch(r"H\d", one[0])] == [
        ("H1", "Ada Example"),
        ("H2", "Research Scientist, reference #42 (100 % open)"),
    ]
    assert [text for tag, text in found if tag == "Lbl"] == ["•", "•", "3.", "4."]
    tags = [tag for tag, _ in found]
    after = tags[tags.index("H2") :]
    items = ["L", "LI", "Lbl", "LBody", "LI", "Lbl", "LBody"]
    assert after == ["H2", "P", "P", "Link", "P", *items, "P", *items, "P", "P", "Figure", "P", "P"]
    alt, box = figure(whole)
    assert alt == "Signature of Ada Example"
    left, bottom, right, top = box
    assert (round(left), round(right - left)) == (65, round(16 * 3 / 25.4 * 72))
    assert round(top - bottom) == round(16 / 25.4 * 72)
    # Between the closing and the name below it.
    (_, closing), (_, name) = (lowest(whole, words) for words in ("Sincerely,", "Ada Example"))
    assert name < bottom < top < closing


def test_the_same_letter_has_the_same_bytes(whole: Path, make: Make) -> None:
    before = whole.read_bytes()
    assert build(make(WHOLE)).cached
    other = build(make(WHOLE.replace("glad", "happy")))
    assert not other.cached
    assert "I’d be happy to talk." in text_of(whole)
    assert not build(make(WHOLE)).cached
    assert whole.read_bytes() == before
    assert not build(make(WHOLE, force=True)).cached
    assert whole.read_bytes() == before


def test_a_letter_is_what_its_inputs_say(make: Make, files: Path) -> None:
    demand_embedded()
    first = make(WHOLE, engine="embedded")
    parts = first.parts()
    assert parts["updated"] == "2026-03-05"
    assert "field letter.body" in first.details()
    assert any(name.startswith("file letter/") for name in parts)

    def changed(other: Document) -> set[str]:
        found = other.parts()
        return {name for name in parts.keys() | found.keys() if parts.get(name) != found.get(name)}

    assert changed(make(WHOLE, engine="embedded")) == set()
    assert changed(make(WHOLE.replace("glad", "happy"), engine="embedded")) == {"text"}
    kept = (files / "sig.png").read_bytes()
    Image.new("RGB", (60, 20), "red").save(files / "sig.png")
    try:
        assert changed(make(WHOLE, engine="embedded")) == {"signature"}
    finally:
        (files / "sig.png").write_bytes(kept)
    late = make(WHOLE.replace("subject:", "date: 2026-04-01\nsubject:"), engine="embedded")
    assert changed(late) == {"text", "updated"}
    settings = replace(late.settings, epoch=None)
    assert replace(late, settings=settings).date(None) == 1775001600  # 2026-04-01
    assert late.task.day is not None


def test_a_german_letter_without_tags_or_signature(make: Make) -> None:
    demand_embedded()
    made = make(SHORT, template="one-page", engine="embedded", locale="de")
    # Of the texts that have no German only the headline is in a letter.
    assert [one.message for one in made.notes if one.code == "untranslated"] == [
        "1 text has no German version and stays as it is"
    ]
    outcome = build(made)
    assert outcome.path
    assert text_of(outcome.path) == (
        "Ada Example Research engineer ada@example.org · +1 202 555 0123 Beispiel AG 5. März 2026 "
        "Bewerbung als Research Scientist Sehr geehrte Damen und Herren, Ich freue mich. "
        "Mit freundlichen Grüßen Ada Example"
    )
    with pikepdf.open(outcome.path) as opened:
        assert str(opened.docinfo.Title) == "Anschreiben, Ada Example"


def test_a_letter_of_two_pages_says_so(make: Make) -> None:
    demand_embedded()
    more = "".join(f"  Paragraph {n} {'goes on ' * 40}\n\n" for n in range(12))
    letter = f"recipient: {{name: Lin}}\nbody: |\n{more}  The end.\n"
    outcome = build(make(letter, template="industry", engine="embedded"))
    assert [str(one) for one in outcome.diagnostics] == [
        (
            "applications/a.yaml:3:9: note: the letter takes 2 pages; "
            "one page is usual: make the text shorter"
        )
    ]
    assert outcome.path
    opened = pypdfium2.PdfDocument(outcome.path)
    try:
        last = opened[1].get_textpage().get_text_bounded()
    finally:
        opened.close()
    lines = [" ".join(line.split()) for line in last.splitlines()]
    assert {"Ada Example 2/2", "Ada Example", "2/2"} & set(lines)
    # Closing and name don't stand alone on a page.
    assert lines.index("The end.") < lines.index("Sincerely,")


def test_a_letter_from_right_to_left(make: Make) -> None:
    demand_fonts()
    outcome = build(make(HEBREW, person="noa", template="industry", engine="lualatex"))
    assert outcome.diagnostics == ()
    assert outcome.path
    check(outcome.path)
    alt, (left, _, right, _) = figure(outcome.path)
    assert alt == "חתימה: נועה כהן"
    # At the right margin of an A4 page.
    assert (round(right), round(right - left)) == (round((210 - 21) / 25.4 * 72), 136)
    assert [text for tag, text in elements(outcome.path) if tag == "H1"] == ["נועה כהן"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.png", 'there is no signature "none.png"'),
        ("../sig.png", 'the signature "../sig.png" lies outside the folder'),
        ("ada.yaml", '"ada.yaml" is not a PNG or JPEG picture'),
    ],
)
def test_a_signature_that_can_t_be_had(name: str, message: str, make: Make) -> None:
    demand_embedded()
    with pytest.raises(CvbuildError) as caught:
        make(f"signature: {name}\nbody: a\n", engine="embedded")
    assert str(caught.value) == (
        f"applications/a.yaml:2:14: {message}; name a PNG or JPEG file that lies beside this one"
    )


def test_text_never_becomes_code(make: Make) -> None:
    demand_embedded()
    letter = """\
recipient: {organization: '\\input{/etc/passwd} & {{ 1 }} << 2 >>'}
subject: '\\def\\x{y} %#_^~$'
body: '\\\\immediate\\\\write18{ls} <% set a = 1 %> 100 % of $x_1$'
"""
    outcome = build(make(letter, template="academic", engine="embedded"))
    assert outcome.path
    text = text_of(outcome.path)
    for shown in (
        r"\input{/etc/passwd} & {{ 1 }} << 2 >>",
        r"\def\x{y} %#_^~$",
        r"\immediate\write18{ls} <% set a = 1 %> 100 % of $x_1$",
    ):
        assert shown in text
