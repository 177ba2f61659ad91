"""Turn a selection into a PDF with one template and engine: view, render, TeX, its log."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import shutil
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, DocumentError, Span
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.model.text.rich_text import Text
from cvbuild.outputs.installed import MANIFEST, FontError
from cvbuild.outputs.pdf import About, Job, latex
from cvbuild.outputs.pdf.fonts import face_cache, fallbacks
from cvbuild.outputs.pdf.latex import Draft, Latex
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.pdf.tex import JOBNAME, OUT_OF_TIME, Engine, Tex
from cvbuild.outputs.pdf.tex.preloaded import PreloadedTex
from cvbuild.outputs.styles import templates, typefaces
from cvbuild.outputs.styles.manifests import FONT, margins
from cvbuild.outputs.types import Machine, Made, Shown
from cvbuild.selection import fit
from cvbuild.selection.fit import MeasuredBlock, blocks
from cvbuild.selection.selected import Selected
from cvbuild.view.types import FOOTER, Content

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.tex import LogMessage

PHOTO, LOGO, SIGNATURE = "photo.jpg", "logo.jpg", "signature.jpg"
#: An overfull box of fewer pt can't be seen.
_VISIBLE = 1.0
#: Bytes of the largest PDF that is finished.
_MOST = 100_000_000
#: cvb-fill: 86.4 697.2 13.5   (cvb-core-footers.sty: of a page, and of a line of text)
_FILL = re.compile(r"^cvb-fill: ([\d.]+) ([\d.]+) ([\d.]+)$", re.MULTILINE)
#: Bytes of the longest line that TeX may get; its own limit is buf_size in texmf.cnf, 200,000.
_LINE = 190_000
#: With fewer free bytes than this, a failure of TeX is one of the disk.
_ROOM = 256 << 10
#: Bytes of a style that are searched for a command.
_LONGEST = 1 << 20
_UNDEFINED = re.compile(r"undefined control sequence (\\[A-Za-z@_:]+)$")
#: Versions of pdfTeX that take no other font for spaces than the tree's.
_WITHOUT_SPACE_FONT = re.compile(r"-1\.40\.(?:1\d|2[0-4])\b")


class Page(Struct, frozen=True):
    """A page: the height that its text uses, the most that it could, that of a line; in pt."""

    used: float
    height: float
    line: float

    @property
    def fill(self) -> float:
        """The used part of the height."""
        return self.used / self.height


def pages(log: str) -> list[Page]:
    """Return the pages that TeX's log tells of; none if it doesn't say."""
    measured = (Page(*map(float, numbers)) for numbers in _FILL.findall(log))
    return [page for page in measured if page.height]


class Typeset(Made, frozen=True, kw_only=True):
    """A finished PDF that isn't verified yet, what it shows, and its pages as TeX tells."""

    content: Path
    job: Job
    sheets: list[Page]


