"""A file as a form: its outline, the fields of its parts, and what a control writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import source
from cvbuild.model import Profile
from cvbuild.model.application import Application
from cvbuild.outputs.templates import Library
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
        ("summary: |\n  ", "", None),
        ("variants:\n  ", "", None),
    ]:
        offers = [one["label"] for one in shapes.complete(before, after, Profile, Library.at())]
        assert offered in offers if offered else not offers, before
