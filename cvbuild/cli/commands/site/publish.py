"""Write a site: the pages of everybody in each language, and each person's files beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building import site_files
from cvbuild.building.request import document_key
from cvbuild.building.site_files import Published
from cvbuild.cli import console
from cvbuild.cli.report import Report, name_of
from cvbuild.cli.summary import counted
from cvbuild.common import hashes, user_cache
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.inputs import workspace
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.workspace import Loaded
from cvbuild.model import language_tags
from cvbuild.outputs.site import everybody, facts
from cvbuild.outputs.site.everybody import Group, Site
from cvbuild.outputs.site.facts import Facts
from cvbuild.outputs.site.output import BESIDE, FACTS, PAGE, PEOPLE, PHOTO

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject
    from cvbuild.cli.progress import Lines

#: The site in the output folder, and the format of each person's part.
SITE = "site"
#: Bytes: the facts of a person.
_MOST = 16 << 20


class Documents(Report):
    """A report that keeps each document, and is silent on the parts of the site."""

    def __init__(self, *, as_json: bool, people: int) -> None:
        super().__init__(as_json=as_json, people=people)
        self.as_json = as_json
        self._found: dict[tuple[str, str], Path] = {}

    def document(
        self, document: JsonObject, notes: Iterable[JsonObject], lines: Lines | None = None
    ) -> None:
        """Report a document and keep it."""
        name = name_of(document)
        if document["path"] is not None:
            self._found[document["person"], name] = Path(document["path"])
        if document["path"] is None or document["format"] != SITE:
            super().document(document, notes, lines)
        elif lines:
            lines.end(f"{document['person']} {name}")

    def begin(self) -> None:
        """Forget the documents of another language."""
        self._found.clear()

    def has(self, person: str, name: str, formats: Iterable[str]) -> bool:
        """Return whether a person's document was made in all of these formats."""
        return all((person, document_key(name, output)) in self._found for output in formats)

    def of(self, person: str, name: str) -> dict[str, Path]:
        """Return the paths of a person's document by format."""
        return {
            output: self._found[person, document_key(name, output)] for output in (SITE, *BESIDE)
        }


@dataclass(frozen=True, slots=True)
class Part:
    """The site in one language: the documents of each person by format, and what is kept.

    ``prefix`` is its folder in the site, "" or "de/"; ``tag`` the language that was asked for;
    ``missing`` are those who failed and of whom nothing is kept.
    """

    prefix: str
    tag: str | None
    documents: Mapping[str, Mapping[str, Path]]
    kept: Published
    missing: tuple[str, ...]

    def own(self, name: str) -> str:
        """Return a person's folder of the site."""
        return f"{self.prefix}people/{name}"


def person_of(note: str) -> str:
    """Return the person of a note: ada, de/ada."""
    return note.rpartition("/")[2]


def publish(out: Path, parts: Sequence[Part], title: str, report: Documents) -> Path:
    """Write the site; return the page of all people. Raises CvbuildError."""
    shared = workspace.load(Path(WORKSPACE))
    own = shared.data.defaults.locale if shared and shared.data else None
    tags = [part.tag or own or "en" for part in parts]
    files: dict[str, bytes | Path] = {}
    kept: dict[str, str] = {}
    notes: dict[str, str] = {}
    for part, tag in zip(parts, tags, strict=True):
        up = "../" if part.prefix else ""
        places = tuple((t, f"{up}{p.prefix}{PEOPLE}") for t, p in zip(tags, parts, strict=True))
        texts = {name: _text(paths[SITE] / FACTS) for name, paths in part.documents.items()}
        pages = _pages(part, texts, Site(title, tag, places), out, shared)
        files |= {f"{part.prefix}{name}": data for name, data in pages.items()}
        files |= _beside(part)
        kept |= part.kept.files
        notes |= {f"{part.prefix}{name}": text for name, text in texts.items()} | {
            **part.kept.notes
        }
    try:
        changes = site_files.publish(out, SITE, files, user_cache.folder(), Published(kept, notes))
    except OSError as error:
        place = error.filename or out / SITE
        raise CvbuildError.because("site", f"{place}: {error.strerror or error}") from None
    page = out / SITE / PEOPLE
    if not report.as_json:
        removed = f", {changes.removed} removed" if changes.removed else ""
        written = f"{changes.written} files written" if changes.written else "up to date"
        people_there = counted(len({person_of(name) for name in notes}), "person", "people")
        console.say(f"✓ {page}  {people_there}, {written}{removed}", str(page))
    return page


def _pages(
    part: Part, texts: dict[str, str], site: Site, out: Path, shared: Loaded | None
) -> Mapping[str, bytes]:
    """Return the pages of everybody in a language; raises CvbuildError."""
    old = {person_of(name): text for name, text in part.kept.notes.items()}
    known = {name: _facts(text, name) for name, text in (texts | old).items()}
    names = sorted(known, key=lambda name: (known[name].sort, name))
    photos = dict(_photos(part)) | dict(_kept_photos(out / SITE, part))
    ordered = {name: known[name] for name in names}
    return everybody.pages(ordered, photos, site, _groups(names, site.language, shared))


def _groups(names: Iterable[str], language: str, shared: Loaded | None) -> list[Group]:
    """Return people below the headings of the workspace's groups, in its order; nothing for none.

    Who is in no group with a title comes first.
    """
    groups = shared.data.groups if shared and shared.data else {}
    headed = {name: shared.headed(name) if shared else None for name in names}
    if not any(headed.values()):
        return []
    found = []
    for group in (None, *groups):
        title = groups[group].title if group else None
        texts = dict(getattr(title, "translations", ())) or {language: str(title or "")}
        tag = language_tags.choose(texts, language) or next(iter(texts))
        those = tuple(name for name, one in headed.items() if one == group)
        if those:
            found.append(Group(those, texts[tag], tag))
    return found


def _photos(part: Part) -> Iterator[tuple[str, bytes]]:
    for name, paths in part.documents.items():
        if (paths[SITE] / PHOTO).exists():
            yield name, safe_files.read(paths[SITE] / PHOTO, _MOST, links=False)


def _beside(part: Part) -> dict[str, bytes | Path]:
    """Return the files in the folders of people whose documents were made."""
    files: dict[str, bytes | Path] = {}
    photos = dict(_photos(part))
    for name, paths in part.documents.items():
        own = part.own(name)
        files[f"{own}/{PAGE}"] = paths[SITE] / PAGE
        if name in photos:
            files[f"{own}/{PHOTO}"] = photos[name]
        for output in BESIDE:
            files[f"{own}/{name}.{output}"] = paths[output]
    return files


def _kept_photos(site: Path, part: Part) -> Iterator[tuple[str, bytes]]:
    """Yield the photos that are still as they were published."""
    for name in map(person_of, part.kept.notes):
        path = f"{part.own(name)}/{PHOTO}"
        with suppress(OSError):
            data = safe_files.read(site / path, _MOST, links=False)
            if hashes.digest(data) == part.kept.files.get(path):
                yield name, data


def _text(path: Path) -> str:
    try:
        return safe_files.read(path, _MOST, links=False).decode()
    except (OSError, ValueError):
        raise _unreadable(str(path)) from None


def _facts(text: str, name: str) -> Facts:
    try:
        return facts.read(text.encode())
    except (ValueError, KeyError, TypeError):
        raise _unreadable(f"what {name} has on the site") from None


def _unreadable(what: str) -> CvbuildError:
    hint = "remove out/.build/site and build the site again"
    return CvbuildError.because("site", f"{what} can't be read", hint)
