"""What the user should look at when imports are put together, or added to a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, FieldPath, quoted
from cvbuild.importers.types import Imported
from cvbuild.inputs.references import same_items

#: With the path of what it is about in the file.
Note = tuple[FieldPath, Diagnostic]

#: Keys of what somebody was, and of where, in items of any kind.
_TITLES, _PLACES = ("title", "role"), ("employer", "organization", "institution", "awarder")
#: A given name of one letter: "A. Example", "Example, A.", "A Example".
_INITIALS = re.compile(r"(?:^|\s|[.-])[^\W\d_](?:\.|(?=\s)|$)")
#: Characters of a value that a note quotes: whoever wants it has no other place to copy it from.
_LONGEST = 1000
_KEEP_ONE = "if both are one, keep one of them"


def kept(path: FieldPath, there: Any, value: Any) -> Iterator[Note]:
    """Yield a note of a value of the source where the person wrote another one."""
    if path[-1] == "date" and same_items.is_same_month(there, value):
        return
    texts = [*same_items.texts_of(there)]
    # A name may be in parts here and whole there.
    known = " ".join(map(same_items.folded, (*texts, " ".join(texts))))
    differing = [
        text for text in same_items.texts_of(value) if same_items.folded(text) not in known
    ]
    if not differing:
        return
    name = ".".join(step for step in path if isinstance(step, str) and step != "sections")
    fact = f"{name.removeprefix('items.')} stays as it is; the source has"
    yield path, Diagnostic("note", "kept", f"{fact} {quoted('; '.join(differing), _LONGEST)}")


def at_the_same_time(
    kind: str, places: Iterable[tuple[FieldPath, Any]], new: Any
) -> Iterator[Note]:
    """Yield a note of each post or degree of just the same dates as one that is added."""
    date = new.get("date") if kind in same_items.TELLING and isinstance(new, dict) else None
    for path, one in places if date else ():
        if isinstance(one, dict) and same_items.is_same_month(one.get("date"), date):
            name = quoted(same_items.first(new.get(same_items.TELLING[kind][0])))
            fact = f"{name}, which is added, has the same dates"
            yield path, Diagnostic("note", "same-dates", fact, hint=_KEEP_ONE)


def of_another_kind(kind: str, others: Iterable[tuple[FieldPath, Any]], new: Any) -> Iterator[Note]:
    """Yield a note of what is added once more, as another kind, if it is the same post there.

    What one program calls voluntary work is service, or an extracurricular activity, to another.
    """
    post = _post(new)
    for path, one in others if post else ():
        if _post(one) == post:
            fact = f"{quoted(_first_of(new, _TITLES))} is added once more, as {kind}"
            yield path, Diagnostic("note", "other-kind", fact, hint=_KEEP_ONE)


def _post(item: Any) -> tuple[str, str] | None:
    """Return what somebody was, and where, to be compared; None without one of these."""
    if not isinstance(item, dict):
        return None
    what, where = (same_items.folded(_first_of(item, names)) for names in (_TITLES, _PLACES))
    return (what, where) if what and where else None


def _first_of(item: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((text for name in names if (text := same_items.first(item.get(name)))), "")


def unlike_authors(parts: Sequence[Imported]) -> Iterator[Diagnostic]:
    """Yield a warning if some sources write authors' given names, and others their initials."""
    short, full = 0, 0
    for one in parts:
        works = [item for section in one.data.get("sections", ()) for item in _authored(section)]
        with_initials = sum(any(map(_INITIALS.search, work)) for work in works)
        is_short = with_initials * 2 > len(works)
        short, full = short + is_short * len(works), full + (not is_short) * len(works)
    if short and full:
        fact = f"authors have initials in {short} of the works, given names in {full}"
        hint = "they stand in one list: write them in one way"
        yield Diagnostic("warning", "authors", fact, hint=hint)


def _authored(section: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the authors of each work of a section, and of its groups."""
    for items in (section.get("items", ()), *(one["items"] for one in section.get("groups", ()))):
        for item in items:
            names = item.get("authors") if isinstance(item, Mapping) else None
            if names:
                yield [str(name) for name in ([names] if isinstance(names, str) else names)]
