"""What the keys of an application may name: people, variants, styles, languages."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from cvbuild.building.check import profiles
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import language_tags
from cvbuild.model.locales import words
from cvbuild.serve.desk import Desk
from cvbuild.serve.form.fields import Names


def of(text: str, desk: Desk) -> Names:
    """Return what each key may name, and a title of each."""
    return {
        "person": {str(one["name"]): str(one["title"]) for one in desk.titles()},
        "variant": _variants(text, desk),
        "template": {name: one.manifest.title for name, one in desk.templates.items()},
        "locale": languages(),
    }


def languages() -> Mapping[str, str]:
    """Return the languages that documents can be in, by name."""
    named = {tag: language_tags.name(tag) for tag in words.known()}
    return dict(sorted(named.items(), key=lambda one: one[1]))


def _variants(text: str, desk: Desk) -> Mapping[str, str]:
    with suppress(CvbuildError):
        name = source_stage.parse(text, "text").find(("person",))
        person = desk.people().get(str(name.data)) if name else None
        profile = profiles.load(person).profile if person else None
        return {name: name for name in profile.variants} if profile else {}
    return {}
