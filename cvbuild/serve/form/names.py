"""What the keys of an application may name, and what its letter says where a key has nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from cvbuild.building.check import profiles
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import Profile, language_tags
from cvbuild.model.locales import words
from cvbuild.serve.desk import Desk
from cvbuild.serve.form.fields import Names


def of(text: str, desk: Desk) -> Names:
    """Return what each key may name, and a title of each; ``unset`` has the letter's own words."""
    data: Any = None
    with suppress(CvbuildError):
        data = source_stage.parse(text, "text").data
    data = data if isinstance(data, dict) else {}
    profile = _profile(data.get("person"), desk)
    return {
        "person": {str(one["name"]): str(one["title"]) for one in desk.titles()},
        "variant": {name: name for name in profile.variants} if profile else {},
        "unset": _letter(data, profile),
        "template": {name: one.manifest.title for name, one in desk.templates.items()},
        "locale": languages(),
    }


def languages() -> Mapping[str, str]:
    """Return the languages that documents can be in, by name."""
    named = {tag: language_tags.name(tag) for tag in words.known()}
    return dict(sorted(named.items(), key=lambda one: one[1]))


def _profile(name: object, desk: Desk) -> Profile | None:
    with suppress(CvbuildError):
        person = desk.people().get(str(name))
        return profiles.load(person).profile if person else None
    return None


def _letter(data: dict[str, Any], profile: Profile | None) -> Mapping[str, str]:
    """Return subject, opening and closing of a letter that has none of its own."""
    tag = data.get("locale") or (profile.locale if profile else "")
    phrases = words.table(str(tag)).words
    recipient = data.get("recipient")
    name = recipient.get("name") if isinstance(recipient, dict) else None
    word = "letter-opening-name" if name and isinstance(name, str) else "letter-opening"
    opening = phrases[word].format(name=name)
    unset = {"opening": opening, "closing": phrases["letter-closing"]}
    position = data.get("position")
    if isinstance(position, str):
        unset["subject"] = phrases["letter-subject"].format(position=position)
    return unset
