"""What is asked for: which documents, what they show, and how they are made; cheap to import."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cvbuild.common.files.safe_folders import BUILD

if TYPE_CHECKING:
    from datetime import date as Day

    from cvbuild.outputs.styles.templates import Library

#: The format of a document unless another is requested.
PDF = "pdf"
#: Added to the name of a public document that is built with --private.
PRIVATE = "private"
#: Below the hidden folder: the documents of applications.
APPLICATIONS = "applications"
#: Seconds in a day.
DAY = 86_400
#: 1970-01-01 as a proleptic Gregorian ordinal.
EPOCH_DAY = 719163


class Request(NamedTuple):
    """A request for documents; ``batch.settled`` says whether there are such.

    ``today`` is the build's day and ``epoch`` SOURCE_DATE_EPOCH if the caller has one, both in
    seconds since 1970 in UTC. ``templates``, ``variants`` and ``formats`` replace what people
    picked; ``everybody`` is whether nobody was named, so that variants are built for the people who
    have them. ``cluster`` is where TeX runs, if not here: what was made there has an index of its
    own.
    """

    out: Path
    today: int
    # Which documents.
    templates: tuple[str, ...] = ()
    all_templates: bool = False
    variants: tuple[str, ...] = ()
    everybody: bool = False
    formats: tuple[str, ...] = ()
    # What they show.
    locale: str | None = None
    """The language of the documents, as a known BCP 47 tag; their own if absent."""
    private: bool = False
    sets: tuple[str, ...] = ()
    # How they are made.
    template_path: tuple[str, ...] = ()
    engine: str = "auto"
    driver: str = "auto"
    epoch: int | None = None
    cluster: str | None = None
    jobs: int | None = None
    """How many are built at once here; as many as there are cores by default."""
    force: bool = False
    timeout: float = 60
    """In seconds, for each run of TeX."""
    cache: Path | None = None
    """Where formats, fonts and compiled templates are kept; the user's own when absent."""
    # What whoever watches gets.
    preloaded: Any = None
    """A ``PreloadedPool``: engines that wait for the text of a document, if there are any."""
    compared: Callable[[Any, Any], object] | None = None
    """Called with what a PDF that was made holds, and what it must hold."""
    early: Callable[[Path], object] | None = None
    """Called with a PDF that isn't checked yet, and may still be set anew to fill its pages."""
    shows_first: bool = False
    """Whether a PDF is put in place before it is verified; if that fails, the last one is back."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variants or templates that replace what people picked."""
        return self.variants or self.templates

    @property
    def library(self) -> Library:
        """The templates; raises UsageError for a folder that doesn't exist, and TemplateError."""
        from cvbuild.outputs.styles.templates import Library

        return Library.of_workspace(self.template_path)

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
        return self.hidden / "tmp"


def day_of(seconds: int) -> Day:
    """Return the day in UTC of ``seconds`` since 1970."""
    from datetime import date as Day  # a run without changes needs no days

    return Day.fromordinal(EPOCH_DAY + seconds // DAY)


def epoch_of(text: str) -> int | None:
    """Return SOURCE_DATE_EPOCH as it is written, None if it isn't set; raises UsageError."""
    if text and not re.fullmatch(r"[0-9]{1,11}", text):
        from cvbuild.common.diagnostics import UsageError

        hint = "set it to a number of seconds since 1970"
        raise UsageError.because("epoch", f'SOURCE_DATE_EPOCH is "{text}"', hint)
    return int(text) if text else None


def document_key(name: str, output: str) -> str:
    """Return the key of a document among those of a person: ``academic``, ``academic.txt``."""
    return name if output == PDF else f"{name}.{output}"


def record_name(output: str) -> str:
    """Return the name of the record's file for an output of that name."""
    return "record.json" if output == PDF else f"record-{output}.json"
