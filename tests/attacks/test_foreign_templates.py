"""A template that somebody else wrote reads and changes nothing of the user's, whatever it runs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import deep
import pytest
from attack_counts import sample
from conftest import Run
from lua_probes import CONTROLS, Places, probes, script
from texlive import engine_of
from workspaces import template

from cvbuild.common import landlock, processes, sandbox, user_cache
from cvbuild.common.errors import NoTexError, TemplateError, UsageError
from cvbuild.common.sandbox import Walls
from cvbuild.outputs.pdf.tex import drivers, font_cache
from cvbuild.outputs.pdf.tex import walls as tex_walls
from cvbuild.outputs.pdf.tex.types import Job
from cvbuild.outputs.styles.file_names import builtin_folder
from cvbuild.outputs.styles.templates import Library

ATTACKS = "Hostile templates"
SECRET = "SECRETofTHEhome"
PERSON = "name: Ada Example\ntemplate: evil\nsections:\n  - kind: bullets\n    items: [One]\n"


def has(name: str) -> bool:
    return landlock.version() > 0 if name == "landlock" else bool(sandbox._bwrap())


def demand(name: str) -> None:
    if not has(name):
        pytest.skip(f"needs {name}")


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
        (home / name).write_text(f"{SECRET}\n", encoding="utf-8")
    (project / "people/eve.yaml").unlink()
    (project / "people/ada.yaml").write_text(PERSON, encoding="utf-8")
    evil = template("evil", within=project)
    user_cache.key(tex_cache)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    yield Places(home, project, evil, tex_cache)
    # Whatever a template does to the cache that all tests share must not outlive the test.
    for path in tex_cache.rglob("owned*"):
        path.unlink()


def contents(root: Path, *but: str) -> dict[str, str]:
    """A hash of every file below ``root``, except in these folders."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if any(name == one or name.startswith(f"{one}/") for one in but):
            continue
        link = str(path.readlink()) if path.is_symlink() else ""
        data = path.read_bytes() if path.is_file() and not link else b""
        found[name] = link + hashlib.sha256(data).hexdigest()
    return found


OWN = ("project/out/ada", "project/out/.build")


@pytest.mark.usefixtures("requires_texlive", "walls_of_the_test")
@pytest.mark.parametrize("walls", ["landlock", "bwrap"])
def test_lua_reaches_nothing_of_the_user(
    walls: str, places: Places, run: Run, tried: Callable[[int], None]
) -> None:
    """Each probe writes its outcome to the log; the controls show that the probes work."""
    driver = "latexmk" if walls == "landlock" else "direct"
    whole = probes(places)
    (places.template / "evil.lua").write_text(script(whole, places), encoding="utf-8")
    load = '\\directlua{dofile(kpse.find_file("evil.lua", "tex"))}\n'
    with (places.template / "cvb-evil.sty").open("a", encoding="utf-8") as style:
        style.write(load)
    before, temporary = contents(places.home, *OWN), set(places.home.parent.iterdir())
    person = places.project / "people/ada.yaml"
    # The second is typeset by an engine that was preloaded.
    for options in (["--driver", driver], []):
        ran = run("build", "--engine", "lualatex", "--json", *options)
        log = (places.project / "out/.build/ada/evil/cv.log").read_text(errors="replace")
        assert ran.code == 0, (ran.err, ran.out[:2000], log[-2000:])
        assert json.loads(ran.out)["sandbox"] == walls
        found = dict(re.findall(r"^PROBE (.+) (REACHED|denied)\r?$", log, re.MULTILINE))
        assert len(found) == len(whole) + len(CONTROLS)
        reached = {name for name, outcome in found.items() if outcome == "REACHED"}
        assert reached == {f"control {name}" for name in CONTROLS}
        assert contents(places.home, *OWN) == before
        person.write_text(PERSON.replace("One", "Two"), encoding="utf-8")
        before = contents(places.home, *OWN)
    assert contents(places.home, *OWN) == before
    assert set(places.home.parent.iterdir()) == temporary
    for path in (places.project / "out").rglob("*"):
        if path.is_file() and "bob" not in path.parts:
            assert SECRET.encode() not in path.read_bytes(), path
            assert not path.is_symlink(), path
    assert not list(places.cache.rglob("owned*"))
    tried(2 * len(whole))


