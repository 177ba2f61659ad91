"""Find finished documents of a person that still show what has become private since.

A build makes anew what is asked for. A document of a template that was picked once, or of another
language, stays as it is, with a phone number that the person's file hides by now.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cvbuild.building.check import document_texts, profiles
from cvbuild.building.request import PRIVATE
from cvbuild.common.diagnostics import Diagnostic, Span, shown
from cvbuild.common.files import file_state
from cvbuild.inputs import people, person_file, privacy
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.locales import words
from cvbuild.outputs import registry
from cvbuild.outputs.checks import private_texts, text_folding
from cvbuild.outputs.checks.text_folding import Folded


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with documents of a person, and what makes them anew.

    With no ``command`` it is the person's own folder, and each file's name says what makes it;
    ``option`` is to be added to that. Else ``document`` is the name of the template or variant
    that they are of: None for the person's first.
    """

    folder: Path
    command: str = ""
    option: str = ""
    document: str | None = ""


def showing_private(
    places: Mapping[Person, Sequence[Place]], templates: Collection[str], built: Collection[str]
) -> Iterator[tuple[Person, Diagnostic]]:
    """Yield a warning for each older document that shows what is private by now, with its person.

    ``templates`` are the names of all templates, ``built`` the paths of documents that are up to
    date. A document counts as older if the person's file, the overlay or the workspace's file was
    written after it.
    """
    searches = [
        search
        for person, folders in places.items()
        if (search := _search(person, folders, templates, frozenset(built)))
    ]
    texts = document_texts.read([path for search in searches for path in search.fixes])
    for search in searches:
        for path, fix in search.fixes.items():
            if (text := texts.get(str(path))) is None:
                span = Span(str(search.person.path))
                yield (
                    search.person,
                    _warning(f"{path}, which can't be read, may have it", span, fix),
                )
                continue
            written = text_folding.fold_caseless(text)
            spans = [span for one, span in search.hidden if text_folding.has_words(written, one)]
            if spans:
                fact = f"{path}, which was built before, has it"
                yield search.person, _warning(fact, spans[0], fix)


def private_in(path: Path, persons: Iterable[Person]) -> Iterator[Diagnostic]:
    """Yield an error for each private text in a file: of one person, or of those whom it names."""
    everybody = [*persons]
    written = text_folding.fold_caseless(document_texts.read([path]).get(str(path), ""))
    for person in everybody:
        read = profiles.load(person)
        if read.profile is None or read.source is None:
            continue
        name = text_folding.fold_caseless(read.profile.name.display)
        if len(everybody) == 1 or text_folding.has_words(written, name):
            for text, span in _hidden(person, read.source, _locales(read.profile, [path])):
                if text_folding.has_words(written, text):
                    fact, fix = "a private text is in the PDF", "build it again, or don't send it"
                    yield Diagnostic("error", "verify-private", fact, span, fix)


@dataclass(frozen=True, slots=True)
class _Search:
    """Older documents of a person with what to do about each; private texts with their places."""

    person: Person
    fixes: Mapping[Path, str]
    hidden: tuple[tuple[Folded, Span | None], ...]


def _search(
    person: Person, places: Iterable[Place], templates: Collection[str], built: frozenset[str]
) -> _Search | None:
    """Return what to look for, and where; None where there is nothing older, or nothing private."""
    older = {
        path: (entry, place)
        for place in places
        for entry, path in _older(person, place.folder)
        if str(path) not in built
    }
    read = profiles.load(person) if older else None
    if read is None or read.source is None:
        return None
    locales = _locales(read.profile, older)
    hidden = tuple(_hidden(person, read.source, locales))
    variants = read.profile.variants if read.profile else {}
    closed = {name for name, variant in variants.items() if variant.private}
    first = next(iter(read.profile.template), "") if read.profile else ""
    fixes = {}
    for path, (entry, place) in older.items():
        name = entry.split(".")[0] if not place.command else place.document
        if (first if name is None else name) not in closed:
            command = place.command or _command(person, entry, (variants, templates), place.option)
            fixes[path] = f"run {command}" if command else "delete it"
    return _Search(person, fixes, hidden) if fixes and hidden else None


def _command(
    person: Person, entry: str, names: tuple[Collection[str], Collection[str]], option: str
) -> str:
    """Return what builds ``academic.de.pdf`` again; nothing for what no build makes."""
    name, *locale, form = entry.split(".") if "." in entry else (entry, "")
    variants, templates = names
    if form not in registry.BUILT_IN or len(locale) > 1 or name not in (*variants, *templates):
        return ""
    which = f"--variant {name}" if name in variants else f"-t {name}"
    language = f" --locale {locale[0]}" if locale else ""
    who = person.name if person.path.parent == people.FOLDER else shlex.quote(str(person.path))
    return f"cvbuild build {who} {which} --format {form}{language}{option}"


def _older(person: Person, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the public files in a folder, and in folders there, that are older, with its entry."""
    sources = (person.path, people.overlay(person.path), Path(WORKSPACE))
    written = max((stamp[0] for one in sources if (stamp := file_state.of(one))), default=0)
    with suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            name, *suffixes = entry.name.split(".")
            if not name or PRIVATE in suffixes or entry.is_symlink():
                continue
            for path in file_state.below(entry.path) if entry.is_dir() else [entry.path]:
                stamp = file_state.of(path)
                if stamp and stamp[0] < written and Path(path).is_file():
                    yield entry.name, Path(path)


def _locales(profile: Profile | None, paths: Iterable[Path]) -> list[str]:
    """Return the languages in which documents of these names may have dates."""
    parts = {part for path in paths for part in path.name.split(".")[1:-1]}
    own = [profile.locale, *(v.locale for v in profile.variants.values())] if profile else []
    known = [part for part in sorted(parts) if words.language_of(part)]
    return [*dict.fromkeys([*filter(None, own), *known])] or ["en"]


def _hidden(
    person: Person, source: Source, locales: Iterable[str]
) -> Iterator[tuple[Folded, Span | None]]:
    """Yield the private texts to look for, and their places: none that is public elsewhere."""
    public = text_folding.fold_caseless("\n".join(text for _, text in privacy.facts(source.data)))
    taken_out = (*source.private, *person_file.secrets(person))
    found = (private_texts.secrets(taken_out, locale) for locale in locales)
    for one in dict.fromkeys(secret for secrets in found for secret in secrets):
        text = text_folding.fold_caseless(one.text)
        is_long = len(text.letters) >= private_texts.SHORT
        if is_long and not text_folding.has_words(public, text):
            yield text, one.span


def _warning(fact: str, span: Span | None, fix: str) -> Diagnostic:
    text = shown(f"this is private, but {fact}")
    return Diagnostic("warning", "private-older", text, span, fix)
