"""Dumped heads, with real TeX: made once, used by all drivers, made anew where they don't fit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import deep
import pytest
from engines.dumps import BODY, HEAD, PACKAGE, MakeWork, after_dumps, built, cut, kept, said
from msgspec.structs import replace

from cvbuild.common.files import user_cache
from cvbuild.common.files.user_cache import Store
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf import tex as formats
from cvbuild.outputs.pdf.tex import Engine, Tex
from cvbuild.outputs.pdf.tex import log as texlog


def whole(job: Job, engine: Engine) -> Tex:
    done = Tex(replace(job, head=0), engine).run()
    assert "article.cls" in done.log
    return done


def dumps_nothing(works: Callable[[], Job], engine: Engine, made: list[str], *words: str) -> None:
    """Documents are made all the same; the first of them tries to dump, and each says why not."""
    for _ in range(2):
        done = Tex(works(), engine).run()
        assert done.pdf is not None, done.log
        (note,) = done.notes
        assert (note.code, note.severity) == ("no-format", "note")
        assert all(part in note.message for part in words), note
    assert len(made) == 1, "it is tried again for every document"


def test_both_drivers_use_one(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    first, second = work(), work()
    assert built(first, pdflatex) == built(second, pdflatex, "latexmk")
    assert (first.folder / "cv.tex").read_text() == (second.folder / "cv.tex").read_text()
    assert (first.folder / "cv.tex").read_text() == HEAD + BODY
    measured = "\\immediate\\openout15=cv.cvm \\immediate\\write15{a 1 2pt}"
    body = BODY.replace("\\typeout", measured + "\\typeout")
    assert Tex(work(body), pdflatex).measure() == {"a": (1, 2.0)}
    assert len(kept(first)) == len(made) == 1
    assert not list((first.cache / "formats").glob("new-*"))


def test_the_embedded_tex_makes_its_own(
    pdflatex: Engine, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    assert built(work(), embedded) == built(work(), embedded)
    assert len(made) == 1
    built(work(), pdflatex)
    assert len(kept(work())) == len(made) == 2


def test_an_odd_cache_folder(embedded: Engine, work: MakeWork, tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("not a file name on Windows")
    odd = tmp_path / "a, $b;{c}:~d"
    assert built(work(cache=odd), embedded)
    assert len(kept(work(cache=odd))) == 1


def test_what_a_head_puts_on_the_page_stays(
    pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """PdfTeX dumps no page: its spaces between words and specials would be gone."""
    package = PACKAGE + "\\pdfinterwordspaceon\\special{pdf: /kept Do}\\pdfcompresslevel=0\n"
    body = BODY.replace("page ", "on a page ")
    done = Tex(work(body, package=package), pdflatex).run()
    assert done.pdf is not None, done.log
    assert len(made) == 1
    full = whole(work(body, package=package), pdflatex)
    assert full.pdf is not None
    for made_of in (done.pdf, full.pdf):
        data = made_of.read_bytes()
        assert b"kept" in data
        assert b"DummySpace" in data


def test_an_edited_package(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    built(work(), pdflatex)
    second = work(package=PACKAGE.replace("one", "two"))
    built(second, pdflatex, "latexmk")
    assert said(second) == "two"
    assert len(made) == len(kept(second)) == 2


@pytest.mark.deep
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
        built(job, embedded)
        assert said(job) == expected
    assert len(made) == 2


@pytest.mark.deep
def test_another_tree(embedded: Engine, work: MakeWork, tmp_path: Path, made: list[str]) -> None:
    tree = tmp_path / "ls-R"
    tree.write_text("a")
    other = replace(embedded, tree=(*embedded.tree, tree))
    built(work(), other)
    tree.write_text("ab")
    built(work(), other)
    assert len(made) == len(kept(work())) == 2


@pytest.mark.deep
def test_a_package_that_changes_while_it_is_read(
    embedded: Engine, work: MakeWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = work()
    texts = iter(["two"])

    def edit(_: object) -> None:
        if text := next(texts, None):
            work(package=PACKAGE.replace("one", text))

    after_dumps(edit, monkeypatch)
    done = Tex(job, embedded).run()
    assert [note.code for note in done.notes] == ["no-format"]
    assert said(job) == "two"
    built(again := work(package=PACKAGE.replace("one", "two")), embedded)
    assert said(again) == "two"


def killed(lock: Path) -> None:
    (lock.parent / f"new-{lock.stem}-left").mkdir()
    for path in lock.parent.glob("*.json"):
        path.unlink()


#: What is cut, empty, noise or of another form: tests/attacks/test_caches.
DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "the end is missing": ("*.fmt", cut(0.999)),
    "another answer": ("*.json", lambda path: path.write_bytes(user_cache.seal('{"files": {}}'))),
    "a lock is left": ("*.lock", lambda path: path.write_text("somebody was here")),
    "a dump was killed": ("*.lock", killed),
    "all is gone": ("*.lock", lambda path: shutil.rmtree(path.parent)),
}


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.mark.deep
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again(
    damage: str, embedded: Engine, work: MakeWork, whole_cache: Path, tmp_path: Path
) -> None:
    if not whole_cache.joinpath("pdf").exists():
        built(first := work(cache=whole_cache), embedded)
        (first.folder / "cv.pdf").replace(whole_cache / "pdf")
    shutil.copytree(whole_cache, tmp_path / "cache")
    pattern, harm = DAMAGES[damage]
    for place in list((tmp_path / "cache" / "formats").glob(pattern)):
        harm(place)
    assert built(work(), embedded) == (whole_cache / "pdf").read_bytes()
    assert not list((tmp_path / "cache" / "formats").glob("new-*"))


def passed_off(job: Job, engine: Engine, content: bytes) -> None:
    """Put something in the place of the job's format that nothing but TeX finds out."""
    form = formats.find_or_make(job, engine)[0]
    assert form is not None
    other = form.path.with_name("other")
    other.write_bytes(content)
    formats.put(Store(form.path.parent), form.path.stem, other, [])


