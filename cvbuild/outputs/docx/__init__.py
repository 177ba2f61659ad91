"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

import io
import math
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from datetime import date as Day
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.errors import missing
from cvbuild.model import language_tags
from cvbuild.outputs import checks, typefaces
from cvbuild.outputs.docx import looks, package, paragraphs
from cvbuild.outputs.docx.looks import BESIDE, LEADING, Design
from cvbuild.outputs.docx.package import Picture, element, twips
from cvbuild.outputs.docx.paragraphs import BETWEEN, BREAK, TAB, Paragraph, Run
from cvbuild.outputs.types import Made, Output, Shown

#: Heights in pt: of a photo, and of a signature; what the photo takes from the lines beside it.
_PHOTO, _SIGNED, _BESIDE_PHOTO = 28 * looks.MM, 15 * looks.MM, 27 * looks.MM


class Format(Output):
    """A Word document."""

    name = "docx"
    suffix = ".docx"
    shows_letters = has_look = fits_page = True

    def make(self, shown: Shown) -> Made:
        """Return the file; raises DocumentError for a lost text, UsageError without python-docx."""
        view = shown.view
        blocks = view.letter.body if view.letter else ()
        try:
            written, design = _written(shown)
            paths = typefaces.typeface(shown.options)
            content = to_bytes(written, design, _about(shown), paths)
            text = self.text_of(content)
        except ImportError as error:
            raise missing("--format docx", "formats", error) from None
        except SyntaxError as error:
            # lxml has no reason for refusing XML where libxml2 had no memory for one.
            if "unknown error" in str(error):
                raise MemoryError from error
            raise
        # Word writes the numbers of a list itself.
        numbers = {text.number for block in blocks for text in block.texts}
        every = (text for text in checks.contents(view) if text not in numbers)
        expected = [text for text in every if text.path[-1] != "number"]
        return Made(content, checks.require(text, expected, shown.task.source))

    def text_of(self, content: bytes) -> str:
        """Return all text in the file."""
        return package.text_of(content)


def _written(shown: Shown) -> tuple[list[Paragraph], looks.Design]:
    """Return the paragraphs and how they look."""
    options, manifest, view = shown.options, shown.template.manifest, shown.view
    written = paragraphs.of(view, options, manifest.word)
    is_letter = view.letter is not None
    design = looks.design(options, manifest.word, is_letter=is_letter)
    contact, title = design.look("Contact"), design.look("Heading 1")
    beside_photo = _BESIDE_PHOTO if shown.photo else 0
    room = design.page.text - contact.left - beside_photo
    is_even = not any("\u0590" < letter < "\u1e00" for part in written for letter in part.text)
    fitted = list(written)
    for at, (paragraph, after) in enumerate(zip(written, [*written[1:], None], strict=True)):
        if paragraph.style == "Contact":
            fitted[at] = _broken(paragraph, room / design.size)
        elif paragraph.style == "Heading 1" and title.beside and after:
            fitted[at] = _beside(paragraph, after, looks.BESIDE / title.size)
    return fitted, replace(design, has_even_lines=is_even)


def _about(shown: Shown) -> About:
    view, options = shown.view, shown.options
    head, letter = view.header, view.letter
    subject = letter.subject if letter else head.headline
    photo = signature = None
    if shown.photo:
        side, shape = (str(options[f"photo-{name}"]) for name in ("side", "shape"))
        photo = Picture(shown.photo, _PHOTO, str(head.alt), side, shape)
    if shown.signature:
        signature = Picture(shown.signature, _SIGNED, str(view.signature))
    return About(
        title=str(letter.title if letter else head.name),
        author=str(head.name),
        subject=str(subject or ""),
        keywords=() if letter else tuple(map(str, view.keywords)),
        language=view.language,
        day=shown.task.day,
        footer=str(options.get("footer", "")),
        photo=photo,
        signature=signature,
    )


# -- how wide texts are ----------------------------------------------------------------------------


#: The width in em of a letter, and of an East Asian one; who reads it may have other letters.
_LETTER, _SQUARE = 0.54, 1.0
#: Bold letters are as much wider.
_BOLD = 1.1
#: How much of a line contacts may fill, as programs don't agree on its length.
_FULL = 0.98


def _wide(text: str) -> float:
    """Return about how wide a text is, in em."""
    return sum(_SQUARE if letter > "\u2e80" else _LETTER for letter in text)


