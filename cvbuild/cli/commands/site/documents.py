"""The report of a site's build, which keeps the documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building.request import document_key
from cvbuild.cli.report import Report, name_of
from cvbuild.outputs.site.output import BESIDE

if TYPE_CHECKING:
    from cvbuild.building.cache.index import JsonObject
    from cvbuild.cli.progress import Lines

#: The site in the output folder, and the format of each person's part.
SITE = "site"


class Documents(Report):
    """A report that keeps each document, and is silent on the parts of the site."""

    def __init__(self, *, as_json: bool, people: int) -> None:
        super().__init__(as_json=as_json, people=people)
        self.as_json = as_json
        self._found: dict[tuple[str, str], Path] = {}

    def document(
        self, document: JsonObject, notes: Iterable[JsonObject], lines: Lines | None = None
    ) -> None:
        """Report a document and keep it."""
        name = name_of(document)
        if document["path"] is not None:
            self._found[document["person"], name] = Path(document["path"])
        if document["path"] is None or document["format"] != SITE:
            super().document(document, notes, lines)
        elif lines:
            lines.end(f"{document['person']} {name}")

    def begin(self) -> None:
        """Forget the documents of another language."""
        self._found.clear()

    def has(self, person: str, name: str, formats: Iterable[str]) -> bool:
        """Return whether a person's document was made in all of these formats."""
        return all((person, document_key(name, output)) in self._found for output in formats)

    def of(self, person: str, name: str) -> dict[str, Path]:
        """Return the paths of a person's document by format."""
        return {
            output: self._found[person, document_key(name, output)] for output in (SITE, *BESIDE)
        }
