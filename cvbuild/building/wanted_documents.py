"""Which documents are wanted of each person, and whether there are such."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from cvbuild.building.request import PDF
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import PluginError, ProfileError, UsageError
from cvbuild.common.suggestions import suggest
from cvbuild.inputs.people import Person, everyone
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs import registry


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which documents: ``names`` of templates or variants, else those that each person picked.

    ``variants`` is whether the names are of variants; ``everybody`` whether nobody was named, so
    that only those people are meant who have them; ``formats`` are names of outputs.
    """

    names: tuple[str, ...] = ()
    variants: bool = False
    everybody: bool = False
    formats: tuple[str, ...] = (PDF,)

    def of(self, profile: Profile) -> tuple[str, ...]:
        """The documents of a person, each once."""
        names = self.names or profile.template
        has = profile.variants if self.variants else names
        return tuple(dict.fromkeys(name for name in names if name in has))

    def faults(self, profile: Profile, source: Source) -> Iterator[Diagnostic]:
        """The variants that the person lacks but must have."""
        for name in self.names if self.variants and not self.everybody else ():
            if name not in profile.variants:
                hint = _hint(name, profile.variants)
                span = source.key_span(("variants",))
                yield Diagnostic("error", "variant", f'unknown variant "{name}"', span, hint)


def wanted_formats(names: Iterable[str], *, cluster: bool = False) -> tuple[str, ...]:
    """The names of outputs, each once; PDF if none is named.

    Raises UsageError for one that doesn't exist, and for one that a cluster can't make. What is
    wrong with an installed one is an error of each document, so that the other formats are made.
    """
    found = tuple(dict.fromkeys(names)) or (PDF,)
    for name in found:
        with contextlib.suppress(PluginError):
            registry.find(name)
    if cluster and found != (PDF,):
        hint = "leave out --cluster: the other formats need no TeX and take no time"
        raise UsageError.because("format", "a cluster makes PDFs alone", hint)
    return found


def require(people: Sequence[Person], wanted: Wanted) -> None:
    """Raises UsageError for a variant that somebody who was named lacks, or that nobody has.

    Whoever's file can't be read is told so by whoever builds.
    """
    if not wanted.variants:
        return
    having = {person.name: _variants(person) for person in people}
    known = {name: None for names in having.values() for name in names or ()}
    faults = []
    for name in dict.fromkeys(wanted.names):
        lacking = [who for who, names in having.items() if names is not None and name not in names]
        if wanted.everybody and len(lacking) == len(having):
            fault = f'nobody has a variant "{name}"', _hint(name, known)
            faults.append(Diagnostic("error", "variant", fault[0], hint=fault[1]))
        for who in () if wanted.everybody else lacking:
            message, hint = f'{who} has no variant "{name}"', _hint(name, having[who] or ())
            faults.append(Diagnostic("error", "variant", message, hint=hint))
    if faults:
        raise UsageError(faults)


def no_variants(names: Iterable[str], templates: Collection[str]) -> None:
    """Raises UsageError for what is named as a template and is somebody's variant."""
    for name in names:
        if name in templates:
            continue
        if any(name in (_variants(person) or ()) for person in everyone()):
            message = f'"{name}" is a variant, not a template'
            raise UsageError.because("template", message, f"say --variant {name}")


def _hint(name: str, known: Iterable[str]) -> str:
    names = tuple(known)
    return suggest(name, names, "the variants are") if names else "write variants: in the file"


def _variants(person: Person) -> tuple[str, ...] | None:
    """The names of a person's variants; None for a file that can't be read."""
    try:
        data = source_stage.load(person.path).data
    except ProfileError:
        return None
    written = data.get("variants") if isinstance(data, dict) else None
    return tuple(written) if isinstance(written, dict) else ()
