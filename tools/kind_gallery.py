"""Draw every kind of section in every style, and add them to docs/gallery.md.

``make docs-gallery`` does it. A picture per kind shows the styles beside each other: of documents
that have only this section, what is below the head.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml
from PIL import Image, ImageChops, ImageDraw, ImageFont

from cvbuild.model.kinds import KINDS, OWN
from cvbuild.outputs.styles.templates import Library
from tools import gallery

FOLDER = gallery.FOLDER / "kinds"
#: Columns of styles in a picture, the width of each in pixels, the space around, and a label's.
COLUMNS, WIDTH, SPACE, LABEL = 2, 560, 24, 34
_HEAD = {
    "name": "Ada Example",
    "summary": "I make **examples** that last, and explain them to people who read little.",
    "interests": ["chess", {"name": "music", "keywords": ["piano", "choir"]}],
}
_INTRODUCTION = """\

## Kinds of sections

Each kind of section, as every style sets the example of
[the schema](reference/schema.md#sections).
"""


def draw() -> None:
    """Build a document for each kind and style, draw each kind, add it to the page."""
    styles, kinds = [*Library.at().names()], [*OWN, *KINDS]
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "people").mkdir()
        (root / "people" / "ada.yaml").write_text(_person(styles, kinds), encoding="utf-8")
        gallery.cvbuild(
            root, "build", "--variant", ",".join(_name(s, k) for s in styles for k in kinds)
        )
        shown = {style: _sections(root / "out" / "ada", style, kinds) for style in styles}
    parts = [_INTRODUCTION]
    for kind in kinds:
        _sheet({style: shown[style][kind] for style in styles}).save(
            FOLDER / f"{kind}.webp", "WEBP", quality=50, method=6
        )
        words = f"{kind} in {', '.join(styles[:-1])} and {styles[-1]}"
        address = f"gallery/kinds/{kind}.webp"
        picture = f'<img src="{address}" alt="{words}" width="960">'
        parts.append(f'### {kind}\n\n<a href="{address}">{picture}</a>\n')
    page = gallery.PAGE.read_text(encoding="utf-8").partition(_INTRODUCTION)[0]
    gallery.PAGE.write_text(page + "\n".join(parts), encoding="utf-8")


def _name(style: str, kind: str) -> str:
    return f"{style}-{kind}"


def _person(styles: list[str], kinds: list[str]) -> str:
    """Return a person with all examples, and a variant for each style and kind."""
    examples = [yaml.safe_load(kind.require("example")) for kind in KINDS.values()]
    sections = [section for example in examples for section in example["sections"]]
    variants = {
        _name(style, kind): {"template": style, "kinds": [kind]}
        for style in styles
        for kind in kinds
    }
    whole = {**_HEAD, "sections": sections, "variants": variants}
    return json.dumps(whole, ensure_ascii=False, default=str)


def _sections(folder: Path, style: str, kinds: list[str]) -> dict[str, Image.Image]:
    """Return of each kind's page what the pages of the other kinds have not."""
    pages = {
        kind: next(gallery.pages_of(folder / f"{_name(style, kind)}.pdf", WIDTH * 2))
        for kind in kinds
    }
    boxes = {kind: _differences(kind, pages) for kind in kinds}
    left, right = min(b[0] for b in boxes.values()), max(b[2] for b in boxes.values())
    top = min(box[1] for box in boxes.values())
    made = {}
    for kind, page in pages.items():
        cut = page.crop((left - 8, top - 8, right + 8, boxes[kind][3] + 8))
        made[kind] = cut.resize(
            (WIDTH, round(cut.height * WIDTH / cut.width)), Image.Resampling.BOX
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
    heights = [SPACE] * COLUMNS
    places = {}
    for style, picture in shown.items():
        column = heights.index(min(heights))
        places[style] = (SPACE + column * (WIDTH + SPACE), heights[column])
        heights[column] += LABEL + picture.height + SPACE
    sheet = Image.new("RGB", (SPACE + COLUMNS * (WIDTH + SPACE), max(heights)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(22)
    for style, (left, top) in places.items():
        draw.text((left, top), style, fill="#8a1c2b", font=font)
        draw.line((left, top + LABEL - 6, left + WIDTH, top + LABEL - 6), fill="#c8c8c8")
        sheet.paste(shown[style], (left, top + LABEL))
    return sheet
