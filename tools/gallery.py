"""Draw the pictures of README.md and docs/gallery.md, and write that page: ``make docs-gallery``.

All show one person who is made up, docs/gallery/nora-lindqvist.yaml: page 1 and 2 of each style,
its letter, and its head in three accents; README.md has three styles in one picture, and the page
of the file that it shows. They are in full colour, and small by their size alone. Below them is
each kind of section in every style.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageOps
from pypdfium2 import PdfDocument

from cvbuild.model.kinds import KINDS, OWN
from cvbuild.outputs.styles.templates import Library, Template
from cvbuild.outputs.styles.typefaces import TYPEFACES

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "gallery"
PAGE = FOLDER.parent / "gallery.md"
#: The picture of README.md, the styles in it, and its pixels.
SEVERAL, CHOSEN, BROAD = "styles", ("academic", "industry", "sidebar"), 1200
#: The picture of the page of README.md's file, and the part of the page that it shows.
SHORT, TOP = "readme", 0.43
#: The file of the person whom all pictures show.
PERSON = "nora-lindqvist"
#: Pixels: twice what a page shows, for sharp screens.
WIDTH = 640
#: Three accents that no style has by itself, and the part of the page that shows them.
COLOURS, HEAD = ("forest", "plum", "graphite"), 0.4
_FRAME = "#c8c8c8"
#: The pictures of kinds, and in each the columns of styles, the width of a column in pixels, the
#: space around, and the height of a style's name.
KINDS_FOLDER = FOLDER / "kinds"
_COLUMNS, _COLUMN, _SPACE, _LABEL = 2, 560, 24, 34
_KINDS_HEAD = {
    "name": "Ada Example",
    "summary": "I make **examples** that last, and explain them to people who read little.",
    "interests": ["chess", {"name": "music", "keywords": ["piano", "choir"]}],
}
#: The pictures of the editor's start page: the head of a page, in pixels of such a picture.
START = FOLDER.parent.parent / "cvbuild" / "serve" / "static"
_START_HEAD, _START_SIZE = (36, 26, 606, 443), (260, 190)
_INTRODUCTION = """\
# Gallery

<!-- Written by `make docs-gallery`; don't edit. -->

