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
from cvbuild.model.dates import Date
from cvbuild.model.sections import Item
from cvbuild.selection.selected import (
    Choice,
    DateKey,
    Out,
    Selected,
    SelectedGroup,
    SelectedSection,
    date_of,
    dates_of_group,
    kept_by,
    middle_date,
    newest,
    parts_of,
    priority,
)


def select(profile: Profile, options: Mapping[str, Any], variant: str | None = None) -> Selected:
    """Return what a document shows of a profile, in its order; raise KeyError for no such variant.

    ``options`` are a template's resolved options; ``sections`` (kinds in their order), ``aside``
    (kinds in the narrow column) and ``publications`` (the largest number shown, 0 for all) apply
    here, after the rules of the ``variant`` of that name.
    """
    choice = Choice.of(profile, variant)
    out: dict[FieldPath, Out] = {}
    shown = _without(sections_of(profile), out)
    for rule in (_other_sections, _by_tags, _ended, _too_many):
        new = (reason for reason in rule(shown, choice) if not _is_in(reason.path, out))
        left = {reason.path: reason for reason in new}
        out |= left
        shown = _without(shown, left)
    limit = int(options.get("publications", 0))
    left = {reason.path: reason for reason in _publications(shown, limit)}
    out |= left
    shown = [_finished(section, choice) for section in _without(shown, left)]
    # Python's sort is stable: sections that are not named follow in the file's order.
    aside = options.get("aside", ())
    shown.sort(key=_order(choice, options.get("sections", ()), profile.own_sections[0]))
    shown = in_columns(shown, aside)
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
    counted = Counter(out.by for out in selected.out)
    rules = [f"{by} leaves out {number}" for by, number in counted.most_common()]
    message = f'the variant "{variant}" selects nothing'
    span = source.key_span(("variants", variant))
    raise ProfileError.because("variant-nothing", message, ", ".join(rules), span)


def sections_of(profile: Profile) -> Iterator[SelectedSection]:
    """Yield all sections in the file's order; the summary comes first."""
    above, below = profile.own_sections
    yield from (_own(profile, kind) for kind in above)
    for index, source in enumerate(profile.sections):
        yield _section(("sections", index), source)
    yield from (_own(profile, kind) for kind in below)


def _own(profile: Profile, kind: str) -> SelectedSection:
    values = getattr(profile, kind)
    items = tuple(((kind, index), value) for index, value in enumerate(values))
    return SelectedSection((kind,), kind, (SelectedGroup((kind,), items),))


def _section(path: FieldPath, source: Any) -> SelectedSection:
    parts = [SelectedGroup(path, _items(path, source.items, source.order))]
    for number, group in enumerate(source.groups):
        place = (*path, "groups", number)
        items = _items(place, group.items, source.order)
        parts.append(SelectedGroup(place, items, group.title, group.note))
    title = (source.title, (*path, "title"))
    return SelectedSection(path, source.kind, tuple(parts), source, *title)


def _items(path: FieldPath, items: Sequence[Item], order: str) -> tuple[tuple[FieldPath, Any], ...]:
    """Return the items, newest first; equal dates keep the file's order."""
    placed = [((*path, "items", index), item) for index, item in enumerate(items)]
    if order == "newest":
        placed.sort(key=lambda pair: newest(pair[1]), reverse=True)
    return tuple(placed)


def _without(
    sections: Iterable[SelectedSection], removed: Collection[FieldPath]
) -> list[SelectedSection]:
    """Return the sections without what is removed, and without what this leaves empty."""
    remaining = []
    for section in sections:
        if section.path in removed:
            continue
        groups = (
            replace(group, items=tuple(pair for pair in group.items if pair[0] not in removed))
            for group in section.groups
            if group.path not in removed
        )
        filled = tuple(group for group in groups if group.items)
        if filled:
            remaining.append(replace(section, groups=filled))
    return remaining


def _finished(section: SelectedSection, choice: Choice) -> SelectedSection:
    """Return the section with its heading, and with its groups that are set as one run."""
    kind = section.kind
    groups = (replace(group, run=_is_run(kind, group.items)) for group in section.groups)
    title = choice.title(section.names) or (section.title, section.title_path)
    return replace(section, groups=tuple(groups), title=title[0], title_path=title[1])


def _is_run(kind: str, items: Iterable[tuple[FieldPath, Any]]) -> bool:
    """Return whether the items are set as one run, as keywords and bare skills are."""
    run = kinds.of(kind).run
    if run is None:
        return False
    return not any(getattr(item, name) for _, item in items for name in run.unless)


