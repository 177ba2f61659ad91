"""The kinds of sections, each described once, in a module of its own.

A new kind is a module here with its models and a ``KIND``, and its name in the list below; its
heading (and ``labels``) in ``locales/tables/en.toml`` and in the tables of the languages that have
a word for it; and ``templates/_core/sections/<kind>.tex.j2``. If one of these is missing, an error
says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cvbuild.common.errors import CvbuildError
from cvbuild.model.kinds import (
    award,
    certificate,
    education,
    entry,
    experience,
    language,
    own,
    patent,
    project,
    prose,
    publication,
    reference,
    service,
    skill,
    talk,
    teaching,
)
from cvbuild.model.kinds.describe import Kind


def _named(*kinds: Kind) -> Mapping[str, Kind]:
    return MappingProxyType({kind.name: kind for kind in kinds})


#: By name, in the order of docs/schema.md.
KINDS: Mapping[str, Kind] = _named(
    prose.TEXT,
    prose.BULLETS,
    prose.KEYWORDS,
    education.KIND,
    experience.KIND,
    project.KIND,
    publication.KIND,
    patent.KIND,
    award.KIND,
    talk.KIND,
    teaching.KIND,
    service.KIND,
    skill.KIND,
    language.KIND,
    certificate.KIND,
    reference.KIND,
    entry.KIND,
)
#: Keys of the profile that are shown as sections, before the others.
OWN: Mapping[str, Kind] = _named(own.SUMMARY, own.INTERESTS)


def of(name: str) -> Kind:
    """Return the kind of that name, a profile's own key too; raise CvbuildError for none."""
    found = KINDS.get(name) or OWN.get(name)
    if found is None:
        message = f'there is no kind "{name}"'
        raise CvbuildError.because("kind", message, f"list it in {__name__.replace('.', '/')}")
    return found
