"""The style sheet of a page: what the template's options say, then ``page.css`` of its folders.

It uses the custom properties that are set here: colours, typeface, paper. The colours are made from
the accent; every colour of text has the contrast that WCAG 2.2 asks for at level AA.
"""

from __future__ import annotations

import base64
import colorsys
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from cvbuild.common.diagnostics import Span, TemplateError
from cvbuild.outputs.styles import templates, typefaces
from cvbuild.outputs.styles.manifests import SIDES
from cvbuild.outputs.styles.templates import Template

#: How far a colour becomes darker in each step.
_STEP = 0.02

Rgb = tuple[int, ...]

#: The background, the text, muted text, and how much accent bands and lines have.
_PLAIN = {"back": "#ffffff", "ink": "#1b1e23", "muted": "#565c66"}
_BAND, _LINE = 0.1, 0.3
#: The least contrast of an accent on its band: a little more than the 4.5 of WCAG, for what
#: rounding takes away.
_LEAST = 4.6


def palette(accent: str) -> dict[str, str]:
    """Return colours by name, for an accent of six hexadecimal digits; all are ``#rrggbb``."""
    # The accent becomes darker, in the same hue, until it can be read on a band of itself, and so
    # on the background.
    readable: Rgb = tuple(bytes.fromhex(accent))
    hue, light, saturation = colorsys.rgb_to_hls(*(part / 255 for part in readable))
    while light >= 0 and contrast(readable, tint(readable, _BAND)) < _LEAST:
        light -= _STEP
        parts = colorsys.hls_to_rgb(hue, max(light, 0), saturation)
        readable = tuple(round(part * 255) for part in parts)
    band, line = (tint(readable, part) for part in (_BAND, _LINE))
    colours = {"accent": readable, "band": band, "line": line}
    return _PLAIN | {name: f"#{bytes(rgb).hex()}" for name, rgb in colours.items()}


def contrast(colour: Rgb, other: Rgb) -> float:
    """Return the contrast of two colours as WCAG defines it: 1 to 21."""
    luminances = []
    for rgb in (colour, other):
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
            for part in (part / 255 for part in rgb)
        )
        luminances.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    low, high = sorted(luminances)
    return (high + 0.05) / (low + 0.05)


def tint(rgb: Rgb, share: float) -> Rgb:
    """Return white that has that share of a colour."""
    return tuple(round(part * share + 255 * (1 - share)) for part in rgb)


#: The name of the file, and how long it may be.
FILE, MAX_BYTES = "page.css", 1 << 20
_SERIF = '"Iowan Old Style", "Palatino Linotype", P052, Georgia, serif'
_SANS = "system-ui, sans-serif"
#: The families and the size in rem for fonts of one's own, with serifs and without.
_OWN = {True: (_SERIF, 1.0625), False: (_SANS, 1.0)}
#: What style sheets call it. Letters that it lacks come from the families after it.
FAMILY = "cv"
#: How long the faces may be in the page, in bytes.
MOST_OF_FACES = 80_000
#: Letters that many pages need, so that they share faces.
_COMMON = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0–—‘’“”•·…×"
_FEATURES = ("kern", "liga", "clig", "ccmp", "locl", "mark", "mkmk", "lnum", "tnum")
#: Features that style sheets ask for by these words.
_ASKED = {"small-caps": "smcp", "oldstyle-nums": "onum"}
#: Weight and style, and where they are among the files of a typeface; the first matter most.
_FACES = ((400, "normal", 0), (700, "normal", 2), (400, "italic", 1))
#: The option of that name, as CSS writes it.
_RULES = {"none": "0px", "thin": ".4pt", "medium": ".8pt", "thick": "1.6pt"}
#: Options that become classes of the page, such as dates-left.
CHOICES = (
    "density", "titles", "dates", "bullet", "photo-side", "photo-shape", "links", "contacts",
    "skills", "entry-icons",
)  # fmt: skip


