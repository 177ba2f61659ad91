"""No text of any field is code: all that it changes in the TeX is what the escaper writes.

The oracle compares the TeX of a document with that of the same document with a harmless word in
the same place. What stands where the word stood may only be escaped text, and balanced markup
that Markdown has asked for. Other formats are compared in the same way.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date as Day
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import pytest
from attack_counts import sample
from pydantic import BaseModel

from cvbuild.building import plan
from cvbuild.common.errors import CvbuildError, ProfileError
from cvbuild.inputs import letters, privacy
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation.schema_paths import bare
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.dates import Date
from cvbuild.model.kinds import KINDS
from cvbuild.model.letter import Letter
from cvbuild.model.variant import Variant
from cvbuild.outputs import registry
from cvbuild.outputs.checks import private_texts
from cvbuild.outputs.pdf.scripts.runs import Setting
from cvbuild.outputs.pdf.tex.types import Engine
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown

ATTACKS = "Injection through every text field"
HARMLESS = "harmlessword"
#: Texts that TeX, Jinja, a shell, a browser or a reader of JSON would act on.
PAYLOADS = (
    "\\input{/etc/passwd}", "\\include{x}", "\\openin5=x \\read5 to\\x \\x", "\\end{document}",
    "\\immediate\\write18{id}", "\\input{|\"id\"}", "\\ShellEscape{id}", "\\relax", "\\", "\\\\",
    "\\directlua{os.execute('id')}", "\\latelua{x}", "\\newwrite\\w\\immediate\\openout\\w=x",
    "\\def\\x{\\x}\\x",
    "\\loop\\iftrue\\repeat", "\\csname input\\endcsname{x}", "\\catcode`\\%=12",
    "^^5cinput{x}", "^^^^005cinput{x}", "^^M\\input x", "^^@", "\\special{ps:x}", "\\pdfobj{x}",
    "\\includegraphics{x}", "\\usepackage{x}", "\\write18{id}", "\\scantokens{\\input x}", "\\par",
    "\\item[x]", "\\href{javascript:x}{y}", "\\CvbLink{x}{y}", "\\CvbSection{id=x}", "\\ ", "x\\",
    "\\expandafter\\input\\x", "\\unexpanded{\\input x}", "\\ExplSyntaxOn \\file_input:n{x}",
    "},pwned={x", "}}}}\\input{x}", "{{{{", "}", "{", "}{", "{}", "]{x}", "[x]", "=x,", "a=b,c=d",
    "% comment", "%", "a%b", "100%", "#1", "##1", "#", "$\\input{x}$", "$x$", "$", "&", "a & b",
    "a_b^c", "~", "_", "^", "\"a", "''a``", "<<a>>", "-- --- ?` !`", ",,a", "|a|", "\t\\input\tx",
    "{{ ''.__class__.__mro__ }}", "<< ''.__class__.__mro__ >>", "<% for x in range(9) %>x",
    "<% include 'x' %>", "<# x #>", "#}{{ 7*7 }}", "%>x<%", "<<", ">>", "<%", "%>", "<#", "#>",
    "${7*7}", "#{7*7}", "{% x %}", "{{7*7}}", "`id`", "$(id)", "; id", "| id", "'; id; '",
    "--shell-escape", "../../x", "~/x", "/etc/passwd", "%n%s%x", "%p%p", "CON", "a/b\\c:d",
    "<script>alert(1)</script>", "javascript:alert(1)", "\"}],\"x\":[{\"", "\\u0022", "\\x01",
    "**\\input{x}**", "*a\\b*", "`\\input{x}`", "[\\input{x}](https://example.org/a)",
    "[x](https://example.org/\\input{x})", "<https://example.org/}{>", "H~2~O ^2^ \\alpha",
    "\u202bx\\\u202c", "\u200b\\input", "\u00ad\\x", "\uff3cinput{x}", "\u2216input", "ﬁ\\x",
    "e\u0301\\x",
    "=?utf-8?b?DQpCY2M6IHhAZS5vcmc=?=", "a, b <c@d.org>", "x" * 70 + "\\y", "a/" * 40 + "{",
)  # fmt: skip
#: What the escaper writes: whole words of it, besides characters that mean nothing to TeX.
_WORD = re.compile(
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
        if found := _WORD.match(tex, at):
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


class Field(NamedTuple):
    """A text field: its name, and the data of a person, or of an application, with a text in it."""

    name: str
    data: Callable[[str], dict[str, Any]]
    letter: bool = False


#: What a model needs besides its required keys.
_VALID = {
    "Email": {"address": "ada@example.org"},
    "Phone": {"number": "+1 202 555 0123"},
    "Recipient": {"name": "Lin Example"},
    "Name": {"given": "Ada", "family": "Example"},
    "Experience": {"employer": "T"},
    "Link": {"url": "https://example.org/"},
}
#: Fields of a form of their own: what is around a text in them.
_FORMS = {
    ("Email", "address"): "{}@example.org",
    ("Publication", "doi"): "10.1000/{}",
    ("Publication", "arxiv"): "{}/1234567",
}
#: Fields that take no words at all.
WORDLESS = (
    ".contact.phone.number", ".contact.birth-date", ".contact.country", ".contact.profiles.orcid",
)  # fmt: skip
#: Rules and names, which no document shows.
_UNSHOWN = re.compile(
    r"(^|\.)(tags|id|include|exclude|template|formats|locale|photo|file|signature)($|\.)"
    r"|^\.name\.(short|author)$|^\.variants|^\.options\.(key|value)"
    r"|^variants\.(kinds|without|since|limit|order|options|titles)\.|^variants\.(kinds|without|order)$"
)
Make = Callable[[str], Any]


def _sample(annotation: Any) -> Any:
    """Return a small valid value."""
    annotation = bare(annotation)
    if get_origin(annotation) is tuple:
        return [_sample(get_args(annotation)[0])]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _required(annotation)
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    return "2020" if annotation is Date else "T"


def _required(model: type[BaseModel]) -> dict[str, Any]:
    """Return the required keys of a model, with small values."""
    fields = model.model_fields.items()
    made = {f.alias or n: _sample(f.annotation) for n, f in fields if f.is_required()}
    made |= _VALID.get(model.__name__, {})
    return made or ({model.shorthand: "T"} if issubclass(model, Shorthand) else {})


def _put(wrap: Callable[[Any], Any], make: Make) -> Make:
    return lambda text: wrap(make(text))


def _texts(annotation: Any, path: str) -> Iterator[tuple[str, Make]]:
    """Yield each text field of a type: its path, and what makes a value of a text."""
    annotation = bare(annotation)
    origin = get_origin(annotation)
    if origin is tuple:
        for name, make in _texts(get_args(annotation)[0], path):
            yield name, _put(lambda value: [value], make)
    elif origin is FrozenMap:
        for name, make in _texts(get_args(annotation)[1], f"{path}.value"):
            yield name, _put(lambda value: {"Key": value}, make)
        yield f"{path}.key", lambda text: {text: "T"}
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _of_model(annotation, path)
    elif annotation is Date:
        yield path, lambda text: {"text": text}
    elif annotation is str or annotation is Prose:
        yield path, lambda text: text


def _of_model(model: type[BaseModel], path: str) -> Iterator[tuple[str, Make]]:
    least = _required(model)
    for name, field in model.model_fields.items():
        if get_origin(bare(field.annotation)) in (Union, types.UnionType):
            continue
        key = field.alias or name
        form = _FORMS.get((model.__name__, key), "{}")
        for place, make in _texts(field.annotation, f"{path}.{key}"):
            yield place, partial(_with, least, key, form, make)


def _with(least: dict[str, Any], key: str, form: str, make: Make, text: str) -> dict[str, Any]:
    return {**least, key: make(form.replace("{}", text))}


def _person(more: dict[str, Any]) -> dict[str, Any]:
    return {"name": "Ada Example", "contact": {"email": "ada@example.org"}, **more}


def _section(kind: str, more: dict[str, Any]) -> dict[str, Any]:
    """Return a person with one section, which has one item unless it is given others."""
    made: dict[str, Any] = {"kind": kind, "items": [_item(kind)], **more}
    if kind in ("text", "bullets", "keywords"):
        made.setdefault("title", "T")
    return _person({"sections": [made]})


def _item(kind: str) -> Any:
    return _sample(_item_type(kind))


def _item_type(kind: str) -> Any:
    section = KINDS[kind].section
    assert section
    return get_args(bare(section.model_fields["items"].annotation))[0]


def _of_kind(kind: str) -> Iterator[Field]:
    for place, make in _texts(_item_type(kind), kind):
        yield Field(place, _put(lambda item: _section(kind, {"items": [item]}), make))
    group = {"title": "T", "items": [_item(kind)]}
    for key in ("title", "note"):
        keyed = partial(_keyed, key)
        yield Field(f"{kind}.section.{key}", _put(lambda one: _section(kind, one), keyed))
        yield Field(f"{kind}.groups.{key}", _put(lambda one: _grouped(kind, group | one), keyed))


def _grouped(kind: str, group: dict[str, Any]) -> dict[str, Any]:
    return _section(kind, {"groups": [group]})


def _keyed(key: str, text: str) -> dict[str, Any]:
    return {key: text}


def _found() -> Iterator[Field]:
    for place, make in _of_model(Profile, ""):
        if not place.startswith(".sections."):  # each kind has a model of its own
            yield Field(place, _put(_person, make))
    for kind in KINDS:
        yield from _of_kind(kind)
    for place, make in _of_model(Variant, "variants"):
        yield Field(place, _put(lambda one: _person({"variants": {"academic": one}}), make))
    yield Field("variants.titles", _titled)
    yield Field(".options.footer", lambda text: _person({"options": {"footer": text}}))
    for place, make in _of_model(Letter, "letter"):
        yield Field(place, make, letter=True)
    yield Field("letter.body", lambda text: {"body": text}, letter=True)
    yield Field("position", lambda text: {"position": text}, letter=True)


def _titled(text: str) -> dict[str, Any]:
    return {**_section("award", {}), "variants": {"academic": {"titles": {"award": text}}}}


@cache
def fields() -> tuple[Field, ...]:
    """Return all text fields of a person's file and of a letter."""
    return tuple(one for one in _found() if not _UNSHOWN.search(one.name))


