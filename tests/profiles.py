"""Profiles for tests, made from YAML as a person would write it."""

from __future__ import annotations

import textwrap

from cvbuild.model import Profile
from cvbuild.source import parse
from cvbuild.validate import validate


def profile(text: str) -> Profile:
    """The profile of a YAML text; a name is added where there is none."""
    text = textwrap.dedent(text)
    if "name:" not in text.split("\n  ")[0]:
        text = "name: Ada Example\n" + text
    return validate(parse(text, "test.yaml"))
