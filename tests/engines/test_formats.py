"""Dumped heads, with real TeX: made once, used by all drivers, and no reason for a failure.

Longer than most: formats are slow to dump, and its tests share those of one cache.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import deep
import pytest
from waits import working_in

from cvbuild.common import sealed, user_cache
from cvbuild.outputs.pdf.tex import direct, drivers, format_dump, formats, memory
from cvbuild.outputs.pdf.tex import log as texlog
from cvbuild.outputs.pdf.tex.types import Engine, Job, Result

PACKAGE = r"""\RequirePackage[T1]{fontenc}\RequirePackage{lmodern}
\newcommand\Here{one}
"""
HEAD = "\\documentclass{article}\n\\usepackage{cvb-x}\n"
BODY = (
    "\\pdftrailerid{x}\n\\begin{document}\n\\typeout{>>\\Here}\n"
    "\\Here, page \\pageref{a}\\label{a}\n\\end{document}\n"
)
MakeWork = Callable[..., Job]
Compile = Callable[[Job, Engine], Result]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The dumps that were begun; nothing is remembered of other tests."""
    begun: list[str] = []
    really = format_dump.dumped

    @contextmanager
    def counted(folder: Path, name: str, job: Job, engine: Engine) -> Iterator[object]:
        begun.append(str(folder))
        with really(folder, name, job, engine) as found:
            yield found

    monkeypatch.setattr(format_dump, "dumped", counted)
    monkeypatch.setattr(formats, "_given_up", {})
    user_cache.private.cache_clear()
    return begun


