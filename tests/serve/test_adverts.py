"""What is read of advertisements of jobs, and what is written of it into an application."""

from __future__ import annotations

from typing import Any

import pytest

from cvbuild.common import limits
from cvbuild.common.diagnostics import ProfileError
from cvbuild.inputs import saving
from cvbuild.inputs.yaml import source, writer
from cvbuild.serve import adverts

ENGLISH = """\
Research Engineer, Distributed Systems

About Example Lab
Example Lab is looking for a research engineer to build simulation tools.

Reference: 2027-RE-14
Closing date: 31 March 2027

Send your application to jobs@example.org. Questions? Contact Dr. Lin Example, +49 30 1234.
Data protection: privacy@example.org

Example Lab
1 Example Street
12345 Exampleton
"""
GERMAN = """\
Wissenschaftliche:r Mitarbeiter:in (m/w/d)
Am Institut für Beispiele der Universität Musterstadt ist zum 1.4.2027 eine Stelle zu besetzen.
Die Universität Musterstadt sucht eine wissenschaftliche Mitarbeiterin (m/w/d) für das Projekt.
Bewerbungsfrist: 15.02.2027
Kennziffer: 114/2026
Ansprechpartnerin: Frau Prof. Dr. Erika Muster
Bewerbungen bitte an: bewerbung@example.org
Universität Musterstadt, Musterstraße 12, 01234 Musterstadt
"""
MARKUP = """\
<html><h1>Postdoctoral Fellow</h1><p>The University of Sampleton invites applications for a
<b>Postdoctoral Fellow</b>.</p><script>"Deadline: 1 May 2001"</script><ul><li>Deadline: May 4, 2027
</li><li>Job ID: 4711</li></ul><a href="mailto:a&#64;example.org">a&#64;example.org</a></html>
"""
ARABIC = """\
مهندس برمجيات
الشركة: شركة المثال
الموعد النهائي: ٣١ مارس ٢٠٢٧
البريد: jobs@example.org
الرقم المرجعي: 2027-14
"""


@pytest.mark.parametrize(
    ("advert", "expected"),
    [
        (
            ENGLISH,
            (
                "Example Lab|Research Engineer, Distributed Systems|2027-RE-14|2027-03-31|"
                "jobs@example.org"
            ),
        ),
        (
            GERMAN,
            (
                "Universität Musterstadt|Wissenschaftliche:r Mitarbeiter:in|114/2026|2027-02-15|"
                "bewerbung@example.org"
            ),
        ),
        (
            MARKUP,
            "University of Sampleton|Postdoctoral Fellow|4711|2027-05-04|a@example.org",
        ),
        (ARABIC, "شركة المثال||2027-14|2027-03-31|jobs@example.org"),
        # A date that may mean two days isn't read.
        (
            "Data Scientist at Sample Analytics\nApply by 03/04/2027.",
            "Sample Analytics|Data Scientist|||",
        ),
        (
            (
                "Chargé de recherche\nExample Institut recrute. Date limite : 5 mars 2027\n"
                "Réf. : IR-22\n12 rue de l'Exemple\n75001 Paris"
            ),
            "Example Institut|Chargé de recherche|IR-22|2027-03-05|",
        ),
        (
            (
                "The Example Institute in Sampleton invites applications for a Research Fellow. "
                "Please send your CV as one PDF by 15 January 2027 to Dr. Lin Example, "
                "jobs@example.org"
            ),
            "Example Institute|Research Fellow||2027-01-15|jobs@example.org",
        ),
        ("Nurse\nPlease send it by e-mail. We meet by May 3, 2027.", "|Nurse|||"),
        ("We are hiring. Our people matter; apply now!", "||||"),
    ],
)
def test_what_an_advert_says_is_read(advert: str, expected: str) -> None:
    found = adverts.read(advert, "advert")
    assert "|".join(found.get(path, "") for path in adverts.PATHS) == expected


@pytest.mark.parametrize(
    "part",
    ["a", "A ", "@", "send ", "<script ", "</p><", "Contact ", "ref ", "1 ", "looking for ",
     "Deadline\n", "12345 Example\n", "Dr. ", "مهندس "],
)  # fmt: skip
def test_a_large_text_is_read_in_a_time_of_its_length(part: str) -> None:
    with limits.seconds(limits.SECONDS):
        adverts.read(part * ((1 << 20) // len(part.encode())), "advert")


def test_a_larger_one_is_refused() -> None:
    with pytest.raises(ProfileError, match="larger than 1 MiB"):
        adverts.read("a" * (2 << 20), "advert")


def test_values_are_marked_and_take_no_others_place() -> None:
    text = saving.application_files("ada")["applications/example-lab.yaml"]
    text = text.replace("Example Lab", "My Lab")
    for path, value in adverts.read(ENGLISH, "advert").items():
        text = adverts.put(text, path, value)
    data: Any = source.parse(text, "text").data
    assert data["employer"] == "My Lab"
    assert data["position"] == "Research Engineer, Distributed Systems"
    marked = [doubt.key for doubt in writer.doubts(text)]
    assert sorted(marked) == ["deadline", "email", "position", "reference"]
    assert {doubt.words for doubt in writer.doubts(text)} == {"read from the advert"}


def test_a_value_with_what_looks_like_a_comment_is_marked() -> None:
    text = adverts.put("person: ada\n", ("employer",), "Foo: Bar # x")
    assert text == f"person: ada\nemployer: 'Foo: Bar # x'  {adverts.MARK}\n"


def test_what_could_not_be_marked_is_not_written() -> None:
    text = "recipient: {name: Lin}\n"
    assert adverts.put(text, ("recipient", "email"), "a@example.org") == text
