"""The lines of a vCard 4.0 (RFC 6350): escaped and folded in this one place."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: The most bytes of a line, without its end.
_LONGEST = 75
_SAFE = re.compile(r"[A-Za-z0-9-]+")


def text(value: str) -> str:
    """Return a text as a value."""
    plain = value.replace("\r\n", "\n").replace("\r", "\n")
    for character in "\\,;":
        plain = plain.replace(character, f"\\{character}")
    return plain.replace("\n", "\\n")


def line(name: str, value: str, **parameters: str) -> str:
    """Return a line, folded; ``value`` is escaped already."""
    return folded(f"{name}{''.join(_parameters(parameters))}:{value}")


def _parameters(parameters: Mapping[str, str]) -> list[str]:
    return [
        f";{name.upper().replace('_', '-')}={_parameter(value)}"
        for name, value in parameters.items()
        if value
    ]


def _parameter(value: str) -> str:
    if _SAFE.fullmatch(value):
        return value
    # RFC 6868, as a quoted value has no other escapes.
    plain = value.replace("^", "^^").replace("\n", "^n").replace('"', "^'")
    return f'"{plain}"'


def folded(whole: str) -> str:
    """Return a line in parts of at most 75 bytes, none of which ends inside a character."""
    parts, size = [""], 0
    for character in whole:
        length = len(character.encode())
        if size + length > _LONGEST:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += length
    return "".join(f"{part}\r\n" for part in parts)


def unfolded(card: str) -> str:
    """Return the values of a card as a reader sees them."""
    whole = card.replace("\r\n ", "").replace("\r\n", "\n")
    escapes = {"n": "\n", "N": "\n"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[1]), whole)
