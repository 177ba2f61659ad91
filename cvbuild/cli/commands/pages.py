"""Pages of documents: ``cvbuild gallery`` of one person in every style, ``site`` of all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter

from cvbuild.building import profiles
from cvbuild.building.fresh import Entries
from cvbuild.cli import console
from cvbuild.cli.commands import build
from cvbuild.cli.main import in_each_language, request_of
from cvbuild.cli.report import Report, name_of
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError, foreign
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.inputs import people
from cvbuild.inputs.person import settings
from cvbuild.model.text import language_tags
from cvbuild.outputs.formats.html import (
    FACTS,
    PAGE,
    PHOTO,
    Card,
    Facts,
    People,
    Picture,
    environment,
    people_page,
)
from cvbuild.outputs.request import PDF, Request, document_key
from cvbuild.serve.pictures import first_page

#: The page in the output folder, and the folder of the PDFs below it.
GALLERY = "gallery.html"
PDFS = PurePath(safe_folders.BUILD, "gallery")
#: Pixels for each point: sharp at 400 pixels on a screen with two pixels for each of them.
_SCALE = 1.35


def gallery(given: argparse.Namespace) -> int:
    """Build, write the page and show it; return 0 if every style could be built, else 1."""
    persons = people.find([given.person] if given.person else [])
    if len(persons) > 1:
        names = console.some([person.name for person in persons], 20, ", …")
        hint = f"write cvbuild gallery PERSON; the people are {names}"
        raise UsageError.because("person", "a gallery is of one person", hint)
    (person,), out, report = persons, Path(given.out), Report(as_json=given.json)
    request = request_of(given)._replace(out=out / PDFS, formats=(PDF,))
    request = request._replace(everybody=False, all_templates=True)
    checked = profiles.check(person, request.library)
    code = build.run_if_needed(Entries(request), (person,), report)
    if checked.profile is None:
        # The build has reported what is wrong with the file.
        report.close()
        return code
    documents = {str(document["template"]): document for document in report.documents}
    cards = list[dict[str, Any]]()
    for style in filter(documents.get, request.library.names()):
        document, manifest = documents[style], request.library.find(style).manifest
        is_chosen = style in checked.profile.template
        card = {"style": style, "manifest": manifest, "chosen": is_chosen, "facts": []}
        faults = [str(Diagnostic.from_json(item)) for item in document["diagnostics"]]
        cards.append({**card, "picture": "", "faults": faults})
        if document["path"] is not None:
            pdf, without = Path(document["path"]), len(document["left_out"])
            facts = [console.counted(document["pages"], "page"), manifest.layout, document["fonts"]]
            facts += [f"without {without} that had no room"] if without else []
            picture, link = first_page(pdf, _SCALE), quote(pdf.relative_to(out).as_posix())
            about = {"picture": picture, "link": link, "facts": [*filter(None, facts)]}
            cards[-1] |= {**about, "faults": []}
    page = environment(Path(__file__).parent).get_template("gallery.html.j2")
    name = str(checked.profile.name.display)
    text = page.render(name=name, file=str(person.path), cards=cards)
    file = out / GALLERY
    with foreign("gallery", "can't write the page"):
        safe_folders.write(safe_folders.real(out, make=True) / GALLERY, text.encode())
    report.close(page=str(file))
    if not given.json:
        console.say(f"✓ {file}  {len(documents)} styles of {person.name}")
        if given.open and console.has_screen():
            console.browse(file.resolve().as_uri())
    return code


# -- site ------------------------------------------------------------------------------------------

#: The site in the output folder, which is the format of each person's part, too.
_SITE = "site"
#: Bytes: the most of a file of the site.
_MOST = 256 << 20
_Documents = dict[str, tuple[Path, Path]]


def site(given: argparse.Namespace) -> int:
    """Write the site; return 0, or 1, unwritten, if a document failed or none is there."""
    page = Path(given.out, _SITE, PAGE)
    persons = people.find(given.people)
    report = Report(as_json=given.json, people=len(persons))
    shared = settings.load(Path(people.WORKSPACE))
    request, *others = in_each_language(given)
    if others:
        tag = others[0].locale
        hint = f"make one for each: --locale {tag} --out {given.out}/{tag}"
        raise UsageError.because("site", "a site is in one language", hint)
    code, documents = _built(request, persons, report)
    is_written = code == 0 and bool(documents)
    changes = _publish(request, given.title, documents, shared) if is_written else ""
    report.close(page=str(page) if is_written else None)
    if not is_written:
        why = "a document failed" if code else "nobody has anything to show"
        console.say(f"✗ the site was not written: {why}")
        return code or 1
    if not given.json:
        console.say(f"✓ {page}  {console.counted(len(documents), 'person', 'people')}, {changes}")
    return 0


def _built(
    request: Request, persons: tuple[people.Person, ...], report: Report
) -> tuple[int, _Documents]:
    """Build what shows something; return the exit code, and each person's PDF and part."""
    code, silent, paths = 0, Report(as_json=True), dict[str, list[Path]]()
    # The PDFs are those of a build, where a build has them.
    for place, output, part in (
        (request.out, PDF, report),
        (request.hidden / _SITE, _SITE, silent),
    ):
        entries = Entries(request._replace(out=place, formats=(output,)))
        start = len(part.documents)
        code = max(code, build.run_if_needed(entries, persons, part))
        report.public(entries.going_public(persons, part.documents))
        built = {(item["person"], name_of(item)): item["path"] for item in part.documents[start:]}
        for person in persons:
            entry = entries.person(person)
            names = entries.request.templates or (entry["picked"] if entry else ())
            if path := names and built.get((person.name, document_key(names[0], output))):
                paths.setdefault(person.name, []).append(Path(path))
    for document in silent.documents:
        if document["path"]:
            report.documents.append(document)
        else:
            report.document(document, ())
    return code, {name: (both[0], both[1]) for name, both in paths.items() if both[1:]}


