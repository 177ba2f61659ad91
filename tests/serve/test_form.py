"""A file as a form: its outline, the fields of its parts, what a control writes; random edits."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deep
import pytest

from cvbuild.common.diagnostics import Diagnostic, ProfileError, Span, UsageError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.edit import EditError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.application import Application
from cvbuild.model.profile import Profile
from cvbuild.outputs.styles.templates import Library
from cvbuild.serve import edits
from cvbuild.serve.form import fields, outline, shapes
from cvbuild.serve.messages import Change

ROOT = Path(__file__).parents[2]
TEXT = """\
# About the file.
name: {given: Ada, family: Example}
headline:
  en: Engineer
  de: Ingenieurin
contact:
  # At work.
  email: ada@example.org
  phone: {value: +1 202 555 0147, private: true}
  profiles: {github: ada-example, linkedin: [ada]}
summary: |
  One paragraph that
  goes on.

  Another one.
locale: de
sections:
  - kind: experience
    priority: 8
    items:
      # Promoted.
      - title: Engineer
        employer: Example Works
        date: 2022-03 to present
        bullets:
          - Wrote *it*
          - text: Led
            tags: lead
          - text: {en: a, de: b}
            bullets: [c]
        keywords: one
        whatever: else
      - employer: Labs
        roles:
          - {title: Lead, date: {start: 2019, end: 2020}}
          - {title: Intern, date: Summer 2017}
  - kind: language
    items: [English]
  - kind: publication
    bib: papers.bib
    groups:
      - title: Journals
        items:
          - {title: A paper, authors: [A. Example*], date: 2020, marks: {"*": equal},
             links: [PDF: https://example.org/a]}
"""


def by_key(path: tuple[Any, ...], text: str = TEXT) -> dict[str, dict[str, Any]]:
    return {one["key"]: one for one in fields.read(text, path)["fields"]}


def test_the_outline_has_every_part() -> None:
    fault = Diagnostic("error", "x", "wrong", Span("ada.yaml", 23, 1, 23, 2))
    parts = outline.read(TEXT, "ada.yaml", [fault])
    assert parts is not None
    listed = [(one["title"], one["kind"], one["detail"], one["ordered"]) for one in parts]
    assert listed == [
        ("Name and contact", "head", "", None),
        ("Profil", "summary", "", None),
        ("Berufserfahrung", "experience", "2", "date"),
        ("Sprachen", "language", "1", "file"),
        ("Publikationen", "publication", "1", "date"),
    ]
    items = [(one["title"], one["detail"], one["errors"]) for one in parts[2]["items"]]
    assert items == [("Engineer", "2022–", 1), ("Labs", "2 roles", 0)]
    assert parts[2]["errors"] == 1
    assert parts[4]["bib"] == "papers.bib"
    assert parts[4]["items"][0]["items"][0]["title"] == "A paper"
    assert outline.read("name: [", "ada.yaml", []) is None
    with pytest.raises(ProfileError):
        fields.read("name: [", ())


def test_every_value_has_a_control_or_its_lines() -> None:
    item = fields.read(TEXT, ("sections", 0, "items", 0))
    found = by_key(("sections", 0, "items", 0))
    assert [*found][:5] == ["title", "employer", "department", "location", "date"]
    assert item["selecting"]
    assert (item["line"], item["end_line"]) == (22, 32)
    assert found["date"]["date"]["printed"] == "März 2022 – heute"
    assert [found["date"]["date"][name] for name in ("start", "end", "present")] == [
        "2022-03", "present", True
    ]  # fmt: skip
    rows = found["bullets"]["rows"]
    assert [row["value"] for row in rows] == ["Wrote *it*", "Led", None]
    assert rows[1]["path"][-2:] == [1, "text"]
    assert rows[1]["more"]["text"] == "- text: Led\n  tags: lead"
    texts = [(one["language"], one["value"], one["path"][-2:]) for one in rows[2]["texts"]]
    assert texts == [("en", "a", ["text", "en"]), ("de", "b", ["text", "de"])]
    (point,) = rows[2]["below"]["rows"]
    assert (point["value"], point["path"][-4:]) == ("c", ["bullets", 2, "bullets", 0])
    assert found["keywords"]["rows"][0]["path"][-1] == "keywords"
    assert (found["whatever"]["kind"], found["whatever"]["lines"]["line"]) == ("lines", 32)
    assert not found["summary"]["usual"]
    roles = by_key(("sections", 0, "items", 1))["roles"]["items"]
    assert [role["title"] for role in roles] == ["Lead", "Intern"]
    dates = [{one["key"]: one for one in role["fields"]}["date"]["date"] for role in roles]
    assert [(one["start"], one["end"]) for one in dates] == [("2019", "2020"), ("Summer 2017", "")]
    paper = by_key(("sections", 2, "groups", 0, "items", 0))
    assert paper["marks"]["rows"][0]["value"] == "equal"
    (link,) = paper["links"]["rows"]
    assert (link["label"], link["value"]) == ("PDF", "https://example.org/a")
    assert by_key(("sections", 1, "items", 0))["language"]["path"] == ["sections", 1, "items", 0]


def test_name_and_contact_are_one_form() -> None:
    head = by_key(())
    assert (head["given"]["value"], head["family"]["title"]) == ("Ada", "Family name")
    assert [one["language"] for one in head["headline"]["texts"]] == ["en", "de"]
    assert head["phone"]["private"]
    assert head["phone"]["path"][-1] == "value"
    assert head["phone"]["rows"][0]["value"] == "+1 202 555 0147"
    rows = [(row["label"], row["value"], row["path"][2:]) for row in head["profiles"]["rows"]]
    # One of a list is a field, too, as imports write it.
    assert rows == [("GitHub", "ada-example", ["github"]), ("LinkedIn", "ada", ["linkedin", 0])]
    (summary,) = fields.read(TEXT, ("summary",))["fields"]
    assert (summary["kind"], summary["value"]) == (
        "passage", "One paragraph that goes on.\n\nAnother one."
    )  # fmt: skip


def change(*steps: dict[str, Any]) -> tuple[list[str], list[str], tuple[Any, ...]]:
    text, path = edits.applied(TEXT, [Change(**step) for step in steps])
    old, new = TEXT.splitlines(), text.splitlines()
    return [one for one in old if one not in new], [one for one in new if one not in old], path


def test_what_controls_write() -> None:
    item = ["sections", 0, "items", 0]
    # A new key has the place of the form, and one text that stands for a mapping becomes one.
    gone, new, path = change({"path": [*item, "location"], "value": "Springfield, Ruritania"})
    assert (gone, new) == ([], ["        location: Springfield, Ruritania"])
    assert path == (*item, "location")
    gone, new, _ = change({"path": ["sections", 1, "items", 0, "level"], "value": "C1"})
    assert (gone, new) == (
        ["    items: [English]"], ["    items: [{language: English, level: C1}]"]
    )  # fmt: skip
    # So does the name, for a spelling as an author, which is a row of a list.
    for step in ({"path": ["name", "author"], "value": ["A. B. Sample"]},
                 {"path": ["name", "author", 0], "value": "A. B. Sample", "insert": True},
                 {"path": ["name", "author", 0], "value": "A. B. Sample"}):  # fmt: skip
        text, _ = edits.applied("name: Ada Sample  # me\nlocale: en\n", [Change(**step)])
        assert text.splitlines()[-1] == "locale: en"
        assert "# me" in text
        data: Any = source.parse(text, "text").data
        assert data["name"] == {
            "full": "Ada Sample", "author": ["A. B. Sample"]
        }  # fmt: skip
    # A row that stands alone.
    gone, new, _ = change({"path": [*item, "keywords", 1], "value": "two", "insert": True})
    assert gone == ["        keywords: one"]
    assert new == ["        keywords:", "          - one", "          - two"]
    # What the message about a date says to write.
    _, new, _ = change({"path": [*item, "date"], "value": "{text: in press}"})
    assert new == ["        date:", "          text: in press"]
    with pytest.raises(UsageError, match="without changing other lines"):
        change({"path": ["locale", "x"], "value": "y"})


@pytest.mark.parametrize("name", ["people/jiaao-he.yaml", "docs/gallery/nora-lindqvist.yaml"])
def test_looking_at_every_part_of_a_real_file(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    data = source.parse(text, name).data
    parts = outline.read(text, name, [])
    assert parts
    todo, seen = [*parts], 0
    while todo:
        part = todo.pop()
        todo += part["items"]
        for field in fields.read(text, tuple(part["path"]))["fields"]:
            if field["value"] is not None and field["kind"] == "text":
                seen += 1
                value: Any = data
                for step in field["path"]:
                    value = value[step]
                assert " ".join(value.split()) == field["value"]
    assert seen > 40


def test_what_can_be_added_is_valid() -> None:
    begin = "name: Ada\nsections:\n  - kind: skill\n    items: [Python]\n"
    for kind in outline.addable(begin):
        new = {"kind": kind["kind"], "items": [kind["value"]]}
        step = Change(path=["sections", 1], insert=True, value=new)
        text, path = edits.applied(begin, [step])
        assert path == ("sections", 1)
        profile = validate(source.parse(text, "ada.yaml"))
        assert profile.sections[1].kind == kind["kind"]


def titled(text: str, step: dict[str, Any]) -> tuple[str, Any]:
    after, _ = edits.applied(text, [Change.model_validate(step)])
    data: Any = source.parse(after, "text").data
    return after, data["sections"][0]["items"][0]["title"]


def test_languages_that_are_written_in_a_field_are_a_mapping() -> None:
    title = ["sections", 0, "items", 0, "title"]
    removed, added, _ = change({"path": title, "value": "{en: Engineer, de-CH: Ingenieurin}"})
    assert removed == ["      - title: Engineer"]
    mapping = ["      - title:", "          en: Engineer", "          de-CH: Ingenieurin"]
    assert added == mapping
    flow = TEXT.replace("title: Engineer", "title: {en: a, de: b}  # c")
    odd = ["Fast, I say", "Note: x", 'Say "x"', "The {x}", "C #1", "It's, well", "- a", "no"]
    for words in odd:
        text, after = titled(flow, {"path": [*title, "de"], "value": words})
        assert after == {"en": "a", "de": words}
        lines = zip(flow.split("\n"), text.split("\n"), strict=True)
        assert [one for one, other in lines if one != other] == [
            "      - title: {en: a, de: b}  # c"
        ]
    for words in ("{en: [a]}", "{en: a, en: b}", "{of: two} parts", "{see: }", "{x: y}"):
        _, added, _ = change({"path": title, "value": words})
        assert added[0].endswith(("'", '"')), words


LETTER = """\
person: ada  # who
employer: Example Lab
position: Scientist
# Later than that is late.
deadline: 2030-06-30
letter: |
  One paragraph
  that goes on.

  - First, which is long
    and goes on.
  - Second
"""


def test_an_application_has_parts_of_which_some_are_not_there() -> None:
    faults = [Diagnostic("error", "x", "wrong", Span("a.yaml", line)) for line in (3, 7)]
    parts = outline.read(LETTER, "a.yaml", faults, Application)
    assert [(one["title"], one["line"], one["end_line"], one["errors"]) for one in parts or []] == [
        ("Application", 1, 13, 1), ("Recipient", 1, 0, 0), ("Letter", 6, 12, 1),
        ("E-mail", 1, 0, 0), ("Limits", 1, 0, 0),
    ]  # fmt: skip
    names = {"person": {"ben": "Ben Example"}, "variant": {}}
    head = {one["key"]: one for one in fields.read(LETTER, (), Application, names)["fields"]}
    assert head["person"]["choices"] == ["ada", "ben"]
    some = fields.read(LETTER, (), Application, {"variant": {"wide": "Wide"}})["fields"]
    assert [one["choices"] for one in some if one["key"] == "variant"] == [["wide"]]
    assert (head["variant"]["kind"], head["variant"]["usual"]) == ("text", False)
    assert head["deadline"]["kind"] == "day"
    assert "letter" not in head
    known = {field.alias or name for name, field in Application.model_fields.items()}
    assert {*head} == known - {"limits", "recipient", "letter", "message"}
    odd = fields.read(LETTER.replace("2030-06-30", "soon"), (), Application)["fields"]
    assert next(one for one in odd if one["key"] == "deadline")["kind"] == "text"
    odd = fields.read("person: {en: ada, de: ada}\n", (), Application, names)["fields"]
    assert (odd[0]["key"], len(odd[0]["texts"])) == ("person", 2)


def test_a_letter_in_one_text_is_a_field_until_it_has_more() -> None:
    letter = {one["key"]: one for one in fields.read(LETTER, ("letter",), Application)["fields"]}
    body = letter["body"]
    rows = ["One paragraph that goes on.", "", "- First, which is long and goes on.", "- Second"]
    assert (body["path"], body["value"]) == (["letter"], "\n".join(rows))
    same, _ = edits.applied(LETTER, [Change(path=["letter"], value="One.")], Application)
    assert same == LETTER[: LETTER.index("  One")] + "  One.\n"
    step = Change(path=["letter", "opening"], value="Dear all,")
    more, path = edits.applied(LETTER, [step], Application)
    assert path == ("letter", "opening")
    data: Any = source.parse(more, "text").data
    was: Any = source.parse(LETTER, "text").data
    assert data == {**was, "letter": {"body": was["letter"], "opening": "Dear all,"}}
    # A key that was pressed before the form knew of the opening is a key in the text.
    typed, _ = edits.applied(more, [Change(path=["letter"], value="I ap")], Application)
    typed_data: Any = source.parse(typed, "text").data
    assert typed_data["letter"] == {"body": "I ap\n", "opening": "Dear all,"}
    names = [
        {one["key"]: one["name"] for one in fields.read(text, ("letter",), Application)["fields"]}
        for text in (LETTER, more)
    ]
    assert names[0]["body"] == names[1]["body"] == "letter.body"
    named = "person: ada\nemployer: X\nposition: Y\nletter: cover.md\n"
    read = {one["key"]: one for one in fields.read(named, ("letter",), Application)["fields"]}
    assert (read["file"]["value"], "body" in read) == ("cover.md", False)
    step = Change(path=["locale"], value="de")
    assert edits.applied(LETTER, [step], Application)[0].startswith(
        "person: ada  # who\nlocale: de"
    )


def test_what_is_wrapped_begins_no_list() -> None:
    long = "word " * 17 + "years - and more words that go on for a while, - and on"
    begun = "letter: |\n  One\n  two\n\n  - x\n  - y\n"
    for value in (long, f"- {long}", f"A\n\n- a\n- {'b ' * 80}c"):
        step = Change(path=["letter"], value=value)
        text, _ = edits.applied(begun, [step], Application)
        (body,) = [
            one["value"]
            for one in fields.read(text, ("letter",), Application)["fields"]
            if one["key"] == "body"
        ]
        assert body == value


def test_what_may_be_written_is_known_in_a_text_that_is_half_written() -> None:
    for before, after, offered in [
        ("name: A\n", "", "headline"),
        ("name: A\n", ": [old]\ncontact: {}\n", "headline"),
        ("template: ", "\nname: {\n", "one-page"),
        ("sections:\n  - kind: talk\n    items:\n      - {title: A, ", "", "event"),
        ("name: A\n# ", "", None),
        ("sections:\n  - kind: [talk]\n    ", "", "items"),
        ("summary: |\n  ", "", None),
        ("variants:\n  ", "", None),
    ]:
        offers = [one["label"] for one in shapes.complete(before, after, Profile, Library.at())]
        assert offered in offers if offered else not offers, before


FILES = [
    *sorted((ROOT / "people").glob("*.yaml")),
    ROOT / "docs/gallery/nora-lindqvist.yaml",
    ROOT / "tests/outputs/cases/every-field/person.yaml",
    ROOT / "tests/accessible/ada-example.yaml",
    *sorted((ROOT / "tests/shapes").glob("*.yaml")),
    *sorted((ROOT / "tests/importers/examples").glob("*/person.yaml")),
]
WORDS = [
    "short", "*slanted* words", "- a dash", "key: value", "a # b", "#tag", "no", "1.10",
    "Zoë – “x”", "it's", 'say "yes"', "[link](https://example.org/a_b)", "{braces}, [brackets]",
    "@at", "100 %",
    "word " * 40 + "end", "a: b, " * 25 + "c", "a-long-word" * 12, "𝒳 " * 50 + "y",
    "First paragraph.\n\nSecond one.", "One.\n\n" + "Two words " * 20 + "end.", "- a\n- b\n- c",
]  # fmt: skip
Step = str | int
Path_ = tuple[Step, ...]


@pytest.mark.parametrize("count", deep.but([20], [20, 200]))
def test_random_edits_of_real_files(count: int) -> None:
    chance = random.Random(count)
    refused = []
    for number in range(count):
        file = chance.choice(FILES)
        text = file.read_text("utf-8")
        for _ in range(3):
            parsed = source.parse(text, file.name)
            action = chance.choice([_set, _set, _insert, _move, _remove])
            wanted = action(chance, parsed)
            if wanted is None:
                continue
            told = (file.name, number, action.__name__, *wanted[1:])
            try:
                text = _checked(text, parsed, *wanted)
            except EditError:
                refused.append(told)
            except AssertionError as error:
                raise AssertionError(told) from error
    assert len(refused) <= count // 50, refused


def _checked(text: str, before: Source, after: Any, change: Any, path: Path_, *more: Any) -> str:
    made: str = change(text, path, *more)
    assert _words(source.parse(made, "text").data) == _words(after), "other data"
    if made == text:
        return made
    first, last = _region(before, path, change)
    old, new = text.split("\n"), made.split("\n")
    assert old[:first] == new[:first], "a line before it changed"
    assert old[len(old) - last :] == new[len(new) - last :], "a line after it changed"
    kept = [one for one in _comments(old) if one not in _comments(old[first : len(old) - last])]
    assert [one for one in _comments(new) if one in kept] == kept
    if change is not edit.put or more[0] is not None:
        gone = [
            one for one in _comments(old) if _comments(old).count(one) > _comments(new).count(one)
        ]
        assert gone == [], "a comment is lost"
    return made


def _region(before: Source, path: Path_, change: Any) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end a change must not touch."""
    rows = before.text.split("\n")
    part = path if change is edit.put else path[:-1]
    while before.find(part) is None or (
        change is edit.put and part and len(before.part(part[:-1]).data) == 1
    ):
        part = part[:-1]
    if change is edit.put and before.find(path) is None:
        part = part[:-1] if before.find(part) is None else part
    key, value = before.key_span(part), before.span(part)
    assert key.line is not None
    assert value.end_line is not None
    first, end = key.line - 1, value.end_line
    while first and (not rows[first - 1].strip() or rows[first - 1].lstrip().startswith("#")):
        first -= 1
    while end < len(rows) and (not rows[end].strip() or rows[end].lstrip().startswith("#")):
        end += 1
    # Without its first key, an item begins with the next one.
    end += rows[key.line - 1].lstrip().startswith("- ") and isinstance(part[-1], str)
    return first, len(rows) - end


def _comments(rows: list[str]) -> list[str]:
    return [row.strip() for row in rows if row.strip().startswith("#")]


def _words(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _words(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_words(one) for one in data]
    return " ".join(data.split()) if isinstance(data, str) else data


def _set(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    paths = [path for path, value in _all(parsed.data) if isinstance(value, str)]
    path, value = chance.choice(paths), chance.choice(WORDS)
    after = copy.deepcopy(parsed.data)
    _holder(after, path)[path[-1]] = value
    return after, edit.put, path, value


def _insert(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    lists = [(path, value) for path, value in _all(parsed.data) if isinstance(value, list)]
    if not lists:
        return None
    path, items = chance.choice(lists)
    at = chance.randint(0, len(items))
    shape = chance.choice(items)
    value = chance.choice(WORDS) if isinstance(shape, str) else copy.deepcopy(shape)
    after = copy.deepcopy(parsed.data)
    _holder(after, (*path, at)).insert(at, value)
    insert = lambda text, path, value: edit.add(text, [edit.Addition(path, value)])  # noqa: E731
    return after, insert, (*path, at), value


def _move(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    many = [one for one in _all(parsed.data) if isinstance(one[1], list) and len(one[1]) > 1]
    if not many:
        return None
    path, items = chance.choice(many)
    at, to = chance.sample(range(len(items)), 2)
    after = copy.deepcopy(parsed.data)
    moved = _holder(after, (*path, at))
    moved.insert(to, moved.pop(at))
    return after, edit.move, (*path, at), to


def _remove(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    items = [path for path, _ in _all(parsed.data) if isinstance(path[-1], int)]
    keys = [path for path, value in _all(parsed.data) if isinstance(value, str)]
    path = chance.choice(chance.choice([items or keys, keys]))
    after = copy.deepcopy(parsed.data)
    del _holder(after, path)[path[-1]]
    gone = path[:-1]
    while gone and not _holder(after, gone)[gone[-1]]:
        del _holder(after, gone)[gone[-1]]
        gone = gone[:-1]
    return (after, edit.put, path, None) if after else None


def _all(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    below = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in below:
        yield (*path, step), value
        if isinstance(value, dict | list):
            yield from _all(value, (*path, step))


def _holder(data: Any, path: Path_) -> Any:
    for step in path[:-1]:
        data = data[step]
    return data