LIBRARY = Library.at()
_SYSTEM = Engine("pdflatex", "system", Path("pdflatex"), "")


def _task(field: Field, text: str) -> Task:
    """Return the document with a text in a field; raise CvbuildError if it is refused."""
    written = _person({}) if field.letter else field.data(text)
    source = parse(writer.write(written), "people/ada.yaml")
    profile = validate(source)
    person = Person("ada", Path("people/ada.yaml"))
    variant = "academic" if profile.variants else None
    task = Task(person, profile, source, "academic", variant=variant)
    if not field.letter:
        return task
    given = {"body": "T", "recipient": {"name": "Lin"}, **field.data(text)}
    position = given.pop("position", "Engineer")
    made = parse(writer.write({"letter": given}), "applications/a.yaml")
    letter = letters.read(made)
    draft = Draft("a", letter.letter, Path(), Day(2026, 3, 5), position)
    return replace(task, source=letter.into(source), draft=draft)


def _tex(field: Field, text: str, setting: Setting, folder: Path) -> str:
    shown = plan.choose(_task(field, text), LIBRARY, None)
    setter = Typesetter(
        shown, _SYSTEM, None, None, folder, folder, folder, setting=setting  # type: ignore[arg-type]
    )  # fmt: skip
    return setter.render(shown.selected, {}).tex


