"""Manifests of templates, over those of the extended ones, and the options that they define."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import (
    Diagnostic,
    FieldPath,
    ProfileError,
    Span,
    TemplateError,
    shown_value,
    suggest,
)
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.base import FrozenMap, Line, Model, OneOrMany, clean
from cvbuild.model.profile import OWN_SECTIONS, Profile
from cvbuild.outputs.installed import BASE, TEMPLATE

API = 1
#: Types of options with values that the template defines: only these may reach TeX unescaped.
PLAIN = ("colour", "choice", "number", "margins", "flag")

#: The option by which a document gets one of ``outputs.styles.typefaces``.
FONT = "font"
#: The option with the picture of a house's mark.
LOGO = "logo"
#: The option that chooses the figures of such a typeface.
FIGURES = "figures"
#: The option with the kinds in the narrow column of a template that has two.
ASIDE = "aside"
#: Keys of a manifest that aren't inherited.
_NOT_INHERITED = ("api", "title", "description", "audience", "extends", "without")
FileName = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Step = Annotated[Line, StringConstraints(pattern=r"^(gap|leading|size|height|margin)$")]


class Tex(Model):
    """The part of a style that only TeX needs."""

    style: FileName
    needs: FrozenMap[FileName, Line] = FrozenMap()
    density: tuple[FrozenMap[Word, float], ...] = ()
    """Options of the style from loose to tight, for templates of one page."""
    paging: tuple[FrozenMap[Step, float], ...] = ()
    """Steps for a last page that is nearly empty: factors, and pt that are added to the size."""
    fit: tuple[FrozenMap[Step, float], ...] = ()
    """Further steps for the most pages that a person asks for, from the least change on; also mm
    that are added to the margins at the top and at the foot."""
    caps: bool = False
    """Whether the style uses small capitals (\\CvbCaps), for which fonts are made."""
    weights: tuple[Literal["semibold"], ...] = ()
    """Weights beside regular and bold that it uses (\\CvbWeight)."""


Marks = OneOrMany[
    Literal["bold", "regular", "italic", "small", "capitals", "small-capitals", "accent", "muted"]
]


class Paper(Model):
    """How a document for Word looks, where it has no option: like the style's pages."""

    head: Literal["left", "centre"] = "left"
    """Where name and contacts stand."""
    name: Marks = ("bold",)
    headline: Marks = ("muted",)
    titles: Marks = ("bold",)
    who: Marks = ()
    """The line below the title of an entry: for whom and where."""
    line: Literal["titles", "above", "head", "none"] = "titles"
    """Where rules are: below titles, if the option says so, above them, or below the head."""
    entries: Literal["one-line", "two-lines", "place-right", "employer-first"] = "two-lines"
    """Whether the head of an entry has where and for whom on a line of their own, the place at its
    edge, or the employer and the place on its first line."""


class Manifest(Model):
    """The keys of ``template.yaml``, with those that it inherits."""

    api: Literal["1"]
    title: Line
    description: Line
    audience: Line | None = None
    """For whom the template is."""
    extends: Line = BASE
    without: OneOrMany[Word] = ()
    """Options of the extended template that this one doesn't have."""
    pages: Literal["any", "1"] = "any"
    tex: Tex
    word: Paper = Paper()
    options: FrozenMap[Word, Option] = FrozenMap()

    @property
    def columns(self) -> int:
        """The number of columns: two with an option for what is in the second."""
        return 2 if ASIDE in self.options else 1

    @property
    def layout(self) -> str:
        """How many columns it has, in words."""
        return "two columns" if self.columns == 2 else "one column"

    @model_validator(mode="after")
    def _sound(self) -> Manifest:
        if self.pages == "1" and not self.tex.density:
            fact = "a template of one page needs density: options from airy to tight"
            raise PydanticCustomError("density", fact)
        if self.pages == "1" and self.columns > 1:
            fact = "a template of one page has one column: leave the option aside out"
            raise PydanticCustomError("one_column", fact)
        for name, option in self.options.items():
            if option.package and option.type not in PLAIN:
                fact = "{name} is a {type}, which can't go to the style package"
                described = {"name": name, "type": option.type}
                raise PydanticCustomError("option_package", fact, described)
            try:
                option.read(option.default)
            except ValueError as error:
                described = {"name": name, "what": str(error)}
                fact = "the default of {name} is not {what}"
                raise PydanticCustomError("option_default", fact, described) from None
        return self


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict | FrozenMap) else {}


def load(path: Path) -> Source:
    """Return a manifest as it is written; raises TemplateError."""
    try:
        return source_stage.load(path, f"api: {API}")
    except ProfileError as error:
        raise TemplateError(error.diagnostics) from None


def extended(source: Source) -> str:
    """Return the name of the template that a manifest extends; raise TemplateError for none."""
    name = mapping(source.data).get("extends") or BASE
    if isinstance(name, str) and (name == BASE or TEMPLATE.fullmatch(name)):
        return name
    fact, span = f"extends can't be {shown_value(name)}", source.span(("extends",))
    raise TemplateError.because("manifest", fact, "write a template's name", span)


