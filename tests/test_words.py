"""The words of each language, its dates and its quotation marks."""

from __future__ import annotations

import json
import string
import tomllib
import unicodedata
from datetime import date as Day
from pathlib import Path

import pytest
import yaml
from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.localedata import locale_identifiers
from profiles import labels_of

from cvbuild.model import locales
from cvbuild.model.kinds import KINDS, OWN
from cvbuild.model.locales import date_text, language_of, table
from cvbuild.model.locales.dates import SEASONS, Date, Point
from cvbuild.model.text import language_tags, rich_text
from tools import cldr as derived

FOLDER = Path(locales.__file__).with_name("tables")
#: How each language writes dates and quotation marks.
EXPECTED: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_name("languages.yaml").read_text("utf-8")
)
FILES = sorted(FOLDER.glob("*.toml"))
TAGS = [path.stem for path in FILES]
#: What the templates and their writers may ask for besides the kinds of sections.
LABELS = {
    "birth-date", "nationality", "present", "expected", *SEASONS, "advisor", "mentor", "thesis",
    "instructor", "references-me", "publication-selected", "grade", "authors",
}  # fmt: skip
#: The headings of the kinds, and their labels: a language may lack them.
OF_KINDS = {*KINDS, *(label for kind in KINDS.values() for label in labels_of(kind))} - LABELS
#: What a letter says by itself, and the fields in it.
LETTER = {
    "cv-title": set(), "application-title": set(), "letter-title": set(),
    "letter-subject": {"position"}, "letter-opening-name": {"name"}, "letter-opening": set(),
    "letter-closing": set(), "letter-enclosures": set(),
    "letter-email": {"position", "employer"}, "letter-signature": {"name"},
}  # fmt: skip
#: What the pages of a site say.
SITE = {"site-people"}
PATTERNS = {"range": {"start", "end"}, "years": {"start", "end"}, "season": {"season", "year"}}
KEYS = {"quotes", "words", "year", "month", "day", *PATTERNS}
LATIN = {
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sk", "hu", "ro", "tr", "sv", "da", "nb",
    "fi", "et", "lv", "lt", "vi",
}  # fmt: skip
OTHER = {"el", "ru", "uk", "bg", "zh", "zh-Hant", "ja", "ko", "ar", "he", "hi", "th"}


def read(tag: str) -> dict[str, object]:
    return tomllib.loads((FOLDER / f"{tag}.toml").read_text("utf-8"))


def fields_of(pattern: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(pattern) if name}


def bare(pattern: str) -> str:
    return "".join(text for text, _, _, _ in string.Formatter().parse(pattern))


def test_there_is_a_table_for_each_language() -> None:
    assert set(TAGS) >= LATIN | OTHER | {"en-GB", "pt-BR"}
    assert locales.known() == set(TAGS)


