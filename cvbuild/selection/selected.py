"""What a document shows of a profile, in its order: sections, groups, items; and what not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date as Day
from typing import Any, Literal

from msgspec import Struct, field
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.kinds import Head
from cvbuild.model.locales import date_text, table
from cvbuild.model.locales.dates import Ago, Date
from cvbuild.model.profile import Profile
from cvbuild.model.sections import Item

DEFAULT_PRIORITY = 5
#: The end of a date, and its start, as they are compared.
DateKey = tuple[tuple[int, int, int], tuple[int, int, int]]
_DATE_OF_NOTHING: DateKey = ((0, 0, 0), (0, 0, 0))


class SelectedGroup(Struct, frozen=True):
    """Items in the order in which they are shown; without a title, those of the section itself."""

    path: FieldPath
    items: tuple[tuple[FieldPath, Any], ...]
    title: Prose | None = None
    note: Prose | None = None
    run: bool = False
    """Whether the items are set as one run of words, and so are shown or left out together."""

    @property
    def run_path(self) -> FieldPath:
        """The path that leaves out the run."""
        return (*self.path, "run")


class SelectedSection(Struct, frozen=True):
    """A section that is shown; ``source`` is None for summary and interests.

    ``title`` is the person's own heading, or the variant's, and ``title_path`` where it is written.
    """

    path: FieldPath
    kind: str
    groups: tuple[SelectedGroup, ...]
    source: Any = None
    title: Prose | None = None
    title_path: FieldPath = ()
    column: int = 0
    """0 as wide as the page, 1 in the main column, 2 in the narrow one, which comes last."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that variants use for it."""
        own = self.source.id if self.source is not None else None
        return (own, self.kind) if own else (self.kind,)

    @property
    def pairs(self) -> Iterator[tuple[FieldPath, Any]]:
        """Its items in all groups, each with its path."""
        return (pair for group in self.groups for pair in group.items)

    @property
    def is_retitled(self) -> bool:
        """Whether the heading is the variant's."""
        return self.title is not None and self.title_path[: len(self.path)] != self.path


class Selected(Struct, frozen=True):
    """What a document shows; nothing at or below a path of ``left_out`` is in it."""

    profile: Profile
    sections: tuple[SelectedSection, ...]
    left_out: frozenset[FieldPath] = field(default_factory=frozenset)
    out: tuple[Out, ...] = ()
    """What the selection left out and why, by its path."""
    variant: str | None = None
    """The name of the variant that it shows."""

    def items(self, *kinds: str) -> Iterator[tuple[FieldPath, Any]]:
        """Yield the items in its sections, or in those of some kinds, each with its path."""
        for section in self.sections:
            if not kinds or section.kind in kinds:
                yield from section.pairs


def sections_of(profile: Profile) -> Iterator[SelectedSection]:
    """Yield all sections in the file's order; the summary comes first."""
    above, below = profile.own_sections
    own = {
        kind: tuple(((kind, at), value) for at, value in enumerate(getattr(profile, kind)))
        for kind in (*above, *below)
    }
    for kind in above:
        yield SelectedSection((kind,), kind, (SelectedGroup((kind,), own[kind]),))
    for index, source in enumerate(profile.sections):
        path: FieldPath = ("sections", index)
        groups = (((*path, "groups", at), group) for at, group in enumerate(source.groups))
        parts = []
        for place, group in ((path, None), *groups):
            listed = enumerate((group or source).items)
            items = [((*place, "items", at), item) for at, item in listed]
            if source.order == "newest":
                # Equal dates keep the file's order; without one, or with words, items come last.
                dates = ((key, date_of(item)) for key, item in items)
                keys = {key: (date and date.sort_key) or _DATE_OF_NOTHING for key, date in dates}
                items.sort(key=lambda pair: keys[pair[0]], reverse=True)
            titles = (group.title, group.note) if group else ()
            parts.append(SelectedGroup(place, tuple(items), *titles))
        title = (source.title, (*path, "title"))
        yield SelectedSection(path, source.kind, tuple(parts), source, *title)
    for kind in below:
        yield SelectedSection((kind,), kind, (SelectedGroup((kind,), own[kind]),))


