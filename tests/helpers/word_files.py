"""Documents for Word, made for tests, and whether all that they name is in them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import lettered
from lettered import ADA
from lxml import etree
from PIL import Image

from cvbuild.outputs.formats.docx import Format
from cvbuild.outputs.types import Shown

ROOT = Path(__file__).parents[2]
CVS = sorted(
    [*ROOT.glob("people/*.yaml"), *ROOT.glob("tests/shapes/*.yaml"),
     ROOT / "docs/gallery/nora-lindqvist.yaml"]
)  # fmt: skip
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def shown_of(path: Path, template: str = "academic", letter: str = "") -> Shown:
    return lettered.shown_of(path, "docx", letter, template)


def made(shown: Shown) -> bytes:
    content = Format().make(shown).content
    assert isinstance(content, bytes)
    whole(content)
    return content


def opened(content: bytes) -> Any:
    return docx.Document(io.BytesIO(content))


def person_in(folder: Path) -> Path:
    Image.new("RGB", (300, 400), (90, 120, 150)).save(folder / "photo.png")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(folder / "sig.png")
    return written(folder / "ada.yaml", ADA)


def written(person: Path, text: str) -> Path:
    person.write_text(text, "utf-8")
    return person


def whole(content: bytes) -> None:
    """Check that all that the parts of a file name is there: types, relations, styles, lists."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        names = held.namelist()
        assert len({*names}) == len(names)
        assert {one.date_time for one in held.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        roots = {name: etree.fromstring(held.read(name)) for name in names if name.endswith("ml")}
        relations = {
            name: etree.fromstring(held.read(name)) for name in names if name.endswith(".rels")
        }
    types = roots["[Content_Types].xml"]
    overrides = {one.get("PartName") for one in types if one.get("PartName")}
    defaults = {one.get("Extension") for one in types if one.get("Extension")}
    assert overrides == {one for one in overrides if one.removeprefix("/") in names}
    for name in names[1:]:
        assert f"/{name}" in overrides or name.rpartition(".")[2] in defaults, name
    for name, root in relations.items():
        folder = name.partition("_rels/")[0]
        for one in root:
            if one.get("TargetMode") != "External":
                target = one.get("Target")
                assert target.removeprefix("/") in names or folder + target in names, target
        source = roots.get(folder + name.rpartition("/")[2].removesuffix(".rels"))
        if source is not None:
            used = {value for one in source.iter() for key, value in one.attrib.items()
                    if key.startswith(R)}  # fmt: skip
            assert used <= {one.get("Id") for one in root}
    styles = {one.get(f"{W}styleId") for one in roots["word/styles.xml"].iter(f"{W}style")}
    lists = {one.get(f"{W}numId") for one in roots["word/numbering.xml"].iter(f"{W}num")}
    for root in roots.values():
        for tag in ("pStyle", "rStyle", "basedOn", "next", "link"):
            assert {one.get(f"{W}val") for one in root.iter(f"{W}{tag}")} <= styles, tag
        assert {one.get(f"{W}val") for one in root.iter(f"{W}numId")} <= lists
    ids = [one.get("id") for one in roots["word/document.xml"].iter() if one.tag.endswith("}docPr")]
    assert len({*ids}) == len(ids)


def packed(path: Path, xml: str) -> None:
    made = io.BytesIO()
    docx.Document().save(made)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, xml if name == "word/document.xml" else source.read(name))
