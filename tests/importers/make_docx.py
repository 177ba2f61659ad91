"""Make the examples of CVs in Word's format: ``python tests/importers/make_docx.py``.

With python-docx, as people write them: with styles, and without any.
"""

from __future__ import annotations

import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm
from PIL import Image

EXAMPLES = Path(__file__).parent / "examples"
BAD = Path(__file__).parent / "bad"
#: What a ZIP says of the time; Word writes this one, too.
_DAY = (1980, 1, 1, 0, 0, 0)


def link(paragraph: Any, words: str, url: str) -> None:
    """Add a hyperlink to a paragraph."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    element = OxmlElement("w:hyperlink")
    element.set(qn("r:id"), paragraph.part.relate_to(url, kind, is_external=True))
    run, text = OxmlElement("w:r"), OxmlElement("w:t")
    text.text = words
    run.append(text)
    element.append(run)
    paragraph._p.append(element)


def styled(document: Any) -> None:
    """Write a CV with Word's styles: title, headings, lists, a table, a link, a header."""
    header = document.sections[0].header.paragraphs[0]
    header.text = "kim@example.org | +1 202 555 0112"
    document.sections[0].footer.paragraphs[0].text = "Page 1 of 1"
    document.add_heading("Kim Muster", 0)
    document.add_paragraph("Product Designer", style="Subtitle")
    contact = document.add_paragraph("Springfield, Ruritania | ")
    link(contact, "Portfolio", "https://kim.example.org")
    contact.add_run(" | ")
    link(contact, "linkedin.com/in/kim-muster", "https://www.linkedin.com/in/kim-muster")
    picture = BytesIO()
    Image.new("RGB", (4, 4), "navy").save(picture, "png")
    document.add_picture(BytesIO(picture.getvalue()), width=Cm(2))

    document.add_heading("Summary", 1)
    document.add_paragraph("Designer with nine years of practice in medical devices.")
    document.add_heading("Work Experience", 1)
    for employer, place, title, date, points in (
        ("Specimen Health Inc.", "Springfield", "Lead Designer", "03/2020 – present",
         ["Led the redesign of an infusion pump", "Cut alarms by half, see "]),
        ("Sample Studio", "Shelbyville", "Interaction Designer", "Sept. 2015 – Feb. 2020",
         ["Ran 120 usability tests & reported them"]),
    ):  # fmt: skip
        paragraph = document.add_paragraph()
        paragraph.add_run(employer).bold = True
        paragraph.add_run(f"\t{place}")
        paragraph = document.add_paragraph()
        paragraph.add_run(title).italic = True
        paragraph.add_run(f"\t{date}")
        for point in points:
            bullet = document.add_paragraph(point, style="List Bullet")
            if point.endswith("see "):
                link(bullet, "the study", "https://example.org/alarms?a=1&b=2")
                document.add_paragraph("in three hospitals", style="List Bullet 2")
    document.add_heading("Education", 1)
    table = document.add_table(2, 2)
    for row, cells in zip(
        table.rows,
        [("2013 – 2015", "M.A. Interaction Design, Example University, Springfield"),
         ("2010 – 2013", "B.A. Industrial Design, Sample College, Shelbyville")],
        strict=True,
    ):  # fmt: skip
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_heading("Skills", 1)
    for label, text in (
        ("Tools: ", "Figma, Sketch, CSS (daily)"),
        ("Methods: ", "Interviews, A/B"),
    ):
        paragraph = document.add_paragraph()
        paragraph.add_run(label).bold = True
        paragraph.add_run(text)
    document.add_heading("Languages", 1)
    document.add_paragraph("English – native", style="List Bullet")
    document.add_paragraph("Ruritanian (B2)", style="List Bullet")
    document.add_heading("Hobbies", 1)
    document.add_paragraph("Sailing, pottery")


def unstyled(document: Any) -> None:
    """Write a CV without styles: bold lines, capitals, bullets typed by hand."""
    document.add_paragraph("LEBENSLAUF")
    document.add_paragraph().add_run("Robin Probe").bold = True
    document.add_paragraph("Musterweg 3, 12345 Musterstadt")
    document.add_paragraph("Telefon: +1 202 555 0119")
    document.add_paragraph("E-Mail: robin@example.org")
    document.add_paragraph("Geburtsdatum: 1990-05-17")
    document.add_paragraph("BERUFSERFAHRUNG")
    for line in (
        "Seit Mai 2018\tKrankenpfleger, Klinikum Musterstadt GmbH",
        "• Leitung der Nachtschicht",
        "• Ausbildung von vier Schülern",
        "April 2014 bis April 2018\tPflegehelfer, Stiftung Beispielhaus",
    ):
        document.add_paragraph(line)
    document.add_paragraph("AUSBILDUNG")
    document.add_paragraph("2011 – 2014\tAusbildung zum Krankenpfleger, Pflegeschule Musterstadt")
    document.add_paragraph("EHRENÄMTER UND VEREINE")
    document.add_paragraph("Freiwillige Feuerwehr Musterstadt; *kein* Markdown_hier")
    document.add_paragraph("SPRACHEN")
    document.add_paragraph("Deutsch (Muttersprache)")
    document.add_paragraph("Englisch (gut)")


