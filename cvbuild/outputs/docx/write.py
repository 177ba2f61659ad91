"""Write paragraphs as a Word file, by python-docx."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from datetime import date as Day
from itertools import groupby
from typing import Any
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from cvbuild.model import language_tags
from cvbuild.outputs.docx import package, styles
from cvbuild.outputs.docx.looks import ASIDE, BESIDE, GUTTER, LEADING, Design
from cvbuild.outputs.docx.package import Picture
from cvbuild.outputs.docx.paragraphs import BREAK, TAB, Paragraph, Run
from cvbuild.outputs.docx.styles import element, twips

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
    paragraphs: Iterable[Paragraph], design: Design, about: About, faces: Mapping[str, bytes]
) -> bytes:
    """Return the file; ``faces`` of the typeface go into it."""
    import docx

    document = docx.Document()
    document.element.body.clear_content()
    rtl = language_tags.runs_right(about.language)
    styles.set_up(document, design, about.language, rtl=rtl)
    package.name_fonts(document, design.fonts, faces)
    _Writer(document, design, about, rtl).write(list(paragraphs))
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
    lists: int = styles.BULLETS

    def write(self, paragraphs: list[Paragraph]) -> None:
        places, photo = self.places(), self.about.photo
        cells = self.document.element.body.xpath(".//w:tc")
        for paragraph in paragraphs:
            self.paragraph(paragraph, places[paragraph.column])
        if photo and self.in_columns:
            package.add(self.document, photo, "BodyText", cells[2])
        elif photo:
            package.stand_beside(self.document, photo)
        for cell in cells:
            if not cell.p_lst:
                cell.add_p()
        self.footer()

    @property
    def in_columns(self) -> bool:
        return self.design.page.columns == 2

    def places(self) -> list[Any]:
        """Return where all goes that is above columns, in the main one, the narrow one, below."""
        body, page = self.document.element.body, self.design.page
        if not self.in_columns:
            return [body] * 4
        widths = (page.main, GUTTER, ASIDE)
        columns = "".join(f'<w:gridCol w:w="{twips(one)}"/>' for one in widths)
        cells = "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="{twips(one)}" w:type="dxa"/></w:tcPr></w:tc>'
            for one in widths
        )
        sides = "".join(f'<w:{side} w:w="0" w:type="dxa"/>' for side in ("left", "right"))
        table = element(
            f"<w:tbl><w:tblPr>{'<w:bidiVisual/>' * self.rtl}<w:tblLayout"
            f' w:type="fixed"/><w:tblCellMar>{sides}</w:tblCellMar></w:tblPr>'
            f"<w:tblGrid>{columns}</w:tblGrid>{f'<w:tr>{cells}</w:tr>' * 2}</w:tbl>"
        )
        body.insert(0, table)
        # Word wants a paragraph after a table: one without height.
        small = '<w:spacing w:line="20" w:lineRule="exact"/>'
        table.addnext(element(f"<w:p><w:pPr>{small}</w:pPr></w:p>"))
        section = self.document.sections[0]
        for part in (section.first_page_header, section.header):
            package.colour_ground(part, self.design, rtl=self.rtl)
        head, _, _, main, _, aside = table.xpath(".//w:tc")
        return [head, main, aside, body]

    # -- paragraphs ------------------------------------------------------------------------------

    def paragraph(self, content: Paragraph, place: Any) -> None:
        style = content.style.replace(" ", "")
        if content.is_picture:
            if self.about.signature:
                package.add(self.document, self.about.signature, style, place)
            return
        made = place.add_p()
        made.style = style
        properties = made.get_or_add_pPr()
        if content.with_next is not None:
            properties.append(element(f'<w:keepNext w:val="{int(content.with_next)}"/>'))
        if content.style == "List Number":
            if content.number is not None:
                self.lists += 1
                styles.numbered(self.document, self.design, self.lists, content.number)
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
                made.append(part)

    def runs(self, run: Run) -> Iterator[Any]:
        """Yield the elements of a run: a link holds its own."""
        found = [
            self.run(run, text, right=right) for text, right in by_direction(run.text, self.rtl)
        ]
        if not run.url:
            yield from found
            return
        link = element("<w:hyperlink/>")
        link.set(_name("r:id"), self.related(run.url))
        if run.tip:
            link.set(_name("w:tooltip"), run.tip)
        link.set(_name("w:history"), "1")
        link.extend(found)
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
        made = element(f"<w:r><w:rPr>{named}{marks}{turned}{language}</w:rPr></w:r>")
        for piece in _pieces(text):
            if piece == TAB:
                made.append(element("<w:tab/>"))
            elif piece == BREAK:
                made.append(element("<w:br/>"))
            else:
                word = element('<w:t xml:space="preserve"></w:t>')
                word.text = piece
                made.append(word)
        return made

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
    for is_mark, found in groupby(text, lambda one: one in (TAB, BREAK)):
        characters = list(found)
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
    found = unicodedata.bidirectional(character)
    return True if found in _RIGHT else False if found in _LEFT else None
