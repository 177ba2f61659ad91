"""``cvbuild gallery``: a person's CV in every style on one page, and the docs' gallery."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from conftest import Run
from lxml import html
from PIL import Image
from pypdfium2 import PdfDocument
from texlive import demand_embedded
from workspaces import write

from cvbuild.building import fresh
from cvbuild.cli import console
from cvbuild.model.kinds import KINDS, OWN
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from tools import gallery

ROOT = Path(__file__).resolve().parent.parent
PERSON = """\
name: {given: Ada, family: "<Example> & Söhne"}
headline: Secret agent
contact: {email: ada@example.org, phone: {number: +1 202 555 0123, private: true}}
template: industry
sections:
  - {kind: bullets, items: [One point, {text: Hidden point, private: true}]}
"""
BROKEN = """\
api: 1
title: <Broken> &amp;
description: A style that doesn't work.
audience: nobody
tex: {style: cvb-broken}
"""
STYLES = Library.at().names()
FEW = ("academic", "industry", "sidebar")


def read(path: Path) -> Any:
    """The page; no attribute of it acts."""
    page = html.fromstring(path.read_text("utf-8"))
    assert page.xpath("//script|//@*[starts-with(name(), 'on')]") == []
    return page


def texts_of(page: Any) -> list[str]:
    return [" ".join(text.split()) for text in page.xpath("//body//text()")]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.mark.parametrize("styles", [FEW, pytest.param(STYLES, marks=pytest.mark.deep)], ids=len)
def test_every_style_of_the_only_person(
    styles: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand_embedded()
    (few := tmp_path / "few").mkdir()
    for name in ("_core", *styles):
        (few / name).symlink_to(builtin_folder() / name)
    for module in (templates, fresh):
        monkeypatch.setattr(module, "builtin_folder", lambda: few)
    write("ada #1", PERSON)
    done = run("gallery", "--engine", "embedded")
    assert done.code == 0, done.err
    assert (
        done.err.splitlines()[-1] == f"✓ {Path('out/gallery.html')}  {len(styles)} styles of ada #1"
    )
    first = Path("out/gallery.html").read_bytes()
    assert len(first) < 350_000 * len(styles)
    found = read(Path("out/gallery.html"))
    assert not re.search(rb"https?:|url\(|@import", first)
    # One person's folder of documents to send isn't touched.
    assert sorted(path.name for path in Path("out").iterdir()) == [".build", "gallery.html"]
    pictures, links = found.xpath("//img"), found.xpath("//a/@href")
    assert len(pictures) == len(links) == len(styles) >= 3
    for style, picture, link in zip(styles, pictures, links, strict=True):
        assert Path("out", unquote(link)).read_bytes().startswith(b"%PDF")
        name = "Ada <Example> & Söhne"
        assert picture.get("alt") == f"Page 1 of the CV of {name} in the style {style}"
        kind, _, data = picture.get("src").partition(",")
        assert kind == "data:image/png;base64"
        with Image.open(io.BytesIO(base64.b64decode(data))) as image:
            assert image.mode == "RGB"
            assert 790 < image.width < 840
            assert sum(image.convert("L").histogram()[:60]) > 0
        assert f"template: {style}" in texts_of(found)
    assert texts_of(found).count("chosen") == 1
    again = run("gallery", "--engine", "embedded", "--json")
    assert (again.code, again.err) == (0, "")
    told = json.loads(again.out)
    assert told["page"] == str(Path("out/gallery.html"))
    assert [one["cached"] for one in told["documents"]] == [True] * len(styles)
    assert Path("out/gallery.html").read_bytes() == first
    for style in styles:
        with PdfDocument(f"out/.build/gallery/ada #1/{style}.pdf") as document:
            words = "".join(one.get_textpage().get_text_bounded() for one in document)
        assert "One point" in words
        assert "555" not in words
        assert "Hidden" not in words
    # A style that fails is shown with its error.
    folder = Path("templates/broken")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(BROKEN, "utf-8")
    (folder / "cvb-broken.sty").write_text(
        "\\ProvidesPackage{cvb-broken}\n\\RequirePackageWithOptions{cvb-core}\n"
        "\\AddToHook{begindocument}{\\Undefined<b>}\n",
        encoding="utf-8",
    )
    assert run("gallery", "--engine", "embedded").code == 1
    found = read(Path("out/gallery.html"))
    assert len(found.xpath("//img")) == len(styles)
    assert found.xpath("//b|//broken") == []
    assert "<Broken> &amp;" in texts_of(found)
    assert "For nobody" in texts_of(found)
    at = texts_of(found).index("Could not be built.")
    assert "Undefined" in " ".join(texts_of(found)[at:])
    assert "template: broken" in texts_of(found)[at:]


def test_the_browser_opens_only_for_somebody_at_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not console.has_screen()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert console.has_screen()


def test_the_gallery_of_the_docs_has_all_its_pictures() -> None:
    text = gallery.PAGE.read_text("utf-8")
    pictures = re.findall(r'src="gallery/([\w-]+)\.png"', text)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r'src="docs/gallery/([\w-]+)\.png"', readme) == [
        gallery.SHORT,
        gallery.SEVERAL,
    ]
    pictures += [gallery.SHORT, gallery.SEVERAL]
    assert set(pictures) == {path.stem for path in gallery.FOLDER.glob("*.png")}
    assert set(gallery.CHOSEN) < {*STYLES}
    for style in STYLES:
        assert f"\n## {style}\n" in text, "run: make docs-gallery"
        assert {style, f"{style}-letter", f"{style}-accents"} <= set(pictures)
    for name in pictures:
        with Image.open(gallery.FOLDER / f"{name}.png") as image:
            assert image.mode == "RGB", "no palette: accents would look grey"
            assert image.width >= gallery.WIDTH


def test_the_docs_show_every_kind_in_every_style() -> None:
    text = gallery.PAGE.read_text("utf-8").partition("\n## Kinds of sections\n")[2]
    kinds = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert kinds == [*OWN, *KINDS], "run: make docs-gallery"
    assert set(kinds) == {path.stem for path in gallery.KINDS_FOLDER.iterdir()}
    for alternative in re.findall(r'alt="(\w+) in ([^"]*)"', text):
        assert re.split(", | and ", alternative[1]) == [*STYLES], "run: make docs-gallery"
    pictures = [path for path in gallery.FOLDER.rglob("*") if path.suffix in (".png", ".webp")]
    assert sum(path.stat().st_size for path in pictures) < 6_000_000
