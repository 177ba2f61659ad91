"""What is private is out of the data of public documents; overlays; what ``check`` says of both.

Longer than most: tables of files, each with what may be shown of it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from pydantic import TypeAdapter, ValidationError

import cvbuild
from cvbuild.building.check.profiles import check, tasks
from cvbuild.building.cluster import parcel
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import overlay, person_file, privacy
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.model import Profile
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings
from cvbuild.selection import select
from cvbuild.view import builder

CORPUS = Path(__file__).resolve().parent.parent / "tools" / "ats" / "corpus"
ADA = Person("ada", Path("people/ada.yaml"))
OVERLAY = Path("people/ada.private.yaml")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with nobody."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    return tmp_path


def write(text: str, over: str | None = None) -> None:
    ADA.path.write_text(text, encoding="utf-8")
    if over is not None:
        OVERLAY.write_text(over, encoding="utf-8")


def public(text: str) -> Source:
    return privacy.public(parse(text, "a.yaml"))


def everything(text: str) -> object:
    return privacy.everything(parse(text, "a.yaml")).data


def mirrors(data: object, node: Node) -> bool:
    """Whether each value has its node, and each node its value."""
    children = node.children
    if isinstance(data, dict):
        same = isinstance(children, dict) and data.keys() == children.keys()
        return same and all(mirrors(data[key], children[key]) for key in data)  # type: ignore[index]
    if isinstance(data, list):
        same = isinstance(children, list) and len(data) == len(children)
        return same and all(map(mirrors, data, children))  # type: ignore[arg-type]
    return children is None


# What is taken out


@pytest.mark.parametrize(
    ("written", "left", "whole"),
    [
        ("a: {value: x, private: true}\nb: y", {"b": "y"}, {"a": "x", "b": "y"}),
        ("a: {value: x, private: false}", {"a": "x"}, {"a": "x"}),
        ("a: {value: x}", {"a": "x"}, {"a": "x"}),
        ("a: {value: {b: {value: x, private: yes}, c: y}}", {"a": {"c": "y"}},
         {"a": {"b": "x", "c": "y"}}),
        ("a: [x, {value: y, private: TRUE}, z]", {"a": ["x", "z"]}, {"a": ["x", "y", "z"]}),
        ("a: [{b: x, private: true}, {b: y, private: no}]", {"a": [{"b": "y", "private": "no"}]},
         {"a": [{"b": "x", "private": "false"}, {"b": "y", "private": "no"}]}),
        # What is emptied goes, and what that empties.
        ("a: {b: {c: [{value: x, private: true}]}}\nd: y", {"d": "y"},
         {"a": {"b": {"c": ["x"]}}, "d": "y"}),
        # A flag that says nothing clear hides: it is a fault, and never public.
        ("a: {value: x, private: maybe}\nb: y", {"b": "y"}, {"a": "x", "b": "y"}),
        ("a: {value: x, private: }\nb: y", {"b": "y"}, {"a": "x", "b": "y"}),
        ("a: {value: x, privat: true}\nb: y", {"b": "y"}, {"a": "x", "b": "y"}),
        ("a: {value: x, private: {b: c}}\nb: y", {"b": "y"}, {"a": "x", "b": "y"}),
        ("a: [{b: x, private: maybe}, y]", {"a": ["y"]},
         {"a": [{"b": "x", "private": "maybe"}, "y"]}),
        # Words of the person's own, and what a variant shows.
        ("variants: {value: {private: true}}", {"variants": {"value": {"private": "true"}}},
         {"variants": {"value": {"private": "true"}}}),
        ("options: {value: 3, academic: {value: 4}}",
         {"options": {"value": "3", "academic": {"value": "4"}}},
         {"options": {"value": "3", "academic": {"value": "4"}}}),
        ("contact: {other: {value: x}}", {"contact": {"other": {"value": "x"}}},
         {"contact": {"other": {"value": "x"}}}),
        ("a: y\ncontact: {other: {b: x, private: true}}", {"a": "y"},
         {"a": "y", "contact": {"other": {"b": "x"}}}),
        ("a: {links: [{value: example.org}]}", {"a": {"links": [{"value": "example.org"}]}},
         {"a": {"links": [{"value": "example.org"}]}}),
        # Sections and groups that nothing is left in.
        ("a: y\nsections: [{kind: award, note: n, items: [{title: x, private: true}]}]", {"a": "y"},
         {"a": "y", "sections": [{"kind": "award", "note": "n",
                                  "items": [{"title": "x", "private": "false"}]}]}),
        ("sections: [{items: [b], groups: [{title: t, items: [{value: x, private: on}]}]}]",
         {"sections": [{"items": ["b"]}]},
         {"sections": [{"items": ["b"], "groups": [{"title": "t", "items": ["x"]}]}]}),
    ],
)  # fmt: skip
def test_what_is_left(written: str, left: object, whole: object) -> None:
    made = public(written)
    assert made.data == left
    assert mirrors(made.data, made.tree)
    assert made.text == ""
    assert everything(written) == whole


def test_what_holds_nothing_private_is_not_copied() -> None:
    given = parse((CORPUS / "full.yaml").read_text(encoding="utf-8"), "a.yaml")
    assert privacy.everything(given).tree is given.tree
    assert privacy.everything(given).data is given.data


def test_flags_mean_what_they_mean_to_the_model() -> None:
    """Else a flag that the model reads as a yes could leave a thing public."""
    flag: TypeAdapter[bool] = TypeAdapter(bool)
    words = "true True TRUE false yes No on OFF t f y n 1 0 2 maybe truee none null - tru ja"
    for word in words.split():
        try:
            meant: bool | None = flag.validate_python(word)
        except ValidationError:
            meant = None
        item = public(f"a: x\nb: [{{c: y, private: '{word}'}}]")
        value = public(f"a: x\nb: {{value: y, private: '{word}'}}")
        assert ("b" in item.data) == ("b" in value.data) == (meant is False), word  # type: ignore[operator]
        faults = list(privacy.faults(parse(f"b: {{value: y, private: '{word}'}}", "a.yaml")))
        assert bool(faults) == (meant is None), word


def test_places_stay_right_behind_what_was_taken_out() -> None:
    given = public(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: award, private: true, items: [{title: One}]}\n"
        "- kind: award\n"
        "  items:\n"
        "  - {title: Two, private: true}\n"
        "  - title: Three\n"
        "    awarder: {value: Four, private: true}\n"
        "    summary: {value: Five, private: false}\n"
    )
    path: FieldPath = ("sections", 0, "items", 0)
    assert given.span((*path, "title")).line == 7
    assert (given.span((*path, "summary")).line, given.span((*path, "summary")).column) == (9, 22)
    assert given.key_span((*path, "summary")).column == 5
    assert [(one.path, one.span.line, one.texts) for one in given.private] == [
        (("sections", 0), 3, ("One",)),
        (("sections", 1, "items", 0), 6, ("Two",)),
        (("sections", 1, "items", 1, "awarder"), 8, ("Four",)),
    ]


def leaves(data: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from leaves(value, (*path, at))
    elif isinstance(data, str):
        yield path, data


def wrapped(source: Source, path: FieldPath) -> Source:
    value, node = source.part(path)
    flag = Node(node.place, node.place)
    outer = Node(node.place, node.key, {"value": node, "private": flag})
    return source.grafted(path, {"value": value, "private": "true"}, outer)


def test_any_field_may_be_private() -> None:
    """Each of a long CV in turn: the public part lacks it, or can't do without it and says so."""
    given = parse((CORPUS / "full.yaml").read_text(encoding="utf-8"), "a.yaml")
    assert validate(given)
    tried = [(path, text) for path, text in leaves(given.data) if path[0] != "options"]
    assert len(tried) > 150
    refused = steering = 0
    for path, text in tried:
        one = wrapped(given, path)
        faults = list(privacy.faults(one))
        if faults:
            assert str(faults[0].message).endswith(" can't be private"), path
            assert {"kind", "id", "order", "tags", "priority", "me", "numbering"} & set(path[-2:])
            steering += 1
            continue
        shown = privacy.everything(one)
        assert shown.data == given.data
        left = privacy.public(one)
        assert [(h.path, h.texts) for h in left.private] in ([(path, (text,))], [(path, ())])
        assert left.data != given.data
        try:
            Profile.model_validate(left.data)
        except ValidationError:
            profile, faults = person_file._public(left, shown)
            assert profile is None
            assert faults
            assert {fault.span for fault in faults} == {left.private[0].span}
            assert all("can't be private" in fault.message for fault in faults)
            refused += 1
    assert steering > 10
    assert 20 < refused < len(tried) - steering - 100


