"""Files of people whose cells were labelled by hand.

Only the features of their cells and the labels are kept. Words are numbers in them, and those of
fewer than three files are left out: names of people are among them.
"""

from __future__ import annotations

import copy
import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from unittest.mock import patch

import msgspec

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import registry, types
from cvbuild.importers.documents import labels
from cvbuild.importers.documents.cells import Line
from cvbuild.importers.documents.features import features

FILE = Path(__file__).with_name("real.msgpack.xz")
LABELS = (*"HSGXTOPD", *(f"B-{name}" for name in "TOPD"))
#: What features of words begin with; how many files have to have one.
WORDS, _OFTEN = ("W:", "L:", "E:"), 3

#: The features of each cell of a document, and its label.
Document = tuple[list[list[str]], list[str]]


class Stored(msgspec.Struct):
    """What the file has: features, and the labels and cells of each document by number.

    Of the features of a cell are listed those that the cell before has not, or only it has.
    """

    names: list[str]
    documents: list[tuple[list[int], list[list[int]]]]


def load(path: Path = FILE) -> list[Document]:
    """Return the labelled documents."""
    stored = msgspec.msgpack.decode(lzma.decompress(path.read_bytes()), type=Stored)
    found = []
    for numbers, changes in stored.documents:
        cells, now = [], set[int]()
        for change in changes:
            now = now ^ set(change)
            cells.append(sorted(stored.names[at] for at in now))
        found.append((cells, [LABELS[at] for at in numbers]))
    return found


def save(documents: Iterable[Document], path: Path = FILE) -> None:
    """Write labelled documents; the same file for the same ones in any order."""
    documents = [(cells, found) for cells, found in documents if found]
    files = Counter(name for cells, _ in documents for name in set(chain.from_iterable(cells)))
    rare = {name for name, count in files.items() if count < _OFTEN and name[:2] in WORDS}
    documents = sorted(
        ([sorted({*names} - rare) for names in cells], found) for cells, found in documents
    )
    counts = Counter(name for cells, _ in documents for names in cells for name in names)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    places = {name: at for at, name in enumerate(names)}
    stored = Stored(names, [])
    for cells, found in documents:
        changes, before = [], set[int]()
        for cell in cells:
            now = {places[name] for name in cell}
            changes.append(sorted(now ^ before))
            before = now
        stored.documents.append(([LABELS.index(one) for one in found], changes))
    path.write_bytes(lzma.compress(msgspec.msgpack.encode(stored), preset=9))


def seen(path: Path) -> tuple[list[Line], list[list[str]]]:
    """Return the lines that an importer finds in a file, and the features of their cells."""
    found: list[tuple[list[Line], list[list[str]]]] = [([], [])]

    def note(lines: Sequence[Line]) -> list[labels.Label]:
        names = features([line for line in lines if line.cells])
        found.append((copy.deepcopy(list(lines)), names))
        return [labels.Label("X")] * len(names)

    with patch.object(labels, "labels_of", note):
        try:
            registry.read(types.opened(path))
        except CvbuildError as error:
            if len(found) == 1:
                raise SystemExit(str(error)) from error
    return found[-1]


def lines(path: Path) -> str:
    """Return the cells of a file with guessed labels, to be corrected: a line for each cell."""
    there, _ = seen(path)
    names = iter(labels.labels_of(there))
    said = []
    for line in there:
        said += [f"@ {line.block.kind}{line.block.level or ''}"] if line.cells else []
        said += [f"{next(names).name}\t{cell.text}" for cell in line.cells]
    return "\n".join(said) + "\n"


def labelled(cells: Path, source: Path) -> Document:
    """Return a file with the labels that ``lines`` was given; SystemExit if it has other cells."""
    rows = [row.partition("\t") for row in cells.read_text("utf-8").split("\n")]
    there, names = seen(source)
    known = [(text, label.strip()) for label, tab, text in rows if tab]
    if [text for text, _ in known] != [cell.text for line in there for cell in line.cells]:
        raise SystemExit(f"{source} has other cells than {cells}")
    return names, [label for _, label in known]