def save(document: Any, path: Path) -> None:
    """Write a document, the same bytes each time."""
    made, stable = BytesIO(), BytesIO()
    document.save(made)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(stable, "w") as target:
        for name in sorted(source.namelist()):
            # The settings, the theme and the thumbnail say nothing here.
            target.writestr(zipfile.ZipInfo(name, _DAY), source.read(name), zipfile.ZIP_DEFLATED)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(stable.getvalue())


def prose(document: Any) -> None:
    """Write paragraphs that nothing tells apart."""
    document.add_paragraph("I am Ada, and I have built bridges since I was a child.")
    document.add_paragraph("You can write to me: ada@example.org.")
    document.add_paragraph("My first bridge was made of paper, in 1999, and it held a cat.")


def packed(path: Path, parts: dict[str, bytes]) -> None:
    """Write an archive with these parts in place of those of a document."""
    made = BytesIO()
    document = docx.Document()
    document.add_paragraph("Ada Example")
    document.save(made)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w") as target:
        for name in sorted({*source.namelist(), *parts}):
            data = parts.get(name) or source.read(name)
            target.writestr(zipfile.ZipInfo(name, _DAY), data, zipfile.ZIP_DEFLATED)


def broken() -> None:
    """Write documents that nobody should read."""
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    before, after = b"<w:document " + space + b"><w:body>", b"</w:body></w:document>"
    table, end = b"<w:tbl><w:tr><w:tc>", b"</w:tc></w:tr></w:tbl>"
    text = b"<w:p><w:r><w:t>Ada</w:t></w:r></w:p>"
    entity = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    for name, content in {
        "docx-with-a-bomb": before + b" " * (20 << 20) + after,
        "docx-too-large": before + b" " * (5 << 20) + after,
        "docx-with-entities": entity + before + text.replace(b"Ada", b"&b;") + after,
        "docx-with-deep-tables": before + table * 5_000 + text + end * 5_000 + after,
        "docx-cut-off": before + text,
        "docx-without-text": before + after,
    }.items():
        packed(BAD / name / "given.docx", {"word/document.xml": content})


def lines(document: Any) -> None:
    """Write a CV of lines: cells with several of them, and lists in one."""
    document.add_heading("Zoë Muster-Brânză", 0)
    contact = "12 Mill Lane, Springfield | zoe@example.org | ORCID 0000-0002-1825-0097"
    document.add_paragraph(contact)
    document.add_heading("Education", 1)
    table = document.add_table(rows=0, cols=2)
    for when, what in (
        (
            "Oct 2023 – present",
            "PhD in Ecology, Lake College\nThesis: Plankton. Supervisor: Prof. Åsa Sample",
        ),
        ("2017 – 2021", "BSc in Biology, Universidad de Ejemplo, Ruritania\nGrade: 9.1/10"),
    ):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = when, what
    document.add_heading("Awards and Funding", 1)
    document.add_paragraph("2023 Doctoral Scholarship, Example Society", style="List Bullet")
    document.add_heading("Conference Presentations", 1)
    document.add_paragraph("“Earlier springs, smaller blooms”, talk, Lake Meeting, July 2025")
    document.add_paragraph("“Counting copepods”, poster, Lake Days, 2024")
    document.add_heading("Languages", 1)
    document.add_paragraph("Spanish (native), English (C2), German (B2)")
    document.add_heading("Referees", 1)
    document.add_paragraph("Prof. Åsa Sample, University of Springfield, asa@example.org")


def main() -> int:
    """Write all of them."""
    for name, fill in (
        ("docx", styled),
        ("docx-of-no-styles", unstyled),
        ("docx-of-lines", lines),
    ):
        document = docx.Document()
        fill(document)
        save(document, EXAMPLES / name / "given.docx")
    document = docx.Document()
    prose(document)
    save(document, BAD / "docx-of-prose" / "given.docx")
    broken()
    return 0


if __name__ == "__main__":
    sys.exit(main())
