"""What all models share: frozen objects, text that is clean, rich text, maps that can't change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from cvbuild import richtext, urls

#: In JSON Schema a text may be written as a YAML number or flag: it stays the text it was.
_SCALAR = {"type": ["string", "number", "boolean"]}
_OPENING_BIDI = {"\u202a": "\u202c", "\u202b": "\u202c", "\u202d": "\u202c", "\u202e": "\u202c"}
_OPENING_BIDI |= {"\u2066": "\u2069", "\u2067": "\u2069", "\u2068": "\u2069"}

V = TypeVar("V")
K = TypeVar("K")


class Model(BaseModel):
    """A frozen object with the declared keys and no others."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        coerce_numbers_to_str=True,
        arbitrary_types_allowed=False,
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, value: object) -> object:
        """A key without a value is as good as absent."""
        if not isinstance(value, dict) or None not in value.values():
            return value
        fields = cls.model_fields.items()
        known = {key for name, field in fields for key in (name, field.alias)}
        return {k: v for k, v in value.items() if v is not None or k not in known}


class Shorthand(Model):
    """A model that may also be written as one scalar, the value of its ``shorthand`` key."""

    shorthand: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _from_scalar(cls, value: object) -> object:
        return {cls.shorthand: value} if isinstance(value, str | int | float) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [_SCALAR, handler(schema)]}


class FrozenMap(Mapping[K, V], Generic[K, V]):
    """A mapping that keeps the file's order, can't change and can be hashed and pickled."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[K, V] | None = None) -> None:
        self._data = dict(data or {})

    def __getitem__(self, key: K) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        return hash(tuple(self._data.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._data!r})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        key, value = get_args(source)
        return core_schema.no_info_after_validator_function(
            cls,
            handler.generate_schema(dict[key, value]),  # type: ignore[valid-type]
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


def clean(text: str) -> str:
    """The text in NFC; refuses control characters, lone surrogates and unbalanced bidi marks."""
    awaited: list[str] = []
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r":
            raise PydanticCustomError(
                "text_control", "U+{code} can't be printed", {"code": f"{ord(character):04X}"}
            )
        if character in _OPENING_BIDI:
            awaited.append(_OPENING_BIDI[character])
        elif character in "\u202c\u2069" and (not awaited or awaited.pop() != character):
            awaited.append(character)
            break
    if awaited:
        raise PydanticCustomError("text_bidi", "the bidirectional controls are not balanced")
    return unicodedata.normalize("NFC", text)


def _one_line(value: str) -> str:
    text = re.sub(r"[ \t\r\n]+", " ", clean(value)).strip(" ")
    if not text:
        raise PydanticCustomError("text_empty", "the text is empty")
    return text


def _scalar_only(value: object) -> object:
    """A text is never made from a mapping or a flag of Python's own."""
    if isinstance(value, bool):
        raise PydanticCustomError("string_type", "a text is needed")
    return value


class _ScalarSchema:
    """Shows a text field in JSON Schema as what editors read YAML scalars as."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(_SCALAR)


#: One line of plain text: a name, an identifier. White space is folded, NFC.
Line = Annotated[str, BeforeValidator(_scalar_only), AfterValidator(_one_line), _ScalarSchema()]


@dataclass(frozen=True, slots=True)
class Prose:
    """One paragraph of inline Markdown: its source and its tree."""

    source: str
    nodes: tuple[richtext.Node, ...]

    def __str__(self) -> str:
        return richtext.plain(self.nodes)

    @classmethod
    def of(cls, value: str) -> Prose:
        """Parse; raises PydanticCustomError for what can't be set or linked."""
        text = re.sub(r"[ \t]*(\\?)\r?\n\s*", lambda m: "\\\n" if m[1] else " ", clean(value))
        text = text.strip()
        if not text:
            raise PydanticCustomError("text_empty", "the text is empty")
        try:
            nodes = richtext.parse(text)
        except urls.UrlError as error:
            context = {"why": str(error), "markdown": True}
            raise PydanticCustomError("url", "{why}", context) from None
        if not richtext.plain(nodes).strip():
            raise PydanticCustomError("text_empty", "the text is empty")
        return cls(text, nodes)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        from_text = core_schema.no_info_after_validator_function(
            cls.of, core_schema.str_schema(coerce_numbers_to_str=True)
        )
        return core_schema.no_info_before_validator_function(_scalar_only, from_text)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**_SCALAR, "description": "Text in inline Markdown."}


def _paragraphs(value: object) -> object:
    """Split a block of text at its empty lines."""
    if isinstance(value, str) and value.strip():
        return [part for part in re.split(r"\n[ \t]*(?:\r?\n[ \t]*)+", value.strip()) if part]
    return _as_list(value)


def _as_list(value: object) -> object:
    return value if value is None or isinstance(value, list | tuple) else [value]


def _url(value: str) -> str:
    try:
        return urls.normalise(clean(value))
    except urls.UrlError as error:
        raise PydanticCustomError("url", "{why}", {"why": str(error)}) from None


class _OneOrMany:
    """Shows a list in JSON Schema as what it may also be: one element."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        many = handler(schema)
        return {"anyOf": [many.get("items", {}), many]}


#: Paragraphs of prose: a block of text with empty lines between them, or a list.
Paragraphs = Annotated[tuple[Prose, ...], BeforeValidator(_paragraphs), _OneOrMany()]
#: One value or a list of them.
OneOrMany = Annotated[tuple[V, ...], BeforeValidator(_as_list), _OneOrMany()]
#: An absolute URL in ASCII; http, https, mailto or tel.
Url = Annotated[Line, AfterValidator(_url)]
