"""PDFs of cvbuild with the option ``embed``: the facts are attached as JSON Resume."""

from __future__ import annotations

from cvbuild.importers.resumes import attached, jsonresume
from cvbuild.importers.types import Given, Imported
from cvbuild.outputs.pdf.about import ATTACHMENT


class Format:
    """A PDF that carries its facts."""

    name = "embedded"
    title = "PDF with embedded facts"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF; of one without facts, ``read`` says so."""
        return given.data.startswith(b"%PDF-")

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise CvbuildError if there is none, or it can't be read."""
        return jsonresume.read(attached.read(given.data, given.name), ATTACHMENT)
