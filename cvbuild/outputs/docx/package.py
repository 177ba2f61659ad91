"""The parts of a Word file beside its text: styles, page, fonts, pictures; and the ZIP around."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from operator import xor
from pathlib import Path
from typing import Any
from uuid import UUID
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from cvbuild.outputs import typefaces
from cvbuild.outputs.docx.looks import LEADING, MM, Design, Fonts, Look, tinted

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: Parts of python-docx's own file that no document needs, by the end of their relation's type.
_UNUSED = ("/customXml", "/stylesWithEffects", "/thumbnail", "/webSettings", "/theme")
#: The first moment that a ZIP can tell.
_MOMENT = (1980, 1, 1, 0, 0, 0)
#: Attributes that a reader may see: where links lead, their tips, what pictures show.
_SEEN = ("Target", f"{_WORD}tooltip", "descr")


def tidy(document: Any) -> None:
    """Take out the parts that python-docx puts into each file, and open it as one of today."""
    for rels in (document.part.rels, document.part.package.rels):
        for name in [name for name, rel in rels.items() if rel.reltype.endswith(_UNUSED)]:
            del rels[name]
    settings = document.settings.element
    for old in settings.xpath("w:compat | w:rsids | w:themeFontLang | w:clrSchemeMapping"):
        settings.remove(old)
    mode = element(
        '<w:compat><w:compatSetting w:name="compatibilityMode"'
        ' w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>'
    )
    places = settings.xpath(
        "w:footnotePr | w:endnotePr | w:characterSpacingControl | w:defaultTabStop"
    )
    places[-1].addnext(mode)


def repacked(content: bytes) -> bytes:
    """Return the same ZIP without any time or trace of the machine."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
            new.writestr(entry, old.read(name), compresslevel=9)
    return buffer.getvalue()


def text_of(content: bytes) -> str:
    """Return all text in the file: of paragraphs, links, pictures and properties."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(content)) as held:
        roots = [
            etree.fromstring(held.read(name))
            for name in held.namelist()
            if name.endswith((".xml", ".rels")) and not name.endswith("styles.xml")
        ]
    return "\n".join(line for root in roots for line in _lines(root) if line)


def _lines(root: Any) -> Iterator[str]:
    """Yield each paragraph as a line, after the tips of its links; and all other texts."""
    for node in root.iter():
        yield from (node.get(name, "") for name in _SEEN)
        if node.tag == f"{_WORD}p":
            yield "".join(map(_characters, node.iter()))
        elif isinstance(node.tag, str) and not node.tag.startswith(_WORD):
            yield node.text or ""


def _characters(node: Any) -> str:
    if node.tag in (f"{_WORD}tab", f"{_WORD}br"):
        return " "
    return (node.text or "") if node.tag == f"{_WORD}t" else ""


# -- pictures ------------------------------------------------------------------------------------


#: Word's units of drawings in a pt.
_EMU = 12700
_SHAPES = {"rectangle": "rect", "rounded": "roundRect", "circle": "ellipse"}
_SPACE = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"


class Picture(Struct, frozen=True):
    """A JPEG, ``height`` pt high, showing ``alt``; ``side``, ``shape`` as the photo's options."""

    data: bytes
    height: float
    alt: str
    side: str = "right"
    shape: str = "rectangle"


def add(document: Any, picture: Picture, style: str) -> None:
    """Add a picture as a paragraph."""
    from docx.text.paragraph import Paragraph

    node = document.element.body.add_p()
    node.style = style
    # A line with exactly its height would cut the picture.
    node.get_or_add_pPr().append(element('<w:spacing w:line="240" w:lineRule="auto"/>'))
    _inline(Paragraph(node, document).add_run(), picture)