# What a flag may not hide, and flags that nobody would see


@pytest.mark.parametrize(
    ("written", "said"),
    [
        # Without it more would be public, or another document.
        ("variants: {v: {exclude: {value: t, private: true}}}", "1:16: exclude can't be private"),
        ("variants: {v: {without: [{value: award, private: true}]}}",
         "1:26: without can't be private"),
        ("variants: {v: {limit: {award: {value: 1, private: true}}}}",
         "1:24: award can't be private"),
        ("sections: [{kind: award, items: [{title: x, tags: {value: t, private: true}}]}]",
         "1:45: tags can't be private"),
        ("sections: [{kind: award, items: [{title: x, tags: [{value: t, private: on}]}]}]",
         "1:52: tags can't be private"),
        ("sections: [{kind: award, id: {value: i, private: true}}]", "1:26: id can't be private"),
        ("template: {value: industry, private: true}", "1:1: template can't be private"),
        ("options: {academic: {sections: {value: [award], private: 1}}}",
         "1:22: sections can't be private"),
        # Nothing after a flag may be meant as a yes.
        ("sections: [{kind: award, items: [{title: x, private: }]}]", "1:54: private is empty"),
        ("contact: {phone: {number: '1', private: }}", "1:41: private is empty"),
        ("contact: {other: {Visa: x, private: }}", "1:37: private is empty"),
        ("sections: [{kind: award, items: [{title: x, private: {value: yes, private: no}}]}]",
         "1:54: private can't be a mapping"),
        ("variants: {v: {private: {value: yes, private: yes}}}",
         "1:25: private can't be a mapping"),
        # A label of one's own, or a flag?
        ("contact: {other: {Visa: x, Private: true}}", '1:28: unknown key "Private"'),
        ("contact: {other: {Visa: x, privat: yes}}", '1:28: unknown key "privat"'),
        ("contact: {other: {Privat: +49 30 123, Private pilot: yes}}", None),
        # Words of the person's own, texts of documents, and flags that hide nothing.
        ("variants: {value: {limit: 1}, private: {limit: 2}}", None),
        ("variants: {v: {private: }}", None),
        ("variants: {v: {value: {limit: 1}, private: true}}", "1:12: v can't be private"),
        ("variants: {value: {v: {limit: 1}}, private: true}", "1:1: variants can't be private"),
        ("variants: {v: {headline: {value: x, private: true}}}", None),
        ("variants: {v: {titles: {award: {value: x, private: true}}}}", None),
        ("options: {footer: {value: x, private: true}}", None),
        ("contact: {other: {order: {value: x, private: true}}}", None),
        ("sections: [{kind: award, items: [{title: x, tags: {value: t, private: no}}]}]", None),
    ],
)  # fmt: skip
def test_flags_that_are_refused(written: str, said: str | None) -> None:
    given = parse(written, "a.yaml")
    found = [f"{fault.span.line}:{fault.span.column}: {fault.message}"
             for fault in privacy.faults(given) if fault.span]  # fmt: skip
    assert found == ([said] if said else [])
    hides = said is not None and ("is empty" in said or "mapping" in said)
    if hides and "variants" not in written:
        assert "x" not in [text for _, text in leaves(privacy.public(given).data)]


