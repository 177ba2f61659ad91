"""Which author is the CV's person."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cvbuild.model.contact import Name
from cvbuild.model.sections import Author
from cvbuild.view.texts import is_person, of_person


def found(name: object, *authors: object) -> list[int]:
    """The numbers of the authors that are the person."""
    people = [Author.model_validate(author) for author in authors]
    person = Name.model_validate(name)
    return [n for n, author in enumerate(people) if is_person(author, of_person(people, person))]


ROWS = yaml.safe_load(Path(__file__).with_name("authors.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "authors", "numbers"), ROWS)
def test_who_is_me(name: object, authors: list[object], numbers: list[int]) -> None:
    assert found(name, *authors) == numbers


@pytest.mark.parametrize(
    ("text", "name", "marks"),
    [
        ("A. B.", "A. B.", ""),
        ("A. B.*", "A. B.", "*"),
        ("A. B. * †", "A. B.", "*†"),
        ("A. B.‡‡", "A. B.", "‡‡"),
        ("*A. B.", "*A. B.", ""),
        ("A*B", "A*B", ""),
    ],
)
def test_marks_after_a_name(text: str, name: str, marks: str) -> None:
    author = Author.model_validate(text)
    assert (author.name, author.marks) == (name, marks)


@pytest.mark.parametrize(
    ("given", "family", "shown"),
    [
        ("伟", "甄", "甄伟"),
        ("さくら", "鈴木", "鈴木さくら"),
        ("민수", "김", "김민수"),
        ("ジョン", "スミス", "ジョン スミス"),
        ("Wei", "甄", "Wei 甄"),
        ("Ada", "Example", "Ada Example"),
    ],
)
def test_the_order_of_a_names_parts(given: str, family: str, shown: str) -> None:
    assert Name.model_validate({"given": given, "family": family}).display == shown
