"""Options of templates: their types, and reading a value of a file as one."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from cvbuild.model.base import FrozenMap, Line, Model

_COLOUR = re.compile(r"#?([0-9A-Fa-f]{6})")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

Word = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")]


class Option(Model):
    """One option of a template: its type, its default and what it is for."""

    type: Literal["colour", "choice", "number", "flag", "text", "list"]
    default: Any
    doc: Line
    choices: tuple[Line, ...] = ()
    min: float | None = None
    max: float | None = None
    package: Annotated[bool | Word, Field(union_mode="left_to_right")] = False
    """Whether the style package gets it, and under which name if another."""

    def read(self, value: object) -> object:
        """The typed value of what stands in a file; raises ValueError with what would do."""
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
            case "list":
                return self._list(value)
        if isinstance(value, dict | list | tuple | FrozenMap):
            raise ValueError("a text")  # noqa: TRY004 - all faults of a value are one type
        return "" if value is None else str(value)

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

    def _list(self, value: object) -> tuple[str, ...]:
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise ValueError("a list")
        unknown = [v for v in value if self.choices and v not in self.choices]
        if unknown:
            raise ValueError(f'a list without "{unknown[0]}", of {", ".join(self.choices)}')
        return tuple(value)
