"""How a request is built here: the day, the language, the workspace's templates, the cache."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import date as Day
from pathlib import Path

from cvbuild.building.request import DAY, Request
from cvbuild.common import user_cache
from cvbuild.common.errors import UsageError
from cvbuild.model import language_tags
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, day_of


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
        private=request.private,
        sets=request.sets,
        by_group=not request.one_folder,
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
        raise package_files.link(local)
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
