"""What lasts until a signal ends it: ``cvbuild watch`` and ``cvbuild serve``."""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building import batch
from cvbuild.building.pipeline import Outcome
from cvbuild.building.watch import Event, Watch
from cvbuild.cli import console
from cvbuild.cli.main import request_of
from cvbuild.cli.report import Report
from cvbuild.common import diagnostics, interrupts
from cvbuild.common.files import safe_folders, user_cache
from cvbuild.inputs import people
from cvbuild.inputs.person.person_file import PersonFile

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject


def run(given: argparse.Namespace) -> int:
    """Watch until interrupted; return 0, since that is how it ends."""
    printer = _Printer(as_json=given.json)
    try:
        with interrupts.exit_on_signals():
            request, persons = batch.settled(request_of(given)), people.find(given.people)
            batch.require_variants(persons, request)
            # Finding a person by the name reads all files, too much for each look at them.
            names = [str(person.path) for person in persons if given.people]
            watch = Watch(request, names)
            who = console.counted(len(persons), "person", "people")
            printer.tell(f"watching {who}; Ctrl-C ends it", {"watching": len(persons)})
            watch.run(printer.hear)
    except KeyboardInterrupt:
        printer.tell("stopped", {"watching": 0})
    return 0


class _Printer:
    """Prints what happens: lines for people, or JSON objects of one line each."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._report = Report(as_json=False)
        self._faulty: set[people.Person] = set()

    def tell(self, text: str, plain: JsonObject) -> None:
        if self._as_json:
            console.answer(console.json_text(plain))
        else:
            console.say(text)

    def hear(self, event: Event) -> None:
        """Print what has happened."""
        match event:
            case PersonFile():
                person, faults = event.person, [item.as_json() for item in event.diagnostics]
                if self._as_json:
                    if faults:
                        self.tell("", {"person": person.name, "diagnostics": faults})
                    return
                self._report.faults(person, faults)
                if event.profile is None:
                    self._faulty.add(person)
                    console.say(f"✗ {person.path}: the PDFs stay as they were")
                elif person in self._faulty:
                    self._faulty.remove(person)
                    console.say(f"{person.path} can be built again")
            case people.Person():
                plain = {"person": event.name, "gone": True}
                self.tell(f"{event.path} is gone; its PDFs stay", plain)
            case Outcome():
                notes = [note.as_json() for note in event.notes]
                if self._as_json:
                    self.tell("", {**event.as_json(), "notes": notes})
                else:
                    self._report.document(event.as_json(), notes)
            case _ if self._as_json:
                self.tell("", {"diagnostics": event.diagnostics})
            case _:
                console.show(event.diagnostics)


# -- serve -----------------------------------------------------------------------------------------


def serve(given: argparse.Namespace) -> int:
    """Serve until a signal ends it; return 0, since that is how it ends."""
    try:
        from cvbuild.serve import server
        from cvbuild.serve.live import Desk
    except ImportError as error:
        raise diagnostics.missing("cvbuild serve", "web", error) from None
    persons = people.find([given.person]) if given.person else ()
    first = persons[0].name if persons else None
    place = Path(tempfile.gettempdir())
    safe_folders.sweep(place, time.time() - 7 * 86_400)
    with safe_folders.folder(place) as folder:
        request = request_of(given)._replace(out=folder, epoch=None, cache=user_cache.resolved())
        desk = Desk(request, folder, persons, first)

        def started(address: str, door: Callable[[], Path]) -> None:
            console.say(f"serving {address}; Ctrl-C ends it")
            if given.open and console.has_screen():
                # In a thread: a browser may stay in the foreground.
                page = door().as_uri()
                threading.Thread(target=console.browse, args=(page,), daemon=True).start()

        server.run(desk, given.port, started)
    console.say("stopped")
    return 0
