"""Letters for tests, and who writes them."""

from __future__ import annotations

import textwrap
from datetime import date as Day

from cvbuild.inputs import letters
from cvbuild.inputs.letters import Written
from cvbuild.inputs.yaml.source import Source, parse

DAY = Day(2026, 3, 5)
EPOCH = 1700000000
ADA = """\
name: Ada Example
headline: Research engineer
contact:
  email: ada@example.org
  phone: +1 202 555 0123
photo: photo.png
options: {photo: true, embed: true, footer: Of the CV alone}
sections:
  - kind: text
    items: Of the CV alone.
"""
NOA = """\
name: נועה כהן
locale: he
contact: {email: noa@example.org}
"""
WHOLE = """\
recipient:
  name: Prof. Lin Example
  title: Director of Research
  organization: Example Institute & Sons
  address: |
    12 Example Street

    Springfield, EX 01234
subject: "Research Scientist, reference #42 (100 % open)"
signature: sig.png
enclosures: [CV, Transcript]
body: |
  I apply for the position on [your page](https://example.org/jobs/42), "with joy".

  I have

  - built a scheduler that **halves** the waiting time,
  - published on its *theory*.

  And:

  3. care,
  4. joy.

  I'd be glad to talk.
"""
SHORT = "recipient: {organization: Beispiel AG}\nbody: Ich freue mich.\n"
HEBREW = """\
recipient: {name: "ד״ר לוי", address: [רחוב 1, תל אביב]}
signature: sig.png
body: |
  אני כותבת בנוגע ל[משרה](https://example.org/jobs) בתחום machine learning.

  1. ראשון
  2. שני
"""


def source_of(letter: str, **others: str) -> Source:
    """An application's file with the letter, whose lines begin at the second one."""
    more = "".join(f"{key}: {value}\n" for key, value in others.items())
    return parse(f"letter:\n{textwrap.indent(letter, '  ')}{more}", "applications/a.yaml")


def read(letter: str) -> Written:
    return letters.read(source_of(letter))
