"""Which documents are requested of each person, whether they exist, and how they are built here."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from datetime import date as Day
from pathlib import Path

from cvbuild.building import DAY, PDF, Request
from cvbuild.common import user_cache
from cvbuild.common.diagnostics import Diagnostic, suggest
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import layers, workspace
from cvbuild.inputs.people import Person, everyone
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import language_tags
from cvbuild.outputs import registry, templates
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import Settings, day_of


def settled(
    request: Request, *, force: bool = False, timeout: float = 60
) -> tuple[Request, Settings]:
    """Return the request with the names of all templates and formats, and how they are built.

    Raises UsageError for what doesn't exist.
    """
    settings = settings_of(request, force=force, timeout=timeout)
    library = settings.library
    layers.read_overrides(request.sets)
    formats = _requested_formats(request.formats, cluster=bool(request.cluster))
    templates = library.names() if request.all_templates else request.templates
    for name in templates if not request.variants else ():
        is_known = name in library.names()
        if not is_known and any(name in (variants_of(person) or ()) for person in everyone()):
            fact = f'"{name}" is a variant, not a template'
            raise UsageError.because("template", fact, f"use --variant {name}")
        library.require(name)
    return request._replace(templates=templates, formats=formats), settings


def _requested_formats(names: Iterable[str], *, cluster: bool = False) -> tuple[str, ...]:
    """Return the names of outputs, each once; none if each person's own are meant.

    Raises UsageError for one that doesn't exist, and for one that a cluster can't make.
    """
    formats = tuple(dict.fromkeys(names)) or ((PDF,) if cluster else ())
    for name in formats:
        registry.find(name)
    if cluster and formats != (PDF,):
        hint = "leave out --cluster: the other formats need no TeX and are quick to build here"
        raise UsageError.because("format", "a cluster makes only PDFs", hint)
    return formats


def require_variants(people: Sequence[Person], requested: Request) -> None:
    """Raise UsageError for a variant that a named person doesn't have, or that nobody has.

    A file that can't be read is reported when it is built.
    """
    if not requested.variants:
        return
    has = {person.name: variants_of(person) for person in people}
    known = {name: None for names in has.values() for name in names or ()}
    faults = []
    for name in dict.fromkeys(requested.variants):
        without = [who for who, names in has.items() if names is not None and name not in names]
        if requested.everybody and len(without) == len(has):
            fault = f'nobody has a variant "{name}"', _hint(name, known)
            faults.append(Diagnostic("error", "variant", fault[0], hint=fault[1]))
        for who in () if requested.everybody else without:
            message, hint = f'{who} has no variant "{name}"', _hint(name, has[who] or ())
            faults.append(Diagnostic("error", "variant", message, hint=hint))
    if faults:
        raise UsageError(faults)


def _hint(name: str, known: Iterable[str]) -> str:
    names = tuple(known)
    return suggest(name, names, "the variants are") if names else "write variants: in the file"


def variants_of(person: Person) -> tuple[str, ...] | None:
    """Return the names of a person's variants, shared ones too; None for no readable file."""
    try:
        source = source_stage.load(person.path)
    except ProfileError:
        return None
    data = workspace.applied(source, person).source.data
    written = data.get("variants") if isinstance(data, dict) else None
    return tuple(written) if isinstance(written, dict) else ()


# -- the day, the language, the workspace's templates, the cache -----------------------------------


def settings_of(request: Request, *, force: bool = False, timeout: float = 60) -> Settings:
    """Return how the requested documents are built; raises UsageError for what doesn't exist."""
    return Settings(
        out=Path(request.out),
        library=workspace_library(request.template_path),
        today=today(),
        epoch=_epoch(request.epoch),
        engine=request.engine,
        driver=request.driver,
        force=force,
        timeout=timeout,
        cache=user_cache.folder(),
        locale=known_locale(request.locale),
    )


def _epoch(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,11}", text):
        hint = "set it to a number of seconds since 1970"
        raise UsageError.because("epoch", f'SOURCE_DATE_EPOCH is "{text}"', hint)
    return int(text)


def counted_from(epoch: str) -> Day:
    """Return the day from which times count back: SOURCE_DATE_EPOCH's if it is set, else today.

    Raises UsageError for an ``epoch`` that is no number.
    """
    seconds = _epoch(epoch)
    return day_of(today() if seconds is None else seconds)


def workspace_library(template_path: Iterable[str | Path] = ()) -> Library:
    """Return the templates in the given folders, ``templates/`` of the working folder, built-in.

    Raises UsageError for a folder that doesn't exist, TemplateError if ``templates`` is a link.
    """
    local = Path("templates")
    if local.is_symlink():
        raise templates.link(local)
    named = (Path(folder) for folder in template_path)
    return Library.at(*named, own=local if local.is_dir() else None)


def known_locale(tag: str | None) -> str | None:
    """Return the requested language tag; raises UsageError if there is no such language."""
    if tag and not language_tags.is_known(tag):
        meant = language_tags.nearest(tag)
        remedy = "give one of them" if "," in tag else "write a BCP 47 tag such as en, en-GB or de"
        hint = f'did you mean "{meant}"?' if meant else remedy
        raise UsageError.because("locale", f'"{tag[:60]}" is not a known language tag', hint)
    return tag or None


def today() -> int:
    """Return the start of the current day in UTC, in seconds since 1970."""
    now = int(time.time())
    return now - now % DAY
