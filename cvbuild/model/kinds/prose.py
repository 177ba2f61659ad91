"""Sections without entries: paragraphs, bullets, keywords."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from cvbuild.model.base import Passage
from cvbuild.model.kinds.describe import SELF, Bullets, Kind, Outlined, Row, Run, UnderHeading
from cvbuild.model.parts import Bullet, Phrase
from cvbuild.model.sections import Group, SectionOf
from cvbuild.model.text.lines import by_language, scalar
from cvbuild.model.text.paragraphs import paragraphs


class TextItem(Phrase):
    """A paragraph; a list may follow it, or stand in its place."""

    text: Passage
    """The text."""


class Keyword(Phrase):
    """One keyword or a short phrase."""


def _split(value: object) -> object:
    parts = paragraphs(value)
    if isinstance(value, dict) and isinstance(parts, list):
        return [{"text": part} for part in parts]
    return parts


class _Block:
    """Shows a list of paragraphs in JSON Schema as the block of text that it may also be."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [scalar(), by_language(), handler(schema)]}


class TextSection(SectionOf):
    """Paragraphs of prose."""

    kind: Literal["text"]
    groups: tuple[Group[TextItem], ...] = ()
    items: Annotated[tuple[TextItem, ...], BeforeValidator(_split), _Block()] = ()
    """The paragraphs: a list, or one block with empty lines between them."""


TEXT = Kind(
    "text",
    TextSection,
    weight=15,
    text=(Row("text"),),
    json=Outlined(),
    example="""\
sections:
  - kind: text
    title: About me
    items: |
      One paragraph with **bold** and *italic* words.

      Another one.
""",
)

BULLETS = Kind(
    "bullets",
    Bullet,
    about="A plain list.",
    weight=40,
    text=(Bullets(SELF),),
    json=Outlined(),
    example="""\
sections:
  - kind: bullets
    title: Highlights
    items:
      - Led a team of five.
      - {text: "Cut the nightly build from 90 to 7 minutes.", priority: 9}
      - text: Spoke at three conferences
        bullets: [on schedules, on examples]
""",
)

KEYWORDS = Kind(
    "keywords",
    Keyword,
    about="Keywords in a run.",
    weight=10,
    json=UnderHeading("skills", fixed={"type": "keywords"}),
    run=Run("text"),
    example="""\
sections:
  - kind: keywords
    items: [compilers, scheduling, numerical software]
""",
)
