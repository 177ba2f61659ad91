"""Certificates."""

from typing import Literal

from cvbuild.model.base import Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Head, Kind, Listed
from cvbuild.model.parts import Item
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


class CertificateSection(SectionOf):
    """Certificates."""

    kind: Literal["certificate"]
    items: tuple[Certificate, ...] = ()
    groups: tuple[Group[Certificate], ...] = ()


KIND = Kind(
    "certificate",
    CertificateSection,
    text=(Head("name", "issuer", "number"),),
    json=Listed("certificates", date="date"),
    example="""\
sections:
  - kind: certificate
    items:
      - {name: Certified Exemplar, issuer: Example Board, number: EX-42, date: 2022-03}
""",
)
