"""``cvbuild gallery``: build a person's CV in every style, and a page that shows them all.

The PDFs are for choosing, so they are in a folder of their own, not among the files to send.
"""

from __future__ import annotations

import argparse
import base64
import sys
from collections.abc import Collection, Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cvbuild.building.check import profiles
from cvbuild.building.environment import workspace_library
from cvbuild.building.fresh import Entries
from cvbuild.cli import console, viewer
from cvbuild.cli.commands import build
from cvbuild.cli.report import Report
from cvbuild.cli.request import request_of
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.html.page import environment
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.styles.templates import Library
from cvbuild.serve.pictures import first_page

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject

#: The page in the output folder, and the folder of the PDFs below it.
PAGE = "gallery.html"
PDFS = PurePath(BUILD, "gallery")
#: Pixels for each point: sharp at 400 pixels on a screen with two pixels for each of them.
_SCALE = 1.35


def run(given: argparse.Namespace) -> int:
    """Build, write the page and show it; return 0 if every style could be built, else 1."""
    person = _person(given.person)
    library = workspace_library(given.template_path)
    checked = profiles.check(person, library)
    out = Path(given.out)
    given.people, given.out = [given.person or person.name], str(out / PDFS)
    report = Report(as_json=given.json)
    code = build.run_if_needed(given, Entries(request_of(given)), [person], report)
    if checked.profile is None:
        # The build has reported what is wrong with the file.
        report.close()
        return code
    documents = {str(one["template"]): one for one in report.documents}
    cards = [*_cards(documents, library, checked.profile.template, out)]
    page = environment(Path(__file__).parent).get_template("gallery.html.j2")
    name = str(checked.profile.name.display)
    file = _write(out, page.render(name=name, file=str(person.path), cards=cards))
    report.close(page=str(file))
    if not given.json:
        console.say(f"✓ {file}  {len(documents)} styles of {person.name}", str(file))
        if given.open and sys.stderr.isatty() and viewer.has_screen():
            viewer.browse(file.resolve().as_uri())
    return code


def _person(name: str | None) -> Person:
    """Return the person; raise UsageError if there are several and none is named."""
    found = people.find([name] if name else [])
    if len(found) > 1:
        names = ", ".join(person.name for person in found[:20]) + (", …" if len(found) > 20 else "")
        hint = f"write cvbuild gallery PERSON; the people are {names}"
        raise UsageError.because("person", "a gallery is of one person", hint)
    return found[0]


def _cards(
    documents: dict[str, JsonObject], library: Library, chosen: Collection[str], out: Path
) -> Iterator[dict[str, Any]]:
    """Yield what the page says of each style; one without a picture failed."""
    for style in library.names():
        document = documents.get(style)
        if document is None:
            continue
        manifest = library.find(style).manifest
        card = {"style": style, "manifest": manifest, "chosen": style in chosen, "picture": ""}
        if document["path"] is None:
            faults = [str(Diagnostic.from_json(one)) for one in document["diagnostics"]]
            yield {**card, "facts": [], "faults": faults}
            continue
        pdf, pages, left_out = Path(document["path"]), document["pages"], document["left_out"]
        facts = [f"{pages} page" if pages == 1 else f"{pages} pages", manifest.layout]
        facts += [
            document["fonts"],
            f"without {len(left_out)} that had no room" if left_out else "",
        ]
        yield card | {
            "picture": base64.b64encode(_picture(pdf)).decode(),
            "link": quote(pdf.relative_to(out).as_posix()),
            "facts": [*filter(None, facts)],
            "faults": [],
        }


def _picture(pdf: Path) -> bytes:
    from pypdfium2 import PdfiumError

    try:
        return first_page(safe_files.read(pdf, MAX_BYTES, links=False), _SCALE)
    except (OSError, PdfiumError) as error:
        raise CvbuildError.because("gallery", f"{pdf} can't be read: {error}") from None


def _write(out: Path, text: str) -> Path:
    """Write the page; raise CvbuildError if that can't be done."""
    try:
        with safe_folders.opened(out, make=True) as folder:
            folder.write(PAGE, text.encode())
    except OSError as error:
        raise CvbuildError.because("gallery", f"{out / PAGE}: {error.strerror}") from None
    return out / PAGE
