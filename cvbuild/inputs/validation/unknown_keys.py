"""What an unknown key was meant to be: by its meaning in other tools, else by its spelling.

``other_tools.toml`` has the keys of other tools.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from cvbuild.common.suggestions import LONGEST, listed, nearest, shown, suggest
from cvbuild.inputs.privacy import FLAG
from cvbuild.inputs.validation.schema_paths import Slot, keys
from cvbuild.model import language_tags
from cvbuild.model.base import Shorthand
from cvbuild.model.contact import Profiles
from cvbuild.model.kinds import KINDS
from cvbuild.model.locales import words as own_words
from cvbuild.model.parts import Link, SubBullet
from cvbuild.model.sections import Group, SectionOf

_TABLE = Path(__file__).with_name("other_tools.toml")
_KIND = "kind:"
#: Keys of a person that show like sections.
_NO_KINDS = ("interests", "summary")


def words(slot: Slot) -> tuple[str, str | None]:
    """Return what is wrong with a slot whose key is unknown, and what to do."""
    name = str(slot.path[-1])
    known = keys(slot.owner)
    message = f"unknown key {shown(name)}"
    if (bare := name.strip()) != name and bare:
        plain = "write plain spaces in their place"
        return f"before {shown(bare)} are spaces that are not YAML's", plain
    if name == FLAG:
        return f"{message} here", "write the values in it as {value: …, private: true}"
    if slot.owner is SubBullet and name == "bullets":
        return "bullets are two levels deep at most", "make these bullets of the one above"
    if (same := intended(name, slot.owner)) in slot.beside:
        return message, f"{same} is there already: leave one of them out"
    if meant := hint(name, slot.owner):
        noun = "network" if slot.owner is Profiles else "key"
        return f"unknown {noun} {shown(name)}", meant
    close = nearest(name, known)
    if slot.owner is Profiles:
        other = "put its page into links of contact: - Label: https://…"
        return f"unknown network {shown(name)}", f'did you mean "{close}"?' if close else other
    if slot.alone and slot.owner is Link:
        return message, "write each link after its own dash: - PDF: https://…"
    short = slot.owner if slot.owner and issubclass(slot.owner, Shorthand) else None
    if slot.alone and short and short.by_language and language_tags.is_key(name):
        alone = f"a text in only one language is {short.shorthand}: {{{name}: …}}"
        return message, f'put the text in quotes if ": " is part of it; {alone}'
    if short and short.by_language and language_tags.is_key(name):
        text = f"{short.shorthand}: {{{name}: …}}"
        return message, f"beside other keys, languages stand under {short.shorthand}: {text}"
    if slot.alone and short and not close:
        return message, f'put the text in quotes if ": " is part of it; known keys: {listed(known)}'
    return message, suggest(name, known, "known keys")


def hint(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return what to write for a key that other tools have in this place; None for any other."""
    home = _home(name, owner)
    if home is None or " " in home:
        return home
    if home.startswith(_KIND):
        return f"write a section of kind: {home.removeprefix(_KIND)}"
    *above, last = home.split(".")
    if not above:
        return f"write {last}"
    place = f"it belongs under {' in '.join(reversed(above))}"
    return place if last == name else f"{place}, as {last}"


def intended(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return the key of the model that an unknown one was probably meant to be."""
    home = _home(name, owner)
    if owner and issubclass(owner, Shorthand) and owner.by_language and language_tags.is_key(name):
        return owner.shorthand
    return home if home in keys(owner) else nearest(name, keys(owner))


def kind_hint(name: str) -> str:
    """Return what to write for an unknown kind: the nearest, or what is called so elsewhere."""
    if name in _NO_KINDS:
        return f"write {name} at the top level of the file, not as a section"
    meant = None if nearest(name, KINDS) else _kind_called(name)
    return f"write {meant}" if meant else suggest(name, KINDS, "the kinds are")


def _kind_called(name: str) -> str | None:
    """Return the kind that has this name in other tools or in some language."""
    homes = _tables()["profile"].get(_folded(name), ()) if len(name) <= LONGEST else ()
    for home in homes:
        if home.startswith(_KIND):
            return home.removeprefix(_KIND)
    for tag in sorted(own_words.known()):
        headings = own_words.table(tag).words
        for kind in KINDS:
            if kind in headings and _folded(headings[kind]) == _folded(name):
                return kind
    return None


def tables_of(owner: type[BaseModel]) -> Iterator[str]:
    """Yield the tables of a model's foreign keys, the most specific first."""
    if issubclass(owner, SectionOf):
        yield "section"
    elif issubclass(owner, Group):
        yield "group"
    else:
        yield from (one.__name__.lower() for one in owner.__mro__ if issubclass(one, BaseModel))


def _home(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return the entry of a key, or the key of the model that it is but for case and hyphens."""
    if owner is None or len(name) > LONGEST:
        return None
    folded, known = _folded(name), keys(owner)
    same = next((key for key in known if _folded(key) == folded), None)
    if same is not None:
        return same
    for table in tables_of(owner):
        for home in _tables().get(table, {}).get(folded, ()):
            elsewhere = " " in home or "." in home
            if elsewhere or home in known or home.removeprefix(_KIND) in KINDS:
                return home
    return None


@cache
def _tables() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the homes of all keys, by model and folded key."""
    data = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        model: {
            _folded(key): (homes,) if isinstance(homes, str) else tuple(homes)
            for key, homes in table.items()
        }
        for model, table in data.items()
    }


def _folded(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).casefold()
