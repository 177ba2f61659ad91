"""What one page leaves out first, and why: weights, least numbers, what must stay."""

from __future__ import annotations

import pytest
from profiles import profile

from cvbuild.common.diagnostics import id_of, path_of
from cvbuild.selection.inventory import name_of
from cvbuild.selection.one_page.fit import MeasuredBlock, fit, total
from cvbuild.selection.one_page.weights import units
from cvbuild.selection.select import select

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
BLOCKS = tuple(MeasuredBlock(path_of(name), float(height)) for name, height in HEIGHTS.items())


def left_out(available: float) -> list[str]:
    selected = select(profile(CAREER), {})
    return sorted(id_of(path) for path in fit(selected, BLOCKS, available).left_out)


@pytest.mark.parametrize(
    ("available", "gone"),
    [
        (200, []),
        # Keywords count least; their head goes with them.
        (199, ["sections.2.run"]),
        (169, ["sections.1.items.1", "sections.2.run"]),
        # Each job keeps its first bullet, which is the one of the highest priority.
        (
            140,
            [
                "sections.0.items.0.bullets.1",
                "sections.0.items.1.bullets.0",
                "sections.1.items.1",
                "sections.2.run",
            ],
        ),
    ],
)
def test_the_lightest_goes_first(available: float, gone: list[str]) -> None:
    assert left_out(available) == gone


def test_a_head_goes_with_its_last_item_and_nothing_is_left_where_nothing_fits() -> None:
    selected = select(profile(CAREER), {})
    fitted = fit(selected, BLOCKS, 80)
    # 50 for the header and 30 for what matters most: the newest job and its head.
    assert total(fitted, BLOCKS) == 80
    assert ("sections", 0, "items", 1) not in fitted.left_out
    assert ("sections", 1, "items", 0) in fitted.left_out
    assert total(fit(selected, BLOCKS, 10), BLOCKS) == 50


# -------------------------------------------------------------------------------------- weights


