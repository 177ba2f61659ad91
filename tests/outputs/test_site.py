"""`cvbuild site`: a site that shows only what is public, and changes only what changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import judges
import pytest
from browsers import find_no_fault
from conftest import Run
from lxml import html
from web_pages import ARABIC, picture
from workspaces import files_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SITE = Path("out/site")
HOSTILE = "</b><script>alert(1)</script> {{ 7*7 }}"
ADA = f"""\
name: {{given: Ada, family: Specimen, native: 例子}}
headline: Professor of *examples*
photo: ada.jpg
options: {{photo: true}}
contact: {{email: ada@example.org, phone: {{value: "+1 202 555 0199", private: true}}}}
interests: [proofs, {json.dumps(HOSTILE)}]
sections:
  - kind: publication
    items:
      - {{title: Schedules that hold, authors: [Ada Specimen, Lin Example], venue: Journal of X,
         date: 2024, doi: 10.5555/site.1, links: [{{PDF: "https://example.org/a.pdf"}}]}}
      - {{title: "{HOSTILE}", authors: [Ada Specimen], date: 2020, url: "https://example.org/?a=1&b=2"}}
      - {{title: Without a date, authors: [Ada Specimen]}}
"""
LIN = """\
name: {given: Lin, family: Example}
template: [industry, academic]
sections:
  - kind: publication
    items:
      - {title: "Schedules, that hold", authors: [A. Specimen, L. Example], date: 2024,
         doi: 10.5555/SITE.1, links: [{Code: "https://example.org/code"}]}
"""


@pytest.fixture(autouse=True)
def workspace(here: Path) -> Path:
    people = here / "people"
    people.mkdir()
    for name, text in (("ada", ADA), ("lin", LIN), ("amal", ARABIC)):
        (people / f"{name}.yaml").write_text(text, "utf-8")
    (people / "ada.jpg").write_bytes(picture())
    return here


def addresses(page: Path) -> list[str]:
    tree = html.fromstring(page.read_bytes())
    assert tree.xpath("//script|//iframe|//link|//form") == []
    return [str(one) for one in tree.xpath("//@href|//@src")]


def stamps() -> Iterator[tuple[str, int]]:
    yield from ((str(path), path.stat().st_mtime_ns) for path in sorted(SITE.rglob("*")))


def test_a_site_of_everybody(run: Run) -> None:
    ran = run("site", "--title", "Example <Group>")
    assert ran.code == 0, ran.err
    assert f"✓ {SITE}/index.html  3 people, " in ran.err
    made = files_of(SITE)
    assert {name for name in made if not name.endswith(".html")} == {
        "people/ada/ada.pdf", "people/ada/photo.jpg", "people/amal/amal.pdf",
        "people/lin/lin.pdf",
    }  # fmt: skip
    # Sorted by family name: Example, the Arabic one, Specimen.
    index = made["index.html"].decode()
    order = re.findall(r'href="people/(\w+)/index.html"', index)
    assert order == ["lin", "amal", "ada"]
    assert "<title>People, Example &lt;Group&gt;</title>" in index
    assert '<bdi lang="ar" dir="rtl">آدا مثال</bdi>' in index
    assert 'src="people/ada/photo.jpg"' in index
    assert b"".join(made.values()).count(b"555 0199") == 0
    for path in SITE.rglob("*.html"):
        assert "{{ 7*7 }}" in path.read_text("utf-8") or "ada" not in path.parts
        for address in addresses(path):
            if not re.match(r"https?:|mailto:|tel:|data:", address):
                assert (path.parent / unquote(address.partition("#")[0])).is_file(), address
    assert addresses(SITE / "people/lin/index.html")[:2] == ["../../index.html", "lin.pdf"]
    # Of Lin, the template that they picked first.
    assert made["people/lin/lin.pdf"] == Path("out/lin/industry.pdf").read_bytes()


@pytest.mark.deep
def test_only_what_changed_is_written_and_only_what_it_made_is_removed(run: Run) -> None:
    assert run("site").code == 0
    before, made = [*stamps()], files_of(SITE)
    ran = run("site")
    assert (ran.code, [*stamps()]) == (0, before)
    assert "3 people, up to date" in ran.err
    mine = SITE / "people/lin/mine.txt"
    mine.write_text("x")
    (SITE / "CNAME").write_text("example.org")
    (SITE / "people/amal/notes.pdf").write_text("of another program")
    for name in ("lin", "amal"):
        Path("people", f"{name}.yaml").unlink()
    ran = run("site")
    now = files_of(SITE)
    gone = made.keys() - now.keys()
    assert (ran.code, f", {len(gone)} removed" in ran.err) == (0, True)
    assert now.keys() == {
        "CNAME", "people/lin/mine.txt", "people/amal/notes.pdf", "index.html",
        "people/ada/index.html", "people/ada/ada.pdf", "people/ada/photo.jpg",
    }  # fmt: skip
    assert now["people/ada/index.html"] == made["people/ada/index.html"]


def test_while_a_document_fails_the_site_stays_as_it_was(run: Run) -> None:
    assert run("site").code == 0
    made = files_of(SITE)
    changed = ARABIC.replace("headline: ", "headline: Another one ")
    Path("people/amal.yaml").write_text(changed, "utf-8")
    variants = "template: all\nvariants: {all: {template: academic, private: true}}\n"
    faulty = {
        "ada": (ADA.replace("2024", "soon"), '"soon" is not a date'),
        "lin": (
            variants + LIN.replace("template: [industry, academic]\n", ""),
            "which is private, can't be on a site; name a public template",
        ),
    }
    for name, (text, fault) in faulty.items():
        before = Path(f"people/{name}.yaml").read_text("utf-8")
        Path(f"people/{name}.yaml").write_text(text, "utf-8")
        ran = run("site")
        assert (ran.code, fault in ran.err, files_of(SITE)) == (1, True, made)
        assert "✗ the site was not written: a document failed\n" in ran.err
        assert json.loads(run("site", "--json").out)["page"] is None
        Path(f"people/{name}.yaml").write_text(before, "utf-8")
    assert run("site").code == 0
    assert b"Another one" in files_of(SITE)["people/amal/index.html"]


def test_a_link_is_not_followed(run: Run, workspace: Path) -> None:
    elsewhere = workspace / "elsewhere"
    elsewhere.mkdir()
    Path("out").mkdir()
    SITE.symlink_to(elsewhere, target_is_directory=True)
    ran = run("site", "ada")
    assert (ran.code != 0, [*elsewhere.iterdir()]) == (True, [])


GROUPS = """\
defaults: {locale: de}
groups:
  profs: {people: ada, title: {en: Professors, de: Professuren}}
  all: {people: "a*", title: "<b>All</b>"}
  silent: {people: lin}
