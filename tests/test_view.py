"""What templates get to see."""

from __future__ import annotations

import pytest
from profiles import profile

from cvbuild.selection.select import select
from cvbuild.view import builder, types
from cvbuild.view.types import Content, Document, Word


def document(text: str, **options: object) -> Document:
    return builder.build(select(profile(text), options), options)


def first(text: str) -> types.Item:
    item = document(text).sections[0].groups[0].items[0]
    assert isinstance(item, types.Item)
    return item


def test_every_text_carries_its_field() -> None:
    item = first("sections: [{kind: award, items: [{title: T *x*, awarder: A, date: 2020-05}]}]")
    assert (str(item.title), item.title.path) == ("T x", ("sections", 0, "items", 0, "title"))
    assert (str(item.date), item.date.path) == ("May 2020", ("sections", 0, "items", 0, "date"))
    assert item.location is None
    assert item.id == "sections.0.items.0"
    assert item.sub("links") == "sections.0.items.0.links"
    with pytest.raises(AttributeError):
        item.nothing  # noqa: B018 - the access itself is what is tested


def test_dates_are_those_of_the_locale() -> None:
    text = "locale: {}\nsections: [{{kind: award, items: [{{title: T, date: {}}}]}}]"
    cases = {
        ("en", "2017-03 to present"): "Mar 2017 – present",
        ("en", "2017 to 2020"): "2017–2020",
        ("en", "2020-07-14"): "Jul 14, 2020",
        ("en-GB", "2020-07-14"): "14 Jul 2020",
        ("en", "Fall 2019"): "Fall 2019",
        ("en-GB", "Fall 2019"): "Autumn 2019",
        ("de", "2017-03 to present"): "März 2017 – heute",
        ("fr", "2020-07"): "juil. 2020",
        ("pl", "Summer 2020"): "lato 2020",
    }
    for (locale, date), expected in cases.items():
        assert str(first(text.format(locale, date)).date) == expected


def test_titles_of_sections_are_the_persons_or_the_languages() -> None:
    text = """
    locale: de
    sections: [{kind: skill, items: [A]}, {kind: award, title: X, items: [{title: T}]}]
    """
    assert [str(section.title) for section in document(text).sections] == ["Kenntnisse", "X"]


def test_straight_quotes_become_those_of_the_language() -> None:
    said = 'sections: [{{kind: bullets, items: [\'say "yes" to `"x"`\']}}]\nlocale: {}'
    assert str(first(said.format("en")).text) == 'say “yes” to "x"'
    assert str(first(said.format("de")).text) == 'say „yes“ to "x"'


PUBLICATION = """
name: {{given: Guoliang, family: He, author: [G. L. He], short: G. He}}
sections:
  - kind: publication
    items:
      - {{title: T, authors: [{authors}], date: 2025, venue: {venue}}}
"""


@pytest.mark.parametrize(
    ("authors", "me"),
    [
        ("Guoliang He, B. Other", [True, False]),
        ("B. Other, G. He*", [False, True]),
        ("GUOLIANG HE, H. He", [True, False]),
        ("'He, Guoliang', G. He", [True, True]),
        ("H. He, X. Guoliang", [False, False]),
        ("{name: H. He, me: true}, G. He", [True, False]),
        ("{name: G. He, me: false}, X. Y", [False, False]),
    ],
)
def test_the_person_is_found_among_the_authors(authors: str, me: list[bool]) -> None:
    item = first(PUBLICATION.format(authors=authors, venue="V"))
    assert [author.me for author in item.authors] == me


def test_initials_count_only_if_one_author_answers_to_them() -> None:
    for second, me in (("B", [True, False]), ("A", [False, False])):
        authors = f"[A. Example, {second}. Example]"
        item = first(
            f"sections: [{{kind: publication, items: [{{title: T, authors: {authors}}}]}}]"
        )
        assert [author.me for author in item.authors] == me


@pytest.mark.parametrize(
    ("venue", "date"),
    [("ICML 2025", None), ('"PPoPP\'25"', None), ("ICML", "2025"), ("Room 20251", "2025")],
)
def test_a_year_is_not_told_twice(venue: str, date: str | None) -> None:
    item = first(PUBLICATION.format(authors="X", venue=venue).replace("20251", "1205"))
    assert (str(item.date) if item.date else None) == date


@pytest.mark.parametrize(
    ("numbering", "numbers"),
    [("none", [None, None]), ("forward", ["1.", "2."]), ("reversed", ["2.", "1."])],
)
def test_numbering_is_the_sections_or_the_templates(numbering: str, numbers: list[object]) -> None:
    text = """
    sections:
      - kind: publication
        {}
        items: [{{title: A, authors: [X]}}, {{title: B, authors: [X]}}]
    """
    by_section = document(text.format(f"numbering: {numbering}"), numbering="forward")
    by_template = document(text.format(""), numbering=numbering)
    for made in (by_section, by_template):
        items = made.sections[0].groups[0].items
        assert [str(i.place) if i.place else None for i in items] == numbers