def read(sources: Sequence[Source]) -> Manifest:
    """Return the manifest of the first, each of which extends the next; raise TemplateError."""
    whole: dict[str, Any] = {}
    for source in reversed(sources):
        own = mapping(source.data)
        if own.get("api") != str(API):
            fact = f"api can't be {shown_value(own.get('api'))}"
            span = source.span(("api",))
            raise TemplateError.because("manifest", fact, f"write api: {API}", span)
        inherited = {key: value for key, value in whole.items() if key not in _NOT_INHERITED}
        whole = _over(own, inherited)
        # The options that it is ``without``.
        known, names = mapping(inherited.get("options")), whole.get("without") or ()
        for name in [names] if isinstance(names, str) else names:
            if not isinstance(name, str) or name not in known:
                fact = f"no option {shown_value(name)} is inherited"
                hint = suggest(str(name), known, "these are inherited")
                raise TemplateError.because("manifest", fact, hint, source.span(("without",)))
            if isinstance(whole.get("options"), dict):
                whole["options"] = {k: v for k, v in whole["options"].items() if k != name}
    try:
        return Manifest.model_validate(whole)
    except ValidationError as error:
        from cvbuild.inputs.validation import errors, slots

        faults: dict[FieldPath, Diagnostic] = {}
        for item in error.errors(include_url=False):
            slot = slots.find(item["loc"], sources[0].data, Manifest)
            message, advice = errors.words({**item}, slot)
            advice = advice or "cvbuild docs template-files has the keys of a manifest"
            fault = Diagnostic("error", "manifest", message, _span(sources, slot.path), advice)
            faults.setdefault(slot.path, fault)
        raise TemplateError(faults.values()) from None


def _over(value: Any, base: Any, path: FieldPath = ()) -> Any:
    """Return a value over that of the base: mappings key by key, the base's keys first."""
    # An option that has a type replaces the base's as a whole.
    if value is None:
        return base
    if not isinstance(value, dict) or not isinstance(base, dict):
        return value
    if path[:1] == ("options",) and len(path) == 2 and "type" in value:
        return value
    return {**base, **{key: _over(value[key], base.get(key), (*path, key)) for key in value}}


def _span(sources: Sequence[Source], path: FieldPath) -> Span:
    """Return the position of a value in the first manifest that has it, or near it in the first."""
    for source in sources[:1] if {*path[:1]} & {*_NOT_INHERITED} else sources:
        try:
            source.part(path)
        except (KeyError, TypeError):
            continue
        return source.span(path)
    return sources[0].span(path)


# -- options: their types, and reading a value of a file as one ------------------------------------


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

_FONT_FILE = re.compile(r".+\.(?:otf|ttf)", re.IGNORECASE | re.DOTALL)
_OTHER_FONT = re.compile(r".+\.(?:ttc|otc|woff2?|pfb|dfont)", re.IGNORECASE | re.DOTALL)

Word = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")]


class Option(Model):
    """One option of a template: its type, its default and what it is for.

    Web pages follow those that ``formats.html.style_sheet`` reads (``CHOICES`` are classes of the
    page), Word documents those that ``formats.docx.looks`` and ``paragraphs`` read; TeX has all.
    """

    type: Literal["colour", "choice", "number", "margins", "flag", "text", "kinds"]
    default: Any
    doc: Line
    choices: tuple[Line, ...] = ()
    min: float | None = None
    max: float | None = None
    files: bool = False
    """Whether a choice also takes the name of a font file."""
    package: Annotated[bool | Word, Field(union_mode="left_to_right")] = False
    """Whether the style package gets it, and under which name if another."""

    def read(self, value: object) -> object:
        """Return a file's value with its type; raise ValueError that says what is valid."""
        match self.type:
            case "colour":
                match = _COLOUR.fullmatch(ACCENTS.get(str(value).lower(), str(value)))
                if not match:
                    digits = 'six hexadecimal digits such as "1F3A5F", in quotes'
                    raise ValueError(f"{', '.join(ACCENTS)}, or {digits}")
                return match[1].upper()
            case "choice":
                if self.files and is_font_file(value):
                    return value
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
        if isinstance(value, dict | list | tuple | FrozenMap):
            raise ValueError("a text")  # noqa: TRY004 - all faults of a value are one type
        try:
            return " ".join(clean("" if value is None else str(value)).split())
        except PydanticCustomError:
            raise ValueError("a text without control characters") from None

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


def is_font_file(value: object) -> bool:
    """Return whether a value names a font file; raise ValueError for one that can't be read."""
    if _OTHER_FONT.fullmatch(str(value)):
        raise ValueError("an .otf or .ttf file: a collection or a web font must be converted")
    return isinstance(value, str) and bool(_FONT_FILE.fullmatch(value))


def margins(lengths: Sequence[float]) -> str:
    """Return the margins of ``SIDES`` as a person writes them: 20, or top=20, left=30, …."""
    if len({*lengths}) == 1:
        return f"{lengths[0]:g}"
    return ", ".join(f"{side}={length:g}" for side, length in zip(SIDES, lengths, strict=True))
