"""The facts that travel with a PDF: as JSON Resume, attached, given back; nothing private.

Longer than most: one person with every field, and what becomes of each, stand side by side.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deep
import jsonschema
import pikepdf
import pytest
from conftest import Run
from profiles import public as public_profile
from pydantic import BaseModel
from secret_search import in_pdf
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.cli.commands import extract
from cvbuild.inputs import people
from cvbuild.model import Profile
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.text import rich_text
from cvbuild.outputs.jsonresume import export, items
from cvbuild.outputs.pdf.about import ATTACHMENT
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task
from cvbuild.selection.select import select

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "pdf.md"
EPOCH = 1_700_000_000
#: All kinds, and something private at every level; what is private says so.
FULL = """\
name:
  given: Ada
  family: Example
  native: Éda Exámple
  short: NOT-SHOWN-1
  author: [NOT-SHOWN-2]
  others: [{label: nickname, name: Addie}]
headline: Engineer of *engines*
contact:
  email:
    - {address: secret@private.example, private: true}
    - {address: ada@example.org, label: work}
    - ada@home.example
  phone: [{number: +1 202 555 0199, private: true}, +1 202 555 0123]
  address: London, [United Kingdom](https://gov.uk)
  website: [https://ada.example, https://ada2.example]
  profiles: {github: ada, orcid: 0000-0002-1825-0097, personal: https://about.example/ada}
summary: |
  First **paragraph**.

  Second paragraph, see [the notes](https://notes.example/a%20b).
interests: [Looms, "[Numbers](https://numbers.example)"]
locale: en-GB
updated: 2024-02-29
options: {embed: true, publications: 1}
sections:
  - kind: text
    title: About
    items: ["A paragraph of [prose](https://prose.example)", {text: SECRET text, private: true}]
  - kind: bullets
    title: Points
    items: [Loose point]
    groups: [{title: Set, note: Set note, items: [Point of a set]}]
  - {kind: keywords, title: Methods, items: [Induction, {text: SECRET word, private: true}]}
  - {kind: keywords, items: [Lonely keyword]}
  - kind: education
    items:
      - institution: University
        degree: Ph.D.
        area: Mathematics
        location: Cambridge
        date: 2017-03 to present
        advisor: [Prof. A, Prof. B]
        grade: "4.2"
        thesis: On *Engines*
        url: https://uni.example
        notes: [A note, {text: SECRET note, private: true}]
  - kind: experience
    items:
      - employer: Several Roles Ltd
        department: Mills
        location: Leeds
        summary: Makes mills
        mentor: Mr. M
        roles:
          - {title: Chief, date: 2022 to present, bullets: [Led, {text: SECRET led, private: true}]}
          - {title: SECRET role, date: 2021, private: true}
          - {title: Hand, date: Fall 2019 to Spring 2020, location: York, summary: Helped}
      - {employer: One Role Ltd, title: Clerk, date: 2018, bullets: [Filed]}
      - {employer: SECRET employer, private: true}
  - kind: project
    items:
      - name: Difference Engine
        role: Lead
        organization: Royal Society
        location: Workshop
        date: 2016-01-02 to 2016-12-31
        url: https://engine.example
        links: [{label: Code, url: "https://code.example"}, Slides]
        summary: It counts
        keywords: [brass, cogs]
        bullets: ["Built with [brass](https://brass.example)"]
  - kind: publication
    note: "* equal contribution"
    groups:
      - title: Journals
        items:
          - title: Notes on the Engine
            authors: [Ada Example*, L. Menabrea]
            marks: {"*": equal contribution}
            venue: Taylor's Scientific Memoirs
            short-venue: Memoirs
            date: 1843-09
            doi: 10.1000/182
            arxiv: 2403.11421
            note: Best paper
          - {title: Second paper, date: 1842, arxiv: 2403.11422}
      - {title: SECRET group, private: true, items: [{title: SECRET paper}]}
  - kind: patent
    items: [{title: A loom, inventors: [A. Example], number: GB 1, status: granted, date: 1840}]
  - kind: award
    items:
      - {title: Medal, awarder: Society, location: Hall, date: 2011 to 2013, summary: For sums}
      - {title: Ribbon, date: {text: while young}, url: https://ribbon.example}
  - kind: talk
    items: [{title: Sums aloud, type: Keynote, event: Congress, date: Summer 2012, summary: Loud}]
  - kind: teaching
    items: [{course: Sums I, role: Lecturer, instructor: Prof. C, institution: School, date: 2010}]
  - kind: service
    items: [{role: Reviewer, organization: Journal, date: 2009, summary: Read much}]
  - kind: skill
    items: [{name: Programming, level: expert, keywords: [Cards, Looms2]}, Patience]
  - {kind: language, items: [{language: English, level: native}]}
  - {kind: certificate, items: [{name: Cert, issuer: Board, number: "77", date: 2008-05-06}]}
  - kind: reference
    items:
      - {name: C. Babbage, title: Professor, institution: Home, relation: friend,
         email: cb@example.org, phone: "12345", quote: She is fine}
      - {name: SECRET referee, private: true}
  - {kind: entry, items: [{title: Odd thing, organization: Club, bullets: [Odd point], date: 2007}]}
  - {kind: award, title: SECRET section, private: true, items: [{title: SECRET award}]}
"""
SECRETS = ("SECRET", "NOT-SHOWN", "private.example", "0199")


@pytest.fixture(scope="module")
def full() -> Profile:
    return public_profile(FULL)


@pytest.fixture(scope="module")
def made(full: Profile) -> dict[str, Any]:
    return export.resume(select(full, {}))


def leaves(value: Any) -> Iterator[str]:
    """Every text of a JSON value, keys not."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        assert isinstance(value, str), value
        yield value


# ------------------------------------------------------------------------------- the mapping

#: The lists of JSON Resume 1.0.0: fields that are texts, dates, URLs, and lists of texts.
LISTS = {
    "work": "name location description position summary | startDate endDate | url | highlights",
    "volunteer": "organization position summary | startDate endDate | url | highlights",
    "education": "institution area studyType score | startDate endDate | url | courses",
    "awards": "title awarder summary | date | |",
    "certificates": "name issuer | date | url |",
    "publications": "name publisher summary | releaseDate | url |",
    "skills": "name level | | | keywords",
    "languages": "language fluency | | |",
    "interests": "name | | | keywords",
    "references": "name reference | | |",
    "projects": "name entity type description | startDate endDate | url | "
    "highlights keywords roles",
}


def schema() -> dict[str, Any]:
    """What JSON Resume asks for, as far as this program writes it."""
    text = {"type": "string", "minLength": 1}
    date = {"type": "string", "pattern": r"^[12]\d{3}(-(0[1-9]|1[0-2])(-[0-3]\d)?)?$"}
    url = {"type": "string", "pattern": r"^(https?://|mailto:|tel:)[!-~]+$"}
    kinds = (text, date, url, {"type": "array", "items": text, "minItems": 1})

    def fields(line: str) -> dict[str, Any]:
        parts = line.split("|")
        return {
            name: kind for part, kind in zip(parts, kinds, strict=True) for name in part.split()
        }

    def each(properties: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "properties": properties},
        }

    basics = fields("name label email phone summary | | url |") | {
        "location": {"type": "object", "properties": fields("address | | |")},
        "profiles": each(fields("network username | | url |")),
    }
    meta = fields("version | | canonical |") | {
        "lastModified": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$"}
    }
    return {
        "type": "object",
        # The top level of 1.0.0 has no other keys.
        "additionalProperties": False,
        "properties": {
            "$schema": url,
            "basics": {"type": "object", "properties": basics, "required": ["name"]},
            **{name: each(fields(line)) for name, line in LISTS.items()},
            "meta": {"type": "object", "properties": meta},
        },
    }


def test_it_is_json_resume(made: dict[str, Any]) -> None:
    assert set(made) == {"$schema", "basics", "meta", *LISTS}
    jsonschema.validate(made, schema())
    faults: Any = ({"work": [{"startDate": "2019-13"}]}, {"talks": []}, {"skills": ["x"]})
    for wrong in faults:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**made, **wrong}, schema())


#: Keys whose texts are in no document.
STEERING = (
    "tags", "id", "short", "author", "template", "formats", "options", "order", "photo", "variants",
    "numbering",
)  # fmt: skip


def public(value: Any, name: str = "") -> Iterator[str]:
    """Every text of a profile that a document may show."""
    if isinstance(value, Prose):
        yield str(value)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from public(one, name)
    elif isinstance(value, BaseModel) and not getattr(value, "private", False):
        for key in type(value).model_fields:
            if key not in STEERING:
                yield from public(getattr(value, key), key)


def shown(resume: dict[str, Any]) -> str:
    """All texts of an export, and what those in Markdown show: some kinds have no list."""
    texts = list(leaves(resume))
    written = leaves(resume["meta"]["cvbuild"]["person"]["sections"])
    return " ".join([*texts, *(rich_text.plain(rich_text.parse(text)) for text in written)])


def test_nothing_public_is_lost_and_nothing_private_is_in_it(
    full: Profile, made: dict[str, Any]
) -> None:
    texts = list(public(full))
    assert len(texts) > 120
    found = shown(made)
    assert [text for text in texts if text not in found] == []
    data = export.to_bytes(select(full, {})).decode("utf-8")
    assert sum(map(FULL.count, SECRETS)) >= 15
    assert [word for word in SECRETS if word in data or word in " ".join(texts)] == []


def test_every_link_in_prose_keeps_its_address(made: dict[str, Any]) -> None:
    urls = re.findall(r"\]\((https://[^)]+)\)", FULL)
    assert len(urls) == 5
    assert [url for url in urls if url not in " ".join(leaves(made))] == []
    assert made["projects"][0]["links"] == [
        {"label": "Code", "url": "https://code.example"},
        {"label": "Slides"},
    ]


def test_the_head(made: dict[str, Any]) -> None:
    basics = made["basics"]
    assert basics["name"] == "Ada Example"
    assert (basics["givenName"], basics["familyName"]) == ("Ada", "Example")
    assert basics["label"] == "Engineer of engines"
    assert (basics["email"], basics["phone"]) == ("ada@example.org", "+1 202 555 0123")
    assert basics["emails"] == [
        {"address": "ada@example.org", "label": "work"},
        {"address": "ada@home.example"},
    ]
    assert "phones" not in basics
    assert basics["summary"] == "First paragraph.\n\nSecond paragraph, see the notes."
    assert basics["profiles"] == [
        {"network": "GitHub", "username": "ada", "url": "https://github.com/ada"},
        {
            "network": "ORCID",
            "username": "0000-0002-1825-0097",
            "url": "https://orcid.org/0000-0002-1825-0097",
        },
        {"network": "Web", "url": "https://about.example/ada"},
    ]
    assert made["meta"]["lastModified"] == "2024-02-29T00:00:00"


def test_roles_of_one_employer_are_a_position_each(made: dict[str, Any]) -> None:
    employer, chief, hand, clerk = made["work"]
    assert employer == {
        "name": "Several Roles Ltd",
        "department": "Mills",
        "location": "Leeds",
        "mentor": ["Mr. M"],
        "summary": "Makes mills",
        "company": "Several Roles Ltd",
    }
    assert chief == {
        "name": "Several Roles Ltd",
        "department": "Mills",
        "location": "Leeds",
        "position": "Chief",
        "startDate": "2022",
        "highlights": ["Led"],
        "company": "Several Roles Ltd",
    }
    assert (hand["location"], hand["summary"]) == ("York", "Helped")
    assert (clerk["startDate"], clerk["endDate"]) == ("2018", "2018")


def test_items_keep_what_json_resume_has_no_field_for(made: dict[str, Any]) -> None:
    first, second, patent = made["publications"]
    assert first["authors"] == ["Ada Example*", "L. Menabrea"]
    assert first["marks"] == {"*": "equal contribution"}
    assert (first["doi"], first["arxiv"]) == ("10.1000/182", "2403.11421")
    assert first["url"] == "https://doi.org/10.1000/182"
    assert (first["shortVenue"], first["group"]) == ("Memoirs", "Journals")
    assert second["url"] == "https://arxiv.org/abs/2403.11422"
    assert (patent["type"], patent["inventors"]) == ("patent", ["A. Example"])
    assert [one.get("type") for one in made["projects"]] == [None, "talk", "teaching", "entry"]
    assert (made["projects"][1]["format"], made["projects"][1]["entity"]) == ("Keynote", "Congress")
    assert made["skills"][0] == {
        "name": "Methods",
        "keywords": ["Induction"],
        "section": "Methods",
        "type": "keywords",
    }
    # What has no list there is in the person's own form alone.
    text, points, *_ = made["meta"]["cvbuild"]["person"]["sections"]
    assert text == {
        "kind": "text",
        "title": "About",
        "items": ["A paragraph of [prose](https://prose.example)"],
    }
    assert points == {
        "kind": "bullets",
        "title": "Points",
        "items": ["Loose point"],
        "groups": [{"title": "Set", "note": "Set note", "items": ["Point of a set"]}],
    }


@pytest.mark.parametrize(
    ("text", "ranged", "single"),
    [
        ("2020", ("2020", "2020"), "2020"),
        ("2020-7", ("2020-07", "2020-07"), "2020-07"),
        ("2020-07-04", ("2020-07-04", "2020-07-04"), "2020-07-04"),
        ("2017-03 to present", ("2017-03", None), "2017-03"),
        ("2017 to 2019-02", ("2017", "2019-02"), "2019-02"),
        ("Fall 2019", ("2019", "2019"), "2019"),
        ("Fall 2019 to Spring 2020", ("2019", "2020"), "2020"),
        ("in press", (None, None), None),
    ],
)
def test_dates(text: str, ranged: tuple[str | None, ...], single: str | None) -> None:
    date = Date.of({"text": text} if text == "in press" else text)
    found = items.ranged(date)
    assert tuple(found.get(key) for key in ("startDate", "endDate")) == ranged
    assert items.single(date, "date").get("date") == single
    assert date.text or Date.of(items.words(date)) == date


def test_the_people_of_the_checkout_are_json_resume() -> None:
    found = people.find([str(path) for path in sorted((ROOT / "people").glob("*.yaml"))])
    assert len(found) >= 4
    for person in found:
        checked = profiles.check(person, Library.at())
        assert checked.profile is not None
        resume = export.resume(select(checked.profile, {}))
        jsonschema.validate(resume, schema())
        again = json.loads(export.to_bytes(select(checked.profile, {})))
        assert again == resume
        texts = shown(resume)
        assert [text for text in public(checked.profile) if text not in texts] == []


# ------------------------------------------------------------------------------------ the PDF


def build(
    folder: Path,
    text: str = FULL,
    template: str = "academic",
    variant: str | None = None,
    **changes: Any,
) -> Outcome:
    (folder / "people").mkdir(parents=True, exist_ok=True)
    path = folder / "people" / "ada.yaml"
    path.write_text(text, encoding="utf-8")
    checked = profiles.check(people.find([str(path)])[0], Library.at())
    assert checked.profile is not None, checked.diagnostics
    assert checked.source is not None
    task = Task(checked.person, checked.profile, checked.source, template, variant=variant)
    settings = Settings(out=folder / "out", library=Library.at(), today=0, timeout=300, **changes)
    outcome = pipeline.build(task, settings)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


def held(pdf: Path, *words: str) -> set[str]:
    """Those of the words that are anywhere in a PDF."""
    return in_pdf(pdf, {word: (word,) for word in words})


def specification(document: pikepdf.Pdf) -> pikepdf.Object:
    """The one file specification, which the catalog and the names both lead to."""
    names = document.Root.Names.EmbeddedFiles
    assert len(document.Root.AF) == 1
    assert len(names.Names) == 2
    assert names.Names[1].objgen == document.Root.AF[0].objgen
    return document.Root.AF[0]


def check_attachment(pdf: Path, content: bytes, date: str) -> None:
    with pikepdf.open(pdf) as document:
        spec = specification(document)
        assert [str(spec.Type), str(spec.AFRelationship)] == ["/Filespec", "/Data"]
        assert str(spec.F) == str(spec.UF) == ATTACHMENT
        assert "JSON Resume" in str(spec.Desc)
        stream = spec.EF.F
        assert stream.objgen == spec.EF.UF.objgen
        assert [str(stream.Type), str(stream.Subtype)] == ["/EmbeddedFile", "/application/json"]
        assert (int(stream.Params.Size), str(stream.Params.ModDate)) == (len(content), date)
        assert stream.read_bytes() == content


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "pdflatex", "lualatex"]))
def test_the_pdf_carries_the_public_facts(
    engine: str, tmp_path: Path, full: Profile, run: Run
) -> None:
    engine_of(engine)
    content = export.to_bytes(select(full, {}))
    outcome = build(tmp_path / "one", engine=engine, driver="direct")
    assert outcome.path
    check_attachment(outcome.path, content, "D:20240229000000Z")
    with pikepdf.open(outcome.path) as document:
        claim = document.open_metadata()
        assert (claim["pdfaid:part"], claim["pdfaid:conformance"]) == ("3", "B")
    # TeX has nothing to do with it.
    kept = tmp_path / "one/out/.build/ada/academic/cv.tex"
    assert ATTACHMENT not in kept.read_text("utf-8")
    assert run("extract", str(outcome.path)).out.encode() == content
    assert held(outcome.path, "Difference Engine", *SECRETS) == {"Difference Engine"}
    # Another folder, other times of the files: the same bytes.
    again = build(tmp_path / "two", engine=engine, driver="direct")
    assert again.path
    assert again.path.read_bytes() == outcome.path.read_bytes()