"""


@pytest.mark.deep
def test_groups_with_a_title_are_headings_in_the_language_of_the_site(run: Run) -> None:
    Path("cvbuild.yaml").write_text(GROUPS, "utf-8")
    for code, people, heading in (
        ("de", "Personen", "Professuren"),
        ("en", "People", "Professors"),
    ):
        assert run("site", "--title", "Lab", "--locale", code).code == 0
        page = (SITE / "index.html").read_text("utf-8")
        assert re.findall("<h1>(.*?)</h1>", page) == [people]
        assert f'<html lang="{code}"' in page
        # Who is in no group with a title comes first; in several, in the first.
        order = ["Lin Example", heading, "Ada Specimen", "&lt;b&gt;All&lt;/b&gt;"]
        assert [page.index(one) for one in order] == sorted(page.index(one) for one in order)
        assert page.count('href="people/ada/index.html"') == 1
    for file in SITE.rglob("*.html"):
        for address in addresses(file):
            if not address.startswith(("http", "#", "mailto:", "tel:", "data:")):
                assert (file.parent / unquote(address)).is_file(), (file, address)
    ran = run("site", "--locale", "de,en")
    assert "a site is in one language; make one for each: --locale en --out out/en" in ran.err
    assert '"nowhere" is not a known language tag' in run("site", "--locale", "nowhere").err


def test_judges_find_no_fault_in_the_pages(run: Run, browser: Browser) -> None:
    assert run("site", "--title", "Example Group").code == 0
    pages = [str(path) for path in SITE.rglob("*.html")]
    assert judges.html_faults(*pages) == ""
    find_no_fault(browser, pages)
