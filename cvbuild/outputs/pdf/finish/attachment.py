"""The file that travels with a PDF, as PDF/A-3 wants it: associated with the document."""

from __future__ import annotations

import hashlib

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from cvbuild.inputs.importers.resumes.attached import ATTACHMENT
from cvbuild.outputs.pdf.document_id import pdf_date

_WHAT = "The facts of this CV as JSON Resume"


def add(document: pikepdf.Pdf, content: bytes, epoch: int) -> None:
    """Attach ``content``, a JSON Resume; ``epoch`` is its date in seconds since 1970."""
    file = pikepdf.Stream(document, content)
    file.Type, file.Subtype = Name.EmbeddedFile, Name("/application/json")
    checksum = hashlib.md5(content, usedforsecurity=False).digest()  # what PDF asks for
    file.Params = Dictionary(
        ModDate=String(pdf_date(epoch)), Size=len(content), CheckSum=String(checksum)
    )
    embedded = document.make_indirect(file)
    specification = document.make_indirect(
        Dictionary(
            Type=Name.Filespec,
            F=String(ATTACHMENT),
            UF=String(ATTACHMENT),
            Desc=String(_WHAT),
            AFRelationship=Name.Data,
            EF=Dictionary(F=embedded, UF=embedded),
        )
    )
    names = Dictionary(Names=Array([String(ATTACHMENT), specification]))
    document.Root.Names = Dictionary(EmbeddedFiles=document.make_indirect(names))
    document.Root.AF = Array([specification])
