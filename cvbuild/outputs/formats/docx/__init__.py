"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from datetime import UTC, datetime, time
from itertools import groupby
from typing import Any
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from cvbuild.common.diagnostics import missing
from cvbuild.model.text import language_tags
from cvbuild.outputs import checks
from cvbuild.outputs.formats.docx import looks, package, paragraphs
from cvbuild.outputs.formats.docx.package import WORD, element
from cvbuild.outputs.formats.docx.paragraphs import Paragraph, Run
from cvbuild.outputs.styles import typefaces
from cvbuild.outputs.types import Made, Output, Shown

#: Attributes that a reader may see: where links lead, their tips, what pictures show.
_SEEN = ("Target", f"{WORD}tooltip", "descr")


class Format(Output):
    """A Word document."""

    name = "docx"
    suffix = ".docx"
    shows_letters = has_look = True

    def make(self, shown: Shown) -> Made:
        """Return the file; raises DocumentError for a lost text, UsageError without python-docx."""
        try:
            content = to_bytes(shown)
            text = self.text_of(content)
        except ImportError as error:
            raise missing("--format docx", "formats", error) from None
        except SyntaxError as error:
            # lxml has no reason for refusing XML where libxml2 had no memory for one.
            if "unknown error" in str(error):
                raise MemoryError from error
            raise
        blocks = shown.view.letter.body if shown.view.letter else ()
        # Word writes the numbers of a list itself.
        numbers = {text.number for block in blocks for text in block.texts}
        texts = checks.contents(shown.view)
        expected = [each for each in texts if each not in numbers and each.path[-1] != "number"]
        return Made(content, checks.require(text, expected, shown.source))

    def text_of(self, content: bytes) -> str:
        """Return all text in the file: of paragraphs, links, pictures and properties."""
        from docx.oxml import parse_xml

        texts: list[str] = []
        with zipfile.ZipFile(io.BytesIO(content)) as held:
            for name in held.namelist():
                if not name.endswith((".xml", ".rels")) or name.endswith("styles.xml"):
                    continue
                for node in parse_xml(held.read(name)).iter():
                    # The tips of its links stand before a paragraph.
                    texts += (node.get(key, "") for key in _SEEN)
                    if node.tag == f"{WORD}p":
                        texts.append(node.text)
                    elif isinstance(node.tag, str) and not node.tag.startswith(WORD):
                        texts.append(node.text or "")
        return "\n".join(filter(None, texts))


def to_bytes(shown: Shown) -> bytes:
    """Return the file."""
    import docx

    view, options, paper = shown.view, shown.options, shown.template.manifest.word
    written = paragraphs.of(view, options, paper)
    characters = "".join(paragraph.text for paragraph in written)
    design = looks.design(options, paper, characters, is_letter=view.letter is not None)
    rtl = language_tags.runs_right(view.language)
    document = docx.Document()
    document.element.body.clear_content()
    package.set_up(document, design, view.language, rtl=rtl)
    package.name_fonts(document, design, typefaces.typeface(options), characters)
    writer = _Writer(document, design, rtl)
    for paragraph in written:
        writer.paragraph(paragraph, shown.signature)
    if shown.photo:
        package.stand_beside(document, shown.photo, str(view.header.alt), options)
    # The footer: on the first page without the name and the number.
    section, footer = document.sections[0], str(options.get("footer", ""))
    section.different_first_page_header_footer = True
    numbered = "".join(f"{text} · " for text in (footer, str(view.header.name)) if text)
    for part, words in ((section.first_page_footer, footer), (section.footer, numbered)):
        part.is_linked_to_previous = False
        (line,) = part.paragraphs
        line.style = "Footer"
        line._p.extend(writer.runs(Run(words)))  # noqa: SLF001 - it has no other name
    number = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>2</w:t></w:r></w:fldSimple>'
    line._p.append(element(number))  # noqa: SLF001 - see above
    # Its properties; python-docx has its own in them.
    properties, head, letter = document.core_properties, view.header, view.letter
    properties._element.clear()  # noqa: SLF001 - it can't be emptied otherwise
    texts = {
        "title": letter.title if letter else head.name,
        "author": head.name,
        "last_modified_by": head.name,
        "subject": letter.subject if letter else head.headline,
        "keywords": "" if letter else ", ".join(map(str, view.keywords)),
        "language": view.language,
    }
    for name, text in texts.items():
        if text:
            setattr(properties, name, str(text)[:255])
    if shown.day:
        moment = datetime.combine(shown.day, time(), UTC).replace(tzinfo=None)
        properties.created = properties.modified = moment
    return package.saved(document)


