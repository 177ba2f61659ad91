"""What travels to the workers of a cluster and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import PIL.Image
import pytest
from cluster.loopback import (
    PERSON,
    Cluster,
    build,
    own_template,
    pdfs,
    settings,
    tasks,
    until,
    write,
)
from msgspec.structs import replace

from cvbuild.building import batch
from cvbuild.building import cluster as workers
from cvbuild.building.check import profiles
from cvbuild.building.request import Pending
from cvbuild.building.requested_documents import RequestedDocuments
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.task import Settings, Task


def test_all_that_a_document_is_made_from_travels(shared: Cluster) -> None:
    """A template of one's own, a photo, two documents of a person; each fault keeps its place."""
    write(3)
    PIL.Image.new("RGB", (300, 400), "teal").save("people/face.png")
    face = "photo: face.png\noptions: {photo: true, embed: true}\n"
    Path("people/p1.yaml").write_text(PERSON.format(1) + face, encoding="utf-8")
    # No font has this character, and only this person's documents fail.
    faulty = PERSON.replace("Made", "A sign \U0001f600")
    Path("people/p2.yaml").write_text(faulty.format(2), encoding="utf-8")
    own_template("broken", **{"sections/bullets.tex.j2": "\n<% for %>"})
    library = own_template("plum")
    p0, p1, p2 = people.everyone()
    todo = (
        *profiles.tasks([profiles.check(p0, library)], ["academic"]),
        *profiles.tasks([profiles.check(p1, library)], ["plum", "broken"]),
        *profiles.tasks([profiles.check(p2, library)], ["plum"]),
    )
    how = settings(library=library)
    outcomes = list(build(shared, todo, how))
    local = list(batch.run(todo, replace(how, out=Path("local")), 2, lambda _: None))
    assert sorted(pdfs()) == ["p0/academic.pdf", "p1/plum.pdf"]
    assert pdfs() == pdfs("local")
    said = {(one.person, one.template): one.diagnostics for one in outcomes}
    assert said == {(one.person, one.template): one.diagnostics for one in local}
    (style,), (sign, *_) = said["p1", "broken"], said["p2", "plum"]
    assert (str(sign.span), style.span and style.span.line) == ("people/p2.yaml:4:13", 2)


VARIANTS = """\
template: [academic, short, whole]
variants:
  short: {template: industry, headline: Maker, kinds: bullets}
  whole: {private: true}
"""


@pytest.mark.deep
def test_variants_the_overlay_and_what_is_set_travel(shared: Cluster) -> None:
    write(1, PERSON + VARIANTS.replace("{", "{{").replace("}", "}}"))
    overlay = Path("people/p0.private.yaml")
    overlay.write_text("contact: {address: 1 Hidden Lane}\n", encoding="utf-8")

    def todo(how: Settings) -> list[Task]:
        heard: list[profiles.Checked] = []
        found = list(
            batch.read([Pending(people.everyone()[0])], RequestedDocuments(), how, heard.append)
        )
        assert [one.private for one in heard] == [False, True]
        return found

    how = settings(sets=("headline=Breaker", "titles.bullets=Works"))
    assert [(one.name, one.private) for one in todo(how)] == [
        ("academic", False),
        ("short", False),
        ("whole", True),
    ]
    outcomes = list(build(shared, todo(how), how))
    local = replace(how, out=Path("local"))
    here = list(batch.run(todo(local), local, 2, lambda _: None))
    names = {(one.name, one.variant, one.diagnostics) for one in outcomes}
    assert names == {(one.name, one.variant, one.diagnostics) for one in here}
    assert sorted(pdfs()) == ["p0/academic.pdf", "p0/short.pdf", "p0/whole.pdf"]
    assert pdfs() == pdfs("local")
    texts = {
        name: " ".join(page.text for page in pdf_facts.read(Path("out/p0", f"{name}.pdf")).pages)
        for name, _, _ in names
    }
    assert all("Breaker" in text and "Works" in text for text in texts.values())
    assert [name for name, text in texts.items() if "Hidden Lane" in text] == ["whole"]
    # A fault of the overlay keeps its place.
    overlay.write_text("contact:\n  address: A sign \U0001f600\n", encoding="utf-8")
    failed = [one for one in build(shared, todo(how), how) if one.path is None]
    assert [str(one.diagnostics[0].span) for one in failed] == ["people/p0.private.yaml:2:12"]


def test_a_worker_without_the_tex_that_is_asked_for(shared: Cluster) -> None:
    write(1)
    (outcome,) = build(shared, tasks(), settings(engine="pdflatex"))
    assert (outcome.path, outcome.exit_code) == (None, 3)
    assert outcome.diagnostics[0].code == "no-engine"


def test_a_worker_of_another_version(shared: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    write(2)
    there = workers.code_version()
    monkeypatch.setattr(workers, "code_version", lambda: "99.9 (other)")
    said = re.escape(f"has cvbuild {there}, this is 99.9 (other); install the same there")
    with pytest.raises(CvbuildError, match=said) as error:
        list(build(shared, tasks(), settings()))
    assert error.value.exit_code == 1
    assert not Path("out").exists()


def test_people_are_taken_as_workers_need_them_and_called_back(shared: Cluster) -> None:
    write(12)
    taken: list[Task] = []

    def lazily() -> Iterator[Task]:
        for task in tasks():
            taken.append(task)
            yield task

    outcomes = build(shared, lazily(), settings())
    first = next(outcomes)
    assert first.path
    # Four for the one thread.
    assert len(taken) == workers.AHEAD
    outcomes.close()  # type: ignore[attr-defined]
    until(lambda: not shared.busy("only"))
    assert len(pdfs()) == 1
