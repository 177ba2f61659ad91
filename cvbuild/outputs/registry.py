"""Which outputs there are; the module of one is imported when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from cvbuild.common.errors import UsageError
from cvbuild.common.suggestions import suggest

if TYPE_CHECKING:
    from cvbuild.outputs.types import Output

#: The module of each output, which has a class ``Format``.
MODULES = {
    "pdf": "cvbuild.outputs.pdf.output",
    "docx": "cvbuild.outputs.docx.output",
    "txt": "cvbuild.outputs.text",
    "json": "cvbuild.outputs.jsonresume.export",
    "html": "cvbuild.outputs.html.output",
    "bib": "cvbuild.outputs.bib",
    "md": "cvbuild.outputs.markdown",
    "site": "cvbuild.outputs.html.site",
    "png": "cvbuild.outputs.png",
}

#: Other words for formats, and formats of other programs with what such a file is made from.
_MEANT = {
    "academicpages": "md", "bibtex": "bib", "doc": "docx", "htm": "html", "hugo": "md",
    "jsonresume": "json", "markdown": "md", "odt": "docx", "plain": "txt", "rendercv": "json",
    "text": "txt", "txt72": "txt", "vcard": "json", "vcf": "json", "web": "html", "word": "docx",
    "yaml": "json",
}  # fmt: skip


def names() -> tuple[str, ...]:
    """Return the names of the outputs."""
    return tuple(MODULES)


@cache
def find(name: str) -> Output:
    """Return the output of that name; raises UsageError if there is none."""
    if name not in MODULES:
        raise UsageError.because("format", f'unknown format "{name[:60]}"', instead_of(name))
    output: Output = import_module(MODULES[name]).Format()
    return output


def instead_of(name: str) -> str:
    """Return what to write in place of the name of a format that there isn't."""
    meant = _MEANT.get(name.casefold().removeprefix("."))
    return f"write {meant}" if meant else suggest(name, names(), "the formats are")