def parts_of(item: object, path: FieldPath) -> Iterator[tuple[FieldPath, Item]]:
    """Yield the roles, bullets and notes of an item or a role."""
    for name in ("roles", "bullets", "notes"):
        for index, part in enumerate(getattr(item, name, ())):
            yield (*path, name, index), part


def date_of(item: object) -> Date | None:
    """Return the item's date; if only its roles have dates, the newest of these."""
    date = getattr(item, "date", None)
    if date is not None:
        return date if isinstance(date, Date) else None
    roles = [role.date for role in getattr(item, "roles", ()) if role.date and role.date.sort_key]
    return max(roles, key=lambda d: d.sort_key or _DATE_OF_NOTHING, default=None)


def rank_of(
    item: Any, path: FieldPath, section: SelectedSection, group: SelectedGroup
) -> tuple[int, FieldPath | None]:
    """Return an item's priority, and where the ``keep: true`` that counts is; or None."""
    owners = [(path, item)]
    if section.source is not None:
        if len(group.path) > len(section.path):
            owners.append((group.path, section.source.groups[group.path[-1]]))
        owners.append((section.path, section.source))
    level, keep = (
        [(getattr(owner, name), place) for place, owner in owners
         if getattr(owner, name, None) is not None]
        for name in ("priority", "keep")
    )  # fmt: skip
    kept_by = keep[0][1] if keep and keep[0][0] else None
    return int(level[0][0]) if level else DEFAULT_PRIORITY, kept_by


def dates_of_group(group: SelectedGroup) -> dict[FieldPath, DateKey | None]:
    """Return the date by which each item is ranked, in the file's order.

    An item without one has that of the item before it in the file, else of the first that has one.
    """
    dates: dict[FieldPath, DateKey | None] = {}
    before: DateKey | None = None
    for path, item in sorted(group.items, key=lambda pair: pair[0]):
        date = date_of(item)
        before = (date.sort_key if date else None) or before
        dates[path] = before
    first = next((date for date in dates.values() if date), None)
    return {path: date or first for path, date in dates.items()}


