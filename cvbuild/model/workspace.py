"""What the files of a workspace hold: ``cvbuild.yaml``, and the calls in ``calls/``."""

from __future__ import annotations

import re
from datetime import date as Day
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from cvbuild.model import language_tags
from cvbuild.model.base import FrozenMap, Line, Model, OneOrMany, OptionValue, Words
from cvbuild.model.dates import day
from cvbuild.model.profile import Variant, VariantName

#: The fields of ``contact`` that a workspace may keep private.
Contacts = Literal["address", "birth-date", "email", "nationality", "other", "phone"]
#: Groups of a workspace.
_MOST = 500


class Look(Model):
    """How documents look, and in which formats they are made."""

    template: Annotated[OneOrMany[Line], Field(min_length=1)] | None = None
    """The templates to build: one name, or several."""
    formats: Annotated[OneOrMany[Line], Field(min_length=1)] | None = None
    """The formats of each document: pdf, html, docx, txt and more."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of the templates; those under a template's name apply only to it."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] | None = None
    """Language and region of dates and headings: en, en-GB, de."""


class Defaults(Look):
    """What people have whose own files don't say it."""

    require: Look = Look()
    """What holds for people whose own files say otherwise, too."""
    variants: FrozenMap[VariantName, Variant] = FrozenMap()
    """Documents that everybody here has, by name; a person's own variant goes before, by key."""
    private: OneOrMany[Contacts] = ()
    """What public documents don't show of contact, of everybody: phone, address, birth-date."""


class Group(Defaults):
    """Some of the people, and what they have whose own files don't say it."""

    people: Annotated[OneOrMany[Line], Field(min_length=1)]
    """The names of files in people/, without .yaml, or patterns such as "phd-*"."""
    without: OneOrMany[Line] = ()
    """Names or patterns of those among them who are not in the group."""
    title: Words | None = None
    """The heading of these people on a site; it may be written in several languages."""

    def has(self, person: str) -> bool:
        """Return whether the person of a file, named without .yaml, is in the group."""
        named, others = (
            any(fnmatchcase(person, pattern) for pattern in patterns)
            for patterns in (self.people, self.without)
        )
        return named and not others


def _few(groups: FrozenMap[str, Group]) -> FrozenMap[str, Group]:
    """Check that there aren't so many that finding a person's settings takes long."""
    if len(groups) > _MOST:
        fact = f"{len(groups):,} groups are too many: there may be {_MOST}"
        raise PydanticCustomError("too_many_groups", fact)
    return groups


class Mail(Model):
    """What a draft to a person about mistakes in the file says, before it lists them."""

    subject: Words | None = None
    """The subject; it may be written in several languages, as the text may."""
    text: Words | None = None
    """The text after the greeting, which is in the language of the person's file."""


class Workspace(Model):
    """Settings of a workspace, for everybody and for groups of people."""

    defaults: Defaults = Defaults()
    """The settings of everybody; a person's own file goes before them."""
    groups: Annotated[FrozenMap[Line, Group], AfterValidator(_few)] = FrozenMap()
    """The settings of groups of people, by the group's name; later ones go before earlier ones."""
    mail: Mail = Mail()
    """The drafts to people that --mail writes."""


# -- calls: what one file of ``calls/`` holds ------------------------------------------------------

CALL_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


class Call(Model):
    """What a funder asks of a CV, and where that is written."""

    title: Line
    """What it is called: ERC Starting Grant."""
    funder: Line | None = None
    """Who it is of."""
    outcome: Literal["pdf", "paste"] = "pdf"
    """Whether a PDF is handed in, or texts are pasted into the fields of a form."""
    source: Line
    """Where its rules are written: an address."""
    checked: Annotated[Day, BeforeValidator(day)]
    """The day on which the rules were read there."""
    unconfirmed: OneOrMany[Line] = ()
    """What was not found in the funder's own words."""
    variant: Variant
    """What the document shows, how it looks, and what it must keep to."""
