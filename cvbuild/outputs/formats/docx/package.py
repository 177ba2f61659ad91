"""The parts of a Word file beside its text: styles, page, fonts, pictures; and the ZIP around."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from operator import xor
from pathlib import Path
from typing import Any
from uuid import UUID
from xml.sax.saxutils import quoteattr

from cvbuild.outputs.formats.docx.looks import GREY, MM, Design, Look
from cvbuild.outputs.styles import typefaces

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: Parts of python-docx's own file that no document needs, by the end of their relation's type.
_UNUSED = ("/customXml", "/stylesWithEffects", "/thumbnail", "/webSettings", "/theme")
#: The first moment that a ZIP can tell.
_MOMENT = (1980, 1, 1, 0, 0, 0)


def saved(document: Any) -> bytes:
    """Return the file as Word of today opens it, without any time or trace of the machine."""
    for rels in (document.part.rels, document.part.package.rels):
        for name in [name for name, rel in rels.items() if rel.reltype.endswith(_UNUSED)]:
            del rels[name]
    settings = document.settings.element
    for old in settings.xpath("w:rsids | w:themeFontLang | w:clrSchemeMapping"):
        settings.remove(old)
    (mode,) = settings.xpath("w:compat/w:compatSetting[@w:name='compatibilityMode']")
    mode.set(f"{WORD}val", "15")
    held, packed = io.BytesIO(), io.BytesIO()
    document.save(held)
    with (
        zipfile.ZipFile(held) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
            new.writestr(entry, old.read(name), compresslevel=9)
    return packed.getvalue()


#: The heights of the photo and of a signature in pt.
_PHOTO, SIGNATURE = 28 * MM, 15 * MM
_SHAPES = {"rectangle": "rect", "rounded": "roundRect", "circle": "ellipse"}
_SPACE = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"


def stand_beside(document: Any, picture: bytes, alt: str, options: Mapping[str, Any]) -> None:
    """Put the photo beside the head, at the edge of the text."""
    from docx.oxml import parse_xml
    from docx.shared import Mm

    first = document.paragraphs[0]
    run = first.add_run()
    inline = add_picture(run, picture, _PHOTO, alt)
    for outline in inline.xpath(".//a:prstGeom"):
        outline.set("prst", _SHAPES[str(options["photo-shape"])])
    gap = Mm(4)
    anchor = parse_xml(
        f'<wp:anchor xmlns:wp="{_SPACE}" distT="0" distB="{gap}" distL="{gap}" distR="{gap}"'
        ' simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1"'
        ' allowOverlap="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin">'
        f"<wp:align>{options['photo-side']}</wp:align></wp:positionH>"
        '<wp:positionV relativeFrom="margin"><wp:align>top</wp:align></wp:positionV></wp:anchor>'
    )
    extent, *rest = inline
    wrap = parse_xml(f'<wp:wrapSquare xmlns:wp="{_SPACE}" wrapText="bothSides"/>')
    anchor.extend([extent, wrap, *rest])
    inline.getparent().replace(inline, anchor)
    # The anchor comes before the name, which may take more than one line.
    first._p.insert(1, run._r)  # noqa: SLF001 - it has no other name


def add_picture(run: Any, picture: bytes, height: float, alt: str) -> Any:
    """Add a picture to a run, and return its element."""
    from docx.shared import Pt

    shape = run.add_picture(io.BytesIO(picture), height=Pt(height))
    inline = shape._inline  # noqa: SLF001 - see above
    inline.docPr.set("descr", alt)
    return inline


#: Styles of python-docx's own file that stay, besides those that a design has.
_KEPT = ("Normal", "Default Paragraph Font", "Normal Table", "No List")
#: Paragraph styles that Word doesn't know.
_OWN = (
    "Contact", "Note", "Entry", "Entry Detail", "Reference", "Reference Detail", "Recipient",
    "Letter Text", "Enclosures",
)  # fmt: skip
#: The height of lines in em.
_LEADING = 1.25
#: Styles of a list's levels.
_LEVELS = ("List Bullet", "List Bullet 2")
#: The number of the list with bullets; those of numbered lists follow.
BULLETS = 1
#: The property of a paragraph in a list: its level there, and the list's number.
IN_LIST = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="{}"/></w:numPr>'
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
#: The faces of a typeface in Word's order, and in that of its files.
_FACES = ("embedRegular", "embedBold", "embedItalic", "embedBoldItalic")
_FILES = ("embedRegular", "embedItalic", "embedBold", "embedBoldItalic")
_TYPE = "application/vnd.openxmlformats-officedocument.obfuscatedFont"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/font"
#: Characters that stay for whoever edits the file: Latin, and the usual punctuation.
_KEPT_LETTERS = (*range(0x20, 0x180), *range(0x2010, 0x2040), 0x20AC, 0x2122, 0x25AA)


def set_up(document: Any, design: Design, tag: str, *, rtl: bool) -> None:
    """Set page, styles and bullets of an empty document."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt

    section = document.sections[0]
    section.page_width, section.page_height = map(Pt, design.paper)
    top, bottom, left, right = map(Pt, design.margins)
    section.top_margin, section.bottom_margin = top, bottom
    section.left_margin, section.right_margin = left, right
    section.header_distance = section.footer_distance = min(bottom // 2, Pt(10 * MM))
    for style in list(document.styles.element.style_lst):
        if style.name_val not in _KEPT:
            document.styles.element.remove(style)
    # The fonts, size and languages of all text.
    size, name = round(design.size * 2), quoteattr(design.font)
    arabic = "Times New Roman" if design.has_serifs else "Arial"
    defaults = element(
        "<w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii={name} w:hAnsi={name} w:cs="{arabic}"/>'
        f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>{language(tag)}'
        "</w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>"
    )
    styles = document.styles.element
    styles.replace(styles.xpath("w:docDefaults")[0], defaults)
    for part in document.styles["Normal"].element.xpath("w:rPr | w:pPr"):
        document.styles["Normal"].element.remove(part)
    for look in design.looks.values():
        _paragraph_style(document, look, design, rtl=rtl)
    for name, following in (("Title", "Subtitle"), ("Heading 1", "Body Text")):
        document.styles[name].next_paragraph_style = document.styles[following]
    # The styles of characters.
    grey = f'<w:color w:val="{GREY}"/>'
    plain, upright = (f'<w:{tag} w:val="0"/><w:{tag}Cs w:val="0"/>' for tag in "bi")
    slanted = "<w:i/><w:iCs/>" * design.looks["Entry Detail"].italic
    for name, form in {
        "Hyperlink": f'<w:color w:val="{design.accent}"/>',
        "Quiet Link": "",
        "Address": plain + upright + f'<w:color w:val="{design.accent}"/>',
        "Entry Date": plain + upright + grey,
        "Place": plain + upright + grey,
        "Beside Title": plain + slanted,
        "Author": grey,
        "Label": grey,
        "Own Name": "<w:b/><w:bCs/>",
        "Code": '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>',
    }.items():
        style = document.styles.add_style(
            name, WD_STYLE_TYPE.CHARACTER, builtin=name == "Hyperlink"
        )
        style.hidden, style.quick_style = False, True
        style.element.append(element(f"<w:rPr>{form}</w:rPr>"))
    document.part.numbering_part.element.clear()
    add_list(document, design, BULLETS)


def element(xml: str) -> Any:
    """Return an element of Word's main namespace, from XML without any text of a person."""
    from docx.oxml import parse_xml

    head, _, rest = xml.partition(">")
    alone = head.endswith("/")
    return parse_xml(f"{head.removesuffix('/')} {_W}{'/' if alone else ''}>{rest}")


def twips(points: float) -> int:
    """Return a length in the twentieths of a point that Word counts in."""
    return round(points * 20)


def language(tag: str) -> str:
    """Return the property of a text in this language, of letters of all kinds."""
    return f"<w:lang w:val={quoteattr(tag)} w:eastAsia={quoteattr(tag)} w:bidi={quoteattr(tag)}/>"


def name_fonts(document: Any, design: Design, paths: Sequence[Path], characters: str) -> None:
    """Name the font of the document and what stands in for it; put its faces into the file."""
    # Word stores a face with its first bytes combined with a key.
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    table = document.part.part_related_by(RELATIONSHIP_TYPE.FONT_TABLE)
    family, embedded = "roman" if design.has_serifs else "swiss", ""
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
        f"<w:fonts {_W} {_R}><w:font w:name={quoteattr(design.font)}>"
        f"<w:altName w:val={quoteattr(design.substitute)}/>"
        f'<w:family w:val="{family}"/><w:pitch w:val="variable"/>{embedded}</w:font></w:fonts>'
    ).encode()
    if embedded:
        zoom = document.settings.element.xpath("w:zoom")[0]
        zoom.addnext(element("<w:embedTrueTypeFonts/>"))


