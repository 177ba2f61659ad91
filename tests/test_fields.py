"""Fields that other tools have: where each goes in plain text and JSON Resume; phone numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import Run
from profiles import profile

from cvbuild.model import phones
from cvbuild.model.networks import NETWORKS

PERSON = """\
name: Ada Example
contact:
  phone: [(213) 555-0176, "+44 (0)20 7946 0123 ext. 5"]
  profiles: {hugging-face: ada, imdb: nm0000001}
  links: [Portfolio: https://portfolio.example.org/ada]
interests: [{name: Sailing, keywords: [racing, repairs]}, Chess]
sections:
  - kind: experience
    items:
      - employer: Example Company
        title: Engineer
        keywords: [C++, Go]
        bullets: [One, {text: Two, bullets: ["[a](https://example.org/a)", b]}, Three]
  - kind: education
    items:
      - {institution: Example University, courses: [Compilers, Logic], summary: Four years.,
         keywords: [time], bullets: [Best thesis], notes: [A visit]}
  - kind: volunteer
    items:
      - {organization: Example Library, title: Coach, summary: Weekly., bullets: [Read aloud]}
  - kind: grant
    items:
      - {title: Schedules, role: Leader, funder: Example Foundation, amount: EUR 5,
         number: EF-1, date: 2023 to 2026}
  - kind: publication
    items:
      - {title: Lasting, venue: Annals, short-venue: AoE, volume: 12, issue: 3, pages: 45-67,
         date: 2022, summary: It lasts., keywords: [a, b]}
      - {title: Makers, book: Handbook, editors: [G. Sample, S. Specimen], series: Notes,
         volume: 7, chapter: 5, pages: e1 -- e9, publisher: Press, location: Here, date: 2021}
      - {title: Whole, publisher: Press, date: 2020}
  - kind: talk
    numbering: reversed
    items: [{title: Old, date: 2019}, {title: New, date: 2020, bullets: [Full]}]
  - kind: teaching
    items: [{course: Logic, date: [2019, Fall 2021]}, {course: Sets, date: 2020}]
  - kind: award
    items: [{title: Prize, bullets: [For all]}]
  - kind: certificate
    items: [{name: Diploma, bullets: [First]}]
  - kind: service
    items: [{role: Chair, date: [2020, 2018 to 2019], bullets: [Nine meetings]}]
  - kind: bullets
    items: [{text: Outer, bullets: [inner]}, Next]
"""
TEXT = """\
Ada Example

(213) 555-0176
+44 (0)20 7946 0123 ext. 5
Hugging Face: https://huggingface.co/ada
IMDb: https://www.imdb.com/name/nm0000001
Portfolio: https://portfolio.example.org/ada


INTERESTS

Sailing (racing, repairs); Chess


EXPERIENCE

Engineer, Example Company
- One
- Two
  - a (https://example.org/a)
  - b
- Three
Keywords: C++, Go


EDUCATION

Example University
Courses: Compilers, Logic
Four years.
- Best thesis
- A visit
Keywords: time


VOLUNTEERING

Coach, Example Library
Weekly.
- Read aloud


GRANTS

Schedules, Leader, Example Foundation, EUR 5, EF-1 (2023–2026)


PUBLICATIONS

1. Lasting. Annals (AoE) 12(3), 45–67, 2022.
It lasts.
Keywords: a, b

2. Makers. In Handbook, Notes 7, edited by G. Sample, S. Specimen, chapter 5, e1–e9, Press, \
Here, 2021.

3. Whole. Press, 2020.


TALKS

2. New (2020)
- Full

1. Old (2019)


TEACHING

Logic (2019, Fall 2021)
Sets (2020)


HONORS AND AWARDS

Prize
- For all


CERTIFICATES

Diploma
- First


SERVICE

Chair (2020, 2018–2019)
- Nine meetings


HIGHLIGHTS

- Outer
  - inner
- Next
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The folder with the person's documents as plain text and JSON Resume."""
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ada.yaml").write_text(PERSON, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = run("build", "--format", "txt,json")
    assert ran.code == 0, ran.err
    return tmp_path / "out" / "ada"


def test_plain_text(made: Path) -> None:
    assert (made / "academic.txt").read_text(encoding="utf-8") == TEXT


def test_json_resume(made: Path) -> None:
    data = json.loads((made / "academic.json").read_text(encoding="utf-8"))
    assert data["basics"]["profiles"][-2:] == [
        {"network": "IMDb", "username": "nm0000001", "url": "https://www.imdb.com/name/nm0000001"},
        {"network": "Portfolio", "url": "https://portfolio.example.org/ada"},
    ]
    assert data["interests"] == [
        {"name": "Sailing", "keywords": ["racing", "repairs"]},
        {"name": "Chess"},
    ]
    (work,) = data["work"]
    assert work["keywords"] == ["C++", "Go"]
    assert work["highlights"] == ["One", "Two", "a", "b", "Three"]
    (school,) = data["education"]
    assert school["courses"] == ["Compilers", "Logic"]
    assert (school["highlights"], school["notes"]) == (["Best thesis"], ["A visit"])
    volunteer, service = data["volunteer"]
    assert (volunteer["position"], volunteer["highlights"]) == ("Coach", ["Read aloud"])
    assert service == {
        "position": "Chair",
        "startDate": "2020",
        "endDate": "2020",
        "highlights": ["Nine meetings"],
        "type": "service",
    }
    grant = next(one for one in data["awards"] if one.get("type") == "grant")
    assert (grant["awarder"], grant["amount"]) == ("Example Foundation", "EUR 5")
    assert grant["date"] == "2026"
    article, chapter, book = data["publications"]
    assert (article["publisher"], article["volume"], article["pages"]) == ("Annals", "12", "45–67")
    assert (chapter["publisher"], chapter["book"]) == ("Press", "Handbook")
    assert (book["publisher"], book["releaseDate"]) == ("Press", "2020")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("45-67", "45–67"), ("45--67", "45–67"), ("45 – 67", "45–67"), ("S12-S18", "S12–S18"),
        ("1-3, 7-9", "1–3, 7–9"), ("e1071", "e1071"), ("12", "12"), ("123-1-123-9", "123-1-123-9"),
    ],
)  # fmt: skip
def test_ranges_of_pages(written: str, shown: str) -> None:
    text = f'sections: [{{kind: publication, items: [{{title: T, pages: "{written}"}}]}}]'
    (section,) = profile(text).sections
    assert section.items[0].pages == shown  # type: ignore[attr-defined]