def test_contacts_are_visible_addresses() -> None:
    header = document(
        """
        contact:
          email: ada@example.org
          phone: {number: +1 202 555 0123, label: office}
          website: www.example.org/~ada/
          profiles:
            github: ada
            orcid: 0000-0002-1825-0097
            mastodon: "@ada@example.social"
            google-scholar: XYZ
        """
    ).header
    assert [(c.kind, str(c.text), c.url.url if c.url else None) for c in header.contacts] == [
        ("email", "ada@example.org", "mailto:ada@example.org"),
        ("phone", "+1 202 555 0123", "tel:+12025550123"),
        ("website", "example.org/~ada", "https://www.example.org/~ada/"),
        ("github", "github.com/ada", "https://github.com/ada"),
        ("orcid", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
        (
            "google-scholar",
            "scholar.google.com/citations?user=XYZ",
            "https://scholar.google.com/citations?user=XYZ",
        ),
        ("mastodon", "@ada@example.social", "https://example.social/@ada"),
    ]


def test_a_word_is_only_what_cvbuild_makes() -> None:
    assert Word("sections.0.items.1") == "sections.0.items.1"
    for bad in ("", "a b", "a\\b", "a}"):
        with pytest.raises(ValueError, match="not a word"):
            Word(bad)
    # A content is true even when its text looks false.
    assert Content((), ("a",))


def test_a_heading_of_a_variant_names_its_line_and_is_in_the_documents_language() -> None:
    person = profile(
        "locale: de\ninterests: [Spiele]\nsections: [{kind: award, title: Preise,"
        " items: [{title: T}]}]\n"
        "variants: {v: {titles: {award: '*Ehre*', interests: Und}}}"
    )
    made = builder.build(select(person, {}, "v"), {})
    told = [(str(section.title), section.title.path) for section in made.sections]
    assert told == [
        ("Und", ("variants", "v", "titles", "interests")),
        ("Ehre", ("variants", "v", "titles", "award")),
    ]


def test_keywords_are_of_what_is_shown() -> None:
    text = (
        "name: Ada Example\ninterests: [I, J]\n"
        "sections: [{kind: skill, items: [A, {name: B, tags: x}]}]\n"
        "variants: {v: {exclude: x}, w: {without: interests}}"
    )
    keywords = {
        name: [str(word) for word in builder.build(select(profile(text), {}, name), {}).keywords]
        for name in (None, "v", "w")
    }
    assert keywords == {None: ["A", "B", "I", "J"], "v": ["A", "I", "J"], "w": ["A", "B"]}


def test_labels_that_lead_nowhere_are_not_shown() -> None:
    links = "[PDF, Code: https://example.org/c, {label: Slides}]"
    given = profile(
        "sections:\n- kind: publication\n"
        f"  items: [{{title: A, authors: [Ada], date: 2020, links: {links}}}]\n"
    )
    chosen = select(given, {})
    assert list(builder.dead_labels(chosen)) == [
        ("sections", 0, "items", 0, "links", 0), ("sections", 0, "items", 0, "links", 2)
    ]  # fmt: skip
    (item,) = builder.build(chosen, {}).sections[0].groups[0].items
    assert [str(link.label) for link in item.links] == ["Code"]


def test_a_grade_that_does_not_say_what_it_is_gets_a_label() -> None:
    text = "locale: {}\nsections: [{{kind: education, items: [{{institution: U, grade: {!r}}}]}}]"
    cases = {
        ("en", "3.8"): "Grade",
        ("en", "with distinction"): "Grade",
        ("en", "GPA 3.8"): None,
        ("en", "CS & Engineering GPA: 4.19/4.3"): None,
        ("en", "first class, top 5 %"): None,
        ("de", "sehr gut (1,3)"): "Abschlussnote",
        ("de", "Note: 1,3"): None,
        ("de", "Gesamtnote 1,3"): None,
        ("fr", "16/20"): "Note",
        ("fr", "mention bien"): None,
        ("zh", "88/100"): "成绩",
        ("zh", "绩点 3.8"): None,
        ("ko", "평점 4.19/4.3"): None,
        ("ar", "امتياز"): "التقدير",
        ("sw", "3.8"): "Grade",
    }
    for (locale, grade), expected in cases.items():
        made = first(text.format(locale, grade))
        assert (made.grade_label and str(made.grade_label)) == expected, (locale, grade)


def test_the_header_says_what_each_personal_fact_is() -> None:
    shown = document(
        "locale: de\n"
        "contact: {birth-date: 1990-05-17, nationality: [deutsch, {en: Greek, de: griechisch}],\n"
        "  other: {Führerschein: 'Klasse *B*'}}"
    ).header.contacts
    told = [(one.kind, str(one.label), str(one.text), one.text.path[1]) for one in shown]
    assert told[0] == ("birth-date", "Geburtsdatum", "17. Mai 1990", "birth-date")
    assert told[1][:3] == ("nationality", "Staatsangehörigkeit", "deutsch")
    assert told[3] == ("other", "Führerschein", "Klasse B", "other")
