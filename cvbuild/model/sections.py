"""What sections of every kind have, and their groups."""

from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import Field, create_model, model_validator

from cvbuild.model.base import Line, Model, OneOrMany, Passage, Prose
from cvbuild.model.parts import Item, Tag
from cvbuild.model.refusals import refused

T = TypeVar("T", bound=Item)


class Group(Model, Generic[T]):
    """A part of a section with a heading of its own."""

    title: Prose
    """The sub-heading."""
    items: Annotated[tuple[T, ...], Field(min_length=1)]
    """The items under it."""
    note: Passage | None = None
    """Small print under the heading."""
    letter: Annotated[Line, Field(max_length=3)] | None = None
    """Before the numbers of its items, which then count in the group: J for [J1]."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """The priority of items that have none of their own."""
    keep: bool | None = None
    """Whether one page must show all its items, unless one says ``keep: false``."""
    private: bool = False
    """Leave it out unless the build is private."""


class SectionOf(Model):
    """The keys of every kind of section; each kind defines its items.

    Why not by a type variable: every class made so takes a millisecond on import.
    """

    title: Prose | None = None
    """The heading; the kind's own in the person's language when absent."""
    id: Tag | None = None
    """What variants call the section; its kind when absent."""
    items: tuple[Item, ...] = ()
    """The items."""
    groups: tuple[Any, ...] = ()
    """Groups with a sub-heading; they come after the items."""
    note: Passage | None = None
    """Small print under the heading: (* denotes equal contribution)."""
    order: Literal["newest", "file"] = "newest"
    """Newest first, or as in the file."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """The priority of items that have none of their own."""
    keep: bool | None = None
    """Whether one page must show all its items, unless one says ``keep: false``."""
    tags: OneOrMany[Tag] = ()
    """Words to select by; they count for every item."""
    private: bool = False
    """Leave it out unless the build is private."""

    #: What it holds; each kind narrows it to its own name.
    kind: str

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self._has_items():
            hint = "give it items (or groups with items), or delete the section"
            raise refused("section_empty", "the section has no items", hint)
        return self

    def _has_items(self) -> bool:
        return bool(self.items or self.groups)


def of_items(kind: str, item: type[Item], about: str, module: str) -> type[SectionOf]:
    """Return the model of sections of a kind with such items; ``about`` is its docstring.

    It has its name, AwardSection, in ``module``.
    """
    each: Any = item
    fields: dict[str, Any] = {
        "kind": (Literal[kind], ...),
        "items": (tuple[each, ...], ()),
        "groups": (tuple[Group[each], ...], ()),
    }
    return create_model(
        f"{item.__name__}Section", __base__=SectionOf, __doc__=about, __module__=module, **fields
    )
