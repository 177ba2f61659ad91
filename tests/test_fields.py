"""Ranges of pages, phone numbers, networks; tests/outputs/cases shows where other fields go."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run
from profiles import profile

from cvbuild.model import phones
from cvbuild.model.networks import NETWORKS


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


def test_a_document_in_another_language_has_the_same_number(here: Path, run: Run) -> None:
    """The country is that of the person's locale, or of the key; not that of the document."""
    text = "contact: {phone: 030 23125 000, country: DE}"
    assert profile(text).contact.country == "DE"
    assert profile("locale: de\ncontact: {phone: 030 23125 000}").contact.country == "DE"
    assert profile("locale: de\ncontact: {phone: +49 30 23125 000}").contact.country is None
    (here / "people").mkdir()
    (here / "people/ada.yaml").write_text("name: A\ncontact: {phone: (213) 555-0176}\n")
    assert run("build", "--format", "txt", "--locale", "de").code == 0
    assert "(213) 555-0176" in (here / "out/ada/academic.de.txt").read_text(encoding="utf-8")


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
    ran = run("build", "ada", "--format", "html,docx,txt,md,json")
    assert (ran.code, "lacks its country" in ran.err) == (0, False)
    text = {path.suffix: path.read_bytes().decode("utf-8", "replace")
            for path in Path("out/ada").iterdir() if path.is_file()}  # fmt: skip
    for ending in (".html", ".txt", ".md", ".json"):
        assert "123-456-7890" in text[ending], ending
        assert "041 102 102" in text[ending], ending
    assert re.findall(r"tel:[^\"]+", text[".html"]) == ["tel:+1234567890", "tel:+12135550176"]
    numbers = json.loads(text[".json"])["basics"]["phones"]
    assert [one.get("country") for one in numbers] == [None, None, None, "US"]


# -- networks ------------------------------------------------------------------------------------


def test_each_network_has_a_page() -> None:
    assert len(NETWORKS) >= 30
    for name, network in NETWORKS.items():
        if name not in ("mastodon", "personal"):
            page = network.address("ada-1")
            assert page.startswith("https://"), name
            assert page.endswith("ada-1"), name
            assert network.address(page) == page
