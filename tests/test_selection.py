"""Which items are shown, in which order; what each rule of a variant leaves out, and why."""

from __future__ import annotations

import pytest
from profiles import main_words, person_of, profile
from told import rows

from cvbuild.common.diagnostics import id_of
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.selection.select import require, select
from cvbuild.selection.selected import Selected


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


def test_a_rule_may_be_as_long_as_this() -> None:
    chosen(f"include: not {'a or ' * 99}a")
    with pytest.raises(ProfileError, match="more than 200 words"):
        chosen(f"include: {'a or ' * 100}a")