@pytest.mark.usefixtures("home")
def test_a_whole_person_is_not_private() -> None:
    write("value: {name: Ada Example}\nprivate: true\n")
    found = person_file.read(ADA).faults
    assert [(one.span.line, one.message) for one in found if one.span] == [
        (1, "a whole person can't be private")
    ]


# The overlay


def merged(base: str, over: str) -> Any:
    made = overlay.merge(parse(base, "a.yaml"), parse(over, "a.private.yaml"))
    assert mirrors(made.data, made.tree)
    return made.data


@pytest.mark.parametrize(
    ("base", "over", "expected"),
    [
        ("contact: {address: A}", "contact: {address: B}", {"contact": {"address": "B"}}),
        ("contact: {address: A}", "contact: {address: }", {"contact": {"address": "A"}}),
        ("contact: {address: }", "contact: {address: B}", {"contact": {"address": "B"}}),
        ("name: A", "contact: {phone: '1'}", {"name": "A", "contact": {"phone": "1"}}),
        # One value, a mapping too, stands for a list of one.
        ("contact: {phone: '1'}", "contact: {phone: {number: '2'}}",
         {"contact": {"phone": ["1", {"number": "2"}]}}),
        ("contact: {phone: {number: '1', label: a}}", "contact: {phone: ['2', '3']}",
         {"contact": {"phone": [{"number": "1", "label": "a"}, "2", "3"]}}),
        ("contact: {profiles: {github: a}}", "contact: {profiles: {github: b, x: c}}",
         {"contact": {"profiles": {"github": ["a", "b"], "x": "c"}}}),
        ("summary: |\n  One\n\n  Two", "summary: Three", {"summary": ["One", "Two", "Three"]}),
        ("summary: {en: One, de: Eins}", "summary: {en: Two, de: Zwei}",
         {"summary": [{"en": "One", "de": "Eins"}, {"en": "Two", "de": "Zwei"}]}),
        ("headline: {en: A, de: B}", "headline: {de: C}", {"headline": {"en": "A", "de": "C"}}),
        ("name: Ada", "name: {native: B}", {"name": {"full": "Ada", "native": "B"}}),
        ("options: {paper: a4, academic: {sections: [a]}}", "options: {academic: {sections: [b]}}",
         {"options": {"paper": "a4", "academic": {"sections": ["a", "b"]}}}),
        ("contact: {birth-date: 1990}", "contact: {birth-date: {start: 1991}}",
         {"contact": {"birth-date": {"start": "1991"}}}),
    ],
)  # fmt: skip
def test_how_an_overlay_is_merged(base: str, over: str, expected: object) -> None:
    assert merged(base, over) == expected


