"""Render the view as TeX, by the Jinja files in the template's folders.

Templates print values of the view and Latex, nothing else. Each Content, Address and Id is marked
while Jinja runs. The texts are put in when it is known which faces they are set in; then the marks
are removed, and say which field each line of the .tex was made from, and which texts and links
belong together (``printed``).

The code of templates runs sandboxed, and bounded in what one step can make; what takes many steps
is bounded by ``common.limits``. Compiling takes longer than rendering, so it is done once. What is
kept is Python bytecode: the store returns none that anybody else can have written.
"""

from __future__ import annotations

import base64
import contextlib
import marshal
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing
from markupsafe import Markup
from msgspec import Struct

from cvbuild.common import VERSION, limits
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, TemplateError, quoted
from cvbuild.common.files.user_cache import Store, name_of
from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import Text
from cvbuild.outputs.installed import are_built_in
from cvbuild.outputs.pdf import Job, PrintedBlock, PrintedLink
from cvbuild.outputs.pdf.latex import escape, typography
from cvbuild.outputs.pdf.latex.escape import Latex, unescape, words_to_shape
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.styles.templates import Template
from cvbuild.view.types import Address, Content, Document, Id, UseError, Word

#: What others use; they enter by ``bidi`` and ``typography``, too.
__all__ = ["Draft", "Latex", "draft", "unescape", "words_to_shape"]

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
        """Return the product or power of two numbers; raises UseError."""
        if not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise UseError(f"a template may use {operator} with numbers only")
        bits, more = (side.bit_length() if isinstance(side, int) else 64 for side in (left, right))
        if (bits + more if operator == "*" else bits * max(right, 1)) > _LARGEST:
            raise UseError(f"the result of {operator} would be too large")
        return super().call_binop(context, operator, left, right)


class _Undefined(jinja2.StrictUndefined):
    """What a template names and there isn't: using it raises UseError."""

    def __init__(self, _: Any = None, obj: Any = missing, name: Any = "", exc: Any = None) -> None:
        if isinstance(obj, jinja2.Undefined):
            str(obj)  # raises its own error
        fact = "nothing here is called" if obj is missing else f"{type(obj).__name__} has no"
        fact = "a template may not use" if exc is SecurityError else fact
        hint = f"{fact} {quoted(str(name))}" if name != "" else "there is nothing to take one of"
        super().__init__(hint, obj, name, UseError)  # type: ignore[arg-type]


class Compiled(jinja2.BytecodeCache):
    """Jinja's cache in ``store``; ``settings`` names all that changes what Jinja compiles to."""

    def __init__(self, store: Store, settings: str) -> None:
        self._store = store
        whole = f"{jinja2.__version__}\0{sys.version}\0{sys.implementation.cache_tag}\0{settings}"
        self._settings = whole

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template was compiled before."""
        if code := self._store.get(name_of(bucket.key, self._settings), bucket.checksum):
            with contextlib.suppress(ValueError, EOFError, TypeError):
                bucket.code = marshal.loads(base64.b64decode(code))  # noqa: S302 - the user's own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Save what Jinja compiled; do nothing if the cache can't be written."""
        code = base64.b64encode(marshal.dumps(bucket.code)).decode()
        with contextlib.suppress(OSError):
            # One name per template, whatever its text: an edit replaces it.
            self._store.put(name_of(bucket.key, self._settings), code, bucket.checksum)


#: The template of a kind's sections.
_SECTION = re.compile(r"sections/(.+)\.tex\.j2")
#: What Jinja says of code that it can't read, and what we say.
_SAID = (
    (re.compile(r"No (filter|test) named '(.+)'"), 'there is no {} "{}"'),
    (re.compile(r"unknown tag '(.+?)'"), 'there is no tag "{}"'),
    (re.compile(r"that needs to be closed is '(.+?)'"), 'a "{0}" is never closed by "end{0}"'),
)
#: What other exceptions mean.
_MEANS: tuple[tuple[type[BaseException], str], ...] = (
    (ZeroDivisionError, "this divides by zero"),
    (ArithmeticError, "a number here is too large"),
    (RecursionError, "it includes or calls itself without end"),
    (UnicodeDecodeError, "the file is not in UTF-8"),
    (Exception, "what is done here doesn't fit the values"),
)
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
                    code_of = traceback.tb_frame.f_globals.get("__jinja_template__")
                    line = code_of.get_corresponding_lineno(line) if code_of else line
                span = Span(name, line, 1)
            traceback = traceback.tb_next
    code, message, hint = _explained(error, template)
    return Diagnostic("error", code, message, span or Span(str(template.folders[0])), hint)