def _beside(title: Paragraph, after: Paragraph, room: float) -> Paragraph:
    """Return a title as it stands beside its section, in ``room`` em, if it can be there."""
    lines = math.ceil(_wide(title.text) * _BOLD / room)
    is_wide = max(map(_wide, title.text.split()), default=0) * _BOLD > room
    is_high = lines > 1 and after.is_last
    return title if is_wide or is_high else replace(title, lines_beside=lines)


def _broken(paragraph: Paragraph, room: float) -> Paragraph:
    """Return contacts in lines of ``room`` em; what is between two of them ends none."""
    runs, used = list[Run](), 0.0
    for is_between, group in groupby(paragraph.runs, lambda run: run == BETWEEN):
        part = [] if is_between else list(group)
        wide = _wide("".join(run.text for run in part))
        if part and runs:
            used += _wide(BETWEEN.text)
            fits = used + wide < room * _FULL
            runs.append(BETWEEN if fits else Run(BREAK))
            used = used if fits else 0.0
        runs, used = runs + part, used + wide
    return replace(paragraph, runs=tuple(runs))


# -- the file, by python-docx ----------------------------------------------------------------------


#: Characters that are the same in XML and in a document.
_MARKS = {
    "strong": "<w:b/><w:bCs/>",
    "emph": "<w:i/><w:iCs/>",
    "sup": '<w:vertAlign w:val="superscript"/>',
    "sub": '<w:vertAlign w:val="subscript"/>',
}


class About(Struct, frozen=True):
    """What the file says about itself, and what stands outside of its text."""

    title: str
    author: str
    subject: str
    keywords: tuple[str, ...]
    language: str
    day: Day | None
    footer: str = ""
    photo: Picture | None = None
    signature: Picture | None = None


def to_bytes(
    paragraphs: Sequence[Paragraph], design: Design, about: About, paths: Sequence[Path]
) -> bytes:
    """Return the file; the faces of these files go into it."""
    import docx

    document = docx.Document()
    document.element.body.clear_content()
    rtl = language_tags.runs_right(about.language)
    package.set_up(document, design, about.language, rtl=rtl)
    package.name_fonts(document, design.fonts, paths, "".join(text.text for text in paragraphs))
    _Writer(document, design, about, rtl).write(paragraphs)
    _say(document, about)
    package.tidy(document)
    held = io.BytesIO()
    document.save(held)
    return package.repacked(held.getvalue())