def middle_date(dates: Iterable[DateKey | None]) -> DateKey:
    """Return the middle one of the dates: items of a group without any are ranked there."""
    known: Sequence[DateKey] = sorted(date for date in dates if date)
    return known[len(known) // 2] if known else _DATE_OF_NOTHING


#: If there are several reasons, the first counts.
Reason = Literal["section", "tags", "since", "limit"]


class Out(Struct, frozen=True):
    """Something that a document leaves out, with all that is below its path."""

    path: FieldPath
    reason: Reason
    words: str
    """The rule, and what it found."""
    rule: FieldPath = ()
    """The path of the rule in the person's file; empty if it is a template's."""


#: Keys of a variant that replace a text of the person's.
_TEXTS = ("headline", "summary")


def applied(
    profile: Profile, source: Source, name: str | None, day: Day | None = None
) -> tuple[Profile, Source]:
    """Return profile and source with the variant's headline and summary, and no other variant.

    With a ``day``, times such as ``since: 5 years`` are dates, back from it.
    """
    update: dict[str, Any] = {"variants": FrozenMap()}
    if name:
        variant = profile.variants[name]
        for key in _TEXTS:
            if value := getattr(variant, key):
                source = source.grafted((key,), source.part(("variants", name, key)))
                update[key] = value
        if "closing" in variant.without:
            update["closing"] = None
        since = {
            key: at.before(day) if day and isinstance(at, Ago) else at
            for key, at in variant.since.items()
        }
        applied = {"headline": None, "summary": (), "since": FrozenMap(since)}
        update["variants"] = FrozenMap({name: variant.model_copy(update=applied)})
    return profile.model_copy(update=update), source


# -- every part of a profile, each once: its words, and whether a document shows it ---------------

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
    shown = {section.path: section for section in selected.sections}
    every = {section.path: section for section in sections_of(selected.profile)}
    order = [*shown, *(path for path in every if path not in shown)]
    out, words = {out.path: out for out in selected.out}, table(selected.profile.locale).words

    def part(path: FieldPath, level: Level, value: Any, *, is_in: bool) -> Part:
        """Return an item and its parts; ``is_in`` says whether the part that it is in is shown."""
        is_shown = is_in and path not in out
        parts = tuple(
            part(place, "role" if place[-2] == "roles" else "bullet", inner, is_in=is_shown)
            for place, inner in parts_of(value, path)
        )
        return Part(path, level, words_of(selected.profile, path), is_shown, out.get(path), parts)

    sections = []
    for path in order:
        current, parts = shown.get(path, every[path]), list[Part]()
        first = {group.path: dict(group.items) for group in current.groups}
        for group in every[path].groups:
            # Those that are shown in their order, then the others.
            pairs = dict(group.items)
            places = first.get(group.path, {}) if path in shown else {}
            paths = (*places, *(place for place in pairs if place not in places))
            items = [part(place, "item", pairs[place], is_in=path in shown) for place in paths]
            if group.path == path:
                parts += items
            elif items:
                is_any = any(item.shown for item in items)
                parts.append(Part(group.path, "group", str(group.title), is_any, None, (*items,)))
        title = str(current.title) if current.title else words[current.kind]
        if parts:
            why = out.get(path)
            sections.append(Part(path, "section", title, path in shown, why, tuple(parts)))
    return tuple(sections)


def name_of(profile: Profile, path: FieldPath) -> str:
    """Return ``Developer, Example Corp, 2014–2016``; before it the words of a bullet of the item.

    ``path`` is that of an item, of a part of one, or of a run of words (``run_path``).
    """
    if path[-1] == "run":
        value = value_at(profile, path[:-1])
        place = path[:-1] if isinstance(value, tuple) else (*path[:-1], "items")
        words = (words_of(profile, (*place, at)) for at in range(len(value_at(profile, place))))
        return shortened(", ".join(words))
    if "items" not in path:
        return words_of(profile, path)
    place = path[: path.index("items") + 2]
    item = value_at(profile, place)
    # The texts in its head as its kind describes it, and its date.
    lines = kinds.of(profile.sections[int(path[1])].kind).text or ()
    head = next((line for line in lines if isinstance(line, Head)), None)
    parts = (
        [getattr(item, part, None) for part in head.parts if isinstance(part, str)] if head else []
    )
    names = [
        shortened(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))
        for value in filter(None, parts)
    ]
    date = getattr(item, "date", None)
    names = names or [words_of(profile, place)]
    names += [date_text(date, profile.locale)] if isinstance(date, Date) else []
    name = ", ".join(names)
    return name if place == path else f"{words_of(profile, path)} ({name})"


def words_of(profile: Profile, path: FieldPath) -> str:
    """Return the first words of an item, for a message: its title, name, course or text; or ""."""
    here = value_at(profile, path)
    if isinstance(here, BaseModel):
        prose = [value for value in vars(here).values() if isinstance(value, Prose)]
        main = [getattr(here, name, None) for name in ("title", "name", "course", "role", "text")]
        here = next((value for value in (*main, *prose) if value is not None), here)
    texts = here if isinstance(here, tuple) else (here,)
    text = ", ".join(str(text) for text in texts if not isinstance(text, BaseModel))
    return shortened(" ".join(text.split()))


def shortened(text: str) -> str:
    """Return the first 70 characters of a text."""
    return text if len(text) <= 70 else text[:69].rstrip() + "…"


def value_at(profile: Profile, path: FieldPath) -> Any:
    """Return the value of a field."""
    here: Any = profile
    for step in path:
        here = here[step] if isinstance(step, int) else getattr(here, step)
    return here
