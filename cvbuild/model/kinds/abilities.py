"""Skills, languages, certificates, and who can speak of them."""

from typing import ClassVar

from cvbuild.model.base import Line, OneOrMany, Passage, Prose, Shorthand, Url
from cvbuild.model.kinds import Apart, Bullets, Head, Joined, Kind, Listed, Pair, Row, Run
from cvbuild.model.sections import Item, Points, When


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


SKILL = Kind(
    "skill",
    Skill,
    about="Skills.",
    weight=70,
    least=2,
    text=(Row(Joined(Pair("name", "level"), Apart("keywords"), between=": ")),),
    json=Listed("skills"),
    run=Run("name", unless=("level", "keywords")),
    search="name",
)


class Language(Item, Shorthand):
    """A natural language."""

    shorthand: ClassVar[str] = "language"
    by_language: ClassVar[bool] = True

    language: Prose
    """The language."""
    level: Prose | None = None
    """How well: native, C1."""


LANGUAGE = Kind(
    "language",
    Language,
    about="Natural languages.",
    weight=50,
    least=1,
    json=Listed("languages", {"level": "fluency"}),
    run=Run(Pair("language", "level")),
)


class Certificate(Item):
    """A certificate."""

    name: Prose
    """Its name."""
    issuer: Prose | None = None
    """Who issued it."""
    number: Prose | None = None
    """Its number."""
    date: When = None
    url: Url | None = None
    """Where it can be checked."""
    bullets: Points = ()


CERTIFICATE = Kind(
    "certificate",
    Certificate,
    about="Certificates.",
    weight=50,
    text=(Head("name", "issuer", "number"), Bullets("bullets")),
    json=Listed("certificates", {"bullets": "highlights"}, date="date"),
)


# -- references ------------------------------------------------------------------------------------


class Reference(Item):
    """A person who can recommend the CV's person."""

    name: Prose
    """Their name."""
    title: Prose | None = None
    """Their position."""
    institution: Prose | None = None
    """Where they work."""
    relation: Prose | None = None
    """Their relation to the person: advisor."""
    email: Line | None = None
    """Their e-mail address."""
    phone: Line | None = None
    """Their phone number."""
    url: Url | None = None
    """Their page."""
    quote: Passage | None = None
    """What they say."""


REFERENCE = Kind(
    "reference",
    Reference,
    about="References.",
    weight=20,
    text=(
        Head("name", "title", "institution"),
        Row("relation"),
        Row(Joined("email", "phone")),
        Row("quote"),
    ),
    json=Listed("references", {"quote": "reference"}),
)
