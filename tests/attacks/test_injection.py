"""A person's file is data: it never becomes TeX, Jinja, a path or a command.

And one person's fault is nobody else's: the other documents are built, the old one stays.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
import yaml
from attacks.table import rows
from conftest import Run
from texlive import engine_of

ATTACKS = "Injection through every text field"
pytestmark = pytest.mark.usefixtures("home")
ENGINES = (
    pytest.param("pdflatex", marks=pytest.mark.deep),
    "embedded",
)
#: What becomes of every other text in every field is asked of the TeX by test_injection_oracle.
PAYLOADS = rows("texts that act")
SECRET_WORDS = "the-secret-of-the-file"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("people").mkdir()
    return folder


def write(name: str, data: object) -> None:
    text = data if isinstance(data, str) else yaml.safe_dump(data, allow_unicode=True, width=10**9)
    Path(f"people/{name}.yaml").write_text(text, encoding="utf-8")


def listing(root: Path) -> set[str]:
    """All files below a folder that no build writes to."""
    return {
        str(path.relative_to(root))
        for path in root.rglob("*")
        if "out" not in path.relative_to(root).parts
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_text_is_never_code(
    engine: str, run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine_of(engine)
    secret = home.parent / "secret.tex"
    secret.write_text(SECRET_WORDS, encoding="utf-8")
    owned = home.parent / "owned"
    monkeypatch.setenv("HOME", str(home.parent))
    attacks = [a.replace("SECRET", str(secret)).replace("OWNED", str(owned)) for a in PAYLOADS]
    plain = [a for a in attacks if "](" not in a]
    # Tags make long documents slow, and escaping knows nothing of them.
    some = list(dict.fromkeys((*plain[::3], *(a for a in plain if "}}" in a))))
    write(
        "ada",
        {
            "name": "Ada " + plain[0],
            "headline": " ".join(plain[1:6]).replace("*", ""),
            "contact": {
                "email": {"address": "ada@example.org", "label": plain[3]},
                "website": "https://example.org/}\\input{" + str(secret) + "}%$(touch x)",
                "profiles": {"github": "../\\input{x}`id`", "mastodon": "@a\\b@example.org"},
            },
            "options": {"footer": "\\input{" + str(secret) + "}<< 7*7 >>"},
            "sections": [
                {"kind": "bullets", "title": plain[5], "items": attacks},
                {"kind": "award", "items": [{"title": a, "date": {"text": a}} for a in some]},
                {
                    "kind": "publication",
                    "items": [
                        {
                            "title": a,
                            "authors": [{"name": "A. " + a + " B", "marks": a}],
                            "links": [{"label": a, "url": "https://example.org/" + a}],
                            "marks": {a: a},
                            "doi": "10.1000/" + re.sub(r"\s", "", a),
                        }
                        for a in some
                    ],
                },
            ],
        },
    )
    before = listing(home.parent)
    ran = run("build", "--engine", engine, "--driver", "direct", "-t", "academic")
    assert ran.code == 0, ran.err[:2000]
    assert listing(home.parent) == before
    with pypdfium2.PdfDocument("out/ada/academic.pdf") as document:
        text = "".join(page.get_textpage().get_text_bounded() for page in document)
    assert "secret.tex}" in text
    assert SECRET_WORDS not in text
    for sign in ("uid=", "root:x", "<class"):
        assert sign not in text
    assert "__class__.__mro__ }}" in text
    tex = Path("out/.build/ada/academic/cv.tex").read_text(encoding="utf-8")
    assert "\\input" not in tex
    assert "\\write18" not in tex
    with pikepdf.open("out/ada/academic.pdf") as pdf:
        raw = [bytes(obj.read_bytes()) for obj in pdf.objects if isinstance(obj, pikepdf.Stream)]
        actions = [
            str(annotation["/A"]["/S"])
            for page in pdf.pages
            for annotation in page.get("/Annots", [])
        ]
    assert raw
    assert not [stream for stream in raw if SECRET_WORDS.encode() in stream]
    assert set(actions) == {"/URI"}


NAME = "Ada [x](https://example.org) *Example* \\ { } # $ % & _ ^ ~ < > | ( ) é ł ß"
#: Markup, and the text of it that the metadata has.
HEADLINE = {
    "*Chief*": "Chief", "**of [all *work*](https://example.org/a_b?c=d#e)**": "of all work",
    "`co_de`": "co_de", "https://example.org/~ada": "https://example.org/~ada",
    "<https://example.org/a-long-address/of-a-page>": "https://example.org/a-long-address/of-a-page",
    "H^2^O~3~": "H2O3", "[x](mailto:ada@example.org)": "x", "two\\\nlines": "two lines",
    "[`a` & *b*](https://example.org)": "a & b", "[100 %](tel:+12025550123)": "100 %",
    "50% & \\more{}": "50% & \\more{}",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_metadata_is_what_the_person_wrote(engine: str, run: Run) -> None:
    """A link in a headline couldn't be built, though it was found to be fine."""
    engine_of(engine)
    write(
        "ada",
        {
            "name": NAME,
            "headline": " ".join(HEADLINE),
            "interests": ["[gears](https://example.org/gears)", "*wheels*", "a_b & c%", "\\(x\\)"],
        },
    )
    assert run("check").code == 0
    ran = run("build", "--engine", engine, "-t", "academic")
    assert ran.code == 0, ran.err
    with pikepdf.open("out/ada/academic.pdf") as pdf:
        assert str(pdf.docinfo["/Subject"]) == " ".join(HEADLINE.values())
        assert str(pdf.docinfo["/Title"]) == str(pdf.docinfo["/Author"]) == NAME
        assert str(pdf.docinfo["/Keywords"]) == "gears, wheels, a_b & c%, (x)"


