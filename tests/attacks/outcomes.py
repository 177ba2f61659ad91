"""How an attack may end: whatever was tried, these hold."""

from __future__ import annotations

from collections.abc import Collection

from conftest import Ran


def harmless(done: Ran, codes: Collection[int] = (0, 1, 2)) -> None:
    """Fail unless a command ended by itself, without a traceback or a colour that was given."""
    assert done.code in codes, done
    assert "Traceback" not in done.err, done
    assert "\x1b[31m" not in done.out + done.err, done
