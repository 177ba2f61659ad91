"""File names that employers like and no file system refuses; letters that would greet twice."""

from __future__ import annotations

import re
import string
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from told import rows

from cvbuild.applications.documents import check_greetings
from cvbuild.applications.mail import DEFAULT, FIELDS, distinct, file_name, file_names
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.letter import Body, parse
from cvbuild.model.locales import known, table

PLACE = Span("applications/x.yaml", 3, 11, 3, 30)
FULL = {"name": "Gyeong-In Yu", "kind": "CV", "position": "Research Scientist"}


def said(pattern: str, **fields: str) -> str:
    with pytest.raises(CvbuildError) as caught:
        file_name(pattern, fields or FULL, span=PLACE)
    (one,) = caught.value.diagnostics
    assert (one.code, one.span) == ("file-name", PLACE)
    return str(one).removeprefix("applications/x.yaml:3:11: ")


@pytest.mark.parametrize(
    ("pattern", "fields", "name"),
    [
        (DEFAULT, FULL, "Gyeong-In-Yu_CV_Research-Scientist.pdf"),
        (DEFAULT, {**FULL, "position": ""}, "Gyeong-In-Yu_CV.pdf"),
        (DEFAULT, {"kind": "CV"}, "CV.pdf"),
        (DEFAULT, {}, "Document.pdf"),
        ("{family}.{kind}.pdf", {"family": "Yu", "kind": "Cover-Letter"}, "Yu.Cover-Letter.pdf"),
        ("Bewerbung – {name}", FULL, "Bewerbung-Gyeong-In-Yu.pdf"),
        ("{name}", {"name": "Zoë O’Brien-Łukasz, Ph.D."}, "Zoe-OBrien-Lukasz-Ph.D.pdf"),
        ("{name}", {"name": "유경인"}, "YuGyeongIn.pdf"),
        ("{name}", {"name": "何清"}, "HeQing.pdf"),
        ("{name}", {"name": "Ελένη Παπαδοπούλου"}, "Eleni-Papadopoyloy.pdf"),
        ("{name}", {"name": "Ｗｉｄｅ"}, "Wide.pdf"),
        ("{position}", {"position": "C++ / Node.js (Sr.) & more"}, "C-Node.js-Sr-more.pdf"),
        ("{name}", {"name": "../../etc/passwd"}, "etc-passwd.pdf"),
        ("{name}", {"name": "-rf .hidden"}, "rf-hidden.pdf"),
        ("{name}", {"name": "con"}, "Document-con.pdf"),
        ("{name}", {"name": "Lpt1.x"}, "Document-Lpt1.x.pdf"),
        ("{name}", {"name": "{kind}\n\0\u202e"}, "kind.pdf"),
        ("{name}", {"name": "🎉"}, "tada.pdf"),
    ],
)
def test_names(pattern: str, fields: dict[str, str], name: str) -> None:
    assert file_name(pattern, fields) == name


def test_another_extension() -> None:
    assert file_name(DEFAULT, FULL, ".txt") == "Gyeong-In-Yu_CV_Research-Scientist.txt"
    assert file_name("{name}.PDF", FULL, ".pdf") == "Gyeong-In-Yu.pdf"


def test_a_long_name_loses_words_and_keeps_its_kind_and_extension() -> None:
    long = {**FULL, "position": "Senior Research Scientist for " + "Very Large Systems " * 10}
    name = file_name(DEFAULT, long)
    assert len(name) <= 80
    assert re.fullmatch(
        r"Gyeong-In-Yu_CV_Senior-Research-Scientist-for(-Very|-Large|-Systems)+\.pdf", name
    )
    one = file_name(DEFAULT, {"name": "x" * 300, "kind": "Cover-Letter", "position": "y" * 300})
    assert len(one) <= 80
    assert re.fullmatch(r"x+_Cover-Letter_y+\.pdf", one)
    assert len(file_name("a" * 300 + "{kind}", FULL)) == 80


def test_whatever_is_written_it_is_the_name_of_a_file() -> None:
    characters = [*map(chr, range(0x400)), "\ud800", "\U0001f600", *string.printable]
    for number, one in enumerate(characters):
        for value in (one, one * 90, f"a{one}b", f"{one}.", f".{one}"):
            name = file_name(
                DEFAULT, {"name": value, "kind": "CV", "position": characters[-number]}
            )
            assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*\.pdf", name), (value, name)
            assert len(name) <= 80
            assert ".." not in name
            assert PurePosixPath(name).name == PureWindowsPath(name).name == name


def test_bad_patterns_say_what_is_meant() -> None:
    assert said("{nmae}") == 'unknown field "nmae" in "{nmae}"; did you mean "name"?'
    assert said("{zzz}").endswith(f"; fields: {', '.join(FIELDS)}")
    for evil in ("{name.__class__}", "{name!r}", "{name:>99999}", "{0}", "{}", "{ name }"):
        assert "unknown field" in said(evil)
    for broken in ("{name", "name}", "{{name}}", "{na{me}}"):
        assert "has an unmatched brace" in said(broken)
    for leaving in ("../{name}", "{name}/{kind}", "a\\{name}", "~{name}", "{name}..{kind}"):
        assert "leads out of the folder" in said(leaving)


def test_every_field_is_known_to_the_parser() -> None:
    assert file_name("".join(f"{{{name}}}" for name in FIELDS), dict.fromkeys(FIELDS, "x"))


def test_two_documents_never_have_one_name() -> None:
    kinds = ("CV", "Cover-Letter", "Application")
    documents = [{**FULL, "kind": kind} for kind in kinds]
    assert len(set(file_names(DEFAULT, documents))) == 3
    with pytest.raises(CvbuildError) as caught:
        file_names("{name}", documents, span=PLACE)
    assert str(caught.value) == (
        "applications/x.yaml:3:11: two documents would have the same file name: "
        '"Gyeong-In-Yu.pdf"; put {kind} into the pattern'
    )
    with pytest.raises(CvbuildError, match=r'same file name: "cv\.pdf"'):
        file_names("cv", documents)
    with pytest.raises(CvbuildError, match=r'"a\.pdf" and "A\.pdf"'):
        distinct(["a.pdf", "b.pdf", "A.pdf"], PLACE, "")


BOTH = ["letter-opening", "letter-closing"]


def found(text: str) -> list[str]:
    """The codes of the warnings about a letter."""
    node = Node((3, 1, 4, 1), None, {}, "a.yaml")
    source = Source("a.yaml", "", node).grafted(PATH, node)
    body = Body(parse(text)[0])
    diagnostics = list(check_greetings(body, source))
    assert all(str(one).startswith("a.yaml:3:1: warning: the letter gets") for one in diagnostics)
    assert all(one.hint for one in diagnostics)
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(("letter", "own"), rows("applications/greetings.txt"))
def test_what_is_a_second_greeting_or_closing(letter: str, own: str) -> None:
    _, _, text = letter.rstrip("\n").partition("\n")
    assert found(text) == [f"letter-{word}" for word in own.split() if word != "neither"]


#: Greetings of these end with no mark.
UNMARKED = {"da", "et", "ja", "ko", "th"}


@pytest.mark.parametrize("locale", sorted(known() - UNMARKED))
def test_the_words_of_each_language_are_known(locale: str) -> None:
    words = table(locale).words
    opening, closing = words["letter-opening-name"].format(name="Lin"), words["letter-closing"]
    assert found(f"{opening}\n\nText.\n\n{closing}\\\nAda Example") == BOTH
    assert found(f"{words['letter-opening']}\n\nText.") == BOTH[:1]