def test_values_of_options_are_what_their_type_allows(run: Run) -> None:
    names = ("paper", "margin", "accent", "size", "dates", "numbering", "publications", "photo")
    values = ("a4,source=system", "a4]{x", "a4}", "a4\\input", "1e400", "nan", "inf", "-1", "0x10")
    for number, value in enumerate(values):
        write(f"p{number}", {"name": "A", "options": {"academic": dict.fromkeys(names, value)}})
    told = json.loads(run("check", "--json").out)["diagnostics"]
    wrong = {(Path(one["file"]).stem, one["line"]) for one in told if one["severity"] == "error"}
    assert len(wrong) == len(names) * len(values)


# One person's fault

FAULTS = {
    "bob": "headlin: x\n", "cy": "photo: none.png\n", "dora": "template: none\n",
    "fay": "headline: '\U00012000'\n", "gus": "locale: [\n",
}  # fmt: skip


@pytest.mark.usefixtures("requires_embedded")
def test_a_failed_build_leaves_the_old_pdf_and_builds_the_others(run: Run) -> None:
    """What no font has fails where it is, and a log says why."""
    everybody = ("ada", *FAULTS, "eve")
    for name in everybody:
        write(name, f"name: {name.title()} Example\n")
    assert run("build", "--engine", "embedded").code == 0
    made = {name: Path(f"out/{name}/academic.pdf") for name in everybody}
    old = {name: (path.read_bytes(), path.stat().st_mtime_ns) for name, path in made.items()}
    for name in everybody:
        write(name, f"name: {name.title()} Example\n{FAULTS.get(name, 'headline: New')}\n")
    ran = run("build", "--engine", "embedded")
    assert ran.code == 1
    for name, path in made.items():
        same = (path.read_bytes(), path.stat().st_mtime_ns) == old[name]
        assert same == (name in FAULTS)
        assert (f"people/{name}.yaml" in ran.err) == (name in FAULTS)
        assert [one.name for one in path.parent.iterdir()] == ["academic.pdf"]
    assert {path.name for path in Path("out").iterdir()} == {".build", *everybody}
    (document,) = json.loads(run("build", "fay", "--engine", "embedded", "--json").out)["documents"]
    assert document["path"] is None
    place = document["diagnostics"][0]
    assert (place["file"], place["line"]) == ("people/fay.yaml", 2)
    assert Path(document["log"]).is_file()
