"""TeX's errors that a template's own style is the cause of: where it is, and what to write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.files import safe_files
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import MANIFEST

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.tex.log import LogMessage
    from cvbuild.outputs.styles.templates import Template

#: Bytes of a style that are searched for a command.
_LONGEST = 1 << 20
_UNDEFINED = re.compile(r"undefined control sequence (\\[A-Za-z@_:]+)$")


def explained(message: LogMessage, template: Template) -> Diagnostic | None:
    """Return what is wrong with the template's style; None if the cause isn't known to be there."""
    style = f"{template.manifest.tex.style}.sty"
    folder = template.folders[0]
    if message.code == "missing-file" and message.message == f"the file {style} is missing":
        hint = f"{package_files.place(folder / MANIFEST)} names it; write it beside that file"
        return Diagnostic(message.severity, message.code, message.message, hint=hint)
    if found := _UNDEFINED.match(message.message):
        for one in template.folders:
            if span := _first(one, found[1]):
                return Diagnostic(
                    message.severity, message.code, message.message, span, message.hint
                )
    return None


def _first(folder: Path, command: str) -> Span | None:
    """Return where a style in ``folder`` first has a command outside of comments."""
    whole = re.compile(re.escape(command) + r"(?![A-Za-z@_:])")
    for path in sorted(folder.glob("*.sty")):
        try:
            text = safe_files.read(path, _LONGEST).decode()
        except (OSError, ValueError):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            code = re.sub(r"(?<!\\)%.*", "", line)
            if found := whole.search(code):
                return Span(package_files.place(path), number, found.start() + 1)
    return None
