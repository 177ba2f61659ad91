"""Prepared PDFs with another typesetter or style."""

from __future__ import annotations

from dataclasses import replace

from cvbuild.building.plan import Document
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.templates import Template


def with_setter(made: Document, setter: Typesetter) -> Document:
    """The same document, typeset by another one."""
    return replace(made, prepared=replace(as_pdf(made.prepared), setter=setter))


def styled(setter: Typesetter, template: Template) -> Typesetter:
    """The same typesetter with another style."""
    return replace(setter, shown=replace(setter.shown, template=template))
