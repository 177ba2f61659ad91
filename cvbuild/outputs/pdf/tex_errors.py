"""What is said if TeX fails: the place in the template's style or in the person's file, and why."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import DocumentError
from cvbuild.common.files import safe_files
from cvbuild.outputs.styles import package_files
from cvbuild.outputs.styles.file_names import MANIFEST

if TYPE_CHECKING:
    from cvbuild.inputs.yaml.source import Source
    from cvbuild.outputs.pdf.latex.render import Rendered
    from cvbuild.outputs.pdf.tex.log import LogMessage
    from cvbuild.outputs.styles.templates import Template

#: Bytes of the longest line that TeX may get; its own limit is buf_size in texmf.cnf, 200,000.
_LINE = 190_000
#: With fewer free bytes than this, a failure of TeX is one of the disk.
_ROOM = 256 << 10
#: Bytes of a style that are searched for a command.
_LONGEST = 1 << 20
_UNDEFINED = re.compile(r"undefined control sequence (\\[A-Za-z@_:]+)$")
#: The error where TeX's log has none.
SILENT = Diagnostic("error", "tex", "TeX made no PDF and gave no reason", hint="read the log")


def refuse_long_lines(rendered: Rendered, source: Source) -> None:
    """Raise DocumentError for a line that TeX can't read; its own message names no line."""
    for number, line in enumerate(rendered.tex.split("\n"), start=1):
        if 4 * len(line) > _LINE and len(line.encode()) > _LINE:
            path = next((path for at, path in rendered.places if at == number), None)
            span = source.span(path) if path else None
            fact = f"TeX reads lines of {_LINE:,} bytes, and this text with those beside it"
            fact += f" makes one of {len(line.encode()):,}"
            hint = "make several paragraphs or items of it, or a shorter list"
            raise DocumentError([Diagnostic("error", "tex-line", fact, span, hint)])


def full_disk(folder: Path) -> Diagnostic | None:
    """Return an error if the disk has no room for what TeX writes."""
    free = shutil.disk_usage(folder).free
    if free >= _ROOM:
        return None
    fact = (
        f"TeX made no PDF, and the disk is full: {free:,} bytes are free in {folder.parent.parent}"
    )
    return Diagnostic("error", "disk-full", fact, hint="delete what is not needed there")


def located(
    message: LogMessage, rendered: Rendered, template: Template, source: Source
) -> Diagnostic:
    """Return TeX's message with its place in the style, or in the person's file."""
    if in_style := _in_style(message, template):
        return in_style
    span: Span | None = None
    if message.tex_line is not None and message.file is None:
        path = rendered.field_at(message.tex_line)
        span = source.span(path) if path else None
    return message.as_diagnostic(span)


def _in_style(message: LogMessage, template: Template) -> Diagnostic | None:
    """Return what is wrong with the template's style; None if the cause isn't known to be there."""
    style = f"{template.manifest.tex.style}.sty"
    folder = template.folders[0]
    if message.code == "missing-file" and message.message == f"the file {style} is missing":
        hint = f"{package_files.place(folder / MANIFEST)} names it; write it beside that file"
        return replace(message.as_diagnostic(), hint=hint)
    if match := _UNDEFINED.match(message.message):
        for place in template.folders:
            if span := _first(place, match[1]):
                return message.as_diagnostic(span)
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
            if match := whole.search(code):
                return Span(package_files.place(path), number, match.start() + 1)
    return None
