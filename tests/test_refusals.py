"""Command lines that are refused: the exit code, one message that says what to do, nothing made.

A case is a row: the command line, and what it prints, or the beginning of it if that ends with "…".
No case needs TeX. What argparse refuses has its usage before the message.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from conftest import DIAGNOSTIC, Run
from workspaces import GOOD, write

from cvbuild.outputs import registry

ADA = """\
name: Ada Example
template: [academic, short]
sections:
  - {kind: text, id: about, items: Words about me.}
  - {kind: award, items: [{title: First prize, date: 2022, tags: systems}]}
variants:
  short: {template: industry, include: systems}
  german: {locale: de, private: true}
"""
#: What argparse refuses.
USAGE = {
    "build -j 0": "a number from 1 to 1024",
    "build -j 1025": "a number from 1 to 1024",
    "build -j many": "-j",
    "build --engine xetex": "invalid choice: 'xetex'",
    "build --engine embeded": 'did you mean "embedded"?\n',
    "build --driver rubber": "invalid choice: 'rubber'",
    "build --timeout nan": "--timeout",
    "build --tempate x": "--tempate",
    "build -t academic --all-templates": "not allowed with",
    "build ada --variant short -t academic": "not allowed with",
    "watch ada --set headline=x": "unknown option --set; did you mean",
    "bild": "invalid choice: 'bild'; did you mean \"build\"?\n",
    "frobnicate": "invalid choice: 'frobnicate' (choose from ",
}
FORMATS = ", ".join(registry.MODULES)
#: Names of nothing: code 2.
UNKNOWN = {
    "build adda": 'unknown person "adda"; did you mean "ada"?',
    "build zzz": 'unknown person "zzz"; the people are: ada, bob',
    "check adda": 'unknown person "adda"; did you mean "ada"?',
    "show eda": 'unknown person "eda"; did you mean "ada"?',
    "status nobody": 'unknown person "nobody"; …',
    "build people/none.yaml": 'there is no file "people/none.yaml"',
    "build applications": 'unknown person "applications"; the people are: ada, bob',
    "build -t academia": 'unknown template "academia"; did you mean "academic"?',
    "show ada -t academia": 'unknown template "academia"; did you mean "academic"?',
    "templates indstry": 'unknown template "indstry"; did you mean "industry"?',
    "build --template-path nowhere": 'there is no folder "nowhere"…',
    'build --format ""': f'unknown format ""; the formats are: {FORMATS}',
    "build --format docxx": 'unknown format "docxx"; did you mean "docx"?',
    "build --format txt --cluster tcp://127.0.0.1:1": "a cluster makes only PDFs; …",
    "check applications.yaml": '"applications.yaml" is not a person; the name is reserved',
    "check ada.private.yaml": '"ada.private.yaml" is not a person; name the file that it adds to',
    "check ../nobody": 'there is no file "../nobody"',
    "build --locale german": '"german" is not a known language tag; did you mean "de"?',
    "show ada --locale xx": '"xx" is not a known language tag…',
    "build -t academic industry ada": '"industry" is a template, and nobody in people/ has that '
    "name; several templates are written as -t academic,industry",
    "match --person ada --job no.txt": "no.txt: there is no such file; check the path",
    "match --person ada --job people": "people: this is a folder; name a text file",
    "match --person ada --variant no --job job.md": 'ada has no variant "no"…',
    "new '../'": "\"../\" can't be a file's name; use letters",
}
#: Variants that are not there: in each of these commands.
BUILDERS = ("build", "status", "watch")
VARIANTS = {
    "ada --variant shrt": 'ada has no variant "shrt"; did you mean "short"?',
    "bob --variant short": 'bob has no variant "short"; write variants: in the file',
    "ada --variant academic": 'ada has no variant "academic"; the variants are: short, german',
    "ada -t short": '"short" is a variant, not a template; use --variant short',
}
EVERYBODY = {"--variant shrt": 'nobody has a variant "shrt"; did you mean "short"?'}
#: What --set takes from nobody: code 2, in ``build`` and ``why``.
SETS = {
    "headlin=x": 'unknown key "headlin"; did you mean "headline"?',
    "headline": "there is no value; write --set headline=…",
    "headline=": "headline is empty; write something, or leave the key out",
    "template=industry": "template can't be set here; use -t",
    "private=true": "private can't be set here; use --private",
    "limit=five": 'limit can\'t be "five"; write a whole number from 0 to 999',
    "limit.award=-1": 'award can\'t be "-1"; write a whole number from 0 to 999',
    "since=2018 to 2019": '"2018 to 2019" is not one date; write a year, a month or a day, such '
    "as 2018 or 2018-06, or a time, such as 5 years",
    "titles=Prizes": "which one?; write --set titles.publication=…",
    "kinds.award=x": "kinds has no further keys; write --set kinds=…",
    "locale=xx": '"xx" is not a known language tag; write a BCP 47 tag such as en, en-GB or de',
}
#: What it takes, but not of this person: code 1.
UNFIT = {
    "include=sytems": 'nothing has the tag "sytems"; did you mean "systems"?',
    "without=awards": 'no section is called "awards"; did you mean "award"?',
    "without=phone": 'no section is called "phone"; phone is contact data: '
    "hide it with {value: …, private: true} there",
    "limit.awards=1": 'no section is called "awards"; did you mean "award"?',
    "options.siz=10": 'unknown option "siz"; did you mean "size"?',
    "options.size=13": 'size can\'t be "13"; write one of 10, 10.5, 11, 11.5, 12',
}


def _set(text: str, message: str) -> str:
    # With an end of the line: an ellipsis before it is one that is printed.
    return f"--set {text.partition('=')[0]}: {message}\n"


CASES: dict[str, tuple[int, str]] = {
    **{line: (2, message) for line, message in UNKNOWN.items()},
    **{
        f"{command} {line}": (2, message)
        for command in BUILDERS
        for line, message in (VARIANTS | EVERYBODY).items()
    },
    **{f"show {line}": (2, message) for line, message in VARIANTS.items()},
    **{
        f"{command} ada --set {shlex.quote(text)}": (2, _set(text, message))
        for command in ("build", "status")
        for text, message in SETS.items()
    },
    **{
        f"build ada --variant short --set {text}": (1, _set(text, message))
        for text, message in UNFIT.items()
    },
}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with two people, of whom one has variants."""
    monkeypatch.chdir(tmp_path)
    write("ada", ADA)
    write("bob", GOOD.replace("Ada", "Bob"))
    for name in ("applications", "ada.private"):
        Path(f"{name}.yaml").write_text(GOOD, encoding="utf-8")
    Path("job.md").write_text("- Build distributed systems\n", encoding="utf-8")


