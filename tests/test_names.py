"""Which author is the CV's person."""

from __future__ import annotations

import pytest

from cvbuild.model.contact import Name
from cvbuild.model.sections import Author
from cvbuild.view.texts import is_person, of_person


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
        ("Gyeong-In Yu", ["GyeongIn Yu"], [0]),
        ("José Ñandú", ["Jose Nandu"], [0]),
        ("Jose Nandu", ["José Ñandú"], [0]),
        ("Ludwig van Beethoven", ["L. van Beethoven"], [0]),
        ({"given": "Ludwig", "family": "van Beethoven"}, ["L. van Beethoven"], [0]),
        ("Cher", ["Cher", "C. Her"], [0]),
        ("Ada O'Neil", ["Ada O’Neil"], [0]),
        (ADA, [{"name": "Somebody Else", "me": True}, "Ada Example"], [0]),
        (ADA, [{"name": "Ada Example", "me": False}, "A. Example"], []),
        ("Dr. Ada Example", ["Ada Example", "B. Other"], [0]),
        ("Dr. Ada Example", ["A. Example"], [0]),
        ("Prof. Dr.-Ing. Ada Example", ["Ada Example"], [0]),
        ("Ada Example, Ph.D.", ["A. Example", "B. Other"], [0]),
        ("Ada Example, PhD", ["Example, Ada"], [0]),
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


#: Ten people, and how lists of authors spell their names; each stands beside two others.
SPELLINGS: list[tuple[object, list[str]]] = [
    (
        "Ada Smith-Jones",
        ["A. Smith-Jones", "Smith-Jones, A.", "Ada B. Smith-Jones", "Smith-Jones AB",
         "A Smith‐Jones", "Smith Jones, Ada"],
    ),
    (
        "Ada Bea Example",
        ["Ada Example", "A. Example", "A. B. Example", "AB Example", "Example AB", "Example, A.B.",
         "A.B. Example", "Ada B. Example", "EXAMPLE A"],
    ),
    (
        "Lena van der Example",
        ["L. van der Example", "van der Example, L.", "Van der Example L", "Example, L. van der",
         "L. Example", "Example, Lena"],
    ),
    (
        "Example, Ada",
        ["Ada Example", "A. Example", "Example A", "Example, Ada C.", "A Example"],
    ),
    (
        {"given": "Iwan", "family": "Muster", "native": "Иван Мустер"},
        ["И. Мустер", "Мустер И. П.", "Мустер, Иван", "Мустер И.П.", "I. Muster", "Muster IP"],
    ),
    (
        {"full": "Ada Example", "author": ["Ada Sample"]},
        ["A. Sample", "Sample, A.", "Ada C. Sample", "Sample AC", "A. Example", "Example, Ada"],
    ),
    (
        {"given": "Jürgen", "family": "Müller"},
        ["J. Mueller", "Muller, J.", "Juergen Mueller", "Müller J", "J. Müller", "Mueller JK"],
    ),
    (
        {"given": "Gyeong-In", "family": "Yu"},
        ["G.-I. Yu", "GI Yu", "Yu GI", "Gyeong In Yu", "Gyeongin Yu", "Yu, G.", "G. I. Yu"],
    ),
    (
        "Prof. Dr. Seán O'Example, Ph.D.",
        ["S. O’Example", "OExample S", "O'Example, Sean", "Sean O Example", "S.T. O'Example"],
    ),
    (
        "María García Muestra",
        ["M. García Muestra", "Garcia Muestra, M.", "M. García-Muestra", "García-Muestra M",
         "Maria Garcia Muestra", "Garcia-Muestra, María"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "spelling"), [(name, one) for name, several in SPELLINGS for one in several]
)
def test_the_person_is_found_however_the_name_is_spelt(name: object, spelling: str) -> None:
    assert found(name, "B. Other", spelling, "Third, C.") == [1]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Ada Smith-Jones", ["A. Jones", "B. Smith-Jones", "A. Smith"]),
        ("Ada Bea Example", ["A. C. Example", "Example AC", "B. Example", "Bea Example"]),
        ("Lena van der Example", ["M. van der Example", "L. van der Sample"]),
        ("Jürgen Müller", ["Jan Müller", "J. Miller", "K. Mueller"]),
        ("Ada Example", ["Alan Example", "A. Example", "Ann Example", "A. Example"]),
    ],
)
def test_others_are_not_the_person(name: object, others: list[str]) -> None:
    assert found(name, *others) == []


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
