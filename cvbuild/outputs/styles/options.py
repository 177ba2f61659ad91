"""Options of templates: their types, and reading a value of a file as one."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from pydantic_core import PydanticCustomError

from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Line, Model, clean
from cvbuild.model.profile import OWN_SECTIONS

_COLOUR = re.compile(r"#?([0-9A-Fa-f]{6})")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

Word = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")]


class Option(Model):
    """One option of a template: its type, its default and what it is for."""

    type: Literal["colour", "choice", "number", "flag", "text", "kinds"]
    default: Any
    doc: Line
    choices: tuple[Line, ...] = ()
    min: float | None = None
    max: float | None = None
    package: Annotated[bool | Word, Field(union_mode="left_to_right")] = False
    """Whether the style package gets it, and under which name if another."""

    def read(self, value: object) -> object:
        """Return a file's value with its type; raise ValueError that says what is valid."""
        match self.type:
            case "colour":
                return self._colour(str(value))
            case "choice":
                if str(value) not in self.choices:
                    raise ValueError(f"one of {', '.join(self.choices)}")
                return str(value)
            case "number":
                return self._number(value)
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
        found = _COLOUR.fullmatch(value)
        if not found:
            raise ValueError('six hexadecimal digits such as "1F3A5F", in quotes')
        return found[1].upper()

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
        listed = [value] if isinstance(value, str) else value
        known = (*OWN_SECTIONS, *Profile.KINDS)
        if not isinstance(listed, list | tuple):
            raise ValueError("a list of kinds")  # noqa: TRY004 - see above
        for kind in listed:
            if kind not in known:
                raise ValueError(f'a list without "{kind}": the kinds are {", ".join(known)}')
        return tuple(dict.fromkeys(listed))
