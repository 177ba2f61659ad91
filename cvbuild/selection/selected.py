"""What a document shows of a profile, in its order: sections, groups and items; and what not.

``selection.select`` makes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date as Day
from typing import Any, Literal

from msgspec import Struct, field

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.dates import Ago, Date
from cvbuild.model.profile import EVERY, Variant
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
    def names(self) -> Names:
        """The names that variants use for it."""
        own = self.source.id if self.source is not None else None
        return (own, self.kind) if own else (self.kind,)

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
                for group in section.groups:
                    yield from group.items

    @property
    def limited(self) -> tuple[FieldPath, ...]:
        """The items that only a limit of the template left out."""
        return tuple(out.path for out in self.out if out.reason == "limit" and not out.rule)


def parts_of(item: object, path: FieldPath) -> Iterator[tuple[FieldPath, Item]]:
    """Yield the roles, bullets and notes of an item or a role."""
    for name in ("roles", "bullets", "notes"):
        for index, part in enumerate(getattr(item, name, ())):
            yield (*path, name, index), part


def newest(item: object) -> DateKey:
    """Return a sort key, larger for newer items; those without a date, or with words, come last."""
    date = date_of(item)
    return (date.sort_key if date else None) or _DATE_OF_NOTHING


def date_of(item: object) -> Date | None:
    """Return the item's date; if only its roles have dates, the newest of these."""
    date = getattr(item, "date", None)
    if date is not None:
        return date if isinstance(date, Date) else None
    roles = [role.date for role in getattr(item, "roles", ()) if role.date and role.date.sort_key]
    return max(roles, key=lambda d: d.sort_key or _DATE_OF_NOTHING, default=None)


def priority(item: Any, group: Any, source: Any) -> int:
    """Return the item's own priority, else its group's, else its section's, else 5."""
    own = getattr(item, "priority", None)
    if own is None and source is not None and len(group.path) > 2:
        own = source.groups[group.path[-1]].priority
    if own is None and source is not None:
        own = source.priority
    return DEFAULT_PRIORITY if own is None else int(own)


def kept_by(
    item: Any, path: FieldPath, section: SelectedSection, group: SelectedGroup
) -> FieldPath | None:
    """Return the path of the ``keep: true`` that counts: of item, group or section; or None."""
    owners = [(path, item)]
    if section.source is not None:
        if len(group.path) > len(section.path):
            owners.append((group.path, section.source.groups[group.path[-1]]))
        owners.append((section.path, section.source))
    for place, owner in owners:
        says = getattr(owner, "keep", None)
        if says is not None:
            return place if says else None
    return None


# -- the dates by which items are ranked where there is no room for all of them ------------------


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


# -- the rules of one variant, applied to one thing at a time --------------------------------------
# Sections are found by their names, the most specific first: their id, if they have one, and their
# kind. Pure: no file, no clock.


#: If there are several reasons, the first counts.
Reason = Literal["section", "tags", "since", "limit"]
Names = tuple[str, ...]


class Out(Struct, frozen=True):
    """Something that a document leaves out, with all that is below its path."""

    path: FieldPath
    reason: Reason
    words: str
    """The rule, and what it found."""
    rule: FieldPath = ()
    """The path of the rule in the person's file; empty if it is a template's."""

    @property
    def by(self) -> str:
        """The key that has the rule: include, since, publications."""
        return self.words.partition(":")[0]


class Choice(Struct, frozen=True):
    """A variant, and the name that it has in its person's file."""

    name: str
    variant: Variant

    @classmethod
    def of(cls, profile: Profile, name: str | None) -> Choice:
        """Return the variant of that name, for None one that shows everything; raise KeyError."""
        return cls(name or "", profile.variants[name] if name else Variant())

    def place(self, *keys: str | int) -> FieldPath:
        """Return the path of a key of the variant."""
        return ("variants", self.name, *keys)

    def section(self, path: FieldPath, names: Names) -> Out | None:
        """Return why a whole section is left out; None if it isn't."""
        kinds, without = self.variant.kinds, self.variant.without
        if kinds and not set(names) & set(kinds):
            return Out(path, "section", f"kinds: {', '.join(kinds)}", self.place("kinds"))
        for name in names:
            if name in without:
                rule = self.place("without", without.index(name))
                return Out(path, "section", f"without: {name}", rule)
        return None

    def tags(self, path: FieldPath, tags: Collection[str]) -> Out | None:
        """Return why something with these tags, its own and inherited, is left out, or None."""
        include, exclude = self.variant.include, self.variant.exclude
        actual = f"its tags: {', '.join(tags)}" if tags else "it has no tags"
        if include and tags and not include.matches(tags):
            return Out(path, "tags", f"include: {include}; {actual}", self.place("include"))
        if exclude and exclude.matches(tags):
            return Out(path, "tags", f"exclude: {exclude}; {actual}", self.place("exclude"))
        return None

    def since(self, path: FieldPath, names: Names, date: Date | None) -> Out | None:
        """Return why something of that date is left out, or None; what has no date stays."""
        key = _named(self.variant.since, names)
        if key is None or date is None or date.sort_key is None:
            return None
        point = self.variant.since[key]
        if isinstance(point, Ago) or date.sort_key[0] >= point.first:
            return None
        words = f"since: {point}; it ended in {date.end or date.start or date.text}"
        return Out(path, "since", words, self.place("since", key))

    def limit(self, names: Names, ranked: Sequence[FieldPath]) -> tuple[Out, ...]:
        """Return the items of a section beyond its limit; ``ranked`` has those to show first."""
        key = _named(self.variant.limit, names)
        if key is None:
            return ()
        number, rule = self.variant.limit[key], self.place("limit", key)
        words = f"limit: {number}; keep: {self.variant.keep}"
        return tuple(Out(path, "limit", words, rule) for path in ranked[number:])

    def title(self, names: Names) -> tuple[Prose, FieldPath] | None:
        """Return the variant's heading for a section, and where it is written."""
        key = next((name for name in names if name in self.variant.titles), None)
        return None if key is None else (self.variant.titles[key], self.place("titles", key))

    def rank(self, names: Names) -> int | None:
        """Return the position of a section that the variant's order names."""
        order = self.variant.order
        return next((order.index(name) for name in names if name in order), None)


def _named(values: Mapping[str, Any], names: Names) -> str | None:
    """Return the key under which a mapping by section has the section with these names."""
    return next((name for name in (*names, EVERY) if name in values), None)


#: Keys of a variant that replace a text of the person's.
_TEXTS = ("headline", "summary")


def applied(profile: Profile, source: Source, name: str | None) -> tuple[Profile, Source]:
    """Return the profile and source with the variant's headline and summary as the person's.

    They contain no other variant any more: no text of theirs belongs to the document.
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
        rest = variant.model_copy(update={"headline": None, "summary": ()})
        update["variants"] = FrozenMap({name: rest})
    return profile.model_copy(update=update), source


def dated(profile: Profile, day: Day) -> Profile:
    """Return the profile with dates for times such as ``since: 5 years``, back from ``day``."""
    variants = dict(profile.variants)
    for name, variant in variants.items():
        if variant.is_of_today:
            times = variant.since.items()
            since = {key: at.before(day) if isinstance(at, Ago) else at for key, at in times}
            variants[name] = variant.model_copy(update={"since": FrozenMap(since)})
    return profile.model_copy(update={"variants": FrozenMap(variants)})
