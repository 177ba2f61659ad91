"""The styles, lists and page of a Word file, from a design; python-docx writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from cvbuild.outputs.docx.looks import LEADING, MM, Design, Look, tinted

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


def _defaults(document: Any, design: Design, language: str) -> None:
    """Set the fonts, size and languages of all text."""
    fonts, size = design.fonts, round(design.size * 2)
    name, east = quoteattr(fonts.name), quoteattr(fonts.east)
    arabic = "Times New Roman" if fonts.has_serifs else "Arial"
    tag = quoteattr(language)
    line = 'w:line="240" w:lineRule="auto"'
    defaults = element(
        "<w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii={name} w:hAnsi={name} w:eastAsia={east} w:cs="{arabic}"/>'
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
        _tabs(look, design.page.main) if look.tab else "",
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


def _tabs(look: Look, edge: float) -> str:
    stops = [("right", look.dates_end), ("left", look.left)] if look.dates_end else []
    every = (*stops, ("right", edge))
    tabs = "".join(f'<w:tab w:val="{side}" w:pos="{twips(at)}"/>' for side, at in every)
    return f"<w:tabs>{tabs}</w:tabs>"


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
    plain, upright = (f'<w:{one} w:val="0"/><w:{one}Cs w:val="0"/>' for one in "bi")
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


# -- lists ---------------------------------------------------------------------------------------


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
