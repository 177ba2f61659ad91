"""Every part of a profile and whether a document shows it: what ``cvbuild show`` prints.

Each part of the profile is listed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import Profile, kinds
from cvbuild.model.dates import Date
from cvbuild.model.kinds import Head
from cvbuild.model.locales import date_text, table
from cvbuild.selection.select import sections_of, shortened, value_at, words_of
from cvbuild.selection.selected import Out, Selected, SelectedSection, parts_of

Level = Literal["section", "group", "item", "role", "bullet"]


class Part(Struct, frozen=True):
    """A section, a group, an item, a role or a bullet; ``words`` are its heading or first words.

    ``out`` says why it isn't shown. A part that isn't shown and has no reason of its own is inside
    one that isn't shown, or all its parts were left out.
    """

    path: FieldPath
    level: Level
    words: str
    shown: bool
    out: Out | None = None
    parts: tuple[Part, ...] = ()


def inventory(selected: Selected) -> tuple[Part, ...]:
    """Return all sections: those that are shown, in the document's order, then the others."""
    return _Inventory(selected).sections()


class _Inventory:
    def __init__(self, selected: Selected) -> None:
        self.selected = selected
        self.out = {out.path: out for out in selected.out}
        self.table = table(selected.profile.locale)

    def sections(self) -> tuple[Part, ...]:
        shown = {section.path: section for section in self.selected.sections}
        every = {section.path: section for section in sections_of(self.selected.profile)}
        order = [*shown, *(path for path in every if path not in shown)]
        parts = (self.section(every[path], shown.get(path)) for path in order)
        return tuple(section for section in parts if section.parts)

    def section(self, whole: SelectedSection, shown: SelectedSection | None) -> Part:
        current = shown or whole
        words = str(current.title) if current.title else self.table.words[current.kind]
        shown_items = {group.path: group.items for group in shown.groups} if shown else {}
        parts: list[Part] = []
        for group in whole.groups:
            selected = shown_items.get(group.path, ())
            items = tuple(self.items(group.items, selected, shown=current is shown))
            if group.path == whole.path:
                parts += items
            elif items:
                any_shown = any(item.shown for item in items)
                parts.append(Part(group.path, "group", str(group.title), any_shown, None, items))
        out = self.out.get(whole.path)
        return Part(whole.path, "section", words, shown is not None, out, tuple(parts))

    def items(
        self,
        every: Iterable[tuple[FieldPath, Any]],
        selected: Iterable[tuple[FieldPath, Any]],
        *,
        shown: bool,
    ) -> Iterator[Part]:
        """Yield the items that are shown in their order, then the others."""
        whole, first = dict(every), dict(selected)
        for path in (*first, *(path for path in whole if path not in first)):
            yield self.part(path, "item", whole[path], shown=shown)

    def part(self, path: FieldPath, level: Level, value: Any, *, shown: bool) -> Part:
        """Return an item and its parts; ``shown`` says whether the part that it is in is shown."""
        out = self.out.get(path)
        is_shown = shown and out is None
        parts = tuple(
            self.part(place, "role" if place[-2] == "roles" else "bullet", inner, shown=is_shown)
            for place, inner in parts_of(value, path)
        )
        return Part(path, level, words_of(self.selected.profile, path), is_shown, out, parts)


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
