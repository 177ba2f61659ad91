"""The colours of a page on a light and on a dark screen, made from a document's accent.

Every colour of text has the contrast that WCAG 2.2 asks for at level AA on each of its backgrounds.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The least contrast of text, with a little more than WCAG's 4.5 for what rounding takes away.
AA = 4.6
#: How far a colour moves towards black or white in each step.
_STEP = 0.04

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Ground:
    """A screen: its background, its text, muted text, and how much accent bands and lines have."""

    back: str
    ink: str
    muted: str
    band: float
    line: float


LIGHT = Ground("ffffff", "1b1e23", "565c66", 0.1, 0.3)
DARK = Ground("15181c", "e7e9ec", "a7aeb8", 0.18, 0.4)


def palette(accent: str, ground: Ground) -> dict[str, str]:
    """Return colours by name, for an accent of six hexadecimal digits; all are ``#rrggbb``.

    The accent becomes darker, or lighter on a dark ground, until it can be read on the ground and
    on a band of itself.
    """
    back = _rgb(ground.back)
    found = _rgb(accent)
    target = (0, 0, 0) if _luminance(back) > 0.5 else (255, 255, 255)
    while True:
        band = mixed(found, back, ground.band)
        if min(contrast(found, back), contrast(found, band)) >= AA or found == target:
            break
        found = _step(found, target)
    shades = {"accent": found, "band": band, "line": mixed(found, back, ground.line)}
    plain = {"back": back, "ink": _rgb(ground.ink), "muted": _rgb(ground.muted)}
    return {name: "#{:02x}{:02x}{:02x}".format(*rgb) for name, rgb in (plain | shades).items()}


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast of two colours as WCAG defines it: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a mixture that has that share of ``one``."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _step(rgb: Rgb, target: Rgb) -> Rgb:
    """Return a colour that is nearer to the target, by one at least in each part that differs."""
    moved = mixed(target, rgb, _STEP)
    return moved if moved != rgb else target


def _rgb(digits: str) -> Rgb:
    red, green, blue = bytes.fromhex(digits.removeprefix("#"))
    return red, green, blue


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
