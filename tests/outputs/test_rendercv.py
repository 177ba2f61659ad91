"""``--format rendercv``: a file that RenderCV builds, and that comes back as the same person."""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import yaml
from conftest import Run

from cvbuild.importers import files, registry
from cvbuild.model import kinds

ROOT = Path(__file__).resolve().parents[2]
#: What RenderCV 2.8 wants of each type of entry: keys that must be there, and further ones.
_DATED = {"date", "start_date", "end_date", "location", "summary", "highlights"}
TYPES: dict[str, tuple[set[str], set[str]]] = {
    "education": ({"institution", "area"}, {"degree", *_DATED}),
    "experience": ({"company", "position"}, _DATED),
    "publication": ({"title", "authors"}, {"summary", "doi", "url", "journal", "date"}),
    "normal": ({"name"}, _DATED),
    "one line": ({"label", "details"}, set()),
    "bullet": ({"bullet"}, set()),
}
NETWORKS = {
    "LinkedIn", "GitHub", "GitLab", "IMDB", "Instagram", "ORCID", "Mastodon", "StackOverflow",
    "ResearchGate", "YouTube", "Google Scholar", "Telegram", "WhatsApp", "Leetcode", "X",
    "Bluesky", "Reddit",
}  # fmt: skip


def type_of(entry: Any) -> str:
    """The name of an entry's type; fails if it has none."""
    if isinstance(entry, str):
        return "text"
    keys = set(entry)
    found = [name for name, (must, may) in TYPES.items() if must <= keys <= must | may]
    assert len(found) == 1, entry
    return found[0]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a person with everything, the one of the gallery, one for each kind."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "people"
    folder.mkdir()
    for name, path in (
        ("everything", "tests/importers/round-trip.yaml"),
        ("nora", "docs/gallery/nora-lindqvist.yaml"),
    ):
        (folder / f"{name}.yaml").write_bytes((ROOT / path).read_bytes())
    for name, kind in kinds.KINDS.items():
        (folder / f"{name}.yaml").write_text(f"name: Ada Example\n{kind.example}", "utf-8")
    return folder


def test_every_person_is_written_in_its_types(run: Run, people: Path) -> None:
    ran = run("build", "-t", "academic", "--format", "rendercv")
    assert ran.code == 0, ran.err
    used = set()
    for path in people.glob("*.yaml"):
        written = Path("out") / path.stem / "academic.rendercv.yaml"
        made = yaml.safe_load(written.read_text("utf-8"))
        assert set(made) == {"cv", "design"}
        for entries in made["cv"]["sections"].values():
            (name,) = {type_of(one) for one in entries}
            used.add(name)
        assert {one["network"] for one in made["cv"].get("social_networks", ())} <= NETWORKS
        again = registry.read(files.opened(written))
        assert [one for one in again.lost if "fontawesome" not in str(one.note)] == []
    assert used == {*TYPES, "text"}


def test_a_person_comes_back(run: Run, people: Path) -> None:
    assert run("build", "nora", "-t", "academic", "--format", "rendercv").code == 0
    found = registry.read(files.opened(Path("out/nora/academic.rendercv.yaml"))).data
    given = yaml.safe_load((people / "nora.yaml").read_text("utf-8"))
    assert found["name"] == "Nora Lindqvist"
    for key in ("headline", "locale"):
        assert found.get(key, "en") == given[key]
    sections = {one["kind"]: one for one in found["sections"]}
    assert list(sections) == [one["kind"] for one in given["sections"]]
    for one in given["sections"]:
        assert len(sections[one["kind"]]["items"]) == len(one["items"])
    education, thesis = sections["education"]["items"][0], given["sections"][1]["items"][0]
    for key in ("institution", "degree", "area", "thesis", "grade"):
        assert education[key] == thesis[key]
    assert sections["publication"]["items"][0]["authors"][0] == "N. Lindqvist"


