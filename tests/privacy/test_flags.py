"""What is private is out of the data of public documents, and what a flag may not hide."""

from __future__ import annotations

import pytest
from privacy.private_rows import ADA, CORPUS, data, leaves, mirrors, rows, write
from pydantic import TypeAdapter, ValidationError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import person_file, privacy
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.model import Profile


def public(text: str) -> Source:
    return privacy.public(parse(text, "a.yaml"))


def everything(text: str) -> object:
    return privacy.everything(parse(text, "a.yaml")).data


@pytest.mark.parametrize(("written", "left", "whole"), rows("left.txt"))
def test_what_is_left(written: str, left: str, whole: str) -> None:
    made = public(written)
    assert made.data == data(left)
    assert mirrors(made.data, made.tree)
    assert made.text == ""
    assert everything(written) == data(whole)


def test_what_holds_nothing_private_is_not_copied() -> None:
    given = parse((CORPUS / "full.yaml").read_text(encoding="utf-8"), "a.yaml")
    assert privacy.everything(given).tree is given.tree
    assert privacy.everything(given).data is given.data


def test_flags_mean_what_they_mean_to_the_model() -> None:
    """Else a flag that the model reads as a yes could leave a thing public."""
    flag: TypeAdapter[bool] = TypeAdapter(bool)
    words = "true True TRUE false yes No on OFF t f y n 1 0 2 maybe truee none null - tru ja"
    for word in words.split():
        try:
            meant: bool | None = flag.validate_python(word)
        except ValidationError:
            meant = None
        item = public(f"a: x\nb: [{{c: y, private: '{word}'}}]")
        value = public(f"a: x\nb: {{value: y, private: '{word}'}}")
        assert ("b" in item.data) == ("b" in value.data) == (meant is False), word  # type: ignore[operator]
        faults = list(privacy.faults(parse(f"b: {{value: y, private: '{word}'}}", "a.yaml")))
        assert bool(faults) == (meant is None), word


def test_places_stay_right_behind_what_was_taken_out() -> None:
    given = public(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: award, private: true, items: [{title: One}]}\n"
        "- kind: award\n"
        "  items:\n"
        "  - {title: Two, private: true}\n"
        "  - title: Three\n"
        "    awarder: {value: Four, private: true}\n"
        "    summary: {value: Five, private: false}\n"
    )
    path: FieldPath = ("sections", 0, "items", 0)
    assert given.span((*path, "title")).line == 7
    assert (given.span((*path, "summary")).line, given.span((*path, "summary")).column) == (9, 22)
    assert given.key_span((*path, "summary")).column == 5
    assert [(one.path, one.span.line, one.texts) for one in given.private] == [
        (("sections", 0), 3, ("One",)),
        (("sections", 1, "items", 0), 6, ("Two",)),
        (("sections", 1, "items", 1, "awarder"), 8, ("Four",)),
    ]


def wrapped(source: Source, path: FieldPath) -> Source:
    value, node = source.part(path)
    flag = Node(node.place, node.place)
    outer = Node(node.place, node.key, {"value": node, "private": flag})
    return source.grafted(path, {"value": value, "private": "true"}, outer)


def test_any_field_may_be_private() -> None:
    """Each of a long CV in turn: the public part lacks it, or can't do without it and says so."""
    given = parse((CORPUS / "full.yaml").read_text(encoding="utf-8"), "a.yaml")
    assert validate(given)
    tried = [(path, text) for path, text in leaves(given.data) if path[0] != "options"]
    assert len(tried) > 150
    refused = steering = 0
    for path, text in tried:
        one = wrapped(given, path)
        faults = list(privacy.faults(one))
        if faults:
            assert str(faults[0].message).endswith(" can't be private"), path
            assert {"kind", "id", "order", "tags", "priority", "me", "numbering"} & set(path[-2:])
            steering += 1
            continue
        shown = privacy.everything(one)
        assert shown.data == given.data
        left = privacy.public(one)
        assert [(h.path, h.texts) for h in left.private] in ([(path, (text,))], [(path, ())])
        assert left.data != given.data
        try:
            Profile.model_validate(left.data)
        except ValidationError:
            profile, faults = person_file._public(left, shown)
            assert profile is None
            assert faults
            assert {fault.span for fault in faults} == {left.private[0].span}
            assert all("can't be private" in fault.message for fault in faults)
            refused += 1
    assert steering > 10
    assert 20 < refused < len(tried) - steering - 100


@pytest.mark.parametrize(("written", "said"), [(*row, "")[:2] for row in rows("flags.txt")])
def test_flags_that_are_refused(written: str, said: str) -> None:
    given = parse(written, "a.yaml")
    found = [f"{fault.span.line}:{fault.span.column}: {fault.message}\n"
             for fault in privacy.faults(given) if fault.span]  # fmt: skip
    assert found == ([said] if said else [])
    hides = "is empty" in said or "mapping" in said
    if hides and "variants" not in written:
        assert "x" not in [text for _, text in leaves(privacy.public(given).data)]


@pytest.mark.usefixtures("home")
def test_a_whole_person_is_not_private() -> None:
    write("value: {name: Ada Example}\nprivate: true\n")
    found = person_file.read(ADA).faults
    assert [(one.span.line, one.message) for one in found if one.span] == [
        (1, "a whole person can't be private")
    ]
