"""Choose a document's faces by its characters, before TeX runs.

pdfTeX's fonts are made from the document's typeface and others. A character that none has is an
error with its place.
"""

from __future__ import annotations

import contextlib
import re
import threading
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import filterfalse
from pathlib import Path

from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import CvbuildError, DocumentError, NoTexError, TemplateError
from cvbuild.common.files import safe_folders
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import language_tags
from cvbuild.outputs.pdf.fonts import choose_tex_fonts, cuts, face_cache, font_file, typefaces
from cvbuild.outputs.pdf.fonts.choose_tex_fonts import FieldText, MissingCharacter
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.typefaces import Found
from cvbuild.outputs.pdf.latex import rich_text
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.scripts import runs
from cvbuild.outputs.pdf.scripts.runs import Setting
from cvbuild.outputs.pdf.tex import formats
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_fonts
from cvbuild.outputs.pdf.tex.job_folder import usable_cache
from cvbuild.outputs.pdf.tex.types import JOBNAME
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.manifests import FONT
from cvbuild.outputs.styles.templates import Template
from cvbuild.selection.selected import Selected
from cvbuild.view.types import Content

#: The typeface where a template has lost the option.
DEFAULT = "XCharter"
#: How many characters of a text a message quotes.
_QUOTED = 40


def choose(setter: Typesetter) -> Typesetter:
    """Return the typesetter with the faces that its texts need.

    Raises DocumentError, with a place for each character that can't be set, and OSError if the log
    can't be written.
    """
    selected = setter.shown.selected
    contents, locale = _draft(setter, selected).contents, selected.profile.locale
    texts = tuple(dict.fromkeys(map(FieldText.of, contents)))
    typeface = _typeface(setter)
    setting, problems = _in_pdftex(setter, texts, typeface, locale)
    if typeface is None and (problems or language_tags.runs_right(locale)):
        raise _refusal(setter, _beyond_own(setter, problems, locale))
    if problems:
        raise _refusal(setter, [_missing(one, setter.source) for one in problems])
    return _shaped(replace(setter, setting=setting), contents)


def _typeface(setter: Typesetter) -> Found | None:
    """Return the typeface that the document's options name; None if the style has its own.

    Raises TemplateError for a name that isn't known, NoTexError if the font files are missing.
    """
    if setter.template.manifest.tex.fonts:
        return None
    chosen = setter.shown.options.get(FONT, DEFAULT)
    if isinstance(chosen, Found):
        return chosen
    name = str(chosen)
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


def _in_pdftex(
    setter: Typesetter, texts: Collection[FieldText], typeface: Found | None, locale: str
) -> tuple[Setting, list[MissingCharacter]]:
    """Return how pdfTeX sets the texts, and what it can't set."""
    if typeface is None:
        return Setting(), list(_missing_in_pdftex(setter, texts))
    with _usable_fonts(), _format_meanwhile(setter):
        wanted = cuts.of(setter.template.manifest, setter.shown.options)
        return choose_tex_fonts.choose(texts, typeface, locale, setter.cache, wanted)


@contextlib.contextmanager
def _format_meanwhile(setter: Typesetter) -> Iterator[None]:
    """Let TeX read the style's packages while the first fonts of all are made: both take long."""
    if not face_cache.is_empty(setter.cache):
        yield
        return
    job = setter.job(_draft(setter, setter.shown.selected), Path())

    def chore() -> None:
        # A failure will recur where the format is needed; a stop is none.
        with contextlib.suppress(CvbuildError, OSError, KeyboardInterrupt):
            formats.find_or_make(job, setter.engine)

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


def _refusal(setter: Typesetter, problems: Iterable[Diagnostic]) -> DocumentError:
    """Return the error; also write the log of the document, since TeX did not run."""
    error = DocumentError(problems, setter.keep / f"{JOBNAME}.log")
    text = f"TeX was not run: the document has characters that it can't set.\n{error}\n"
    with safe_folders.stored(setter.keep, make=True) as kept:
        kept.write(f"{JOBNAME}.log", text.encode("utf-8", "replace"))
    return error


