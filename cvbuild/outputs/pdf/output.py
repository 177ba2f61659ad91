"""``--format pdf``: find what TeX needs and what the PDF depends on, make it and check it; png."""

from __future__ import annotations

import contextlib
import io
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from cvbuild.common import processes
from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    DocumentError,
    NoTexError,
    TemplateError,
    foreign,
)
from cvbuild.common.files import safe_files, safe_folders, user_cache
from cvbuild.inputs.yaml.tree import Source
from cvbuild.outputs import checks
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf import Expected, fonts, paging
from cvbuild.outputs.pdf.fonts import MissingCharacter, face_cache, fallbacks
from cvbuild.outputs.pdf.fonts.face_cache import Cuts
from cvbuild.outputs.pdf.latex import typography, words_to_shape
from cvbuild.outputs.pdf.tex import JOBNAME, UNUSABLE_CACHE, choose_driver, find_or_make
from cvbuild.outputs.pdf.tex.find import find_engine
from cvbuild.outputs.pdf.tex.preloaded import PreloadedTex
from cvbuild.outputs.pdf.typeset import Pdf, Typeset
from cvbuild.outputs.styles import typefaces
from cvbuild.outputs.styles.manifests import FIGURES, FONT
from cvbuild.outputs.styles.typefaces import FontFamily
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.selection import select

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.verify import Verified

_READERS = "cvbuild.outputs.pdf.verify"


class Format(Output):
    """PDF, typeset by TeX."""

    name = "pdf"
    suffix = ".pdf"
    shows_letters = has_look = True

    def prepare(self, shown: Shown) -> Pdf:
        """Find engine, faces and pictures; raises CvbuildError."""
        request = shown.request
        cache, attachment = user_cache.resolved(request.cache), None
        engine = find_engine(request.engine, shown.template.manifest.tex.needs, cache)
        if shown.options.get("embed"):
            from cvbuild.outputs.formats import jsonresume  # few documents carry their data

            # All that a template could show, or what the variant shows.
            selected = shown.selected
            if selected.variant is None:
                selected = select.select(selected.profile, {})
            attachment = jsonresume.to_bytes(selected)
        pdf = Pdf(
            **asdict(shown),
            engine=engine,
            driver=choose_driver(request.driver, engine),
            cache=cache,
            attachment=attachment,
        )
        vars(pdf).update(vars(shown))
        return with_faces(pdf)

    def complete(self, shown: Pdf, epoch: int, ident: str) -> Typeset:
        """Typeset; raises DocumentError."""
        if _READERS not in sys.modules:
            processes.meanwhile(load_readers)
        request = shown.request
        waiting: AbstractContextManager[tuple[PreloadedTex, ...]] = nullcontext(())
        if request.preloaded and not request.force and request.driver == "auto":
            waiting = request.preloaded.take(shown.keep)
        with waiting as preloaded:
            pdf = shown.set_as(epoch=epoch, ident=ident, preloaded=preloaded)
            if shown.template.manifest.tex.density:
                return paging.fill(pdf)
            return paging.typeset(pdf, replace(shown.rendered, epoch=epoch))

    def verify(self, shown: Pdf, made: Typeset) -> Made:
        """Verify it; raises DocumentError."""
        verified, unkept = _verified(shown, made), user_cache.note(shown.cache)
        if shown.request.preloaded:
            shown.request.preloaded.remember(shown.keep, made.job, shown.engine)
        return replace(
            made,
            figures={**verified.figures, **made.figures},
            warnings=(*made.warnings, *verified.diagnostics),
            notes=(*made.notes, *([unkept] if unkept else [])),
            pages=int(verified.figures["pages"]),
        )


def _verified(pdf: Pdf, page: Typeset) -> Verified:
    """Compare the PDF with what it should show; raises DocumentError if anything is wrong."""
    from cvbuild.outputs.pdf import verify
    from cvbuild.outputs.pdf.verify import pdf_facts

    facts, job, pages = pdf_facts.read(page.content), page.job, pdf.template.manifest.pages
    about = pdf.about(job)
    stated = filter(None, (about.title, about.author, about.subject, *about.keywords))
    expected = Expected(
        job.blocks,
        (*stated, *job.preamble),
        None if pages == "any" else int(pages),
        checks.secrets(pdf.source.private, pdf.profile.locale),
        pdf.source.span,
        rtl=pdf.setting.rtl,
        has_columns=any(section.column == 2 for section in pdf.selected.sections),
    )
    verified = verify.verify(facts, expected)
    if pdf.limited:
        from cvbuild.outputs import measured

        limits = pdf_facts.measure(pdf, page.content, [page.lines for page in facts.pages])
        report = measured.report(pdf, limits)
        verified = replace(verified, diagnostics=(*verified.diagnostics, *report))
    if any(item.severity == "error" for item in verified.diagnostics):
        note = Diagnostic("note", "verify", f"the rejected PDF is {page.content}")
        raise DocumentError((*verified.diagnostics, note), pdf.keep / f"{JOBNAME}.log")
    if pdf.request.compared is not None:
        pdf.request.compared(facts, expected)
    return verified


