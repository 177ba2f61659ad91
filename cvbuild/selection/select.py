"""Which parts of a profile a document shows, and in which order.

A variant's rules, the order of sections and dates, limits. Pure: no file, no clock.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, kinds
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date, Point
from cvbuild.model.profile import EVERY, Variant
from cvbuild.model.sections import Item
from cvbuild.selection.selected import (
    DateKey,
    Out,
    Selected,
    SelectedGroup,
    SelectedSection,
    date_of,
    dates_of_group,
    middle_date,
    parts_of,
    rank_of,
    sections_of,
)


def select(profile: Profile, options: Mapping[str, Any], variant: str | None = None) -> Selected:
    """Return what a document shows of a profile, in its order; raise KeyError for no such variant.

    ``options`` are a template's resolved options; ``sections`` (kinds in their order), ``aside``
    (kinds in the narrow column) and ``publications`` (the largest number shown, 0 for all) apply
    here, after the rules of the ``variant`` of that name.
    """
    rules = _Rules(profile, variant)
    out: dict[FieldPath, Out] = {}
    shown = _without(sections_of(profile), out)
    for rule in (rules.sections, rules.tags, rules.since, rules.limit):
        new = (reason for reason in rule(shown) if not _is_in(reason.path, out))
        left = {reason.path: reason for reason in new}
        out |= left
        shown = _without(shown, left)
    limit = int(options.get("publications", 0))
    ranked = _ranked(section for section in shown if section.kind == "publication")
    words = f"publications: {limit}; the template's limit"
    left = {path: Out(path, "limit", words) for path in ranked[limit:] if limit}
    out |= left
    shown = [rules.finished(section) for section in _without(shown, left)]
    # Python's sort is stable: sections that are not named follow in the file's order.
    shown.sort(key=rules.order(options.get("sections", ()), profile.own_sections[0]))
    shown = in_columns(shown, options.get("aside", ()))
    # A bullet that is in an item which was left out later needs no reason of its own.
    reasons = [reason for path, reason in out.items() if not _is_in(path[:-1], out)]
    reasons.sort(key=lambda reason: reason.path)
    left_out = frozenset(reason.path for reason in reasons)
    return Selected(profile, tuple(shown), left_out, tuple(reasons), variant)


def leaves_nothing(selected: Selected) -> bool:
    """Return whether a variant leaves nothing of a profile that has something."""
    profile = selected.profile
    has_any = bool(profile.sections or profile.summary or profile.interests)
    return selected.variant is not None and has_any and not selected.sections


def require(selected: Selected, source: Source) -> None:
    """Raise ProfileError if a variant leaves nothing of a profile that has something."""
    if not leaves_nothing(selected):
        return
    variant = str(selected.variant)
    # Each names its rule first: "since: 2018; it ended in 2017".
    counted = Counter(out.words.partition(":")[0] for out in selected.out)
    rules = [f"{by} leaves out {number}" for by, number in counted.most_common()]
    message = f'the variant "{variant}" selects nothing'
    span = source.key_span(("variants", variant))
    raise ProfileError.because("variant-nothing", message, ", ".join(rules), span)


def _without(
    sections: Iterable[SelectedSection], removed: Collection[FieldPath]
) -> list[SelectedSection]:
    remaining = []
    for section in sections:
        if section.path in removed:
            continue
        groups = []
        for group in section.groups:
            items = tuple(pair for pair in group.items if pair[0] not in removed)
            if items and group.path not in removed:
                groups.append(replace(group, items=items))
        if groups:
            remaining.append(replace(section, groups=tuple(groups)))
    return remaining


class _Rules:
    """The rules of a variant; without one everything is shown.

    Sections are found by their names, the most specific first: their id, if they have one, and
    their kind.
    """

    def __init__(self, profile: Profile, name: str | None) -> None:
        self.variant = profile.variants[name] if name else Variant()
        self.place = ("variants", name or "")

    def sections(self, shown: Iterable[SelectedSection]) -> Iterator[Out]:
        kinds, without = self.variant.kinds, self.variant.without
        for section in shown:
            name = next((name for name in section.names if name in without), None)
            if kinds and not set(section.names) & set(kinds):
                words, rule = f"kinds: {', '.join(kinds)}", (*self.place, "kinds")
                yield Out(section.path, "section", words, rule)
            elif name:
                place = (*self.place, "without", without.index(name))
                yield Out(section.path, "section", f"without: {name}", place)

    def tags(self, shown: Iterable[SelectedSection]) -> Iterator[Out]:
        """Yield the items, roles and bullets that are left out by tags; not the summary."""
        for section, _, path, item in _every(shown):
            yield from self._tagged(item, path, section.source.tags)

    def _tagged(self, item: Any, path: FieldPath, above: Iterable[str]) -> Iterator[Out]:
        tags = tuple(dict.fromkeys((*above, *item.tags)))
        include, exclude = self.variant.include, self.variant.exclude
        actual = f"its tags: {', '.join(tags)}" if tags else "it has no tags"
        if include and tags and not include.matches(tags):
            yield Out(path, "tags", f"include: {include}; {actual}", (*self.place, "include"))
        elif exclude and exclude.matches(tags):
            yield Out(path, "tags", f"exclude: {exclude}; {actual}", (*self.place, "exclude"))
        else:
            for place, part in parts_of(item, path):
                yield from self._tagged(part, place, tags)

    def since(self, shown: Iterable[SelectedSection]) -> Iterator[Out]:
        """Yield the items that ended before the variant's date; what has no date stays."""
        for section, _, path, item in _every(shown):
            key, date = _named(self.variant.since, section.names), date_of(item)
            point = self.variant.since[key] if key is not None else None
            if isinstance(point, Point) and date and date.sort_key:
                words = f"since: {point}; it ended in {date.end or date.start or date.text}"
                if date.sort_key[0] < point.first:
                    yield Out(path, "since", words, (*self.place, "since", str(key)))

    def limit(self, shown: Iterable[SelectedSection]) -> Iterator[Out]:
        for section in shown:
            key = _named(self.variant.limit, section.names)
            if section.source is not None and key is not None:
                ranked = _ranked([section], by_priority=self.variant.keep == "priority")
                number, rule = self.variant.limit[key], (*self.place, "limit", key)
                words = f"limit: {number}; keep: {self.variant.keep}"
                yield from (Out(path, "limit", words, rule) for path in ranked[number:])

    def finished(self, section: SelectedSection) -> SelectedSection:
        # As keywords and bare skills are.
        run, titles = kinds.of(section.kind).run, self.variant.titles
        groups = []
        for group in section.groups:
            keys = [(item, name) for _, item in group.items for name in (run.unless if run else ())]
            is_run = run is not None and not any(getattr(item, name) for item, name in keys)
            groups.append(replace(group, run=is_run))
        title, place = section.title, section.title_path
        if key := next((name for name in section.names if name in titles), None):
            title, place = titles[key], (*self.place, "titles", key)
        return replace(section, groups=tuple(groups), title=title, title_path=place)

    def order(
        self, names: Sequence[str], first: Sequence[str]
    ) -> Callable[[SelectedSection], tuple[int, int]]:
        """Return the sort key of sections: those that the variant names, ``first``, ``names``."""
        own = self.variant.order
        default = {kind: number - len(first) for number, kind in enumerate(first)}
        order = {kind: number for number, kind in enumerate(dict.fromkeys(names))}

        def position(section: SelectedSection) -> tuple[int, int]:
            rank = next((own.index(name) for name in section.names if name in own), None)
            if rank is not None:
                return 0, rank
            return 1, order.get(section.kind, default.get(section.kind, len(order)))

        return position