def after_dumps(act: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen to what each dump has made, and the files that were read for it."""
    really = format_dump.dumped

    @contextmanager
    def changed(*arguments: Any) -> Iterator[object]:
        with really(*arguments) as found:
            act(found)
            yield found

    monkeypatch.setattr(format_dump, "dumped", changed)


@pytest.fixture
def work(tmp_path: Path, made: list[str]) -> MakeWork:
    """``work(body=.., head=.., package=..)``: a job in a new folder, from a cache of its own."""
    del made

    def make(body: str = BODY, head: str = HEAD, package: str = PACKAGE, **fields: object) -> Job:
        number = len(list(tmp_path.glob("job*")))
        folder, style = tmp_path / f"job{number}", tmp_path / "style"
        folder.mkdir()
        style.mkdir(exist_ok=True)
        style.joinpath("cvb-x.sty").write_text(package, encoding="utf-8")
        values: dict[str, object] = {"cache": tmp_path / "cache", "epoch": 0, "inputs": (style,)}
        return Job(head + body, folder, head=head.count("\n"), **(values | fields))  # type: ignore[arg-type]

    return make


def kept(job: Job) -> list[Path]:
    return sorted((job.cache / "formats").glob("*.fmt"))


def built(run: Compile, job: Job, engine: Engine) -> bytes:
    """The PDF, made from a format, with nothing to be said of it."""
    done = run(job, engine)
    assert done.pdf is not None, done.log
    assert done.notes == ()
    assert "article.cls" not in done.log, "it was not made from a format"
    return done.pdf.read_bytes()


def whole(job: Job, engine: Engine) -> Result:
    """The same from the whole head."""
    done = direct.compile(replace(job, head=0), engine)
    assert "article.cls" in done.log
    return done


def test_both_drivers_use_one(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    first, second = work(), work()
    assert built(direct.compile, first, pdflatex) == built(drivers.by_latexmk, second, pdflatex)
    assert (first.folder / "cv.tex").read_text() == (second.folder / "cv.tex").read_text()
    assert (first.folder / "cv.tex").read_text() == HEAD + BODY
    measured = "\\immediate\\openout15=cv.cvm \\immediate\\write15{a 1 2pt}"
    body = BODY.replace("\\typeout", measured + "\\typeout")
    assert direct.measure(work(body), pdflatex) == {"a": (1, 2.0)}
    assert len(kept(first)) == len(made) == 1
    assert not list((first.cache / "formats").glob("new-*"))


def test_the_embedded_tex_makes_its_own(
    pdflatex: Engine, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    assert built(direct.compile, work(), embedded) == built(direct.compile, work(), embedded)
    assert len(made) == 1
    built(direct.compile, work(), pdflatex)
    assert len(kept(work())) == len(made) == 2


def test_luatex_and_a_document_without_a_head_need_none(
    lualatex: Engine, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    assert formats.find_or_make(work(), lualatex)[0] is None
    assert formats.find_or_make(replace(work(), head=0), pdflatex)[0] is None
    assert made == []


def test_an_odd_cache_folder(embedded: Engine, work: MakeWork, tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("not a file name on Windows")
    odd = tmp_path / "a, $b;{c}:~d"
    assert built(direct.compile, work(cache=odd), embedded)
    assert len(kept(work(cache=odd))) == 1


def test_what_a_head_puts_on_the_page_stays(
    pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """PdfTeX dumps no page: its spaces between words and specials would be gone."""
    package = PACKAGE + "\\pdfinterwordspaceon\\special{pdf: /kept Do}\\pdfcompresslevel=0\n"
    body = BODY.replace("page ", "on a page ")
    done = direct.compile(work(body, package=package), pdflatex)
    assert done.pdf is not None, done.log
    assert len(made) == 1
    full = whole(work(body, package=package), pdflatex)
    assert full.pdf is not None
    for made_of in (done.pdf, full.pdf):
        data = made_of.read_bytes()
        assert b"kept" in data
        assert b"DummySpace" in data


# --- What a format is made from ---------------------------------------------------------------


def said(job: Job) -> str:
    text = (job.folder / "cv.log").read_text(errors="replace")
    return next(line[2:] for line in text.splitlines() if line.startswith(">>"))


def test_an_edited_package(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    built(direct.compile, work(), pdflatex)
    second = work(package=PACKAGE.replace("one", "two"))
    built(drivers.by_latexmk, second, pdflatex)
    assert said(second) == "two"
    assert len(made) == 2
    assert len(kept(second)) == 1, "the format of the old package is still there"


def test_another_file_that_the_head_reads(
    embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    """One that isn't known as code: TeX tells that it was read."""
    first = work(package=PACKAGE + "\\input{facts.dat}")
    (first.inputs[0] / "facts.dat").write_text("\\def\\Here{dat}")
    built(direct.compile, first, embedded)
    assert said(first) == "dat"
    (first.inputs[0] / "facts.dat").write_text("\\def\\Here{new}")
    second = work(package=PACKAGE + "\\input{facts.dat}")
    built(direct.compile, second, embedded)
    assert said(second) == "new"
    os.utime(first.inputs[0] / "facts.dat", (1, 1))
    built(direct.compile, work(package=PACKAGE + "\\input{facts.dat}"), embedded)
    assert len(made) == 2, "another time alone is no other file"


def test_a_file_that_appears_and_goes(embedded: Engine, work: MakeWork, made: list[str]) -> None:
    package = PACKAGE + "\\InputIfFileExists{facts.dat}{}{}"
    facts = work(package=package).inputs[0] / "facts.dat"
    for content, expected in ((None, "one"), ("\\def\\Here{dat}", "dat"), (None, "one")):
        if content:
            facts.write_text(content)
        else:
            facts.unlink(missing_ok=True)
        job = work(package=package)
        for name in ("cvb-x.sty~", ".cvb-x.sty.swp", "4913"):
            (facts.parent / name).write_text(str(content))
        built(direct.compile, job, embedded)
        assert said(job) == expected
    assert len(made) == 3


def test_another_tree(embedded: Engine, work: MakeWork, tmp_path: Path, made: list[str]) -> None:
    tree = tmp_path / "ls-R"
    tree.write_text("a")
    other = replace(embedded, tree=(*embedded.tree, tree))
    built(direct.compile, work(), other)
    tree.write_text("ab")
    built(direct.compile, work(), other)
    assert len(made) == 2
    assert len(kept(work())) == 1


def test_a_package_that_changes_while_it_is_read(
    embedded: Engine, work: MakeWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = work()
    texts = iter(["two", "three"])

    def edit(_: object) -> None:
        if text := next(texts, None):
            work(package=PACKAGE.replace("one", text))

    after_dumps(edit, monkeypatch)
    built(direct.compile, job, embedded)
    assert said(job) == "three"


# --- Damage -----------------------------------------------------------------------------------


def scribble(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def killed(lock: Path) -> None:
    """What a dump that was killed leaves."""
    (lock.parent / f"new-{lock.stem}-left").mkdir()
    for path in lock.parent.glob("*.json"):
        path.unlink()


def cut(part: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(path.stat().st_size * part))


DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "empty": ("*.fmt", cut(0)),
    "almost empty": ("*.fmt", cut(0.001)),
    "half": ("*.fmt", cut(0.5)),
    "the end is missing": ("*.fmt", cut(0.999)),
    "random": ("*.fmt", scribble),
    "gone": ("*.fmt", Path.unlink),
    "no json": ("*.json", Path.unlink),
    "empty json": ("*.json", cut(0)),
    "half of the json": ("*.json", cut(0.5)),
    "random json": ("*.json", scribble),
    "other json": ("*.json", lambda path: path.write_text('{"version": [{}]}')),
    "another answer": ("*.json", lambda path: sealed.save(path, {"files": {}})),
    "a list": ("*.json", lambda path: sealed.save(path, [])),
    "deep json": ("*.json", lambda path: path.write_text("[" * 100_000)),
    "a lock is left": ("*.lock", lambda path: path.write_text("somebody was here")),
    "a dump was killed": ("*.lock", killed),
    "all is gone": ("*.lock", lambda path: shutil.rmtree(path.parent)),
}


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.mark.parametrize("damage", deep.but(["half", "empty json", "a dump was killed"], DAMAGES))
def test_what_is_damaged_is_made_again(
    damage: str, embedded: Engine, work: MakeWork, whole_cache: Path, tmp_path: Path
) -> None:
    if not whole_cache.joinpath("pdf").exists():
        built(direct.compile, first := work(cache=whole_cache), embedded)
        (first.folder / "cv.pdf").replace(whole_cache / "pdf")
    shutil.copytree(whole_cache, tmp_path / "cache")
    pattern, harm = DAMAGES[damage]
    (place,) = (tmp_path / "cache" / "formats").glob(pattern)
    harm(place)
    assert built(direct.compile, work(), embedded) == (whole_cache / "pdf").read_bytes()
    assert not list((tmp_path / "cache" / "formats").glob("new-*"))


def passed_off(job: Job, engine: Engine, content: bytes) -> None:
    """Put something in the place of the job's format that nothing but TeX finds out."""
    form = formats.find_or_make(job, engine)[0]
    assert form is not None
    other = form.folder / "other"
    other.write_bytes(content)
    memory.put_format(form.folder, form.key, "", other, [])


@pytest.mark.parametrize("content", ["another engine's", "half", "nonsense"])
@pytest.mark.parametrize("run", [direct.compile, drivers.by_latexmk])
def test_what_does_not_load_is_made_again(
    run: Compile, content: str, request: pytest.FixtureRequest, work: MakeWork, made: list[str]
) -> None:
    pdflatex = request.getfixturevalue("pdflatex")
    own = formats.find_or_make(work(), pdflatex)[0]
    other = formats.find_or_make(work(), request.getfixturevalue("embedded"))[0]
    assert own is not None
    assert other is not None
    data = {
        "another engine's": other.path.read_bytes(),
        "half": own.path.read_bytes()[: own.path.stat().st_size // 2],
        "nonsense": b"nonsense",
    }[content]
    expected = built(run, work(), pdflatex)
    passed_off(work(), pdflatex, data)
    assert built(run, work(), pdflatex) == expected
    assert len(made) == 3


def test_what_never_loads_is_done_without(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    after_dumps(lambda found: cut(0.5)(found[0]), monkeypatch)
    for _ in range(2):
        done = direct.compile(work(), embedded)
        assert done.pdf is not None, done.log
        assert [note.code for note in done.notes] == ["no-format"]
        assert "can't load it" in done.notes[0].message
        assert "may differ" in done.notes[0].message
        assert done.notes[0].severity == "note"
    assert len(made) == 2, "it is tried again for every document"


@pytest.mark.parametrize("what", deep.but(["open to all"], ["a file", "read-only", "open to all"]))
def test_a_folder_that_can_t_be_used(
    what: str, embedded: Engine, work: MakeWork, made: list[str], tmp_path: Path
) -> None:
    expected = built(direct.compile, work(cache=tmp_path / "other"), embedded)
    place = tmp_path / "cache" / "formats"
    place.parent.mkdir()
    if what == "a file":
        place.write_text("")
    elif what == "open to all":
        place.mkdir()
        place.chmod(0o777)
    else:
        place.mkdir(mode=0o500)
        if os.access(place, os.W_OK):
            pytest.skip("this user may write everywhere")
    for _ in range(2):
        done = direct.compile(work(), embedded)
        assert done.pdf is not None, done.log
        assert done.pdf.read_bytes() == expected
        assert [note.code for note in done.notes] == ["unkept-formats"]
        assert str(tmp_path / "cache") in done.notes[0].message
        assert "CVBUILD_CACHE" in (done.notes[0].hint or "")
    assert len(made) == 2, "this process makes its own, once"


def test_no_room_for_a_format(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on files is the same to TeX as a full disk."""
    with monkeypatch.context() as patch:
        patch.setattr("cvbuild.common.processes.MAX_FILE", 1 << 20)
        for _ in range(2):
            done = direct.compile(work(), embedded)
            assert done.pdf is not None, done.log
            assert [note.code for note in done.notes] == ["no-format"]
            assert "it ended with code" in done.notes[0].message
    assert len(made) == 2, "in the cache and beside it, and not for every document"
    assert not kept(work())
    formats._given_up.clear()
    assert built(direct.compile, work(), embedded)


# --- Heads and documents with faults ----------------------------------------------------------

UNDUMPABLE = {
    "it writes the file notes.txt": r"\newwrite\W\immediate\openout\W=notes.txt",
    r"\pdfmapline is lost in a format": r"\pdfmapline{+x x <x.pfb}",
    r"\pdfinfo is lost in a format": r"\edef\x{\pdfinfo{/A (b)}}\x",
    r"\pdfcolorstackinit is lost in a format": (
        r"\newcount\X \X=\pdfcolorstackinit page direct{1 0 0 rg}"
    ),
}


@pytest.mark.parametrize("reason", deep.but([*UNDUMPABLE][:1], UNDUMPABLE))
def test_a_head_that_can_t_be_dumped(
    reason: str, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    package = PACKAGE + UNDUMPABLE[reason]
    for _ in range(3):
        done = direct.compile(work(package=package), embedded)
        assert done.pdf is not None, done.log
        assert [note.code for note in done.notes] == ["no-format"]
        assert reason in done.notes[0].message
        assert "may differ" not in done.notes[0].message
    assert len(made) == 1
    assert not kept(work())
    assert built(direct.compile, work(), embedded), "the mended package"


def test_a_faulty_package_is_no_other_error(
    embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    for _ in range(2):
        done = direct.compile(work(package=PACKAGE + "\n\\nosuch"), embedded)
        assert done.pdf is None
        (message,) = texlog.parse(done.log)
        assert message.code == "undefined-command"
        assert "cvb-x.sty:4" in (message.file or "")
    assert len(made) == 1


@pytest.mark.parametrize("run", [direct.compile, drivers.by_latexmk])
def test_a_faulty_document_makes_no_new_format(
    run: Compile, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """And its line is that of the whole .tex."""
    for _ in range(2):
        job = work(BODY.replace("\\end{document}", "\\nosuch\n\\end{document}"))
        done = run(job, pdflatex)
        assert done.pdf is None
        assert done.notes == ()
        faults = [(m.code, m.tex_line) for m in texlog.parse(done.log) if m.fatal]
        assert faults == [("undefined-command", 7)]
        assert (job.folder / "cv.tex").read_text() == job.tex
    assert len(made) == 1


@pytest.mark.parametrize("run", [direct.compile, drivers.by_latexmk])
def test_a_document_that_only_the_whole_head_can_make(
    run: Compile, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """An open file is not dumped: no document may fail for that."""
    package = PACKAGE + r"\newread\R \openin\R=facts.dat "
    body = BODY.replace("\\typeout{", "\\read\\R to\\Fact\\typeout{>>\\Fact}\\typeout{")
    for _ in range(2):
        job = work(body, package=package)
        (job.inputs[0] / "facts.dat").write_text("read\n")
        done = run(job, pdflatex)
        assert done.pdf is not None, done.log
        assert said(job).strip() == "read"
    assert len(made) == 1


def test_a_loop_in_a_head_ends(embedded: Engine, work: MakeWork, made: list[str]) -> None:
    job = work(package=r"\loop\iftrue\repeat", timeout=1.0)
    form = formats.find_or_make(job, embedded)[0]
    assert form is None
    assert formats.find_or_make(job, embedded)[0] is None
    assert len(made) == 1, "it would take as long beside the cache, and once more"


# --- More than one at a time ------------------------------------------------------------------

CHILD = """
import sys
from pathlib import Path
from cvbuild.outputs.pdf.tex import direct, format_dump
from cvbuild.outputs.pdf.tex.find import probe_embedded
from cvbuild.outputs.pdf.tex.types import Job, Needs
tex, folder, cache, style = (Path(item) for item in sys.argv[1:])
really, engine = format_dump.dumped, probe_embedded(Needs()).engine
def counted(*given):
    print("made", flush=True)
    return really(*given)
format_dump.dumped = counted
print("begin", flush=True)
done = direct.compile(Job(tex.read_text(), folder, cache, 0, (style,), head=2), engine)
print("pdf" if done.pdf and not done.notes else done, flush=True)
"""


def start(job: Job) -> subprocess.Popen[str]:
    tex = job.folder.with_suffix(".tex")
    tex.write_text(job.tex)
    arguments = [str(item) for item in (tex, job.folder, job.cache, job.inputs[0])]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks on Windows")
def test_two_processes_make_one(embedded: Engine, work: MakeWork) -> None:
    jobs = [work(), work()]
    form = formats.find_or_make(jobs[0], embedded)[0]
    assert form is not None
    with formats._lock(form.folder, form.key):
        memory.drop_format(form.folder, form.key)
        children = [start(job) for job in jobs]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "begin\n"
        time.sleep(0.5)
        assert [child.poll() for child in children] == [None, None], "they don't wait"
    told = sorted(child.communicate(timeout=60)[0].split() for child in children)
    assert told == [["made", "pdf"], ["pdf"]]
    pdfs = [(job.folder / "cv.pdf").read_bytes() for job in jobs]
    assert pdfs[0] == pdfs[1]


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal on Windows")
def test_killed_in_the_middle_of_a_dump(embedded: Engine, work: MakeWork) -> None:
    slow = r"\input{slow.dat}"
    job = work(package=PACKAGE + slow)
    job.inputs[0].joinpath("slow.dat").write_text(r"\loop\ifnum\pdfelapsedtime<200000 \repeat")
    child = start(job)
    end = time.monotonic() + 30
    while not list(job.cache.glob("formats/new-*/run/cv.log")):
        assert time.monotonic() < end, "no dump has begun"
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    assert child.communicate(timeout=10)[0] == "begin\nmade\n"
    assert kept(job) == []
    # Its TeX ends by itself, and may write until then.
    while working_in(job.cache):
        assert time.monotonic() < end, "TeX goes on"
        time.sleep(0.05)
    job.inputs[0].joinpath("slow.dat").write_text("")
    assert built(direct.compile, work(package=PACKAGE + slow), embedded)
    assert not list(job.cache.glob("formats/new-*"))


# --- The folder's size ------------------------------------------------------------------------


def fill(folder: Path, name: str, age: float, slot: str | None = None) -> None:
    """A format of 1,000 bytes that was used so many seconds ago."""
    made = folder / "made"
    made.write_bytes(bytes(1000))
    memory.put_format(folder, name, slot or name, made, [])
    then = time.time() - age
    os.utime(folder / f"{name}.json", (then, then))


def test_the_limit_takes_what_was_used_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, age in (("a", 4000), ("b", 2000), ("c", 3000), ("d", 10), ("e", 0)):
        fill(tmp_path, name, age)
    tmp_path.joinpath("left.new").write_text("")
    tmp_path.joinpath("new-0-killed/inner").mkdir(parents=True)
    for name in ("left.new", "new-0-killed"):
        os.utime(tmp_path / name, (1, 1))
    # Less than two formats with their JSON.
    monkeypatch.setattr(memory, "LIMIT", 2200)
    assert memory.find_format(tmp_path, "c"), "using it makes it young"
    memory.tidy_formats(tmp_path, "e", "e")
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {"c", "d", "e"}, "what may be in use stays, whatever the limit"


def test_what_is_replaced_goes_at_once_and_others_stay(tmp_path: Path) -> None:
    for name, age, slot in (("a", 4000, "a"), ("b", 0, "same"), ("c", 0, "same")):
        fill(tmp_path, name, age, slot)
    memory.tidy_formats(tmp_path, "c", "same")
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "c"}


def test_a_copied_cache_is_read_once(tmp_path: Path) -> None:
    """Other times and inodes, the same bytes: the stamps are taken anew."""
    fill(tmp_path, "a", 0)
    shutil.copytree(tmp_path, tmp_path / "copy")
    before = sealed.load(tmp_path / "copy" / "a.json")["files"]["a.fmt"]
    assert memory.find_format(tmp_path / "copy", "a")
    after = sealed.load(tmp_path / "copy" / "a.json")["files"]["a.fmt"]
    assert before[0] == after[0]
    assert before[2:] != after[2:]
    (tmp_path / "copy" / "a.fmt").write_bytes(b"x" * 1000)
    assert memory.find_format(tmp_path / "copy", "a") is None


def test_a_clock_that_goes_backwards(tmp_path: Path) -> None:
    """A file from the future may change without getting another time: its hash tells."""
    read = tmp_path / "read.sty"
    read.write_text("one")
    then = read.stat().st_mtime + 1000
    os.utime(read, (then, then))
    (tmp_path / "made").write_bytes(b"x")
    memory.put_format(tmp_path, "a", "a", tmp_path / "made", [read])
    assert sealed.load(tmp_path / "a.json")["files"][str(read)][1] == 0, "its stamp is trusted"
    assert memory.find_format(tmp_path, "a")
    read.write_text("two")
    os.utime(read, (then, then))
    assert memory.find_format(tmp_path, "a") is None
