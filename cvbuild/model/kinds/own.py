"""Keys of the profile that are shown as sections."""

from __future__ import annotations

from cvbuild.model.kinds.describe import SELF, InBasics, Kind, Named, Row, Run

SUMMARY = Kind("summary", text=(Row(SELF),), json=InBasics())
INTERESTS = Kind("interests", json=Named("interests"), run=Run(SELF), search=SELF)