def _named(values: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the key under which a mapping by section has the section with these names."""
    return next((name for name in (*names, EVERY) if name in values), None)


def _ranked(
    sections: Iterable[SelectedSection], *, by_priority: bool = True
) -> tuple[FieldPath, ...]:
    """Return the items of sections, the last to be left out first: by keep, priority, date."""
    listed = list(sections)
    dates: dict[FieldPath, DateKey | None] = {}
    for section in listed:
        for group in section.groups if section.source is not None else ():
            dates |= dates_of_group(group)
    usual = middle_date(dates.values())
    items = {path: (section, group, item) for section, group, path, item in _every(listed)}

    def rank(path: FieldPath) -> tuple[bool, int, DateKey]:
        section, group, item = items[path]
        level, kept_by = rank_of(item, path, section, group)
        return kept_by is not None, level if by_priority else 0, dates[path] or usual

    # Stable, so that equals keep the file's order.
    return tuple(sorted(dates, key=rank, reverse=True))


def _every(
    sections: Iterable[SelectedSection],
) -> Iterator[tuple[SelectedSection, SelectedGroup, FieldPath, Any]]:
    """Yield every item of the person's own sections, each with its section and group."""
    for section in sections:
        if section.source is not None:
            for group in section.groups:
                for path, item in group.items:
                    yield section, group, path, item


def _is_in(path: FieldPath, places: Collection[FieldPath]) -> bool:
    return any(path[:length] in places for length in range(1, len(path) + 1))


# -- which sections stand in the narrow column of a style that has two -----------------------------


#: The letters of a line in the main and in the narrow column, and how high a line of the latter is,
#: in lines of the former.
_MAIN, _NARROW, _SMALL = 78, 34, 0.92
#: In lines: a section's title with the space around it, the space before an item; what the head
#: takes of the main column, and contacts of the narrow one.
_TITLE, _SPACE, _HEAD, _CONTACTS = 2.2, 0.3, 6.0, 5.0
#: The letters of a date.
_DATE = 12


def in_columns(sections: Sequence[SelectedSection], aside: Sequence[str]) -> list[SelectedSection]:
    """Return the sections with those of the narrow column last, if there are two columns.

    The kinds of ``aside`` are in it, in their order, but none that would make it longer than the
    main column, and no section in which somebody is quoted.
    """
    if not aside:
        return [*sections]
    main, narrow = _HEAD + sum(_height(section, _MAIN) for section in sections), _CONTACTS
    moved: list[SelectedSection] = []
    for kind in aside:
        same = (section for section in sections if section.kind == kind)
        own = [one for one in same if not any(getattr(i, "quote", None) for _, i in one.pairs)]
        higher = narrow + sum(_height(section, _NARROW) for section in own) * _SMALL
        lower = main - sum(_height(section, _MAIN) for section in own)
        if own and higher <= lower:
            narrow, main = higher, lower
            moved += [replace(section, column=2) for section in own]
    paths = {section.path for section in moved}
    others = [replace(section, column=1) for section in sections if section.path not in paths]
    return [*others, *moved] if moved and others else [*sections]


def _height(section: SelectedSection, letters: int) -> float:
    """Return about how many lines of so many letters a section takes."""
    height = _TITLE
    for group in section.groups:
        height += bool(group.title) + bool(group.note)
        items = [item for _, item in group.items]
        if group.run:
            height += math.ceil(sum(map(_letters, items)) / letters)
            continue
        for item in items:
            lines = (math.ceil(count / letters) for count in _paragraphs(item, letters))
            height += sum(lines) + _SPACE
    return height


def _paragraphs(item: Any, letters: int) -> Iterator[int]:
    """Yield the letters of an item's head, its title apart if narrow, and of its parts."""
    if not isinstance(item, BaseModel):
        yield _letters(item)
        return
    parts = [part for part in _fields(item) if isinstance(part, tuple)]
    below = [each for part in parts for each in part if isinstance(each, BaseModel)]
    whole = _letters(item) - sum(map(_letters, below))
    title = next(filter(None, map(_letters, _fields(item))), 0) if letters == _NARROW else 0
    yield min(title, whole)
    yield whole - min(title, whole)
    yield from map(_letters, below)


def _fields(item: BaseModel) -> Iterable[Any]:
    hidden = {*Item.model_fields, "id", "url", "doi", "links"}
    return (value for name, value in vars(item).items() if name not in hidden)


def _letters(value: Any) -> int:
    if isinstance(value, BaseModel) and not isinstance(value, (Prose, Date)):
        return sum(map(_letters, _fields(value)))
    if isinstance(value, tuple):
        return sum(map(_letters, value))
    if isinstance(value, Date):
        return _DATE
    return len(str(value)) + 2 if isinstance(value, (Prose, str)) else 0