# -- phone numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "country", "link"),
    [
        ("+1 202 555 0123", None, "+12025550123"),
        ("+44 (0)20 7946 0123 ext. 5", None, "+442079460123;ext=5"),
        ("(213) 555-0176", "US", "+12135550176"),
        ("213.555.0176 x 12", "US", "+12135550176;ext=12"),
        ("030 23125 000", "DE", "+493023125000"),
        ("020 7946 0123", "GB", "+442079460123"),
        ("06 1234 5678", "IT", "+390612345678"),
        ("00 49 30 23125 000", "FR", "+493023125000"),
    ],
)
def test_a_link_of_a_phone_number(number: str, country: str | None, link: str) -> None:
    assert phones.is_number(number)
    assert phones.link(number, country) == f"tel:{link}"


@pytest.mark.parametrize(
    ("number", "country"),
    [("020 7946 0123", "US"), ("555 0176", "US"), ("213 555 0176", None), ("213 555 0176", "ZZ")],
)
def test_a_number_of_no_country(number: str, country: str | None) -> None:
    assert phones.is_number(number)
    assert phones.link(number, country) is None


@pytest.mark.parametrize(
    "text", ["call me", "12", "+", "()", "+1 202 555 0123 4567 8901", "1+2345"]
)
def test_what_is_no_number(text: str) -> None:
    assert not phones.is_number(text)


