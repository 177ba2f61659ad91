"""Examples of imports, changed at random: is each word of them in the result?

A mutant is an example in which values are doubled, removed, renamed and put in another order, and
in which words that exist nowhere else stand at random places that a reader of the source would see.
Each of these words must be in a value of the person's file, or in a note of what is lost that has a
place; a file that is refused with a message is not silent either.

    python tests/mutants.py --count 20000 [--only latex]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from example_changes import CHANGES, Words, content

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import files as importer_files
from cvbuild.importers import registry
from cvbuild.importers.types import Given, Imported

EXAMPLES = Path(__file__).parent / "importers" / "examples"
#: PDFs are read by their layout, which no change of bytes keeps.
CASES = sorted(
    path.name
    for path in EXAMPLES.iterdir()
    if any(path.glob("given*"))
    and path.name.split("-of-")[0] not in ("embedded", "pdf")
    and path.name != "europass-of-pdf"
)
#: Parts of the names of files that no importer reads.
_UNREAD = ("Recommendations", "cite.bib", "_posts", "/post/", "messages", "Connections",
           "Rich_Media", "Verifications", "config", "hero", "sam-specimen")  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """Files of a mutant, and the words that must come back."""

    name: str
    seed: int
    files: dict[str, bytes]
    is_folder: bool
    words: frozenset[str]

    def names(self) -> tuple[str, ...]:
        """Return the names of its files, as ``Files`` does."""
        return tuple(sorted(self.files))

    def read(self, name: str) -> bytes | None:
        """Return one of its files, as ``Files`` does."""
        return self.files.get(name)

    def given(self) -> Given:
        """Return the files as they are opened."""
        data = b"" if self.is_folder else next(iter(self.files.values()))
        inside = importer_files._Archive(data, "given") if data.startswith(b"PK") else self
        return Given("given", data, inside, self.is_folder)

    def counts(self) -> dict[str, int]:
        """Return how many of its words are in values, told, or neither."""
        if (found := self._imported()) is None:
            return {"mutants": 1, "refused": 1}
        values = json.dumps(found.data, ensure_ascii=False).casefold()
        kept, lost = sum(word in values for word in self.words), len(self.lost())
        told = len(self.words) - kept - lost
        return {"mutants": 1, "words": len(self.words), "in values": kept, "told": told,
                "in silence": lost}  # fmt: skip

    def lost(self) -> list[str]:
        """Return the words that are nowhere in what it is imported as."""
        if (found := self._imported()) is None:
            return []
        there = _told(found)
        missing = sorted(word for word in self.words if word not in there)
        return [word for word in missing if not self._is_told(word, found)]

    def _imported(self) -> Imported | None:
        with contextlib.suppress(CvbuildError):
            return registry.read(self.given(), self.name.split("-of-")[0])
        return None

    def _is_told(self, word: str, found: Imported) -> bool:
        """Return whether a note says that the whole file of a word was not read."""
        (file,) = [name for name, data in self.files.items() if word in content(name, data)][:1]
        notes = [str(one.note) for one in found.lost if "read" in one.note.message]
        return any(file in note or f" {file.rpartition('/')[0]}/ (" in note for note in notes)


def _told(found: Imported) -> str:
    notes = [one.note for one in found.lost]
    assert all(note.span for note in notes)
    told = [*(note.message for note in notes), *(one.message for one in found.warnings)]
    # Words may be divided at a hyphen nowhere; marks of styles may stand between words only.
    return (json.dumps(found.data, ensure_ascii=False) + " ".join(told)).casefold()


def mutant(name: str, seed: int) -> Mutant:
    """Return the mutant of an example with that number."""
    rng = random.Random(f"{name} {seed}")
    words = Words(rng)
    (given,) = (EXAMPLES / name).glob("given*")
    if given.is_dir():
        paths = [path for path in sorted(given.rglob("*")) if path.is_file()]
        files = {path.relative_to(given).as_posix(): path.read_bytes() for path in paths}
        chosen = [one for one in files if is_read(one)]
    else:
        files = {given.name: given.read_bytes()}
        chosen = list(files)
    for file in chosen:
        change = CHANGES.get(file.rpartition(".")[2])
        if change:
            files[file] = change(files[file], words)
    texts = " ".join(content(file, data) for file, data in files.items())
    there = frozenset(word for word in words.planted if word in texts)
    return Mutant(name, seed, files, given.is_dir(), there)


def is_read(name: str) -> bool:
    """Return whether a file of a folder is one that its importer reads."""
    return not any(part in name for part in _UNREAD)


def main() -> int:
    """Make mutants of all examples in turn; print what was lost, and a table by format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--only", default="", help="examples whose name begins so")
    given = parser.parse_args()
    cases = [case for case in CASES if case.startswith(given.only)]
    rows: dict[str, Counter[str]] = {}
    bad: Counter[str] = Counter()
    for number in range(given.first, given.first + given.count):
        one = mutant(cases[number % len(cases)], number // len(cases))
        row = rows.setdefault(one.name.split("-of-")[0], Counter())
        row += Counter(one.counts())
        if lost := one.lost():
            bad[one.name] += 1
            if bad[one.name] <= 3:
                sys.stdout.write(f"{one.name} {one.seed}: {' '.join(lost)}\n")
    print_table(rows)
    return int(bool(bad))


def print_table(rows: dict[str, Counter[str]]) -> None:
    """Print the counts of each format as Markdown."""
    head = ("mutants", "refused", "words", "in values", "told", "in silence")
    lines = [("format", *head), ("---",) * (len(head) + 1)]
    for name, row in sorted(rows.items()):
        lines.append((name, *(f"{row[key]:,}" for key in head)))
    sys.stdout.write("".join(f"| {' | '.join(line)} |\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
