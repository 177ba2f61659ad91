"""The file of a new person, made of what was imported: whose it is, and what stands in it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath, Span, UsageError, quoted
from cvbuild.common.files.safe_files import is_reserved
from cvbuild.importers import merging, registry, types
from cvbuild.importers.documents import plausibility
from cvbuild.importers.types import Imported
from cvbuild.inputs import people, pictures
from cvbuild.inputs.json_schema import MODELINE
from cvbuild.inputs.references import identity
from cvbuild.inputs.yaml import writer

#: What happens to the CVs of two people if the user says that they are one.
AS_SAYS = "they are put together, as --as says"
#: What ``child`` reads of its folder: who, and the files in their order.
REQUEST = "request.json"
#: The picture of the person, as it was in a file.
PHOTO = "photo"
#: Pixels of a photo on each side; icons have fewer.
_LEAST_SIDE = 80
#: The comment at the top of what is no more than a draft.
_ROUGH = "A draft: the source doesn't say what its texts mean. Look through it."
#: Of so many lines of the file one may be a comment.
_SHARE = 5
#: Comment lines that any file may have.
_LEAST = 10
#: Characters of a loss in a comment; the message on the terminal has all.
_LONGEST = 240


def read(
    paths: Sequence[str], source: str | None, person: str | None
) -> tuple[Imported, list[Diagnostic]]:
    """Read files of one person, with what is to be told; raises CvbuildError for two people."""
    parts = [registry.read(types.opened(Path(file)), source) for file in paths]
    names = [part.data.get("name") for part in parts]
    apart = "import each by itself: --each; if they are one person, say so: --as NAME"
    difference = merging.difference(zip(paths, names, strict=True), apart)
    if difference and not person:
        raise CvbuildError([difference])
    told = [replace(difference, severity="warning", hint=AS_SAYS)] if difference else []
    return merging.combined(parts), told


def stem(name: str | None, found: Imported) -> str:
    """Return what the file is called without its ending; raises UsageError."""
    written = next(iter(identity.name_forms(found.data.get("name"))), "")
    known = identity.slug(name or written)
    if not known or known in people.RESERVED or is_reserved(known):
        message = "the file has no name of a person"
        if name or written:
            message = f"{quoted(name or written)} can't be a file's name"
        raise UsageError.because("name", message, "give another: --as NAME")
    return known


def photo_of(found: Imported) -> tuple[Imported, bytes | None]:
    """Return the same without the note on a photo that documents can show, and the photo."""
    with suppress(CvbuildError):
        photo = found.photo
        if photo and min(pictures.sides(pictures.clean(photo.data))) >= _LEAST_SIDE:
            lost = tuple(one for one in found.lost if one.note is not photo.note)
            return replace(found, lost=lost), photo.data
    return found, None


def text(file: str, found: Imported, person: str | None) -> tuple[str, Imported, list[Diagnostic]]:
    """Return the text of the new file, what it holds, and notes on it; nothing is an error."""
    if not found.data:
        fact = f"{file} has nothing that a CV could show"
        raise CvbuildError.because("empty", fact, "is it the right file?")
    notes = []
    if person and "name" not in found.data:
        words = person if " " in person else person.replace("-", " ").title()
        fact = f"the file has no name of a person: it was imported as {quoted(words)}"
        notes.append(Diagnostic("note", "name", fact, Span(file), "correct it if it is not right"))
        data = {"name": words, **found.data}
        found = replace(found, data=data, guesses=(("name",), *found.guesses))
    first = [MODELINE]
    first += [f"# {_ROUGH}"] if found.draft else []
    told_odd, poor = plausibility.odd(found.data), plausibility.poor(found)
    first += [f"# {writer.MARKED}"] if found.guesses or poor else []
    first += [f"{writer.MARK} {writer.POOR}: {'; '.join(poor)}"] if poor else []
    marks = {path: told_odd.get(path, "") for path in found.guesses}
    size = writer.write_part(found.data).count("\n") + len(first)
    comments = _comments(found, file, max(_LEAST, size // (_SHARE - 1) - len(first)) - 1)
    return writer.write(found.data, comments, "\n".join(first), marks), found, notes


def _comments(found: Imported, file: str, left: int) -> dict[FieldPath, list[str]]:
    """Return losses as comments beside what they belong to, the others at the end.

    The last of ``left`` lines says how many more there are.
    """
    comments: dict[FieldPath, list[str]] = {}
    untold = 0
    for one in sorted(found.lost, key=lambda lost: not lost.near):
        note = one.note
        if not one.near and note.span:
            # As seen from the folder of what was imported: no path of a machine.
            beside = os.path.relpath(note.span.file, Path(file).parent)
            name = Path(beside).name if beside.startswith("..") else beside
            note = replace(note, span=replace(note.span, file=name))
        words = f"{writer.LOSS}: {note.message if one.near else note}"
        words = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"
        if (needed := len(writer.comment_lines(words))) > left:
            untold += 1
        else:
            left -= needed
            comments.setdefault(one.near, []).append(words)
    if untold:
        more = f"{writer.LOSS}, and told when this was imported: {untold} more"
        comments.setdefault((), []).append(more)
    return comments


def child(folder: str, result: str) -> None:
    """Read the files of a folder, and write what came of it as JSON, in a process of its own.

    The folder has ``REQUEST``: {"files": names, "person": name or null}. The result is {"stem",
    "text", "has_photo"}, or {"diagnostics"}; the photo is in ``PHOTO``.
    """
    os.chdir(folder)
    request = json.loads(Path(REQUEST).read_bytes())
    answer: dict[str, object]
    try:
        person = request["person"]
        whole, photo = photo_of(read(request["files"], None, person)[0])
        if photo:
            Path(PHOTO).write_bytes(photo)
        made, found, _ = text(request["files"][0], whole, person)
        answer = {"stem": stem(person, found), "text": made, "has_photo": photo is not None}
    except CvbuildError as error:
        answer = {"diagnostics": [item.as_json() for item in error.diagnostics]}
    Path(result).write_text(json.dumps(answer), encoding="utf-8")