class StyleSheet(Struct, frozen=True):
    """The text of a style sheet, and the classes of the page."""

    text: str
    classes: tuple[str, ...] = ()

    @property
    def css(self) -> Markup:
        """The text as it stands in the page."""
        return Markup(self.text)  # noqa: S704 - checked by _read: it has no markup

    @property
    def digest(self) -> str:
        """What the page's security policy calls it."""
        sha = hashlib.sha256(self.text.encode()).digest()
        return f"sha256-{base64.b64encode(sha).decode()}"


def of(template: Template, options: Mapping[str, Any], letters: str = "") -> StyleSheet:
    """Return a document's sheet, with the typeface for ``letters``; raises TemplateError."""
    texts = [_properties(options)]
    texts += filter(None, map(_read, reversed(template.folders)))
    if options.get("title-case", "style") != "style":
        # After the style's, which may have small capitals.
        texts.append("h2 { font-variant-caps: normal }")
    # The faces of the typeface, as far as there is room.
    wanted, room = {*_COMMON, *letters, *letters.upper()}, MOST_OF_FACES
    asked = tuple(feature for word, feature in _ASKED.items() if word in "\n".join(texts))
    paths = typefaces.typeface(options) if letters else ()
    for weight, style, at in _FACES if paths else ():
        features = _FEATURES + asked if at == 0 else _FEATURES
        face = typefaces.face(paths[at], wanted, features, is_web=True)
        data = base64.b64encode(face).decode()
        room -= len(data)
        if not face or room < 0:
            break
        texts.append(
            f"@font-face {{ font-family: {FAMILY}; font-weight: {weight}; font-style: {style}; "
            f"src: url(data:font/woff;base64,{data}) }}"
        )
    classes = [f"entries-{template.manifest.word.entries}"]
    classes += [f"{name}-{options[name]}" for name in CHOICES if name in options]
    classes += ["section-numbers"] if options.get("section-numbers") else []
    return StyleSheet("\n" + "\n".join(texts), tuple(classes))


def _properties(options: Mapping[str, Any]) -> str:
    # The families that suit the typeface, the best first, and the size of the text.
    own, typeface = typefaces.own(options), typefaces.TYPEFACES.get(str(options.get("font")))
    family, size = typeface.web if typeface else _OWN[True]
    if own:
        family, size = _OWN[not own.typeface.sans]
    names = ("name-size", "title-size")
    sizes = {name: f"{float(options.get(name, 100)) / 100:g}" for name in names}
    if rule := _RULES.get(str(options.get("rule"))):
        # Lines of a style have its own.
        sizes["rule"] = rule
    margins = options.get("margin")
    given = margins if isinstance(margins, tuple) else (20.0,) * 4
    sides = {side: f"{length:g}mm" for side, length in zip(SIDES, given, strict=True)}
    paper = {"letter": "letter"}.get(str(options.get("paper")), "A4")
    order = " ".join(sides[side] for side in ("top", "right", "bottom", "left"))
    colours = palette(str(options.get("accent", "1F3A5F")))
    return "\n".join(
        (
            f":root {{ {written(colours)}; --family: {FAMILY}, {family}; --size: {size}rem }}",
            f":root {{ {written(sizes)} }}",
            f"@page {{ size: {paper}; margin: {order} }}",
            f"@media print {{ :root {{ --size: {float(options.get('size', 10)):g}pt }} }}",
            f":root {{ {written(sides)} }}",
        )
    )


def written(values: Mapping[str, str]) -> str:
    """Return colours and other values as custom properties."""
    return "; ".join(f"--{name}: {value}" for name, value in values.items())


def _read(folder: Path) -> str | None:
    path = folder / FILE
    if not path.is_file():
        return None
    data = path.read_bytes()
    fact = hint = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        fact, hint, text = "it is not UTF-8", "save it as UTF-8", ""
    if len(data) > MAX_BYTES:
        fact, hint = "it has over 1 MiB", "make it smaller"
    elif "<" in text:
        fact, hint = 'it has a "<", which no style sheet needs', "remove it"
    if fact:
        raise TemplateError.because("template-css", fact, hint, Span(templates.place(path)))
    return text.replace("\r\n", "\n").strip()
