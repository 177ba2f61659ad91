"""Natural languages."""

from typing import ClassVar, Literal

from cvbuild.model.base import Prose, Shorthand
from cvbuild.model.kinds.describe import Kind, Listed, Pair, Run
from cvbuild.model.parts import Item
from cvbuild.model.sections import Group, SectionOf


class Language(Item, Shorthand):
    """A natural language."""

    shorthand: ClassVar[str] = "language"
    by_language: ClassVar[bool] = True

    language: Prose
    """The language."""
    level: Prose | None = None
    """How well: native, C1."""


class LanguageSection(SectionOf):
    """Natural languages."""

    kind: Literal["language"]
    items: tuple[Language, ...] = ()
    groups: tuple[Group[Language], ...] = ()


KIND = Kind(
    "language",
    LanguageSection,
    weight=50,
    least=1,
    json=Listed("languages", {"level": "fluency"}),
    run=Run(Pair("language", "level")),
    example="""\
sections:
  - kind: language
    items:
      - {language: English, level: native}
      - Ruritanian
""",
)