def stand_beside(document: Any, picture: Picture) -> None:
    """Put the photo beside the head, at the edge of the text."""
    from docx.oxml import parse_xml

    first = document.paragraphs[0]
    run = first.add_run()
    inline = _inline(run, picture)
    gap = round(4 * MM * _EMU)
    anchor = parse_xml(
        f'<wp:anchor xmlns:wp="{_SPACE}" distT="0" distB="{gap}" distL="{gap}" distR="{gap}"'
        ' simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1"'
        ' allowOverlap="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin">'
        f"<wp:align>{picture.side}</wp:align></wp:positionH>"
        '<wp:positionV relativeFrom="margin"><wp:align>top</wp:align></wp:positionV></wp:anchor>'
    )
    extent, *rest = inline
    wrap = parse_xml(f'<wp:wrapSquare xmlns:wp="{_SPACE}" wrapText="bothSides"/>')
    anchor.extend([extent, wrap, *rest])
    inline.getparent().replace(inline, anchor)
    # The anchor comes before the name, which may take more than one line.
    first._p.insert(1, run._r)  # noqa: SLF001 - see above


def _inline(run: Any, picture: Picture) -> Any:
    """Add a picture to a run, and return its element."""
    from docx.shared import Pt

    shape = run.add_picture(io.BytesIO(picture.data), height=Pt(picture.height))
    inline = shape._inline  # noqa: SLF001 - see above
    inline.docPr.set("descr", picture.alt)
    for outline in inline.xpath(".//a:prstGeom"):
        outline.set("prst", _SHAPES[picture.shape])
    return inline


# -- styles, lists and page, from a design; python-docx writes them --------------------------------


#: Styles of python-docx's own file that stay, besides those that a design has.
_KEPT = ("Normal", "Default Paragraph Font", "Normal Table", "No List")
#: Paragraph styles that Word doesn't know.
_OWN = (
    "Contact", "Note", "Entry", "Entry Detail", "Reference", "Numbered Reference",
    "Reference Detail", "Recipient", "Letter Text", "Enclosures",
)  # fmt: skip
#: How much of the accent is in rules at titles of sections.
_QUIET = 0.45
#: The number of the list with bullets; those of numbered lists follow.
BULLETS = 1
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
#: The faces of a typeface in Word's order, and in that of its files.
_FACES = ("embedRegular", "embedBold", "embedItalic", "embedBoldItalic")
_FILES = ("embedRegular", "embedItalic", "embedBold", "embedBoldItalic")
_TYPE = "application/vnd.openxmlformats-officedocument.obfuscatedFont"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/font"
#: Characters that stay for whoever edits the file: Latin, and the usual punctuation.
_KEPT_LETTERS = (*range(0x20, 0x180), *range(0x2010, 0x2040), 0x20AC, 0x2122, 0x25AA)


def set_up(document: Any, design: Design, language: str, *, rtl: bool) -> None:
    """Set page, styles and bullets of an empty document."""
    _page(document, design)
    for style in list(document.styles.element.style_lst):
        if style.name_val not in _KEPT:
            document.styles.element.remove(style)
    _defaults(document, design, language)
    for look in design.looks:
        _paragraph_style(document, look, design, rtl=rtl)
    for name, following in (("Title", "Subtitle"), ("Heading 1", "Body Text")):
        document.styles[name].next_paragraph_style = document.styles[following]
    _character_styles(document, design)
    _bullets(document, design)


def element(xml: str) -> Any:
    """Return an element of Word's main namespace, from XML without any text of a person."""
    from docx.oxml import parse_xml

    head, _, rest = xml.partition(">")
    alone = head.endswith("/")
    return parse_xml(f"{head.removesuffix('/')} {_W}{'/' if alone else ''}>{rest}")


def twips(points: float) -> int:
    """Return a length in the twentieths of a point that Word counts in."""
    return round(points * 20)


def _page(document: Any, design: Design) -> None:
    from docx.shared import Pt

    section, page = document.sections[0], design.page
    section.page_width, section.page_height = Pt(page.width), Pt(page.height)
    section.top_margin, section.bottom_margin = Pt(page.top), Pt(page.bottom)
    section.left_margin, section.right_margin = Pt(page.left), Pt(page.right)
    section.header_distance = section.footer_distance = Pt(min(page.bottom / 2, 10 * MM))


