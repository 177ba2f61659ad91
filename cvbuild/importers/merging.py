"""What an import adds to the facts that are there already; nothing of these is changed.

Both are plain data of a person's file. An item that is there (``identity``) gets the keys that it
lacks; what it has stays, and a different value of the source is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, quoted
from cvbuild.importers import dates, headings
from cvbuild.importers.types import Imported, paths_of
from cvbuild.inputs.references import identity
from cvbuild.inputs.references.identity import items_in
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.edit import Addition
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile

_DEGREE = ("degree", "area")
#: Whether two items tell of the same thing, the surest way first.
_SAME = (identity.is_same_item, identity.is_same_post)
#: https://www.example.org is example.org.
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)


@dataclass(slots=True)
class Merged:
    """What is to be added, and what the user should look at, each with its path before that."""

    additions: list[Addition] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    ended: list[tuple[FieldPath, Any]] = field(default_factory=list)
    """Dates of what goes on there and has ended in the source, each with that date."""

    def path_of(self, path: FieldPath) -> FieldPath:
        """Return the path in the result of what is there already."""
        for addition in self.additions:
            *above, at = addition.path
            end = len(above)
            step = path[end] if len(path) > end and path[:end] == tuple(above) else -1
            if isinstance(step, int) and isinstance(at, int) and step >= at:
                path = (*above, step + 1, *path[end + 1 :])
        return path


def combined(parts: Sequence[Imported]) -> Imported:
    """Return several imports of one person as one: the first, and what the others add to it."""
    data: Mapping[str, Any] = parts[0].data
    lost, guesses = list(parts[0].lost), list(parts[0].guesses)
    for part in parts[1:]:
        additions = merge(data, part.data).additions
        added: dict[int, FieldPath] = {}
        for addition in additions:
            added |= paths_of(addition.value, addition.path)
        # What was not added has no place in the whole.
        places = {path: added.get(number, ()) for number, path in paths_of(part.data).items()}
        lost += [replace(one, near=places.get(one.near, ())) for one in part.lost]
        for guess in part.guesses:
            if place := places.get(guess, ()):
                guesses.append(place)
            elif above := places.get(guess[:-1], ()):
                guesses.append((*above, guess[-1]))
        data = edit.apply(data, additions)
    return Imported(
        data,
        tuple(lost),
        any(part.draft for part in parts),
        tuple(warning for part in parts for warning in part.warnings),
        tuple(guesses),
        next((part.photo for part in parts if part.photo), None),
    )


def merge(
    there: Mapping[str, Any],
    new: Mapping[str, Any],
    known: object = None,
    expanded: Mapping[str, Any] | None = None,
) -> Merged:
    """Return what ``new`` adds to ``there``: where the newest is first by date, else at the end.

    ``known`` are facts of the person from elsewhere, such as the private file: their texts are
    never added to this one. ``expanded`` is ``there`` with the items of BibTeX files behind those
    that are written: they are there, too, and nothing can be added to them.
    """
    found = Merged()
    private = {identity.folded(text) for text in identity.texts_of(known)}
    order = tuple(info.alias or name for name, info in Profile.model_fields.items())
    for key, value in {**new, "contact": _without(new.get("contact", {}), private)}.items():
        if key == "sections":
            _sections(there.get(key), value, found, (expanded or there).get(key))
        elif key == "contact" and isinstance(there.get(key), dict):
            _mapping(there[key], value, (key,), found)
        elif there.get(key) is None and value:
            found.additions.append(Addition((key,), value, order[: order.index(key)]))
        elif key in ("summary", "interests", "name") or not isinstance(value, list | dict):
            found.notes += kept((key,), there[key], value)
    return found


# -- keys of the person ----------------------------------------------------------------------------


def _mapping(
    there: Mapping[str, Any], new: Mapping[str, Any], path: FieldPath, found: Merged
) -> None:
    for key, value in new.items():
        if there.get(key) is None:
            found.additions.append(Addition((*path, key), value))
        elif isinstance(value, dict) and isinstance(there[key], dict):
            _mapping(there[key], value, (*path, key), found)
        elif not isinstance(value, list):
            found.notes += kept((*path, key), there[key], value)
        else:
            # One value may be there for a list of one.
            known, *others = (
                {identity.folded(_SCHEME.sub("", text)) for text in identity.texts_of(one)}
                for one in (there[key], *value)
            )
            count = len(there[key]) if isinstance(there[key], list) else 1
            for one, words in zip(value, others, strict=True):
                if not words & known:
                    found.additions.append(Addition((*path, key, count), one))
                    count += 1
                elif isinstance(one, dict):
                    # Perhaps it says more of what is there: which phone it is.
                    found.notes += kept((*path, key), there[key], one)


def _without(value: Any, private: set[str]) -> Any:
    """Return a value without what is private elsewhere, and without what is empty then."""
    if isinstance(value, list):
        return [
            one
            for one in value
            if not any(identity.folded(text) in private for text in identity.texts_of(one))
        ]
    if isinstance(value, dict):
        return {key: public for key, one in value.items() if (public := _without(one, private))}
    return None if identity.folded(str(value)) in private else value


# -- sections --------------------------------------------------------------------------------------


def _sections(there: Any, new: Sequence[Mapping[str, Any]], found: Merged, expanded: Any) -> None:
    sections = there if isinstance(there, list) else []
    fresh: list[Any] = []
    kinds = [section["kind"] for section in new]
    for section in new:
        kind = section["kind"]
        known = [
            (at, one)
            for at, one in enumerate(sections)
            if isinstance(one, dict) and one.get("kind") == kind
        ]
        written = {path for at, one in known for path, _ in items_in(one, ("sections", at))}
        places = [pair for at, _ in known for pair in items_in(expanded[at], ("sections", at))]
        left: list[Any] = []
        for _, item in items_in(section):
            pairs = ((is_one, pair) for is_one in _SAME for pair in places)
            same = next((pair[0] for is_one, pair in pairs if is_one(kind, pair[1], item)), None)
            if same is None:
                left.append(item)
            elif same in written:
                _item(edit.value_at(sections, same[1:]), item, same, found)
        into = _into(known, section, is_only=kinds.count(kind) == 1)
        if not left:
            continue
        if into is None:
            fresh.append({**section, "items": left} if "groups" not in section else section)
        elif (items := sections[into].get("items")) in (None, {}):
            found.additions.append(Addition(("sections", into, "items"), left))
        else:
            # At the end; if the newest is first there, each at its place.
            keys = [*map(dates.sort_key_of, items if isinstance(items, list) else [items])]
            is_ordered = dates.UNDATED not in keys and keys == sorted(keys, reverse=True)
            for item in left:
                key, at = dates.sort_key_of(item), len(keys)
                if is_ordered and key != dates.UNDATED:
                    at = next((at for at, one in enumerate(keys) if key > one), at)
                keys.insert(at, key)
                found.additions.append(Addition(("sections", into, "items", at), item))
    if isinstance(there, list):
        numbered = enumerate(fresh, len(there))
        found.additions += [Addition(("sections", at), one) for at, one in numbered]
    elif fresh:
        found.additions.append(Addition(("sections",), fresh))


def _into(
    known: Sequence[tuple[int, dict[str, Any]]], section: Mapping[str, Any], *, is_only: bool
) -> int | None:
    """Return the number of the section to add to; None if it needs one of its own.

    That of the same title, else one of the kind where the source's has no title, or is the only one
    there (``is_only``) and the title says no more than the kind: "Work Experience".
    """
    kind, heading = section["kind"], str(section.get("title") or "")
    title = identity.folded(heading)
    titles = [identity.first_text(one.get("title")) for _, one in known]
    same = [one for one, own in zip(known, titles, strict=True) if identity.folded(own) == title]
    is_usual = is_only and [*filter(None, titles)] == [] and headings.exact_kind_of(heading) == kind
    is_open = not title or kind == "publication" or is_usual
    found = same or (list(known) if is_open else [])
    return found[0][0] if found else None


def _item(there: Any, new: Any, path: FieldPath, found: Merged) -> None:
    if not isinstance(there, dict) or not isinstance(new, dict):
        return
    for key, value in new.items():
        if key in _DEGREE and any(map(there.get, _DEGREE)):
            # Both say the same, else they would be two: "M.Sc. in Physics", or degree and area.
            continue
        if key == "level" and "keywords" in there and key not in there:
            # It isn't said of the keywords that are there.
            found.notes += kept((*path, "keywords"), (), value)
        elif key not in there:
            # A title beside roles would be a second one.
            if key not in ("title", "roles", "date") or not {"title", "roles"} & there.keys():
                found.additions.append(Addition((*path, key), value))
        else:
            with suppress(PydanticCustomError):
                if key == "date":
                    # What goes on according to one has ended according to the other.
                    known, other = Date.of(there[key]), Date.of(value)
                    starts = [date.start and date.start.year for date in (known, other)]
                    if known.present and other.end is not None and starts[0] == starts[1]:
                        found.ended.append(((*path, key), value))
            found.notes += kept((*path, key), there[key], value)


# -- what the user should look at then ------------------------------------------------------------

#: With the path of what it is about in the file.
Note = tuple[FieldPath, Diagnostic]

#: Characters of a value that a note quotes: whoever wants it has no other place to copy it from.
_QUOTED = 1000


def kept(path: FieldPath, there: Any, value: Any) -> Iterator[Note]:
    """Yield a note of a value of the source where the person wrote another one."""
    if path[-1] == "date" and identity.is_same_month(there, value):
        return
    texts = [*identity.texts_of(there)]
    # A name may be in parts here and whole there.
    known = " ".join(map(identity.folded, (*texts, " ".join(texts))))
    differing = [text for text in identity.texts_of(value) if identity.folded(text) not in known]
    if not differing:
        return
    name = ".".join(step for step in path if isinstance(step, str) and step != "sections")
    fact = f"{name.removeprefix('items.')} stays as it is; the source has"
    yield path, Diagnostic("note", "kept", f"{fact} {quoted('; '.join(differing), _QUOTED)}")


def difference(several: Iterable[tuple[str, Any]], hint: str) -> Diagnostic | None:
    """Return an error about the first file that is of another person than one before it."""
    known = [(file, identity.name_forms(name)) for file, name in several]
    for (other, others), (file, names) in combinations(known, 2):
        agree = any(identity.agree(one, two) for one in names for two in others)
        if names and others and not agree:
            fact = f"this is of {quoted(names[0])}, and {other} of {quoted(others[0])}"
            return Diagnostic("error", "people", fact, Span(file), hint)
    return None
