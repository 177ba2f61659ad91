"""Names that a system reserves: no file on Windows can be called ``aux`` or ``con.pdf``."""

from __future__ import annotations

#: The names of Windows' devices, in lower case.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10)))
)


def is_reserved(name: str) -> bool:
    """Return whether Windows has no files of this name, whatever they end with."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES
