"""The text of a new person's file: the facts, marks of guesses, and comments on what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.importers.types import Imported, Lost
from cvbuild.inputs.schema.json_schema import MODELINE
from cvbuild.inputs.yaml import writer

#: The comment at the top of what is no more than a draft.
_ROUGH = "A draft: the source doesn't say what its texts mean. Look through it."
#: Of so many lines of the file one may be a comment.
_SHARE = 5
#: Comment lines that any file may have.
_LEAST = 10
#: Characters of a loss in a comment; the message on the terminal has all.
_LONGEST = 240


def text_of(found: Imported, told: Mapping[FieldPath, Sequence[str]], file: str) -> str:
    """Return the text; ``told`` are comments on values, ``file`` is what was imported.

    Losses are comments beside what they belong to, the others a list at the end; together they are
    at most a fifth of the file. The last line says how many more there are.
    """
    first = [MODELINE]
    first += [f"# {_ROUGH}"] if found.draft else []
    first += [f"# {writer.MARKED}"] if found.guesses else []
    comments = {path: [*texts] for path, texts in told.items()}
    size = writer.write_part(found.data).count("\n") + len(first)
    left = max(_LEAST, size // (_SHARE - 1) - len(first) - len(comments)) - 1
    untold = 0
    for one in sorted(found.lost, key=lambda lost: not lost.near):
        words = _comment(one, file)
        needed = len(writer.comment_lines(words))
        if needed > left:
            untold += 1
            continue
        left -= needed
        comments.setdefault(one.near, []).append(words)
    if untold:
        more = f"{writer.LOSS}, and told when this was imported: {untold} more"
        comments.setdefault((), []).append(more)
    return writer.write(found.data, comments, "\n".join(first), found.guesses)


def _comment(lost: Lost, file: str) -> str:
    note = lost.note
    if not lost.near and note.span:
        note = replace(note, span=replace(note.span, file=_inside(note.span, file)))
    words = f"{writer.LOSS}: {note.message if lost.near else note}"
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"


def _inside(span: Span, file: str) -> str:
    """Return a file's name as seen from the folder of what was imported: no path of a machine."""
    beside = Path(file).absolute().parent
    path = Path(span.file).absolute()
    if path.is_relative_to(beside):
        return path.relative_to(beside).as_posix()
    return path.name
