"""What templates get to see: ranges of pages, phone numbers, networks and all other fields."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from profiles import profile

from cvbuild.model.contact import NETWORKS, is_phone_number, phone_link
from cvbuild.selection.select import select
from cvbuild.view import builder, types
from cvbuild.view.types import Document

ROWS = yaml.safe_load(Path(__file__).with_name("views.yaml").read_text("utf-8"))


def document(text: str, **options: object) -> Document:
    return builder.build(select(profile(text), options), options)


def first(text: str) -> types.Item:
    item = document(text).sections[0].groups[0].items[0]
    assert isinstance(item, types.Item)
    return item


PUBLICATION = """
name: {{given: Guoliang, family: He, author: [G. L. He], short: G. He}}
sections:
  - kind: publication
    items:
      - {{title: T, authors: [{authors}], date: 2025, venue: {venue}}}
"""


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


@pytest.mark.parametrize(("locale", "grade", "label"), ROWS["grades"])
def test_a_grade_that_does_not_say_what_it_is_gets_a_label(
    locale: str, grade: str, label: str | None
) -> None:
    item = f"{{institution: U, grade: {grade!r}}}"
    made = first(f"locale: {locale}\nsections: [{{kind: education, items: [{item}]}}]")
    assert (made.grade_label and str(made.grade_label)) == label


@pytest.mark.parametrize(("written", "shown"), ROWS["pages"].items())
def test_ranges_of_pages(written: str, shown: str) -> None:
    text = f'sections: [{{kind: publication, items: [{{title: T, pages: "{written}"}}]}}]'
    (section,) = profile(text).sections
    assert section.items[0].pages == shown  # type: ignore[attr-defined]


@pytest.mark.parametrize(("number", "link"), ROWS["numbers"])
def test_a_link_of_a_phone_number(number: str, link: str | None) -> None:
    assert is_phone_number(number)
    assert phone_link(number) == link


@pytest.mark.parametrize("text", ROWS["none"])
def test_what_is_no_number(text: str) -> None:
    assert not is_phone_number(text)


def test_each_network_has_a_page() -> None:
    assert len(NETWORKS) >= 30
    for name, network in NETWORKS.items():
        if name not in ("mastodon", "personal"):
            page = network.address("ada-1")
            assert page.startswith("https://"), name
            assert page.endswith("ada-1"), name
            assert network.address(page) == page
