"""A cover letter: what it says, and to whom.

Its text is paragraphs and lists in Markdown (CommonMark, read by markdown-it-py). What a letter
can't show (headings, tables, code, quotes, HTML, pictures, nested lists) is an error with its
position: it is neither set in another way nor left out silently.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date as Day
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from msgspec import Struct, field
from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import Line, Model, OneOrMany, Parsed, Shorthand
from cvbuild.model.locales.dates import day
from cvbuild.model.text.lines import scalar
from cvbuild.model.text.paragraphs import Prose

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode


#: line, column, end line, end column in the Markdown; all count from 1, the end is exclusive.
Place = tuple[int, int, int, int]
#: Characters of a letter; one of ten pages has half as many.
MAX_LENGTH = 50_000
#: Of paragraphs and items; TeX takes longer for each item of a list than for the one before.
MAX_TEXTS = 200
#: The position of an error of the whole text.
WHOLE: Place = (1, 1, 1, 1)
_TAKE_OUT = "take it out"
#: What is no part of a letter: the fact, and what to do.
_NONE = MappingProxyType(
    {
        "heading": ("a letter has no headings", "write a paragraph, perhaps in **bold**"),
        "table": ("a letter has no tables", "write a list, each item after a dash"),
        "fence": ("a letter has no blocks of code", "write a paragraph"),
        "code_block": (
            "a line that begins with four spaces or more is a block of code",
            "take the spaces away",
        ),
        "blockquote": ("a letter has no quoted blocks", "take the > away"),
        "hr": ("a letter has no lines across it", _TAKE_OUT),
        "html_block": ("a letter has no HTML", "write Markdown, or a \\ before the <"),
        "html_inline": ("a letter has no HTML", "write Markdown, or a \\ before the <"),
        "image": ("a letter has no pictures", "leave the ! away for a link"),
        "bullet_list": ("a list can't be inside a list", "end the outer list, or make it one"),
        "ordered_list": ("a list can't be inside a list", "end the outer list, or make it one"),
        "paragraph": ("an item of a list is one paragraph", "make it one, or end the list"),
        "underlined": (
            "this line makes a heading of the text above it",
            "take it out, or put an empty line before it",
        ),
        "reference": (
            "a link must have its address after its text",
            "write [words](https://example.org/page)",
        ),
        "item": ("an item of the list is empty", "write something, or take it out"),
        "empty": ("the letter has no text", "write at least one paragraph"),
        "long": (f"the letter has more than {MAX_LENGTH:,} characters", "is this the right file?"),
        "many": (f"the letter has more than {MAX_TEXTS} paragraphs and items", "make it shorter"),
    }
)
#: Blocks that are lists, and what they are here.
_LISTS: Mapping[str, Literal["bullets", "numbers"]] = MappingProxyType(
    {"bullet_list": "bullets", "ordered_list": "numbers"}
)


class Fault(Struct, frozen=True):
    """Something that can't be in a letter; ``hint`` says what to do."""

    code: str
    message: str
    place: Place
    hint: str | None = None


class Block(Struct, frozen=True):
    """A paragraph, of one text, or a list with a text for each item.

    ``start`` is the number of a numbered list's first item; ``place`` is the position of the whole
    block, and ``places`` are those of the texts.
    """

    kind: Literal["paragraph", "bullets", "numbers"]
    texts: tuple[Prose, ...]
    start: int = 1
    place: Place = WHOLE
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Body(Parsed):
    """The text of a letter."""

    blocks: tuple[Block, ...]
    json_schema: ClassVar[Mapping[str, Any]] = {
        "description": "Paragraphs and lists in Markdown.",
        **scalar(),
    }

    @classmethod
    def of(cls, value: object) -> "Body":
        """Return what ``parse`` read; raise PydanticCustomError for anything else."""
        if isinstance(value, Body):
            return value
        raise PydanticCustomError("string_type", "a text is needed")


