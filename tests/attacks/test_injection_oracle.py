"""No text of any field is code: all that it changes in the TeX is what the escaper writes.

The oracle compares the TeX of a document with that of the same document with a harmless word in
the same place. What stands where the word stood may only be escaped text, and balanced markup
that Markdown has asked for. Other formats are compared in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
import yaml
from attack_counts import sample
from attacks.table import rows
from attacks.text_fields import CASES, HARMLESS, WORDLESS, Field, fields, task_with, tex_of
from conftest import Run
from profiles import DAY
from texlive import engine_of

from cvbuild.building import plan
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import privacy
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs import checks, registry
from cvbuild.outputs.pdf.latex.runs import Setting
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown

#: What the escaper writes: whole words of it, besides characters that mean nothing to TeX.
WORD = re.compile(
    r"\\text(?:backslash|asciicircum|asciitilde|less|greater|bar|quotedbl|quotesingle|asciigrave)\{\}"
    r"|\\[{}#$%&_~-]|~|\{\}|\\Cvb(?:AllowBreak|Inter|End|Rtl|Ltr|Break)\{\}"
)
#: Commands of Markdown: how many arguments each has.
_MARKUP = re.compile(
    r"\\Cvb(Strong|Emph|Code|Sup|Sub|Mark|TextLink|Address|Language|Actual|Script|Mirror)(?=\{)"
)
_ARGUMENTS = {"TextLink": 2, "Language": 2, "Actual": 2, "Script": 2, "Mirror": 3}
_ACTIVE = frozenset("\\{}#$%&_^~\x01\x02\0")


def is_text(tex: str) -> bool:
    """Return whether the TeX is only escaped text and balanced markup."""
    return _end_of_text(tex, 0) == len(tex)


def _end_of_text(tex: str, at: int) -> int:
    """Return where escaped text ends that begins at a position."""
    while at < len(tex):
        if found := WORD.match(tex, at):
            at = found.end()
        elif found := _MARKUP.match(tex, at):
            begin, at = at, found.end()
            for _ in range(_ARGUMENTS.get(found[1], 1)):
                end = _end_of_text(tex, at + 1) if tex[at : at + 1] == "{" else -1
                if end < 0 or tex[end : end + 1] != "}":
                    return begin
                at = end + 1
        elif tex[at] in _ACTIVE:
            return at
        else:
            at += 1
    return at


def gaps(harmless: str, made: str, word: str) -> list[str] | None:
    """Return what stands in place of each ``word`` of ``harmless``; None if the rest differs."""
    first, *rest = harmless.split(word)
    if not made.startswith(first):
        return None
    at, found = len(first), []
    for number, piece in enumerate(rest, start=1):
        last = number == len(rest)
        end = len(made) - len(piece) if last else made.find(piece, at)
        if end < at or not made.startswith(piece, end):
            return None
        found.append(made[at:end])
        at = end + len(piece)
    return found if at == len(made) else None


ATTACKS = "Injection through every text field"
LIBRARY = Library.at()


def _tex(field: Field, text: str, setting: Setting, folder: Path) -> str:
    return tex_of(plan.choose(task_with(field, text), LIBRARY, None, DAY), setting, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled templates."""
    return tmp_path_factory.mktemp("jinja")


def test_every_text_field_is_there() -> None:
    names = {field.name for field in fields()}
    for name in (
        ".name.full", ".headline", ".contact.email.label", ".contact.other.key",
        ".contact.address", ".contact.links.label", ".summary", ".interests.name",
        "publication.title", "publication.authors.name", "publication.links.label",
        "publication.marks.key", "education.notes.text",
        "experience.roles.bullets.text", "award.groups.title", "skill.section.note",
        "variants.headline", "variants.summary", "letter.recipient.address", "letter.body",
        "letter.subject", "position", ".options.footer",
    ):  # fmt: skip
        assert name in names, name
    assert len(names) == len(fields())
    assert len(CASES) > 6_500


def test_the_oracle_sees_code() -> None:
    for text in (
        "a\\_b\\textbackslash{}c\\{", "\\CvbStrong{a\\CvbEmph{b}}", "\\CvbTextLink{https://a\\#b}{c}",
        "a~b",
    ):  # fmt: skip
        assert is_text(text), text
    for text in (
        "\\input{x}", "a}b", "{a", "\\CvbStrong{a", "\\CvbStrong{\\x}", "a%b", "$x$", "a_b", "^^M",
        "\\CvbTextLink{a}", "\\CvbLinkLabel{a}{b}", "\\textbackslash a", "#1", "\\textbf{}",
    ):  # fmt: skip
        assert not is_text(text), text
    assert gaps("a W b W c", "a x b y c", "W") == ["x", "y"]
    assert gaps("a W b", "a x c", "W") is None
    assert gaps("a W b", "A x b", "W") is None