@pytest.mark.parametrize("line", USAGE)
def test_usage(line: str, run: Run) -> None:
    ran = run(*shlex.split(line))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: cvbuild")
    assert USAGE[line] in ran.err
    assert not Path("out").exists()


@pytest.mark.parametrize("line", CASES)
def test_a_refusal(line: str, run: Run) -> None:
    code, message = CASES[line]
    ran = run(*shlex.split(line))
    assert (ran.code, ran.out) == (code, "")
    # A watch says when it begins.
    printed = ran.err.rpartition("Ctrl-C ends it\n")[2]
    if message.endswith("…"):
        assert printed.startswith(message[:-1])
    else:
        assert printed == f"{message.rstrip()}\n"
    assert "Traceback" not in ran.err
    # Whether everybody's documents are up to date was asked, and is remembered.
    assert not Path("out").exists() or line == "build --variant shrt"
    assert not [*Path().glob("out/[!.]*")]


@pytest.mark.parametrize("line", [line for line in CASES if line.partition(" ")[0] != "new"][::5])
def test_it_is_an_object_for_scripts_too(line: str, run: Run) -> None:
    code, message = CASES[line]
    ran = run(*shlex.split(line), "--json")
    assert (ran.code, ran.err) == (code, "")
    if code == 2:
        assert ran.json.keys() == {"diagnostics"}
    (fault,) = ran.json["diagnostics"]
    assert fault.keys() == DIAGNOSTIC
    assert fault["message"] in message
