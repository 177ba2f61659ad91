"""People who can recommend the CV's person."""

from cvbuild.model.base import Line, Passage, Prose, Url
from cvbuild.model.kinds.describe import Head, Joined, Kind, Listed, Row
from cvbuild.model.parts import Item


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
    example="""\
sections:
  - kind: reference
    items:
      - name: Grace Sample
        title: Professor
        institution: Example University
        relation: advisor
        email: grace@university.example
""",
)
