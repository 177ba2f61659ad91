"""The benchmark itself: what it counts, what it writes, and that it can fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import source
from tools.bench import batch, edits, rendercv, report, sampler, single, synthetic, times
from tools.bench.edits import Edits
from tools.bench.report import PAGE, Row, Target
from tools.bench.single import OURS, RAW, RENDERCV, SUBJECT, Bench, Subject, edit
from tools.bench.times import Missing, NotMeasuredError, Times
from tools.bench.workspace import Workspace, demand, run

TINY = """\
name: Ada Example
sections:
  - kind: bullets
    items: [Served 100 people, Another point]
"""


@pytest.fixture
def person(tmp_path: Path) -> Path:
    path = tmp_path / "ada.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


# Edits


def test_neighbouring_edits_differ_in_one_character() -> None:
    codes = [edits.code(number) for number in range(1000)]
    assert len(set(codes)) == 1000
    for one, other in pairwise(codes):
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1, (one, other)


def test_an_edit_changes_its_text_and_nothing_else(person: Path) -> None:
    made = Edits(person, "Served 100")
    texts = []
    for _ in range(12):
        texts.append(made.make())
        assert person.read_text(encoding="utf-8") == TINY.replace("Served 100", texts[-1])
    assert len(set(texts)) == 12


@pytest.mark.parametrize("text", ["Served 101", "point", "a 100"])
def test_only_a_text_that_is_there_once_can_be_edited(person: Path, text: str) -> None:
    person.write_text(TINY + "# a 100, a 100\n", encoding="utf-8")
    with pytest.raises(NotMeasuredError):
        Edits(person, text)


def test_the_measured_cv_has_the_text_that_changes(tmp_path: Path) -> None:
    assert SUBJECT.path in SUBJECT.everybody
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(SUBJECT.path.read_bytes())
    assert Edits(copy, SUBJECT.text).make() in copy.read_text(encoding="utf-8")


# Figures


def test_turns_go_round_and_the_first_does_not_count() -> None:
    seen: list[tuple[str, int]] = []

    def contestant(name: str, fails_at: int | None = None) -> times.Contestant:
        def once(number: int) -> float:
            seen.append((name, number))
            if number == fails_at:
                raise NotMeasuredError("it broke")
            return 100.0 if number == 0 else float(number)

        return once

    found = times.in_turns({"a": contestant("a"), "b": contestant("b", 1), "c": contestant("c")}, 3)
    assert seen[:3] == [("a", 0), ("b", 0), ("c", 0)]
    assert [name for name, number in seen if number == 2] == ["a", "c"]
    assert found["a"] == found["c"] == Times((1.0, 2.0, 3.0))
    assert found["b"] == Missing("it broke")


def test_a_slow_machine_has_fewer_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "PATIENCE", 0.0)
    found = times.in_turns({"a": lambda _: 1.0}, 7)
    assert found["a"] == Times((1.0,) * times.LEAST)


def test_medians_and_ratios() -> None:
    slow, fast = Times((4.0, 2.0, 30.0)), Times((1.0, 3.0, 1.9))
    assert (slow.median, fast.median) == (4.0, 1.9)
    assert times.ratio(slow, fast) == pytest.approx(4 / 1.9)
    assert times.ratio(slow, Missing("?")) is times.ratio(None, fast) is None
    assert str(slow) == "4.00 s (2.00 .. 30.0)"
    assert str(Times((0.0123,))) == "0.012 s"


def test_a_row_says_how_many_times_that_long_and_what_is_missing() -> None:
    row = Row("edit", {OURS: Times((2.0,)), RAW: Times((4.0,)), RENDERCV: Missing("not there")})
    assert report.times_table([row, Row("other", {}, "a note")], 7) == (
        "|  | cvbuild | raw pass | RenderCV |\n"
        "| --- | --- | --- | --- |\n"
        "| edit | 2.00 s | 4.00 s: 0.50 × | – |\n"
        "| other | – | – | – |\n"
        "\n- other: a note\n- edit: 1 rounds\n- edit, RenderCV: not there\n"
    )


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (Target("a", 1.0, 1.0), "yes"),
        (Target("a", 0.5, 0.75), "no, 50 % above"),
        (Target("a", 1.3, 1.3, "at least"), "yes"),
        (Target("a", 2.0, 1.5, "at least"), "no, 25 % below"),
        (Target("a", 1.0, None), "not measured"),
    ],
)
def test_targets_are_reached_or_missed_by_so_much(target: Target, verdict: str) -> None:
    assert target.verdict() == verdict
    assert report.targets_table([target]).endswith(f"| {verdict} |\n")


def test_each_run_writes_its_own_part_of_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    once = report.replaced(page, "single", "one")
    both = report.replaced(once, "batch", "two")
    assert "<!-- single -->\n\none\n\n<!-- end of single -->" in both
    assert "<!-- batch -->\n\ntwo\n\n<!-- end of batch -->" in both
    words = re.compile(r"<!-- (single|batch) -->.*?<!-- end of \1 -->", re.DOTALL)
    assert words.sub("", both) == words.sub("", page)
    with pytest.raises(ValueError, match="no place"):
        report.replaced(page, "nothing", "one")


# RenderCV's data


#: Of a person's file, what no document shows as it is written.
UNSEEN = {
    "kind",
    "priority",
    "template",
    "locale",
    "author",
    "date",
    "profiles",
    "family",
    "given",
    "tags",
    "variants",
}


def texts(data: Any) -> Iterator[str]:
    """All texts below, but those of keys that are unseen."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for one in data:
            yield from texts(one)
    else:
        for key, one in data.items():
            if key not in UNSEEN:
                yield from texts(one)


