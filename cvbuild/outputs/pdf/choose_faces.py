"""Choose a document's faces by its characters, before TeX runs.

pdfTeX's fonts are made from the document's typeface and others. A character that none has is an
error with its place.
"""

from __future__ import annotations

import contextlib
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, DocumentError, NoTexError, TemplateError
from cvbuild.common.files import safe_folders
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.pdf.fonts import choose_tex_fonts, cuts, face_cache, typefaces
from cvbuild.outputs.pdf.fonts.choose_tex_fonts import FieldText, MissingCharacter
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.typefaces import Found
from cvbuild.outputs.pdf.latex import rich_text
from cvbuild.outputs.pdf.scripts import runs
from cvbuild.outputs.pdf.tex import formats
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_fonts
from cvbuild.outputs.pdf.tex.job_folder import usable_cache
from cvbuild.outputs.pdf.tex.types import JOBNAME
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.manifests import FONT
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
    contents, locale = setter.draft(selected, _density(setter)).contents, selected.profile.locale
    texts = tuple(dict.fromkeys(map(FieldText.of, contents)))
    typeface = _typeface(setter)
    with _usable_fonts(), _format_meanwhile(setter):
        wanted = cuts.of(setter.template.manifest, setter.shown.options)
        setting, problems = choose_tex_fonts.choose(texts, typeface, locale, setter.cache, wanted)
    if problems:
        raise _refusal(setter, [_missing(one, setter.source) for one in problems])
    return _shaped(replace(setter, setting=setting), contents)


def _typeface(setter: Typesetter) -> Found:
    """Return the typeface that the document's options name.

    Raises TemplateError for a name that isn't known, NoTexError if the font files are missing.
    """
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


@contextlib.contextmanager
def _format_meanwhile(setter: Typesetter) -> Iterator[None]:
    """Let TeX read the style's packages while the first fonts of all are made: both take long."""
    if not face_cache.is_empty(setter.cache):
        yield
        return
    job = setter.job(setter.render(setter.shown.selected, _density(setter)), Path())

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


def _density(setter: Typesetter) -> Mapping[str, float | str]:
    """Return the density of the document with all that it may show."""
    density = setter.template.manifest.tex.density
    return density[-1] if density else {}


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
