"""Profiles for tests, made from YAML as a person would write it."""

from __future__ import annotations

import textwrap
from datetime import date as Day

from cvbuild.inputs import privacy
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.model import Profile

#: The day of documents for which none matters.
DAY = Day(2026, 1, 1)


def profile(text: str) -> Profile:
    """The profile of a YAML text with its flags; a name is added where there is none."""
    return validate(_parsed(text))


def whole(text: str) -> Profile:
    """The same with everything private in it, and values that are written with their flag."""
    return validate(privacy.everything(_parsed(text)))


def public(text: str) -> Profile:
    """The same without anything private."""
    return validate(privacy.public(_parsed(text)))


def _parsed(text: str) -> Source:
    text = textwrap.dedent(text)
    if "name:" not in text.split("\n  ")[0]:
        text = "name: Ada Example\n" + text
    return parse(text, "test.yaml")
