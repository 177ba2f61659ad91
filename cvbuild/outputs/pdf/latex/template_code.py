"""The code of templates: what it may do, how it is compiled and kept, what its errors say.

Templates run sandboxed, and bounded in what one step can make; what takes many steps is bounded by
``common.limits``.

Compiling takes longer than rendering, so it is done once. What is kept is Python bytecode: the
``store`` returns none that anybody else can have written.
"""

from __future__ import annotations

import base64
import contextlib
import marshal
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.store import Store, name_of
from cvbuild.outputs.styles.templates import Template

#: The most bits of a product or a power.
_LARGEST = 4096
#: The most characters of a document's TeX; that of a long CV has 200,000.
_MOST = 32_000_000


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Refuses a power or a product that could take a day, or all memory."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(
        self, context: jinja2.runtime.Context, operator: str, left: Any, right: Any
    ) -> Any:
        """Return the product or power of two numbers; raises TypeError and ValueError."""
        if not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise TypeError(f"a template may use {operator} with numbers only")
        size = _bits(left) + _bits(right) if operator == "*" else _bits(left) * max(right, 1)
        if size > _LARGEST:
            raise ValueError(f"the result of {operator} would be too large")
        return super().call_binop(context, operator, left, right)


def _bits(number: float) -> int:
    return number.bit_length() if isinstance(number, int) else 64


def bounded(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts of a document; raises ValueError if they are far more than it can have."""
    size = 0
    for part in parts:
        size += len(part)
        if size > _MOST:
            raise ValueError(f"the template makes more than {_MOST:,} characters of TeX")
        yield part


class Compiled(jinja2.BytecodeCache):
    """Jinja's cache in ``store``; ``settings`` names all that changes what Jinja compiles to."""

    def __init__(self, store: Store, settings: str) -> None:
        self._store = store
        whole = f"{jinja2.__version__}\0{sys.version}\0{sys.implementation.cache_tag}\0{settings}"
        self._settings = whole

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template was compiled before."""
        if code := self._store.get(self._name(bucket), bucket.checksum):
            with contextlib.suppress(ValueError, EOFError, TypeError):
                bucket.code = marshal.loads(base64.b64decode(code))  # noqa: S302 - the user's own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Save what Jinja compiled; do nothing if the cache can't be written."""
        code = base64.b64encode(marshal.dumps(bucket.code)).decode()
        with contextlib.suppress(OSError):
            self._store.put(self._name(bucket), code, bucket.checksum)

    def _name(self, bucket: Bucket) -> str:
        """Return one name per template, whatever its text: an edit replaces it."""
        return name_of(bucket.key, self._settings)


#: The template of a kind's sections.
_SECTION = re.compile(r"sections/(.+)\.tex\.j2")
#: Exceptions that a template's code can raise; a bad byte in its file is a ValueError.
RAISED = (
    jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, MemoryError, OSError,
    RecursionError, TypeError, ValueError, limits.TimeUpError,
)  # fmt: skip


def diagnostic(error: BaseException, template: Template) -> Diagnostic:
    """Return the error in a template, with file and line where Jinja knows them."""
    span = None
    if isinstance(error, jinja2.TemplateNotFound) and (
        match := _SECTION.fullmatch(str(error.name))
    ):
        message = f'the kind "{match[1]}" has no LaTeX template'
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
    code, message, hint = _explained(error, template)
    return Diagnostic("error", code, message, span or Span(str(template.folders[0])), hint)


def _template_line(names: Mapping[str, Any], line: int) -> int:
    """Return the line of a template that a line of its Python code was made from."""
    template = names.get("__jinja_template__")
    return int(template.get_corresponding_lineno(line)) if template is not None else line


def _explained(error: BaseException, template: Template) -> tuple[str, str, str]:
    """Return code, message and hint for an error in a template."""
    if isinstance(error, limits.TimeUpError):
        fact = f"the template {template.name} did not finish in time"
        return "template-time", fact, "does a loop not end? if not, give it more time: --timeout"
    if isinstance(error, MemoryError):
        fact = f"the template {template.name} needs more than {limits.MEMORY >> 20:,} MB of memory"
        return "template-memory", fact, "does a loop not end?"
    hint = "cvbuild docs template-files says what templates may use"
    return "template-code", str(error) or type(error).__name__, hint
