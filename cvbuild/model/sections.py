"""What sections of every kind have: items, groups, tags and rules, bullets, links, authors."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

from msgspec.structs import replace
from pydantic import AfterValidator, Field, StringConstraints, create_model, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import (
    Line,
    Model,
    OneOrMany,
    Parsed,
    Passage,
    Prose,
    Shorthand,
    Url,
    Words,
    clean,
)
from cvbuild.model.locales.dates import Date
from cvbuild.model.text.lines import as_text, requires

#: A tag; these words are none.
TAG = r"[\w][\w.+-]*"
WORDS = ("and", "or", "not")
#: More words than anybody means.
MAX_WORDS = 200
#: What to do about a value that is no rule.
RULE_HINT = "write tags with and, or, not: systems and not teaching"


@dataclass(frozen=True, slots=True)
class Rule(Parsed):
    """A rule as it was written.

    ``either`` has the parts between its "or"; each has tags, and whether they are to be there.
    """

    source: str
    either: tuple[tuple[tuple[str, bool], ...], ...]

    def __str__(self) -> str:
        return self.source

    def matches(self, tags: Collection[str]) -> bool:
        """Return whether something with these tags meets the rule."""
        return any(all((tag in tags) is wanted for tag, wanted in part) for part in self.either)

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags that the rule names, each once, in its order."""
        return tuple(dict.fromkeys(tag for part in self.either for tag, _ in part))

    @classmethod
    def of(cls, value: object) -> "Rule":
        """Read a value of a file; raise PydanticCustomError."""
        if isinstance(value, Rule):
            return value
        text = " ".join(clean(as_text(value)).split())
        return cls(text, tuple(_parts(text)))


def _parts(text: str) -> list[tuple[tuple[str, bool], ...]]:
    if not text:
        raise PydanticCustomError("text_empty", "the text is empty")
    if other := re.search(r"[^\w.+\s-]|(?<![\w.+-])[.+-]", text):
        raise _fault(f'a rule can\'t have "{other[0]}": it is tags, and, or, not')
    words = text.split()
    if len(words) > MAX_WORDS:
        raise _fault(f"the rule has more than {MAX_WORDS} words")
    parts, tags, wanted = list[tuple[tuple[str, bool], ...]](), list[tuple[str, bool]](), True
    is_tag_next = True
    for word in (*words, ""):
        if is_tag_next and word == "not":
            wanted = not wanted
        elif is_tag_next and word and word not in WORDS:
            tags.append((word, wanted))
            is_tag_next, wanted = False, True
        elif is_tag_next:
            before = f'"{word}"' if word else "the end"
            raise _fault(f"a tag is missing before {before}")
        elif word in ("and", "or", ""):
            is_tag_next = True
            if word != "and":
                parts.append(tuple(tags))
                tags = []
        else:
            raise _fault(f'"and" or "or" is missing before "{word}"')
    return parts


def _fault(why: str) -> PydanticCustomError:
    return refused("rule", "{why}", RULE_HINT, why=why)


#: Signs after an author's name that are marks.
MARKS = "*†‡§¶‖#"
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
ARXIV = re.compile(
    r"(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:)?([0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?"
    r"|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7}(?:v[0-9]+)?)",
    re.IGNORECASE,
)


#: A flag of whatever public documents leave out.
Private = Annotated[bool, Field(description="Leave it out unless the build is private.")]
_fact, _hint = '"{value}" is a word of rules', "use another word: and, or and not join tags"
_is_tag = requires("tag_word", lambda tag: tag not in WORDS, _fact, _hint)
Tag = Annotated[Line, StringConstraints(pattern=f"^{TAG}$"), _is_tag]
_fact, _hint = '"{value}" is not a DOI', "write a DOI such as 10.1145/3357223"
Doi = Annotated[Line, requires("doi", _DOI.fullmatch, _fact, _hint)]
_fact, _hint = '"{value}" is not an arXiv id', "write an arXiv id such as 2403.11421"
Arxiv = Annotated[Line, requires("arxiv", ARXIV.fullmatch, _fact, _hint)]


