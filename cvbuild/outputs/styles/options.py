"""Options of templates: their types, and reading a value of a file as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic_core import PydanticCustomError

from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Line, Model, clean
from cvbuild.model.profile import OWN_SECTIONS

#: Accents by name: dark enough for text (6:1 on white), and far apart in hue.
ACCENTS = {
    "navy": "1F3A5F",
    "teal": "0B5C7A",
    "forest": "1E5B3A",
    "burgundy": "7A1F3D",
    "plum": "5B2A6E",
    "graphite": "3A3F47",
}
#: The sides of a page, which may have margins of their own.
SIDES = ("top", "bottom", "left", "right")
_COLOUR = re.compile(r"#?([0-9A-Fa-f]{6})")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

#: The shapes of a font of one's own, each a file: regular, italic, bold, both.
SHAPES = ("regular", "italic", "bold", "bolditalic")
_FONT_FILE = re.compile(r".+\.(?:otf|ttf)", re.IGNORECASE | re.DOTALL)
_OTHER_FONT = re.compile(r".+\.(?:ttc|otc|woff2?|pfb|dfont)", re.IGNORECASE | re.DOTALL)

Word = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")]


class Option(Model):
    """One option of a template: its type, its default and what it is for.

    Web pages follow those that ``outputs.html.style_sheet`` reads (``CHOICES`` are classes of the
    page), Word documents those that ``outputs.docx.looks`` and ``paragraphs`` read; TeX has all.
    """

    type: Literal["colour", "choice", "number", "margins", "flag", "text", "kinds"]
    default: Any
    doc: Line
    choices: tuple[Line, ...] = ()
    min: float | None = None
    max: float | None = None
    files: bool = False
    """Whether a choice also takes the names of font files."""
    package: Annotated[bool | Word, Field(union_mode="left_to_right")] = False
    """Whether the style package gets it, and under which name if another."""

    def read(self, value: object) -> object:
        """Return a file's value with its type; raise ValueError that says what is valid."""
        match self.type:
            case "colour":
                return self._colour(str(value))
            case "choice":
                if self.files and (files := font_files(value)):
                    return files
                if str(value) not in self.choices:
                    own = ", or a font file: fonts/House.otf" if self.files else ""
                    raise ValueError(f"one of {', '.join(self.choices)}{own}")
                return str(value)
            case "number":
                return self._number(value)
            case "margins":
                return self._margins(value)
            case "flag":
                if not isinstance(value, bool) and str(value).lower() not in _FLAGS:
                    raise ValueError("true or false")
                return value if isinstance(value, bool) else _FLAGS[str(value).lower()]
            case "kinds":
                return self._kinds(value)
        return self._text(value)

    @staticmethod
    def _text(value: object) -> str:
        if isinstance(value, dict | list | tuple | FrozenMap):
            raise ValueError("a text")  # noqa: TRY004 - all faults of a value are one type
        try:
            return " ".join(clean("" if value is None else str(value)).split())
        except PydanticCustomError:
            raise ValueError("a text without control characters") from None

    @staticmethod
    def _colour(value: str) -> str:
        match = _COLOUR.fullmatch(ACCENTS.get(value.lower(), value))
        if not match:
            names = ", ".join(ACCENTS)
            raise ValueError(f'{names}, or six hexadecimal digits such as "1F3A5F", in quotes')
        return match[1].upper()

    def _margins(self, value: object) -> tuple[float, ...]:
        """Return a margin for each of ``SIDES``: of one number, or of a mapping of some sides."""
        try:
            if not isinstance(value, dict | FrozenMap):
                return (self._number(value),) * len(SIDES)
            sides = {str(side): self._number(length) for side, length in value.items()}
        except ValueError as error:
            raise ValueError(f"{error}, or one for each of some sides: {{top: 20}}") from None
        if unknown := [side for side in sides if side not in SIDES]:
            raise ValueError(f"the sides {', '.join(SIDES)} only, not {unknown[0]}")
        rest = () if value is self.default else self._margins(self.default)
        if not rest and len(sides) < len(SIDES):
            raise ValueError(f"all of {', '.join(SIDES)}")
        return tuple(sides[side] if side in sides else rest[at] for at, side in enumerate(SIDES))

    def _number(self, value: object) -> float:
        low = "" if self.min is None else f" from {self.min:g}"
        high = "" if self.max is None else f" to {self.max:g}"
        try:
            number = float(str(value))
        except ValueError:
            raise ValueError(f"a number{low}{high}") from None
        if not (self.min or 0) <= number <= (self.max if self.max is not None else 1e6):
            raise ValueError(f"a number{low}{high}")
        return number

    @staticmethod
    def _kinds(value: object) -> tuple[str, ...]:
        """Return kinds of sections, summary and interests included, each at most once."""
        # A text is from the command line: --set options.sections=skill,education
        listed = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
        known = (*OWN_SECTIONS, *Profile.KINDS)
        if not isinstance(listed, list | tuple):
            raise ValueError("a list of kinds")  # noqa: TRY004 - see above
        for kind in listed:
            if kind not in known:
                raise ValueError(f'a list without "{kind}": the kinds are {", ".join(known)}')
        return tuple(dict.fromkeys(listed))


def font_files(value: object) -> FrozenMap[str, str] | None:
    """Return font files by shape, of the regular one or of a mapping; None for another value."""
    written = value if isinstance(value, dict | FrozenMap) else {"regular": value}
    names = {str(shape): name for shape, name in written.items()}
    if written is not value and not isinstance(value, str):
        return None
    if unknown := [shape for shape in names if shape not in SHAPES]:
        raise ValueError(f"a file for some of {', '.join(SHAPES)}, not {unknown[0]}")
    if "regular" not in names:
        raise ValueError("regular: with the file of the upright letters")
    for name in names.values():
        if _OTHER_FONT.fullmatch(str(name)):
            raise ValueError("an .otf or .ttf file: a collection or a web font must be converted")
        if not isinstance(name, str) or not _FONT_FILE.fullmatch(name):
            if written is not value:
                return None
            raise ValueError("the name of an .otf or .ttf file for each shape")
    return FrozenMap({shape: str(names[shape]) for shape in SHAPES if shape in names})


def margins(lengths: Sequence[float]) -> str:
    """Return the margins of ``SIDES`` as a person writes them: 20, or top=20, left=30, …."""
    if len({*lengths}) == 1:
        return f"{lengths[0]:g}"
    return ", ".join(f"{side}={length:g}" for side, length in zip(SIDES, lengths, strict=True))
