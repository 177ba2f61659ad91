"""``--format pdf``: find what TeX needs and what the PDF depends on, make it and check it."""

from __future__ import annotations

import contextlib
import sys
import threading
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from cvbuild.common import processes, safe_folders, user_cache
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import CvbuildError, DocumentError, NoTexError, TemplateError
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs import typefaces
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.manifests import FIGURES, FONT
from cvbuild.outputs.pdf import fonts, paging
from cvbuild.outputs.pdf.fonts import MissingCharacter, face_cache, fallbacks
from cvbuild.outputs.pdf.fonts.face_cache import Cuts
from cvbuild.outputs.pdf.latex import typography, words_to_shape
from cvbuild.outputs.pdf.tex import JOBNAME, Tex, choose_driver, usable_cache
from cvbuild.outputs.pdf.tex.find import find_engine
from cvbuild.outputs.pdf.tex.preloaded import PreloadedTex
from cvbuild.outputs.pdf.typeset import Pdf, Typeset
from cvbuild.outputs.typefaces import FontFamily
from cvbuild.outputs.types import Made, Output, Plan, Show
from cvbuild.selection import select

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.verify import Verified

_READERS = "cvbuild.outputs.pdf.verify"
Paths = tuple[FieldPath, ...]


class Format(Output):
    """PDF, typeset by TeX."""

    name = "pdf"
    suffix = ".pdf"
    shows_letters = has_look = True

    def prepare(self, plan: Plan) -> Pdf:
        """Find engine, faces and pictures; raises CvbuildError."""
        settings, shown = plan.settings, plan.shown
        cache, attachment = user_cache.resolved(settings.cache), None
        engine = find_engine(settings.engine, shown.template.manifest.tex.needs, cache)
        if shown.options.get("embed"):
            from cvbuild.outputs import jsonresume  # few documents carry their data

            # All that a template could show, or what the variant shows.
            selected = shown.selected
            if selected.variant is None:
                selected = select.select(selected.profile, {})
            attachment = jsonresume.to_bytes(selected)
        pdf = Pdf(
            **asdict(plan),
            engine=engine,
            driver=choose_driver(settings.driver, engine),
            cache=cache,
            attachment=attachment,
        )
        return choose(pdf)

    def complete(self, plan: Pdf, epoch: int, ident: str, show: Show | None = None) -> Made:
        """Typeset and verify; ``show`` gets the PDF before that. Raises DocumentError."""
        if _READERS not in sys.modules:
            processes.meanwhile(load_readers)
        settings = plan.settings
        waiting: AbstractContextManager[tuple[PreloadedTex, ...]] = nullcontext(())
        if settings.preloaded and not settings.force and settings.driver == "auto":
            waiting = settings.preloaded.take(plan.keep)
        with waiting as preloaded:
            pdf = replace(plan, epoch=epoch, ident=ident, preloaded=preloaded)
            figures: dict[str, float] = {}
            if plan.template.manifest.tex.density:
                page = paging.fill(pdf, plan.selected)
            else:
                page = paging.typeset(pdf, plan.rendered, remembered=not settings.force)
                figures |= {"paging_step": page.step, "runs": page.runs}
                if page.pages:
                    figures["last_page_fill"] = round(page.pages[-1].fill, 3)
            if show:
                show(page.pdf)
            verified = _verified(pdf, page)
        unkept = user_cache.note(pdf.cache)
        if settings.preloaded:
            settings.preloaded.remember(pdf.keep, pdf.job(page.rendered, Path()), pdf.engine)
        return Made(
            content=page.pdf,
            figures={**verified.figures, **figures},
            warnings=(*page.warnings, *verified.diagnostics),
            notes=(*page.result.notes, *([unkept] if unkept else [])),
            pages=int(verified.figures["pages"]),
            left_out=outermost(page.left_out),
            fill=page.fill,
        )


def _verified(pdf: Pdf, page: Typeset) -> Verified:
    """Compare the PDF with what it should show; raises DocumentError if anything is wrong."""
    from cvbuild.outputs.pdf import verify
    from cvbuild.outputs.pdf.verify import pdf_facts

    shown = pdf.shown
    facts, expected = pdf_facts.read(page.pdf), pdf.expected(page.rendered)
    verified = verify.verify(facts, expected)
    if shown.limits:
        from cvbuild.outputs import measured

        pages = pdf_facts.measure(shown, page.pdf, [page.lines for page in facts.pages])
        report = measured.report(shown, (*measured.contents(shown), *pages))
        verified = replace(verified, diagnostics=(*verified.diagnostics, *report))
    if verified.errors:
        note = Diagnostic("note", "verify", f"the rejected PDF is {page.pdf}")
        raise DocumentError((*verified.diagnostics, note), pdf.keep / f"{JOBNAME}.log")
    if pdf.settings.compared is not None:
        pdf.settings.compared(facts, expected)
    return verified


