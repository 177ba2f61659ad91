"""What is to be built, and how: one document of a person, and the settings of a build."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date as Day
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from cvbuild.common.files import work_folders
from cvbuild.common.files.safe_folders import BUILD as BUILD  # noqa: PLC0414 - where others find it
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.limits import Limits
from cvbuild.model.variant import Variant
from cvbuild.outputs.styles.templates import Library

if TYPE_CHECKING:
    from cvbuild.inputs.letters import Draft

#: 1970-01-01 as a proleptic Gregorian ordinal.
EPOCH_DAY = 719163
#: There: the documents of applications.
APPLICATIONS = "applications"


class PreloadedEngines(Protocol):
    """Engines that have read all but the text of a document, or some of it, and wait for it."""

    def take(self, place: Path) -> AbstractContextManager[Any]:
        """Yield the engines for the document with its record in this folder."""


def day_of(seconds: int) -> Day:
    """Return the day in UTC of ``seconds`` since 1970."""
    return Day.fromordinal(EPOCH_DAY + seconds // 86400)


def record_name(output: str) -> str:
    """Return the name of the record's file for an output of that name."""
    return "record.json" if output == "pdf" else f"record-{output}.json"


class Settings(Struct, frozen=True):
    """How documents are built.

    ``today`` is the build's day and ``epoch`` SOURCE_DATE_EPOCH if the caller has one, both in
    seconds since 1970 in UTC; ``timeout`` in seconds counts for each run of TeX; ``cache`` is
    where formats, fonts and compiled templates are kept, the user's own when absent.
    """

    out: Path
    library: Library
    today: int
    epoch: int | None = None
    engine: str = "auto"
    driver: str = "auto"
    force: bool = False
    timeout: float = 60
    cache: Path | None = None
    locale: str | None = None
    """The language of the documents, as a known BCP 47 tag; their own if absent."""
    private: bool = False
    """Whether documents that are public by themselves show what is private, too."""
    sets: tuple[str, ...] = ()
    """``KEY=VALUE`` texts that go before what variants say."""
    preloaded: PreloadedEngines | None = None
    """Engines that wait for the text of a document, if there are any."""
    by_group: bool = False
    """Whether finished documents go to the folder of the person's group, if it has one."""
    compared: Callable[[Any, Any], object] | None = None
    """Called with what a PDF that was made holds, and what it must hold."""
    early: Callable[[Path], object] | None = None
    """Called with a PDF that isn't checked yet, and may still be set anew to fill its pages."""
    shows_first: bool = False
    """Whether a PDF is put in place before it is verified; if that fails, the last one is back."""

    @property
    def day(self) -> Day:
        """The build's day."""
        return day_of(self.today)

    @property
    def counted_from(self) -> Day:
        """The day from which times count back: SOURCE_DATE_EPOCH's, else the build's."""
        return day_of(self.today if self.epoch is None else self.epoch)

    @property
    def hidden(self) -> Path:
        """What holds everything that is no finished document."""
        return self.out / BUILD

    @property
    def scratch(self) -> Path:
        """What holds the private folders of TeX's runs."""
        return self.out.joinpath(*work_folders.PLACE)


class Task(Struct, frozen=True):
    """One document to build; ``photo`` is what ``photo.load`` gave, if it was read already.

    ``variant`` is the one of the profile that it is, if it is one; ``private`` whether the profile
    has what is private in it.
    """

    person: Person
    profile: Profile
    source: Source
    template: str
    photo: bytes | None = None
    variant: str | None = None
    private: bool = False
    draft: Draft | None = None
    """The letter that the document is, in the template's style; ``source`` has it too."""
    format: str = "pdf"
    """The name of the output that makes it."""
    limits: Limits | None = None
    """What the document of an application must keep to, in place of the variant's limits."""
    out: str | None = None
    """The folder of the finished file's folder, if it is another than that of the build."""

    @property
    def name(self) -> str:
        """What the document is called: the variant, else the template."""
        return self.variant or self.template

    @property
    def shown_variant(self) -> str | None:
        """The variant, unless it stands for a template for one build."""
        return None if self.variant == self.template else self.variant

    @property
    def day(self) -> Day | None:
        """The day that the document itself tells: a letter's, else ``updated``."""
        return self.draft.date if self.draft else self.profile.updated

    @property
    def chosen(self) -> Variant | None:
        """What the variant says."""
        return self.profile.variants[self.variant] if self.variant else None
