"""What all tabs of a server share: the workspace, its people, engines that wait, pictures."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building.environment import today, workspace_library
from cvbuild.common import user_cache
from cvbuild.common.files import work_folders
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.pdf.tex.preloaded_pool import PreloadedPool
from cvbuild.outputs.task import Settings
from cvbuild.serve.pictures import Pictures

if TYPE_CHECKING:
    from cvbuild.serve.tab import Tab

#: How many engines wait for an edit: one takes 60 to 300 MB.
ENGINES = 2
#: How many tabs may be open at a time.
TABS = 16


@dataclass
class Desk:
    """The workspace and what is kept of it in memory; ``folder`` is private, and deleted at the end.

    ``named`` are people outside of ``people/``; ``first`` is whose file is opened at first.
    """

    settings: Settings
    folder: Path
    template_path: tuple[str, ...] = ()
    named: tuple[Person, ...] = ()
    first: str | None = None
    pictures: Pictures = field(default_factory=Pictures)
    tabs: list[Tab] = field(default_factory=list)

    def __post_init__(self) -> None:
        cache = user_cache.resolved(self.settings.cache)
        self.engines = PreloadedPool(self.folder / "engines", cache)
        self._recent: list[Path] = []
        self._count = 0

    def people(self) -> dict[str, Person]:
        """Return everybody whose file may be edited, by name."""
        return {one.name: one for one in (*people.everyone(), *self.named)}

    def new_folder(self) -> Path:
        """Return a folder for a tab's documents."""
        self._count += 1
        return self.folder / f"tab-{self._count}"

    def refresh_templates(self) -> None:
        """Look for templates again; raises CvbuildError."""
        from dataclasses import replace

        self.settings = replace(self.settings, library=workspace_library(self.template_path))

    def prepare(self, record: Path) -> None:
        """Preload an engine for the document with the record in this folder."""
        self._recent = [record, *(one for one in self._recent if one != record)][:ENGINES]
        self.engines.only(self._recent)
        for place in self._recent:
            self.engines.start(place, today())

    def forget(self, folder: Path) -> None:
        """Delete a tab's folder, and end the engines for its documents."""
        self._recent = [one for one in self._recent if not one.is_relative_to(folder)]
        self.engines.only(self._recent)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def private_folder(cache: Path | None) -> Iterator[Path]:
    """Yield a folder for this process alone, deleted at the end; delete those of killed ones."""
    import time

    place = user_cache.resolved(cache) / "serve"
    place.mkdir(parents=True, exist_ok=True)
    work_folders.sweep(place, time.time() - work_folders.OLD)
    with work_folders.folder(place.joinpath(*work_folders.PLACE)) as folder:
        yield folder
