"""Pages of documents: ``cvbuild gallery`` of one person in every style, ``site`` of everybody.

The PDFs of a gallery are for choosing, so they are in a folder of their own, not among the files to
send. A site is an index, and of each person a page and a PDF.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import TypeAdapter

from cvbuild.building import PDF, document_key, profiles
from cvbuild.building.fresh import Entries
from cvbuild.building.requested import workspace_library
from cvbuild.cli import console
from cvbuild.cli.commands import build
from cvbuild.cli.console import counted
from cvbuild.cli.main import in_each_language, request_of
from cvbuild.cli.report import Report, name_of
from cvbuild.common import file_state, safe_files, safe_folders
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.common.safe_folders import BUILD
from cvbuild.inputs import people, workspace
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.workspace import Loaded
from cvbuild.model import language_tags
from cvbuild.outputs.html import page as site_output
from cvbuild.outputs.html.page import FACTS, PAGE, PHOTO, Card, Facts, People, Picture, environment
from cvbuild.outputs.templates import Library
from cvbuild.serve.pictures import first_page

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject


#: The page in the output folder, and the folder of the PDFs below it.
GALLERY = "gallery.html"
PDFS = PurePath(BUILD, "gallery")
#: Pixels for each point: sharp at 400 pixels on a screen with two pixels for each of them.
_SCALE = 1.35


def gallery(given: argparse.Namespace) -> int:
    """Build, write the page and show it; return 0 if every style could be built, else 1."""
    person = _person(given.person)
    library = workspace_library(given.template_path)
    checked = profiles.check(person, library)
    out = Path(given.out)
    given.people, given.out = [given.person or person.name], str(out / PDFS)
    given.all_templates, given.format = True, [[PDF]]
    report = Report(as_json=given.json)
    code = build.run_if_needed(given, Entries(request_of(given)), [person], report)
    if checked.profile is None:
        # The build has reported what is wrong with the file.
        report.close()
        return code
    documents = {str(one["template"]): one for one in report.documents}
    cards = [*_style_cards(documents, library, checked.profile.template, out)]
    page = environment(Path(__file__).parent).get_template("gallery.html.j2")
    name = str(checked.profile.name.display)
    file, text = out / GALLERY, page.render(name=name, file=str(person.path), cards=cards)
    with (
        foreign("gallery", "can't write the page"),
        safe_folders.opened(out, make=True) as folder,
    ):
        folder.write(GALLERY, text.encode())
    report.close(page=str(file))
    if not given.json:
        console.say(f"✓ {file}  {len(documents)} styles of {person.name}")
        if given.open and console.has_screen():
            console.browse(file.resolve().as_uri())
    return code


def _person(name: str | None) -> Person:
    """Return the person; raise UsageError if there are several and none is named."""
    persons = people.find([name] if name else [])
    if len(persons) > 1:
        more = ", …" if len(persons) > 20 else ""
        names = ", ".join(person.name for person in persons[:20])
        hint = f"write cvbuild gallery PERSON; the people are {names}{more}"
        raise UsageError.because("person", "a gallery is of one person", hint)
    return persons[0]


def _style_cards(
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
            faults = [str(Diagnostic.from_json(item)) for item in document["diagnostics"]]
            yield {**card, "facts": [], "faults": faults}
            continue
        pdf, pages, left_out = Path(document["path"]), document["pages"], document["left_out"]
        facts = [f"{pages} page" if pages == 1 else f"{pages} pages", manifest.layout]
        facts += [
            document["fonts"],
            f"without {len(left_out)} that had no room" if left_out else "",
        ]
        yield card | {
            "picture": first_page(pdf, _SCALE),
            "link": quote(pdf.relative_to(out).as_posix()),
            "facts": [*filter(None, facts)],
            "faults": [],
        }


# -- site ------------------------------------------------------------------------------------------

#: The site in the output folder, which is the format of each person's part, too.
_SITE = "site"
#: Bytes: the most of a file of the site.
_MOST = 256 << 20
_FACTS = TypeAdapter(Facts)
#: The PDF and the part of each person.
_Documents = dict[str, tuple[Path, Path]]


def site(given: argparse.Namespace) -> int:
    """Build and write the site; return 0, or 1 if a document failed or nobody is on it.

    Then nothing of it is written. Who has nothing to show isn't on it.
    """
    page = Path(given.out, _SITE, PAGE)
    report = Report(as_json=given.json, people=len(people.find(given.people)))
    shared = workspace.load(Path(WORKSPACE))
    own, *others = in_each_language(given)
    if others:
        hint = (
            f"make one for each: --locale {others[0].locale} --out {given.out}/{others[0].locale}"
        )
        raise UsageError.because("site", "a site is in one language", hint)
    code, documents = _built(own, report)
    is_written = code == 0 and bool(documents)
    changes = _publish(own, documents, shared) if is_written else ""
    report.close(page=str(page) if is_written else None)
    if not is_written:
        why = "a document failed" if code else "nobody has anything to show"
        console.say(f"✗ the site was not written: {why}")
        return code or 1
    if not given.json:
        console.say(f"✓ {page}  {counted(len(documents), 'person', 'people')}, {changes}")
    return 0


def _built(given: argparse.Namespace, report: Report) -> tuple[int, _Documents]:
    """Build what shows something; return the exit code, and the documents."""
    persons, code, silent = people.find(given.people), 0, Report(as_json=True)
    paths = dict[str, list[Path]]()
    parts = str(Path(given.out, BUILD, _SITE))
    # The PDFs are those of a build, where a build has them.
    for place, output, part in ((given.out, "pdf", report), (parts, _SITE, silent)):
        template = [[given.template]] if given.template else []
        own = {"out": place, "format": [[output]], "template": template}
        changed, start = argparse.Namespace(**{**vars(given), **own}), len(part.documents)
        entries = Entries(request_of(changed))
        code = max(code, build.run_if_needed(changed, entries, persons, part))
        report.public(entries.going_public(persons, part.documents))
        built = {(item["person"], name_of(item)): item["path"] for item in part.documents[start:]}
        for person in persons:
            entry = entries.person(person)
            names = [given.template] if given.template else entry["picked"] if entry else []
            if path := names and built.get((person.name, document_key(names[0], output))):
                paths.setdefault(person.name, []).append(Path(path))
    for document in silent.documents:
        if document["path"]:
            report.documents.append(document)
        else:
            report.document(document, ())
    return code, {name: (both[0], both[1]) for name, both in paths.items() if both[1:]}


def _publish(given: argparse.Namespace, documents: _Documents, shared: Loaded | None) -> str:
    """Write the site; return in words what was written and removed. Raises CvbuildError."""
    out, files = Path(given.out), dict[PurePath, bytes]()
    with foreign("site", f"can't write {out / _SITE}"):
        safe_files.refuse_links(out, _SITE)
        for name, (pdf, part) in documents.items():
            there = {f"{name}.pdf": pdf} | {file: part / file for file in (PAGE, PHOTO)}
            for file, path in there.items():
                if file != PHOTO or path.is_file():
                    place = PurePath("people", name, file)
                    files[place] = safe_files.read(path, _MOST, links=False)
        cards = sorted(_cards(documents), key=lambda card: (card.facts.sort, card.name))
        usual = shared.data.defaults.locale if shared and shared.data else None
        tag = given.locale or usual or "en"
        groups = [*_groups(cards, tag, shared)]
        files[PurePath(PAGE)] = site_output.people_page(given.title, tag, groups)
        written = 0
        for place, data in files.items():
            with safe_folders.opened(out, _SITE, *place.parent.parts, make=True) as target:
                if file_state.file_hash(out / _SITE / place) != file_state.hash_of(data):
                    target.write(place.name, data, f"{place.name}.new")
                    written += 1
        removed = _remove_stale(out, files)
    done = f"{written} files written" if written else "up to date"
    return f"{done}, {removed} removed" if removed else done


def _remove_stale(out: Path, files: Collection[PurePath]) -> int:
    """Remove pages, PDFs and photos of those who aren't on the site any more; return how many."""
    site, removed = out / _SITE, 0
    for path in [*site.glob("people/*/*")]:
        below = path.relative_to(site)
        if path.name in (PAGE, PHOTO, f"{path.parent.name}.pdf") and below not in files:
            with safe_folders.opened(out, _SITE, *below.parent.parts) as folder:
                folder.unlink(path.name)
            removed += 1
            with suppress(OSError):
                for empty in path.parents[: len(below.parts) - 1]:
                    empty.rmdir()
    return removed


def _cards(documents: _Documents) -> Iterator[Card]:
    """Yield what the index shows of each person; raises CvbuildError."""
    for name, (_, part) in documents.items():
        try:
            facts = _FACTS.validate_json(safe_files.read(part / FACTS, _MOST, links=False))
        except ValueError:
            fix = "remove it and build the site again"
            raise CvbuildError.because("site", f"{part} can't be read", fix) from None
        photo = part / PHOTO
        picture = Picture(safe_files.read(photo, _MOST, links=False)) if photo.is_file() else None
        yield Card(name, facts, picture)


def _groups(cards: Sequence[Card], language: str, shared: Loaded | None) -> Iterator[People]:
    """Yield people below the headings of the workspace's groups, in its order.

    Who is in no group with a title comes first.
    """
    groups = shared.data.groups if shared and shared.data else {}
    for group in (None, *groups):
        title = groups[group].title if group else None
        texts = dict(getattr(title, "translations", ())) or {language: str(title or "")}
        tag = language_tags.choose(texts, language) or next(iter(texts))
        members = [card for card in cards if (shared and shared.headed(card.name)) == group]
        if members:
            yield People(members, texts[tag], tag)