def test_nothing_starts_tex_outside_the_walls() -> None:
    """Documents of a cluster too: a worker builds them by the same modules."""
    starts = re.compile(r"processes\.(?:run|start)\((?:[^()]|\([^()]*\))*\)")
    found = {
        (path.name, "walls=" in call)
        for path in (Path(processes.__file__).parents[1]).rglob("*.py")
        for call in starts.findall(path.read_text(encoding="utf-8"))
    }
    # These ask programs for versions, places, dates, or fetch TeX; the last is our own, for PDFs.
    asking = ("find.py", "embedded.py", "doctor.py", "git_dates.py", "separate.py")
    others = {(name, False) for name in asking}
    assert found == {("walls.py", True), ("preloaded_engine.py", True), *others}


@pytest.mark.usefixtures("requires_texlive")
def test_without_a_sandbox_lua_is_refused(
    places: Places, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    style = places.template / "cvb-evil.sty"
    plain = style.read_text(encoding="utf-8")
    style.write_text(plain + "\\directlua{io.open('owned', 'w'):write('x')}\n", encoding="utf-8")
    monkeypatch.setenv(sandbox.VARIABLE, "none")
    before = contents(places.home, "project/out")
    ran = run("build", "--engine", "lualatex")
    assert ran.code == 3, ran.err
    assert f"{places.template}: LuaLaTeX would run this template's code" in ran.err
    assert "or use a built-in template" in ran.err
    # pdfTeX goes on under its own rules.
    style.write_text(plain, encoding="utf-8")
    assert run("build", "--engine", "pdflatex").code == 0
    assert contents(places.home, "project/out") == before | contents(places.home, "project/out")


def test_a_name_does_not_make_a_template_built_in(places: Places, tex_cache: Path) -> None:
    shutil.copytree(builtin_folder() / "academic", places.project / "templates/academic")
    library = Library.at(places.project / "templates")
    job = Job("", places.project / "out/job", tex_cache, 0)
    assert font_cache.is_built_in(job)
    for name, expected in (("academic", False), ("evil", False), ("industry", True)):
        own = Job("", job.folder, tex_cache, 0, library.find(name).folders)
        assert font_cache.is_built_in(own) is expected, name
    link = places.project / "templates/linked"
    link.symlink_to(places.template)
    assert not font_cache.is_built_in(Job("", job.folder, tex_cache, 0, (link,)))


def test_fonts_parsed_for_one_template_are_not_loaded_for_another(
    places: Places, tmp_path: Path
) -> None:
    core = builtin_folder() / "_core"
    folder, cache = tmp_path / "job", tmp_path / "cache"
    own = [Job("", folder, cache, 0, inputs) for inputs in ((core,), (places.template, core))]
    seen = [font_cache.own(job) for job in own]
    assert seen[0] == font_cache.shared(cache) != seen[1]
    (places.template / "more.tex").write_text("x", encoding="utf-8")
    assert font_cache.own(own[1]) not in seen
    font_cache.make(own[1])
    os.utime(font_cache.own(own[1]), (1, 1))
    (places.template / "more.tex").write_text("y", encoding="utf-8")
    font_cache.make(own[1])
    kept = {path.name for path in font_cache.folder(cache).iterdir()}
    assert kept == {"shared", font_cache.own(own[1]).name}


def test_a_template_must_not_hold_what_is_private(places: Places, tex_cache: Path) -> None:
    engine = engine_of("embedded")
    for folder in (places.project, places.home, Path("/")):
        job = Job("", places.project / "out/.build/tmp/job-1/run", tex_cache, 0, (folder,))
        with pytest.raises(TemplateError, match="can't be in a folder that has other files"):
            tex_walls.inside(job, engine, None)


#: What pdfTeX reads. The first two are not for links in a template's folder: they show whether a
#: file exists, which isn't denied.
READS = (
    "\\openin5={PATH} \\ifeof5 \\else\\REACHED\\fi",
    "\\IfFileExists{PATH}{\\REACHED}{}",
    "\\edef\\x{\\pdffiledump length 64 {PATH}}\\ifx\\x\\empty\\else\\REACHED\\fi",
    "\\edef\\x{\\pdfmdfivesum file {PATH}}\\ifx\\x\\empty\\else\\REACHED\\fi",
)
#: Each ends TeX if it is denied.
ENDS = (
    "\\openin5={PATH} \\read5 to\\x \\typeout{\\x}",
    "\\input{PATH}", "\\csname @@input\\endcsname PATH ", "\\include{PATH}", "\\usepackage{PATH}",
    "\\immediate\\pdfobj file {PATH}", "\\immediate\\pdfobj stream file {PATH}",
    "\\pdfximage{PATH}", "\\input{|\"cat PATH\"}", "\\immediate\\write18{cat PATH > owned}",
    "\\pdfmapfile{PATH}\\font\\x=cmr10 \\x",
)  # fmt: skip
#: What a document writes to, from its folder.
WRITES = (
    "HOME/owned", "PROJECT/owned", "UP/owned", "~/owned", "$HOME/owned", ".bashrc", "../owned",
    "in/owned", "TEMPLATE/owned", "in0/owned", "texmfvar/owned", "formats/owned", "LINK/owned",
    "CACHE/owned",
)  # fmt: skip
PLAIN = "\\catcode`\\~=12 \\catcode`\\$=12 \\catcode`\\_=12 "


def typeset(kind: str, body: str, places: Places) -> tuple[str, Path]:
    """TeX's log of a document with this in its body, and its working folder."""
    work = places.project / "out/.build/tmp/job-00000000/run"
    shutil.rmtree(work.parent, ignore_errors=True)
    work.mkdir(parents=True)
    head = "\\documentclass{article}\\usepackage{lmodern}\\usepackage[T1]{fontenc}\n"
    head += f"\\def\\REACHED{{\\typeout{{REACHED}}}}\n\\begin{{document}}\n{PLAIN}\n"
    tex = f"{head}{body}\nx\\end{{document}}\n"
    job = Job(tex, work, places.cache, 0, (places.template,), timeout=30)
    return drivers.direct(job, engine_of(kind)).log, work


def private_paths(places: Places) -> list[str]:
    up = os.path.relpath(places.home, places.project / "out/.build/tmp/job-00000000/run")
    links = {"in": places.home, "key": places.cache, "link.tex": places.home / "notes.tex"}
    for name, target in links.items():
        (places.template / name).symlink_to(target)
    inside = ("notes.txt", "notes.tex", ".ssh/id_rsa", "other/people/bob.yaml")
    return [
        *(str(places.home / name) for name in inside), *(f"{up}/{name}" for name in inside),
        *(f"~/{name}" for name in inside), "$HOME/notes.tex", "/etc/passwd", "/proc/self/environ",
        *(f"in/{name}" for name in inside), "link.tex", "key/key", str(places.cache / "key"),
        str(places.project / "out/bob/academic.pdf"),
    ]  # fmt: skip


@pytest.fixture
def walls_of_the_test(walls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox that the test's parameter names."""
    if walls in ("landlock", "bwrap"):
        demand(walls)
    monkeypatch.setenv(sandbox.VARIABLE, walls)


@pytest.fixture
def walled() -> None:
    if sandbox.in_force() == sandbox.NONE:
        pytest.skip("needs a sandbox: pdfTeX alone follows links in a template's folder")


@pytest.mark.usefixtures("walled")
@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
def test_pdftex_reads_nothing_private(
    kind: str, places: Places, tried: Callable[[int], None]
) -> None:
    paths = private_paths(places)
    every = [
        read.replace("PATH", path)
        for path in paths
        for read in (READS[2:] if re.match("in/|key/|link", path) else READS)
    ]
    control = "\\openin5=cvb-evil.sty \\ifeof5 \\else\\typeout{CONTROL}\\fi"
    log, _ = typeset(kind, "\n".join([*every, control]), places)
    assert "Output written" in log, log[-2000:]
    assert "CONTROL" in log
    assert "REACHED" not in log
    tried(len(every))


@pytest.mark.usefixtures("walled")
@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
def test_pdftex_shows_nothing_private(
    kind: str, places: Places, tried: Callable[[int], None]
) -> None:
    every = [end.replace("PATH", path) for path in private_paths(places) for end in ENDS]
    cases = sample(every, 8, f"pdftex shows {kind}")
    for case in cases:
        log, work = typeset(kind, f"\\pdfcompresslevel=0 {case}", places)
        assert SECRET not in log, case
        assert not (work / "owned").exists(), case
        for path in work.iterdir():
            assert path.is_dir() or SECRET.encode() not in path.read_bytes(), (case, path)
    tried(len(cases))


@pytest.mark.parametrize("name", deep.but(["a~b,c$d;f"], ["project", "a~b,c$d;f", "a{b"]))
@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
@pytest.mark.parametrize("walls", ["auto", "none"])
@pytest.mark.usefixtures("walls_of_the_test")
def test_pdftex_writes_nothing_outside_its_folder(
    name: str, kind: str, walls: str, places: Places, tried: Callable[[int], None]
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
    before = contents(places.home, name)
    for case in cases:
        _, made = typeset(kind, f"\\immediate\\openout5={{{case}}}\\immediate\\write5{{x}}", places)
        outside = [path for path in project.rglob("owned*") if made not in path.parents]
        assert not outside, case
        assert not [path for path in made.iterdir() if path.is_symlink()], case
        assert contents(places.home, name) == before, case
    (places.template / "cvb-evil-part.tex").write_text("FOUND", encoding="utf-8")
    log, made = typeset(kind, "\\input{cvb-evil-part}", places)
    assert "Output written" in log, log[-1000:]
    tried(len(cases))


def test_only_the_child_is_restricted(tmp_path: Path) -> None:
    """The thread that starts it ends; all others, and those of a pool, stay free."""
    demand("landlock")
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "job").mkdir()
    threads = threading.active_count()

    def child(number: int) -> tuple[int, str, str]:
        done = processes.run(
            ["sh", "-c", f"cat ../secret; echo {number} > made{number} && cat made{number}"],
            cwd=tmp_path / "job",
            env={"PATH": os.defpath},
            timeout=20,
            walls=Walls((), (tmp_path / "job",)),
        )
        return done.code, done.output, (tmp_path / "secret").read_text(encoding="utf-8")

    with ThreadPoolExecutor(4) as pool:
        for number, (code, output, seen) in enumerate(pool.map(child, range(12))):
            assert (code, seen) == (0, SECRET)
            assert SECRET not in output
            assert output.endswith(f"{number}\n")
    assert threading.active_count() == threads
    done = processes.run(["cat", tmp_path / "secret"], cwd=None, env={}, timeout=20)
    assert done.output == SECRET


@pytest.mark.usefixtures("walls_of_the_test")
@pytest.mark.parametrize("walls", ["landlock", "bwrap"])
def test_a_child_inside_leaves_only_files_and_folders(places: Places) -> None:
    """What it leaves is read by cvbuild: a link would be followed outside of the walls."""
    work = places.project / "out/.build/tmp/job-1/run"
    work.mkdir(parents=True)
    script = f"ln -s {places.home}/notes.txt cv.log; mkfifo cv.pdf; mkdir made; echo x > cv.aux; :"
    job, engine = Job("", work, places.cache, 0), engine_of("embedded")
    assert tex_walls.run(["/bin/sh", "-c", script], job, engine, 20).code == 0
    assert {path.name for path in work.iterdir()} == {"made", "cv.aux"}


def test_a_sandbox_that_is_asked_for_must_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox.VARIABLE, "chroot")
    with pytest.raises(UsageError, match='CVBUILD_SANDBOX names an unknown sandbox, "chroot"'):
        sandbox.in_force()
    for name in ("_has_landlock", "_bwrap", "_macos"):
        monkeypatch.setattr(sandbox, name, lambda: "")
    for name in ("landlock", "bwrap", "sandbox-exec"):
        monkeypatch.setenv(sandbox.VARIABLE, name)
        with pytest.raises(NoTexError, match=f"asks for {name}, which doesn't work"):
            sandbox.in_force()
    for name in ("auto", "none", ""):
        monkeypatch.setenv(sandbox.VARIABLE, name)
        assert sandbox.in_force() == "none"


def test_the_rules_for_macos(tmp_path: Path) -> None:
    """Only their text: it can't be tried here."""
    odd = tmp_path / 'a "b" \\c'
    text = sandbox.profile(Walls((odd,), (tmp_path / "job",)), tmp_path)
    lines = text.splitlines()
    assert lines[:4] == ["(version 1)", "(allow default)", "(deny network*)", "(deny file-write*)"]
    home, job = os.path.realpath(tmp_path), os.path.realpath(tmp_path / "job")
    assert lines[4].startswith(f'(deny file-read-data (subpath "{home}") (subpath "/Users")')
    quoted = os.path.realpath(odd).replace("\\", "\\\\").replace('"', '\\"')
    assert lines[5] == f'(allow file-read* (subpath "{quoted}") (subpath "{job}"))'
    assert lines[6] == f'(allow file-write* (subpath "{job}") (subpath "/dev/null"))'