def test_sections_of_an_overlay_add_to_their_like() -> None:
    base = """
sections:
- {kind: award, title: One, items: [{title: a}]}
- {kind: award, title: Two, id: second, items: [{title: b}]}
- {kind: text, items: "p\\n\\nq"}
- {kind: skill, title: {en: S}, items: [s], groups: [{title: G, items: [g]}]}
- {kind: talk, items: [{title: t}]}
- {kind: talk, items: [{title: u}]}
"""
    over = """
sections:
- {kind: award, title: One, note: n, items: [{title: c}]}
- {kind: award, id: second, items: [{title: d}]}
- {kind: award, id: third, title: Two, items: [{title: e}]}
- {kind: award, items: [{title: f}]}
- {kind: text, items: {en: r, de: s}}
- {kind: skill, title: {en: S}, tags: x, groups: [{title: H, items: [h]}]}
- {kind: talk, items: [{title: v}]}
"""
    sections = merged(base, over)["sections"]
    titles = [[one.get("title", "") for one in part["items"] if isinstance(one, dict)]
              for part in sections]  # fmt: skip
    assert titles == [["a", "c"], ["b", "d"], [""], [], ["t"], ["u"], ["e"], ["f"], ["v"]]
    assert sections[0]["note"] == "n"
    assert sections[2]["items"] == ["p", "q", {"text": {"en": "r", "de": "s"}}]
    assert [one["title"] for one in sections[3]["groups"]] == ["G", "H"]
    assert sections[3]["tags"] == "x"