def as_pdf(plan: Plan) -> Pdf:
    """Return ``plan``, typed as a PDF; raises TypeError if it is none."""
    if isinstance(plan, Pdf):
        return plan
    raise TypeError(f"not a PDF: {plan!r}")


def load_readers() -> None:
    """Import what is needed after TeX; done while TeX runs, as it takes long."""
    for name in (_READERS, "cvbuild.outputs.pdf.tex.log", "pikepdf", "pypdfium2.raw"):
        import_module(name)


def outermost(paths: Collection[FieldPath]) -> Paths:
    """Return the paths that are inside of no other, in order: an item, but not its bullets."""
    return tuple(
        path
        for path in sorted(paths)
        if not any(path[:length] in paths for length in range(1, len(path)))
    )


# -- the faces of a document, chosen by its characters before TeX runs -----------------------------


#: How many characters of a text a message quotes.
_QUOTED = 40


def choose(pdf: Pdf) -> Pdf:
    """Return the PDF with the faces that its texts need.

    Raises DocumentError, with a place for each character that can't be set, and OSError if the log
    can't be written.
    """
    selected = pdf.shown.selected
    contents, locale = pdf.draft(selected, pdf.tightest).contents, selected.profile.locale
    typeface = _typeface(pdf)
    tex, is_oldstyle = pdf.template.manifest.tex, pdf.shown.options.get(FIGURES) == "oldstyle"
    wanted = Cuts(is_oldstyle, tex.caps, "semibold" in tex.weights)
    with _usable_fonts(), _format_meanwhile(pdf):
        setting, problems = fonts.choose(contents, typeface, locale, pdf.cache, wanted)
    if problems:
        faults = [_missing(problem, pdf.shown.task.source) for problem in problems]
        error = DocumentError(faults, pdf.keep / f"{JOBNAME}.log")
        text = f"TeX was not run: the document has characters that it can't set.\n{error}\n"
        with safe_folders.stored(pdf.keep, make=True) as kept:
            kept.write(f"{JOBNAME}.log", text.encode("utf-8", "replace"))
        raise error
    if setting.shaped:
        words = words_to_shape(contents, setting)
        with _usable_fonts():
            setting = fonts.shaped(setting, words, pdf.cache, wanted)
    return replace(pdf, setting=setting)


def _typeface(pdf: Pdf) -> FontFamily:
    """Return the typeface that the document's options name.

    Raises TemplateError for a name that isn't known, NoTexError if the font files are missing.
    """
    chosen = pdf.shown.options.get(FONT)
    if isinstance(chosen, FontFamily):
        return chosen
    name = pdf.fonts
    if name not in typefaces.TYPEFACES:
        known = ", ".join(typefaces.TYPEFACES)
        message = f'the template offers the typeface "{name}", which cvbuild doesn\'t know'
        raise TemplateError.because("typeface", message, f"one of: {known}")
    typeface = typefaces.find(name)
    if typeface is None:
        message = f"the fonts of {name} are not installed"
        hint = f"{typefaces.how_to_get(name)}; or choose another by the option font"
        raise NoTexError.because("no-typeface", message, hint)
    return typeface


@contextlib.contextmanager
def _format_meanwhile(pdf: Pdf) -> Iterator[None]:
    """Let TeX read the style's packages while the first fonts of all are made: both take long."""
    if not face_cache.is_empty(pdf.cache):
        yield
        return
    job = pdf.job(pdf.rendered, Path())

    def chore() -> None:
        # A failure will recur where the format is needed; a stop is none.
        with contextlib.suppress(CvbuildError, OSError, KeyboardInterrupt):
            Tex(job, pdf.engine).load_format()

    thread = threading.Thread(target=chore)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextlib.contextmanager
def _usable_fonts() -> Iterator[None]:
    """Turn errors about font files and the cache into CvbuildErrors."""
    try:
        with usable_cache():
            yield
    except FontError as error:
        hint = "install it again, or choose another typeface by the option font"
        raise DocumentError.because("font", str(error), hint) from None


def _missing(missing: MissingCharacter, source: Source) -> Diagnostic:
    """Return an error: U+1F600 GRINNING FACE in "...": no installed font has it."""
    fact, hint = "no installed font has it", "use another character, or leave it out"
    if missing.package:
        hint = f"{fallbacks.how_to_get([missing.package])}, or {hint}"
    if typography.is_mark(missing.character):
        fact = "no installed font can put it on the letter before it"
    # The character's name, and the text around it.
    start = max(0, missing.text.find(missing.character) - _QUOTED // 2)
    cut = missing.text[start : start + _QUOTED]
    lead, tail = "…" if start else "", "…" if start + _QUOTED < len(missing.text) else ""
    shown = "".join(c if c.isprintable() else " " for c in cut)
    name = f"U+{ord(missing.character):04X} {unicodedata.name(missing.character, '')}".strip()
    message = f'{name} in "{lead}{shown}{tail}": {fact}'
    return Diagnostic("error", "glyph", message, source.span(missing.path), hint)
