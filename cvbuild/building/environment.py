"""What a build takes from its environment: the day, the language, the workspace's templates."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from cvbuild.common.errors import UsageError
from cvbuild.model import language_tags
from cvbuild.outputs.styles import replaces
from cvbuild.outputs.styles.templates import Library

#: Seconds in a day.
DAY = 86400


def workspace_library(template_path: Iterable[str | Path] = ()) -> Library:
    """Return the templates in the given folders, ``templates/`` of the working folder, built-in.

    Raises UsageError for a folder that doesn't exist, TemplateError if ``templates`` is a link.
    """
    local = Path("templates")
    if local.is_symlink():
        raise replaces.link(local)
    named = (Path(folder) for folder in template_path)
    return Library.at(*named, own=local if local.is_dir() else None)


def known_locale(tag: str | None) -> str | None:
    """Return the requested language tag; raises UsageError if there is no such language."""
    if tag and not language_tags.is_known(tag):
        meant = language_tags.nearest(tag)
        hint = f'did you mean "{meant}"?' if meant else "write a BCP 47 tag such as en, en-GB or de"
        raise UsageError.because("locale", f'"{tag[:60]}" is not a known language tag', hint)
    return tag or None


def today() -> int:
    """Return the start of the current day in UTC, in seconds since 1970."""
    now = int(time.time())
    return now - now % DAY