class Pdf(Shown, frozen=True, eq=False, dict=True, kw_only=True):
    """A PDF and everything it needs, before TeX runs, which all its runs share.

    ``keep`` is the folder for its .tex and .log; ``cache`` has formats and fonts. ``epoch`` is the
    document's date, in seconds since 1970, and ``ident`` the source of its ids, 64 hexadecimal
    digits. ``attachment`` is a file in the PDF, ``setting`` how its texts are set; ``preloaded``
    are engines that have read all but the text, or some of it.
    """

    engine: Engine
    driver: str
    cache: Path
    epoch: int = 0
    ident: str = "0" * 64
    attachment: bytes | None = None
    setting: Setting = field(default_factory=Setting)
    preloaded: tuple[PreloadedTex, ...] = ()
    #: Shared by copies of this, as texts are put into drafts when their faces are known.
    drafts: dict[object, tuple[Selected, Draft]] = field(default_factory=dict)

    def set_as(self, **changes: Any) -> Pdf:
        """Return the same with changes of how it is set; its texts and pictures are kept."""
        changed, known = replace(self, **changes), ("view", "photo", "logo", "signature")
        vars(changed).update((name, vars(self)[name]) for name in known if name in vars(self))
        return changed

    @property
    def machine(self) -> Machine:
        """TeX and the fonts that the PDF depends on; a template may have lost the option."""
        typeface = str(self.options.get(FONT, "XCharter"))
        return Machine(self.engine.tree, self.setting.files, self.engine.label, typeface)

    def content(self) -> dict[str, str]:
        """Return what the PDF is made from: hashes and words by name."""
        files = {folder: templates.listed(folder) for folder in self.template.folders}
        units = fit.units(self.selected) if self.tightest else ()
        return {
            "text": file_state.hash_of(self.rendered.tex),
            "about": file_state.hash_of(repr(self.about(self.rendered))),
            "priorities": file_state.hash_of(repr(units)),
            **({"pages": f"{pages:g}"} if (pages := self.options.get("pages")) else {}),
            "photo": file_state.hash_of(self.photo or b""),
            **({"logo": file_state.hash_of(logo)} if (logo := self.logo) else {}),
            **({"signature": file_state.hash_of(sign)} if (sign := self.signature) else {}),
            # Not the driver: all of them make the same file.
            "engine": f"{self.engine.binary} {self.engine.version}",
            "tree": file_state.tree(self.engine.tree),
            "fonts": file_state.tree(self.setting.files),
            **{f"file {name}": part for name, part in file_state.files(files)},
        }

    @cached_property
    def rendered(self) -> Job:
        """The document with all that could be shown."""
        return self.render(self.selected, self.tightest)

    @property
    def tightest(self) -> Mapping[str, float | str]:
        """The density of the document with all that it may show."""
        density = self.template.manifest.tex.density
        return density[-1] if density else {}

    def render(
        self, selected: Selected, density: Mapping[str, float | str], *, measure: bool = False
    ) -> Job:
        """Return the document for TeX, to be measured if ``measure``; raises TemplateError."""
        files = ((PHOTO, self.photo), (LOGO, self.logo), (SIGNATURE, self.signature))
        return replace(
            self.draft_of(selected, density, measure=measure).rendered(self.setting),
            cache=self.cache,
            epoch=self.epoch,
            inputs=self.template.folders,
            assets=tuple((name, content) for name, content in files if content),
            timeout=self.request.timeout,
        )

    def draft_of(
        self, selected: Selected, density: Mapping[str, float | str], *, measure: bool = False
    ) -> Draft:
        """Return the document's TeX before its faces are known; raises TemplateError."""
        # It is kept as well, so that nothing else can get its id().
        name = (id(selected), tuple(density.items()), measure)
        if name not in self.drafts:
            options = self.options
            document = self.view if selected is self.selected else self.view_of(selected)
            footer = options.get("footer")
            # What the font of spaces between words needs: the tree of the extra has none.
            is_bare = self.engine.origin == "embedded"
            is_bare = is_bare and not _WITHOUT_SPACE_FONT.search(self.engine.version)
            icons = None
            if options.get("contacts") == "icon":
                try:
                    kinds = (line.kind for line in document.header.contacts)
                    icons = Latex(fallbacks.icon_commands(kinds))
                except FontError as error:
                    span = self.source.span(("options", "contacts"))
                    hint = f"{typefaces.HOW_TO_GET}, or write contacts: label"
                    fault = Diagnostic("error", "icons", str(error), span, hint)
                    raise DocumentError([fault]) from None
            extra = {
                "footer": Content((Text(footer),), FOOTER) if footer else None,
                "photo": Latex(PHOTO) if self.photo else None,
                "logo": Latex(LOGO) if self.logo else None,
                "signature": Latex(SIGNATURE) if self.signature else None,
                "measure": measure,
                "contacts": options.get("contacts", "plain"),
                "icons": icons,
                "links": options.get("links", "label"),
                "dates": options.get("dates", "right"),
                "spaces": Latex(face_cache.SPACE_COMMANDS if is_bare else face_cache.SPACE_MAP),
            }
            style = self.style_options(density)
            draft = latex.draft(document, self.template, style, extra, self.cache)
            self.drafts[name] = (selected, draft)
        return self.drafts[name][1]

    def style_options(self, density: Mapping[str, float | str]) -> str:
        """Return all options as the style package reads them, with those of ``density``."""
        leading = float(density.get("leading", 1)) * self.view.words.writing.leading
        changed = {**density, "leading": leading}.items()
        words = {key: part if isinstance(part, str) else f"{part:g}" for key, part in changed}
        chosen = (self.package_options() | words).items()
        return ", ".join(f"{key}={value}" for key, value in chosen)

    def about(self, job: Job) -> About:
        """Return what the file says about itself."""
        document = job.document or self.view
        head, letter = document.header, document.letter
        signature = {SIGNATURE: str(document.signature)} if document.signature else {}
        return About(
            title=letter.title if letter else head.name,
            author=head.name,
            subject=letter.subject if letter else head.headline,
            keywords=() if letter else document.keywords,
            language=document.language,
            shows={PHOTO: str(head.alt), **signature},
            attachment=self.attachment,
        )

    def package_options(self) -> dict[str, str]:
        """Return the options for the style, as plain words."""
        words: dict[str, str] = {}
        for name, option in self.template.manifest.options.items():
            if not option.package:
                continue
            value = self.options[name]
            word = str(value).lower()
            if option.type == "margins":
                sides = margins(value)
                word = f"{{{sides}}}" if "=" in sides else sides
            elif option.type in ("number", "colour"):
                word = f"{value:g}" if option.type == "number" else str(value)
            words[name if option.package is True else option.package] = word
        return words

    def compile(self, job: Job) -> Typeset:
        """Typeset and finish: a PDF in ``keep``. Raises DocumentError."""
        for number, line in enumerate(job.tex.split("\n"), start=1):
            # TeX's own message names no line.
            if 4 * len(line) > _LINE and (size := len(line.encode())) > _LINE:
                path = next((path for at, path in job.places if at == number), None)
                span = self.source.span(path) if path else None
                fact = f"TeX reads lines of {_LINE:,} bytes, and this text with those beside it"
                hint = "make several paragraphs or items of it, or a shorter list"
                fault = Diagnostic("error", "tex-line", f"{fact} makes one of {size:,}", span, hint)
                raise DocumentError([fault])
        try:
            for preloaded in self.preloaded:
                here = replace(job, folder=preloaded.folder)
                if preloaded.fits(here, self.engine):
                    preloaded.job = here
                    return self._compile(preloaded)
        except CvbuildError as error:
            if any(item.code == OUT_OF_TIME for item in error.diagnostics):
                raise
        with safe_folders.folder(self.request.scratch) as folder:
            return self._compile(Tex(replace(job, folder=folder), self.engine, self.driver))

    def _compile(self, tex: Tex) -> Typeset:
        job, folder, log = tex.job, tex.job.folder, self.keep / f"{JOBNAME}.log"
        try:
            tex.run()
        except DocumentError as error:
            if error.log == folder / log.name:
                error.log = log
            raise
        finally:
            self._save(folder)
        from cvbuild.outputs.pdf import finish

        if tex.pdf is None and (free := shutil.disk_usage(folder).free) < _ROOM:
            where = folder.parent.parent
            fact = f"TeX made no PDF, and the disk is full: {free:,} bytes are free in {where}"
            hint = "delete what is not needed there"
            raise DocumentError([Diagnostic("error", "disk-full", fact, hint=hint)], log)
        messages = tex.messages()
        diagnostics = [self._located(message, job) for message in messages]
        fatal = [item for item in diagnostics if item.severity == "error"]
        if tex.pdf is None or fatal:
            fact = "TeX made no PDF and gave no reason"
            silent = Diagnostic("error", "tex", fact, hint="read the log")
            raise DocumentError(fatal or [silent], log)
        finished = self.keep / f"{JOBNAME}.pdf"
        pdf = safe_files.read(tex.pdf, _MOST, links=False)
        try:
            safe_folders.write(
                finished, finish.finish(pdf, self.about(job), self.epoch, self.ident)
            )
        except DocumentError as error:
            error.log = log
            raise
        visible = [m.severity != "warning" or (m.amount or 0) >= _VISIBLE for m in messages]
        warnings = tuple(itertools.compress(diagnostics, visible))
        return Typeset(
            content=finished,
            warnings=warnings,
            notes=tex.notes,
            pages=tex.pages,
            job=job,
            sheets=pages(tex.log),
        )

    def measure(
        self, selected: Selected, density: Mapping[str, float | str]
    ) -> tuple[tuple[MeasuredBlock, ...], float]:
        """Return the heights of all blocks and of a page's text, in pt, from one draft pass."""
        job = self.render(selected, density, measure=True)
        with safe_folders.folder(self.request.scratch) as folder:
            try:
                heights = Tex(replace(job, folder=folder), self.engine).measure()
                if "textheight" not in heights:
                    fact = "the measurements end before the page's height"
                    raise DocumentError.because("tex-measure", fact)
            except DocumentError:
                # A full run reports the place in the person's file.
                self._save(folder)
                self.compile(self.render(selected, density))
                raise
        page = heights.pop("textheight")[1]
        return blocks((name, *place) for name, place in heights.items()), page

    def _save(self, folder: Path) -> None:
        """Move the .tex and the log to ``keep``, where people can read them."""
        keep = safe_folders.stored(self.keep, make=True)
        for path in (folder / f"{JOBNAME}{suffix}" for suffix in (".tex", ".log")):
            with contextlib.suppress(FileNotFoundError, safe_files.NotRegularError):
                safe_files.take(path, keep / path.name)

    def _located(self, message: LogMessage, job: Job) -> Diagnostic:
        """Return TeX's message with its place in the style, or in the person's file."""
        folders, style = job.inputs, f"{self.template.manifest.tex.style}.sty"
        if message.code == "missing-file" and message.message == f"the file {style} is missing":
            place = templates.place(folders[0] / MANIFEST)
            hint = f"{place} names it; write it beside that file"
            return dataclasses.replace(message.as_diagnostic(), hint=hint)
        if match := _UNDEFINED.match(message.message):
            # Where a style first has the command outside of comments.
            whole = re.compile(re.escape(match[1]) + r"(?![A-Za-z@_:])")
            for path in (path for folder in folders for path in sorted(folder.glob("*.sty"))):
                text = ""
                with contextlib.suppress(OSError, ValueError):
                    text = safe_files.read(path, _LONGEST).decode()
                for number, line in enumerate(text.splitlines(), 1):
                    if used := whole.search(re.sub(r"(?<!\\)%.*", "", line)):
                        span = Span(templates.place(path), number, used.start() + 1)
                        return message.as_diagnostic(span)
        # The field that the line was made from, else the last one before it.
        last = message.tex_line if message.file is None else None
        paths = [path for at, path in job.places if last is not None and at <= last]
        return message.as_diagnostic(self.source.span(paths[-1]) if paths else None)
