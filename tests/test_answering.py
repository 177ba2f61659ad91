"""A running ``watch`` runs builds of others: real processes, and nothing that tells them apart."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import deep
import pytest
from answering import ELSEWHERE, PERSON, START, Workspace, children
from waits import ended, eventually, working_in

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who asks"),
    pytest.mark.usefixtures("requires_embedded"),
]
PEOPLE = Path(__file__).parent.parent / "people"
RIGHT_TO_LEFT = PERSON.replace("Ada Example", "נועה דוגמה\nlocale: he")
ENDLESS = {
    "template.yaml": "api: 1\ntitle: Endless\ndescription: Endless.\nextends: academic\n"
    "tex: {style: cvb-endless}\n",
    "cvb-endless.sty": "\\ProvidesExplPackage {cvb-endless} {2026-01-01} {1} {Endless}\n"
    "\\RequirePackageWithOptions {cvb-academic}\n"
    "\\AtBeginDocument{\\def\\endless{\\endless}\\endless}\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Workspace:
    place = Workspace(tmp_path_factory.mktemp("answered"), tex_cache)
    assert place.run(START, "build")[0] == 0
    return place


@pytest.fixture(scope="module")
def watch(workspace: Workspace) -> Iterator[subprocess.Popen[bytes]]:
    with workspace.watching() as process:
        yield process


@pytest.mark.parametrize(
    "arguments",
    deep.but(
        ["", "--help", "--no-such-option", "wrong --json"],
        [
            "",
            "--json",
            "--help",
            "nobody",
            "--no-such-option",
            "-t nothing",
            "--format txt",
            "wrong",
            "wrong --json",
        ],
    ),
)
@pytest.mark.usefixtures("watch")
def test_all_that_a_command_prints_is_the_same(workspace: Workspace, arguments: str) -> None:
    command = ["build", *arguments.split()]
    workspace.write("name: Wrong Example\ntittle: x\n", "wrong")
    workspace.run(START, *command)
    cold = workspace.run(START, *command, CVBUILD_COLD="1")
    answered = workspace.run(ELSEWHERE, *command)
    assert _timeless(answered) == _timeless(cold)
    assert cold[1] + cold[2]


def _timeless(ran: tuple[int, bytes, bytes]) -> tuple[int, bytes, bytes]:
    """What a command came to, but for the times that it took."""
    return ran[0], re.sub(rb'"seconds": [\d.]+', b"", ran[1]), ran[2]


@pytest.mark.usefixtures("watch")
def test_folder_environment_and_streams_are_the_callers(workspace: Workspace) -> None:
    cold = workspace.run(START, "build", "ada", folder="people", CVBUILD_COLD="1")
    assert workspace.run(ELSEWHERE, "build", "ada", folder="people") == cold
    assert b"working in" in cold[2]
    narrow = workspace.run(ELSEWHERE, "build", "--help", COLUMNS="50")
    assert narrow == workspace.run(START, "build", "--help", COLUMNS="50", CVBUILD_COLD="1")
    assert narrow != workspace.run(ELSEWHERE, "build", "--help", COLUMNS="90")
    with Path("/dev/full").open("w") as stdout:
        answered, cold_too = (
            subprocess.run(
                [sys.executable, "-c", program, "build", "--json"],
                cwd=workspace.folder,
                env={**workspace.environment, **more},
                stdout=stdout,
                stderr=subprocess.PIPE,
                check=False,
            )
            for program, more in ((ELSEWHERE, {}), (START, {"CVBUILD_COLD": "1"}))
        )
    assert answered.returncode == cold_too.returncode == 1
    assert answered.stderr == cold_too.stderr != b""


@pytest.mark.usefixtures("watch")
def test_documents_have_the_same_bytes(workspace: Workspace) -> None:
    pdf = workspace.folder / "out/ada/academic.pdf"
    for program, more in ((ELSEWHERE, {}), (START, {"CVBUILD_COLD": "1"})):
        pdf.unlink(missing_ok=True)
        assert workspace.run(program, "build", "ada", "--force", **more)[0] == 0
        workspace.folder.joinpath(f"{len(more)}.pdf").write_bytes(pdf.read_bytes())
    one, two = (workspace.folder / name for name in ("0.pdf", "1.pdf"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.deep
@pytest.mark.usefixtures("watch")
@pytest.mark.parametrize(
    "arguments",
    [
        ["right-to-left", "--all-templates"],
        ["zhisheng-ye", "gyeong-in-yu", "right-to-left", "-t", "sidebar", "--locale", "de",
         "-f", "pdf,docx,html", "--set", "options.paper=letter"],
        ["guoliang-he", "-t", "margin", "--engine", "lualatex"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_all_documents_have_the_same_bytes(
    workspace: Workspace, arguments: list[str], request: pytest.FixtureRequest
) -> None:
    if "lualatex" in arguments:
        request.getfixturevalue("requires_texlive")
    for path in PEOPLE.glob("*.yaml"):
        workspace.write(path.read_text(encoding="utf-8"), path.stem)
    workspace.write(RIGHT_TO_LEFT, "right-to-left")
    files = []
    for program, more in ((ELSEWHERE, {}), (START, {"CVBUILD_COLD": "1"})):
        folder = f"all-{arguments[0]}-{len(more)}"
        code, _, err = workspace.run(program, "build", *arguments, "--force", "-o", folder, **more)
        assert code == 0, err
        top = workspace.folder / folder
        files.append({
            str(path.relative_to(top)): path.read_bytes()
            for path in top.rglob("*")
            if path.is_file() and ".build" not in path.parts
        })  # fmt: skip
    assert files[0]
    assert files[0] == files[1]


@contextlib.contextmanager
def _endless(workspace: Workspace) -> Iterator[subprocess.Popen[bytes]]:
    """A build that another process runs, and that goes on until it is ended."""
    folder = workspace.folder / "templates/endless"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ENDLESS.items():
        (folder / name).write_text(text)
    other = workspace.folder / "other"
    with workspace.start(ELSEWHERE, "build", "ada", "-t", "endless", "-o", "other") as process:
        try:
            assert eventually(lambda: bool(working_in(other)))
            yield process
        finally:
            process.kill()
            # TeX goes on until its CPU time is over when what started it was killed.
            for pid in working_in(other):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)


def _answering(workspace: Workspace) -> int:
    """The process that answers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(workspace.socket))
        return int(struct.unpack("3i", connection.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])  # fmt: skip


