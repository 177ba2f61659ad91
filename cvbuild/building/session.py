"""One run over documents: what is up to date, what is left, and what is remembered of it.

The command line, the API, ``watch`` and ``why`` all go through it. Only what the cheap question
needs is imported here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cvbuild.building.cache import up_to_date
from cvbuild.building.request import Asked, Rest
from cvbuild.inputs.people import Person

if TYPE_CHECKING:
    from cvbuild.building.cache.remember import Memory
    from cvbuild.building.cache.up_to_date import Found
    from cvbuild.building.check.profiles import Checked
    from cvbuild.building.outcome import Outcome
    from cvbuild.building.wanted_documents import Wanted
    from cvbuild.outputs.task import Settings, Task

#: Told what came of each person's file.
Heard = Callable[["Checked"], None]
#: Builds tasks; yields outcomes in the order in which they are done.
Run = Callable[[Iterable["Task"], "Settings"], Iterator["Outcome"]]


class Session:
    """What ``asked`` says, and what is remembered of earlier runs that asked the same.

    ``settings`` are set once they are needed: making them takes longer than the cheap question.
    """

    settings: Settings

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.known = up_to_date.remembered(asked)

    def left(self, people: Iterable[Person], found: Found, *, force: bool = False) -> list[Rest]:
        """Return what is left to do; ``found`` is told what is up to date. ``force``: all is."""
        if force:
            return [Rest(person) for person in people]
        return up_to_date.check(self.asked, people, self.known, time.time_ns(), found)

    def save(self) -> None:
        """Write what the cheap question renewed."""
        if self.known.changed:
            self.known.write()

    @cached_property
    def memory(self) -> Memory:
        """What this run adds to what is remembered; takes the state of all templates and fonts."""
        from cvbuild.building.cache.remember import Memory

        return Memory(self.known, self.settings.library, time.time_ns)

    def read(self, rest: Iterable[Rest], wanted: Wanted, heard: Heard) -> Iterator[Task]:
        """Yield the documents to build, each person's file read only when it is their turn.

        ``heard`` is called with what came of each file, before its first document.
        """
        from cvbuild.building import batch

        return batch.read(rest, wanted, self.settings, heard)

    def build(
        self, rest: Sequence[Rest], wanted: Wanted, heard: Heard, run: Run
    ) -> Iterator[Outcome]:
        """Read, run and remember; yields outcomes in the order in which they are done.

        What ends it early is raised once all that was finished is remembered.
        """
        from cvbuild.common import work_folders

        memory = self.memory
        names = [one.person.name for one in rest]
        work_folders.begin(self.settings.out, names, time.time() - work_folders.OLD)

        def read(checked: Checked) -> None:
            memory.read(checked)
            heard(checked)

        try:
            for outcome in run(self.read(memory.opening(rest), wanted, read), self.settings):
                memory.finish(outcome)
                yield outcome
        finally:
            memory.save()
