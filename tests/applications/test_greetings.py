"""Letters that would greet or close twice."""

from __future__ import annotations

import pytest

from cvbuild.applications import greetings
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.locales.words import known, table
from cvbuild.model.letter_body import Body

BOTH = ["letter-opening", "letter-closing"]


def found(text: str, locale: str = "en") -> list[str]:
    """The codes of the warnings about a letter by Ada Example."""
    node = Node((3, 1, 4, 1), None, {}, "a.yaml")
    source = Source("a.yaml", "", {}, node).grafted(PATH, {}, node)
    body = Body.of(text)
    diagnostics = list(greetings.check(body, source, locale, "Ada Example"))
    assert all(str(one).startswith("a.yaml:3:1: warning: the letter gets") for one in diagnostics)
    assert all(one.hint for one in diagnostics)
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Dear Ms. Lin,\n\nI write.\n\nSincerely,\nAda Example", BOTH),
        ("To whom it may concern\n\nI write.\n\nBest regards,\n\nAda Example", BOTH),
        ("Dear Hiring Committee:\nI write.\n\nI hope to hear. Kind regards, Ada Example", BOTH),
        ("Hello,\n\nI write.", BOTH[:1]),
        ("I write.\n\nBest wishes", BOTH[1:]),
        ("I write.\n\nI am sincerely yours in this, and thank you.", []),
        ("Dearly as I love it, I write.\n\nThank you for your consideration.", []),
        ("Hiking, and more, is what I like.", []),
        ("Dear readers of this letter have asked me to write to you about it.", []),
        ("- One\n- Two", []),
        ("Sincerely,", []),
    ],
)
def test_what_is_a_second_greeting_or_closing(text: str, codes: list[str]) -> None:
    assert found(text) == codes


@pytest.mark.parametrize("locale", sorted(known()))
def test_the_words_of_each_language_are_known(locale: str) -> None:
    words = table(locale).words
    opening, closing = words["letter-opening-name"].format(name="Lin"), words["letter-closing"]
    assert found(f"{opening}\n\nText.\n\n{closing}\\\nAda Example", locale) == BOTH
    assert found(f"{words['letter-opening']}\n\nText.", locale) == BOTH[:1]