@pytest.mark.usefixtures("home")
def test_messages_name_the_file_and_the_line() -> None:
    write(
        "name: Ada Example\ncontact:\n  email: ada@example.org\n",
        "contact:\n  email: [eve@example.org, nowhere]\n  adress: Street 1\nfoto: x\n",
    )
    said = [str(one).partition(";")[0] for one in person_file.read(ADA, private=True).faults]
    assert said == [
        "people/ada.private.yaml:2:28: this is not an e-mail address",
        'people/ada.private.yaml:3:3: unknown key "adress"',
        "people/ada.private.yaml:4:1: unknown key",
    ]


@pytest.mark.usefixtures("home")
def test_a_public_document_does_not_open_the_overlay(monkeypatch: pytest.MonkeyPatch) -> None:
    write("name: Ada Example\n", "contact: [")
    opened: list[Path] = []
    load = source.load

    def noted(path: Path, begin: str = source.BEGIN, **more: Any) -> Source:
        opened.append(path)
        return load(path, begin, **more)

    monkeypatch.setattr(source, "load", noted)
    profile, made = person_file.load(ADA)
    assert (profile.name.display, made.private, opened) == ("Ada Example", (), [ADA.path])
    with pytest.raises(ProfileError, match=r"people/ada\.private\.yaml:1:10"):
        person_file.load(ADA, private=True)
    assert opened[1:] == [ADA.path, OVERLAY]


@pytest.mark.usefixtures("home")
def test_an_overlay_may_be_missing_or_empty_but_no_list_and_no_folder() -> None:
    for over in (None, "", "# nothing yet\n"):
        write("name: Ada Example\ncontact: {phone: {number: '+12345', private: true}}\n", over)
        profile, _ = person_file.load(ADA, private=True)
        assert [one.number for one in profile.contact.phone] == ["+12345"]
        assert person_file.load(ADA)[0].contact.phone == ()
    write("name: Ada Example\n", "- phone: 1\n")
    with pytest.raises(ProfileError, match='begin with a key, such as "contact:"'):
        person_file.load(ADA, private=True)
    OVERLAY.unlink()
    OVERLAY.symlink_to("nowhere.yaml")
    with pytest.raises(ProfileError, match="there is no such file"):
        person_file.load(ADA, private=True)
    OVERLAY.unlink()
    OVERLAY.mkdir()
    with pytest.raises(ProfileError, match="this is a folder"):
        person_file.load(ADA, private=True)


@pytest.mark.usefixtures("home")
def test_a_public_variant_may_name_what_is_private() -> None:
    write(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: skill, items: [Python, {name: Secret, tags: secret, private: true}]}\n"
        "- {kind: award, private: true, items: [{title: A prize}]}\n"
        "variants: {short: {exclude: secret, without: award}}\n"
    )
    assert check(ADA, Library.at()).diagnostics == ()


# What the person is asked for


def test_the_header_says_what_each_thing_is() -> None:
    given = parse(
        "name: Ada Example\nlocale: de\n"
        "contact: {birth-date: 1990-05-17, nationality: [deutsch, {en: Greek, de: griechisch}],\n"
        "  other: {Führerschein: 'Klasse *B*'}}",
        "a.yaml",
    )
    view = builder.build(select.select(validate(given), {}), {})
    shown = [(c.kind, str(c.label), str(c.text), c.text.path[1]) for c in view.header.contacts]
    assert shown[0] == ("birth-date", "Geburtsdatum", "17. Mai 1990", "birth-date")
    assert shown[1][:3] == ("nationality", "Staatsangehörigkeit", "deutsch")
    assert shown[3] == ("other", "Führerschein", "Klasse B", "other")


# What commands say


