"""Manifests of templates: the keys of ``template.yaml``, over those of the extended template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import StringConstraints, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError, TemplateError
from cvbuild.common.suggestions import shown, suggest
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.base import FrozenMap, Line, Model, OneOrMany
from cvbuild.outputs.styles.file_names import BASE, TEMPLATE
from cvbuild.outputs.styles.options import Option, Word

API = 1
#: Types of options with values that the template defines: only these may reach TeX unescaped.
PLAIN = ("colour", "choice", "number", "margins", "flag")

#: The option by which a document gets one of ``pdf.fonts.typefaces``.
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

    head: Literal["left", "centre", "hanging", "indented"] = "left"
    """Where name and contacts stand. Beside a column of dates, contacts may be indented as the text
    is, under a name that hangs out, or all of it with the titles of sections."""
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
        for name, option in self.options.items():
            if option.package and option.type not in PLAIN:
                fact = "{name} is a {type}, which can't go to the style package"
                told = {"name": name, "type": option.type}
                raise PydanticCustomError("option_package", fact, told)
            try:
                option.read(option.default)
            except ValueError as error:
                told = {"name": name, "what": str(error)}
                fact = "the default of {name} is not {what}"
                raise PydanticCustomError("option_default", fact, told) from None
        return self


def load(path: Path) -> Source:
    """Return a manifest as it is written; raises TemplateError."""
    try:
        return source_stage.load(path, f"api: {API}")
    except ProfileError as error:
        raise TemplateError(error.diagnostics) from None


def extended(source: Source) -> str:
    """Return the name of the template that a manifest extends; raise TemplateError for none."""
    name = _mapping(source.data).get("extends") or BASE
    if isinstance(name, str) and (name == BASE or TEMPLATE.fullmatch(name)):
        return name
    raise _wrong(source, "extends", f"extends can't be {shown(name)}", "write a template's name")


def read(sources: Sequence[Source]) -> Manifest:
    """Return the manifest of the first, each of which extends the next; raise TemplateError."""
    whole: dict[str, Any] = {}
    for source in reversed(sources):
        own = _mapping(source.data)
        if own.get("api") != str(API):
            fact = f"api can't be {shown(own.get('api'))}"
            raise _wrong(source, "api", fact, f"write api: {API}")
        inherited = {key: value for key, value in whole.items() if key not in _NOT_INHERITED}
        whole = _over(own, inherited)
        _leave_out(source, inherited, whole)
    try:
        return Manifest.model_validate(whole)
    except ValidationError as error:
        told = [_told(item, sources) for item in error.errors(include_url=False)]
        raise TemplateError(told) from None


def _told(item: ErrorDetails, sources: Sequence[Source]) -> Diagnostic:
    """Return what the model found wrong, in the words of the other messages."""
    path = tuple(item["loc"])
    span, hint = _span(sources, path), "cvbuild docs template-files has the keys of a manifest"
    message = ": ".join(filter(None, (".".join(map(str, path)), item["msg"])))
    if item["type"] == "missing":
        message = f"{'.'.join(map(str, path))} is missing"
    elif item["type"] == "extra_forbidden":
        key = str(path[-1])
        message = f"unknown key {shown(key)}"
        hint = suggest(key, _keys(path[:-1]), "the keys here are")
    return Diagnostic("error", "manifest", message, span, hint)


def _keys(path: FieldPath) -> Iterable[str]:
    """Return the keys that a mapping of a manifest may have."""
    if path[:1] == ("options",):
        return Option.model_fields
    if not path:
        return Manifest.model_fields
    if path == ("tex",):
        return Tex.model_fields
    return Paper.model_fields


def _over(own: Any, base: Any, path: FieldPath = ()) -> Any:
    """Return a value over that of the base: mappings key by key, the base's keys first.

    An option that has a type replaces the base's as a whole.
    """
    if own is None:
        return base
    is_option = path[:1] == ("options",) and len(path) == 2
    if not isinstance(own, dict) or not isinstance(base, dict):
        return own
    if is_option and "type" in own:
        return own
    return {**base, **{key: _over(own[key], base.get(key), (*path, key)) for key in own}}


def _drop(whole: dict[str, Any], name: str) -> None:
    """Remove an option."""
    if isinstance(whole.get("options"), dict):
        whole["options"] = {key: one for key, one in whole["options"].items() if key != name}


def _leave_out(source: Source, inherited: Mapping[str, Any], whole: dict[str, Any]) -> None:
    """Remove the options that a manifest is ``without``."""
    known, names = _mapping(inherited.get("options")), whole.get("without") or ()
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str) or name not in known:
            hint = suggest(str(name), known, "these are inherited")
            raise _wrong(source, "without", f"no option {shown(name)} is inherited", hint)
        _drop(whole, name)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _wrong(source: Source, key: str, message: str, hint: str | None) -> TemplateError:
    return TemplateError([Diagnostic("error", "manifest", message, source.span((key,)), hint)])


def _span(sources: Sequence[Source], path: FieldPath) -> Span:
    """Return the position of a value in the first manifest that has it, or near it in the first."""
    for source in sources[:1] if {*path[:1]} & {*_NOT_INHERITED} else sources:
        try:
            source.part(path)
        except (KeyError, TypeError):
            continue
        return source.span(path)
    return sources[0].span(path)
