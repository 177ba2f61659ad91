"""Which items are shown, in which order; what each rule of a variant leaves out, and why."""

from __future__ import annotations

import pytest
from profiles import main_words, person_of, profile

from cvbuild.common.diagnostics import id_of
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.selection.select import require, select
from cvbuild.selection.selected import Selected

AWARDS = """
sections:
  - kind: award
    items:
      - {title: words, date: {text: in press}}
      - {title: old, date: 2015}
      - {title: none}
      - {title: open, date: 2014 to present}
      - {title: ended, date: 2014 to 2020-03}
      - {title: year, date: 2020}
      - {title: fall, date: Fall 2019}
      - {title: spring, date: Spring 2019}
      - {title: first of two, date: 2018-05}
      - {title: second of two, date: 2018-05}
"""


def titles(text: str, kind: str, variant: str | None = None, **options: object) -> list[str]:
    """The main words of the items of a kind that a person's YAML text shows."""
    return main_words(select(profile(text), options, variant), kind)


def test_newest_first_and_equal_dates_keep_their_order() -> None:
    assert titles(AWARDS, "award") == [
        "open", "year", "ended", "fall", "spring", "first of two", "second of two", "old",
        "words", "none",
    ]  # fmt: skip


def test_order_of_the_file_where_the_person_says_so() -> None:
    text = AWARDS.replace("kind: award", "kind: award\n    order: file")
    assert titles(text, "award")[:3] == ["words", "old", "none"]


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


def test_a_limit_keeps_the_highest_priority_then_the_newest() -> None:
    text = """
        sections:
          - kind: publication
            groups:
              - title: G
                items:
                  - {title: a, authors: [X], date: 2020}
                  - {title: b, authors: [X], date: 2021}
              - title: H
                priority: 4
                items:
                  - {title: c, authors: [X], date: 2024}
                  - {title: d, authors: [X], date: 2010, priority: 9}
        """
    assert titles(text, "publication", publications=3.0) == ["b", "a", "d"]
    assert titles(text, "publication", publications=0.0) == ["b", "a", "c", "d"]


def test_a_limit_keeps_what_must_be_kept() -> None:
    text = """
        sections:
          - kind: publication
            items:
              - {title: a, authors: [X], date: 2020, keep: true, priority: 1}
              - {title: b, authors: [X], date: 2021}
        variants: {v: {limit: 1}}
        """
    assert titles(text, "publication", publications=1.0) == ["a"]
    assert titles(text, "publication", "v") == ["a"]


UNDATED = """
sections:
  - kind: award
    items:
      - {title: in press, date: {text: in press}}
      - {title: old, date: 2015}
      - {title: below old}
      - {title: new, date: 2020}
      - {title: below new}
variants: {v: {limit: 3}, w: {limit: 4}}
"""


def test_a_limit_ranks_what_has_no_date_with_the_item_above_it() -> None:
    assert titles(UNDATED, "award", "v") == ["new", "in press", "below new"]
    assert titles(UNDATED, "award", "w") == ["new", "old", "in press", "below new"]


def test_a_limit_keeps_the_newest_in_the_order_of_the_person() -> None:
    text = UNDATED.replace("kind: award", "kind: award\n    order: file")
    assert titles(text, "award", "v") == ["in press", "new", "below new"]
    undated = "sections: [{kind: bullets, items: [a, b, c]}]\nvariants: {v: {limit: 2}}"
    assert titles(undated, "bullets", "v") == ["a", "b"]


def test_a_limit_over_groups_treats_a_group_without_dates_as_of_the_middle() -> None:
    text = """
        sections:
          - kind: publication
            groups:
              - {title: Old, items: [{title: a, authors: [X], date: 2010}]}
              - {title: Under review, items: [{title: b, authors: [X], date: {text: submitted}}]}
              - {title: New, items: [{title: c, authors: [X], date: 2020}]}
        """
    assert titles(text, "publication", publications=2.0) == ["b", "c"]


#: Something of every sort, with tags where a thing can have them.
WHOLE = person_of("of-every-sort")


def chosen(rules: str, **options: object) -> Selected:
    """What a variant with these rules shows of the whole."""
    person = profile(f"{WHOLE}\nvariants: {{v: {{{rules}}}}}")
    return select(person, options, "v")


def gone(selected: Selected) -> dict[str, str]:
    """{path: reason} of what is out."""
    return {id_of(one.path): one.reason for one in selected.out}


#: The sections by one letter each.
X, P, Q, T, K = (f"sections.{number}" for number in range(5))
#: What a rule leaves out, by the reason: ids, whose sections have their letters.
RULES: dict[str, dict[str, str]] = {
    "include: systems": {
        "tags": (
            "X.items.1.bullets.1 X.items.2 P.items.1 P.groups.0.items.0 P.groups.0.items.1 "
            "T.items.0 T.items.1 K.items.1"
        ),
    },
    "exclude: lead or ml": {
        "tags": (
            "X.items.0.roles.0 X.items.0.roles.1.bullets.1 X.items.1.bullets.1 X.items.2 "
            "P.groups.0.items.0 K.items.1"
        ),
    },
    "include: research, exclude: not systems, kinds: publication": {
        "section": "summary interests X T K",
        "tags": "P.items.1 P.groups.0.items.0 P.groups.0.items.1 Q.items.0",
    },
    "without: [summary, preprints, skill]": {
        "section": "summary Q K",
    },
    "kinds: [preprints, teaching], since: 2011": {
        "section": "summary interests X P K",
        "since": "T.items.0",
    },
    # March 2005 may have been its last day.
    "since: 2005-04": {
        "since": "X.items.1",
    },
    "since: 2005-03-31": {},
    "since: {experience: 2016, preprints: 2023, publication: 2020}": {
        "since": "X.items.1 P.items.1 P.groups.0.items.1 Q.items.0",
    },
    "limit: 1": {
        "limit": (
            "X.items.0 X.items.1 X.items.2 P.items.0 P.items.1 P.groups.0.items.1 T.items.1 "
            "K.items.1"
        ),
    },
    "limit: {publication: 2, skill: 0, preprints: 5}, keep: priority": {
        "limit": "P.items.0 P.items.1 K.items.0 K.items.1",
    },
    "include: systems, since: 2021, limit: {publication: 0}": {
        "since": "X.items.0 X.items.1 P.items.0",
        "tags": (
            "X.items.2 P.items.1 P.groups.0.items.0 P.groups.0.items.1 T.items.0 T.items.1 "
            "K.items.1"
        ),
        "limit": "Q.items.0",
    },
}


@pytest.mark.parametrize("rules", RULES)
def test_what_a_rule_leaves_out_and_why(rules: str) -> None:
    letters = {"X": X, "P": P, "Q": Q, "T": T, "K": K}
    expected = {
        ".".join([letters.get(head, head), *rest]): why
        for why, paths in RULES[rules].items()
        for head, *rest in (path.split(".") for path in paths.split())
    }
    assert gone(chosen(rules)) == expected


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
    assert [id_of(path) for path in selected.limited] == [f"{P}.items.0"]
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


@pytest.mark.parametrize(
    ("longest", "longer", "told"),
    [
        ("not " + "a or " * 99 + "a", "a or " * 100 + "a", "more than 200 words"),
        ("(" * 19 + "a" + ")" * 19, "(" * 20 + "a" + ")" * 20, "too many brackets inside"),
    ],
)
def test_a_rule_may_be_as_long_as_this(longest: str, longer: str, told: str) -> None:
    chosen(f"include: {longest}")
    with pytest.raises(ProfileError, match=told):
        chosen(f"include: {longer}")
