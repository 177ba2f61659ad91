"""Make the examples in Word's format: ``python tests/importers/make_word_examples.py``.

Each has the shape of a template or of a habit that people have; all facts are invented.
"""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt

EXAMPLES = Path(__file__).parent / "examples"
#: What a ZIP says of the time; Word writes this one, too.
_DAY = (1980, 1, 1, 0, 0, 0)
_STYLES = {"#": "Heading 1", "##": "Heading 2", "###": "Heading 3", "-": "List Bullet",
           "--": "List Bullet 2", "1.": "List Number", "T": "Title", "S": "Subtitle"}  # fmt: skip
_PIECES = re.compile(r"(\*\*[^*]+\*\*|\*[^*]+\*)")


def runs(paragraph: Any, text: str, size: float = 0) -> Any:
    """Add a text: **bold**, *slanted*."""
    for piece in _PIECES.split(text):
        if piece:
            run = paragraph.add_run(piece.strip("*"))
            run.bold = piece.startswith("**") or None
            run.italic = (piece.startswith("*") and not piece.startswith("**")) or None
            run.font.size = Pt(size) if size else None
    return paragraph


def write(where: Any, text: str) -> None:
    """Add the lines of a text: a mark and two blanks before one say its style."""
    for line in text.strip("\n").split("\n"):
        mark, _, rest = line.partition("  ")
        paragraph = where.add_paragraph(style=_STYLES.get(mark))
        runs(paragraph, rest if mark in _STYLES else line)