def every_text(data: Any) -> Iterator[str]:
    """All texts and numbers below, and keys: a section's title is one."""
    if isinstance(data, dict):
        data = [one for pair in data.items() for one in pair]
    if isinstance(data, list):
        for one in data:
            yield from every_text(one)
    else:
        yield str(data)


def test_rendercv_gets_every_text() -> None:
    written = SUBJECT.path.read_text(encoding="utf-8")
    made = " ".join(every_text(rendercv.translated(written))).replace("\\*", "*").replace("**", "")
    wanted = list(texts(yaml.load(written, yaml.BaseLoader)))
    assert len(wanted) > 200
    assert [text for text in wanted if text not in made] == []


def test_rendercv_gets_dates_as_it_knows_them() -> None:
    cv = rendercv.translated(SUBJECT.path.read_text(encoding="utf-8"))["cv"]
    assert cv["name"] == "Gyeong-In Yu"
    first = cv["sections"]["Education"][0]
    assert (first["start_date"], first["end_date"]) == ("2017-03", "present")
    papers = cv["sections"]["Conference Publications"]
    assert [paper["date"] for paper in papers[:2]] == [2022, "2022-07"]
    assert papers[0]["authors"][0] == "**Gyeong-In Yu**"
    assert papers[3]["authors"][:2] == ["Woosuk Kwon\\*", "**Gyeong-In Yu**\\*"]


# People of nobody


def test_synthetic_people_are_valid_different_and_nobody() -> None:
    files = [synthetic.person(number) for number in range(200)]
    assert files == [synthetic.person(number) for number in range(200)]
    profiles = [validate.validate(source.parse(text, "ada.yaml")) for text in files[:4]]
    assert len({(profile.name.given, profile.name.family) for profile in profiles}) == 4
    for text in files:
        assert re.search(r"^  email: \w+@example\.org$", text, re.MULTILINE)
        assert re.search(r"^  phone: \+1 202 555 01\d\d$", text, re.MULTILINE)
        assert re.search(r"^  website: \w+\.example\.org$", text, re.MULTILINE)


# Samples


@pytest.mark.parametrize(
    ("stack", "name"),
    [
        ([("/lib/subprocess.py", "_wait"), ("/x/cvbuild/common/processes.py", "run"),
          ("/x/cvbuild/tex/direct.py", "_once"), ("/x/cvbuild/typeset.py", "compile")],
         "waiting for a program: tex.direct"),
        ([("/lib/threading.py", "wait"), ("/x/cvbuild/building/batch.py", "run")], None),
        ([("/x/site-packages/yaml/reader.py", "peek"), ("/x/cvbuild/source.py", "parse")],
         "source"),
        ([("/x/site-packages/pydantic/main.py", "<module>"), ("<frozen importlib>", "_call"),
          ("/x/cvbuild/model/base.py", "<module>"), ("<frozen importlib>", "_call")],
         "import: pydantic"),
    ],
)  # fmt: skip
def test_a_sample_says_what_a_thread_is_at(stack: list[tuple[str, str]], name: str | None) -> None:
    assert sampler.place(stack) == name


# The whole, on a document that is done in no time


@pytest.mark.usefixtures("requires_embedded")
def test_a_tiny_run(person: Path, tmp_path: Path) -> None:
    subject = Subject(person, "Served 100", (person,))
    bench = Bench(subject, tmp_path / "bench", 1, rendercv="no-such-program")
    edited = edit(bench)
    assert {name for name, one in edited.measured.items() if isinstance(one, Times)} == {
        OURS,
        RAW,
    }
    assert edited.gaps() == ["edit one bullet, RenderCV: no-such-program is not installed"]
    assert edited.cell(RAW).endswith(" ×")
    workspace = Workspace(bench.folder / "edit", bench.cache)
    pdf = workspace.pdf("ada", "academic")
    demand(pdf, "Another point")
    with pytest.raises(NotMeasuredError, match='does not show "Served 100"'):
        demand(pdf, "Served 100")
    with pytest.raises(NotMeasuredError, match="unknown person"):
        workspace.cvbuild("build", "nobody")


@pytest.mark.usefixtures("requires_embedded")
def test_a_crowd_against_xargs(person: Path, tmp_path: Path) -> None:
    bench = Bench(Subject(person, "Served 100", (person,)), tmp_path, 1)
    table, (target,) = batch._rate(bench, 2)
    assert table.count("\n") == 4
    assert target.measured is not None


@pytest.mark.usefixtures("requires_embedded")
def test_a_crowd_against_a_peer_that_only_copies(tmp_path: Path) -> None:
    peer = tmp_path / "rendercv"
    peer.write_text("#!/bin/sh\ncp cv.yaml cv.pdf\n", encoding="utf-8")
    peer.chmod(0o755)
    bench = Bench(SUBJECT, tmp_path / "bench", 1, str(peer))
    table, (time, share) = batch._three_pages(bench, 2)
    assert table.count("\n") == 4
    assert time.measured is not None
    assert share.measured is not None
    assert 0 < share.measured < 100


def test_a_bench_in_which_nothing_works_says_so(person: Path, tmp_path: Path) -> None:
    person.write_text("name: [", encoding="utf-8")
    subject = Subject(person, "Served 100", (person,))
    text = single.text(Bench(subject, tmp_path / "bench", 1, rendercv="no-such-program"))
    assert text.count("| – | not measured |") == 7
    assert text.count("| – | – | – |") == 8
    assert "first build, formats and fonts there, cvbuild: cvbuild: " in text


def test_a_program_that_fails_is_told_by_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="sh: no luck"):
        run(["sh", "-c", "echo first; echo no luck >&2; exit 3"], tmp_path, {})
    with pytest.raises(NotMeasuredError, match="no-such-program"):
        run(["no-such-program"], tmp_path, {})