def _paragraph_style(document: Any, look: Look, design: Design, *, rtl: bool) -> None:
    from docx.enum.style import WD_STYLE_TYPE

    is_known = look.name not in _OWN
    style = document.styles.add_style(look.name, WD_STYLE_TYPE.PARAGRAPH, builtin=is_known)
    style.base_style = document.styles["Normal"]
    style.hidden, style.unhide_when_used, style.quick_style = False, False, True
    # Word and others differ in the heights of faces, so lines have one in points.
    high = twips(look.size * _LEADING)
    lines = f'w:line="{high}" w:lineRule="exact"' if design.has_even_lines else ""
    edge = twips(design.paper[0] - sum(design.margins[2:]))
    level = look.name[-1] if look.name.startswith("Heading") else ""
    side, space = ("top", 4) if look.line == "above" else ("bottom", 1)
    # In eighths of a point.
    rule = f'w:val="single" w:sz="{round(design.rule * 8)}" w:space="{space}"'
    border = f'<w:pBdr><w:{side} {rule} w:color="{design.accent}"/></w:pBdr>'
    parts = [
        "<w:keepNext/><w:keepLines/>" * look.with_next,
        IN_LIST.format(_LEVELS.index(look.name), BULLETS) if look.name in _LEVELS else "",
        border if look.line else "",
        f'<w:tabs><w:tab w:val="right" w:pos="{edge}"/></w:tabs>' * look.tab,
        "<w:bidi/>" if rtl else "",
        f'<w:spacing w:before="{twips(look.before)}" w:after="{twips(look.after)}" {lines}/>',
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


def _indent(look: Look) -> str:
    if not look.left and not look.first:
        return ""
    hanging = f'w:hanging="{twips(-look.first)}"' if look.first < 0 else ""
    return f'<w:ind w:left="{twips(look.left)}" {hanging}/>'


def add_list(document: Any, design: Design, number: int, first: int | None = None) -> None:
    """Add a numbered list, whose first number is ``first``, or that of bullets."""
    colour = f'<w:rPr><w:color w:val="{design.accent}"/></w:rPr>' if first is None else ""
    form, text = ("bullet", design.bullet) if first is None else ("decimal", "%1.")
    style = '<w:pStyle w:val="{}"/>' if first is None else ""
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{1 if first is None else first}"/>'
        f'<w:numFmt w:val="{form}"/>{style.format(name.replace(" ", ""))}'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
        f"<w:pPr>{_indent(design.looks[name])}</w:pPr>{colour}</w:lvl>"
        for at, name in enumerate(_LEVELS if first is None else ("List Number",))
    )
    root = document.part.numbering_part.element
    abstract = element(
        f'<w:abstractNum w:abstractNumId="{number}">'
        f'<w:multiLevelType w:val="hybridMultilevel"/>{levels}</w:abstractNum>'
    )
    # All abstract lists stand before all lists.
    root.insert(len(root.xpath("w:abstractNum")), abstract)
    root.append(element(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'))
