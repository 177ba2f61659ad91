"""A section of any kind: its ``kind`` says which model it is read with."""

from typing import Annotated, Any, Union

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from cvbuild.model.kinds import KINDS
from cvbuild.model.sections import SectionOf


def model_of(kind: object) -> type[SectionOf] | None:
    """Return the model of a kind of section; None if there is no such kind."""
    return KINDS[kind].section if isinstance(kind, str) and kind in KINDS else None


def _read(value: object) -> SectionOf:
    """Return the section of a mapping of a file; raise ValidationError or PydanticKnownError."""
    if isinstance(value, SectionOf):
        return value
    if not isinstance(value, dict):
        raise PydanticKnownError("model_attributes_type")
    tag = {"discriminator": "'kind'"}
    if "kind" not in value:
        raise PydanticKnownError("union_tag_not_found", tag)
    kind = value["kind"]
    model = model_of(kind)
    if model is None:
        known = ", ".join(f"'{name}'" for name in KINDS)
        tag |= {"tag": str(kind), "expected_tags": known}
        raise PydanticKnownError("union_tag_invalid", tag)
    return model.model_validate(value)


class _OfKind:
    """Reads a section with the model of its kind.

    Why not pydantic's union: it makes the schemas of all kinds, and a person has few of them.
    """

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        from pydantic import TypeAdapter

        models = tuple(kind.section for kind in KINDS.values())
        union: Any = Union[models]  # noqa: UP007 - they are computed
        whole: Any = TypeAdapter(Annotated[union, Field(discriminator="kind")])
        return handler(whole.core_schema)


Section = Annotated[SectionOf, _OfKind()]