def _explained(error: BaseException, template: Template) -> tuple[str, str, str]:
    code, hint = "template-code", "cvbuild docs template-files says what templates may use"
    message = next((words for kind, words in _MEANS if isinstance(error, kind)), "")
    if isinstance(error, limits.TimeUpError):
        code, message = "template-time", f"the template {template.name} did not finish in time"
        hint = "does a loop not end? if not, give it more time: --timeout"
    elif isinstance(error, MemoryError):
        most = f"{limits.MEMORY >> 20:,} MB of memory"
        code, message = "template-memory", f"the template {template.name} needs more than {most}"
        hint = "does a loop not end?"
    elif isinstance(error, UseError):
        message = str(error)
    elif isinstance(error, jinja2.TemplateNotFound):
        message = f"there is no template {quoted(str(error.name))}"
    elif isinstance(error, jinja2.TemplateError):
        matches = ((pattern.search(str(error)), words) for pattern, words in _SAID)
        known = next((words.format(*match.groups()) for match, words in matches if match), None)
        if known:
            message = known
        elif isinstance(error, jinja2.TemplateSyntaxError):
            lines = (error.source or "").splitlines()[error.lineno - 1 : error.lineno]
            message = f"this can't be read as a template: {quoted(''.join(lines).strip())}"
    return code, message, hint


#: The skeleton that all templates share.
SKELETON = "document.tex.j2"
#: The marks between texts that a language may write in its own way, by the English ones.
_MARKS = {
    ", ": Word("comma"), ": ": Word("colon"), ".": Word("stop"), "(": Word("open"),
    ")": Word("close"),
}  # fmt: skip
#: The path of what the document's language adds.
_LANGUAGE: FieldPath = ("locale",)
#: Control characters, which no clean text has (see model.base.clean).
_MARK = re.compile("\x01([0-9]+)\x02")
#: Lines of the skeleton. No text can make one of them: its percent signs are escaped.
_HEAD_ENDS = "%% end of the head"
_BEGIN = "\\begin{document}"
#: Stand for what the faces are named by, and for the direction.
_FACES, _DIRECTION = "\x01faces\x02", "\x01direction\x02"


class Draft(Struct):
    """A document's TeX without its texts: what templates printed of the view, and marks of it."""

    marked: str
    printed: list[Content | Address | Id]
    document: Document

    @property
    def contents(self) -> tuple[Content, ...]:
        """Every text that is printed, in the document's order."""
        values = (self.printed[int(match[1])] for match in _MARK.finditer(self.marked))
        return tuple(value for value in values if isinstance(value, Content))

    def rendered(self, setting: Setting) -> Job:
        """Return the document's TeX; ``setting`` has the faces and directions of its texts."""
        faces = escape.preamble(setting)
        marked = self.marked.replace(f"{_FACES}\n", f"{faces}\n" if faces else "")
        marked = marked.replace(_DIRECTION, "rtl" if setting.rtl else "ltr")
        texts: dict[int, str] = {}

        def put_in(match: re.Match[str]) -> str:
            number = int(match[1])
            if number not in texts:
                value = self.printed[number]
                if isinstance(value, Content):
                    divide = typography.Divider.of(value, self.document.language)
                    texts[number] = escape.text_of(value, setting, divide)
                else:
                    shown = escape.url(value.url) if isinstance(value, Address) else str(value)
                    texts[number] = shown
            return match[0] + texts[number]

        return self._unmarked(_MARK.sub(put_in, marked).split("\n"))

    def _unmarked(self, lines: list[str]) -> Job:
        places: list[tuple[int, FieldPath]] = []
        preamble: list[Content] = []
        parts: list[tuple[str, list[Content | Address]]] = [("", [])]
        head, setup = (
            next((at for at, line in enumerate(lines, 1) if line.startswith(start)), 0)
            for start in (_HEAD_ENDS, _BEGIN)
        )
        for number, line in enumerate(lines, start=1):
            for match in _MARK.finditer(line):
                value = self.printed[int(match[1])]
                if isinstance(value, Id):
                    parts.append((value, []))
                    continue
                if number > setup:
                    parts[-1][1].append(value)
                if isinstance(value, Content):
                    places.append((number, value.path))
                    if number <= setup and value.path != _LANGUAGE:
                        preamble.append(value)
            lines[number - 1] = _MARK.sub("", line)
        return Job(
            "\n".join(lines),
            head=head if head < setup else 0,
            setup=setup,
            document=self.document,
            places=tuple(places),
            preamble=tuple(preamble),
            blocks=tuple(_block(name, part) for name, part in parts if part),
        )


