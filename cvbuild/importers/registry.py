"""All importers, and the choice of one for a file: by its content, not by its name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cvbuild.common import limits
from cvbuild.common.diagnostics import CvbuildError, UsageError, suggest

if TYPE_CHECKING:
    from cvbuild.importers.types import Given, Imported

#: What a person's file has: a name, sections, and the kind of one.
_OWN = (rb"^name:", rb"^sections:", rb"^ *-? *\{? *kind: *[a-z]")
#: The module of each importer, and its class there, if it isn't ``Format``.
MODULES: dict[str, str] = {
    # Before JSON Resume, which it looks like.
    "reactive-resume": "cvbuild.importers.formats.reactive_resume",
    "jsonresume": "cvbuild.importers.formats.jsonresume",
    "rendercv": "cvbuild.importers.formats.rendercv",
    "yamlresume": "cvbuild.importers.formats.jsonresume",
    "alfolio": "cvbuild.importers.formats.rendercv:AlFolio",
    "linkedin": "cvbuild.importers.formats.linkedin",
    "europass": "cvbuild.importers.formats.europass",
    # What is attached to a PDF is exact; any other is read by its layout.
    "embedded": "cvbuild.importers.formats.jsonresume:Embedded",
    "pdf": "cvbuild.importers.documents.pdf.importer",
    "latex": "cvbuild.importers.documents.latex",
    "docx": "cvbuild.importers.documents.docx",
    "orcid": "cvbuild.importers.formats.records:Orcid",
    "bibtex": "cvbuild.importers.formats.records:BibTeX",
    "markdown": "cvbuild.importers.documents.markdown",
}
#: Not among the formats: it is an extra's, and a file's ending is all that tells it.
_PANDOC = {"pandoc": "cvbuild.importers.documents.markdown:ByPandoc"}

#: Lists of publications in such formats.
_WORKS = re.compile(rb'<dblpperson\b|^TY  - |"(?:issued|container-title)"\s*:', re.MULTILINE)
#: The files of a site that have its CV as data, the best first; an archive has a folder around all.
_DATA = tuple(
    re.compile(rf"(?:[^/]+/)?{form}")
    for form in (r"(?:_data/)?cv\.(?:ya?ml|json)", r"(?:_data/|assets/json/|static/)?resume\.json")
)


def find(name: str, among: Mapping[str, str] = MODULES) -> Any:
    """Return the importer of that name; raises UsageError if there is none."""
    if name not in among:
        hint = suggest(name, MODULES, "the formats are")
        raise UsageError.because("importer", f'unknown format "{name[:60]}"', hint)
    module, _, kind = among[name].partition(":")
    return getattr(importlib.import_module(module), kind or "Format")()


def read(given: Given, name: str | None = None) -> Imported:
    """Read a file, within limits, by the importer of that name or the one that recognises it."""
    from cvbuild.importers.documents import plausibility

    # A file's ending, not the user, says that pandoc reads it.
    among = MODULES if name else MODULES | _PANDOC
    try:
        with limits.bounded(f"reading {given.name}"), limits.memory():
            name, given = (name, given) if name else _recognising(given)
            return plausibility.judged(find(name, among).read(given))
    except CvbuildError:
        raise
    except Exception as error:
        # Files are of any origin: what nobody thought of shows no traceback either.
        fact = f"{given.name} can't be read as {name or 'a CV'} ({type(error).__name__})"
        hint = "please report it to the authors of cvbuild, with the file if you can"
        raise CvbuildError.because("import", fact, hint) from error


def _recognising(given: Given) -> tuple[str, Given]:
    """Return the importer's name of a file, and the file: of a site, that with its data."""
    if all(re.search(pattern, given.head, re.MULTILINE) for pattern in _OWN):
        message = f"{given.name} is a person's file of cvbuild already"
        raise CvbuildError.because("import", message, "copy it into people/ and run: cvbuild check")
    # Markdown comes late, as much can be read as it.
    for name in (among := MODULES | _PANDOC):
        if find(name, among).recognises(given):
            return name, given
    # The files of a site's folder or archive that may be its CV as data.
    names = given.files.names if given.has_parts else ()
    for path in (path for form in _DATA for path in names if form.fullmatch(path)):
        data = given.files.read(path) or b""
        inner = replace(given, name=f"{given.name.rstrip('/')}/{path}", data=data, is_folder=False)
        for name in ("jsonresume", "rendercv", "alfolio"):
            if find(name).recognises(inner):
                return name, inner
    raise CvbuildError.because("importer", *_advice(given))


#: Files of programs that write Word files or PDFs, too.
_OF_OFFICES = (".doc", ".pages", ".txt", ".wpd")
#: The settings of a site of Jekyll or Hugo.
_SITE = re.compile(
    r"(?:[^/]+/)?(?:_config\.ya?ml|(?:hugo|config)\.(?:toml|ya?ml)|config/_default/.+)"
)
#: A site's page that may be a CV, or is about its author.
_PAGE = re.compile(r"(?:^|/)(?:cv|resume|vita|about|index)\.(?:md|markdown)$")


def _advice(given: Given) -> tuple[str, str]:
    """Return fact and fix for a file or a folder that no importer recognises."""
    if given.has_parts and any(map(_SITE.fullmatch, given.files.names)):
        pages = sorted(filter(_PAGE.search, given.files.names), key=lambda name: "cv" not in name)
        page = f"{given.name.rstrip('/')}/{pages[0]}" if pages else "PAGE.md"
        fact = f"{given.name} is a site without a CV as data (_data/cv.yml, resume.json, cv.json)"
        return fact, f"one page can be imported: cvbuild import {page}"
    hint = f"the formats are {', '.join(MODULES)}"
    if _WORKS.search(given.head):
        hint = "of a list of publications BibTeX is read: save it as that"
    elif given.is_folder:
        hint = f"if each file in it is a CV: cvbuild import --each {given.name}"
    elif given.name.lower().endswith(".adoc"):
        hint = f"make a Word file of it, and import that: pandoc {given.name} -o cv.docx"
    elif given.name.lower().endswith(_OF_OFFICES):
        hint = "save it as a Word file (.docx) or as a PDF, and import that"
    return f"{given.name} has no format that can be read", hint