def table(document: Any, rows: list[list[str]], style: str = "Table Grid") -> Any:
    """Add a table; a line of a cell is a paragraph of it."""
    made = document.add_table(len(rows), len(rows[0]), style=style)
    for row, texts in zip(made.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            write(cell, text)
            first = cell.paragraphs[0]
            first._element.getparent().remove(first._element)
    return made


def save(name: str, document: Any) -> None:
    """Write an example; the same text gives the same bytes."""
    made = BytesIO()
    document.save(made)
    path = EXAMPLES / name / "given.docx"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w") as target:
        for entry in sorted(source.namelist()):
            data = source.read(entry)
            if entry != "docProps/thumbnail.jpeg":
                target.writestr(zipfile.ZipInfo(entry, _DAY), data, zipfile.ZIP_DEFLATED)
            else:
                target.writestr(zipfile.ZipInfo(entry, _DAY), b"")


def of_levels() -> None:
    """The sections are one level below the first heading; entries are lines without any mark."""
    made = docx.Document()
    write(
        made,
        """\
Rosa Sample
12 Mill Lane, Springfield | +1 202 555 0141 | rosa.sample@example.org
#  Objective
Engineer who likes data that arrive in time.
##  Education
University of Springfield
BSc Computer Science, 2016 – 2019
##  Experience
Data Engineer
Initech, April 2020 – June 2024
-  Moved 40 pipelines to one scheduler
-  Halved the time of the nightly run
Junior Analyst
Hooli, September 2019 – March 2020
-  Wrote the weekly report for sales
##  Skills
Languages: Python, SQL
Tools: Airflow, dbt
##  My Workshop
A shed with a lathe, open on Sundays.""",
    )
    save("docx-of-levels", made)


def of_header_rows() -> None:
    """Tables whose first row names the columns; personal data in a table at the end."""
    made = docx.Document()
    write(
        made,
        """\
**C U R R I C U L U M   V I T A E**
**Arun Exempel**
E-mail: arun.exempel@example.com
Mobile: +44 20 7946 0123
**C A R E E R   O B J E C T I V E**
To design bridges that outlive their designers.
**A C A D E M I C   Q U A L I F I C A T I O N S**""",
    )
    table(made, [["**Degree**", "**Institute / University**", "**Year**", "**CGPA / %**"],
                 ["M.Tech (Structures)", "Example Institute of Technology", "2019", "9.1"],
                 ["B.E. (Civil)", "Sample College of Engineering", "2017", "8.4"],
                 ["Class XII", "Specimen Public School", "2013", "91 %"]])  # fmt: skip
    write(
        made,
        """\
**W O R K   E X P E R I E N C E**
**Structural Engineer**, Example Bridges Ltd, London
08/ 2024 to Present
-  Checks the bearings of three river bridges
-  Wrote the load tables that five offices use
**Graduate Engineer**, Sample Consulting, Leeds
July 2019 to July 2024
-  Drew culverts and retaining walls
**T E C H N I C A L   S K I L L S**
STAAD Pro, AutoCAD, Python
**P E R S O N A L   D E T A I L S**""",
    )
    table(made, [["Date of birth:", "1995-03-14"], ["Nationality:", "Ruritanian"],
                 ["Languages known:", "English, Hindi"]])  # fmt: skip
    save("docx-of-header-rows", made)


def of_columns() -> None:
    """A page of two columns: a table with a narrow cell for contact and skills."""
    made = docx.Document()
    table(made, [["""\
T  Mina Muster
S  Product Manager
#  Contact
+1 202 555 0177
mina@example.org
Springfield, Ruritania
linkedin.com/in/mina-muster
#  Skills
-  Roadmaps
-  User research
-  SQL
#  Languages
German – native
English – C1""", """\
#  Profile
Product manager who has shipped four medical apps, from the first sketch to the audit.
#  Experience
##  Senior Product Manager
Specimen Health GmbH | Springfield | 2021 – present
-  Leads a team of nine
-  Brought the app through certification in 11 months
##  Product Manager
Sample Software AG | Shelbyville | 2017 – 2021
-  Launched the booking service
#  Education
##  MSc Human Factors
Example University | 2015 – 2017"""]], "Normal Table")  # fmt: skip
    save("docx-of-columns", made)


def of_date_column() -> None:
    """A German Lebenslauf: dates in the left column, bold positions, no styles of headings."""
    made = docx.Document()
    runs(made.add_paragraph(), "**Lebenslauf**", 18)
    runs(made.add_paragraph(), "**Persönliche Daten**", 13)
    table(made, [["Name", "Jonas Beispiel"], ["Anschrift", "Musterweg 3, 12345 Musterstadt"],
                 ["Telefon", "+49 30 23125 042"], ["E-Mail", "jonas@example.org"],
                 ["Geburtsdatum", "1991-07-02"]], "Normal Table")  # fmt: skip
    runs(made.add_paragraph(), "**Berufserfahrung**", 13)
    table(made, [["10/2019 – heute", """\
**Teamleiter Konstruktion**
*Beispiel Maschinenbau GmbH, Musterstadt*
-  Führt sechs Konstrukteure
-  Senkte den Ausschuss um ein Drittel"""], ["03/2015 – 09/2019", """\
**Konstrukteur**
*Muster Anlagenbau AG, Probstadt*
-  Entwarf Förderbänder"""]], "Normal Table")  # fmt: skip
    runs(made.add_paragraph(), "**Ausbildung**", 13)
    table(made, [["2010 – 2015", """\
**Diplom-Ingenieur Maschinenbau**
*Technische Universität Musterstadt*
Note: 1,7"""]], "Normal Table")  # fmt: skip
    runs(made.add_paragraph(), "**Sprachen**", 13)
    table(made, [["Deutsch", "Muttersprache"], ["Englisch", "fließend"]], "Normal Table")
    save("docx-of-date-column", made)


def of_ruled_titles() -> None:
    """An own style for titles, with a rule below; employers are bold, positions slanted."""
    made = docx.Document()
    style = made.styles.add_style("Band", WD_STYLE_TYPE.PARAGRAPH)
    style.font.size, style.font.all_caps = Pt(12), True
    rule = '<w:pBdr {}><w:bottom w:val="single" w:sz="6"/></w:pBdr>'.format(nsdecls("w"))
    style.element.get_or_add_pPr().append(parse_xml(rule))
    runs(made.add_paragraph(), "**Priya Specimen**", 20)
    write(made, "Shelbyville\t+1 202 555 0163\tpriya.specimen@example.org")
    for title, text in {
        "Work history": """\
**Northwind Traders**\tSpringfield
*Operations Lead*\tJan 2020 – Present
-  Runs two warehouses with 80 people
-  Cut late deliveries from 9 % to 2 %
**Globex**\tShelbyville
*Shift Planner*\tMay 2016 – Dec 2019
-  Planned 14 lines
**Umbrella Foods**\tOgdenville
*Packer*\t2014 – 2016""",
        "Education": """\
**Shelbyville State**\tShelbyville
*Bachelor of Business*\t2012 – 2016""",
        "Volunteering": """\
**Harbour Shelter**\tSpringfield
*Cook*\t2018 – 2021""",
        "Achievements": """\
-  Safety Prize, Northwind Traders, 2022
-  Employee of the Year, Globex, 2018""",
    }.items():
        made.add_paragraph(title, style="Band")
        write(made, text)
    save("docx-of-ruled-titles", made)


_BOX = """<w:r {}><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:v="urn:schemas-microsoft-com:vml"><mc:Choice Requires="wps"><w:drawing><wp:anchor distT="0"
 distB="0" distL="0" distR="0" simplePos="0" relativeHeight="1" behindDoc="0" locked="0"
 layoutInCell="1" allowOverlap="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin">
 <wp:posOffset>{x}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="margin">
 <wp:posOffset>{y}</wp:posOffset></wp:positionV><wp:extent cx="{w}" cy="{h}"/>
 <wp:wrapSquare wrapText="bothSides"/>
 <wp:docPr id="{id}" name="Box {id}"/><wp:cNvGraphicFramePr/><a:graphic><a:graphicData
 uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr
 txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{w}" cy="{h}"/></a:xfrm><a:prstGeom
 prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>{text}</w:txbxContent>
 </wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>
 <mc:Fallback><w:pict><v:textbox><w:txbxContent>{text}</w:txbxContent></v:textbox></w:pict>
 </mc:Fallback></mc:AlternateContent></w:r>"""


def box(paragraph: Any, text: str, place: tuple[int, int, int, int], number: int) -> None:
    """Anchor a box with a text, which Word writes in two forms, at x, y, width, height in mm."""
    lines = text.strip("\n").split("\n")
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    inner = "".join(
        f"<w:p>{style * line.startswith('#')}<w:r><w:t>{line.lstrip('# ')}</w:t></w:r></w:p>"
        for line in lines
    )
    x, y, width, height = (length * 36_000 for length in place)
    xml = _BOX.format(nsdecls("w"), x=x, y=y, w=width, h=height, id=number, text=inner)
    paragraph._element.append(parse_xml(xml))


def of_text_boxes() -> None:
    """Name, contact and skills stand in boxes beside the text."""
    made = docx.Document()
    anchor = made.add_paragraph()
    box(anchor, "Felix Probe\nCivil Engineer", (0, 0, 150, 22), 1)
    box(anchor, """\
#  Contact
felix.probe@example.org
+44 20 7946 0456
12 Quay Road, London
#  Skills
Revit, Civil 3D, Python""", (100, 25, 50, 80), 2)  # fmt: skip
    write(
        made,
        """\
#  Experience
##  Site Engineer
Quayside Works, London, 2018 – present
-  Supervised the north pier
##  Junior Engineer
Harbour Design, Bristol, 2014 – 2018
-  Modelled tides
#  Education
##  MEng Civil Engineering
University of Bristolham, 2010 – 2014""",
    )
    save("docx-of-text-boxes", made)


def of_referees() -> None:
    """A teacher's CV: referees in cells, a list of two alternating lines, degrees after towns."""
    made = docx.Document()
    write(
        made,
        """\
T  Emma Specimen-Hart
8 Orchard Close, Leeds LS1 1AA, United Kingdom
Tel: +44 113 496 0321 · emma@example.org
#  Personal Profile
Teacher of physics with twelve years in state schools.
#  Qualifications
-  Postgraduate Certificate in Education, 2011 – 2012
-  University of Leedshire
-  BSc Physics with Astronomy, 2008 – 2011
-  University of Yorkham
#  Employment
*September 2016 – present*
**Head of Physics**, Orchard Academy, Leeds
Runs a department of five. Introduced a practical course for 14-year-olds.
*September 2012 – August 2016*
**Teacher of Physics**, Mill Lane School, Bradford
Taught all years up to A-level.
#  Referees""",
    )
    table(made, [["""\
**Dr Anil Sample**
Headteacher
Orchard Academy
Leeds LS2 2BB
anil.sample@example.org""", """\
**Prof. Grace Muster**
University of Leedshire
+44 113 496 0654
grace@example.org"""]], "Normal Table")  # fmt: skip
    save("docx-of-referees", made)


def of_towns() -> None:
    """Degrees after their towns, dates in brackets, sections in bold with a colon."""
    made = docx.Document()
    write(
        made,
        """\
**Omar Ejemplo**
omar@example.org, +1 202 555 0185, Ogdenville

**Education:**
London: MA in Public History from University of Exampleton (2013)
Leeds: BA in History from Sample University (2011)
**Experience:**
**Archivist** at Ogdenville City Archive (2016–present)
-  Catalogues the maps of three centuries
**Assistant Archivist** at Museum of Specimens (2013–2016)
-  Photographed 12,000 plates
**Memberships:**
Society of Example Archivists, since 2017
**Interests:**
Bell ringing, letterpress""",
    )
    save("docx-of-towns", made)


def of_publications() -> None:
    """An academic CV: references in three styles, grants, teaching, supervision."""
    made = docx.Document()
    write(
        made,
        """\
T  Ines Probe
Department of Biology, Example University, Springfield
ines.probe@example.org
ORCID: 0000-0002-1825-0097
#  Appointments
2021–present\tAssistant Professor of Ecology, Example University
2018–2021\tPostdoctoral Researcher, Sample Institute of Marine Science
#  Education
2018\tPhD in Ecology, Sample University. Thesis: “Tides and the timing of larvae”
2013\tMSc in Biology, Example University
#  Publications
##  Journal articles
1.  Probe, I., Muster, K., & Sample, T. (2023). Larvae wait. *Tides*, 41(2), 8–11. doi:10.1000/182
1.  Probe I, Muster K. Tides as clocks. *Annals of Samples*. 2020;12(3):45–52.
1.  Muster, Karla, and Ines Probe. “Copepods in the Dark.” *Letters* 7, no. 1 (2019): 1–9.
##  Conference papers
1.  **I. Probe**, T. Sample. A net that does not hurt. In *Example Ocean Days*, pp. 10–17, 2017.
#  Grants
2022–2025\tCoastal clocks, Example Research Council, €240,000
#  Teaching
2021–present\tIntroduction to Ecology, Example University
#  Conference Presentations
Probe, I. “Moonlight as a cue.” Talk at the Ocean Meeting, Shelbyville, June 2024.""",
    )
    save("docx-of-publications", made)


def of_fields() -> None:
    """A French CV: own names of styles, links as fields, the contact in the page's header."""
    made = docx.Document()
    for name, base in (("Titre de rubrique", "Heading 1"), ("Poste", "Heading 2")):
        made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH).base_style = made.styles[base]
    header = made.sections[0].header.paragraphs[0]
    header.text = "3 rue de l’Exemple, 75001 Paris · +33 1 99 00 12 34 · "
    for kind, text in (("begin", ""), ("", ' HYPERLINK "mailto:chloe@example.org" '),
                       ("separate", ""), ("shown", "chloe@example.org"), ("end", "")):  # fmt: skip
        inner = f"<w:t>{text}</w:t>" if kind == "shown" else (
            f'<w:fldChar w:fldCharType="{kind}"/>' if kind else f"<w:instrText>{text}</w:instrText>"
        )  # fmt: skip
        header._element.append(parse_xml(f"<w:r {nsdecls('w')}>{inner}</w:r>"))
    write(made, "T  Chloé Exemple\nS  Ingénieure en acoustique")
    for style, title, text in (
        ("Titre de rubrique", "Expérience professionnelle", ""),
        ("Poste", "Ingénieure acousticienne – Bureau Exemple, Lyon", """\
Depuis septembre 2019
-  Mesure le bruit de douze gares
-  Forme trois stagiaires"""),
        ("Poste", "Chargée d’études – Laboratoire Modèle, Paris", """\
Janvier 2016 à août 2019
-  Modèles de salles de concert"""),
        ("Titre de rubrique", "Formation", """\
2015 : Diplôme d’ingénieur, École Modèle, Paris
2012 : Licence de physique, Université d’Exempleville"""),
        ("Titre de rubrique", "Langues", "Français (langue maternelle), anglais (C1)"),
        ("Titre de rubrique", "Centres d’intérêt", "Orgue, voile"),
    ):  # fmt: skip
        made.add_paragraph(title, style=style)
        if text:
            write(made, text)
    save("docx-of-fields", made)