def as_pdf(shown: Shown) -> Pdf:
    """Return what was prepared, typed as a PDF; raises TypeError if it is none."""
    if isinstance(shown, Pdf):
        return shown
    raise TypeError(f"not a PDF: {shown!r}")


def load_readers() -> None:
    """Import what is needed after TeX; done while TeX runs, as it takes long."""
    for name in (_READERS, "cvbuild.outputs.pdf.tex.log", "pikepdf", "pypdfium2.raw"):
        import_module(name)


# -- the faces of a document, chosen by its characters before TeX runs -----------------------------


#: How many characters of a text a message quotes.
_QUOTED = 40


def with_faces(pdf: Pdf) -> Pdf:
    """Return the PDF with the faces of its texts; raises DocumentError for what can't be set."""
    selected = pdf.selected
    contents, locale = pdf.draft_of(selected, pdf.tightest).contents, selected.profile.locale
    typeface = _typeface(pdf)
    tex, is_oldstyle = pdf.template.manifest.tex, pdf.options.get(FIGURES) == "oldstyle"
    wanted = Cuts(is_oldstyle, tex.caps, "semibold" in tex.weights)
    try:
        with foreign(*UNUSABLE_CACHE), _format_meanwhile(pdf):
            setting, problems = fonts.choose(contents, typeface, locale, pdf.cache, wanted)
            if not problems and any(face.shaping for face in setting.used):
                words = words_to_shape(contents, setting)
                setting = fonts.shaped(setting, words, pdf.cache, wanted)
    except FontError as error:
        hint = "install it again, or choose another typeface by the option font"
        raise DocumentError.because("font", str(error), hint) from None
    if problems:
        faults = [_missing(problem, pdf.source) for problem in problems]
        refusal = DocumentError(faults, log := pdf.keep / f"{JOBNAME}.log")
        text = f"TeX was not run: the document has characters that it can't set.\n{refusal}\n"
        safe_folders.stored(pdf.keep, make=True)
        safe_folders.write(log, text.encode("utf-8", "replace"))
        raise refusal
    return pdf.set_as(setting=setting)


def _typeface(pdf: Pdf) -> FontFamily:
    """Return the typeface of the options; raises TemplateError or NoTexError if it isn't there."""
    chosen = pdf.options.get(FONT)
    if isinstance(chosen, FontFamily):
        return chosen
    name = str(pdf.machine.typeface)
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
    if any(face_cache.fonts_in(pdf.cache).folder.glob("*.json")):
        yield
        return
    from concurrent.futures import ThreadPoolExecutor  # few runs make fonts

    with ThreadPoolExecutor(1) as pool:
        # A failure will recur where the format is needed.
        pool.submit(find_or_make, pdf.rendered, pdf.engine)
        yield


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


# -- ``--format png`` --------------------------------------------------------------------------


#: Pixels per inch: A4 is 1654 by 2339 pixels, sharp on screens and in slides.
DPI = 200
#: Points per inch.
_POINTS = 72


class Pictures(Output):
    """A folder with a picture of each page of the PDF, which is built before it, as PNG."""

    name = "png"
    suffix = ".pages"
    made_from, made_as = "pdf", f"{DPI} dpi"

    def complete(self, shown: Any, epoch: int, ident: str) -> Made:  # noqa: ARG002
        """Draw the pages of the PDF that was verified; raises CvbuildError if it can't be read."""
        from pypdfium2 import PdfDocument, PdfiumError

        from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES, PDFIUM

        pdf, content = shown.origin.path, dict[str, bytes]()
        try:
            data = safe_files.read(pdf, MAX_BYTES, links=False)
            with PDFIUM, PdfDocument(data) as document:
                drawn = [page.render(scale=DPI / _POINTS).to_pil() for page in document]
        except (OSError, PdfiumError) as error:
            fact = f"{pdf} can't be read: {getattr(error, 'strerror', 'it is damaged')}"
            raise CvbuildError.because("png", fact, "build it once more") from None
        for number, picture in enumerate(drawn, start=1):
            stream = io.BytesIO()
            picture.convert("RGB").save(stream, "PNG", dpi=(DPI, DPI))
            content[f"page-{number}.png"] = stream.getvalue()
        return Made(content, {"pages": len(content)}, pages=len(content))

    def verify(self, shown: Any, made: Made) -> Made:  # noqa: ARG002
        """Nothing is left to check: the PDF was."""
        return made
