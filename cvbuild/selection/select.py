"""Which parts of a profile a document shows, and in which order.

A variant's rules, the order of sections and dates, limits. Pure: no file, no clock.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath, ProfileError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.model.base import Prose
from cvbuild.model.locales.dates import Date, Point
from cvbuild.model.profile import EVERY, Profile, Variant
from cvbuild.model.sections import Item
from cvbuild.selection.selected import (
    DateKey,
    Out,
    Reason,
    Selected,
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
    rules, place = profile.variants[variant] if variant else Variant(), ("variants", variant or "")
    out: dict[FieldPath, Out] = {}
    shown = _without(sections_of(profile), out)
    for reason in get_args(Reason):
        left = {each.path: each for each in _left_out(reason, rules, place, shown)}
        out |= left
        shown = _without(shown, left)
    limit = int(options.get("publications", 0))
    ranked = _ranked(section for section in shown if section.kind == "publication")
    words = f"publications: {limit}; the template's limit"
    left = {path: Out(path, "limit", words) for path in ranked[limit:] if limit}
    out |= left
    shown = [_finished(section, rules, place) for section in _without(shown, left)]
    # Those that the variant orders, summary and the like, then as the template says; Python's sort
    # is stable: sections that are not named follow in the file's order.
    first, named = profile.own_sections[0], dict.fromkeys(options.get("sections", ()))
    ranks = {kind: rank for rank, kind in enumerate((*first, *named), -len(first))}
    order = {name: rank for rank, name in enumerate(reversed(rules.order), len(first) + 1)}
    shown.sort(
        key=lambda section: next(
            (-order[name] for name in section.names if name in order),
            ranks.get(section.kind, len(named)),
        )
    )
    shown = in_columns(shown, options.get("aside", ()))
    # A bullet that is in an item which was left out later needs no reason of its own.
    reasons = [
        each
        for path, each in sorted(out.items())
        if not any(path[:length] in out for length in range(1, len(path)))
    ]
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


def _left_out(
    reason: Reason, rules: Variant, place: FieldPath, shown: Iterable[SelectedSection]
) -> Iterator[Out]:
    """Yield what the rule of a variant, which is at ``place``, leaves out of these sections.

    Sections are found by their names, the most specific first: their id, if they have one, and
    their kind.
    """
    keyed: dict[str, Mapping[str, Any]] = {"since": rules.since, "limit": rules.limit}
    for section in shown:
        names = section.names
        key = next((name for name in names if name in keyed.get(reason, ())), EVERY)
        if reason == "section":
            name = next((name for name in names if name in rules.without), None)
            if rules.kinds and not set(names) & set(rules.kinds):
                words = f"kinds: {', '.join(rules.kinds)}"
                yield Out(section.path, reason, words, (*place, "kinds"))
            elif name:
                rule = (*place, "without", rules.without.index(name))
                yield Out(section.path, reason, f"without: {name}", rule)
        elif section.source is None:
            continue  # Neither the summary nor interests.
        elif reason == "tags":
            for path, item in section.pairs:
                yield from _tagged(item, path, section.source.tags, rules, place)
        elif reason == "since" and isinstance(point := rules.since.get(key), Point):
            # What has no date stays.
            for path, item in section.pairs:
                date = date_of(item)
                if date and date.sort_key and date.sort_key[0] < point.first:
                    words = f"since: {point}; it ended in {date.end or date.start or date.text}"
                    yield Out(path, reason, words, (*place, "since", key))
        elif reason == "limit" and key in rules.limit:
            number, words = rules.limit[key], f"limit: {rules.limit[key]}; keep: {rules.keep}"
            for path in _ranked([section], by_priority=rules.keep == "priority")[number:]:
                yield Out(path, reason, words, (*place, "limit", key))


def _tagged(
    item: Any, path: FieldPath, above: Iterable[str], rules: Variant, place: FieldPath
) -> Iterator[Out]:
    """Yield an item, or the roles and bullets of it, if they are left out by tags."""
    tags = tuple(dict.fromkeys((*above, *item.tags)))
    include, exclude = rules.include, rules.exclude
    actual = f"its tags: {', '.join(tags)}" if tags else "it has no tags"
    if include and tags and not include.matches(tags):
        yield Out(path, "tags", f"include: {include}; {actual}", (*place, "include"))
    elif exclude and exclude.matches(tags):
        yield Out(path, "tags", f"exclude: {exclude}; {actual}", (*place, "exclude"))
    else:
        for below, part in parts_of(item, path):
            yield from _tagged(part, below, tags, rules, place)


def _finished(section: SelectedSection, rules: Variant, place: FieldPath) -> SelectedSection:
    """Return a section with the variant's heading, if it has one, and with its runs of words."""
    # As keywords and bare skills are.
    run, groups = kinds.of(section.kind).run, []
    for group in section.groups:
        keys = [(item, name) for _, item in group.items for name in (run.unless if run else ())]
        is_run = run is not None and not any(getattr(item, name) for item, name in keys)
        groups.append(replace(group, run=is_run))
    title, written = section.title, section.title_path
    if key := next((name for name in section.names if name in rules.titles), None):
        title, written = rules.titles[key], (*place, "titles", key)
    return replace(section, groups=tuple(groups), title=title, title_path=written)


def _ranked(
    sections: Iterable[SelectedSection], *, by_priority: bool = True
) -> tuple[FieldPath, ...]:
    """Return the items of sections, the last to be left out first: by keep, priority, date."""
    dates: dict[FieldPath, DateKey | None] = {}
    ranks: dict[FieldPath, tuple[bool, int]] = {}
    for section in sections:
        for group in section.groups if section.source is not None else ():
            dates |= dates_of_group(group)
            for path, item in group.items:
                level, kept_by = rank_of(item, path, section, group)
                ranks[path] = kept_by is not None, level if by_priority else 0
    usual = middle_date(dates.values())
    # Stable, so that equals keep the file's order.
    order = sorted(dates, key=lambda path: (*ranks[path], dates[path] or usual), reverse=True)
    return tuple(order)


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
            # The letters of its head, the title apart if narrow, and of its parts.
            fields = [*_fields(item)] if isinstance(item, BaseModel) else []
            parts = (each for part in fields if isinstance(part, tuple) for each in part)
            below = [_letters(part) for part in parts if isinstance(part, BaseModel)]
            whole = _letters(item) - sum(below)
            title = next(filter(None, map(_letters, fields)), 0) if letters == _NARROW else 0
            title = min(title, whole)
            lines = (math.ceil(count / letters) for count in (title, whole - title, *below))
            height += sum(lines) + _SPACE
    return height


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
