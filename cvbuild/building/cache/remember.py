"""Records what a run finished in the index, so that the next run can skip the exact check.

Each file's state is taken before the file is read. What is found out only while building (the
engine's files) is compared with what the document's key was made from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building.cache import records, up_to_date
from cvbuild.building.cache.index import Index
from cvbuild.building.check.profiles import Checked
from cvbuild.building.outcome import Basis, Outcome
from cvbuild.building.request import Pending, document_key
from cvbuild.common import folder_contents, hashes
from cvbuild.common.errors import TemplateError
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.outputs import own_files
from cvbuild.outputs.pdf.fonts import installed, typefaces
from cvbuild.outputs.pdf.tex import find
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.templates import Library

if TYPE_CHECKING:
    from cvbuild.building.cache.index import Document
    from cvbuild.common.files.file_state import State

_FONTS = "fonts"
#: The index is written this often (ns) while documents are built.
_PAUSE = 5_000_000_000


class Recorder:
    """Records the outcomes of one run in the index; ``clock`` gives ns since 1970.

    ``cache`` is the folder with the user's key, by default the user's own.
    """

    def __init__(
        self, index: Index, library: Library, clock: Callable[[], int], cache: Path | None = None
    ) -> None:
        self.index, self._cache = index, cache
        #: The build's day, since 1970; None if SOURCE_DATE_EPOCH says it.
        self.day: int | None = None
        self._clock, self._own = clock, library.own
        self._paths: dict[str, str] = {}
        self._files: dict[str, State] = {}
        self._private: dict[str, list[tuple[str, State]]] = {}
        self._written = now = clock()
        # What is found from now on is as new as the states that are stored with it.
        find.look_again()
        installed.look_again()
        typefaces.look_again()
        index.add_files(
            up_to_date.LIBRARY, up_to_date.library_files([*map(str, library.folders)]), now
        )
        for folder in library.packages():
            # What is wrong with a template is said of the documents that need it.
            with contextlib.suppress(TemplateError):
                index.add_files(_folder(folder), package_files.listed(folder), now)
        fonts = [path for place in installed.places() for path in file_state.folders_below(place)]
        index.add_files(_FONTS, fonts, now)

    def before_reading(self, pending: Iterable[Pending]) -> Iterator[Pending]:
        """Yield the same people, taking the state of each file before it is read."""
        for wanted in pending:
            path = str(wanted.person.path)
            self._paths[wanted.person.name] = path
            self._files[path] = file_state.look(path, self._clock())
            yield wanted

    def read(self, checked: Checked) -> None:
        """Record a person's file; call it before any of their documents is built.

        Call it once more where private data was read for some of them.
        """
        path = str(checked.person.path)
        file, profile = self._files.pop(path, None), checked.profile
        if profile is None:
            if file is not None:
                self.index.remove(path)
            return
        named = list(checked.files)
        others = own_files.states(
            checked.source.data if checked.source else {}, checked.person.path
        )
        if profile.photo:
            others = chain([checked.person.path.parent / profile.photo], others)
        named += ((str(one), file_state.look(str(one), self._clock())) for one in others)
        if checked.overlay is not None:
            overlay = (str(people.overlay(checked.person.path)), checked.overlay)
            self._private[checked.person.name] = [overlay, *named]
        if file is None:
            return
        entry = self.index.person(path)
        if entry is None or _inputs(entry["file"], entry["named"]) != _inputs(file, named):
            documents, failed = {}, {}
        else:
            documents, failed = entry["documents"], entry["failed"]
        said = [item.as_json() for item in checked.diagnostics]
        self.index.put(
            path,
            {
                "file": file,
                "named": named,
                "picked": list(profile.template),
                "formats": list(profile.formats),
                "variants": list(profile.variants),
                "private": [name for name, one in profile.variants.items() if one.private],
                "daily": [name for name, one in profile.variants.items() if one.is_of_today],
                "public": dict(checked.public),
                "said": said,
                "documents": documents,
                "failed": failed,
            },
        )

    def finish(self, outcome: Outcome) -> None:
        """Record a document that is done or has failed."""
        path, now = self._paths[outcome.person], self._clock()
        entry = self.index.person(path)
        if entry is None:
            return
        key = document_key(outcome.name, outcome.format)
        entry["documents"].pop(key, None)
        entry["failed"].pop(key, None)
        if outcome.path is None and outcome.diagnostics:
            entry["failed"][key] = outcome.diagnostics[0].as_json()
        document = self._document(outcome, now, is_daily=outcome.name in entry["daily"])
        if document:
            entry["documents"][key] = document
        self.index.put(path, entry)
        if now - self._written > _PAUSE:
            self.save()

    def _document(self, outcome: Outcome, now: int, *, is_daily: bool) -> Document | None:
        """Return the entry of a document; None if it isn't certain."""
        basis = outcome.basis
        if outcome.path is None or basis is None:
            return None
        needs = self._groups(basis, now)
        output = file_state.look(str(outcome.path), now)
        # Of a folder, the state has only the names in it.
        paths = file_state.below(outcome.path)[1:] if outcome.path.is_dir() else []
        inside = [(path, file_state.look(path, now)) for path in paths]
        identity = folder_contents.hash_at(outcome.path) if inside else output[0]
        record = file_state.look(str(basis.place), now)
        record_now = records.read(basis.place, self._cache)
        # Another build may have written either in the meantime.
        files = self._private.get(outcome.person) if basis.private else []
        if (
            files is None
            or not needs
            or identity != basis.record.file_hash
            or record_now is None
            or record_now.key != basis.record.key
        ):
            return None
        cached_outcome = replace(outcome, cached=True, seconds=0.0, diagnostics=basis.diagnostics)
        return {
            "needs": needs,
            "files": [*files, *inside],
            "day": self.day if is_daily else None,
            "output": (str(outcome.path), output),
            "record": (str(basis.place), record),
            "outcome": cached_outcome.as_json(),
            "notes": [note.as_json() for note in basis.notes],
        }

    def save(self) -> None:
        """Write the index; an index that can't be written doesn't end the run."""
        self._written = self._clock()
        if self.index.changed:
            self.index.write()

    def _groups(self, basis: Basis, now: int) -> list[str]:
        """Return the groups that the document needs; empty if TeX or a font changed meanwhile."""
        # A copy of a built-in template that is edited is one no more.
        copies = (_folder(self._own / folder.name) for folder in basis.folders if self._own)
        needs = [up_to_date.LIBRARY, *map(_folder, basis.folders)]
        needs += [group for group in copies if group in self.index.groups and group not in needs]
        machine, parts = basis.machine, basis.record.parts
        if not machine.tree:
            # Its TeX is on a cluster and its files can't be looked at.
            return needs
        groups = [(f"engine {machine.tree[0]}", machine.tree, parts.get("tree"))]
        if machine.fonts:
            groups.append((_FONTS, machine.fonts, parts.get("fonts")))
        for group, files, part in groups:
            states = self.index.add_files(group, map(str, files), now)
            if hashes.of_identities({str(path): states[str(path)][0] for path in files}) != part:
                self.index.drop_group(group)
                return []
            needs.append(group)
        return needs


def _inputs(file: State, named: Iterable[tuple[str, State]]) -> object:
    """Return what a person's file and those it names are, whenever they were looked at."""
    return file[0], [(name, state[0]) for name, state in named]


def _folder(template: Path) -> str:
    return f"folder {template}"
