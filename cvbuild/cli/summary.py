"""The summary of a build: how many documents, which failed, the notes and the people with them.

Little is imported here: a build without changes makes a summary, too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from cvbuild.building.check import LACKS
from cvbuild.inputs.file_names import WORKSPACE

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject

#: More documents, or people, than these need a summary.
HANDFUL = 5
#: How many different notes are shown, and how many names with each.
_MOST_NOTES, _MOST_NAMES = 8, 3
#: Fields of ``contact``, as words for one and for several.
_PUBLIC = {
    "phone": ("phone number", "phone numbers"),
    "address": ("address", "addresses"),
    "birth-date": ("birth date", "birth dates"),
}
_DIGITS = re.compile(r"\d+")
#: Further places in one person's file: " (also 8:10, 13:16 and 7 more)".
_POSITIONS = re.compile(r" \(also \d[^)]*\)")


class Summary:
    """Counts what became of documents; ``seconds`` are those since it was made."""

    def __init__(self) -> None:
        self.built = self.up_to_date = self.failed = self.wrong_files = 0
        self._failures: dict[str, list[str]] = {}
        self._notes: dict[tuple[str, ...], dict[str, list[JsonObject]]] = {}
        self._only_files = True
        self._began = time.monotonic()

    def file(self, person: str, diagnostics: Iterable[JsonObject]) -> None:
        """Count what is wrong with a person's file."""
        found = [*diagnostics]
        if self._first_error(person, found):
            self.wrong_files += 1
        self._note(person, found)

    def document(self, name: str, document: JsonObject, notes: Iterable[JsonObject]) -> None:
        """Count a document; ``name`` stands for it in the summary, ``notes`` are on its texts."""
        if document["path"] is None:
            self.failed += 1
            self._first_error(name, document["diagnostics"])
        elif document["cached"]:
            self.up_to_date += 1
        else:
            self.built += 1
        if self._note(document["person"], (*document["diagnostics"], *notes)):
            self._only_files = False

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return self.built + self.up_to_date + self.failed

    def as_json(self) -> JsonObject:
        """Return a plain object for ``--json``."""
        return {
            "built": self.built,
            "up_to_date": self.up_to_date,
            "failed": self.failed,
            "files_with_errors": self.wrong_files,
            "notes": self._count(),
            "people_with_notes": len(self._people()),
            "seconds": round(self.seconds, 3),
        }

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._began

    def lines(self) -> Iterator[str]:
        """Yield the counts, then each failure with its first error; the same error once."""
        counts = (
            (self.built, f"{self.built} built"),
            (self.up_to_date, f"{self.up_to_date} up to date"),
            (self.failed, f"{self.failed} failed"),
            (self.wrong_files, f"{counted(self.wrong_files, 'file')} with errors"),
        )
        words = ", ".join(text for count, text in counts if count) or "nothing built"
        yield f"{words} in {duration(self.seconds)}"
        for error, names in self._failures.items():
            yield f"✗ {some(names)}: {error}"

    def notes(self) -> Iterator[str]:
        """Yield each note once with the people that it is about, then how many there are."""
        if not self._notes:
            return
        order = sorted(self._notes.values(), key=len, reverse=True)
        for by_person in order[:_MOST_NOTES]:
            yield _note_line(by_person)
        if len(order) > _MOST_NOTES:
            yield f"… and {len(order) - _MOST_NOTES} different ones"
        count, people = self._count(), len(self._people())
        how = "cvbuild check" if self._only_files else "cvbuild build --json"
        yield f"{counted(count, 'note')} on {counted(people, 'person', 'people')}; {how} lists them"

    def _first_error(self, name: str, diagnostics: Iterable[JsonObject]) -> bool:
        """Keep the first error under its text; return whether there is one."""
        for one in diagnostics:
            if one["severity"] == "error":
                from cvbuild.common.diagnostics import Diagnostic

                self._failures.setdefault(str(Diagnostic.from_json(one)), []).append(name)
                return True
        return False

    def _note(self, person: str, diagnostics: Iterable[JsonObject]) -> bool:
        """Keep the notes and warnings; return whether there are any."""
        some = False
        for one in diagnostics:
            if one["severity"] != "error":
                # Notes that differ only in numbers are alike.
                key = (one["severity"], one["code"], _DIGITS.sub("0", one["message"]))
                found = self._notes.setdefault(key, {}).setdefault(person, [])
                if one not in found:
                    found.append(one)
                some = True
        return some

    def _count(self) -> int:
        return sum(len(found) for one in self._notes.values() for found in one.values())

    def _people(self) -> set[str]:
        return {person for one in self._notes.values() for person in one}


def public_note(counts: Mapping[str, int]) -> JsonObject:
    """Return the note that so much of ``contact`` goes public, by field."""
    from cvbuild.common.diagnostics import Diagnostic

    fields = [field for field in _PUBLIC if counts.get(field)]
    words = [f"{counts[field]} {_PUBLIC[field][counts[field] > 1]}" for field in fields]
    what = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    verb = "goes" if sum(counts.values()) == 1 else "go"
    setting = f"defaults: {{private: [{', '.join(fields)}]}}"
    hint = f"to keep such data private, add it in {WORKSPACE}: {setting}"
    return Diagnostic("note", "public", f"{what} {verb} public", hint=hint).as_json()


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def duration(seconds: float, *, whole: bool = False) -> str:
    """Return a time for people: 0.3 s (but 1 s if ``whole``), 41 s, 3 min 5 s."""
    if seconds < 9.95 and not whole:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def lack(fact: str, count: int) -> str:
    """Return what so many people lack: 12 people have no section "publication"."""
    return f"{counted(count, 'person', 'people')} {'has' if count == 1 else 'have'} {fact}"


def some(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _note_line(by_person: dict[str, list[JsonObject]]) -> str:
    from cvbuild.common.diagnostics import Diagnostic

    found = [one for several in by_person.values() for one in several]
    first = found[0]
    if len(found) == 1:
        return str(Diagnostic.from_json(first))
    alike = "" if all(one["message"] == first["message"] for one in found) else " and similar"
    message = _POSITIONS.sub("", first["message"])
    same = first["hint"] and all(one["hint"] == first["hint"] for one in found)
    count = f"{len(by_person)} people: " if len(by_person) > 1 else f"{len(found)} times: "
    hint = f"; {first['hint']}" if same else ""
    if first["code"] == LACKS:
        names = some([*by_person])
        return f"note: {lack(first['message'], len(by_person))} ({names}){hint}"
    return f"{first['severity']}: {message}{alike} ({count}{some([*by_person])}){hint}"
