"""Examples of imports, changed at random: is each word of them in the result?

In a mutant, words that exist nowhere stand behind words of the source that its import shows, and
data has keys that nobody knows. Each of these words must be in a value of the person's file, or in
a note of what is lost that has a place; a file that is refused with a message is not silent either.

    python tests/helpers/mutants.py --count 20000 [--only latex]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import registry
from cvbuild.importers import types as importer_files
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references.identity import texts_of

EXAMPLES = Path(__file__).parents[1] / "importers" / "examples"
#: PDFs are read by their layout, which no change of bytes keeps.
CASES = sorted(
    path.name
    for path in EXAMPLES.iterdir()
    if any(path.glob("given*"))
    and path.name.split("-of-")[0] not in ("embedded", "pdf")
    and path.name != "europass-of-pdf"
)
#: How many words a mutant gets in each of its files, and keys in its data.
_WORDS, _KEYS = 12, 2
#: Parts of the names of files that no importer reads.
_UNREAD = ("Recommendations", "cite.bib", "messages", "Connections", "Rich_Media", "Verifications",
           "config")  # fmt: skip
#: Keys of data for programs: they are named, not shown.
_CODES = re.compile(
    r"external.*|disambig.*|meta|url|type|kind|source|path|layouts?|design|settings|.*(?:date|code|id)\b.*"
)
#: What no reader of a source sees: comments, commands, definitions and targets of links in TeX,
#: codes, what older programs show in place of a text box.
_UNSEEN = re.compile(
    r"\\end\{document\}.*\Z|<!--.*?-->|<\w*Code>[^<]*|\"meta\":.*\Z|\"(?:type|kind)\": *\"[^\"]*"
    r"|<mc:Fallback>.*?</mc:Fallback>|\{[{%].*?[%}]\}|\\iffalse.*?\\fi\b"
    r"|(?m:^[^\n]*\\(?:begin|end|def|(?:re)?new\w+|set\w+|usepackage|input|include\w*|\w*bib\w*|hyper\w+"
    r"|color\w*|define\w+|\w*space|photo|wheelchart|cvtranslate)\b[^\n]*$"
    r"|(?<!\\)%[^\n]*$|^# [^\n]*$|^@\w+\{[^,]*|^ *order: [^\n]*)|arXiv"
    r"|https?://[^\s{}()<>\"]*|\\href\s*\{[^{}]*\}",
    re.DOTALL,
)
#: A word of a text: not in a key, a tag, a command or an address.
_PLACE = r"(?<![\w\\@/.:<&#=$!-]){}(?![\w@/.=*\\<&-]|[\"']?\s*:|\.\w|\s*\()"


@dataclass(frozen=True)
class Mutant:
    name: str
    seed: int
    files: dict[str, bytes]
    is_folder: bool
    words: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    def lost(self) -> list[str]:
        data = b"" if self.is_folder else next(iter(self.files.values()))
        inside = importer_files._Archive(data, "given") if data.startswith(b"PK") else self
        given = Given("given", data, inside, self.is_folder)
        with contextlib.suppress(CvbuildError):
            there = _told(registry.read(given, self.name.split("-of-")[0]))
            return sorted(word for word in self.words if word not in there)
        return []


def _told(found: Imported) -> str:
    notes = [one.note for one in found.lost]
    assert all(note.span for note in notes)
    told = [*(note.message for note in notes), *(one.message for one in found.warnings)]
    return (json.dumps(found.data, ensure_ascii=False) + " ".join(told)).casefold()


@cache
def _source(name: str) -> tuple[dict[str, bytes], bool, tuple[str, ...]]:
    """The files of an example, whether it is a folder, and the words of its texts."""
    (given,) = (EXAMPLES / name).glob("given*")
    paths = sorted(path for path in given.rglob("*") if path.is_file()) or [given]
    files = {path.relative_to(given.parent).as_posix(): path.read_bytes() for path in paths}
    if given.is_dir():
        files = {file.partition("/")[2]: data for file, data in files.items()}
    imported = registry.read(importer_files.opened(given))
    shown = " ".join(texts_of(json.loads(json.dumps(imported.data, default=str))))
    words = {*re.findall(r"(?<![\w@/.-])[^\W\d_]{4,}(?![\w@/-]|\.\w)", shown)}
    words -= {"true", "false", "null"}
    return files, given.is_dir(), tuple(sorted(words))


def mutant(name: str, seed: int) -> Mutant:
    rng = random.Random(f"{name} {seed}")
    files, is_folder, words = _source(name)
    planted: set[str] = set()

    def word() -> str:
        planted.add(made := "zq" + "".join(rng.choices("bcdfghjklmnprstvwx", k=7)))
        return made

    def text(before: str) -> str:
        hidden = [found.span() for found in _UNSEEN.finditer(before)]
        pattern = re.compile(_PLACE.format("(?:" + "|".join(map(re.escape, words)) + ")"))
        places = [
            found.end()
            for found in pattern.finditer(before)
            if not any(begin <= found.start() < end for begin, end in hidden)
        ]
        for at in sorted(rng.sample(places, min(_WORDS, len(places))), reverse=True):
            before = f"{before[:at]} {word()}{before[at:]}"
        return before

    def keyed(data: Any) -> Any:
        mappings = [one for one in _values(data) if isinstance(one, dict)]
        for one in rng.sample(mappings, min(_KEYS, len(mappings))):
            one[word()] = word()
        return data

    changed = {file: _changed(file, data, text, keyed) for file, data in files.items()}
    return Mutant(name, seed, changed, is_folder, frozenset(planted))


def _values(value: Any) -> list[Any]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [one for key, one in pairs if not _CODES.fullmatch(str(key))]
    return [
        value,
        *(deep for one in inner if isinstance(one, dict | list) for deep in _values(one)),
    ]


def _changed(file: str, data: bytes, text: Any, keyed: Any) -> bytes:
    suffix = file.rpartition(".")[2]
    if any(part in file for part in _UNREAD):
        return data
    if suffix == "docx":
        made = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(data)) as package,
            zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as changed,
        ):
            for name in package.namelist():
                inner = package.read(name)
                is_text = name == "word/document.xml"
                changed.writestr(name, text(inner.decode()).encode() if is_text else inner)
        return made.getvalue()
    if suffix in ("json", "yaml", "yml", "xml", "csv", "md", "tex", "bib"):
        head, end, rest = data.decode().partition("\n" if suffix == "csv" else "\0")
        data = (head + end + text(rest) if end else text(head)).encode()
    if suffix == "json":
        data = json.dumps(keyed(json.loads(data))).encode()
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--only", default="", help="examples whose name begins so")
    given = parser.parse_args()
    cases = [case for case in CASES if case.startswith(given.only)]
    words = bad = 0
    for number in range(given.count):
        made = mutant(cases[number % len(cases)], number // len(cases))
        words += len(made.words)
        if lost := made.lost():
            bad += 1
            sys.stdout.write(f"{made.name} {made.seed}: {' '.join(lost)}\n")
    sys.stdout.write(f"{words:,} words in {given.count:,} mutants; {bad} lost some\n")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