#: Texts that RenderCV's Markdown, or Typst, would read as something else.
HOSTILE = (
    "Presenter for <Metasploit 101>", "<table> x </table>", "</div>", "#include #tag C#", "$$x$$",
    "- item", "= head", "1. one", "!!! note", "[a]: b", "a - b", "a -- b --- c -?", "__init__ _x_",
    "&#35; &lt;", "@cite <lbl>", "{{ x }} {% y %}", "a//b /*c*/", "~a^b", "!", "C:\\x\\", "a*b*",
    *(f"{one}a {one}b{one} c{one}{one}d {one}" for one in string.punctuation if one != "`"),
)  # fmt: skip
ODD = r"""
name: Ada " Example
contact:
  phone: [+1 (234) 567 890, +1 202 555 0147]
  email: [_ada_@example.org, ada@example.org]
  website: [https://example.org/#ada, https://example.org/ada]
  profiles: {stack-overflow: "1", github: ada-example}
sections:
  - kind: education
    items:
      - {institution: Example University, degree: PhD, area: Physics}
      - {institution: Example School}
  - kind: publication
    order: file
    items:
      - {title: Cells, authors: [Ada Example], venue: Front. Neuroanat., date: 2020-01,
         doi: 10.5555/12345678}
      - {title: Talk, venue: "Workshop on Things (SOSP)*, October 2017.",
         url: "https://example.org/a#b", links: [{Paper: "https://example.org/p.pdf"}]}
  - kind: experience
    items: [{title: Engineer, date: 2024-03 to 2024, bullets: ["`a<b` `c`", "Read a ` in code"]}]
"""


def hostile() -> str:
    """A person with such a text in every kind of field."""
    literal = [re.sub(r"([^\w\s]|_)", r"\\\1", one) for one in HOSTILE]
    sections: list[dict[str, Any]] = [
        {"kind": "text", "title": f"{title} 1", "note": title, "items": literal}
        for title in HOSTILE[:1]
    ]
    sections += [
        {"kind": "bullets", "items": [{"text": one, "bullets": [one]} for one in literal]},
        {"kind": "entry", "title": "More", "items": [
            {"title": one, "summary": one} for one in literal
        ]},
        {"kind": "publication", "items": [{"title": one, "venue": one} for one in literal]},
        {"kind": "experience", "items": [
            {"title": one, "employer": one, "location": one, "bullets": [one]} for one in literal
        ]},
        {"kind": "skill", "items": [{"name": one, "keywords": [one]} for one in literal]},
    ]  # fmt: skip
    return yaml.safe_dump({"name": "Ada Example", "headline": literal[0], "sections": sections})


def test_what_it_would_refuse_is_written_in_a_form_that_it_takes(run: Run, people: Path) -> None:
    (people / "odd.yaml").write_text(ODD, "utf-8")
    ran = run("build", "odd", "-t", "academic", "--format", "rendercv")
    assert ran.code == 0, ran.err
    assert "note: RenderCV can't print ` here, so its file has ˋ" in ran.err
    assert "note: RenderCV can't print \" here, so its file has ”" in ran.err
    text = Path("out/odd/academic.rendercv.yaml").read_text("utf-8")
    assert "&id" not in text
    cv = yaml.safe_load(text)["cv"]
    assert cv["name"] == "Ada ” Example"
    assert (cv["phone"], cv["email"]) == ("+1 202 555 0147", "ada@example.org")
    assert cv["website"] == "https://example.org/ada"
    assert [one["network"] for one in cv["social_networks"]] == ["GitHub"]
    assert [(one["placeholder"], one["url"]) for one in cv["custom_connections"]] == [
        ("Stack Overflow: stackoverflow.com/users/1", "https://stackoverflow.com/users/1"),
        (r"\_ada\_@example.org", None),
        ("+1 (234) 567 890", None),
        ("example.org/#\u2060ada", "https://example.org/#ada"),
    ]
    sections = cv["sections"]
    assert {type_of(one) for one in sections["Education"]} == {"education"}
    assert sections["Education"][1] == {"institution": "Example School", "area": ""}
    cells, talk = sections["Publications"]
    assert cells["journal"] == "Front. Neuroanat."
    assert (cells["doi"], "summary" in cells) == ("10.5555/12345678", False)
    assert talk["journal"] == r"Workshop on Things (SOSP)\*, October 2017."
    assert talk["summary"] == (
        "https://example.org/a#\u2060b [Paper](https://example.org/p.pdf)"
    )  # fmt: skip
    (job,) = sections["Experience"]
    assert job["date"] == "Mar 2024 – 2024"
    assert job["highlights"] == ["a<b `c`", "Read a ˋ in code"]
    assert not [
        one for one in registry.read(files.opened(Path("out/odd/academic.rendercv.yaml"))).lost
        if "fontawesome" not in str(one.note)
    ]  # fmt: skip


