"""Which items are shown, and in which order."""

from __future__ import annotations

from profiles import main_words, profile

from cvbuild.selection.select import select

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