def _order(
    choice: Choice, names: Sequence[str], first: Sequence[str]
) -> Callable[[SelectedSection], tuple[int, int]]:
    """Return the sort key of sections: those that the variant names, ``first``, the template's."""
    default = {kind: number - len(first) for number, kind in enumerate(first)}
    order = {kind: number for number, kind in enumerate(dict.fromkeys(names))}

    def position(section: SelectedSection) -> tuple[int, int]:
        rank = choice.rank(section.names)
        if rank is not None:
            return 0, rank
        return 1, order.get(section.kind, default.get(section.kind, len(order)))

    return position


def _other_sections(sections: Iterable[SelectedSection], choice: Choice) -> Iterator[Out]:
    """Yield the sections that the variant leaves out."""
    for section in sections:
        if out := choice.section(section.path, section.names):
            yield out


def _by_tags(sections: Iterable[SelectedSection], choice: Choice) -> Iterator[Out]:
    """Yield the items, roles and bullets that the variant leaves out by tags; not the summary."""
    for section, _, path, item in _every(sections):
        yield from _tagged(item, path, section.source.tags, choice)


def _tagged(item: Any, path: FieldPath, above: Iterable[str], choice: Choice) -> Iterator[Out]:
    tags = tuple(dict.fromkeys((*above, *item.tags)))
    if out := choice.tags(path, tags):
        yield out
        return
    for place, part in parts_of(item, path):
        yield from _tagged(part, place, tags, choice)


def _ended(sections: Iterable[SelectedSection], choice: Choice) -> Iterator[Out]:
    """Yield the items that ended before the variant's date."""
    for section, _, path, item in _every(sections):
        if out := choice.since(path, section.names, date_of(item)):
            yield out


def _too_many(sections: Iterable[SelectedSection], choice: Choice) -> Iterator[Out]:
    """Yield the items that a limit of the variant leaves out, section by section."""
    for section in sections:
        if section.source is not None:
            ranked = _ranked([section], by_priority=choice.variant.keep == "priority")
            yield from choice.limit(section.names, ranked)


def _publications(sections: Iterable[SelectedSection], limit: int) -> Iterator[Out]:
    """Yield publications beyond the first ``limit``, ranked by priority, then newest."""
    ranked = _ranked(section for section in sections if section.kind == "publication")
    for path in ranked[limit:] if limit else ():
        yield Out(path, "limit", f"publications: {limit}; the template's limit")


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
        is_kept = kept_by(item, path, section, group) is not None
        level = priority(item, group, section.source) if by_priority else 0
        return is_kept, level, dates[path] or usual

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
    """Return whether the path is one of ``places``, or below one."""
    return any(path[:length] in places for length in range(1, len(path) + 1))


def words_of(profile: Profile, path: FieldPath) -> str:
    """Return the first words of an item, for a message: its title, name, course or text.

    It is empty for a part that has none, such as a section without a title of its own.
    """
    here = value_at(profile, path)
    if isinstance(here, BaseModel):
        prose = [value for value in vars(here).values() if isinstance(value, Prose)]
        main = [getattr(here, name, None) for name in ("title", "name", "course", "role", "text")]
        here = next((value for value in (*main, *prose) if value is not None), here)
    texts = here if isinstance(here, tuple) else (here,)
    text = ", ".join(str(text) for text in texts if not isinstance(text, BaseModel))
    return shortened(" ".join(text.split()))


def value_at(profile: Profile, path: FieldPath) -> Any:
    """Return the value of a field."""
    here: Any = profile
    for step in path:
        here = here[step] if isinstance(step, int) else getattr(here, step)
    return here


def shortened(text: str) -> str:
    """Return the first 70 characters of a text."""
    return text if len(text) <= 70 else text[:69].rstrip() + "…"


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
        own = [section for section in sections if section.kind == kind and not _is_quoting(section)]
        higher = narrow + sum(_height(section, _NARROW) for section in own) * _SMALL
        lower = main - sum(_height(section, _MAIN) for section in own)
        if own and higher <= lower:
            narrow, main = higher, lower
            moved += [replace(section, column=2) for section in own]
    paths = {section.path for section in moved}
    others = [replace(section, column=1) for section in sections if section.path not in paths]
    return [*others, *moved] if moved and others else [*sections]


def _is_quoting(section: SelectedSection) -> bool:
    return any(getattr(item, "quote", None) for group in section.groups for _, item in group.items)


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
    """Yield the letters of an item's head, and of each part below it.

    In the narrow column the title is alone on its line.
    """
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
    return (
        value
        for name, value in vars(item).items()
        if name not in Item.model_fields and name not in ("id", "url", "doi", "links")
    )


def _letters(value: Any) -> int:
    """Return the number of letters of all texts and dates in a value."""
    if isinstance(value, BaseModel) and not isinstance(value, (Prose, Date)):
        return sum(map(_letters, _fields(value)))
    if isinstance(value, tuple):
        return sum(map(_letters, value))
    if isinstance(value, Date):
        return _DATE
    return len(str(value)) + 2 if isinstance(value, (Prose, str)) else 0