def _draft(setter: Typesetter, selected: Selected) -> Rendered:
    """Return the document with all that it may show, before its fonts are known."""
    density = setter.template.manifest.tex.density
    return setter.render(selected, density[-1] if density else {})


def _shaped(setter: Typesetter, contents: Iterable[Content]) -> Typesetter:
    """Return the typesetter with the words of its scripts shaped, if it has such."""
    if not setter.setting.shaped:
        return setter
    from cvbuild.outputs.pdf.fonts import shaped_words  # few documents have such scripts

    words = rich_text.words_to_shape(contents, setter.setting)
    with _usable_fonts():
        wanted = cuts.of(setter.template.manifest, setter.shown.options)
        shaped = shaped_words.shaped(setter.setting, words, setter.cache, wanted)
        return replace(setter, setting=shaped)


def _missing_in_pdftex(
    setter: Typesetter, texts: Iterable[FieldText]
) -> Iterable[MissingCharacter]:
    """Return the first character of each field that the style's own fonts lack for pdfTeX."""
    family = font_file.t1_characters(_t1_family(setter.template, setter.engine.origin))
    code = font_file.t1_characters("lmtt")
    first: dict[FieldPath, MissingCharacter] = {}
    for text in texts:
        for part, is_code in text.parts:
            have = (code if is_code else family) | runs.INVISIBLE
            for character in filterfalse(have.__contains__, part):
                first.setdefault(text.path, MissingCharacter(text.path, character, text.plain))
    return first.values()


def _t1_family(template: Template, origin: str) -> str:
    """Return the NFSS family of the template's first .fd file: T1XCharter-LF.fd, t1lmr.fd."""
    needed = getattr(template.manifest.tex.fonts, origin).needs
    matches = (re.fullmatch(r"[Tt]1(.+)\.fd", name) for name in needed)
    return next((match[1] for match in matches if match), "")


def _beyond_own(
    setter: Typesetter, problems: Iterable[MissingCharacter], locale: str
) -> Iterator[Diagnostic]:
    """Yield an error for each field that a style's own fonts can't set, or for the direction."""
    hint = "use a template with the option font, such as academic"
    fact = f"{setter.template.name} has fonts of its own, which can't set it"
    faults = [(f"{_quoted(one)}: {fact}", one.path) for one in problems]
    whole = (f"{fact.removesuffix('it')}{locale}, which runs from right to left", ("locale",))
    for message, path in faults or [whole]:
        yield Diagnostic("error", "glyph-font", message, setter.source.span(path), hint)


def _missing(missing: MissingCharacter, source: Source) -> Diagnostic:
    """Return an error: U+1F600 GRINNING FACE in "...": no installed font has it."""
    fact = "no installed font has it"
    hint = "use another character, or leave it out"
    if missing.package:
        hint = f"{how_to_get_fonts([missing.package])}, or {hint}"
    if runs.is_mark(missing.character):
        fact = "no installed font can put it on the letter before it"
    message = f"{_quoted(missing)}: {fact}"
    return Diagnostic("error", "glyph", message, source.span(missing.path), hint)


def _quoted(missing: MissingCharacter) -> str:
    """Return the character's name and the text around it, for a message."""
    at = max(missing.text.find(missing.character), 0)
    start = max(0, at - _QUOTED // 2)
    cut = missing.text[start : start + _QUOTED]
    lead, tail = "…" if start else "", "…" if start + _QUOTED < len(missing.text) else ""
    shown = "".join(c if c.isprintable() else " " for c in cut)
    name = f"U+{ord(missing.character):04X} {unicodedata.name(missing.character, '')}".strip()
    return f'{name} in "{lead}{shown}{tail}"'
