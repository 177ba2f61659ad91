"""Documents for the tests of web pages: all kinds, scripts, a photo, a letter, hostile texts."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import yaml
from lettered import request_on
from PIL import Image
from profiles import DAY

from cvbuild.building import pipeline
from cvbuild.inputs import letters
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import privacy
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.kinds import KINDS
from cvbuild.outputs.formats.html import Format
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Shown, Task

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Library.at()
STYLES = LIBRARY.names()
HOSTILE = (
    "</script></style><script>alert(1)</script><img src=x onerror=alert(1)> \"' &amp; {{ 7*7 }}"
)
HEAD = """\
name: {given: Ada, family: Example, native: 例子, others: [{label: Name at birth, name: Specimen}]}
headline: Engineer of *examples*
contact:
  email: ada@example.org
  phone: [{number: +1 202 555 0123, label: mobile}, {number: +1 202 555 0199, private: true}]
  address: 12 Example Street, Springfield
  website: https://ada.example.org/home
  profiles: {github: ada-example, orcid: 0000-0002-1825-0097}
  links: [{Talks: "https://example.org/talks"}]
  birth-date: 1990-02-03
  other: {Driving licence: B}
summary: >-
  I make examples, and [explain them](https://example.org/why) in `code` and H~2~O. For nine years
  I have written them for people who read little and for programs that read all, in three countries,
  and in words that are so ordinary that nobody looks at them twice. What I like most is an example
  that is long enough.
interests: [chess, {name: music, keywords: [piano, "choir, small"]}]
"""
ARABIC = """\
name: {full: آدا مثال, native: Ada Example}
headline: مهندسة برمجيات
locale: ar
contact: {email: ada@example.org, phone: +1 202 555 0123, profiles: {github: ada-example}}
summary: أعمل على البرمجيات منذ عشر سنوات، وأحب `Python` و C++.
sections:
  - kind: experience
    items:
      - {title: مهندسة, employer: شركة الأمثلة, location: سبرينغفيلد, date: 2020-03 to present,
         bullets: [قدت فريقًا من خمسة مهندسين., "Open source in English."]}
  - kind: publication
    items:
      - {title: Schedules that hold, authors: [Ada Example], venue: Journal of Examples, date: 2024,
         doi: 10.5555/a.1}
"""
CHINESE = """\
name: {full: 李例, native: Li Example}
headline: 软件工程师
locale: zh
contact: {email: li@example.org}
sections:
  - {kind: experience, items: [{title: 工程师, employer: 示例公司, date: 2020-03 to present,
     bullets: [领导五人团队。]}]}
  - {kind: skill, items: [{name: 编程, keywords: [Python, C++]}]}
"""
LETTER = """\
letter:
  recipient: {name: Dr. Lin Example, organization: Institute of Examples, address: [1 Example Road]}
  date: 2026-03-05
  closing: Kind regards,
  enclosures: [CV, List of references]
  body: |
    I write with *pleasure*, see [my page](https://example.org/me).

    - first point
    - second point

    1. one
    2. two

    I look forward to hearing from you.
"""


def everything() -> str:
    sections = []
    for name, kind in KINDS.items():
        found = yaml.safe_load(kind.example)
        sections += found["sections"]
        if name == "award":
            group = {
                "title": "Prizes",
                "note": "all of them",
                "items": found["sections"][0]["items"],
            }
            sections.append(
                {"kind": name, "title": "Grouped", "note": "A note.", "groups": [group]}
            )
    return f"{HEAD}sections: {json.dumps(sections, ensure_ascii=False, default=str)}\n"


def hostile() -> str:
    text = json.dumps(HOSTILE)
    item = f"{{title: {text}, authors: [{text}], venue: {text}, date: 2024, url: 'https://example.org/?a=1&b=\"<'}}"
    return (
        f"name: {text}\nheadline: {text}\ncontact: {{address: {text}, other: {{X: {text}}}}}\n"
        f"summary: {text}\noptions: {{footer: {text}}}\n"
        f"sections:\n  - {{kind: publication, title: {text}, items: [{item}]}}\n"
    )


def shown(
    text: str, style: str = "academic", photo: bytes | None = None, output: str = "html"
) -> Shown:
    source = privacy.public(parse(text, "people/ada.yaml"))
    person = Person("ada", Path("people/ada.yaml"))
    request, profile = request_on(DAY), validate(source)
    task = Task(person, profile, source, style, request, read_photo=photo, format=output)
    return pipeline.choose(task)


def letter(text: str = HEAD, style: str = "academic", written: str = LETTER) -> Shown:
    source = privacy.public(parse(text, "people/ada.yaml"))
    read = letters.read(parse(written, "applications/a.yaml"))
    draft = Draft("a", read.letter, Path(), read.letter.date, "Engineer")  # type: ignore[arg-type]
    person, both = Person("ada", Path("people/ada.yaml")), source.grafted(letters.PATH, read.node)
    task = Task(person, validate(source), both, style, request_on(DAY), draft=draft)
    return pipeline.choose(task)


def page(given: Shown) -> str:
    content = Format().make(given).content
    assert isinstance(content, bytes)
    return content.decode()


@cache
def picture() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (300, 400), (120, 140, 160)).save(made, "JPEG")
    return made.getvalue()


def all_pages() -> dict[str, str]:
    everyone, photo = everything(), "photo: ada.jpg\noptions: {photo: true, photo-shape: circle}\n"
    pages = {f"all-{style}": page(shown(everyone, style)) for style in STYLES}
    options = (
        "titles: side, dates: left, section-numbers: true, bullet: dash, contacts: label, "
        "skills: tags, entry-icons: icon"
    )
    pages["options"] = page(shown(everyone + f"options: {{{options}, accent: FFE100}}\n"))
    pages["photo"] = page(shown(HEAD + photo, "sidebar", picture()))
    pages["arabic"] = page(shown(ARABIC, "banking"))
    pages["arabic-grid"] = page(shown(ARABIC, "grid"))
    pages["chinese"] = page(shown(CHINESE, "industry"))
    pages["hostile"] = page(shown(hostile()))
    pages["letter"] = page(letter())
    pages["letter-arabic"] = page(letter(ARABIC, "margin"))
    for path in ("docs/gallery/nora-lindqvist.yaml", "tests/shapes/professor.yaml"):
        text = (ROOT / path).read_text("utf-8")
        pages[Path(path).stem] = page(shown(text, "one-page"))
    return pages
