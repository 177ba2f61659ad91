"""Keys for bold, italic and links in the text of a file."""

from __future__ import annotations

import pytest
from serve.desks import ADA, Desk

pytest.importorskip("starlette")


def test_the_keys_leave_yaml_as_it_is(desk: Desk) -> None:
    desk.after("headline: Research engineer")
    for key in "bik":
        desk.page.keyboard.press(f"ControlOrMeta+{key}")
    desk.page.keyboard.type("s")
    desk.becomes(ADA.replace("Research engineer", "Research engineers"))