@pytest.mark.usefixtures("watch")
@pytest.mark.parametrize(
    ("number", "code"),
    deep.but(
        [(signal.SIGINT, 130)],
        [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGQUIT, -3)],
        lambda case: case[0].name,
    ),
)
def test_signals_reach_the_build(workspace: Workspace, number: int, code: int) -> None:
    with _endless(workspace) as process:
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert (b"interrupted" in err) == (code > 0)


@pytest.mark.usefixtures("watch")
def test_a_stopped_command_stops_the_build(workspace: Workspace) -> None:
    def state(pid: int) -> str:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

    with _endless(workspace) as process:
        child = _child(workspace)
        process.send_signal(signal.SIGTSTP)
        assert eventually(lambda: state(process.pid) == "T" and state(child) == "T")
        process.send_signal(signal.SIGCONT)
        assert eventually(lambda: state(child) != "T")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err


def _child(workspace: Workspace) -> int:
    answering = _answering(workspace)
    running: list[int] = []

    def runs() -> bool:
        running[:] = [child for child in children(answering) if not ended(child)]
        return bool(running)

    assert eventually(runs)
    return running[0]


@pytest.mark.usefixtures("watch")
def test_a_build_ends_with_its_caller(workspace: Workspace) -> None:
    with _endless(workspace) as process:
        child = _child(workspace)
        process.kill()
    assert eventually(lambda: ended(child))


def test_a_build_outlives_watch(tmp_path: Path, tex_cache: Path) -> None:
    workspace = Workspace(tmp_path, tex_cache)
    with workspace.watching() as watch, _endless(workspace) as process:
        child = _child(workspace)
        watch.kill()
        watch.wait()
        assert eventually(lambda: not workspace.socket.exists())
        assert not ended(child)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
    assert eventually(lambda: ended(child))


def test_a_command_says_that_what_ran_it_was_killed(tmp_path: Path, tex_cache: Path) -> None:
    workspace = Workspace(tmp_path, tex_cache)
    with workspace.watching() as watch, _endless(workspace) as process:
        answering = _answering(workspace)
        assert answering in children(watch.pid)
        os.kill(answering, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (1, b"what ran this build was killed; build again\n")
        # Nothing listens there any more: commands run in their own processes.
        assert not workspace.is_answered()
        assert workspace.run(START, "build", "ada", "--help")[0] == 0
        workspace.socket.unlink()


def test_what_answers_ends_when_packages_change(tmp_path: Path, tex_cache: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    # No empty part: that would be the working folder, which changes.
    path = os.pathsep.join(filter(None, [str(packages), os.environ.get("PYTHONPATH", "")]))
    workspace = Workspace(tmp_path, tex_cache)
    with workspace.watching(PYTHONPATH=path):
        assert workspace.is_answered(PYTHONPATH=path)
        assert not workspace.is_answered(PYTHONPATH=f"{path}:/nowhere")
        assert not workspace.is_answered(PYTHONPATH=path, LC_ALL="C")
        assert not workspace.is_answered(PYTHONPATH=path, CVBUILD_COLD="1")
        (packages / "newer.py").write_text("")
        assert not workspace.is_answered(PYTHONPATH=path)
        assert not workspace.socket.exists()


def test_only_code_is_read_ahead() -> None:
    """So nothing that a build reads can be older than the build."""
    program = """
import sys
from cvbuild.cli.answering import answer
opened = []
sys.addaudithook(lambda name, values: opened.append(str(values[0])) if name == "open" else None)
answer._load()
print(*sorted({name for name in opened if not name.endswith((".py", ".pyc", ".so"))}), sep="\\n")
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    # Packages' own files change with the packages.
    assert [name for name in done.stdout.split() if "site-packages" not in name] == []