def test_the_attachment_is_part_of_what_a_document_is_made_from(tmp_path: Path) -> None:
    engine_of("embedded")
    first = build(tmp_path, engine="embedded", driver="direct")
    assert build(tmp_path, engine="embedded", driver="direct").cached
    # The page shows one publication; this one is in the attachment alone.
    changed = FULL.replace("Second paper", "Another paper")
    second = build(tmp_path, changed, engine="embedded", driver="direct")
    assert not second.cached
    assert second.path == first.path
    assert b"Another paper" in extract.read(tmp_path / "out" / "ada" / "academic.pdf")
    without = FULL.replace("embed: true", "embed: false")
    plain = build(tmp_path, without, engine="embedded", driver="direct", epoch=EPOCH)
    assert plain.path
    with pikepdf.open(plain.path) as document:
        assert "/AF" not in document.Root
        assert "/EmbeddedFiles" not in document.Root.get("/Names", {})


def test_one_page_carries_what_it_has_no_room_for(tmp_path: Path) -> None:
    engine_of("embedded")
    more = "".join(f"      - {{employer: Firm {n}, title: Job, date: 2001}}\n" for n in range(60))
    text = FULL.replace("  - kind: project\n", f"{more}  - kind: project\n", 1)
    outcome = build(tmp_path, text, "one-page", engine="embedded", driver="direct")
    assert outcome.path
    assert len(outcome.left_out) > 10
    resume = json.loads(extract.read(outcome.path))
    assert sum(one["name"].startswith("Firm") for one in resume["work"]) == 60


