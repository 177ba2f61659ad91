"""The code of templates: what it may do, how it is compiled and kept, what its errors say.

Templates run sandboxed, and bounded in what one step can make; what takes many steps is bounded by
``common.limits``.

Compiling takes longer than rendering, so it is done once. The files are Python bytecode, so they
are used only if nobody else can have written them: neither the folder nor the file may belong to
another user or be writable for others. If a file is damaged or the folder can't be used, Jinja
compiles again.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.files import safe_files
from cvbuild.common.sealed import is_ours
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


#: How many bytes of a file are read.
_LARGEST_CACHE = 64 << 20
#: Bytes of the checksum that each file begins with.
_SUM = hashlib.sha256().digest_size


class Compiled(jinja2.BytecodeCache):
    """Jinja's cache in ``folder``; ``settings`` names all that changes what Jinja compiles to."""

    def __init__(self, folder: Path, settings: str) -> None:
        self._folder = folder
        whole = f"{jinja2.__version__}\0{sys.version}\0{sys.implementation.cache_tag}\0{settings}"
        self._settings = whole

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template was compiled before."""
        try:
            with safe_files.regular(self._file(bucket), links=False) as file:
                if not (is_ours(self._folder.stat()) and is_ours(os.fstat(file.fileno()))):
                    return
                data = safe_files.bounded(file, self._folder, _LARGEST_CACHE)
            if data[:_SUM] == self._sum(bucket, data[_SUM:]):
                bucket.code = marshal.loads(data[_SUM:])  # noqa: S302 - ours alone, see above
        except (OSError, ValueError, EOFError, TypeError):
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Save what Jinja compiled; do nothing if the cache can't be written."""
        data = marshal.dumps(bucket.code)
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_ours(self._folder.stat()):
                whole = self._sum(bucket, data) + data
                safe_files.replace(self._file(bucket), whole, mode=0o600)

    def _file(self, bucket: Bucket) -> Path:
        """Return one file per template, whatever its text: an edit replaces it."""
        name = hashlib.sha256(f"{bucket.key}\0{self._settings}".encode()).hexdigest()[:32]
        return self._folder / name

    def _sum(self, bucket: Bucket, data: bytes) -> bytes:
        """Return a checksum of the program and of what it was compiled from."""
        return hashlib.sha256(f"{bucket.checksum}\0{self._settings}\0".encode() + data).digest()


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