def test_every_text_comes_back_from_its_markdown(run: Run, people: Path) -> None:
    (people / "hostile.yaml").write_text(hostile(), "utf-8")
    ran = run("build", "hostile", "-t", "academic", "--format", "rendercv")
    assert ran.code == 0, ran.err
    cv = yaml.safe_load(Path("out/hostile/academic.rendercv.yaml").read_text("utf-8"))["cv"]
    (titled, *_) = cv["sections"]
    assert "<Metasploit 101\\>" in titled
    names = [one["name"] for one in cv["sections"]["More"]]
    plain = [re.sub(r"\\([^\w\s]|_)|\u2060", r"\1", one) for one in names]
    assert plain == list(HOSTILE)


def rendered(program: str, file: Path, place: Path) -> str:
    """The text of the PDF that RenderCV makes of a file."""
    package = place / "typst/packages/preview/fontawesome/0.6.0"
    package.mkdir(parents=True, exist_ok=True)
    # Its icons come from the network.
    told = '[package]\nname = "fontawesome"\nversion = "0.6.0"\nentrypoint = "lib.typ"\n'
    (package / "typst.toml").write_text(told)
    (package / "lib.typ").write_text("#let fa-icon(name, ..args) = [•]")
    pdf = place / f"{file.parent.name}.pdf"
    command = [program, "render", str(file), "--dont-generate-png", "--pdf-path", str(pdf)]
    ran = subprocess.run(
        [*command, "--output-folder", str(place)], capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(place)},
    )  # fmt: skip
    assert ran.returncode == 0, f"{file}: {ran.stdout}{ran.stderr}"
    with pypdfium2.PdfDocument(pdf) as document:
        return "".join(page.get_textpage().get_text_range() for page in document)


def folded(text: str) -> str:
    """A text without what Typst changes: curled quotes, a minus, dots, where lines end."""
    text = re.sub("[\u2060\ufe0e\\s]", "", text.translate(str.maketrans("’‘−\ufffe\x02", "''---")))
    return text.replace("…", "...").casefold()


def test_rendercv_prints_every_text(run: Run, people: Path, tmp_path: Path) -> None:
    """RenderCV 2.8 itself, where it is installed: RENDERCV names its program."""
    program = os.environ.get("RENDERCV") or shutil.which("rendercv")
    if program is None:
        pytest.skip("RenderCV isn't installed: RENDERCV=path/to/rendercv names it")
    (people / "hostile.yaml").write_text(hostile(), "utf-8")
    (people / "odd.yaml").write_text(ODD, "utf-8")
    names = ("hostile", "odd", "everything", "nora")
    ran = run("build", *names, "-t", "academic", "--format", "rendercv")
    assert ran.code == 0, ran.err
    files_made = [Path("out").absolute() / name / "academic.rendercv.yaml" for name in names]
    texts = [folded(rendered(program, one, tmp_path / "rendercv")) for one in files_made]
    assert [one for one in HOSTILE if texts[0].count(folded(one)) < 9] == []
    for one in ("+1 (234) 567 890", "_ada_@example.org", "example.org/#ada", "(Front. Neuroanat.)"):
        assert folded(one) in texts[1]