@pytest.mark.usefixtures("home")
def test_nothing_private_travels_to_a_cluster_for_a_public_document() -> None:
    write(
        "name: Ada Example\nheadline: {value: Zymurgist, private: true}\n"
        "sections: [{kind: skill, items: [Python, {name: Zymurgy, private: true}]}]\n",
        "contact: {address: Zymurgy Road}\n",
    )
    library = Library.at()
    settings = Settings(Path("out"), library, 0)
    for private, count in ((False, 0), (True, 3)):
        todo = tasks([check(ADA, library, private=private)])
        content = pickle.dumps([parcel.pack(task, settings) for task in todo])
        assert content.count(b"Zymurg") == count
        assert b"Python" in content


@pytest.mark.usefixtures("home", "requires_embedded")
def test_what_was_private_does_not_travel_when_it_is_public(run: Run) -> None:
    """Nor does it stay in any file that the next build leaves beside the document."""
    text = (
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: skill, items: [Python]}\n"
        "- {kind: award, title: Zymurgy, private: true, items: [{title: A prize}]}\n"
        "variants: {own: {private: true}}\n"
    )
    write(text)
    assert run("build", "ada", "--variant", "own", "--engine", "embedded").code == 0
    settings = Settings(Path("out"), Library.at(), 0)

    def before(*, private: bool) -> list[object]:
        (task,) = tasks([check(ADA, settings.library, private=private)], ["own"])
        packed = parcel.pack(task, settings)
        return [part for part in (packed.record, packed.pdf) if part]

    assert len(before(private=True)) == 2
    write(text.replace("own: {private: true}", "own: {}"))
    assert before(private=False) == []
    assert run("build", "ada", "--variant", "own", "--engine", "embedded").code == 0
    assert len(before(private=False)) == 2
    kept = [path for path in Path("out/.build/ada/own").rglob("*") if path.is_file()]
    assert len(kept) > 3
    assert [path for path in kept if b"Zymurg" in path.read_bytes()] == []


@pytest.mark.usefixtures("home", "requires_embedded")
def test_an_edit_of_the_overlay_concerns_private_documents_alone(run: Run) -> None:
    def cached(*arguments: str) -> list[bool]:
        ran = run("build", "ada", "--engine", "embedded", "--json", *arguments)
        assert ran.code == 0, ran
        return [one["cached"] for one in json.loads(ran.out)["documents"]]

    write("name: Ada Example\nsections: [{kind: skill, items: [Python]}]\n")
    assert cached() == cached("--private") == [False]
    pdf = Path("out/ada/academic.pdf").read_bytes()
    assert cached() == cached("--private") == [True]
    OVERLAY.write_text("contact: {address: Zymurgy Road}\n", encoding="utf-8")
    assert cached() == [True]
    assert cached("--private") == [False]
    assert cached("--private") == [True]
    OVERLAY.unlink()
    assert cached("--private") == [False]
    assert Path("out/ada/academic.pdf").read_bytes() == pdf


@pytest.mark.usefixtures("home", "requires_embedded")
def test_a_public_pdf_is_checked_for_what_became_private(run: Run) -> None:
    """Its build knew of no secret: the present files do."""
    words = "sections: [{kind: skill, items: [Python, Zymurgy, Baking]}]\n"
    address = "contact: {address: Zymurgy Road 1, birth-date: 1990-05-17}\n"
    write(f"name: Ada Example\n{address}{words}")
    assert run("build", "ada", "--engine", "embedded").code == 0
    made = "out/ada/academic.pdf"
    assert run("check", "--pdf", made).code == 0
    flagged = words.replace("Baking", "{name: Baking, private: true}")
    write(f"name: Ada Example\n{flagged}", address)
    told = json.loads(run("check", "--pdf", made, "--json").out)
    found = [
        (item["file"], item["line"]) for item in told["diagnostics"]
        if item["code"] == "verify-private"
    ]  # fmt: skip
    private = ("people/ada.private.yaml", 1)
    assert found == [("people/ada.yaml", 2), private, private]
    OVERLAY.unlink()
    told = json.loads(run("check", "--pdf", made, "--json").out)
    assert [item["line"] for item in told["diagnostics"] if item["code"] == "verify-private"] == [2]


