"""What is asked for, as it was said; cheap to import."""

from __future__ import annotations

from typing import NamedTuple

from cvbuild.inputs.people import Person

#: The format of a document unless another is asked for.
PDF = "pdf"


class Asked(NamedTuple):
    """What is asked for, as it was said: nothing of it has been looked at.

    ``templates`` and ``variants`` go before what people picked; ``everybody`` is whether nobody was
    named, so that those people are meant who have the variants; ``epoch`` is SOURCE_DATE_EPOCH;
    ``cluster`` is where the TeX runs, if not here: what was made there is remembered by itself.
    """

    out: str
    templates: tuple[str, ...] = ()
    all_templates: bool = False
    variants: tuple[str, ...] = ()
    everybody: bool = False
    template_path: tuple[str, ...] = ()
    engine: str = "auto"
    driver: str = "auto"
    locale: str | None = None
    epoch: str = ""
    cluster: str = ""
    tags: bool = True
    private: bool = False
    sets: tuple[str, ...] = ()
    formats: tuple[str, ...] = (PDF,)

    def what(self) -> list[object]:
        """What a document depends on: all but which ones are asked for."""
        rest = self._asdict()
        for name in ("templates", "all_templates", "variants", "everybody", "out", "formats"):
            del rest[name]
        return [*rest.values()]


class Rest(NamedTuple):
    """A person of whom something is left to do; documents None: not even that is known."""

    person: Person
    documents: tuple[tuple[str, str], ...] | None = None
    """Names and formats."""


def key_of(name: str, output: str) -> str:
    """What a document is called among those of a person: ``academic``, ``academic.txt``."""
    return name if output == PDF else f"{name}.{output}"
