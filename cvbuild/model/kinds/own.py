"""Keys of the profile that are shown as sections."""

from __future__ import annotations

from cvbuild.model.kinds.describe import SELF, InBasics, Kind, Listed, Pair, Row, Run

SUMMARY = Kind("summary", weight=60, least=1, text=(Row(SELF),), json=InBasics())
INTERESTS = Kind(
    "interests",
    weight=15,
    json=Listed("interests"),
    run=Run(Pair("name", "keywords")),
    search="name",
)
