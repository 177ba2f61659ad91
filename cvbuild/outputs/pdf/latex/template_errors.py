"""Turn what a template's code raises into a diagnostic with a place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jinja2

from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.outputs.styles.templates import Template

#: The template of a kind's sections.
_SECTION = re.compile(r"sections/(.+)\.tex\.j2")
#: Exceptions that a template's code can raise; a bad byte in its file is a ValueError.
RAISED = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    limits.TimeUpError,
)


def diagnostic(error: BaseException, template: Template) -> Diagnostic:
    """Return the error in a template, with file and line where Jinja knows them."""
    span = None
    if isinstance(error, jinja2.TemplateNotFound) and (
        found := _SECTION.fullmatch(str(error.name))
    ):
        message = f'the kind "{found[1]}" has no LaTeX template'
        hint = f"add templates/_core/{error.name}, or {error.name} to the template {template.name}"
        return Diagnostic("error", "kind", message, hint=hint)
    if isinstance(error, jinja2.TemplateSyntaxError):
        span = Span(error.filename or error.name or template.name, error.lineno, 1)
    else:
        traceback = error.__traceback__
        while traceback is not None:
            name, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
            if name.endswith(".j2"):
                if isinstance(error, limits.TimeUpError):
                    # Jinja corrects the lines of exceptions that it knows.
                    line = _template_line(traceback.tb_frame.f_globals, line)
                span = Span(name, line, 1)
            traceback = traceback.tb_next
    code, message, hint = _words(error, template)
    return Diagnostic("error", code, message, span or Span(str(template.folders[0])), hint)


def _template_line(names: Mapping[str, Any], line: int) -> int:
    """Return the line of a template that a line of its Python code was made from."""
    made = names.get("__jinja_template__")
    return int(made.get_corresponding_lineno(line)) if made is not None else line


def _words(error: BaseException, template: Template) -> tuple[str, str, str]:
    """Return code, message and hint for an error in a template."""
    if isinstance(error, limits.TimeUpError):
        fact = f"the template {template.name} did not finish in time"
        return "template-time", fact, "does a loop not end? if not, give it more time: --timeout"
    if isinstance(error, MemoryError):
        fact = f"the template {template.name} needs more than {limits.MEMORY >> 20:,} MB of memory"
        return "template-memory", fact, "does a loop not end?"
    hint = "docs/how-to/own-template.md says what templates may use"
    return "template-code", str(error) or type(error).__name__, hint