@pytest.mark.parametrize(
    ("driver", "content"),
    deep.but(
        [("direct", "another engine's")],
        [
            *(("direct", content) for content in ("another engine's", "half", "nonsense")),
            ("latexmk", "half"),
        ],
        "-".join,
    ),
)
def test_what_does_not_load_is_made_again(
    driver: str, content: str, request: pytest.FixtureRequest, work: MakeWork, made: list[str]
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
    expected = built(work(), pdflatex, driver)
    passed_off(work(), pdflatex, data)
    done = Tex(work(), pdflatex, driver).run()
    assert done.pdf is not None, done.log
    assert [note.code for note in done.notes] == ["no-format"]
    formats._given_up.clear()
    assert built(work(), pdflatex, driver) == expected
    assert len(made) == 3


@pytest.mark.deep
def test_what_never_loads_is_done_without(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    after_dumps(lambda found: cut(0.5)(found[0]), monkeypatch)
    dumps_nothing(work, embedded, made, "can't load it", "may differ")


@pytest.mark.parametrize("what", deep.but(["open to all"], ["a file", "read-only", "open to all"]))
def test_a_folder_that_can_t_be_used(
    what: str, embedded: Engine, work: MakeWork, made: list[str], tmp_path: Path
) -> None:
    expected = built(work(cache=tmp_path / "other"), embedded)
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
        done = Tex(work(), embedded).run()
        assert done.pdf is not None, done.log
        assert done.pdf.read_bytes() == expected
        assert done.notes == ()
    assert len(made) == 2, "this process makes its own, once"


@pytest.mark.deep
def test_no_room_for_a_format(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on files is the same to TeX as a full disk."""
    with monkeypatch.context() as patch:
        patch.setattr("cvbuild.common.processes.MAX_FILE", 1 << 20)
        dumps_nothing(work, embedded, made, "ended with code")
    assert not kept(work())
    formats._given_up.clear()
    assert built(work(), embedded)


UNDUMPABLE = {
    "they write the file notes.txt": r"\newwrite\W\immediate\openout\W=notes.txt",
    r"\pdfmapline is lost in a format": r"\pdfmapline{+x x <x.pfb}",
    r"\pdfinfo is lost in a format": r"\edef\x{\pdfinfo{/A (b)}}\x",
    r"\pdfcolorstackinit is lost in a format": (
        r"\newcount\X \X=\pdfcolorstackinit page direct{1 0 0 rg}"
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("reason", UNDUMPABLE)
def test_a_head_that_can_t_be_dumped(
    reason: str, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    package = PACKAGE + UNDUMPABLE[reason]
    dumps_nothing(lambda: work(package=package), embedded, made, reason)
    assert not kept(work())
    assert built(work(), embedded), "the mended package"


def test_a_faulty_package_is_no_other_error(
    embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    for _ in range(2):
        done = Tex(work(package=PACKAGE + "\n\\nosuch"), embedded).run()
        assert done.pdf is None
        (message,) = texlog.parse(done.log)
        assert message.code == "undefined-command"
        assert "cvb-x.sty:4" in (message.file or "")
    assert len(made) == 1


@pytest.mark.parametrize("driver", ["direct", "latexmk"])
def test_a_faulty_document_makes_no_new_format(
    driver: str, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """And its line is that of the whole .tex."""
    for _ in range(2):
        job = work(BODY.replace("\\end{document}", "\\nosuch\n\\end{document}"))
        done = Tex(job, pdflatex, driver).run()
        assert done.pdf is None
        assert done.notes == ()
        faults = [(m.code, m.tex_line) for m in texlog.parse(done.log) if m.fatal]
        assert faults == [("undefined-command", 7)]
        assert (job.folder / "cv.tex").read_text() == job.tex
    assert len(made) == 1


@pytest.mark.parametrize("driver", ["direct", "latexmk"])
def test_a_document_that_only_the_whole_head_can_make(
    driver: str, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """An open file is not dumped: no document may fail for that."""
    package = PACKAGE + r"\newread\R \openin\R=facts.dat "
    body = BODY.replace("\\typeout{", "\\read\\R to\\Fact\\typeout{>>\\Fact}\\typeout{")
    for _ in range(2):
        job = work(body, package=package)
        (job.inputs[0] / "facts.dat").write_text("read\n")
        done = Tex(job, pdflatex, driver).run()
        assert done.pdf is not None, done.log
        assert said(job).strip() == "read"
    assert len(made) == 1


@pytest.mark.deep
def test_a_loop_in_a_head_ends(embedded: Engine, work: MakeWork, made: list[str]) -> None:
    job = work(package=r"\loop\iftrue\repeat", timeout=1.0)
    form = formats.find_or_make(job, embedded)[0]
    assert form is None
    assert formats.find_or_make(job, embedded)[0] is None
    assert len(made) == 1, "it would take as long beside the cache, and once more"