class Item(Model):
    """Keys that every item and every bullet can have."""

    #: Fields whose plain text is likely the same in all languages, besides those of any item.
    NAMES: ClassVar[frozenset[str]] = frozenset()

    tags: OneOrMany[Tag] = ()
    """Words to select by."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """0 to 9: the lowest is left out first; 5 when neither the item nor its section has one."""
    keep: bool | None = None
    """Whether one page must show it, with all that is in it; as its section says when absent."""
    private: Private = False


class Phrase(Item, Shorthand):
    """A text that is shown or left out by itself."""

    shorthand: ClassVar[str] = "text"
    by_language: ClassVar[bool] = True

    text: Prose
    """The text."""


class SubBullet(Phrase):
    """A point under a bullet; it has none under itself."""

    text: Prose
    """The point."""


class Bullet(Phrase):
    """A point under an entry, or an item of a list."""

    text: Passage
    """The point."""
    bullets: OneOrMany[SubBullet] = ()
    """Points under it, one level deep."""

    @model_validator(mode="after")
    def _take_points(self) -> Self:
        """Take the list in its text, if it is written as one text, as the points under it."""
        points = self.text.points
        if points and not (self.bullets or any(one.below or one.number for one in points)):
            bullets = tuple(SubBullet.model_validate(one.text.source) for one in points)
            object.__setattr__(self, "bullets", bullets)
            object.__setattr__(self, "text", replace(self.text, points=()))
        return self


class Interest(Shorthand):
    """An interest."""

    shorthand: ClassVar[str] = "name"
    by_language: ClassVar[bool] = True
    languages: ClassVar[int] = 1

    name: Prose
    """The interest."""
    keywords: OneOrMany[Prose] = ()
    """What belongs to it."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """0 to 9: the lowest is left out first; 5 when absent."""
    keep: bool | None = None
    """Whether one page must show it, and the interests beside it."""
    private: Private = False


class Link(Model):
    """A labelled link; without a URL it is not shown."""

    label: Words
    """What it leads to: PDF, Code, Slides, Video, Dataset, Project, Preprint."""
    url: Url | None = None
    """Where it leads."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        """Read ``- PDF`` as a label, and ``- PDF: https://…`` as a label and its URL."""
        if isinstance(value, str):
            return {"label": value}
        if isinstance(value, Mapping) and len(value) == 1 and not {"label", "url"} & set(value):
            label, url = next(iter(value.items()))
            return {"label": label, "url": url}
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        pair = {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": {"type": ["string", "null"]},
        }
        return {"anyOf": [{"type": "string"}, handler(schema), pair]}


class Author(Shorthand):
    """An author; marks such as * may follow the name."""

    shorthand: ClassVar[str] = "name"

    name: Line
    """The name as printed in the publication; *, †, ‡, §, ¶ after it are marks."""
    marks: Annotated[str, AfterValidator(clean)] = ""
    """Marks set after the name."""
    me: bool | None = None
    """Whether this is the CV's person; found from the name's forms when absent."""

    @model_validator(mode="after")
    def _split_marks(self) -> Self:
        name = self.name.rstrip(MARKS + " ")
        if not name:
            hint = "write the author's name, then the mark: G. He*"
            raise refused("author_empty", "an author needs a name before the mark", hint)
        if name != self.name:
            object.__setattr__(self, "marks", self.name[len(name) :].replace(" ", "") + self.marks)
            object.__setattr__(self, "name", name)
        return self


# -- fields that items of several kinds have, each with what it holds ------------------------------

When = Annotated[Date | None, Field(description="When.")]
Town = Annotated[Prose | None, Field(description="Town and country.")]
Where = Annotated[Prose | None, Field(description="Where.")]
Page = Annotated[Url | None, Field(description="Its page.")]
LinkList = Annotated[OneOrMany[Link], Field(description="Labelled links.")]
Sentence = Annotated[Passage | None, Field(description="A sentence.")]
Sentences = Annotated[Passage | None, Field(description="A sentence or two.")]
Points = Annotated[OneOrMany[Bullet], Field(description="Points.")]
Achievements = Annotated[OneOrMany[Bullet], Field(description="What was done and achieved.")]
Tools = Annotated[OneOrMany[Prose], Field(description="Methods and tools.")]
Topics = Annotated[OneOrMany[Prose], Field(description="What it is about.")]


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
    private: Private = False


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
    private: Private = False

    #: What it holds; each kind narrows it to its own name.
    kind: str

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        # That nothing of a BibTeX file is selected is said where it is read.
        if not (self.items or self.groups or getattr(self, "bib", None)):
            hint = "give it items (or groups with items), or delete the section"
            raise refused("section_empty", "the section has no items", hint)
        return self


def of_items(kind: str, item: type[Item], about: str, module: str) -> type[SectionOf]:
    """Return the model of sections of such items; ``about`` is its docstring."""
    each: Any = item
    fields: dict[str, Any] = {
        "kind": (Literal[kind], ...),
        "items": (tuple[each, ...], ()),
        "groups": (tuple[Group[each], ...], ()),
    }
    return create_model(
        f"{item.__name__}Section", __base__=SectionOf, __doc__=about, __module__=module, **fields
    )
