"""Certificates."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Listed
from cvbuild.model.parts import Bullet, Item
from cvbuild.model.sections import Group, SectionOf


class Certificate(Item):
    """A certificate."""

    name: Prose
    """Its name."""
    issuer: Prose | None = None
    """Who issued it."""
    number: Prose | None = None
    """Its number."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Where it can be checked."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


class CertificateSection(SectionOf):
    """Certificates."""

    kind: Literal["certificate"]
    items: tuple[Certificate, ...] = ()
    groups: tuple[Group[Certificate], ...] = ()


KIND = Kind(
    "certificate",
    CertificateSection,
    weight=50,
    text=(Head("name", "issuer", "number"), Bullets("bullets")),
    json=Listed("certificates", {"bullets": "highlights"}, date="date"),
    example="""\
sections:
  - kind: certificate
    items:
      - {name: Certified Exemplar, issuer: Example Board, number: EX-42, date: 2022-03}
""",
)
