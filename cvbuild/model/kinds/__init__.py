"""The kinds of sections, each described once, in a module of its own.

A new kind is a module here with its models and a ``KIND``, and its name in the list below; its
heading (and ``labels``) in ``locales/tables/en.toml`` and in the tables of the languages that have
a word for it; and ``templates/_core/sections/<kind>.tex.j2``. If one of these is missing, an error
says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from cvbuild.common.errors import CvbuildError
from cvbuild.model.kinds.describe import SELF, InBasics, Kind, Listed, Pair, Row, Run

#: The names, in the order of docs/reference/schema.md.
_NAMES = (
    "text",
    "bullets",
    "keywords",
    "education",
    "experience",
    "volunteer",
    "project",
    "publication",
    "patent",
    "award",
    "grant",
    "talk",
    "teaching",
    "service",
    "skill",
    "language",
    "certificate",
    "reference",
    "entry",
)
#: Kinds that share a module, where each has its own name in capitals.
_SHARED = {"text": "prose", "bullets": "prose", "keywords": "prose"}


class _Kinds(Mapping[str, Kind]):
    """The kinds by name.

    The module of one is imported when it is first asked for: pydantic takes 4 ms for its models,
    and a person has few of the kinds.
    """

    def __getitem__(self, name: str) -> Kind:
        if name not in _NAMES:
            raise KeyError(name)
        module = import_module(f"{__name__}.{_SHARED.get(name, name)}")
        found: Kind = getattr(module, name.upper() if name in _SHARED else "KIND")
        return found

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


KINDS: Mapping[str, Kind] = _Kinds()
#: Keys of the profile that are shown as sections, before the others.
OWN: Mapping[str, Kind] = {
    "summary": Kind("summary", weight=60, least=1, text=(Row(SELF),), json=InBasics()),
    "interests": Kind(
        "interests",
        weight=15,
        json=Listed("interests"),
        run=Run(Pair("name", "keywords")),
        search="name",
    ),
}


def of(name: str) -> Kind:
    """Return the kind of that name, a profile's own key too; raise CvbuildError for none."""
    found = KINDS.get(name) or OWN.get(name)
    if found is None:
        message = f'there is no kind "{name}"'
        raise CvbuildError.because("kind", message, f"list it in {__name__.replace('.', '/')}")
    return found