def parse(text: str) -> tuple[tuple[Block, ...], tuple[Fault, ...]]:
    """Return the blocks of a text, and all its errors in their order."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    reader, known, root = _Reader(re.split(r"\r\n?|\n", text)), dict[str, Any](), None
    if len(text) > MAX_LENGTH:
        reader.refuse("long", WHOLE)
    else:
        tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(reader.lines), known)
        root = SyntaxTreeNode(tokens)
    blocks = tuple(block for node in (root.children if root else ()) for block in reader.read(node))
    for reference in known.get("references", {}).values():
        reader.refuse("reference", reader.place(*reference["map"]))
    if not blocks and not reader.faults:
        reader.refuse("empty", WHOLE)
    if sum(len(block.texts) for block in blocks) > MAX_TEXTS:
        reader.refuse("many", WHOLE)
    return blocks, tuple(sorted(reader.faults, key=lambda fault: fault.place))


class _Reader(Struct):
    lines: list[str]
    faults: list[Fault] = field(default_factory=list)

    def read(self, node: "SyntaxTreeNode") -> Iterator[Block]:
        if node.type == "paragraph":
            text = self._prose(node)
            if text:
                place = self.place(*_span(node))
                yield Block("paragraph", (text,), place=place, places=(place,))
        elif node.type in _LISTS:
            yield from self._list(node)
        elif node.type == "heading" and node.markup in ("-", "="):
            end = _span(node)[1]
            self.refuse("underlined", self.place(end - 1, end))
        else:
            self.refuse(node.type, self.place(*_span(node)))

    def _list(self, node: "SyntaxTreeNode") -> Iterator[Block]:
        texts, places = [], []
        for item in node.children:
            if not item.children:
                start = _span(item)[0]
                self.refuse("item", self.place(start, start + 1))
                continue
            first, *rest = item.children
            for other in rest if first.type == "paragraph" else item.children:
                # The message of a block that no letter may have says so.
                self.refuse(other.type, self.place(*_span(other)))
            text = self._prose(first) if first.type == "paragraph" else None
            if text:
                texts.append(text)
                places.append(self.place(*_span(first), inside=True))
        if texts:
            start = int(node.attrs.get("start", 1))
            place = self.place(*_span(node))
            yield Block(_LISTS[node.type], tuple(texts), start, place, tuple(places))

    def _prose(self, paragraph: "SyntaxTreeNode") -> Prose | None:
        (inline,) = paragraph.children
        start, end = _span(inline)
        token = inline.token
        before = len(self.faults)
        line = start
        for part in (token.children if token else None) or ():
            line += part.type in ("softbreak", "hardbreak")
            if part.type in ("image", "html_inline"):
                self.refuse(part.type, self.place(line, line + 1))
        # Two spaces or more at the end of a line are Markdown's other way to end one.
        source = re.sub(r"(?<! ) {2,}\n", "\\\\\n", inline.content)
        try:
            text = Prose.of(source, pictures=True)
        except PydanticCustomError as error:
            context = error.context or {}
            code = "link" if context.get("markdown") else error.type
            hint = _TAKE_OUT if code == "text_empty" else context.get("hint")
            place = self.place(start, end, inside=True)
            self.faults.append(Fault(code, error.message(), place, hint))
            return None
        return text if len(self.faults) == before else None

    def refuse(self, kind: str, place: Place) -> None:
        """Note what can't be in a letter, by the type of its node."""
        message, hint = _NONE.get(kind, ("this can't be in a letter", _TAKE_OUT))
        self.faults.append(Fault("markdown", message, place, hint))

    def place(self, start: int, end: int, *, inside: bool = False) -> Place:
        """Return the position of lines from 0; ``inside``: without the mark of an item."""
        while end > start + 1 and not self.lines[end - 1].strip():
            end -= 1
        first, last = self.lines[start], self.lines[end - 1].rstrip()
        pattern = r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?" if inside else r"\s*"
        mark = re.match(pattern, first)
        begin = mark.end() if mark else 0
        return start + 1, begin + 1, end, len(last) + 1


def _span(node: "SyntaxTreeNode") -> tuple[int, int]:
    """Return the first line of a block, counted from 0, and the line after its last."""
    lines = node.map
    return lines or (0, 1)


#: The most lines of a postal address.
MAX_LINES = 10
#: The most characters of a field on one or a few lines.
MAX_LINE = 200


def _lines(value: object) -> Any:
    if isinstance(value, str):
        value = [line.strip() for line in value.split("\n") if line.strip()] or [""]
    if isinstance(value, list) and len(value) > MAX_LINES:
        hint = "leave out lines that the post doesn't need"
        raise refused("address_lines", f"an address has at most {MAX_LINES} lines", hint)
    return value


def _short(line: str) -> str:
    # A page has no room for more, and TeX's own error would name no field.
    if len(line) > MAX_LINE:
        fact = "this line has {count} characters, and a letter has room for {most}"
        hint = "make it shorter: the text of the letter may say the rest"
        raise refused("line_long", fact, hint, count=len(line), most=MAX_LINE)
    return line


#: A line that has room in a letter.
Short = Annotated[Line, AfterValidator(_short)]


class Recipient(Model):
    """Who the letter is addressed to."""

    name: Short | None = None
    """The person's name, as the letter greets them: Prof. Lin Example."""
    title: Short | None = None
    """What they are: Head of Research."""
    organization: Short | None = None
    """The employer."""
    address: Annotated[OneOrMany[Short], BeforeValidator(_lines)] = ()
    """Lines of the postal address: a list, or a block of text."""

    @model_validator(mode="after")
    def _is_addressed(self) -> Self:
        if self.name is None and self.organization is None:
            hint = "add name: or organization: to it"
            raise refused("recipient", "the recipient has no name and no organization", hint)
        return self


class Letter(Shorthand):
    """A cover letter; if written as one text, that is the name of the file that has it."""

    shorthand: ClassVar[str] = "file"

    recipient: Recipient | None = None
    """Who it is addressed to."""
    date: Annotated[Day, BeforeValidator(day)] | None = None
    """The date of the letter: 2026-01-31; the application's when absent."""
    subject: Short | None = None
    """What it is about; the application's position when absent."""
    opening: Short | None = None
    """How it begins: Dear Prof. Example,; the language's own words when absent."""
    body: Body | None = None
    """Paragraphs and lists in Markdown; or name a file."""
    file: Line | None = None
    """A Markdown file in this file's folder that has the text."""
    closing: Short | None = None
    """How it ends: Kind regards,; the language's own words when absent."""
    signature: Line | None = None
    """A PNG or JPEG file in this file's folder."""
    enclosures: OneOrMany[Short] = ()
    """What comes with it: CV, Transcript."""
