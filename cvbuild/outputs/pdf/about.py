"""What the file of a document says about itself; its id, made from its content and its date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from msgspec import Struct, field

from cvbuild.common import hashes
from cvbuild.view.types import Content, Document

#: The name of the attached file, a JSON Resume.
ATTACHMENT = "resume.json"


class About(Struct, frozen=True):
    """What a file says about itself; ``shows`` are its pictures' texts by the names of files."""

    title: Content
    author: Content
    subject: Content | None = None
    keywords: tuple[Content, ...] = ()
    language: str = "en"
    shows: Mapping[str, str] = field(default_factory=dict)
    attachment: bytes | None = None

    def texts(self) -> tuple[Content, ...]:
        """Return all texts that are in the metadata."""
        subject = (self.subject,) if self.subject else ()
        return (self.title, self.author, *subject, *self.keywords)


def about(document: Document, shows: Mapping[str, str], attachment: bytes | None) -> About:
    """Return what the file of a document says about itself."""
    head, letter = document.header, document.letter
    return About(
        title=letter.title if letter else head.name,
        author=head.name,
        subject=letter.subject if letter else head.headline,
        keywords=() if letter else document.keywords,
        language=document.language,
        shows=shows,
        attachment=attachment,
    )


def ident(key: str, epoch: int) -> str:
    """Return 64 hexadecimal digits for a document with the hash ``key`` and the date ``epoch``."""
    return hashes.digest(f"{key} {epoch}")


def pdf_date(epoch: int) -> str:
    """Return ``epoch``, in seconds since 1970, as PDF writes it: D:20240101000000Z."""
    moment = dt.datetime.fromtimestamp(epoch, dt.UTC)
    return f"D:{moment:%Y%m%d%H%M%S}Z"
