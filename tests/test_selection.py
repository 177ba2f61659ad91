"""What is shown, in which order, and what one page leaves out."""

from __future__ import annotations

import random

import pytest
from profiles import profile

from cvbuild.fit import Block, blocks, fit, total
from cvbuild.selection import Selected, id_of, path_of, select


def shown(selected: Selected, kind: str) -> list[str]:
    """The main words of every item of the kind, in order."""
    return [
        str(getattr(item, "title", None) or getattr(item, "text", None) or item)
        for section in selected.sections
        if section.kind == kind
        for group in section.groups
        for path, item in group.items
    ]


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


def test_newest_first_and_equal_dates_keep_their_order() -> None:
    assert shown(select(profile(AWARDS), {}), "award") == [
        "open", "year", "ended", "fall", "spring", "first of two", "second of two", "old",
        "words", "none",
    ]  # fmt: skip


def test_order_of_the_file_where_the_person_says_so() -> None:
    text = AWARDS.replace("kind: award", "kind: award\n    order: file")
    assert shown(select(profile(text), {}), "award")[:3] == ["words", "old", "none"]


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


def test_private_parts_are_left_out_with_all_that_is_below_them() -> None:
    person = profile(
        """
        contact:
          email: [{address: a@example.org, private: true}, b@example.org]
        sections:
          - kind: experience
            items:
              - employer: Open
                bullets: [one, {text: two, private: true}]
              - {employer: Hidden, private: true}
          - {kind: skill, private: true, items: [Secret]}
          - kind: award
            groups:
              - {title: G, private: true, items: [{title: X}]}
        """
    )
    selected = select(person, {})
    assert [section.kind for section in selected.sections] == ["experience"]
    assert {id_of(path) for path in selected.left_out} == {
        "contact.email.0",
        "sections.0.items.0.bullets.1",
        "sections.0.items.1",
        "sections.1",
        "sections.2.groups.0",
    }


def test_a_limit_keeps_the_highest_priority_then_the_newest() -> None:
    person = profile(
        """
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
    )
    assert shown(select(person, {"publications": 3.0}), "publication") == ["b", "a", "d"]
    assert shown(select(person, {"publications": 0.0}), "publication") == ["b", "a", "c", "d"]


def test_ids_and_paths_are_the_same_thing() -> None:
    path = ("sections", 3, "items", 12, "bullets", 0)
    assert path_of(id_of(path)) == path


def test_heights_are_differences_on_each_page() -> None:
    found = blocks(
        [("header", 1, 100.0), ("textheight", 0, 700.0), ("summary.0", 1, 130.0), ("s", 2, 20.0)]
    )
    assert found == (
        Block(("header",), 100.0),
        Block(("summary", 0), 30.0),
        Block(("s",), 20.0),
    )


CAREER = """
sections:
  - kind: experience
    items:
      - employer: Old
        date: 2001
        bullets: [a, b]
      - employer: New
        date: 2020
        bullets: [c, {text: d, priority: 9}]
  - kind: award
    items:
      - {title: kept, date: 1990, priority: 9}
      - {title: lost, date: 1991, priority: 1}
  - kind: keywords
    items: [k, l]
"""
HEIGHTS = {
    "header": 50, "sections.0": 20, "sections.0.items.0": 10, "sections.0.items.0.bullets.0": 10,
    "sections.0.items.0.bullets.1": 10, "sections.0.items.1": 10,
    "sections.0.items.1.bullets.0": 10, "sections.0.items.1.bullets.1": 10, "sections.1": 20,
    "sections.1.items.0": 10, "sections.1.items.1": 10, "sections.2": 20, "sections.2.run": 10,
}  # fmt: skip
BLOCKS = tuple(Block(path_of(name), float(height)) for name, height in HEIGHTS.items())


def left_out(available: float) -> list[str]:
    selected = select(profile(CAREER), {})
    return sorted(id_of(path) for path in fit(selected, BLOCKS, available).left_out)


def test_the_whole_is_the_sum_of_its_blocks() -> None:
    assert total(select(profile(CAREER), {}), BLOCKS) == sum(HEIGHTS.values()) == 200


@pytest.mark.parametrize(
    ("available", "gone"),
    [
        (200, []),
        (199, ["sections.1.items.1"]),
        (189, ["sections.0.items.0.bullets.1", "sections.1.items.1"]),
        # The whole old employer goes before the newer one loses anything.
        (
            160,
            [
                "sections.0.items.0",
                "sections.0.items.0.bullets.0",
                "sections.0.items.0.bullets.1",
                "sections.1.items.1",
            ],
        ),
    ],
)
def test_lowest_priority_then_oldest_goes_first(available: float, gone: list[str]) -> None:
    assert left_out(available) == gone


def test_a_head_goes_with_its_last_item() -> None:
    selected = select(profile(CAREER), {})
    fitted = fit(selected, BLOCKS, 80)
    # 50 for the header and 30 for what matters most: the award and its head.
    assert total(fitted, BLOCKS) == 80
    assert ("sections", 1, "items", 0) not in fitted.left_out
    assert ("sections", 0, "items", 1) in fitted.left_out


def test_nothing_is_left_where_nothing_fits() -> None:
    selected = select(profile(CAREER), {})
    assert total(fit(selected, BLOCKS, 10), BLOCKS) == 50


def test_a_long_career_fits_whatever_the_room_is() -> None:
    """Two thousand items with random dates, priorities and heights; the sum is checked anew."""
    chance = random.Random(7)
    items = "\n".join(
        f"      - {{title: t{n}, date: {chance.randint(1980, 2025)},"
        f" priority: {chance.randint(0, 9)}}}"
        for n in range(2000)
    )
    selected = select(profile(f"sections:\n  - kind: award\n    items:\n{items}"), {})
    heights = [Block(("header",), 60.0), Block(("sections", 0), 20.0)]
    heights += [
        Block(path, chance.uniform(8, 40)) for path, _ in selected.sections[0].groups[0].items
    ]
    for room in (61, 100, 700, 5000):
        fitted = fit(selected, heights, room)
        kept = [block for block in heights[2:] if block.path not in fitted.left_out]
        assert total(fitted, heights) == pytest.approx(
            60 + sum(block.height for block in kept) + (20 if kept else 0)
        )
        assert total(fitted, heights) <= room
        rest = [b.height for b in heights[2:] if b.path in fitted.left_out]
        assert not kept or min(rest) > room - total(fitted, heights)