def name_fonts(document: Any, fonts: Fonts, paths: Sequence[Path], characters: str) -> None:
    """Name the font of the document and what stands in for it; put its faces into the file.

    Word stores a face with its first bytes combined with a key.
    """
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    table = document.part.part_related_by(RELATIONSHIP_TYPE.FONT_TABLE)
    family, embedded = "roman" if fonts.has_serifs else "swiss", ""
    wanted = characters + "".join(map(chr, _KEPT_LETTERS))
    faces = [typefaces.face(path, wanted, is_web=False) for path in paths]
    for number, place in enumerate(_FACES, 1) if faces and all(faces) else ():
        face = faces[_FILES.index(place)]
        digits = hashlib.sha256(face).hexdigest()[:32].upper()
        key = bytes.fromhex(digits)[::-1] * 2
        hidden = bytes(map(xor, face, key)) + face[len(key) :]
        path = PackURI(f"/word/fonts/font{number}.odttf")
        ident = table.relate_to(Part(path, _TYPE, hidden, document.part.package), _RELATION)
        embedded += f'<w:{place} r:id="{ident}" w:fontKey="{{{str(UUID(digits)).upper()}}}"/>'
    table._blob = (  # noqa: SLF001 - python-docx has no class for this part
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f"<w:fonts {_W} {_R}><w:font w:name={quoteattr(fonts.name)}>"
        f"<w:altName w:val={quoteattr(fonts.substitute)}/>"
        f'<w:family w:val="{family}"/><w:pitch w:val="variable"/>{embedded}</w:font></w:fonts>'
    ).encode()
    if embedded:
        zoom = document.settings.element.xpath("w:zoom")[0]
        zoom.addnext(element("<w:embedTrueTypeFonts/>"))


def _defaults(document: Any, design: Design, language: str) -> None:
    """Set the fonts, size and languages of all text."""
    fonts, size = design.fonts, round(design.size * 2)
    name = quoteattr(fonts.name)
    arabic = "Times New Roman" if fonts.has_serifs else "Arial"
    tag = quoteattr(language)
    line = 'w:line="240" w:lineRule="auto"'
    defaults = element(
        "<w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii={name} w:hAnsi={name} w:cs="{arabic}"/>'
        f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
        f"<w:lang w:val={tag} w:eastAsia={tag} w:bidi={tag}/>"
        "</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>"
        f'<w:spacing w:before="0" w:after="0" {line}/></w:pPr></w:pPrDefault></w:docDefaults>'
    )
    styles = document.styles.element
    for old in styles.xpath("w:docDefaults"):
        styles.remove(old)
    styles.insert(0, defaults)
    for part in document.styles["Normal"].element.xpath("w:rPr | w:pPr"):
        document.styles["Normal"].element.remove(part)


def _paragraph_style(document: Any, look: Look, design: Design, *, rtl: bool) -> None:
    from docx.enum.style import WD_STYLE_TYPE

    is_known = look.name not in _OWN
    style = document.styles.add_style(look.name, WD_STYLE_TYPE.PARAGRAPH, builtin=is_known)
    style.base_style = document.styles["Normal"]
    style.hidden, style.unhide_when_used, style.quick_style = False, False, True
    # Word and others differ in the heights of faces, so lines have one in points.
    high = twips(look.size * LEADING)
    lines = f' w:line="{high}" w:lineRule="exact"' * design.has_even_lines
    level = look.name[-1] if look.name.startswith("Heading") else ""
    parts = [
        "<w:keepNext/>" * look.with_next,
        "<w:keepLines/>" * (look.with_next or look.whole),
        _list_of(look.name),
        _rule(design, look) if look.line else "",
        f'<w:tabs><w:tab w:val="right" w:pos="{twips(design.page.text)}"/></w:tabs>' * look.tab,
        "<w:bidi/>" if rtl else "",
        f'<w:spacing w:before="{twips(look.before)}" w:after="{twips(look.after)}"{lines}/>',
        _indent(look),
        '<w:jc w:val="center"/>' * look.centred,
        f'<w:outlineLvl w:val="{int(level) - 1}"/>' if level else "",
    ]
    style.element.append(element(f"<w:pPr>{''.join(parts)}</w:pPr>"))
    size = round(look.size * 2)
    bold, italic = "<w:b/><w:bCs/>" * look.bold, "<w:i/><w:iCs/>" * look.italic
    colour = f'<w:color w:val="{look.colour}"/>' if look.colour else ""
    capitals = {"capitals": "<w:caps/>", "small-capitals": "<w:smallCaps/>"}.get(look.capitals, "")
    spaced = '<w:spacing w:val="10"/>' * bool(capitals)
    sizes = f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
    style.element.append(element(f"<w:rPr>{bold}{italic}{capitals}{colour}{spaced}{sizes}</w:rPr>"))


