"""The colours of a page on a light and on a dark screen, made from a document's accent.

Every colour of text has the contrast that WCAG 2.2 asks for at level AA on each of its backgrounds.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

#: How far a colour becomes darker or lighter in each step.
_STEP = 0.02
#: Greys, such as black, keep their contrast up to this one.
_GREYEST, _MOST = 0.1, 12

Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Ground:
    """A screen: its background, its text, muted text, and how much accent bands and lines have.

    ``least`` is the least contrast of its accent: a little more than the 4.5 of WCAG, for what
    rounding takes away.
    """

    back: str
    ink: str
    muted: str
    band: float
    line: float
    least: float


LIGHT = Ground("ffffff", "1b1e23", "565c66", 0.1, 0.3, 4.6)
DARK = Ground("15181c", "e7e9ec", "a7aeb8", 0.18, 0.4, 5.5)


def palette(accent: str, ground: Ground) -> dict[str, str]:
    """Return colours by name, for an accent of six hexadecimal digits; all are ``#rrggbb``.

    The accent becomes darker, or lighter on a dark ground, until it can be read on the ground and
    on a band of itself.
    """
    back = _rgb(ground.back)
    found = _readable(_rgb(accent), ground)
    shades = {
        "accent": found,
        "band": mixed(found, back, ground.band),
        "line": mixed(found, back, ground.line),
    }
    plain = {"back": back, "ink": _rgb(ground.ink), "muted": _rgb(ground.muted)}
    return {name: "#{:02x}{:02x}{:02x}".format(*rgb) for name, rgb in (plain | shades).items()}


def _readable(accent: Rgb, ground: Ground) -> Rgb:
    """Return the nearest colour of the same hue with enough contrast on the ground."""
    back = _rgb(ground.back)
    hue, light, saturation = colorsys.rgb_to_hls(*(part / 255 for part in accent))
    least, step = ground.least, -_STEP if _luminance(back) > 0.5 else _STEP
    if saturation < _GREYEST:
        least = max(least, min(_MOST, contrast(accent, _rgb(LIGHT.back))))
    found = accent
    while 0 <= light <= 1:
        band = mixed(found, back, ground.band)
        if contrast(found, back) >= least and contrast(found, band) >= LIGHT.least:
            break
        light += step
        parts = colorsys.hls_to_rgb(hue, min(max(light, 0), 1), saturation)
        red, green, blue = (round(part * 255) for part in parts)
        found = red, green, blue
    return found


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast of two colours as WCAG defines it: 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a mixture that has that share of ``one``."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _rgb(digits: str) -> Rgb:
    red, green, blue = bytes.fromhex(digits.removeprefix("#"))
    return red, green, blue


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
