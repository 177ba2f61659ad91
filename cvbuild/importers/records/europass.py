"""Europass CVs: the XML of its editor, by itself or attached to the PDF that it makes.

SkillsPassport, the format up to 2020, is refused: the editor reads it.
"""

from __future__ import annotations

import re

from cvbuild.common.errors import CvbuildError
from cvbuild.importers.draft import Draft
from cvbuild.importers.records import europass_candidate
from cvbuild.importers.sources import located_xml, pdf_attachments
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references import texts

_ROOT = re.compile(
    r"<(?:\w+:)?(?:SkillsPassport|learnerinfo|LearnerInfo|Candidate)\b[^>]*europass", re.IGNORECASE
)
#: Texts that have no key and are listed.
_MOST_LOST = 2_000
_EXPORT = "open it in the editor at europass.europa.eu and download it once more"


class Format:
    """The CV of Europass."""

    name = "europass"
    title = "Europass"

    def recognises(self, given: Given) -> bool:
        """Return whether the root is one of Europass's, or that of a PDF's attachment."""
        if given.data.startswith(b"%PDF-"):
            return _attached(given) is not None
        return given.data.lstrip()[:1] in (b"<", b"\xef", b"\xff", b"\xfe") and _is_europass(
            given.head
        )

    def read(self, given: Given) -> Imported:
        """Read the XML; raises CvbuildError for one that is broken or of another format."""
        data, name = given.data, given.name
        if data.startswith(b"%PDF-"):
            attached = _attached(given)
            if attached is None:
                message = f"{given.name} has no Europass CV attached"
                raise CvbuildError.because("import", message, _EXPORT)
            name, data = f"{given.name}/{attached[0]}", attached[1]
        root = located_xml.parse(data, name)
        if root.name != "Candidate":
            message = f"this is Europass's format from before 2020, <{root.name}>"
            raise CvbuildError.because("import-version", message, _EXPORT, root.place)
        draft = Draft(name)
        europass_candidate.read(root, draft)
        _lose_unread(root, draft)
        return draft.done()


def _is_europass(head: bytes) -> bool:
    return _ROOT.search(texts.decoded(head[: 1 << 14])) is not None


def _attached(given: Given) -> tuple[str, bytes] | None:
    """Return the name and the content of a PDF's attachment that is Europass's; None for none."""
    return next((one for one in pdf_attachments.read(given.data) if _is_europass(one[1])), None)


def _lose_unread(root: Element, draft: Draft) -> None:
    for count, (path, text, element, item) in enumerate(root.unread()):
        if count == _MOST_LOST:
            draft.lose("further texts", "there are too many to list", element.place)
            return
        draft.lose(path.partition("/")[2] or path, text, element.place, item)