CASES = [(field, payload) for field in fields() for payload in PAYLOADS]


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
    return re.findall(r"\\[A-Za-z]+|\\.|[{}#$%&_^~]", _WORD.sub("", tex))


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
    return plan.choose(_task(field, text), LIBRARY, None)


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


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        # Taken to be fine, and then a traceback.
        "contact: {profiles: {mastodon: 'a, b <c@d.org>'}}\n",
        "contact: {profiles: {github: 'http://['}}\n",
        "headline: {value: '[a](https://example.org \"title\")', private: false}\n",
    ],
)
def test_what_makes_no_address_is_refused(text: str) -> None:
    source = parse(f"name: Ada Example\n{text}", "people/ada.yaml")
    with pytest.raises(ProfileError) as caught:
        validate(privacy.everything(source))
    assert all(item.span and item.span.line == 2 for item in caught.value.diagnostics)


def test_a_private_text_that_is_no_markdown_is_searched_for() -> None:
    """A private plain text with the title of a link ended every public build with a traceback."""
    text = (
        "name:\n  full: Ada Example\n"
        "  author: {value: '[a](https://example.org \"b\")', private: true}\n"
        "sections: [{kind: publication, items: [{title: T, marks: {Key: x}}]}]\n"
    )
    source = privacy.public(parse(text, "people/ada.yaml"))
    task = Task(Person("ada", Path("people/ada.yaml")), validate(source), source, "academic")
    shown = plan.choose(task, LIBRARY, None)
    assert private_texts.leaked("T", shown.view, source, "en") == ()
    # Nor was there any JSON of a person whose marks are words.
    assert '"Key"' in _made("json", shown)