class _Writer(Struct):
    document: Any
    design: Design
    about: About
    rtl: bool
    lists: int = package.BULLETS

    def write(self, paragraphs: Sequence[Paragraph]) -> None:
        for paragraph in paragraphs:
            self.paragraph(paragraph)
        if self.about.photo:
            package.stand_beside(self.document, self.about.photo)
        self.footer()

    # -- paragraphs ------------------------------------------------------------------------------

    def paragraph(self, content: Paragraph) -> None:
        style = content.style.replace(" ", "")
        if content.is_picture:
            if self.about.signature:
                package.add(self.document, self.about.signature, style)
            return
        node = self.document.element.body.add_p()
        node.style = style
        properties = node.get_or_add_pPr()
        if content.with_next is not None:
            properties.append(element(f'<w:keepNext w:val="{int(content.with_next)}"/>'))
        if content.style == "List Number":
            if content.number is not None:
                self.lists += 1
                package.numbered(self.document, self.design, self.lists, content.number)
            properties.append(
                element(f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{self.lists}"/></w:numPr>')
            )
        look = self.design.look(content.style)
        if content.lines_beside:
            # It is a little lower than its lines, as those of two sections may not touch.
            high = twips(look.size * LEADING * content.lines_beside - 1)
            size = f'w:w="{twips(BESIDE)}" w:h="{high}" w:hRule="exact" w:wrap="around"'
            side = "right" if self.rtl else "left"
            place = f'w:vAnchor="text" w:hAnchor="margin" w:y="1" w:xAlign="{side}"'
            properties.append(element(f"<w:framePr {size} {place}/>"))
        if content.is_last and self.design.has_titles_beside:
            gap = max(self.design.gap, look.after)
            properties.append(element(f'<w:spacing w:after="{twips(gap)}"/>'))
        for run in content.runs:
            for part in self.runs(run):
                node.append(part)

    def runs(self, run: Run) -> Iterator[Any]:
        """Yield the elements of a run: a link holds its own."""
        marked = [
            self.run(run, text, right=right) for text, right in by_direction(run.text, self.rtl)
        ]
        if not run.url:
            yield from marked
            return
        link = element("<w:hyperlink/>")
        link.set(_name("r:id"), self.related(run.url))
        if run.tip:
            link.set(_name("w:tooltip"), run.tip)
        link.set(_name("w:history"), "1")
        link.extend(marked)
        yield link

    def related(self, url: str) -> str:
        from docx.opc.constants import RELATIONSHIP_TYPE

        part, kind = self.document.part, RELATIONSHIP_TYPE.HYPERLINK
        return str(part.relate_to(url, kind, is_external=True))

    def run(self, run: Run, text: str, *, right: bool) -> Any:
        style = run.style or ("Code" if "code" in run.marks else "Hyperlink" if run.url else "")
        named = f'<w:rStyle w:val="{style.replace(" ", "")}"/>' if style else ""
        marks = "".join(xml for name, xml in _MARKS.items() if name in run.marks)
        language = ""
        if run.language:
            tag = quoteattr(run.language)
            language = f"<w:lang w:val={tag} w:eastAsia={tag} w:bidi={tag}/>"
        turned = "<w:rtl/>" if right else ""
        node = element(f"<w:r><w:rPr>{named}{marks}{turned}{language}</w:rPr></w:r>")
        for piece in _pieces(text):
            if piece == TAB:
                node.append(element("<w:tab/>"))
            elif piece == BREAK:
                node.append(element("<w:br/>"))
            else:
                word = element('<w:t xml:space="preserve"></w:t>')
                word.text = piece
                node.append(word)
        return node

    # -- the foot --------------------------------------------------------------------------------

    def footer(self) -> None:
        """Write the person's own footer on all pages, name and number on all but the first."""
        section = self.document.sections[0]
        section.different_first_page_header_footer = True
        for part, has_number in ((section.first_page_footer, False), (section.footer, True)):
            part.is_linked_to_previous = False
            (line,) = part.paragraphs
            line.style = self.document.styles["Footer"]
            words = [self.about.footer] if self.about.footer else []
            words += [self.about.author] if has_number else []
            for text in " · ".join(words), " · " if has_number else "":
                for run in self.runs(Run(text)) if text else ():
                    line._p.append(run)  # noqa: SLF001 - it has no other name
            if has_number:
                line._p.append(  # noqa: SLF001 - see above
                    element('<w:fldSimple w:instr=" PAGE "><w:r><w:t>2</w:t></w:r></w:fldSimple>')
                )


def _name(prefixed: str) -> str:
    from docx.oxml.ns import qn

    return str(qn(prefixed))


def _pieces(text: str) -> Iterator[str]:
    """Yield tabs, breaks, and the texts between them."""
    for is_mark, group in groupby(text, lambda character: character in (TAB, BREAK)):
        characters = list(group)
        yield from characters if is_mark else ["".join(characters)]


def _say(document: Any, about: About) -> None:
    """Write the properties of the file; python-docx has its own in them."""
    properties = document.core_properties
    root = properties._element  # noqa: SLF001 - it can't be emptied otherwise
    for child in list(root):
        root.remove(child)
    properties.title, properties.author = about.title[:255], about.author[:255]
    properties.last_modified_by = about.author[:255]
    properties.language = about.language
    if about.subject:
        properties.subject = about.subject[:255]
    if about.keywords:
        properties.keywords = ", ".join(about.keywords)[:255]
    if about.day:
        moment = datetime.combine(about.day, time(), UTC).replace(tzinfo=None)
        properties.created = properties.modified = moment


# -- directions: Word asks for them run by run ---------------------------------------------------


_RIGHT, _LEFT = ("R", "AL", "AN"), ("L", "EN")


def by_direction(text: str, base: bool) -> list[tuple[str, bool]]:
    """Return the text in parts, each with whether it runs right; ``base`` is the paragraph's.

    What has no direction takes that of its neighbours if they agree, else the paragraph's. A text
    without any letter that runs right is one part.
    """
    ways = [_way(character) for character in text]
    if True not in ways:
        return [(text, False)] if text else []
    filled: list[bool] = []
    for at, way in enumerate(ways):
        before = filled[-1] if filled else base
        after = next((later for later in ways[at:] if later is not None), base)
        filled.append(way if way is not None else before if before == after else base)
    places = groupby(range(len(text)), lambda at: filled[at])
    return [("".join(text[at] for at in found), right) for right, found in places]


def _way(character: str) -> bool | None:
    kind = unicodedata.bidirectional(character)
    return True if kind in _RIGHT else False if kind in _LEFT else None
