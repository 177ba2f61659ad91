"""All importers, and the choice of one for a file: by its content, not by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cvbuild.common import limits, plugins
from cvbuild.common.errors import CvbuildError, PluginError, UsageError
from cvbuild.common.suggestions import suggest

if TYPE_CHECKING:
    from cvbuild.importers.types import Given, Imported, Importer

#: What a person's file has: a name, sections, and the kind of one.
_OWN = (rb"^name:", rb"^sections:", rb"^ *-? *\{? *kind: *[a-z]")
#: The group of entry points.
GROUP = "cvbuild.importers"
#: The module of each built-in importer, which has a class ``Format``.
BUILT_IN: dict[str, str] = {
    "jsonresume": "cvbuild.importers.resumes.jsonresume",
    "rendercv": "cvbuild.importers.resumes.rendercv",
    "yamlresume": "cvbuild.importers.resumes.yamlresume",
    "linkedin": "cvbuild.importers.records.linkedin",
    "europass": "cvbuild.importers.records.europass",
    # What is attached to a PDF is exact; any other is read by its layout.
    "embedded": "cvbuild.importers.resumes.attached",
    "pdf": "cvbuild.importers.documents.pdf.importer",
    "academicpages": "cvbuild.importers.sites.academicpages",
    "hugo": "cvbuild.importers.sites.hugo",
    "latex": "cvbuild.importers.documents.latex.importer",
    "docx": "cvbuild.importers.documents.word.importer",
    "orcid": "cvbuild.importers.records.orcid",
    "dblp": "cvbuild.importers.records.dblp",
    "csl-json": "cvbuild.importers.references.csl",
    "ris": "cvbuild.importers.references.ris",
    "bibtex": "cvbuild.importers.references.bibtex",
    "markdown": "cvbuild.importers.documents.markdown",
}


def names() -> tuple[str, ...]:
    """Return the names of the built-in importers, then those of installed packages."""
    return plugins.names(GROUP, BUILT_IN)


def find(name: str) -> Importer:
    """Return the importer of that name.

    Raises UsageError if there is none, PluginError if its package can't be used.
    """
    kind = ("name", "title", "recognises", "read")
    found = plugins.find(GROUP, BUILT_IN, name, kind)
    if found is None:
        hint = suggest(name, names(), "the formats are")
        raise UsageError.because("importer", f'unknown format "{name[:60]}"', hint)
    importer: Importer = found
    return importer


def read(given: Given, name: str | None = None) -> Imported:
    """Read a file by the importer of that name, else by the one that recognises it.

    It may take ``limits.SECONDS`` of CPU time and ``limits.MEMORY``. Raises CvbuildError if none or
    several do, and with what is wrong with the file.
    """
    try:
        with limits.seconds(limits.SECONDS), limits.memory():
            return _read(given, name)
    except limits.TimeUpError:
        fact = f"reading {given.name} took over {limits.SECONDS:g} s"
    except MemoryError:
        fact = f"reading {given.name} needs more memory than there is"
    raise CvbuildError.because("import", fact, "is it the right file?")


def _read(given: Given, name: str | None) -> Imported:
    importer = find(name) if name else _recognising(given)
    try:
        return _imported(importer.read(given))
    except (CvbuildError, MemoryError):
        raise
    except Exception as error:
        if importer.name in BUILT_IN:
            # Files are of any origin: what nobody thought of shows no traceback either.
            fact = f"{given.name} can't be read as {importer.title} ({type(error).__name__})"
            hint = "please report it to the authors of cvbuild, with the file if you can"
            raise CvbuildError.because("import", fact, hint) from error
        raise plugins.failed(GROUP, importer.name, error) from error


def _imported(found: object) -> Imported:
    """Return the same; raise TypeError if an importer gave something else."""
    from cvbuild.importers.types import Imported

    if not isinstance(found, Imported) or not isinstance(found.data, Mapping):
        raise TypeError(f"read() returned {type(found).__name__}, not Imported")
    return found


def _recognising(given: Given) -> Importer:
    if all(re.search(pattern, given.head, re.MULTILINE) for pattern in _OWN):
        message = f"{given.name} is a person's file of cvbuild already"
        raise CvbuildError.because("import", message, "copy it into people/ and run: cvbuild check")
    found: list[Importer] = []
    built_in = False
    broken: list[PluginError] = []
    for name in names():
        try:
            importer = find(name)
        except PluginError as error:
            broken.append(error)
            continue
        # The first built-in one that does: Markdown comes last, as much can be read as it.
        if not (name in BUILT_IN and built_in) and _recognises(importer, given):
            found.append(importer)
            built_in = name in BUILT_IN
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(one.name for one in found)
        message = f"{given.name} may be of several formats: {several}"
        raise UsageError.because("importer", message, "choose one of them with --from")
    if broken:
        raise PluginError([item for error in broken for item in error.diagnostics])
    hint = f"the formats are {', '.join(names())}"
    if advice := _of_site(given):
        raise CvbuildError.because("importer", *advice)
    if given.is_folder:
        hint = f"if each file in it is a CV: cvbuild import --each {given.name}"
    elif given.name.lower().endswith(_OF_OFFICES):
        hint = "save it as a Word file (.docx) or as a PDF, and import that"
    raise CvbuildError.because("importer", f"{given.name} has no format that can be read", hint)


#: Files of programs that write Word files or PDFs, too.
_OF_OFFICES = (".doc", ".htm", ".html", ".odt", ".pages", ".rtf", ".txt", ".wpd")
#: A site's page that is a CV, or is about its author, the best first.
_PAGES = ("cv", "resume", "vita", "about", "index")


def _of_site(given: Given) -> tuple[str, str] | None:
    """Return fact and fix for a site of Jekyll that isn't academicpages; None for anything else."""
    names = given.files.names() if given.has_parts else ()
    if not any(re.fullmatch(r"(?:[^/]+/)?_config\.ya?ml", name) for name in names):
        return None
    fact = (
        f"{given.name} is a site of Jekyll, but it has none of the folders of academicpages "
        "(_publications, _talks, _teaching, _portfolio)"
    )
    pages = {
        name.rpartition("/")[2].partition(".")[0]: name
        for name in reversed(names)
        if re.search(r"\.(?:md|markdown)$", name)
    }
    page = next((pages[stem] for stem in _PAGES if stem in pages), "")
    where = f"{given.name.rstrip('/')}/{page}" if given.is_folder else page
    unpacked = "" if given.is_folder else ", once the archive is unpacked"
    told = f"cvbuild import {where}{unpacked}" if page else "its CV must be a page in Markdown"
    return fact, f"one page can be imported: {told}"


def _recognises(importer: Importer, given: Given) -> bool:
    try:
        return importer.recognises(given)
    except Exception as error:
        if importer.name in BUILT_IN:
            raise
        raise plugins.failed(GROUP, importer.name, error) from error
