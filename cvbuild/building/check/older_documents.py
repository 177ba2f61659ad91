"""Find finished documents of a person that still show what has become private since.

A build makes anew what is asked for. A document of a template that was picked once, or of another
language, stays as it is, with a phone number that the person's file hides by now.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from html import unescape
from pathlib import Path

from cvbuild.building.check import profiles
from cvbuild.building.request import PRIVATE
from cvbuild.common import separate
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import file_state, safe_files
from cvbuild.inputs import people, person_file, privacy
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.checks import private_texts, text_folding
from cvbuild.outputs.checks.text_folding import Folded
from cvbuild.outputs.pdf.verify import pdf_facts

#: Files of more bytes are not looked into, nor more files of one person.
_MOST, _FILES = 16 << 20, 200
#: Seconds for all files of a person.
_SECONDS = 60.0
_TAGS = re.compile(r"<[^<>]*>")


def showing_private(person: Person, out: Path, built: Collection[str] = ()) -> list[Diagnostic]:
    """Return a warning for each older document of a person that shows what is private by now.

    ``out`` is the folder with the folders of people, ``built`` the paths of documents that are up
    to date. A document counts as older if the person's file, the overlay or the workspace's file
    was written after it.
    """
    older = [path for path in _older(person, out / person.name) if str(path) not in built]
    read = profiles.load(person) if older else None
    if read is None or read.source is None:
        return []
    variants = read.profile.variants if read.profile else {}
    closed = {name for name, variant in variants.items() if variant.private}
    older = [path for path in older if path.relative_to(out).parts[1].split(".")[0] not in closed]
    hidden = _hidden(person, read.source, read.profile.locale if read.profile else "en")
    found = []
    for path, written in _texts(older).items() if older and hidden else ():
        shown = text_folding.fold_caseless(written)
        spans = [span for text, span in hidden if text_folding.has_words(shown, text)]
        if spans:
            found.append(_warning(path, spans[0]))
    return found


def _older(person: Person, folder: Path) -> Iterator[Path]:
    """Yield the public files in a person's folder, and in folders there, that are older."""
    sources = (person.path, people.overlay(person.path), Path(WORKSPACE))
    written = max((stamp[0] for one in sources if (stamp := file_state.of(one))), default=0)
    with suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            name, *suffixes = entry.name.split(".")
            if not name or PRIVATE in suffixes or entry.is_symlink():
                continue
            for path in file_state.below(entry.path) if entry.is_dir() else [entry.path]:
                stamp = file_state.of(path)
                if stamp and stamp[0] < written and not Path(path).is_dir():
                    yield Path(path)


def _hidden(person: Person, source: Source, locale: str) -> list[tuple[Folded, Span | None]]:
    """Return the private texts to look for, and their places: none that is public elsewhere."""
    public = text_folding.fold_caseless("\n".join(text for _, text in privacy.facts(source.data)))
    return [
        (text, one.span)
        for one in private_texts.secrets((*source.private, *person_file.secrets(person)), locale)
        if len((text := text_folding.fold_caseless(one.text)).letters) >= private_texts.SHORT
        and not text_folding.has_words(public, text)
    ]


def _texts(paths: Sequence[Path]) -> dict[Path, str]:
    """Return what can be read of files, in a process with limits; nothing if that fails."""
    names = json.dumps([str(path) for path in paths[:_FILES]]).encode()
    try:
        answer = separate.call(__name__, "child", names, _SECONDS)
    except separate.FailedError:
        return {}
    return {Path(name): text for name, text in answer.items()}


def child(names: str, result: str) -> None:
    """Read the files whose paths are a JSON list in the file ``names``; write their texts."""
    texts = {}
    for name in json.loads(Path(names).read_bytes()):
        with suppress(CvbuildError, OSError, ValueError, zipfile.BadZipFile):
            texts[name] = _text(Path(name))
    Path(result).write_text(json.dumps(texts), encoding="ascii")


def _text(path: Path) -> str:
    """Return all texts of a document, whatever its format."""
    if path.suffix == ".pdf":
        facts = pdf_facts.read(path)
        parts = [page.text for page in facts.pages]
        parts += [link.url for link in facts.links]
        parts += [text for _, text in facts.metadata]
        parts += [_of_data(data) for _, data in facts.attachments]
        return "\n".join(parts)
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as package:
            files = [package.open(one).read(_MOST) for one in package.infolist()]
        return "\n".join(_of_markup(data) for data in files)
    data = safe_files.read(path, _MOST, links=False)
    return _of_markup(data) if path.suffix == ".html" else _of_data(data)


def _of_data(data: bytes) -> str:
    return text_folding.in_json(data.decode("utf-8", "replace"))


def _of_markup(data: bytes) -> str:
    """Return the text between tags, and all of the markup: addresses stand in tags."""
    whole = data.decode("utf-8", "replace")
    return unescape(f"{_TAGS.sub('', whole)}\n{whole}")


def _warning(path: Path, span: Span | None) -> Diagnostic:
    fact = f"what is private here is still in {path}, which was built before"
    return Diagnostic("warning", "private-older", fact, span, "delete that file, or build it again")