@pytest.mark.parametrize(
    ("locale", "country"),
    [
        ("en", "US"), ("en-GB", "GB"), ("de", "DE"), ("de-AT", "AT"), ("pt-BR", "BR"),
        ("zh-Hant", "TW"), ("zh-Hant-HK", "HK"), ("ko", "KR"), ("sr-Latn", "RS"),
    ],
)  # fmt: skip
def test_the_country_of_a_locale(locale: str, country: str) -> None:
    assert phones.country_of(locale) == country


def test_a_document_in_another_language_has_the_same_number(made: Path, run: Run) -> None:
    """The country is that of the person's locale, or of the key; not that of the document."""
    text = "contact: {phone: 030 23125 000, country: DE}"
    assert profile(text).contact.country == "DE"
    assert profile("locale: de\ncontact: {phone: 030 23125 000}").contact.country == "DE"
    assert profile("locale: de\ncontact: {phone: +49 30 23125 000}").contact.country is None
    assert run("build", "--format", "txt", "--locale", "de").code == 0
    assert "(213) 555-0176" in (made / "academic.de.txt").read_text(encoding="utf-8")


def test_the_library_waits_for_a_number_that_needs_it() -> None:
    code = (
        "import sys; from cvbuild.model import Profile\n"
        "from cvbuild.model import phones\n"
        "for phone in ('+1 202 555 0123', '213 555 0176'):\n"
        "    Profile.model_validate({'name': 'A', 'contact': {'phone': phone}})\n"
        "    phones.link(phone, 'US')\n"
        "    print('phonenumbers' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "True"]


LOCAL = """\
name: Ada Example
contact:
  email: ada@example.org
  phone: [123-456-7890, {number: 041 102 102, label: office}, "+1 (234) 567 890", (213) 555-0176]
"""


@pytest.mark.usefixtures("here")
def test_a_local_phone_number_is_kept_as_written(run: Run) -> None:
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(LOCAL)
    Path("people/eva.yaml").write_text("name: Eva\nlocale: ar\ncontact: {phone: 123-456-7890}\n")
    said = [line for line in run("check").err.splitlines() if " note: " in line]
    lacks = "note: this phone number lacks its country: "
    hint = "write the country first, such as {} …, or as contact: country"
    alone = "it is shown as written, without a link (2 such numbers); " + hint.format("+1")
    guessed = "its link has that of the locale, EG; " + hint.format("+20")
    assert said == [
        f"people/ada.yaml:4:11: {lacks}{alone}",
        f"people/eva.yaml:3:18: {lacks}{guessed}",
    ]
    ran = run("build", "ada", "--format", "html,docx,txt,md,vcf,json,rendercv")
    assert (ran.code, "lacks its country" in ran.err) == (0, False)
    text = {path.suffix: path.read_bytes().decode("utf-8", "replace")
            for path in Path("out/ada").iterdir() if path.is_file()}  # fmt: skip
    for ending in (".html", ".txt", ".md", ".vcf", ".json", ".yaml"):
        assert "123-456-7890" in text[ending], ending
        assert "041 102 102" in text[ending], ending
    assert re.findall(r"tel:[^\"]+", text[".html"]) == ["tel:+1234567890", "tel:+12135550176"]
    assert "TEL;TYPE=work:041 102 102" in text[".vcf"]
    numbers = json.loads(text[".json"])["basics"]["phones"]
    assert [one.get("country") for one in numbers] == [None, None, None, "US"]
    # RenderCV refuses what is no number of any country.
    cv = yaml.safe_load(text[".yaml"])["cv"]
    assert cv["phone"] == "+12135550176"
    others = [one["placeholder"] for one in cv["custom_connections"]]
    assert others == ["123-456-7890", "office: 041 102 102", "+1 (234) 567 890"]


# -- networks ------------------------------------------------------------------------------------


def test_each_network_has_a_page() -> None:
    assert len(NETWORKS) >= 30
    for name, network in NETWORKS.items():
        if name not in ("mastodon", "personal"):
            page = network.address("ada-1")
            assert page.startswith("https://"), name
            assert page.endswith("ada-1"), name
            assert network.address(page) == page
