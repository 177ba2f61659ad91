"""Documents that hold every special character in every text field, for test_characters.

A marked text is ``q<number>z<characters>w<number>``: found in the extracted text by its number,
it must hold just these characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel

from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Line, Prose, Words
from cvbuild.model.dates import Date
from cvbuild.model.kinds import KINDS
from cvbuild.model.kinds.abilities import Skill
from cvbuild.model.kinds.distinctions import Award
from cvbuild.model.kinds.work import Experience
from cvbuild.model.parts import Author, Link

#: What LaTeX, Markdown, YAML, Jinja or a font could take for something else: in every field.
SPECIAL = (
    *"\\{}#$%&_^~<>|\"'`-*[]()!+.:;/@=?,",
    "--", "---", "<<", ">>", ",,", "?`", "!`", "``", "''", "**", "__", "##", "^^M", "$x$",
    "\\input{/etc/passwd}", "\\write18{x}", "\\end{document}", "%comment", "{{7*7}}", "<%x%>",
    "<<x>>", "=}x,y={",
    "\u00a0", "\u00ad", "\u2026", "\u2013", "\u2014", "\u2018", "\u2019", "\u201c", "\u201d",
    "\u00ab", "\u00bb", "\u00df", "\u00e9", "\u0142", "\u0151", "\u0159", "\u011f", "fi",
)  # fmt: skip
#: Further ones, in some fields: one of each way in which texts reach a page.
OTHERS = (
    "~~", "^^", "$$", "\\\\", "%%", "^^5c", "#1", "\\&", "\\%", "[x]", "(x)", "[^1]", "![x]",
    "&amp;", "&#38;", "<b>", "<!--", "{}", "}{", "<#x#>", "\\par", "\\relax", "\\x", "\\csname",
    "\\catcode`\\%=12", "\\verb|x|", "\\begin{x}", "\u202f", "\u201e", "\u201a", "\u2039",
    "\u203a", "\u2019\u2019", "\u2018\u2018", "\u00a1", "\u00bf", "\u00a7", "\u00b6", "\u2020",
    "\u2021", "\u00b7", "\u00d7", "\u00b0", "\u00b1", "\u20ac", "\u00a3", "\u2022", "\u00a9",
    "\u2122", "e\u0301", "\u00f1", "\u00e7", "\u0131", "\u0130", "\u015f", "\u017e", "\u00f8",
    "\u00e5", "\u00fe", "\u00f0", "\u0153", "\u00c6", "ff", "ffi", "fl",
    *"ÁÖóöúüýćČďěŁńňőŘŚśŞťůűŹźŻż",
)  # fmt: skip
#: Not to be seen, or seen otherwise, as docs/reference/schema.md says; white space is folded away.
SHOWN = {
    "\u00a0": "",
    "\u202f": "",
    "\u00ad": "",
    "'": "\u2019",
    "''": "\u2019'",
    "e\u0301": "\u00e9",
}
_ACTIVE = re.compile(r"[\\`*_\[\]<>^~]")
#: Digits of the numbers: letters that form no ligatures.
_DIGITS = "0123456789acdeghjkmn"
_FOUND = re.compile(rf"q([{_DIGITS}]{{4}})z(.*?)w\1", re.DOTALL)
#: Keys of items whose text becomes a link when the item has a URL.
LINKED = (
    "title", "name", "institution", "employer", "organization", "department", "course", "role",
    "degree",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Marked:
    """A text that the document must show: a character in a field."""

    field: str
    character: str

    @property
    def shown(self) -> str:
        """What must be found, without white space."""
        return "".join(SHOWN.get(self.character, self.character).split())


@dataclass
class Writer:
    """Fills models with marked texts of the given characters."""

    characters: Sequence[str]
    first: int
    marked: dict[str, Marked] = field(default_factory=dict)
    url: str = ""

    def text(self, name: str, prose: bool, characters: Iterable[str] = ()) -> str:
        """A text with a mark around each character."""
        parts = []
        for character in characters or self.characters:
            number = code(self.first + len(self.marked))
            self.marked[number] = Marked(name + self.url, character)
            inner = escape_markdown(character) if prose else character
            parts.append(f"q{number}z{inner}w{number}")
        return " ".join(parts)

    def model(
        self, model: type[BaseModel], name: str, without: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Every text field of the model, and in it; ``name`` is how the fields are called."""
        data: dict[str, Any] = {}
        for key, info in model.model_fields.items():
            if key in without or f"{name}.{key}" in HIDDEN:
                continue
            if self.url and key not in LINKED and name.endswith(".items"):
                continue
            annotation = info.annotation
            if info.metadata:
                annotation = Annotated[annotation, *info.metadata]  # type: ignore[assignment]
            value = self.value(annotation, f"{name}.{key}")
            if value is not None:
                data[info.alias or key] = value
        # A label without an address is left out.
        if (self.url or model is Link) and "url" in model.model_fields:
            data["url"] = "https://example.org/"
        return data

    def value(self, annotation: Any, name: str) -> Any:
        """A value for a field of that type; None for what is no text."""
        if is_line(annotation) or annotation is Prose:
            return self.text(name, annotation is Prose)
        if get_origin(annotation) is Annotated:
            return self.value(get_args(annotation)[0], name)
        if annotation is Date:
            return {"text": self.text(name, prose=False)}
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self.model(annotation, name)
        parts = [part for part in get_args(annotation) if part not in (type(None), ...)]
        if get_origin(annotation) is tuple:
            return self.several(parts[0], name)
        if get_origin(annotation) is FrozenMap and name != "profile.options":
            data = {}
            for number, character in enumerate(self.characters):
                data[self.text(f"{name}.key", prose=False, characters=[character])] = "Meaning"
                data[str(number)] = self.text(name, prose=True, characters=[character])
            return data
        if get_origin(annotation) is not Literal and len(parts) == 1:
            return self.value(parts[0], name)
        return None

    def several(self, part: Any, name: str) -> list[Any] | None:
        """Items of a list; those that are set in a box of one line hold one character each."""
        if part in (Author, Link, Skill):
            each = [Writer([c], 0) for c in self.characters]
            items = []
            for one in each:
                one.first, one.url = self.first + len(self.marked), self.url
                items.append(one.model(part, name))
                if part is Author:
                    marks = one.text(f"{name}.marks", prose=False)
                    items.append({"name": "B", "marks": marks})
                self.marked |= one.marked
            return items
        if part is Experience:
            return [
                self.model(part, name, ["roles"]),
                self.model(part, name, ["title"]),
            ]
        if name.endswith(".groups"):
            group = self.model(part, name, ["items"])
            return [{**group, "items": [self.plain(part)]}]
        value = self.value(part, name)
        return None if value is None else [value]

    @staticmethod
    def plain(group: type[BaseModel]) -> dict[str, str]:
        """The least item that a group can hold."""
        item = get_args(group.model_fields["items"].annotation)[0]
        required = {
            info.alias or key: "Plain"
            for key, info in item.model_fields.items()
            if info.is_required()
        }
        # Work needs an employer or a title.
        return required or {"employer": "Plain"}