def _code_in(field: Field, payload: str, setting: Setting, folder: Path) -> str | None:
    """Return the TeX that a payload made which is no text; None if it is refused or harmless."""
    try:
        made = _tex(field, payload, setting, folder)
    except CvbuildError:
        return None
    if field.name in WORDLESS:
        return f"{field.name} takes {payload!r}"
    base = _harmless(field, setting.unicode, folder)
    for mark in ("\\CvbInter{}", "\\CvbAllowBreak{}"):
        # Where a line may break depends on all of a text.
        base, made = base.replace(mark, ""), made.replace(mark, "")
    base, made = (_TIE.sub(" ", _DEPENDS.sub("", tex)) for tex in (base, made))
    found = gaps(base, made, HARMLESS)
    if found is None:
        # The address of a page is shortened where it ends.
        same = "profiles" in field.name and _code(base) == _code(made)
        return None if same else f"{field.name}: {payload!r} changes what is around it"
    places = _places(base)
    bad = [
        one
        for one, is_url in zip(found, places, strict=True)
        if not is_text(one.replace("$", "") if is_url else one)
    ]
    return f"{field.name}: {payload!r} makes {bad[0]!r}" if bad else None


#: What depends on the words of a text: how many of a name are given names, and whether a grade says
#: that it is one.
_DEPENDS = re.compile(r"^  given=\d,$|, label=\{Grade\}", re.MULTILINE)
#: A space that doesn't break, as the one before a semicolon; but not an escaped tilde.
_TIE = re.compile(r"(?<!\\)~")
#: The beginning of a text that is in an address: there a dollar sign is a character of it.
_IN_URL = re.compile(r"\{(?:https?|mailto|tel):[^{}]*$")


def _places(base: str) -> list[bool]:
    """Return for each harmless word whether it is in an address."""
    found = re.finditer(HARMLESS, base)
    return [_IN_URL.search(base, 0, one.start()) is not None for one in found]


def _code(tex: str) -> list[str]:
    """Return all that isn't escaped text."""
    return re.findall(r"\\[A-Za-z]+|\\.|[{}#$%&_^~]", WORD.sub("", tex))


_BASES: dict[tuple[str, bool], str] = {}


def _harmless(field: Field, unicode: bool, folder: Path) -> str:
    key = (field.name, unicode)
    if key not in _BASES:
        _BASES[key] = _tex(field, HARMLESS, Setting(unicode=unicode), folder)
    return _BASES[key]


def test_every_field_shows_a_harmless_word(folder: Path) -> None:
    """Else the oracle would have nothing to look at."""
    unseen = []
    for field in fields():
        try:
            if field.name in WORDLESS:
                continue
            if HARMLESS not in _harmless(field, False, folder):
                unseen.append(field.name)
        except CvbuildError as error:
            unseen.append(f"{field.name}: {error}")
    assert not unseen, "\n".join(unseen)


DRAWN = sample(CASES, 150, "injection")
MANY = 500


@pytest.mark.parametrize("start", range(0, len(DRAWN), MANY))
def test_no_text_is_code(start: int, folder: Path, tried: Callable[[int], None]) -> None:
    drawn = DRAWN[start : start + MANY]
    tried(len(drawn))
    wrong = []
    for number, (field, payload) in enumerate(drawn):
        setting = Setting(unicode=bool(number % 2))
        if found := _code_in(field, payload, setting, folder):
            wrong.append(found)
    assert not wrong, "\n".join(wrong)


# Other formats


def _shown(field: Field, text: str) -> Shown:
    return plan.choose(task_with(field, text), LIBRARY, None, DAY)


def _made(name: str, shown: Shown) -> str:
    output: Any = registry.find(name)
    content: bytes = output.make(shown).content
    return content.decode()


_HARMLESS_FILES: dict[tuple[str, str], str] = {}


def _harmless_file(name: str, field: Field) -> str:
    if (key := (name, field.name)) not in _HARMLESS_FILES:
        _HARMLESS_FILES[key] = _made(name, _shown(field, HARMLESS))
    return _HARMLESS_FILES[key]


#: Elements that Markdown, the marks of an author or a text of another direction ask for.
_IN_TEXTS = frozenset(("a", "bdi", "br", "code", "em", "span", "strong", "sub", "sup"))