One made-up person in each style, from [her file](gallery/nora-lindqvist.yaml).
[Kinds of sections](#kinds-of-sections) are below. To see your own CV in every style:

```sh
cvbuild gallery ada-example
```

It writes `out/gallery.html`, one file with pictures of your public CV, and opens it unless you say
`--no-open`. The documents that you send stay as they are.
"""
_KINDS_INTRODUCTION = """\

## Kinds of sections

Each kind of section, as every style sets the example of
[the schema](reference/schema.md#sections).
"""


def draw() -> None:
    """Build everything in a folder of its own, draw all pictures, write the page."""
    library = Library.at()
    styles = [library.find(name) for name in library.names()]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _prepare(root, [style.name for style in styles])
        cvbuild(root, "gallery", "--no-open")
        cvbuild(root, "apply", "--all")
        for colour in COLOURS:
            arguments = ("--all-templates", "--set", f"options.accent={colour}", "-o", colour)
            cvbuild(root, "build", *arguments)
        sections = [_section(style, root) for style in styles]
    for style in styles:
        start(style.name)
    PAGE.write_text("\n".join([_INTRODUCTION, *sections]) + kinds(), encoding="utf-8")
    draw_several()
    draw_short()


def start(name: str) -> None:
    """Write the picture of a style for the editor's start page, out of that of its page 1."""
    with Image.open(FOLDER / f"{name}.png") as page:
        head = page.convert("RGB").crop(_START_HEAD).resize(_START_SIZE, Image.Resampling.LANCZOS)
    few = head.quantize(64, dither=Image.Dither.NONE)
    few.save(START / f"style-{name}.png", optimize=True)


def draw_several() -> None:
    """Write the first pages of some styles beside each other, from their pictures."""
    width = BROAD // len(CHOSEN)
    pages = [Image.open(FOLDER / f"{name}.png") for name in CHOSEN]
    height = min(page.height * width // page.width for page in pages)
    strip = Image.new("RGB", (BROAD, height), "white")
    for at, page in enumerate(pages):
        small = page.resize((width, page.height * width // page.width), Image.Resampling.BOX)
        strip.paste(small.crop((0, 0, width, height)), (at * width, 0))
    _write(strip, SEVERAL)


def draw_short() -> None:
    """Write the head of the page that the file in README.md gives."""
    readme = (FOLDER.parent.parent / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "people").mkdir()
        text = readme.partition("```yaml\n")[2].partition("```")[0]
        (root / "people" / "ada-example.yaml").write_text(text, encoding="utf-8")
        cvbuild(root, "build")
        page = next(pages_of(root / "out" / "ada-example" / "industry.pdf", BROAD))
    head = page.crop((0, 0, page.width, round(page.height * TOP)))
    _write(ImageOps.expand(head, border=2, fill=_FRAME), SHORT)


def _prepare(root: Path, styles: list[str]) -> None:
    """Make a workspace with the person, and an application in each style."""
    for name in ("people", "applications"):
        (root / name).mkdir()
    person = (FOLDER / f"{PERSON}.yaml").read_text(encoding="utf-8")
    (root / "people" / f"{PERSON}.yaml").write_text(person, encoding="utf-8")
    letter = (FOLDER / "letter.yaml").read_text(encoding="utf-8")
    for style in styles:
        text = f'person: {PERSON}\ntemplate: {style}\nfiles: "{{kind}}"\n{letter}'
        (root / "applications" / f"{style}.yaml").write_text(text, encoding="utf-8")


def cvbuild(root: Path, *arguments: str) -> None:
    """Run cvbuild with the embedded TeX, for the same pictures everywhere; raise if it fails."""
    command = [sys.executable, "-m", "cvbuild", *arguments, "--engine", "embedded"]
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent.parent)}
    subprocess.run(command, cwd=root, env=environment, check=True)


def _section(style: Template, root: Path) -> str:
    """Draw the pictures of a style; return its part of the page."""
    name = style.name
    pages = [*pages_of(root / "out" / ".build" / "gallery" / PERSON / f"{name}.pdf")]
    (letter,) = (root / "out" / "applications" / name).glob("Cover-Letter*.pdf")
    shown = [_picture(pages[0], name, f"{name}, page 1")]
    if len(pages) > 1:
        shown.append(_picture(pages[1], f"{name}-2", f"{name}, page 2"))
    shown.append(_picture(next(pages_of(letter)), f"{name}-letter", f"{name}, letter"))
    heads = [next(pages_of(root / colour / PERSON / f"{name}.pdf")) for colour in COLOURS]
    accents = f"{name} in {', '.join(COLOURS[:-1])} and {COLOURS[-1]}"
    lines = [f"## {name}", "", style.manifest.description, "", _facts(style, len(pages)), ""]
    lines += [" ".join(shown), "", _accents(heads, f"{name}-accents", accents), ""]
    return "\n".join([*lines, f"```yaml\ntemplate: {name}\n```\n"])


def _facts(style: Template, count: int) -> str:
    """Return for whom it is, its typeface, columns and pages."""
    manifest = style.manifest
    font = manifest.options.get("font")
    face = TYPEFACES.get(str(font.default)) if font else None
    kind = ("sans serif" if face.sans else "serif") if face else ""
    number = f"{count} page" + ("" if count == 1 else "s") + " for this person"
    words = [f"{face.name} ({kind})" if face else "", manifest.layout, number]
    audience = f"For {manifest.audience}. " if manifest.audience else ""
    return audience + ", ".join(filter(None, words)) + "."


def pages_of(pdf: Path, width: int = WIDTH) -> Iterator[Image.Image]:
    """Yield the pages of a PDF, drawn at twice the size and made smaller: thin lines stay even."""
    with PdfDocument(pdf) as document:
        for page in document:
            large = page.render(scale=2 * width / page.get_width()).to_pil().convert("RGB")
            height = round(large.height * width / large.width)
            yield large.resize((width, height), Image.Resampling.BOX)


def _picture(page: Image.Image, name: str, words: str) -> str:
    """Write a page with a thin frame, as it is white on white; return its Markdown."""
    _write(ImageOps.expand(page, border=1, fill=_FRAME), name)
    return _html(name, words, WIDTH // 2)


def _accents(pages: list[Image.Image], name: str, words: str) -> str:
    """Write the upper parts of pages beside each other; return the Markdown."""
    height = round(pages[0].height * HEAD)
    strip = Image.new("RGB", (sum(page.width for page in pages), height))
    for at, page in enumerate(pages):
        box = ImageOps.expand(page.crop((1, 1, page.width - 1, height - 1)), 1, _FRAME)
        strip.paste(box, (at * page.width, 0))
    _write(strip, name)
    return _html(name, words, strip.width // 2)


def _write(picture: Image.Image, name: str) -> None:
    """Write a PNG in full colour."""
    file, stream = FOLDER / f"{name}.png", io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    file.write_bytes(stream.getvalue())


def _html(name: str, words: str, width: int) -> str:
    return f'<img src="gallery/{name}.png" alt="{words}" width="{width}">'


# -- kinds of sections ----------------------------------------------------------------------------


def kinds() -> str:
    """Draw each kind of section in every style; return their part of the page.

    A picture has the styles beside each other: what is below the head in documents that have only
    this section.
    """
    styles, names = [*Library.at().names()], [*OWN, *KINDS]
    KINDS_FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "people").mkdir()
        (root / "people" / "ada.yaml").write_text(_examples(styles, names), encoding="utf-8")
        cvbuild(root, "build", "--variant", ",".join(_variant(s, k) for s in styles for k in names))
        shown = {style: _pictures_of(root / "out" / "ada", style, names) for style in styles}
    parts = [_KINDS_INTRODUCTION]
    for kind in names:
        address = f"gallery/kinds/{kind}.webp"
        _sheet({style: shown[style][kind] for style in styles}).save(
            PAGE.parent / address, "WEBP", quality=50, method=6
        )
        words = f"{kind} in {', '.join(styles[:-1])} and {styles[-1]}"
        picture = f'<img src="{address}" alt="{words}" width="960">'
        parts.append(f'### {kind}\n\n<a href="{address}">{picture}</a>\n')
    return "\n".join(parts)


def _variant(style: str, kind: str) -> str:
    return f"{style}-{kind}"


def _examples(styles: list[str], kinds: list[str]) -> str:
    """Return a person with all examples, and a variant for each style and kind."""
    examples = [yaml.safe_load(kind.example) for kind in KINDS.values()]
    sections = [section for example in examples for section in example["sections"]]
    variants = {
        _variant(style, kind): {"template": style, "kinds": [kind]}
        for style in styles
        for kind in kinds
    }
    whole = {**_KINDS_HEAD, "sections": sections, "variants": variants}
    return json.dumps(whole, ensure_ascii=False, default=str)


def _pictures_of(folder: Path, style: str, kinds: list[str]) -> dict[str, Image.Image]:
    """Return of each kind's page what the pages of the other kinds have not."""
    pages = {
        kind: next(pages_of(folder / f"{_variant(style, kind)}.pdf", _COLUMN * 2)) for kind in kinds
    }
    boxes = {kind: _differences(kind, pages) for kind in kinds}
    left, right = min(b[0] for b in boxes.values()), max(b[2] for b in boxes.values())
    top = min(box[1] for box in boxes.values())
    made = {}
    for kind, page in pages.items():
        cut = page.crop((left - 8, top - 8, right + 8, boxes[kind][3] + 8))
        made[kind] = cut.resize(
            (_COLUMN, round(cut.height * _COLUMN / cut.width)), Image.Resampling.BOX
        )
    return made


def _differences(kind: str, pages: Mapping[str, Image.Image]) -> tuple[int, int, int, int]:
    """Return the part of a page that is its own: the smallest in which it differs from another."""
    others = (page for name, page in pages.items() if name != kind)
    boxes = [box for page in others if (box := ImageChops.difference(pages[kind], page).getbbox())]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        min(box[3] for box in boxes),
    )


def _sheet(shown: Mapping[str, Image.Image]) -> Image.Image:
    """Return the pictures of all styles with their names, each in the shortest column."""
    heights = [_SPACE] * _COLUMNS
    places = {}
    for style, picture in shown.items():
        column = heights.index(min(heights))
        places[style] = (_SPACE + column * (_COLUMN + _SPACE), heights[column])
        heights[column] += _LABEL + picture.height + _SPACE
    sheet = Image.new("RGB", (_SPACE + _COLUMNS * (_COLUMN + _SPACE), max(heights)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(22)
    for style, (left, top) in places.items():
        draw.text((left, top), style, fill="#8a1c2b", font=font)
        draw.line((left, top + _LABEL - 6, left + _COLUMN, top + _LABEL - 6), fill="#c8c8c8")
        sheet.paste(shown[style], (left, top + _LABEL))
    return sheet