# What a workspace keeps private

PLAIN = """\
name: P {0}
contact:
  email: p@example.org
  phone: [+1 202 555 0147, {{number: +1 202 555 0148, label: Office}}]
  birth-date: 1990-05-17
  address: {{en: 1 Secret Street, de: Geheimgasse 1}}
  other: {{Permit: Sealed}}
"""
#: Each form of a value: what it says goes before the workspace's file.
OWN = """\
name: Own
contact:
  value:
    phone: [{value: +1 202 555 0149, private: false}, {value: +1 202 555 0150}]
    birth-date: {value: 1990-05-17, private: false}
    address: {value: 1 Secret Street, private: true}
"""
SHARED = """\
defaults: {private: [phone, address, birth-date]}
groups:
  one: {people: p1, private: other}
"""
GONE = ("555 014", "555-014", "Secret", "1990", "May 17", "Sealed")


def kept(name: str) -> str:
    folder = Path("out", name)
    paths = [path for path in sorted(folder.iterdir()) if ".private." not in path.name]
    return "".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.usefixtures("home")
def test_a_workspace_keeps_fields_private_and_builds_say_what_is_public(run: Run) -> None:
    for name in ("p1", "p2"):
        Path(f"people/{name}.yaml").write_text(PLAIN.format(name), encoding="utf-8")
    Path("people/own.yaml").write_text(OWN, encoding="utf-8")
    build = ("build", "--format", "txt,vcf,json")
    hint = "to keep such data private, add it in cvbuild.yaml: defaults: {private: ["
    said = f"note: 5 phone numbers, 2 addresses and 2 birth dates go public; {hint}phone, address"
    # The second time nobody's file is read.
    for _ in range(2):
        err = run(*build).err
        assert (err.count("go public"), err.count(said)) == (1, 1)
    assert "Secret Street" in kept("p2")
    # Of what is built; not of formats without it, and of nothing that is private.
    assert "note: 2 phone numbers, 1 address and 1 birth date go public" in run(*build, "p2").err
    assert "public" not in run("build", "--format", "bib").err
    assert "public" not in run(*build, "--private").err
    notes = json.loads(run(*build, "--json").out)["notes"]
    assert [one["code"] for one in notes] == ["public"]
    # Check says of several people once what is at a place for each.
    check = run("check").err.splitlines()
    assert len(check) == 3
    assert "a phone number is in every CV that is built (3 people: own, p1, p2)" in check[0]
    assert len(json.loads(run("check", "--json").out)["diagnostics"]) == 9
    # The setting alone changes; only what it changes is built again.
    Path("cvbuild.yaml").write_text(SHARED, encoding="utf-8")
    why = run("status", "--why", "p2", "--format", "txt")
    assert "contact changed" in why.out
    err = run(*build).err
    assert "9 built" in err
    assert "public" not in err
    for person in ("p1", "p2"):
        found = kept(person)
        assert [word for word in GONE if word in found] == ["Sealed"] * (person == "p2")
        assert "p@example.org" in found
    own = kept("own")
    assert ("0149" in own, "0150" in own, "1990" in own, "Secret" in own) == (1, 0, 1, 0)
    # As with a flag: everything has them, `show` lists them, a finished document is compared.
    assert "Secret" in repr(cvbuild.load_profile("people/p1.yaml", private=True))
    assert "Secret" not in repr(cvbuild.load_profile("people/p1.yaml"))
    assert run("show", "p1").out.count("✗ people/p1.yaml:") == 5
    listed = run("check", "p1", "--settings").out
    assert "phone, address, birth-date, other" in listed
    assert "cvbuild.yaml:1 (defaults)" in listed
    # A variant with everything in it makes nothing public.
    shown = "template: all\nvariants: {all: {template: academic, private: true}}\n"
    Path("cvbuild.yaml").unlink()
    Path("people/p1.yaml").write_text(PLAIN.format("p1") + shown, encoding="utf-8")
    assert "public" not in run(*build, "p1").err
    assert "public" not in run(*build, "p1").err
