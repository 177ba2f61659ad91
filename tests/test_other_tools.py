"""Keys of other tools: each is ours too, or its message says what we call it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from cvbuild.applications.model import Application
from cvbuild.inputs.validation import slots
from cvbuild.inputs.validation.slots import bare, keys
from cvbuild.model import Profile
from cvbuild.model.contact import Contact, Name, Profiles
from cvbuild.model.kinds import KINDS, model_of
from cvbuild.model.kinds.work import Role
from cvbuild.model.letter import Letter
from cvbuild.model.parts import Author, Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf
from cvbuild.model.workspace import Workspace

FORMATS = tomllib.loads(Path(__file__).with_name("other_tools.toml").read_text(encoding="utf-8"))
#: Keys that are ours, with another meaning: what is written there is an error of its form.
OTHER_MEANING = {("yamlresume", "profile", "locale"), ("rendercv", "profile", "locale")}


def item_of(kind: str) -> type[BaseModel]:
    """The model of the items of a kind of section."""
    section = model_of(kind)
    assert section is not None
    (item, *_) = get_args(section.model_fields["items"].annotation)
    found = bare(item)
    assert isinstance(found, type)
    assert issubclass(found, Item)
    return found


def models() -> dict[str, type[BaseModel]]:
    """The models with tables of foreign keys, by the name of their table."""
    others = (Profile, Contact, Profiles, Name, Role, Bullet, Link, Author, Letter, Application)
    found: dict[str, type[BaseModel]] = {one.__name__.lower(): one for one in others}
    found |= {kind: item_of(kind) for kind in KINDS}
    found |= {"section": SectionOf, "group": Group}
    # Where there is no kind for volunteers, their work is a service.
    return {"volunteer": found["service"], **found}


MODELS = models()


def properties() -> Iterator[tuple[str, str, str]]:
    for name, places in FORMATS.items():
        for place, listed in places.items():
            yield from ((name, place, key) for key in listed)


@pytest.mark.parametrize(("name", "place", "key"), list(properties()))
def test_each_property_is_ours_or_has_a_home(name: str, place: str, key: str) -> None:
    model = MODELS[place]
    if key in keys(model):
        assert slots.intended(key, model) == key
        return
    assert (name, place, key) not in OTHER_MEANING
    hint = slots.key_hint(key, model)
    assert hint is not None
    assert hint.startswith(("write ", "it belongs under "))


def homes() -> Iterator[tuple[str, str, str]]:
    """Table, key and home of all entries."""
    for table, entries in slots._tables().items():
        for key, found in entries.items():
            yield from ((table, key, home) for home in found)


def test_every_home_exists() -> None:
    """Each home is a key of the model, one of another model, a kind, or a sentence."""
    items: list[type[BaseModel]] = [*(item_of(kind) for kind in KINDS), Role]
    found = list(homes())
    assert len(found) > 300
    for table, key, home in found:
        where = f"{table}.{key} -> {home}"
        if " " in home:
            assert home.startswith("write "), where
        elif home.startswith("kind:"):
            assert home == "kind:volunteer" or home.removeprefix("kind:") in KINDS, where
        elif "." in home:
            owner: type[BaseModel] | None = Workspace if table == "workspace" else Profile
            for step in home.split("."):
                if owner is None:
                    break  # An option, which the template knows.
                assert step in keys(owner), where
                names = {field.alias or name: field for name, field in owner.model_fields.items()}
                inner = bare(names[step].annotation)
                is_model = isinstance(inner, type) and issubclass(inner, BaseModel)
                owner = inner if is_model else None
        elif table == "item":
            assert any(home in keys(item) for item in items), where
        else:
            assert home in keys(MODELS[table]), where
