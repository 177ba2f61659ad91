"""What a document shows and what it doesn't, thing by thing: what ``cvbuild show`` prints.

Everything of the profile stands in it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from cvbuild.common.diagnostics import FieldPath
from cvbuild.locales.words import table
from cvbuild.selection.select import sections_of, words_of
from cvbuild.selection.selected import Selected, SelectedSection, parts_of
from cvbuild.selection.variant_rules import Out

Level = Literal["section", "group", "item", "role", "bullet"]


@dataclass(frozen=True, slots=True)
class Part:
    """A section, a group, an item, a role or a bullet; ``words`` are its heading or first words.

    ``out`` says why it isn't shown. What isn't shown without a reason of its own is in something
    that isn't, or has lost all that was in it.
    """

    path: FieldPath
    level: Level
    words: str
    shown: bool
    out: Out | None = None
    parts: tuple[Part, ...] = ()

    @property
    def items(self) -> tuple[Part, ...]:
        """The items in it, those of groups too."""
        found: list[Part] = []
        for part in self.parts:
            found += part.items if part.level == "group" else [part]
        return tuple(found)


def inventory(selected: Selected) -> tuple[Part, ...]:
    """All sections: those that are shown, in the document's order, then the others."""
    return _Inventory(selected).sections()


class _Inventory:
    def __init__(self, selected: Selected) -> None:
        self.selected = selected
        self.out = {one.path: one for one in selected.out}
        self.table = table(selected.profile.locale)

    def sections(self) -> tuple[Part, ...]:
        shown = {section.path: section for section in self.selected.sections}
        every = {section.path: section for section in sections_of(self.selected.profile)}
        order = [*shown, *(path for path in every if path not in shown)]
        found = (self.section(every[path], shown.get(path)) for path in order)
        return tuple(section for section in found if section.parts)

    def section(self, whole: SelectedSection, shown: SelectedSection | None) -> Part:
        own = shown or whole
        words = str(own.title) if own.title else self.table.word(own.kind)
        kept = {group.path: group.items for group in shown.groups} if shown else {}
        parts: list[Part] = []
        for group in whole.groups:
            left = kept.get(group.path, ())
            items = tuple(self.items(group.items, left, shown=own is shown))
            if group.path == whole.path:
                parts += items
            elif items:
                is_there = any(item.shown for item in items)
                parts.append(Part(group.path, "group", str(group.title), is_there, None, items))
        out = self.out.get(whole.path)
        return Part(whole.path, "section", words, shown is not None, out, tuple(parts))

    def items(
        self,
        every: Iterable[tuple[FieldPath, Any]],
        kept: Iterable[tuple[FieldPath, Any]],
        *,
        shown: bool,
    ) -> Iterator[Part]:
        """Those that are shown in their order, then the others."""
        whole, left = dict(every), dict(kept)
        for path in (*left, *(path for path in whole if path not in left)):
            yield self.part(path, "item", whole[path], shown=shown)

    def part(self, path: FieldPath, level: Level, value: Any, *, shown: bool) -> Part:
        """An item and what is in it; ``shown`` is whether that is shown which it is in."""
        out = self.out.get(path)
        here = shown and out is None
        parts = tuple(
            self.part(place, "role" if place[-2] == "roles" else "bullet", inner, shown=here)
            for place, inner in parts_of(value, path)
        )
        return Part(path, level, words_of(self.selected.profile, path), here, out, parts)
