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

import pytest
from attack_counts import sample
from attacks.tex_oracle import WORD, gaps, is_text
from attacks.text_fields import CASES, HARMLESS, WORDLESS, Field, fields, task_with
from profiles import DAY

from cvbuild.building import plan
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import privacy
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs import registry
from cvbuild.outputs.checks import private_texts
from cvbuild.outputs.pdf.scripts.runs import Setting
from cvbuild.outputs.pdf.tex.types import Engine
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown

ATTACKS = "Injection through every text field"
LIBRARY = Library.at()
_SYSTEM = Engine("pdflatex", "system", Path("pdflatex"), "")


def _tex(field: Field, text: str, setting: Setting, folder: Path) -> str:
    shown = plan.choose(task_with(field, text), LIBRARY, None, DAY)
    setter = Typesetter(
        shown, _SYSTEM, None, folder, folder, folder, setting=setting  # type: ignore[arg-type]
    )  # fmt: skip
    return setter.render(shown.selected, {}).tex


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


DRAWN = sample(CASES, 250, "injection")
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


def _shape(value: Any) -> Any:
    """Return the structure of JSON: all but what strings say, and what Markdown asks for."""
    if isinstance(value, dict):
        return {
            key: _shape(inner)
            for key, inner in value.items()
            if not key.lower().endswith(("links", "markdown"))
        }
    return [_shape(one) for one in value] if isinstance(value, list) else type(value)


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
    drawn, looked_at = sample(CASES, 40, "web pages"), 0
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


def test_no_text_changes_the_structure_of_other_formats(tried: Callable[[int], None]) -> None:
    cases = [(field, payload) for field, payload in CASES if not field.letter]
    drawn = sample(cases, 100, "other formats")
    looked_at = 0
    for field, payload in drawn:
        try:
            shown = _shown(field, payload)
        except CvbuildError:
            continue
        looked_at += 1
        text = _made("txt", shown)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), (field.name, payload)
        got = json.loads(_made("json", shown))
        if "profiles" in field.name or field.name.endswith((".key", ".marks")):
            continue  # how an address is taken apart depends on it; a label is a key; T# is short
        same = json.loads(_harmless_file("json", field))
        assert _shape(got) == _shape(same), (field.name, payload)
    assert looked_at > len(drawn) / 3
    tried(2 * looked_at)


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
    assert private_texts.leaked("T", shown.view, source, "en") == ()
    # Nor was there any JSON of a person whose marks are words.
    assert '"Key"' in _made("json", shown)
