"""Publications of a BibTeX file beside the person's file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Run
from pylatexenc import latex2text

from cvbuild.inputs.people import Person
from cvbuild.inputs.person_file import read
from cvbuild.inputs.references import latex_text
from cvbuild.model.kinds.publications import Publication

BIB = r"""@article{one, title={First {\"O}ne}, author={Example, Ada and Specimen, Sam},
  journal={Journal of Examples}, year={2020}, keywords={Selected, machine learning}}
@inproceedings{two, title={Second}, author={Ada Example}, booktitle={ESOS}, year=2022,
  doi={10.5555/2}}
@phdthesis{three, title={Third}, author={Ada Example}, school={Example University}, year=2024}
@article{four, title={Fourth}, author={Ada Example}, year={in press}}
"""
NOTHING = (
    "people/ada.yaml:4:17: none of the 4 entries of papers.bib is selected; "
    "change what keys, types, keywords, years say"
)


@pytest.fixture
def ada(here: Path) -> Path:
    (here / "people").mkdir()
    Path("people/papers.bib").write_text(BIB)
    return Path("people/ada.yaml")


def section(path: Path, text: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    path.write_text(f"name: Ada Example\nsections:\n  - kind: publication\n{lines}")
    found = read(Person("ada", path))
    if found.profile is None:
        return [str(one) for one in found.errors]
    whole = found.profile.sections[0]
    groups = [item for group in whole.groups for item in group.items]
    return [str(item.title) for item in (*whole.items, *groups)]


def test_what_is_selected(ada: Path) -> None:
    """All of it; by key, type, keyword and years; all of several filters count."""
    cases = {
        "bib: papers.bib": ["First Öne", "Second", "Third", "Fourth"],
        "bib: {file: papers.bib, keys: [Two, four]}": ["Second", "Fourth"],
        "bib: {file: papers.bib, types: article}": ["First Öne", "Fourth"],
        "bib: {file: papers.bib, keywords: [Machine Learning, none]}": ["First Öne"],
        "bib: {file: papers.bib, years: 2020 to 2022}": ["First Öne", "Second"],
        "bib: {file: papers.bib, years: since 2022}": ["Second", "Third"],
        "bib: {file: papers.bib, years: 2024}": ["Third"],
        "bib: {file: papers.bib, years: 2020, types: phdthesis}\nitems: [{title: Own}]": [NOTHING],
    }
    assert {case: section(ada, case) for case in cases} == cases


#: Entries as databases and reference managers write them; what is told of them and printed.
EXPORTS = sorted(Path(__file__).with_name("bibtex").glob("*.bib"))


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_what_databases_write(ada: Path, run: Run, path: Path) -> None:
    Path("people/papers.bib").write_bytes(path.read_bytes())
    section(ada, "bib: papers.bib\norder: file")
    ran = run("build", "--format", "txt")
    told = [line for line in ran.err.splitlines() if ".bib:" in line]
    printed = Path("out/ada/academic.txt").read_text("utf-8").split("PUBLICATIONS\n")[1]
    lines = [*told, *(line for line in printed.splitlines() if line)]
    assert lines == path.with_suffix(".txt").read_text("utf-8").splitlines()


#: Texts as they are, or as Markdown where they differ.
TEXTS = {
    r"{\'e}{t}" * 40: "ét" * 40,
    "{" * 40 + r"\'e" + "}" * 40: "é",
    r"$C^\infty$ and $f\colon X\to Y$, $\deg p$, $\binom{n}{k}$, $\frac{a+1}{2}$, $\sqrt{s}$": (
        "C^∞^ and f: X→Y, deg p, (n choose k), (a+1)/2, √s"
    ),
    r"M$_\odot$, R$_\oplus$, $\mathcal{N}=1$, $\mathbf{x}\in\mathbb{R}^n$, 𝐱 ℝ": (
        "M~sun~, R~Earth~, *N*=1, **x** in R^n^, x R"
    ),
    r"\SI{5}{\kilo\metre} \qty{3e-5}{\metre\per\second\squared} \ang{30;15} \num{1e6} \unit{\mV}": (
        "5 km 3 × 10^−5^ m/s^2^ 30°15′ 1 × 10^6^ mV"
    ),
    r"\ce{H2O} \ce{SO4^2-} \ce{2H2 + O2 -> 2H2O}": "H~2~O SO~4~^2−^ 2H~2~ + O~2~ → 2H~2~O",
    r"5\,\textdegree C, \O stlund, \LaTeX\ and \LaTeX{}s": "5 °C, Østlund, LaTeX and LaTeXs",
    r"\&lt;b\&gt;x\&lt;/b\&gt; <i>a</i> R\&amp;D a < b > c -{}- \&{}amp;": (
        r"**x** *a* R&D a < b > c -- &amp;"
    ),
    r"It costs \$5, 3% of x_y or 10^6, $5": "It costs $5, 3% of x_y or 10^6, $5",
    r"{\bf a {\em b}} \emph{c d }e \texttt{f_g} \textsuperscript{a b}": (
        r"**a *b*** *c d* e `f_g` ^a\ b^"
    ),
}


def test_latex_is_read() -> None:
    unread: latex_text.Unread = []
    assert {latex: latex_text.markdown(latex, unread) for latex in TEXTS} == TEXTS
    assert unread == []


def test_every_command_is_read() -> None:
    """Of all that pylatexenc knows, with too few arguments, too many, and none at all."""
    known = latex2text.get_default_latex_context_db().iter_macro_specs()
    forms = (r"\%s", r"\%s{a}{b}{c}", r"$\%s[x]{a}$", r"{\%s a}", r"\%s{", r"\%s[", r"\%s{\%s{a}}")
    texts = [form.replace("%s", one.macroname) for one in known for form in forms]
    assert len(texts) > 6000
    for latex in texts:
        for function in (latex_text.markdown, latex_text.plain, latex_text.address):
            assert not re.search("[\ue000-\uf8ff]", function(latex)), latex


def test_addresses_are_decoded() -> None:
    addresses = {
        r"10.1002/1\ensuremath{<}2::A{\_}B$\greater$3$\mathsemicolon$2": "10.1002/1<2::A_B>3;2",
        r"http://x.org/{\textasciitilde}a/?b=1\&c=--2&amp;d=3\%20": "http://x.org/~a/?b=1&c=--2&d=3%20",
        r"\url{http://x.org/~a_b#c}": "http://x.org/~a_b#c",
        r"http://x.org/$\sim$a\_b": "http://x.org/~a_b",
    }
    assert {one: latex_text.address(one) for one in addresses} == addresses


def test_what_isnt_read_is_told_once(ada: Path) -> None:
    """Each unknown command with its number; braces too deep, and lists of any length."""
    letters = "abcdefghij"
    names = [a + b + c + d for a in letters for b in letters for c in letters for d in letters[:5]]
    macros = "".join(rf"\{name}x " for name in names)
    authors = " and ".join(f"Author{at}, A." for at in range(5000))
    title = rf"{{{macros}}} \abcd{{x}} \abcd"
    deep = "{" * 9000 + "$x^" + "{" * 9000 + "}" * 18000
    Path("people/papers.bib").write_text(
        f"@article{{a, title={{{title}}}, author={{{authors}}}, year=2020}}\n"
        f"@artcle{{b, title={{{deep}}}, year={{soon 2020}}, author+an={{1=odd}},\n"
        "  author={Ada Example; {\\bfseries Specimen, Sam}}}\n"
    )
    section(ada, "bib: papers.bib")
    faults = [str(fault) for fault in read(Person("ada", ada)).diagnostics]
    assert len(faults) == len(names) + 7
    for part in (
        r'1:19: warning: \aaaax is no command that is read: "aaaax" is printed; write what',
        r'\abcd is no command that is read: "x" is printed (2 times)',
        'warning: there is no type of entry "artcle": it is printed as @misc is; did you mean',
        "braces are nested too deep: the text is printed without them",
        '"soon 2020" is no date: it is printed as it is written',
        "author+an isn't understood",
    ):
        assert sum(part in fault for fault in faults) == 1, part


def test_what_is_written_too_is_one_item(ada: Path) -> None:
    """By DOI, or by title and year; what the person wrote counts."""
    own = """\
bib: papers.bib
items:
  - {title: Second (short), doi: "https://doi.org/10.5555/2", priority: 9}
  - {title: Third, date: 2023}
groups:
  - title: Group
    items: [{title: first öne, note: Best paper}]
"""
    found = ["Second (short)", "Third", "Third", "Fourth", "first öne"]
    assert section(ada, own) == found
    profile = read(Person("ada", ada)).profile
    assert profile is not None
    second, *_ = profile.sections[0].items
    assert isinstance(second, Publication)
    assert (second.priority, str(second.venue), second.doi) == (9, "ESOS", "10.5555/2")
    (first,) = profile.sections[0].groups[0].items
    assert (str(first.note), first.tags) == ("Best paper", ("selected", "machine-learning"))
    assert [str(one.name) for one in first.authors] == ["Ada Example", "Sam Specimen"]


def test_private_items_and_sections(ada: Path) -> None:
    """What is private stays out of public documents, whichever file it is from."""
    assert section(ada, "bib: papers.bib\nitems: [{title: Second, private: true}]") == [
        "First Öne", "Third", "Fourth"
    ]  # fmt: skip
    ada.write_text(
        "name: Ada Example\nsections: [{kind: publication, private: true, bib: papers.bib}]\n"
    )
    public, private = (read(Person("ada", ada), private=one) for one in (False, True))
    assert public.profile is not None
    assert private.profile is not None
    assert (len(public.profile.sections), len(private.profile.sections)) == (0, 1)


def test_what_is_no_file_of_bibtex_is_told_where_it_is_named(ada: Path) -> None:
    """What is wrong in one has its place there: tests/commands/bib.txt."""
    Path("people/link.bib").symlink_to("/etc/hostname")
    Path("people/large.bib").write_bytes(b" " * (9 << 20))
    for name, fact in (("link", '"link.bib"'), ("large", '"large.bib" is over 8 MiB; ')):
        (fault,) = section(ada, f"bib: {name}.bib")
        assert fault.startswith(f"people/ada.yaml:4:10: {fact}")
        assert "; " in fault
    overlay = "name: Ada Example\nsections:\n  - kind: publication\n    bib: papers.bib\n"
    ada.write_text("name: Ada Example\n")
    Path("people/ada.private.yaml").write_text(overlay.removeprefix("name: Ada Example\n"))
    whole = read(Person("ada", ada), private=True)
    assert (
        "people/ada.private.yaml:3:5: bib can't be in an overlay; move it to people/ada.yaml"
        in [str(one) for one in whole.errors]
    )