#: The marks of characters in Word.
_MARKS = {
    "strong": "<w:b/><w:bCs/>",
    "emph": "<w:i/><w:iCs/>",
    "sup": '<w:vertAlign w:val="superscript"/>',
    "sub": '<w:vertAlign w:val="subscript"/>',
}


class _Writer(Struct):
    document: Any
    design: looks.Design
    rtl: bool
    lists: int = package.BULLETS

    def paragraph(self, content: Paragraph, signature: bytes | None) -> None:
        """Add a paragraph; the signature's is left out if there is none."""
        if content.is_picture and not signature:
            return
        node = self.document.element.body.add_p()
        node.style = content.style.replace(" ", "")
        if content.may_part:
            node.pPr.append(element('<w:keepNext w:val="0"/>'))
        if content.style == "List Number":
            if content.number is not None:
                self.lists += 1
                package.add_list(self.document, self.design, self.lists, content.number)
            node.pPr.append(element(package.IN_LIST.format(0, self.lists)))
        if signature and content.is_picture:
            from docx.text import paragraph

            # A line with exactly its height would cut the picture.
            node.pPr.append(element('<w:spacing w:line="240" w:lineRule="auto"/>'))
            place = paragraph.Paragraph(node, self.document).add_run()
            package.add_picture(place, signature, package.SIGNATURE, content.text)
            return
        for run in content.runs:
            node.extend(self.runs(run))

    def runs(self, run: Run) -> list[Any]:
        style = run.style or ("Code" if "code" in run.marks else "Hyperlink" if run.url else "")
        named = f'<w:rStyle w:val="{style.replace(" ", "")}"/>' if style else ""
        marks = "".join(xml for name, xml in _MARKS.items() if name in run.marks)
        language = package.language(run.language) if run.language else ""
        marked = []
        for text, right in by_direction(run.text, self.rtl):
            turned = "<w:rtl/>" if right else ""
            node = element(f"<w:r><w:rPr>{named}{marks}{turned}{language}</w:rPr></w:r>")
            node.text = text
            marked.append(node)
        if not run.url:
            return marked
        from docx.opc.constants import RELATIONSHIP_TYPE

        tip = f" w:tooltip={quoteattr(run.tip)}" if run.tip else ""
        link = element(f"<w:hyperlink{tip}/>")
        link.rId = self.document.part.relate_to(
            run.url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True
        )
        link.extend(marked)
        return [link]


_RIGHT, _LEFT = ("R", "AL", "AN"), ("L", "EN")


def by_direction(text: str, base: bool) -> list[tuple[str, bool]]:
    """Return the text in parts, each with whether it runs right; ``base`` is the paragraph's."""
    # What has no direction takes that of its neighbours if they agree, else the paragraph's. A text
    # without any letter that runs right is one part.
    known = dict.fromkeys(_RIGHT, True) | dict.fromkeys(_LEFT, False)
    ways = [known.get(unicodedata.bidirectional(character)) for character in text]
    if True not in ways:
        return [(text, False)] if text else []
    filled: list[bool] = []
    for at, way in enumerate(ways):
        before = filled[-1] if filled else base
        after = next((later for later in ways[at:] if later is not None), base)
        filled.append(way if way is not None else before if before == after else base)
    places = groupby(range(len(text)), lambda at: filled[at])
    return [("".join(text[at] for at in found), right) for right, found in places]