def _block(name: str, printed: list[Content | Address]) -> PrintedBlock:
    """Return a block; an address is that of the next text, or of the last one if none follows."""
    pending: list[str] = []
    links: list[PrintedLink] = []
    path: FieldPath = ()
    for part in printed:
        if isinstance(part, Address):
            pending.append(part.url)
            continue
        path = part.path
        inside = (link.url for link in rich_text.links(part.nodes))
        links += [PrintedLink(url, path) for url in (*pending, *inside)]
        pending = []
    links += [PrintedLink(url, path) for url in pending]
    contents = tuple(part for part in printed if isinstance(part, Content))
    return PrintedBlock(name, contents, tuple(links))


@jinja2.pass_context
def _printed(context: jinja2.runtime.Context, value: Any) -> Markup:
    """Record what a template prints, and leave a mark in its place."""
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises the error that names the variable
    if isinstance(value, Content | Address | Id):
        if isinstance(value, Content):
            value = typography.typeset(value, addresses=context["prints_addresses"])
        context["printed"].append(value)
        return Latex(f"\x01{len(context['printed']) - 1}\x02")
    if isinstance(value, Word):
        return Latex(value)
    if isinstance(value, Markup):
        return value
    raise UseError(f"a template may print texts of the view only, not {type(value).__name__}")


_SYNTAX: Mapping[str, Any] = {
    "block_start_string": "<%", "block_end_string": "%>",
    "variable_start_string": "<<", "variable_end_string": ">>",
    "comment_start_string": "<#", "comment_end_string": "#>",
    "trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True, "autoescape": True,
}  # fmt: skip
#: These would let a template declare any string to be safe LaTeX.
_BANNED = ("safe", "escape", "e", "forceescape", "format", "join", "string", "tojson")


@lru_cache(maxsize=32)
def _environment(folders: tuple[Path, ...], cache: Path) -> jinja2.Environment:
    # The sandbox looks at each attribute, a quarter of the time; built-in templates need none.
    kind = jinja2.Environment if are_built_in(folders) else BoundedEnvironment
    # What the code of a compiled template depends on.
    compiled_by = f"{_SYNTAX} {_BANNED} {kind.__name__} {VERSION}"
    environment = kind(
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
        bytecode_cache=Compiled(Store(cache / "jinja"), compiled_by),
        undefined=_Undefined,
        finalize=_printed,
        **_SYNTAX,
    )
    for name in _BANNED:
        environment.filters.pop(name, None)
    return environment


def draft(
    document: Document, template: Template, chosen: str, extra: Mapping[str, Any], cache: Path
) -> Draft:
    """Return the document as TeX, but for its texts."""
    # ``chosen`` are the options of the style, as plain words and numbers; ``extra`` is what
    # templates get besides the document: photo, footer, measure, links; ``cache`` is the folder for
    # compiled templates. Raises TemplateError.
    environment = _environment(template.folders, cache)
    printed: list[Content | Address | Id] = []
    marks: list[tuple[Word, Content]] = []
    # Those that the document's language writes otherwise than English.
    for english, mark in document.words.writing.own.items():
        # A line may break at a mark without spaces, but not before one that ends something.
        shown = f"\u200b{mark}" if english == "(" else mark
        shown += "\u200b" if english in (", ", ": ", ".") and not mark.endswith(" ") else ""
        if english in _MARKS:
            marks.append((_MARKS[english], Content((Text(shown),), _LANGUAGE)))
    try:
        with limits.memory():
            parts = environment.get_template(SKELETON).generate(
                printed=printed,
                # A template may call something of its own ``links``.
                prints_addresses=extra.get("links") == "address",
                document=document,
                style=Latex(template.manifest.tex.style),
                chosen=Latex(chosen),
                faces=Latex(_FACES),
                direction=Latex(_DIRECTION),
                marks=tuple(marks),
                **extra,
            )
            kept, size = list[str](), 0
            for part in parts:
                kept.append(part)
                size += len(part)
                if size > _MOST:
                    raise UseError(f"the template makes more than {_MOST:,} characters of TeX")
            marked = "".join(kept)
    except RAISED as error:
        raise TemplateError([diagnostic(error, template)]) from None
    return Draft(marked, printed, document)
