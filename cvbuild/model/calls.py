"""The model of a call: what one file of ``calls/`` holds."""

import re
from datetime import date as Day
from typing import Annotated, Literal

from pydantic import BeforeValidator

from cvbuild.model.base import Line, Model, OneOrMany
from cvbuild.model.dates import day
from cvbuild.model.variant import Variant

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


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
