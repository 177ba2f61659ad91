"""Which outputs there are: those of cvbuild, and those of packages installed beside it.

A package registers a class without arguments under the entry point ``cvbuild.outputs``; these are
looked up only for a name that is not built in.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from cvbuild.common import plugins
from cvbuild.common.errors import UsageError
from cvbuild.common.suggestions import suggest

if TYPE_CHECKING:
    from cvbuild.outputs.types import DerivedOutput, Output, PreparedOutput

#: The group of entry points.
GROUP = "cvbuild.outputs"
_SUFFIX = re.compile(r"\.[A-Za-z0-9][A-Za-z0-9.]*")
#: The module of each built-in output, which has a class ``Format``.
BUILT_IN = {
    "pdf": "cvbuild.outputs.pdf.output",
    "docx": "cvbuild.outputs.docx.output",
    "txt": "cvbuild.outputs.text.export",
    "json": "cvbuild.outputs.jsonresume.export",
    "html": "cvbuild.outputs.html.output",
    "bib": "cvbuild.outputs.bib",
    "md": "cvbuild.outputs.markdown.export",
    "site": "cvbuild.outputs.site.output",
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
    """Return the names of the built-in outputs, then those of installed packages."""
    return plugins.names(GROUP, BUILT_IN)


@cache
def find(name: str) -> Output | PreparedOutput | DerivedOutput:
    """Return the output of that name; raises UsageError if there is none, and PluginError."""
    found = plugins.find(GROUP, BUILT_IN, name, ("name", "suffix", "make"))
    if found is not None and name not in BUILT_IN and not _is_own_suffix(str(found.suffix)):
        problem = f'its suffix "{str(found.suffix)[:20]}" is not one of its own, such as ".outline"'
        raise plugins.failed(GROUP, name, ValueError(problem))
    if found is None:
        raise UsageError.because("format", f'unknown format "{name[:60]}"', instead_of(name))
    output: Output | PreparedOutput | DerivedOutput = found
    return output


def instead_of(name: str) -> str:
    """Return what to write in place of the name of a format that there isn't."""
    meant = _MEANT.get(name.casefold().removeprefix("."))
    return f"write {meant}" if meant else suggest(name, names(), "the formats are")


def shows_letters(name: str) -> bool:
    """Return whether a format can show a letter; raises as ``find``."""
    return bool(getattr(find(name), "shows_letters", False))


def has_look(name: str) -> bool:
    """Return whether a format looks as its template does; raises as ``find``."""
    return bool(getattr(find(name), "has_look", False))


def _is_own_suffix(suffix: str) -> bool:
    built_in = [import_module(module).Format.suffix for module in BUILT_IN.values()]
    return _SUFFIX.fullmatch(suffix) is not None and suffix not in built_in
