"""What all models share: frozen objects, text that is clean, rich text, maps that can't change.

Why modules with models don't import annotations from __future__: they would be texts, and pydantic
would compile each again, in every class that inherits it.
"""

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, Union, get_args, get_origin

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from cvbuild.model.text import language_tags
from cvbuild.model.text.lines import Line, Url, Wording, Words, by_language, clean, scalar
from cvbuild.model.text.paragraphs import Passage, Prose, paragraphs, split_list

__all__ = [
    "FrozenMap", "Line", "Model", "OneOrMany", "OptionValue", "Paragraphs", "Parsed",
    "Passage", "Prose", "Several", "Shorthand", "Url", "Wording", "Words", "bare", "clean",
    "fields_of",
]  # fmt: skip

V = TypeVar("V")
K = TypeVar("K")


def bare(annotation: Any) -> Any:
    """Return the annotation without Annotated and None."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return bare(parts[0])
    return annotation


@cache
def fields_of(model: type[BaseModel] | None) -> dict[str, FieldInfo]:
    """Return the fields of a model by their keys in a file; none for None."""
    fields = model.model_fields.items() if model else ()
    return {field.alias or name: field for name, field in fields}


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
        """Remove keys without a value: they count as absent."""
        if not isinstance(value, dict) or None not in value.values():
            return value
        known = fields_of(cls)
        return {k: v for k, v in value.items() if v is not None or k not in known}


class Shorthand(Model):
    """A model that may also be written as one scalar, the value of its ``shorthand`` key.

    ``by_language`` says whether the scalar may be a mapping from languages to texts, of at least
    ``languages``. No key of such a model is a language tag.
    """

    shorthand: ClassVar[str]
    by_language: ClassVar[bool] = False
    languages: ClassVar[int] = 2

    @classmethod
    def is_short(cls, value: object) -> bool:
        """Return whether a value of a file stands for the ``shorthand`` key."""
        scalar = isinstance(value, str | int | float)
        return scalar or (cls.by_language and language_tags.in_short(value, cls.languages))

    @model_validator(mode="before")
    @classmethod
    def _from_scalar(cls, value: object) -> object:
        return {cls.shorthand: value} if cls.is_short(value) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        short = [scalar(), by_language(cls.languages)] if cls.by_language else [scalar()]
        return {"anyOf": [*short, handler(schema)]}


class Parsed:
    """A value that ``of`` reads from a value of a file; it is written as its text."""

    __slots__ = ()
    #: What it may be in a file, in JSON Schema.
    json_schema: ClassVar[Mapping[str, Any]] = scalar()

    @classmethod
    def of(cls, value: object) -> Self:
        """Read the value; raise PydanticCustomError if it is wrong."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.of, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {**cls.json_schema}


class FrozenMap(Mapping[K, V], Generic[K, V]):
    """A mapping that keeps the file's order, can't change and can be hashed."""

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
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        key, value = get_args(source)
        return core_schema.no_info_after_validator_function(
            cls,
            handler.generate_schema(dict[key, value]),  # type: ignore[valid-type]
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


def _freeze(value: object) -> object:
    """Return the same data with maps and lists that can't change."""
    if isinstance(value, dict):
        return FrozenMap({str(key): _freeze(item) for key, item in value.items()})
    return tuple(_freeze(item) for item in value) if isinstance(value, list) else value


def _as_list(value: object) -> object:
    if isinstance(value, str) and (halves := split_list(value)) and not halves[0]:
        return [{"text": point.text, "bullets": point.below} if point.below else point.text
                for point in halves[1]]  # fmt: skip
    return value if value is None or isinstance(value, list | tuple) else [value]


class Several(Struct, frozen=True):
    """Shows a list in JSON Schema as what it may also be: one element, or these forms."""

    forms: tuple[Mapping[str, Any], ...] = ()

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        many = handler(schema)
        return {"anyOf": [*(self.forms or (many.get("items", {}),)), many]}


#: Paragraphs of prose: a block of text with empty lines between them, or a list.
Paragraphs = Annotated[
    tuple[Passage, ...], BeforeValidator(_as_list), BeforeValidator(paragraphs), Several()
]
#: One value or a list of them.
OneOrMany = Annotated[tuple[V, ...], BeforeValidator(_as_list), Several()]
#: The value of a template's option: the template's manifest knows its type.
OptionValue = Annotated[Any, AfterValidator(_freeze)]
