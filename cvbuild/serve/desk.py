"""What all tabs of a server share: the workspace, its people, engines that wait, pictures."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from cvbuild.common import file_state, user_cache
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.file_state import Stamp
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.model import Profile
from cvbuild.outputs.pdf.tex.preloaded import PreloadedPool
from cvbuild.outputs.request import Request
from cvbuild.serve import live
from cvbuild.serve.pictures import Pictures

#: How many engines wait for an edit: one takes 60 to 300 MB.
ENGINES = 2
#: Seconds between two looks whether a tab makes pages; and how often at most.
_PAUSE, _LOOKS = 0.1, 300


@dataclass
class Desk:
    """The workspace and what is kept of it in memory.

    ``folder`` is private, and deleted at the end; ``named`` are people whose files the user named;
    ``first`` is whose file is opened at first; with None, the page begins at its start.
    """

    request: Request
    folder: Path
    named: tuple[Person, ...] = ()
    first: str | None = None
    pictures: Pictures = field(default_factory=Pictures)
    #: How many tabs make pages now.
    busy: int = 0
    _recent: list[Path] = field(default_factory=list, init=False)
    _count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        cache = user_cache.resolved(self.request.cache)
        self.engines = PreloadedPool(self.folder / "engines")
        self._view = view_file(Path(), cache)
        self.templates = live.templates(self.request.library)

    def people(self) -> dict[str, Person]:
        """Return everybody whose file may be edited, by name; a file that was named comes first."""
        named = [one for one in self.named if one.path.parent != people.FOLDER]
        return {one.name: one for one in (*people.everyone(), *named)}

    def person(self, name: str) -> Person:
        """Return the person of that name; raises UsageError if there is none."""
        person = self.people().get(name)
        if person is None:
            raise UsageError.because("person", f'there is no person "{name[:100]}"')
        return person

    def titles(self) -> list[dict[str, object]]:
        """Return name, title and path of everybody; a file is read only if it has changed."""
        people = self.people().values()
        return [
            {
                "name": one.name,
                "title": _title(one.path, file_state.of(one.path)) or one.name,
                "path": source.name_of(one.path),
            }
            for one in people
        ]

    @property
    def view(self) -> str | None:
        """How files are to be shown, as the user chose last; None for never."""
        with contextlib.suppress(OSError):
            return self._view.read_text("ascii")
        return None

    @view.setter
    def view(self, view: str) -> None:
        with contextlib.suppress(OSError):
            self._view.parent.mkdir(mode=0o700, exist_ok=True)
            self._view.write_text(view, "ascii")

    async def idle(self) -> None:
        """Wait until no tab makes pages: what somebody looks at comes first."""
        for _ in range(_LOOKS):
            if not self.busy:
                break
            await asyncio.sleep(_PAUSE)

    def new_folder(self) -> Path:
        """Return a folder for documents that is used once."""
        self._count += 1
        return self.folder / f"made-{self._count}"

    def find_templates(self) -> None:
        """Look for the workspace's templates again; if that fails, the known ones stay."""
        with contextlib.suppress(CvbuildError):
            self.templates = live.templates(self.request.library)

    def prepare(self, record: Path) -> None:
        """Preload an engine for the document with the record in this folder."""
        self._recent = [record, *(one for one in self._recent if one != record)][:ENGINES]
        self.engines.only(self._recent)
        for place in self._recent:
            self.engines.start(place)

    def forget(self, folder: Path) -> None:
        """Delete a tab's folder, and end the engines for its documents."""
        self._recent = [one for one in self._recent if not one.is_relative_to(folder)]
        self.engines.only(self._recent)
        shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=10_000)
def _title(path: Path, _: Stamp | None) -> str:
    """Return the name in a person's file, read again if its stamp has changed; empty for none."""
    with contextlib.suppress(CvbuildError, ValidationError, KeyError, TypeError):
        written = source.load(path).data
        profile = Profile.model_validate({"name": written["name"]})  # type: ignore[index]
        return profile.name.display
    return ""


def view_file(workspace: Path, cache: Path | None) -> Path:
    """Return the file of the user that says how the files of a workspace are shown."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()
    return user_cache.resolved(cache) / "views" / name[:32]
