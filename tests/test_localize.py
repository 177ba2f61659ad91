"""One file, several languages."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from lettered import request_on
from papers import text_of
from profiles import DAY, person_of
from pypdfium2 import PdfDocument
from trees import tree
from workspaces import write

from cvbuild.building.pipeline import choose
from cvbuild.cli import main
from cvbuild.inputs import json_schema
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import localize, privacy
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import locales
from cvbuild.model.base import Shorthand
from cvbuild.model.text import language_tags
from cvbuild.outputs.types import Task
from cvbuild.selection.select import select
from cvbuild.view import builder

ADA = person_of("ada-languages")

ROOT = Path(__file__).resolve().parent.parent
HINT = "; write {en: …, de: …}"


def source(text: str = ADA) -> Source:
    return privacy.public(parse(text, "ada.yaml"))


def localized(tag: str | None, text: str = ADA) -> tuple[Any, list[str]]:
    read = source(text)
    made, texts = localize.localize(validate(read), tag)
    notes = texts.notes(read)
    assert {note.severity for note in notes} <= {"note"}
    return made, [str(note).replace("note: ", "") for note in notes]


def test_a_reader_of_german_gets_german() -> None:
    made, _ = localized("de")
    job, paper = made.sections[0].items[0], made.sections[1].items[0]
    assert made.locale == "de"
    assert str(made.headline) == "Forschungsingenieurin"
    assert [str(part) for part in made.summary] == ['Ich "baue" Dinge.', "Und mehr."]
    assert made.contact.email[0].label == "Arbeit"
    assert (str(job.title), str(job.bullets[0].text)) == ("Ingenieurin", "Gebaut.")
    assert str(paper.marks["*"]) == "gleich"
    assert (paper.date.text, paper.links[0].label) == ("im Druck", "Folien")
    fallen = {job.bullets[1].text.language, made.interests[0].name.language, paper.title.language}
    assert fallen == {"en", "fr"}
    assert made.interests[1].name.language is None


def test_what_is_not_there_is_named_with_its_place_and_what_was_taken() -> None:
    assert localized("de")[1] == [
        "ada.yaml:13:13: no German text; the French one is used; add de: …",
        "ada.yaml:22:19: no German text; the English one is used; add de: …",
        "ada.yaml:27:16: no German text; the French one is used; add de: …",
        "ada.yaml:13:43: 2 texts have no German version and stay as they are (also 24:13)" + HINT,
    ]
    # The two paragraphs of the summary are one block with one place.
    french = localized("fr")[1]
    assert len(set(french)) == len(french)
    assert "ada.yaml:5:3: no French text; the English one is used; add fr: …" in french
    assert localized(None)[1] == [
        "ada.yaml:13:13: no English text; the French one is used; add en: …",
        "ada.yaml:27:16: no English text; the French one is used; add en: …",
    ]


def test_nothing_is_noted_of_what_the_document_leaves_out() -> None:
    text = """\
name: Ada Example
summary: {en: Hello, de: Hallo}
variants:
  a: {exclude: x, titles: {award: {en: Prizes, ko: 상}}}
  b: {without: [award, summary]}
sections:
  - kind: award
    title: {en: Awards, ko: 수상}
    items:
      - {title: {en: First, ko: 첫째}}
      - {title: {en: Second, ko: 둘째}, tags: x}
  - {kind: skill, items: [{en: Cats, de: Katzen}]}
