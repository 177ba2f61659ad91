"""What the file of a document says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cvbuild.view.types import Content, Document

#: The name of the attached file, a JSON Resume.
ATTACHMENT = "resume.json"


@dataclass(frozen=True, slots=True)
class About:
    """What a document's file says about itself.

    ``shows`` says what each picture shows, by the name of its file; ``attachment`` is a file in it.
    """

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
