"""Skills."""

from typing import ClassVar, Literal

from cvbuild.model.base import OneOrMany, Prose, Shorthand
from cvbuild.model.kinds.describe import Apart, Joined, Kind, Listed, Row, Run
from cvbuild.model.parts import Item
from cvbuild.model.sections import Group, SectionOf


class Skill(Item, Shorthand):
    """A skill, or a heading with the skills under it."""

    shorthand: ClassVar[str] = "name"
    by_language: ClassVar[bool] = True

    name: Prose
    """The skill, or what the skills have in common: Programming."""
    level: Prose | None = None
    """How well, in words."""
    keywords: OneOrMany[Prose] = ()
    """What belongs to it: Python, C++, CUDA."""


class SkillSection(SectionOf):
    """Skills."""

    kind: Literal["skill"]
    items: tuple[Skill, ...] = ()
    groups: tuple[Group[Skill], ...] = ()


KIND = Kind(
    "skill",
    SkillSection,
    weight=70,
    least=2,
    text=(Row(Joined("name", "level", Apart("keywords"), between=": ")),),
    json=Listed("skills"),
    run=Run("name", unless=("level", "keywords")),
    search="name",
    example="""\
sections:
  - kind: skill
    items:
      - {name: Programming, keywords: [Python, C++]}
      - {name: Statistics, level: advanced}
""",
)
