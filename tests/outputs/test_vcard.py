"""vCards: escaped, folded, and read back by vobject."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import vobject
from lettered import SHORT, shown_of, task_of
from PIL import Image

from cvbuild.building import plan
from cvbuild.common.errors import DocumentError
from cvbuild.outputs import vcard
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings
from cvbuild.outputs.types import Shown
from cvbuild.outputs.vcard import Format

ROOT = Path(__file__).parents[2]
PERSON = """\
name: {given: Ada, family: "Ex;am,ple", native: 阿达, others: [{label: Nickname, name: Addie}]}
headline: "Engineer; back\\\\slash, \\"quotes\\""
photo: photo.png
updated: 2026-01-31
locale: en-GB
options: {photo: true}
contact:
  email: [ada@example.org, {address: work@example.org, label: Work}]
  phone: {number: +1 202 555 0123, label: "Lab: BEGIN;X=1"}
  address: "12 Example Street, Springfield; 01234"
  birth-date: 1990-05
  nationality: Ruritanian
  website: https://example.org/a?b=c&d
  profiles: {github: ada-example, mastodon: "@ada@social.example"}
  links: [{label: Port folio, url: https://example.org/portfolio}]
sections:
- kind: experience
  items:
  - {title: Old, employer: Before, date: 2001 - 2005}
  - {title: "Head, of things", employer: "Example; Corp", department: Tests, date: 2020 to present}
  - {title: Middle, employer: Between, date: 2006 - 2019}
"""


def made(shown: Shown) -> bytes:
    content = Format().make(shown).content
    assert isinstance(content, bytes)
    return content


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    Image.new("RGB", (30, 40), (90, 120, 150)).save(tmp_path / "photo.png")
    (tmp_path / "ada.yaml").write_text(PERSON, encoding="utf-8")
    return tmp_path / "ada.yaml"


def values(card: Any, name: str) -> list[Any]:
    return [one.value for one in card.contents.get(name, ())]


def test_a_card_is_read_back(ada: Path) -> None:
    shown = shown_of(ada, "vcf")
    content = made(shown)
    assert made(shown_of(ada, "vcf")) == content
    text = content.decode()
    assert text.endswith("END:VCARD\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert max(len(line) for line in content.split(b"\r\n")) == 75
    for line in content.split(b"\r\n"):
        line.decode()  # no character is cut
    card = vobject.readOne(text)
    (name,) = values(card, "n")
    assert (name.family, name.given) == ("Ex;am,ple", "Ada")
    assert values(card, "fn") == ["Ada Ex;am,ple", "阿达"]
    assert values(card, "nickname") == ["Addie"]
    assert values(card, "title") == ["Head, of things"]
    assert values(card, "org") == [["Example; Corp", "Tests"]]
    assert values(card, "email") == ["ada@example.org", "work@example.org"]
    assert [one.params for one in card.contents["email"]] == [{}, {"TYPE": ["work"]}]
    assert values(card, "tel") == ["+1 202 555 0123"]
    assert values(card, "x-ablabel") == ["Lab: BEGIN;X=1", "Port folio"]
    (address,) = values(card, "adr")
    assert address.street == "12 Example Street, Springfield; 01234"
    assert values(card, "bday") == ["1990-05"]
    assert values(card, "url") == ["https://example.org/a?b=c&d", "https://example.org/portfolio"]
    accounts = card.contents["x-socialprofile"]
    assert [(one.value, one.params) for one in accounts] == [
        ("https://github.com/ada-example", {"TYPE": ["github"]}),
        ("https://social.example/@ada", {"TYPE": ["mastodon"], "X-USER": ["@ada@social.example"]}),
    ]
    assert values(card, "note") == [
        "Nickname: Addie", "Engineer; back\\slash, ‘quotes’", "Nationality: Ruritanian",
    ]  # fmt: skip
    assert (values(card, "rev"), values(card, "lang")) == (["20260131T000000Z"], ["en-GB"])
    # vobject splits an address at its semicolon.
    _, _, photo = text.replace("\r\n ", "").partition("PHOTO:data:image/jpeg;base64,")
    assert base64.b64decode(photo.split("\r\n")[0], validate=True)[:2] == b"\xff\xd8"


def test_all_people_have_a_card() -> None:
    for path in sorted([*ROOT.glob("people/*.yaml"), *ROOT.glob("tests/shapes/*.yaml")]):
        shown = shown_of(path, "vcf")
        card = vobject.readOne(made(shown).decode())
        assert values(card, "fn")[0] == str(shown.view.header.name)
        assert len(values(card, "email")) == len(shown.profile.contact.email)
        # Without `updated` nothing says when it was made.
        assert bool(values(card, "rev")) == bool(shown.profile.updated)


def test_lines_stay_lines() -> None:
    hostile = 'a\r\nEND:VCARD\nX:\ry, "b"; \\n ^'
    line = vcard.line("NOTE", vcard.text(hostile), kind='q"\n;:')
    assert line == 'NOTE;KIND="q^\'^n;:":a\\nEND:VCARD\\nX:\\ny\\, "b"\\; \\\\n ^\r\n'
    assert vcard.unfolded(line).endswith(hostile.replace("\r\n", "\n").replace("\r", "\n") + "\n")
    folded = vcard.folded("é" * 200)
    assert all(len(part.encode()) <= 75 for part in folded.split("\r\n"))
    assert vcard.unfolded(folded) == "é" * 200 + "\n"


def test_a_letter_is_no_card(ada: Path) -> None:
    task = task_of(ada, "vcf", SHORT)
    with pytest.raises(DocumentError) as caught:
        plan.prepare(task, Settings(Path("out"), Library.at(), 0))
    (fault,) = caught.value.diagnostics
    assert fault.message == "a letter can't be made as vcf"
    assert fault.span is not None
    assert fault.span.file == "applications/a.yaml"
