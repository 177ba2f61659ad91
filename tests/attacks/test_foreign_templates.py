"""A template that somebody else wrote reads and changes nothing of the user's, whatever it runs."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import deep
import pytest
from attacks.table import named, rows
from deep import sample
from projects import beside
from texlive import engine_of
from waits import PATIENCE
from workspaces import template

from cvbuild.common import limits, processes
from cvbuild.common.diagnostics import DocumentError, TemplateError
from cvbuild.common.files import user_cache
from cvbuild.common.limits import Walls
from cvbuild.outputs.installed import are_built_in, builtin_folder
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import Tex
from cvbuild.outputs.pdf.tex import job_folder as tex_walls
from cvbuild.outputs.styles.templates import Library

SECRET = "SECRETofTHEhome"
PERSON = "name: Ada Example\ntemplate: evil\nsections:\n  - kind: bullets\n    items: [One]\n"


class Places(NamedTuple):
    home: Path
    project: Path
    template: Path
    cache: Path


@pytest.fixture(params=["landlock", "none"])
def walls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the kernel's rules, and with TeX's own alone."""
    if request.param == "none":
        monkeypatch.setattr(limits, "landlock_version", lambda: 0)
    elif not limits.landlock_version():
        pytest.skip("needs Landlock")
    return str(request.param)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tex_cache: Path) -> Iterator[Places]:
    """A home with a secret in every file, a project in it, and a template that is hostile."""
    home, project = tmp_path / "home", tmp_path / "home/project"
    files = (
        ".ssh/id_rsa", "notes.txt", "notes.tex", ".bashrc", "other/people/bob.yaml",
        "project/people/eve.yaml", "project/out/bob/academic.pdf", "project/.env",
        "project/out/.build/bob/academic/cv.tex",
    )  # fmt: skip
    for name in files:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{SECRET}\n", "utf-8")
    (project / "people/eve.yaml").unlink()
    (project / "people/ada.yaml").write_text(PERSON, "utf-8")
    evil = template("evil", within=project)
    user_cache.key(tex_cache)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    yield Places(home, project, evil, tex_cache)
    # Whatever a template does to the cache that all tests share must not outlive the test.
    for folder, _, names in os.walk(tex_cache):  # others work in it: what vanishes is no error
        for name in names:
            if name.startswith("owned"):
                Path(folder, name).unlink()


def test_nothing_starts_tex_outside_the_walls() -> None:
    """Documents of a cluster too: a worker builds them by the same modules."""
    starts = re.compile(r"processes\.(?:run|start)\((?:[^()]|\([^()]*\))*\)")
    found = {
        (path.name, "walls=" in call)
        for path in (Path(processes.__file__).parents[1]).rglob("*.py")
        for call in starts.findall(path.read_text("utf-8"))
    }
    # These ask programs for versions and places; pandoc reads in its own sandbox, git prints a file
    # of a revision. ``processes`` itself starts our own, for PDFs.
    asking = ("find.py", "markdown.py", "versions.py")
    others = {(name, False) for name in asking}
    assert found == {("job_folder.py", True), ("preloaded.py", True), *others}


def test_a_name_does_not_make_a_template_built_in(places: Places, tex_cache: Path) -> None:
    shutil.copytree(builtin_folder() / "academic", places.project / "templates/academic")
    library = Library.at(places.project / "templates")
    job = Job("", places.project / "out/job", tex_cache, 0)
    assert are_built_in(job.inputs)
    for name, expected in (("academic", False), ("evil", False), ("industry", True)):
        assert are_built_in(library.find(name).folders) is expected, name
    link = places.project / "templates/linked"
    link.symlink_to(places.template)
    assert not are_built_in((link,))


def test_a_template_must_not_hold_what_is_private(places: Places, tex_cache: Path) -> None:
    engine = engine_of("embedded")
    for folder in (places.project, places.home, Path("/")):
        job = Job("", places.project / "out/.build/tmp/job-1/run", tex_cache, 0, (folder,))
        with pytest.raises(TemplateError, match="can't be in a folder that has other files"):
            tex_walls.inside(job, engine, None)


READS = rows("reads of pdfTeX")
ENDS = rows("shown by pdfTeX")
ENDS_OF_LANDLOCK = rows("shown by pdfTeX without Landlock")
WRITES = rows("writes of pdfTeX")
PLAIN = "\\catcode`\\~=12 \\catcode`\\$=12 \\catcode`\\_=12 "


def typeset(kind: str, body: str, places: Places, timeout: float = 30) -> tuple[str, Path]:
    work = places.project / "out/.build/tmp/job-00000000/run"
    shutil.rmtree(work.parent, ignore_errors=True)
    work.mkdir(parents=True)
    head = "\\documentclass{article}\\usepackage{lmodern}\\usepackage[T1]{fontenc}\n"
    head += f"\\def\\REACHED{{\\typeout{{REACHED}}}}\n\\begin{{document}}\n{PLAIN}\n"
    tex = f"{head}{body}\nx\\end{{document}}\n"
    job = Job(tex, work, places.cache, 0, (places.template,), timeout=timeout)
    return Tex(job, engine_of(kind)).run().log, work