"""
    read = source(text)
    chosen = {}
    for name in ("a", "b"):
        person, request = Person("ada", Path("ada.yaml")), request_on(DAY, locale="de")
        notes = choose(Task(person, validate(read), read, "academic", request, name)).notes
        chosen[name] = [note.span.line for note in notes if note.span]
    # The variant's heading stands for the person's own.
    assert chosen == {"a": [4, 10], "b": []}


def test_many_plain_texts_are_one_note() -> None:
    points = "".join(f"      - Point {number}\n" for number in range(9))
    text = f"name: A\nsections:\n  - kind: bullets\n    title: T\n    items:\n{points}"
    (said,) = localized("fr", text)[1]
    assert said == (
        "ada.yaml:4:12: 10 texts have no French version and stay as they are"
        " (also 6:9, 7:9 and 7 more); write {en: …, fr: …}"
    )


def test_names_of_places_and_papers_may_stay_unmentioned() -> None:
    text = """\
    name: Ada Example
    sections:
      - kind: education
        items: [{institution: Example University, location: Springfield}]
      - kind: publication
        items: [{title: A paper, authors: [X], venue: A journal}]
    """
    assert localized("de", textwrap.dedent(text))[1] == []


def test_a_language_without_headings_says_so() -> None:
    text = "name: Ada Example\nlocale: hr\n"
    said = "there are no headings in Croatian; they are in English; give each section a title"
    assert localized(None, text)[1] == [f"ada.yaml:2:9: {said}"]
    assert localized("hr", "name: Ada Example\n")[1] == [said]


def test_a_person_is_found_among_authors_by_the_names_of_all_languages() -> None:
    for tag, name in (("en", "Ada Example"), ("ko", "유경인"), ("de", "Ada Example")):
        made, _ = localized(tag)
        assert made.name.display == name
        view = builder.build(select(made, {}), {})
        authors = view.sections[-1].groups[0].items[0].authors
        assert [author.me for author in authors] == [True, True, False], tag


def test_a_native_name_is_not_shown_twice() -> None:
    text = "name: {full: {en: Ada, ko: 유경인}, native: 유경인}\n"
    assert localized("en", text)[0].name.native == "유경인"
    assert localized("ko", text)[0].name.native is None


def test_a_section_of_prose_is_a_block_in_each_language() -> None:
    text = """\
    name: Ada Example
    sections:
      - kind: text
        items:
          en: |
            One.

            Two.
          fr: |
            Un.

            Deux.
      - kind: text
        items: {fr: Seul.}
    """
    made, notes = localized("fr", textwrap.dedent(text))
    shown = [[str(item.text) for item in section.items] for section in made.sections]
    assert (shown, notes) == ([["Un.", "Deux."], ["Seul."]], [])


@pytest.mark.parametrize(
    ("tags", "wanted", "chosen"),
    [
        (["en", "de"], "de-AT", "de"), (["en", "de-CH"], "de", "de-CH"),
        (["pt", "pt-BR"], "pt-BR", "pt-BR"), (["pt", "pt-BR"], "pt-PT", "pt"),
        (["zh", "zh-Hant"], "zh-TW", "zh-Hant"), (["zh-Hant"], "zh", None),
        (["sr"], "sr-Latn", None), (["iw"], "he", "iw"), (["en", "fr"], "de", None),
        (["DE-at"], "de-AT", "DE-at"),
    ],
)  # fmt: skip
def test_the_best_language_is_chosen(tags: list[str], wanted: str, chosen: str | None) -> None:
    assert language_tags.choose(tags, wanted) == chosen


def test_no_key_of_an_item_is_a_language() -> None:
    """So ``- {en: …, de: …}`` can mean one thing only."""
    short = [
        model
        for model in json_schema.models()
        if issubclass(model, Shorthand) and model.by_language
    ]
    assert len(short) >= 5
    for model in short:
        for key in {*model.model_fields, *(f.alias for f in model.model_fields.values())}:
            assert not language_tags.is_key(key), (model, key)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("en_US", "en-US"), ("german", "de"), ("jp", "ja"), ("cz", "cs"), ("kr", "ko"),
        ("de-XX", "de"), ("en-u-nu-latn", "en"), ("portugese", "pt"), ("klingon", None),
        ("x" * 10_000, None), ("", None),
    ],
)  # fmt: skip
def test_the_nearest_tag(word: str, meant: str | None) -> None:
    assert language_tags.nearest(word) == meant


@pytest.fixture
def workspace(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    text = ADA.replace("{en: Ada Example, ko: 유경인}", "Ada Example").replace("유경인, ", "")
    write("ada", text)
    return here


@pytest.mark.usefixtures("requires_embedded")
def test_both_languages_are_built_side_by_side(workspace: Path, run: Run) -> None:
    plain, german = run("build"), run("build", "--locale", "de", "--json")
    assert (plain.code, german.code) == (0, 0), plain.err + german.out
    files = {path.name for path in (workspace / "out" / "ada").iterdir()}
    assert files == {"academic.de.pdf", "academic.pdf"}
    said = german.json
    assert said["documents"][0]["path"] == "out/ada/academic.de.pdf"
    assert [note["code"] for note in said["notes"]].count("no-translation") == 3
    shown = text_of(Path("out/ada/academic.de.pdf"))
    for word in (
        "Forschungsingenieurin", "Arbeit", "Ich „baue“ Dinge.", "Profil", "Berufserfahrung",
        "März 2017 – heute", "Gebaut.", "English “alone”.", "gleich", "im Druck", "Folien",
        "Bases « de » données", "Publikationen",
    ):  # fmt: skip
        assert word in shown.replace("\u00a0", " "), word
    for word in ("Built", "Research engineer", "Experience", "present", "Secret"):
        assert word not in shown
    with PdfDocument("out/ada/academic.de.pdf") as document:
        assert document.get_metadata_value("Subject") == "Forschungsingenieurin"
        assert document.get_metadata_value("Keywords") == "Bases « de » données, Compilers"
    # What stays English says so to readers that speak.
    spans = tree(Path("out/ada/academic.de.pdf").read_bytes()).all("Span")
    assert ("en", "English “alone”.") in {(one.language, one.text()) for one in spans}
    english = text_of(Path("out/ada/academic.pdf"))
    assert "Mar 2017 – present" in english
    assert "Gebaut" not in english
    # Neither disturbs the other.
    again = run("build", "--json"), run("build", "--locale", "de", "--json")
    assert [ran.json["documents"][0]["cached"] for ran in again] == [True, True]
    # The person's own language by name is their document as ever.
    own = run("build", "--locale", "EN", "--json").json["documents"][0]
    assert (own["path"], own["cached"]) == ("out/ada/academic.pdf", True)
    # JSON Resume has the quotes that were typed, not those of the language.
    assert run("build", "--locale", "de", "--format", "json").code == 0


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
@pytest.mark.usefixtures("here")
def test_the_page_on_languages() -> None:
    page = (ROOT / "docs" / "how-to" / "languages.md").read_text("utf-8")
    listed = re.search(r"are there in\n(.*?)\.", page, re.DOTALL)
    assert listed
    assert set(re.split(r",\s+", listed[1])) == locales.known()
    text = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]
    made, notes = localized("de", text)
    assert (str(made.sections[0].title), notes) == ("Arbeit", [])
    (note,) = re.findall(r"^people/ada-example.yaml:(2:11: .*)$", page, re.MULTILINE)
    assert f"ada.yaml:{note.replace('note: ', '')}" in localized("fr", text)[1]
    lines = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0].splitlines()
    assert len(lines) == 3
    assert main.parser().parse_args(lines[0].split()[1:]).locale == "de"
    dry = subprocess.run(
        [*lines[1].split(), "-n", "-o", ".venv/.installed"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert 'build ${TEMPLATE:+--template="$TEMPLATE"}' in dry.stdout
    assert '${LOCALE:+--locale="$LOCALE"} ${PERSON:+-- "$PERSON"}' in dry.stdout
