"""Which author is the CV's person."""

from __future__ import annotations

import pytest

from cvbuild.model.contact import Name
from cvbuild.model.parts import Author
from cvbuild.view.author_names import is_person, of_person


def found(name: object, *authors: object) -> list[int]:
    """The numbers of the authors that are the person."""
    people = [Author.model_validate(author) for author in authors]
    person = Name.model_validate(name)
    return [n for n, author in enumerate(people) if is_person(author, of_person(people, person))]


ADA = {"given": "Ada", "family": "Example"}


@pytest.mark.parametrize(
    ("name", "authors", "numbers"),
    [
        ("Ada Example", ["Ada Example", "B. Other"], [0]),
        (ADA, ["Ada Example"], [0]),
        (ADA, ["Example, Ada"], [0]),
        (ADA, ["A. Example"], [0]),
        (ADA, ["A Example"], [0]),
        (ADA, ["Example, A."], [0]),
        (ADA, ["Example A"], [0]),
        (ADA, ["ADA EXAMPLE*"], [0]),
        (ADA, ["Ada  Example"], [0]),
        (ADA, ["B. Example", "Example"], []),
        (ADA, ["Ada Exampleton", "Adam Example", "Bada Example"], []),
        (ADA, ["A. Example", "A. Example"], []),
        (ADA, ["Ada Example", "A. Example"], [0]),
        ({**ADA, "short": "A. X. Example"}, ["A. X. Example"], [0]),
        ({**ADA, "author": ["A. Smith", "Ada Smith"]}, ["Ada Smith", "B. Smith"], [0]),
        ({**ADA, "native": "艾達"}, ["艾達", "B"], [0]),
        ("Gyeong-In Yu", ["Gyeong-In Yu"], [0]),
        ("Gyeong-In Yu", ["G.-I. Yu"], [0]),
        ("Gyeong-In Yu", ["G. Yu"], [0]),
        ("Gyeong-In Yu", ["GyeongIn Yu"], []),
        ("José Ñandú", ["Jose Nandu"], [0]),
        ("Jose Nandu", ["José Ñandú"], [0]),
        ("Ludwig van Beethoven", ["L. van Beethoven"], []),
        ({"given": "Ludwig", "family": "van Beethoven"}, ["L. van Beethoven"], [0]),
        ("Cher", ["Cher", "C. Her"], [0]),
        ("Ada O'Neil", ["Ada O’Neil"], [0]),
        (ADA, [{"name": "Somebody Else", "me": True}, "Ada Example"], [0]),
        (ADA, [{"name": "Ada Example", "me": False}, "A. Example"], []),
        ("Dr. Ada Example", ["Ada Example", "B. Other"], [0]),
        ("Dr. Ada Example", ["A. Example"], [0]),
        ("Prof. Dr.-Ing. Ada Example", ["Ada Example"], [0]),
        ("Ada Example, Ph.D.", ["A. Example", "B. Other"], [0]),
        ("Ada Example, PhD", ["Example, Ada"], []),
        ("Ada Example, M.D., Ph.D.", ["Ada Example"], [0]),
        ("Ada Example Jr.", ["B. Other", "Ada Example"], [1]),
        ("Ada Example", ["Dr. Ada Example", "Prof. B. Other"], [0]),
        ("Ada Example", ["Ada Example, PhD"], [0]),
        ("Ada Example Jr.", ["Ada Example", "Ada Example Jr."], [1]),
        ({**ADA, "full": "Prof. Ada Example"}, ["A. Example"], [0]),
        ({"given": "Dr. Ada", "family": "Example"}, ["A. Example"], [0]),
        ({"given": "伟", "family": "甄"}, ["李明", "甄伟"], [1]),
        ({"given": "伟", "family": "甄"}, ["伟 甄"], [0]),
        ("Ada Example", ["Example, M. D."], []),
        ("Dr. Example", ["D. Example"], []),
        (ADA, ["et al."], []),
        (ADA, [], []),
    ],
)
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


def test_marks_that_are_given_stay() -> None:
    assert Author.model_validate({"name": "A. B.*", "marks": "1"}).marks == "*1"


def test_how_a_name_is_printed() -> None:
    assert Name.model_validate("Ada Example").display == "Ada Example"
    assert Name.model_validate(ADA).display == "Ada Example"
    assert Name.model_validate({**ADA, "full": "Dr. A. Example"}).display == "Dr. A. Example"


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