def private_paths(places: Places) -> list[str]:
    up = os.path.relpath(places.home, places.project / "out/.build/tmp/job-00000000/run")
    inside = ("notes.txt", "notes.tex", ".ssh/id_rsa", "other/people/bob.yaml")
    return [
        *(str(places.home / name) for name in inside), *(f"{up}/{name}" for name in inside),
        *(f"~/{name}" for name in inside), "$HOME/notes.tex", "/etc/passwd", "/proc/self/environ",
        str(places.cache / "key"), str(places.project / "out/bob/academic.pdf"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
def test_pdftex_reads_and_shows_nothing_private(kind: str, walls: str, places: Places) -> None:
    paths = private_paths(places)
    every = [read.replace("PATH", path) for path in paths for read in READS]
    control = "\\openin5=cvb-evil.sty \\ifeof5 \\else\\typeout{CONTROL}\\fi"
    log, _ = typeset(kind, "\n".join([*every, control]), places)
    assert "Output written" in log, log[-2000:]
    assert ("CONTROL" in log, "REACHED" in log) == (True, False)
    ends = ENDS if walls == "none" else (*ENDS, *ENDS_OF_LANDLOCK)
    shown = [end.replace("PATH", path) for path in paths for end in ends]
    for case in sample(shown, 4, f"pdftex shows {kind}"):
        log, work = typeset(kind, f"\\pdfcompresslevel=0 {case}", places)
        assert SECRET not in log, case
        for path in work.iterdir():
            assert path.name != "owned", case
            assert path.is_dir() or SECRET.encode() not in path.read_bytes(), (case, path)


ENDLESS = named("endless TeX")


@pytest.mark.parametrize("name", deep.but(["macros", "a file", "time"], ENDLESS))
def test_pdftex_is_held(name: str, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its own limits and the process's: walls are of no use there, and there are none."""
    monkeypatch.setattr(limits, "landlock_version", lambda: 0)
    monkeypatch.setattr(processes, "MAX_FILE", 4 << 20)
    body, said = ENDLESS[name]
    try:
        log, work = typeset(
            "embedded", body, places, timeout=1.5 if name == "time" else 2 * PATIENCE
        )
    except DocumentError as error:
        log, work = str(error), places.project / "out/.build/tmp/job-00000000/run"
    assert said in log
    assert "Output written" not in log
    assert max(path.stat().st_size for path in work.iterdir()) <= processes.MAX_FILE


@pytest.mark.parametrize("name", deep.but(["a~b,c$d;f"], ["project", "a~b,c$d;f", "a{b"]))
@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
def test_pdftex_writes_nothing_outside_its_folder(
    name: str, kind: str, walls: str, places: Places
) -> None:
    """A folder whose name TeX can't search is linked: nothing is written through the link."""
    project = places.home / name
    if project != places.project:
        places.project.rename(project)
    places = Places(places.home, project, project / "templates/evil", project / "cache")
    work = project / "out/.build/tmp/job-00000000/run"
    link = f"../link-{hashlib.sha256(os.fsencode(places.template)).hexdigest()[:16]}"
    words: dict[str, str | Path] = {
        "HOME": places.home,
        "PROJECT": project,
        "TEMPLATE": places.template,
    }
    words |= {"LINK": link, "CACHE": places.cache, "UP": os.path.relpath(places.home, work)}
    targets = [re.sub("^[A-Z]+", lambda word: str(words[word[0]]), one) for one in WRITES]
    cases = sample(targets, 3, f"pdftex writes {name} {kind} {walls}")
    # These were written through links inside the folder.
    cases = list(dict.fromkeys(["in0/owned", "texmfvar/owned", *cases]))
    before = beside(project)
    for case in cases:
        _, made = typeset(kind, f"\\immediate\\openout5={{{case}}}\\immediate\\write5{{x}}", places)
        outside = [path for path in project.rglob("owned*") if made not in path.parents]
        assert not outside, case
        assert not [path for path in made.iterdir() if path.is_symlink()], case
        assert beside(project) == before, case
    (places.template / "cvb-evil-part.tex").write_text("FOUND", "utf-8")
    log, made = typeset(kind, "\\input{cvb-evil-part}", places)
    assert "Output written" in log, log[-1000:]


def test_only_the_child_is_restricted(tmp_path: Path) -> None:
    """The thread that starts it ends; all others, and those of a pool, stay free."""
    if not limits.landlock_version():
        pytest.skip("needs Landlock")
    (tmp_path / "secret").write_text(SECRET, "utf-8")
    (tmp_path / "job").mkdir()
    before = {*threading.enumerate()}

    def child(number: int) -> tuple[int, str, str]:
        done = processes.run(
            ["sh", "-c", f"cat ../secret; echo {number} > made{number} && cat made{number}"],
            cwd=tmp_path / "job",
            env={"PATH": os.defpath},
            timeout=PATIENCE,
            walls=Walls((), (tmp_path / "job",)),
        )
        return done.code, done.output, (tmp_path / "secret").read_text("utf-8")

    with ThreadPoolExecutor(4) as pool:
        for number, (code, output, seen) in enumerate(pool.map(child, range(12))):
            assert (code, seen) == (0, SECRET)
            assert SECRET not in output
            assert output.endswith(f"{number}\n")
    assert {*threading.enumerate()} <= before
    done = processes.run(["cat", tmp_path / "secret"], cwd=None, env={}, timeout=PATIENCE)
    assert done.output == SECRET


@pytest.mark.usefixtures("walls")
def test_a_child_inside_leaves_only_files_and_folders(places: Places) -> None:
    """What it leaves is read by cvbuild: a link would be followed outside of the walls."""
    work = places.project / "out/.build/tmp/job-1/run"
    work.mkdir(parents=True)
    script = f"ln -s {places.home}/notes.txt cv.log; mkfifo cv.pdf; mkdir made; echo x > cv.aux; :"
    job, engine = Job("", work, places.cache, 0), engine_of("embedded")
    assert tex_walls.run(["/bin/sh", "-c", script], job, engine, 20).code == 0
    assert {path.name for path in work.iterdir()} == {"made", "cv.aux"}