def of_roles() -> None:
    """Headings for employers and, below them, for positions; projects without dates."""
    made = docx.Document()
    write(
        made,
        """\
T  Leo Ejemplo
leo@example.org | github.com/leo-ejemplo | Springfield
#  Professional Summary
Backend developer. Likes small services and long uptimes.
#  Professional Experience
##  Acme Cloud
###  Staff Engineer
March 2022 – Present
-  Owns the billing service
###  Senior Engineer
June 2019 – March 2022
-  Split the monolith
##  Initech
###  Software Engineer
2016 – 2019
-  Wrote the exporter
#  Projects
**Tinyqueue** – Rust, Redis
-  A queue in 900 lines
**Mapbits** – Go
-  Tiles for hiking maps
#  Certifications
Example Cloud Architect, Example Vendor, 2023""",
    )
    save("docx-of-roles", made)


def of_shift_returns() -> None:
    """Lines that end with a line break inside of a paragraph, dates first, bullets by hand."""
    made = docx.Document()
    write(
        made,
        "**NORA PROBE**\nnora.probe@example.org | +1 202 555 0134 | Springfield, IL\n**SUMMARY**",
    )
    write(made, "Nurse with ten years in intensive care.\n**EXPERIENCE**")
    for lines in (
        ["2019 – present", "**Charge Nurse**", "Springfield General Hospital, Springfield, IL"],
        ["2014 – 2019", "**Registered Nurse**", "Shelbyville Clinic, Shelbyville"],
    ):
        paragraph = made.add_paragraph()
        for at, line in enumerate(lines):
            runs(paragraph, line)
            if at + 1 < len(lines):
                paragraph.runs[-1].add_break()
        write(made, "• Leads a shift of twelve\n• Trains new staff")
    write(
        made,
        """\
**EDUCATION**
BSN, Springfield College of Nursing, 2014
**LICENSES AND CERTIFICATIONS**
• Registered Nurse, State of Illinois, 2014
• Advanced Life Support, Example Heart Association, 2022""",
    )
    save("docx-of-line-breaks", made)


if __name__ == "__main__":
    for make in (of_levels, of_header_rows, of_columns, of_date_column, of_ruled_titles, of_roles,
                 of_text_boxes, of_referees, of_towns, of_publications, of_fields,
                 of_shift_returns):  # fmt: skip
        make()
