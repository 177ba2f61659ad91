"""Whether what several files say is of one person."""

from __future__ import annotations

from collections.abc import Sequence

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.positions import quoted
from cvbuild.importers.types import Imported
from cvbuild.inputs import name_words, person_names

#: A file, the forms of the name in it, and the authors who may be meant instead.
Named = tuple[str, Sequence[str], Sequence[str]]


def named(file: str, found: Imported) -> Named:
    """Return whose the import of a file is."""
    return file, person_names.forms(found.data.get("name")), found.authors


def difference(several: Sequence[Named], hint: str) -> Diagnostic | None:
    """Return an error about the first file that is of another person than one before it.

    Names are of different people if both have a word that the other lacks.
    """
    for at, (file, names, authors) in enumerate(several):
        for other, others, their_authors in several[:at]:
            if (
                names
                and others
                and not (
                    _any_agree(names, (*others, *their_authors))
                    or _any_agree(others, (*names, *authors))
                )
            ):
                fact = f"this is of {quoted(names[0])}, and {other} of {quoted(others[0])}"
                return Diagnostic("error", "people", fact, Span(file), hint)
    return None


def _any_agree(names: Sequence[str], others: Sequence[str]) -> bool:
    return any(name_words.agree(one, other) for one in names for other in others)
