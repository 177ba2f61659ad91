"""Limits and calls: for each rule a document that breaks it, and one that keeps it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pikepdf
import pytest
import yaml
from conftest import Run
from pdfminer.high_level import extract_pages
from pdfminer.layout import LTTextContainer

from cvbuild.inputs import people
from cvbuild.inputs.person import person_file, settings
from cvbuild.outputs import measured

pytestmark = pytest.mark.usefixtures("here")
CALLS = sorted(path.stem for path in settings.BUILT_IN.glob("*.yaml"))
PDFS = [name for name in CALLS if name in ("dfg-53-200", "erc-stg", "msca-pf")]
MM = 25.4 / 72


def person(works: int = 12, **variant: Any) -> dict[str, Any]:
    papers = [
        {"title": f"On the scheduling of clocks, part {n}", "authors": "Ada Example", "date": 2024}
        for n in range(works)
    ]
    return {
        "name": "Ada Example",
        "contact": {"email": "ada@example.org", "profiles": {"orcid": "0000-0002-1825-0097"}},
        "summary": "I build clocks that never stop.",
        "sections": [
            {"kind": "experience", "items": [
                {"employer": "Example Works", "title": "Engineer", "date": "2021-03 to 2022-04"}]},
            {"kind": "education", "items": [
                {"institution": "Example University", "degree": "PhD", "date": "2020-06"}]},
            {"kind": "publication", "items": papers},
        ],
        "variants": {"grant": variant},
    }  # fmt: skip


def write(data: dict[str, Any]) -> None:
    Path("people").mkdir(exist_ok=True)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    Path("people/ada.yaml").write_text(text, "utf-8")


def limits(run: Run, command: str = "check") -> list[dict[str, Any]]:
    arguments = ["ada"] if command == "check" else ["ada", "--variant", "grant"]
    ran = run(command, *arguments, "--json").json
    found = [*ran.get("diagnostics", ()), *ran.get("notes", ())]
    found += [item for one in ran.get("documents", ()) for item in one["diagnostics"]]
    mine = [one for one in found if one["code"] == measured.CODE]
    return sorted(mine, key=lambda one: one["severity"] != "error")


BROKEN = [
    ({"publications": 10}, {}, "publications: 12 of 10", {"limit": {"publication": 10}}),
    ({"dates": "numeric"}, {}, "dates: short", {"options": {"date-form": "numeric"}}),
    ({"words": {"summary": 5}}, {}, "words: summary: 6 of 5", {"summary": "I build clocks."}),
    ({"characters": {"summary": 30}}, {}, "characters: summary: 31 of 30", {"summary": "Clocks."}),
    ({"without": "metrics"}, {"summary": "h-index 7"}, "without: there is h-index",
     {"summary": "Clocks."}),
    ({"needs": "award"}, {}, "needs: award is missing", None),
    ({"words": {"sumary": 5}}, {}, 'words: no section is called sumary', None),
    ({"words": {"xyz": 5}}, {}, 'words: no section is called xyz', None),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "given", "message", "mend"), BROKEN)
def test_what_a_document_says(
    run: Run, rule: dict[str, Any], given: dict[str, Any], message: str, mend: Any
) -> None:
    write(person(limits=rule, **given))
    (fault, *_) = limits(run)
    assert (fault["severity"], fault["message"]) == ("error", message)
    # Each known name is there once.
    assert fault["hint"]
    assert fault["hint"].count("summary") < 2
    assert fault["file"] == "people/ada.yaml"
    assert fault["line"] > 1
    assert run("build", "ada", "--variant", "grant", "--format", "txt").code == 1
    if mend is not None:
        write(person(limits=rule, **given | mend))
        assert [one["severity"] for one in limits(run)] == ["note"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("a b", 3), ("e\u0301", 1), ("q\u0301", 2), ("\U0001f600", 2), ("a\nb", 3), ("", 0)],
)
def test_characters_are_counted_as_browsers_do(text: str, count: int) -> None:
    assert measured.characters(text) == count


def test_one_character_over(run: Run) -> None:
    for length, severity in ((200, "note"), (201, "error")):
        write(person(limits={"characters": {"summary": 200}}, summary="é" * length))
        assert limits(run)[0]["severity"] == severity


PAGES: list[tuple[Any, Any, str, Any]] = [
    ({"pages": 1}, {}, r"pages: \d of 1", {"limit": {"publication": 5}}),
    ({"size": 11}, {}, r'size: 10\.5 pt at ".*", the least is 11 pt', {"options": {"size": 11}}),
    ({"margin": {"sides": 30}}, {}, r"margin sides: 2\d\.\d mm, the least is 30 mm",
     {"options": {"margin": {"left": 30, "right": 30}}}),
    ({"font": ["Roboto"]}, {}, r"font: SourceSans3-.*", {"options": {"font": "Roboto"}}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "given", "message", "mend"), PAGES)
def test_how_the_pages_look(
    run: Run, rule: dict[str, Any], given: dict[str, Any], message: str, mend: Any
) -> None:
    style = {"template": "grid", "options": {"size": 10.5}}
    write(person(60, limits=rule, **style | given))
    (fault, *_) = limits(run, "build")
    assert fault["severity"] == "error"
    assert re.fullmatch(message, fault["message"]), fault["message"]
    assert not Path("out/ada/grant.pdf").exists()
    options = {"size": 10.5} | mend.get("options", {})
    write(person(60, limits=rule, **style | mend | {"options": options}))
    assert [one["severity"] for one in limits(run, "build")] == ["note"]
    assert Path("out/ada/grant.pdf").exists()


@pytest.mark.parametrize("call", PDFS)
def test_a_call_is_kept_and_its_measures_are_those_of_another_reader(run: Run, call: str) -> None:
    write(person(25, call=call))
    (note,) = limits(run, "build")
    assert note["severity"] == "note", note["message"]
    size, sides = second_reader(Path("out/ada/grant.pdf"))
    said = re.search(r"size ([\d.]+) pt", note["message"])
    assert said
    assert float(said[1]) == pytest.approx(size, abs=0.06)
    if said := re.search(r"margin sides ([\d.]+) mm", note["message"]):
        assert float(said[1]) == pytest.approx(sides, abs=0.5)


def second_reader(pdf: Path) -> tuple[float, float]:
    """The least size of type that pikepdf finds set, and the least side margin by pdfminer."""
    sizes: list[float] = []
    with pikepdf.open(pdf) as document:
        for page in document.pages:
            fonts = {name: str(font.BaseFont) for name, font in page.Resources.Font.items()}
            sizes += [
                float(one.operands[1])
                for one in pikepdf.parse_content_stream(page)
                if str(one.operator) == "Tf" and "CvbSpace" not in fonts[str(one.operands[0])]
            ]
    sides: list[float] = []
    for laid_out in extract_pages(pdf):
        for box in laid_out:
            if isinstance(box, LTTextContainer):
                sides += [box.x0, laid_out.width - box.x1]
    return min(sizes), min(sides) * MM


def test_a_call_that_is_broken_names_the_variant(run: Run) -> None:
    write(person(25, call="erc-stg", limit={"publication": 11}))
    (fault, *_) = limits(run)
    assert (fault["message"], fault["file"]) == ("publications: 11 of 10", "people/ada.yaml")
    text = Path("people/ada.yaml").read_text().splitlines()
    assert "erc-stg" in text[fault["line"] - 1]


@pytest.mark.parametrize("call", CALLS)
def test_every_call_says_where_it_is_from(call: str) -> None:
    write(person(call=call))
    ((rules, _),) = person_file.read(people.find(["ada"])[0]).require()[1].calls
    assert rules.source.startswith("https://")
    assert rules.checked <= datetime.now(UTC).date()
    assert rules.variant.limits is not None


def test_one_margin_is_that_of_all_sides(run: Run) -> None:
    write(person(3, template="grid", limits={"margin": 60}))
    sides = [one["message"] for one in limits(run, "build") if one["severity"] == "error"]
    assert [one.partition(":")[0] for one in sides] == ["margin sides", "margin top"]