@pytest.mark.parametrize("tag", TAGS)
def test_a_table_is_whole(tag: str) -> None:
    text = (FOLDER / f"{tag}.toml").read_text("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    data = read(tag)
    assert data.keys() == KEYS
    own = set(data["words"])  # type: ignore[call-overload]
    every = {*LABELS, *LETTER, *SITE, *OWN, *OF_KINDS}
    assert own == every or tag == "en-GB"
    made = table(tag)
    assert made.words.keys() == every
    assert made.language == tag == language_tags.canonical(tag)
    for key, word in made.words.items():
        assert word == " ".join(word.split())
        assert word
        assert fields_of(word) == LETTER.get(key, set())
        assert not set(bare(word)) & set("\"'{}")
    assert len(made.quotes) == 4
    assert all(len(mark.strip("\u00a0")) == 1 for mark in made.quotes)
    for key, fields in PATTERNS.items():
        assert fields_of(getattr(made, key)) == fields
    headings = [made.words[kind] for kind in KINDS if kind not in ("text", "entry")]
    assert len(set(headings)) == len(headings), "two kinds of sections have one heading"


@pytest.mark.parametrize("tag", sorted(LATIN | OTHER))
def test_the_words_are_in_the_script_of_the_language(tag: str) -> None:
    names: dict[str, str | tuple[str, ...]] = {
             "Hang": "HANGUL", "Cyrl": "CYRILLIC", "Grek": "GREEK", "Arab": "ARABIC",
             "Hebr": "HEBREW", "Deva": "DEVANAGARI", "Thai": "THAI", "Hans": "CJK",
             "Hant": "CJK", "Latn": "LATIN", "Kore": "HANGUL",
             "Jpan": ("CJK", "KATAKANA", "HIRAGANA")}  # fmt: skip
    starts = names[language_tags.script(tag)]
    looked = 0
    made = table(tag)
    for word in made.words.values():
        for char in bare(word):
            if char.isalpha() and char != "ー":
                looked += 1
                assert unicodedata.name(char).startswith(starts), word
    assert looked > 60


#: Year, month, day, season, years, months, to the present.
DATES = (
    "2021", "2021-03", "2021-03-05", "Fall 2020", "2017-2020", "2017-03 to 2020-08",
    "2017-03 to present",
)  # fmt: skip


@pytest.mark.parametrize("tag", EXPECTED["dates"])
def test_dates(tag: str) -> None:
    shown = [date_text(Date.of(date), tag) for date in DATES]
    assert shown == EXPECTED["dates"][tag].split("|")


@pytest.mark.parametrize("case", EXPECTED["forms"])
def test_forms_of_dates(case: str) -> None:
    asked = ("2021-03", "2021-03-05", "2017-03 to 2020-08")
    shown = [date_text(Date.of(date), *case.split()) for date in asked]
    assert shown == EXPECTED["forms"][case].split("|")


@pytest.mark.parametrize("form", locales.FORMS)
@pytest.mark.parametrize("tag", [*TAGS, "fa", "ar-EG", "mr", "my"])
def test_dates_have_latin_digits_and_nothing_unseen(tag: str, form: str) -> None:
    for date in DATES:
        text = date_text(Date.of(date), tag, form)
        digits = {char for char in text if unicodedata.category(char) == "Nd"}
        assert digits
        assert digits <= set("0123456789")
        assert not [char for char in text if unicodedata.category(char) in ("Cf", "Cc")]


def test_what_is_known_of_cldr_is_what_babel_has() -> None:
    """Else `python -m tools.cldr` writes the files anew."""
    made = dict(derived.files())
    assert {path.name for path in made} == {"cldr.json", "dates.json", "other_dates.json"}
    assert {
        path.name for path, text in made.items() if path.read_text("utf-8") != f"{text}\n"
    } == set()
    assert set(json.loads(made[locales.LISTED])) == {*TAGS, "en-US"}


@pytest.mark.deep
def test_tags_lead_to_the_locales_that_babel_finds() -> None:
    languages = {one.partition("_")[0] for one in locale_identifiers()} | set(
        get_global("language_aliases")
    )
    parts = ("", "-Latn", "-Cyrl-RS", "-Hant", "-Hant-TW", "-Zzzz", "-Qaai", "-TW", "-CH", "-ZZ",
             "-YU", "-001", "-1996", "-valencia", "-ES-valencia", "-1901-1996")  # fmt: skip
    # Every part with a quarter of the languages, and four parts with every language.
    tags = {
        f"{language}{rest}"
        for number, language in enumerate([*sorted(languages), "xx", "und"])
        for rest in parts[number % 4 :: 4]
    }
    tags |= {one.replace("_", "-") for one in locale_identifiers()}
    assert len(tags) > 2500

    def by_babel(tag: str) -> tuple[str, str, bool] | None:
        try:
            found = Locale.parse(tag, sep="-")
        except (ValueError, UnknownLocaleError):
            return None
        return str(found), found.get_display_name("en") or "", found.text_direction == "rtl"

    def by_us(tag: str) -> tuple[str, str, bool] | None:
        found = language_tags.locale(tag)
        return (found.id, found.name, found.runs_right) if found else None

    assert {tag for tag in tags if by_us(tag) != by_babel(tag)} == set()


@pytest.mark.parametrize("tag", [*TAGS, "en-US", "de-AT", "wal", "yue", "ur-IN"])
def test_every_date_by_its_form_is_cldr_s(tag: str) -> None:
    points = [
        Point(year, month, day)
        for year in (999, 2021)
        for month in (None, *range(1, 13))
        for day in ((None, 1, 5, 10, 28) if month else (None,))
    ]
    for point in points:
        assert locales._point(point, tag) == derived.by_cldr(point, tag), point


def test_a_letter_s_date_has_the_month_s_whole_name() -> None:
    for tag, shown in EXPECTED["letters"].items():
        assert locales.letter_text(Day(2026, 3, 5), tag) == shown
    for tag in (*TAGS, "wal", "yue", "ur-IN"):
        for month in range(1, 13):
            for day in (Day(1999, month, 5), Day(2026, month, 28)):
                assert locales.letter_text(day, tag) == derived.letter_by_cldr(day, tag)


def test_straight_quotes_become_those_of_the_language() -> None:
    assert EXPECTED["quoted"].keys() == set(TAGS)
    written = """a "b 'c' d" e's"""
    for tag, shown in EXPECTED["quoted"].items():
        assert rich_text.curl(written, table(tag).quotes) == shown, tag
        assert rich_text.plain(rich_text.parse(written, table(tag).quotes)) == shown, tag


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ("de-AT", "de"), ("en-US", "en"), ("en-AU", "en-GB"), ("en-IE", "en-GB"),
        ("EN-gb", "en-GB"), ("en-CA", "en"), ("pt-PT", "pt"), ("pt-br", "pt-BR"), ("es-419", "es"),
        ("zh-TW", "zh-Hant"), ("zh-Hant-HK", "zh-Hant"), ("zh-Hans", "zh"), ("zh-CN", "zh"),
        ("no", "nb"), ("nn", "nb"), ("iw", "he"), ("hr", None), ("yue", None), ("sr-Latn", None),
    ],
)  # fmt: skip
def test_which_table_serves_a_locale(tag: str, found: str | None) -> None:
    assert language_of(tag) == found
    assert table(tag).language == (found or "en")