#: Text fields that no document shows, or that have a grammar of their own.
HIDDEN = {
    "profile.name.short", "profile.name.author", "profile.photo", "profile.closing.signature",
    "profile.template", "profile.formats", "publication.bib",
    "profile.locale", "profile.sections", "profile.contact.profiles",
    "profile.name.given", "profile.name.family", "profile.variants", "profile.contact.birth_date",
}  # fmt: skip


def is_line(annotation: Any) -> bool:
    """Whether the annotation is Line or Words itself, without a grammar of its own."""
    plain = (get_args(Line), get_args(Words))
    return get_origin(annotation) is Annotated and get_args(annotation) in plain


def escape_markdown(text: str) -> str:
    """The Markdown of a plain text."""
    return _ACTIVE.sub(lambda found: "\\" + found[0], text)


def sections() -> dict[str, type[BaseModel]]:
    """The models of all kinds of sections."""
    return {name: kind.section for name, kind in KINDS.items() if kind.section}


def has_url(section: type[BaseModel]) -> bool:
    """Whether the items of a kind can have a URL."""
    item = get_args(section.model_fields["items"].annotation)[0]
    return "url" in item.model_fields


def document(characters: Sequence[str], first: int) -> tuple[str, dict[str, Marked]]:
    """YAML of a person with the characters in every field of every section."""
    writer = Writer(characters, first)
    data: dict[str, Any] = {"name": "Ada Example"}
    for key in ("summary", "interests"):
        annotation = Profile.model_fields[key].annotation
        data[key] = writer.value(annotation, f"profile.{key}")
    few = characters[:4]
    data["options"] = {"footer": writer.text("options.footer", prose=False, characters=few)}
    data["sections"] = []
    for url in ("", "+url"):
        writer.url = url
        for kind, model in sections().items():
            if url and not has_url(model):
                continue
            section = writer.model(model, kind, ["title", "note", "groups"] if url else [])
            data["sections"].append({"kind": kind, **section})
        # A run of names alone is set in another way.
        names = {"name": writer.text("skill.run", prose=True)}
        data["sections"].append({"kind": "skill", "items": [names]})
    return dump(data), writer.marked


def head(characters: Sequence[str], first: int) -> tuple[str, dict[str, Marked]]:
    """YAML of a person with the characters in every field of the head."""
    writer = Writer(characters, first)
    data = writer.model(Profile, "profile", ["summary", "interests"])
    data["contact"]["email"][0]["address"] = "ada@example.org"
    data["contact"]["phone"][0]["number"] = "+1 202 555 0123"
    for link in data["contact"]["links"]:
        link["url"] = "https://example.org/"
    return dump(data), writer.marked


def some(characters: Sequence[str], first: int) -> tuple[str, dict[str, Marked]]:
    """YAML of a person with the characters in a few fields, small enough for one page."""
    writer = Writer(characters, first)
    data = {
        "name": "Ada Example",
        # A head has to fit on a page.
        "headline": writer.text("profile.headline", prose=True, characters=characters[:80]),
        "sections": [
            {"kind": "bullets", "items": [{"text": writer.text("bullets.items.text", prose=True)}]},
            {"kind": "award", "items": [writer.model(Award, "award.items")]},
            {
                "kind": "entry",
                "items": [{"title": "Links", "links": writer.several(Link, "entry.items.links")}],
            },
        ],
    }
    return dump(data), writer.marked


def code(number: int) -> str:
    """A number in four digits."""
    digits = ""
    for _ in range(4):
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return digits


def dump(data: object) -> str:
    """YAML as a person could write it."""
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=10**9)


def found(text: str) -> dict[str, str]:
    """The marked texts of an extracted text, the first of each number, without white space."""
    marks: dict[str, str] = {}
    folded = "".join(text.replace("\u00ad", "").split())
    for match in _FOUND.finditer(folded):
        marks.setdefault(match[1], match[2])
    return marks