class _Elements(HTMLParser):
    """The elements of a page, but those in texts, and whatever could be code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.code: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in _IN_TEXTS:
            self.found.append((tag, *sorted(given)))
        elif tag == "a" and not re.match("https?:|mailto:|tel:", given.get("href") or ""):
            self.code.append(str(given))
        self.code += [name for name in given if name.startswith("on") or name == "style"]


def test_no_text_is_an_element_of_a_page(tried: Callable[[int], None]) -> None:
    drawn, looked_at = sample(CASES, 25, "web pages"), 0
    for field, payload in drawn:
        try:
            shown = _shown(field, payload)
        except CvbuildError:
            continue
        looked_at += 1
        page = _Elements(_made("html", shown))
        assert page.code == [], (field.name, payload)
        if field.name not in WORDLESS:
            same = _Elements(_harmless_file("html", field))
            assert page.found == same.found, (field.name, payload)
    assert looked_at > len(drawn) / 3
    tried(looked_at)


def test_a_private_text_that_is_no_markdown_is_searched_for() -> None:
    """A private plain text with the title of a link ended every public build with a traceback."""
    text = (
        "name:\n  full: Ada Example\n"
        "  author: {value: '[a](https://example.org \"b\")', private: true}\n"
        "sections: [{kind: publication, items: [{title: T, marks: {Key: x}}]}]\n"
    )
    source = privacy.public(parse(text, "people/ada.yaml"))
    task = Task(Person("ada", Path("people/ada.yaml")), validate(source), source, "academic")
    shown = plan.choose(task, LIBRARY, None, DAY)
    assert checks.leaked("T", shown.view, source, "en") == ()
    # Nor was there any JSON of a person whose marks are words.
    assert '"Key"' in _made("json", shown)


SECRET_WORDS = "the-secret-of-the-file"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    (folder / "people").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def write(name: str, data: object) -> None:
    text = data if isinstance(data, str) else yaml.safe_dump(data, allow_unicode=True, width=10**9)
    Path(f"people/{name}.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("engine", [pytest.param("pdflatex", marks=pytest.mark.deep), "embedded"])
def test_tex_runs_no_text(
    engine: str, run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What becomes of every other text in every field is asked of the TeX above."""
    engine_of(engine)
    secret, owned = home.parent / "secret.tex", home.parent / "owned"
    secret.write_text(SECRET_WORDS, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home.parent))
    texts = [
        text.replace("SECRET", str(secret)).replace("OWNED", str(owned))
        for text in rows("texts that act")
    ]
    # Tags make long documents slow.
    publications = [
        {"title": text, "authors": [{"name": f"A. {text} B"}], "marks": {text: text}}
        for text in texts[::3]
    ]
    sections = [
        {"kind": "bullets", "title": texts[5], "items": texts},
        {"kind": "publication", "items": publications},
    ]
    write("ada", {"name": f"Ada {texts[0]}", "headline": texts[1], "sections": sections})
    before = {path for path in home.parent.rglob("*") if "out" not in path.parts}
    ran = run("build", "--engine", engine, "--driver", "direct", "-t", "academic")
    assert ran.code == 0, ran.err[:2000]
    assert {path for path in home.parent.rglob("*") if "out" not in path.parts} == before
    with pypdfium2.PdfDocument("out/ada/academic.pdf") as document:
        text = "".join(page.get_textpage().get_text_bounded() for page in document)
    assert "secret.tex}" in text
    assert "__class__.__mro__ }}" in text
    assert not re.search(f"{SECRET_WORDS}|uid=|root:x|<class", text)
    with pikepdf.open("out/ada/academic.pdf") as pdf:
        raw = [bytes(obj.read_bytes()) for obj in pdf.objects if isinstance(obj, pikepdf.Stream)]
        notes = [note for page in pdf.pages for note in page.get("/Annots", [])]
        assert {str(note["/A"]["/S"]) for note in notes} <= {"/URI"}
    assert raw
    assert not [stream for stream in raw if SECRET_WORDS.encode() in stream]


@pytest.mark.usefixtures("home")
def test_values_of_options_are_what_their_type_allows(run: Run) -> None:
    names = ("paper", "margin", "accent", "size", "dates", "numbering", "publications", "photo")
    values = ("a4,source=system", "a4]{x", "a4}", "a4\\input", "1e400", "nan", "inf", "-1", "0x10")
    for number, value in enumerate(values):
        write(f"p{number}", {"name": "A", "options": {"academic": dict.fromkeys(names, value)}})
    told = json.loads(run("check", "--json").out)["diagnostics"]
    wrong = {(Path(one["file"]).stem, one["line"]) for one in told if one["severity"] == "error"}
    assert len(wrong) == len(names) * len(values)
