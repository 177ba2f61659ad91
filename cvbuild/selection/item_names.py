"""What an item is called where a message must tell it from others: what, where and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.locales.dates import date_text
from cvbuild.model import Profile, kinds
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Head
from cvbuild.selection.select import shortened, value_at, words_of


def name_of(profile: Profile, path: FieldPath) -> str:
    """Return ``Developer, Example Corp, 2014–2016``; before it the words of a bullet of the item.

    ``path`` is that of an item, of a part of one, or of a run of words (``run_path``).
    """
    if path[-1] == "run":
        return shortened(", ".join(_words_of_run(profile, path[:-1])))
    if "items" not in path:
        return words_of(profile, path)
    item = path[: path.index("items") + 2]
    name = ", ".join(_named(profile, item))
    return name if item == path else f"{words_of(profile, path)} ({name})"


def _words_of_run(profile: Profile, group: FieldPath) -> Iterator[str]:
    """Yield the words of the items of a group, or of the interests."""
    value = value_at(profile, group)
    place = group if isinstance(value, tuple) else (*group, "items")
    for index in range(len(value_at(profile, place))):
        yield words_of(profile, (*place, index))


def _named(profile: Profile, path: FieldPath) -> Iterator[str]:
    """Yield the texts in the head of an item as its kind describes it, and its date."""
    item = value_at(profile, path)
    lines = kinds.of(profile.sections[int(path[1])].kind).text or ()
    head = next((line for line in lines if isinstance(line, Head)), None)
    texts = [*_texts(item, head)] if head else []
    yield from texts or [words_of(profile, path)]
    date = getattr(item, "date", None)
    if isinstance(date, Date):
        yield date_text(date, profile.locale)


def _texts(item: Any, head: Head) -> Iterator[str]:
    for field in head.parts:
        value = getattr(item, field, None) if isinstance(field, str) else None
        if value:
            whole = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            yield shortened(whole)
