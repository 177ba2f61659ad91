"""What templates get to see: ranges of pages, phone numbers, networks and all other fields."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from profiles import main_words, person_of, profile
from pydantic_core import PydanticCustomError
from told import rows

from cvbuild.common.diagnostics import ProfileError, id_of
from cvbuild.inputs.references.identity import persons
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.contact import NETWORKS, Name, is_phone_number, phone_link
from cvbuild.model.locales.dates import Date, Point
from cvbuild.model.sections import Author
from cvbuild.selection.select import require, select
from cvbuild.selection.selected import Selected
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


DATES = yaml.safe_load(Path(__file__).with_name("dates.yaml").read_text("utf-8"))
BAD = [(value, code) for code, values in DATES["bad"].items() for value in values]
LONG = {"start": "2020", "end": "2026 (expected)" + " (expected)" * 1500}


def written(date: Date) -> str:
    if date.text is not None:
        return f"text {date.text}"
    parts = [point(one) for one in (date.start, date.end) if one]
    said = " to ".join([*parts, *["present"] * date.present]) + ", expected" * date.expected
    return f"{said} of {', '.join(map(written, date.several))}" if date.several else said


def point(of: Point) -> str:
    if of.season:
        return f"{of.season} {of.year}"
    return "-".join([str(of.year), *(f"{number:02}" for number in (of.month, of.day) if number)])


@pytest.mark.parametrize(("date", "texts"), DATES["good"].items())
def test_what_is_a_date(date: str, texts: list[str]) -> None:
    assert [written(Date.of(text)) for text in texts] == [date] * len(texts)


@pytest.mark.parametrize(("value", "date"), DATES["mappings"])
def test_mappings(value: object, date: str) -> None:
    assert written(Date.of(value)) == date


@pytest.mark.parametrize(
    ("value", "code"), [*BAD, ("expected " * 2000, "date_form"), (LONG, "date_form")]
)
def test_what_is_none(value: object, code: str) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        Date.of(value)
    assert caught.value.type == code
    message = caught.value.message()
    assert message
    assert not {"dict", "list", "NoneType", "bool", "{", "["} & set(message.split())


def test_an_error_in_a_mapping_tells_its_key() -> None:
    for value, key in (
        ({"start": "x"}, "start"),
        ({"start": "2020", "end": "x"}, "end"),
        ({"start": "2020", "end": "2019"}, "end"),
        ({"text": " "}, "text"),
        ({"start": "2020", "ende": "x"}, "ende"),
    ):
        with pytest.raises(PydanticCustomError) as caught:
            Date.of(value)
        assert (caught.value.context or {})["key"] == key


def test_newer_dates_sort_higher() -> None:
    order = [
        "2017", "2018-03", "2018-11", "2018", "2019-05-01", "2019-05-02", "2019-05", "Summer 2019",
        "Fall 2019", "Winter 2019", "2015 to 2020", "2016 to 2020", "2016 to 2021",
        "2010 to present", "2011 to present",
    ]  # fmt: skip
    keys = [Date.of(text).sort_key for text in order]
    assert all(key is not None for key in keys)
    assert keys == sorted(keys, key=lambda key: key or ())


def test_words_with_a_year_sort_by_it() -> None:
    assert Date.of({"text": "in press"}).sort_key is None
    for words, like in (
        ("2026 (voraussichtlich)", "2026"),
        ("to appear in May 2026", "2026-05"),
        ("about 2012, again in 2014-03", {"start": "2012", "end": "2014-03"}),
        ("NeurIPS 2025", "2025"),
    ):
        assert Date.of({"text": words}).sort_key == Date.of(like).sort_key
    assert Date.of({"text": "No. 20261"}).sort_key is None


def test_what_is_expected_has_its_place_among_the_dates() -> None:
    order = ["2025", "May 2026 (expected)", "2022 to 2026 (expected)", "2026", "expected 2027"]
    keys = [Date.of(text).sort_key or () for text in order]
    assert keys == sorted(keys)
    assert Date.of("2026 (expected)").lone_year is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2020", 2020),
        ("2020-01", None),
        ("Fall 2020", None),
        ("2019-2020", None),
        ("2020 to now", None),
    ],
)
def test_a_lone_year(text: str, year: int | None) -> None:
    assert Date.of(text).lone_year == year


def test_a_date_is_kept_as_it_is() -> None:
    date = Date.of("2020")
    assert Date.of(date) is date


def found(name: object, *authors: object) -> list[int]:
    people = [Author.model_validate(author) for author in authors]
    person = Name.model_validate(name)
    return [n for n, is_person in enumerate(persons(people, person)) if is_person]


AUTHORS = yaml.safe_load(Path(__file__).with_name("authors.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("name", "authors", "numbers"), AUTHORS)
def test_who_is_me(name: object, authors: list[object], numbers: list[int]) -> None:
    assert found(name, *authors) == numbers


@pytest.mark.parametrize(
    ("text", "name", "marks"),
    [
        ("A. B.", "A. B.", ""), ("A. B.*", "A. B.", "*"), ("A. B. * †", "A. B.", "*†"),
        ("A. B.‡‡", "A. B.", "‡‡"), ("*A. B.", "*A. B.", ""), ("A*B", "A*B", ""),
    ],
)  # fmt: skip
def test_marks_after_a_name(text: str, name: str, marks: str) -> None:
    author = Author.model_validate(text)
    assert (author.name, author.marks) == (name, marks)


@pytest.mark.parametrize(
    ("given", "family", "shown"),
    [
        ("伟", "甄", "甄伟"), ("さくら", "鈴木", "鈴木さくら"), ("민수", "김", "김민수"),
        ("ジョン", "スミス", "ジョン スミス"),
        ("Wei", "甄", "Wei 甄"), ("Ada", "Example", "Ada Example"),
    ],
)  # fmt: skip
def test_the_order_of_a_names_parts(given: str, family: str, shown: str) -> None:
    assert Name.model_validate({"given": given, "family": family}).display == shown


@pytest.mark.parametrize("row", rows("selected.txt"))
def test_what_is_shown_in_which_order(row: list[str]) -> None:
    person = profile(row[0])
    for one in row[1:]:
        rule, _, expected = one.partition(": ")
        options = {"publications": float(rule)} if rule.isdecimal() else {}
        variant = None if options else rule or None
        shown = main_words(select(person, options, variant), person.sections[0].kind)
        assert ", ".join(shown) == expected.strip(), rule


def test_sections_keep_the_files_order_unless_the_template_has_one() -> None:
    person = profile(
        """
        summary: S
        interests: [I]
        sections:
          - {kind: skill, items: [A]}
          - {kind: bullets, items: [B]}
          - {kind: award, items: [{title: C}]}
          - {kind: bullets, items: [D]}
        """
    )
    kinds = [section.kind for section in select(person, {}).sections]
    assert kinds == ["summary", "interests", "skill", "bullets", "award", "bullets"]
    ordered = select(person, {"sections": ("award", "summary", "skill")})
    kinds = [section.kind for section in ordered.sections]
    assert kinds == ["interests", "award", "summary", "skill", "bullets", "bullets"]


def test_interests_below_the_sections_come_last() -> None:
    text = "sections: [{kind: skill, items: [A]}, {kind: award, items: [{title: B}]}]"
    person = profile(f"{text}\ninterests: [I]\nsummary: S")
    for rules, order in (
        ({}, ["summary", "skill", "award", "interests"]),
        ({"sections": ("award",)}, ["summary", "award", "skill", "interests"]),
        ({"sections": ("interests",)}, ["summary", "interests", "skill", "award"]),
    ):
        assert [section.kind for section in select(person, rules).sections] == order


#: Something of every sort, with tags where a thing can have them.
WHOLE = person_of("of-every-sort")


def chosen(rules: str, **options: object) -> Selected:
    person = profile(f"{WHOLE}\nvariants: {{v: {{{rules}}}}}")
    return select(person, options, "v")


def gone(selected: Selected) -> dict[str, str]:
    return {id_of(one.path): one.reason for one in selected.out}


#: The sections by one letter each.
X, P, Q, T, K = (f"sections.{number}" for number in range(5))


@pytest.mark.parametrize("row", rows("left-out.txt"))
def test_what_a_rule_leaves_out_and_why(row: list[str]) -> None:
    letters = {"X": X, "P": P, "Q": Q, "T": T, "K": K}
    expected = {}
    for why, *paths in (line.split() for line in row[1:]):
        for head, *rest in (path.split(".") for path in paths):
            expected[".".join([letters.get(head, head), *rest])] = why.rstrip(":")
    assert gone(chosen(row[0].strip())) == expected


def test_why_is_said_in_words_with_the_place_of_the_rule() -> None:
    selected = chosen("include: not teaching, since: 2012, limit: {publication: 1}, without: skill")
    told = {id_of(one.path): (one.words, id_of(one.rule)) for one in selected.out}
    assert told == {
        f"{X}.items.1": ("since: 2012; it ended in 2005-03", "variants.v.since."),
        f"{P}.items.0": ("limit: 1; keep: newest", "variants.v.limit.publication"),
        f"{P}.items.1": ("limit: 1; keep: newest", "variants.v.limit.publication"),
        f"{P}.groups.0.items.1": ("limit: 1; keep: newest", "variants.v.limit.publication"),
        f"{T}.items.0": ("include: not teaching; its tags: teaching", "variants.v.include"),
        f"{T}.items.1": ("include: not teaching; its tags: teaching", "variants.v.include"),
        K: ("without: skill", "variants.v.without.0"),
    }


def test_an_employer_stays_without_its_roles_and_a_section_goes_with_its_last_item() -> None:
    selected = chosen("exclude: lead or ml or systems, kinds: experience")
    assert main_words(selected, "experience") == ["ongoing", "no tags"]
    selected = chosen("include: nothing, kinds: [skill, teaching]")
    assert [section.kind for section in selected.sections] == ["skill"]
    person = profile(
        "sections: [{kind: experience, items: [{employer: E, roles: [{title: R, tags: a}]}]}]\n"
        "variants: {v: {exclude: a}}"
    )
    selected = select(person, {}, "v")
    assert main_words(selected, "experience") == ["E"]
    assert selected.left_out == {("sections", 0, "items", 0, "roles", 0)}


def test_what_is_kept_stays_in_its_order() -> None:
    selected = chosen("limit: {publication: 3, preprints: 0}, keep: priority")
    assert main_words(selected, "publication") == ["p2", "p3", "p4"]
    assert main_words(chosen("limit: {publication: 3, preprints: 0}"), "publication") == [
        "p1", "p2", "p3",
    ]  # fmt: skip


def test_the_variants_limit_goes_before_the_templates() -> None:
    selected = chosen("limit: {publication: 2}", publications=2.0)
    assert gone(selected) == {
        f"{P}.items.1": "limit",
        f"{P}.groups.0.items.1": "limit",
        f"{P}.items.0": "limit",
    }
    assert [id_of(out.path) for out in selected.out if not out.rule] == [f"{P}.items.0"]
    words = {one.words for one in selected.out if one.reason == "limit"}
    assert words == {"limit: 2; keep: newest", "publications: 2; the template's limit"}


def test_sections_that_a_variant_names_come_before_those_of_the_template() -> None:
    selected = chosen("order: [skill, preprints, interests]", sections=("teaching", "summary"))
    names = [section.names[0] for section in selected.sections]
    assert names == [
        "skill", "preprints", "interests", "teaching", "summary", "experience", "publication",
    ]  # fmt: skip


def test_a_title_is_the_variants_the_persons_or_none() -> None:
    selected = chosen("titles: {publication: Papers, summary: About}")
    told = {s.names[0]: (str(s.title), id_of(s.title_path)) for s in selected.sections if s.title}
    assert told == {
        "summary": ("About", "variants.v.titles.summary"),
        "publication": ("Papers", "variants.v.titles.publication"),
        "preprints": ("Papers", "variants.v.titles.publication"),
    }
    selected = chosen("titles: {preprints: Drafts, publication: Papers}")
    assert [str(s.title) for s in selected.sections if s.kind == "publication"] == [
        "Papers", "Drafts",
    ]  # fmt: skip
    assert [str(s.title) for s in chosen("").sections if s.title] == ["Preprints"]


def test_a_variant_that_selects_nothing_is_an_error_at_its_name() -> None:
    text = f"name: A B\n{WHOLE}\nvariants:\n  none:\n    kinds: teaching\n"
    text += "    since: 2011\n    limit: 0\n"
    source = parse(text, "a.yaml")
    line = text.split("\n").index("  none:") + 1
    with pytest.raises(ProfileError) as caught:
        require(select(validate(source), {}, "none"), source)
    assert str(caught.value) == (
        f'a.yaml:{line}:3: the variant "none" selects nothing;'
        " kinds leaves out 6, since leaves out 1, limit leaves out 1"
    )


def test_a_rule_may_be_as_long_as_this() -> None:
    chosen(f"include: not {'a or ' * 99}a")
    with pytest.raises(ProfileError, match="more than 200 words"):
        chosen(f"include: {'a or ' * 100}a")
