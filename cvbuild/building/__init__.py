"""A request for documents, as it was made; cheap to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cvbuild.inputs.people import Person
    from cvbuild.model import Profile

    #: Names and formats of documents.
    Documents = list[tuple[str, str]]
    #: People with documents left to build; None where it isn't known which.
    Pending = dict[Person, Documents | None]

#: The format of a document unless another is requested.
PDF = "pdf"
#: Added to the name of a public document that is built with --private.
PRIVATE = "private"
#: Seconds in a day.
DAY = 86_400


class Request(NamedTuple):
    """A request for documents; ``requested.settled`` says whether there are such.

    ``templates``, ``variants`` and ``formats`` replace what people picked; ``everybody`` is whether
    nobody was named, so that variants are built for the people who have them; ``epoch`` is
    SOURCE_DATE_EPOCH; ``cluster`` is where TeX runs, if not here: what was made there has an index
    of its own.
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
    private: bool = False
    sets: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The variants or templates that replace what people picked."""
        return self.variants or self.templates

    def names_of(self, profile: Profile) -> tuple[str, ...]:
        """Return the names of a person's documents, each once."""
        names = dict.fromkeys(self.names or profile.template)
        return tuple(name for name in names if not self.variants or name in profile.variants)

    def formats_of(self, profile: Profile) -> tuple[str, ...]:
        """Return the names of the formats that a person's documents are made in, each once."""
        return tuple(dict.fromkeys(self.formats or profile.formats))

    def options(self) -> list[object]:
        """Return what documents depend on: everything except which of them are requested."""
        options = self._asdict()
        for name in ("templates", "all_templates", "variants", "everybody", "out", "formats"):
            del options[name]
        return [*options.values()]


def document_key(name: str, output: str) -> str:
    """Return the key of a document among those of a person: ``academic``, ``academic.txt``."""
    return name if output == PDF else f"{name}.{output}"