def _publish(
    request: Request,
    title: str,
    documents: _Documents,
    shared: settings.Loaded | None,
) -> str:
    """Write the site; return in words what was written and removed. Raises CvbuildError."""
    out, files, cards = request.out, dict[PurePath, bytes](), list[Card]()
    with foreign("site", f"can't write {out / _SITE}"):
        safe_files.refuse_links(out, _SITE)
        for name, (pdf, part) in documents.items():
            read = {f"{name}.pdf": pdf, PAGE: part / PAGE, FACTS: part / FACTS}
            read |= {PHOTO: part / PHOTO} if (part / PHOTO).is_file() else {}
            data = {file: safe_files.read(at, _MOST, links=False) for file, at in read.items()}
            try:
                facts = TypeAdapter(Facts).validate_json(data.pop(FACTS))
            except ValueError:
                fix = "remove it and build the site again"
                raise CvbuildError.because("site", f"{part} can't be read", fix) from None
            cards.append(Card(name, facts, Picture(data[PHOTO]) if PHOTO in data else None))
            files |= {PurePath("people", name, file): content for file, content in data.items()}
        cards.sort(key=lambda card: (card.facts.sort, card.name))
        usual = shared.data.defaults.locale if shared and shared.data else None
        tag = request.locale or usual or "en"
        groups = [*_groups(cards, tag, shared)]
        files[PurePath(PAGE)] = people_page(title, tag, groups)
        written = 0
        for place, content in files.items():
            target = safe_folders.real(out, _SITE, *place.parent.parts, make=True) / place.name
            if file_state.file_hash(target) != file_state.hash_of(content):
                safe_folders.write(target, content)
                written += 1
        # Pages, PDFs and photos of those who aren't on the site any more.
        site, removed = out / _SITE, 0
        for path in [*site.glob("people/*/*")]:
            below = path.relative_to(site)
            if path.name in (PAGE, PHOTO, f"{path.parent.name}.pdf") and below not in files:
                (safe_folders.real(out, _SITE, *below.parent.parts) / path.name).unlink()
                removed += 1
                with suppress(OSError):
                    for empty in path.parents[: len(below.parts) - 1]:
                        empty.rmdir()
    done = f"{written} files written" if written else "up to date"
    return f"{done}, {removed} removed" if removed else done


def _groups(
    cards: Sequence[Card], language: str, shared: settings.Loaded | None
) -> Iterator[People]:
    """Yield people below the headings of the workspace's groups, those in none first."""
    groups = shared.data.groups if shared and shared.data else {}
    for group in (None, *groups):
        title = groups[group].title if group else None
        texts = dict(getattr(title, "translations", ())) or {language: str(title or "")}
        tag = language_tags.choose(texts, language) or next(iter(texts))
        members = [card for card in cards if (shared and shared.headed(card.name)) == group]
        if members:
            yield People(members, texts[tag], tag)