def _list_of(name: str) -> str:
    """Return the numbering of a list's style: the bullets of each level are one list."""
    level = {"List Bullet": 0, "List Bullet 2": 1}.get(name)
    if level is None:
        return ""
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{BULLETS}"/></w:numPr>'


def _rule(design: Design, look: Look) -> str:
    side, space = ("top", 4) if look.line == "above" else ("bottom", 1)
    is_quiet = look.name == "Heading 1" and design.accent != "000000"
    colour = tinted(design.accent, _QUIET) if is_quiet else design.accent
    # In eighths of a point.
    size = round(look.rule * 8)
    line = f'w:val="single" w:sz="{size}" w:space="{space}" w:color="{colour}"'
    return f"<w:pBdr><w:{side} {line}/></w:pBdr>"


def _indent(look: Look) -> str:
    if not look.left and not look.first:
        return ""
    hanging = f'w:hanging="{twips(-look.first)}"' if look.first < 0 else ""
    return f'<w:ind w:left="{twips(look.left)}" {hanging}/>'


def _character_styles(document: Any, design: Design) -> None:
    from docx.enum.style import WD_STYLE_TYPE

    grey = '<w:color w:val="555555"/>'
    plain, upright = (f'<w:{tag} w:val="0"/><w:{tag}Cs w:val="0"/>' for tag in "bi")
    detail = design.look("Entry Detail")
    slanted = "<w:i/><w:iCs/>" * detail.italic
    code = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>'
    for name, look in {
        "Hyperlink": f'<w:color w:val="{design.accent}"/>',
        "Quiet Link": "",
        "Address": plain + upright + f'<w:color w:val="{design.accent}"/>',
        "Entry Date": plain + upright + grey,
        "Place": plain + upright + grey,
        "Beside Title": plain + slanted,
        "Author": grey,
        "Label": grey,
        "Own Name": "<w:b/><w:bCs/>",
        "Code": code,
    }.items():
        style = document.styles.add_style(
            name, WD_STYLE_TYPE.CHARACTER, builtin=name == "Hyperlink"
        )
        style.hidden, style.quick_style = False, True
        style.element.append(element(f"<w:rPr>{look}</w:rPr>"))


def _bullets(document: Any, design: Design) -> None:
    """Make the list of bullets the only one."""
    root = document.part.numbering_part.element
    for child in list(root):
        root.remove(child)
    levels = []
    for at, name in enumerate(("List Bullet", "List Bullet 2")):
        form = (
            '<w:start w:val="1"/><w:numFmt w:val="bullet"/>'
            f'<w:pStyle w:val="{name.replace(" ", "")}"/><w:lvlText w:val="{design.bullet}"/>'
        )
        colour = f'<w:rPr><w:color w:val="{design.accent}"/></w:rPr>'
        levels.append(_level(at, form, design.look(name), colour))
    _add_list(root, BULLETS, levels)


def numbered(document: Any, design: Design, number: int, first: int) -> None:
    """Add a numbered list, whose first number is ``first``."""
    form = f'<w:start w:val="{first}"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/>'
    level = _level(0, form, design.look("List Number"))
    _add_list(document.part.numbering_part.element, number, [level])


def _add_list(root: Any, number: int, levels: Iterable[str]) -> None:
    # All abstract lists stand before all lists.
    abstract = element(
        f'<w:abstractNum w:abstractNumId="{number}">'
        f'<w:multiLevelType w:val="hybridMultilevel"/>{"".join(levels)}</w:abstractNum>'
    )
    root.insert(len(root.xpath("w:abstractNum")), abstract)
    root.append(element(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'))


def _level(at: int, form: str, look: Look, colour: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}">{form}<w:lvlJc w:val="left"/>'
        f"<w:pPr>{_indent(look)}</w:pPr>{colour}</w:lvl>"
    )