AWARDS = ", ".join(f"{{title: t{n}, date: {2000 + n}}}" for n in range(9))
WEIGHTS = {
    "each item weighs less than the one before it, but never less than the tail": (
        f"sections: [{{kind: award, items: [{AWARDS}]}}]",
        {f"t{n}, {2000 + n}": weight
         for n, weight in enumerate((30, 30, 30, 35, 40, 45, 50, 55, 160))},
    ),
    "a step of priority is two places and orders the kind": (
        ("sections: [{kind: award, priority: 6, items: [{title: new, date: 2024},"
        " {title: old, date: 2001, priority: 8}, {title: poor, date: 2023, priority: 2}]}]"),
        {"poor, 2023": 20, "new, 2024": 65, "old, 2001": 190},
    ),
    "what is below the middle is not among the first": (
        "sections: [{kind: award, priority: 4, items: [{title: t}]}]", {"t": 50}
    ),
    "without dates the place in the file counts": (
        "sections: [{kind: talk, items: [{title: a}, {title: b}, {title: c}]}]", ["c", "b", "a"]
    ),
    "an item without a date has that of its neighbour": (
        ("sections: [{kind: talk, items: [{title: a}, {title: b, date: 2020},"
        " {title: c, date: {text: soon}}, {title: d, date: 2010}]}]"),
        ["d, 2010", "c, soon", "b, 2020", "a"],
    ),
    "a section without dates is in the middle of its kind": (
        ("sections: [{kind: talk, items: [{title: a, date: 2024}, {title: b, date: 2020},"
        " {title: c, date: 2001}]}, {kind: talk, items: [{title: x}, {title: y}]}]"),
        ["c, 2001", "y", "x", "b, 2020", "a, 2024"],
    ),
    "a text before everything else is a summary, one after it a motto": (
        ("interests: [chess]\nsections: [{kind: text, items: About me},"
        " {kind: award, items: [{title: t}]}, {kind: text, items: Motto}]"),
        {"Motto": 15, "chess": 15, "t": 160, "About me": 160},
    ),
    "bullets go before their item, the first one last": (
        ("sections: [{kind: experience, items: [{employer: E,"
        " bullets: [a, {text: b, priority: 9}, {text: c, priority: 2}]}]}]"),
        {"c (E)": 50, "a (E)": 85, "b (E)": 200, "E": 200},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_and_their_order(name: str) -> None:
    """The units by their words, the lightest first; a list has their order alone."""
    text, expected = WEIGHTS[name]
    person = profile(text)
    weights = {name_of(person, unit.path): unit.weight for unit in units(select(person, {}))}
    assert [*weights] == [*expected]
    assert isinstance(expected, list) or weights == expected


def test_no_section_of_a_kind_goes_for_the_newer_items_of_another() -> None:
    person = profile("""
sections:
  - kind: education
    items:
      - {institution: A, degree: PhD, date: 2007}
      - {institution: B, degree: MSc, date: 2002}
  - kind: education
    title: Students
    items:
      - {institution: C, degree: PhD, date: 2023}
      - {institution: D, degree: PhD, date: 2022}
""")
    first = [id_of(unit.path) for unit in units(select(person, {})) if unit.is_first]
    assert first == ["sections.0.items.0", "sections.1.items.0"]


def test_bullets_of_roles_count_on_and_those_of_a_role_that_is_out_are_none() -> None:
    person = profile(
        "sections: [{kind: experience, items: [{employer: E, roles: [{title: R, tags: a,"
        " bullets: [B]}, {title: S, bullets: [C, D]}]}]}]\nvariants: {v: {exclude: a}}"
    )
    assert [id_of(unit.path) for unit in units(select(person, {}, "v"))] == [
        "sections.0.items.0.roles.1.bullets.1",
        "sections.0.items.0.roles.1.bullets.0",
        "sections.0.items.0",
    ]
    count = [unit.weight for unit in units(select(person, {})) if not unit.is_item]
    assert count == [80, 85, 200]


# ----------------------------------------------------------------------------------------- keep


KEPT = {
    "the nearest word counts": (
        """
        sections:
          - kind: experience
            keep: true
            items:
              - {employer: a, bullets: [b]}
              - {employer: c, keep: false, bullets: [d]}
              - {employer: e, bullets: [{text: f, keep: false}]}
            groups:
              - {title: G, keep: false, items: [{employer: g}, {employer: h, keep: true}]}
        """,
        {"0.items.0", "0.items.0.bullets.0", "0.items.2", "0.groups.0.items.1"},
    ),
    "an interest keeps its run": (
        """
        name: Ada Example
        interests: [a, {name: b, keep: true}]
        sections: [{kind: experience, items: [{employer: a}]}]
        """,
        {"interests.run"},
    ),
    "a bullet or role keeps its item, a keyword its run": (
        """
        sections:
          - kind: experience
            items:
              - {employer: a, roles: [{title: r, keep: true, bullets: [b]}], bullets: [c]}
              - {employer: d, roles: [{title: s, keep: true}]}
          - {kind: keywords, items: [x, {text: y, keep: true}]}
        """,
        {"0.items.0", "0.items.0.roles.0.bullets.0", "0.items.1", "1.run"},
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_must_stay(name: str) -> None:
    text, expected = KEPT[name]
    every = units(select(profile(text), {}))
    kept = {id_of(unit.path).removeprefix("sections.") for unit in every if unit.kept_by}
    assert kept == expected


# ------------------------------------------------------------------------------- what fills up


def test_what_counts_little_does_not_take_the_room_of_what_is_left_out() -> None:
    selected = select(
        profile("interests: [chess]\nsections: [{kind: award, items: [{title: a}, {title: b}]}]"),
        {},
    )
    heights = {"interests.run": 10, "sections.0.items.0": 10, "sections.0.items.1": 20}
    blocks = tuple(MeasuredBlock(path_of(name), float(high)) for name, high in heights.items())
    # Room for the interests is left, but an award is out.
    out = {("interests", "run"), ("sections", 0, "items", 1)}
    assert fit(selected, blocks, 25).left_out == out
    assert fit(selected, blocks, 30).left_out == {("interests", "run")}