#: What the variant leaves out says so; its words may stand elsewhere on the page.
VARIED = """\
name: Ada Example
contact: {phone: [{number: +1 202 555 0199, private: true}, +1 202 555 0123]}
summary: GONE summary
interests: [GONE interest]
options: {embed: true}
variants:
  lab:
    include: lab
    without: [summary, interests, skill]
    limit: {award: 1}
    since: {award: 2010}
    titles: {experience: Laboratories, award: "Prizes & *more*"}
    order: award
sections:
  - kind: experience
    title: GONE heading
    items:
      - employer: Example Labs
        roles:
          - {title: GONE role, tags: office, date: 2011}
          - title: Engineer
            date: 2012 to 2014
            tags: lab
            bullets: [Built looms, {text: Worked at Example Labs, tags: x}]
      - employer: No Tags
        title: Clerk
        bullets: [Kept, {text: Prize of Looms, tags: x}]
      - {employer: GONE employer, title: Engineer, tags: x}
  - kind: award
    items: [{title: Prize of Looms, date: 2015}, {title: Kept, date: 2014}]
    groups: [{title: GONE group, items: [{title: GONE award, date: 2001}]}]
  - {kind: skill, items: [GONE skill]}
"""


def test_what_a_variant_leaves_out_is_nowhere_in_the_file(tmp_path: Path) -> None:
    engine_of("embedded")
    # "Example Labs", "Kept" and "Prize of Looms" are left out and stand on the page all the same:
    # what a variant leaves out is no secret.
    outcome = build(tmp_path, VARIED, variant="lab", engine="embedded", driver="direct")
    assert outcome.path == tmp_path / "out" / "ada" / "lab.pdf"
    assert outcome.verified
    resume = json.loads(extract.read(outcome.path))
    work = [(one["name"], one["position"], one.get("highlights")) for one in resume["work"]]
    assert work == [
        ("Example Labs", "Engineer", ["Built looms", "Worked at Example Labs"]),
        ("No Tags", "Clerk", ["Kept"]),
    ]
    assert [one["title"] for one in resume["awards"]] == ["Prize of Looms"]
    person = resume["meta"]["cvbuild"]["person"]
    heads = [(one["kind"], one["title"]) for one in person["sections"]]
    assert heads == [("award", "Prizes & *more*"), ("experience", "Laboratories")]
    assert {one["section"] for one in resume["work"]} == {"Laboratories"}
    assert not {"skills", "interests"} & set(resume)
    assert "summary" not in resume["basics"]
    assert held(outcome.path, "Prize of Looms", "GONE", "0199") == {"Prize of Looms"}
    tex = (tmp_path / "out" / ".build" / "ada" / "lab" / "cv.tex").read_text("utf-8")
    assert "Laboratories" in tex
    assert "GONE" not in tex


def test_the_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: Profile, run: Run
) -> None:
    engine_of("embedded")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    Path("people").mkdir()
    Path("people/ada-example.yaml").write_text(FULL, encoding="utf-8")
    (facts,) = re.findall(
        r"^## Attached facts$.*", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    (block,) = re.findall(r"^```sh\n(.*?)^```", facts, re.DOTALL | re.MULTILINE)
    new, *lines = [shlex.split(line) for line in block.splitlines()]
    assert new == ["cvbuild", "new", "Ada Example"]
    assert [line[:2] for line in lines] == [["cvbuild", "build"], ["cvbuild", "extract"]]
    for line in lines:
        # The person's file sets the option; with --set only what the document shows is attached.
        ran = run(*(word for word in line[1:] if word not in ("--set", "options.embed=true")))
        assert ran.code == 0, ran.err
    assert Path("resume.json").read_bytes() == export.to_bytes(select(full, {}))
