"""Fixtures for all tests: the command line in this process, TeX where there is one."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import deep
import judges
import pytest
from browsers import browser as browser  # noqa: PLC0414 - pytest finds it here
from papers import paper as paper  # noqa: PLC0414
from papers import shelf as shelf  # noqa: PLC0414
from texlive import hide_system
from texlive import requires_embedded as requires_embedded  # noqa: PLC0414
from texlive import requires_texlive as requires_texlive  # noqa: PLC0414

from cvbuild.cli import main
from cvbuild.common import interrupts, processes

if TYPE_CHECKING:
    from services import Services

#: Modules for which `make test-all` installs a package; without it they are left out.
_JUDGED = {
    "babel": ("test_words.py",),
    "copier": ("install/test_starting.py",),
    "playwright": tuple(
        str(path.relative_to(Path(__file__).parent))
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))
        if re.search(r"^from (playwright|serve)\b", path.read_text("utf-8"), re.MULTILINE)
    ),
    "pre_commit": ("install/test_action.py",),
    "starlette": tuple(
        f"serve/{path.name}" for path in Path(__file__).with_name("serve").glob("test_*.py")
    ),
    "zensical": ("test_docs_site.py",),
}
collect_ignore = [
    module
    for package, modules in _JUDGED.items()
    for module in modules
    if os.environ.get(judges.REQUIRE) != "1" and find_spec(package) is None
]


def pytest_configure(config: pytest.Config) -> None:
    """On a machine without TeX, or as on one; attacks are counted."""
    hide_system(config)
    config.pluginmanager.register(deep)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: tests wait for watches, servers and times."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """What tests start can be interrupted, even where a shell began the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGQUIT") and signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def tex_cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests, kept between runs if pytest keeps any."""
    kept = getattr(request.config, "cache", None)
    return kept.mkdir("tex") if kept is not None else tmp_path_factory.mktemp("tex")


@pytest.fixture(scope="session", autouse=True)
def cache(tex_cache: Path) -> Iterator[Path]:
    """The same for what the command line builds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CVBUILD_CACHE", str(tex_cache))
        yield tex_cache


@pytest.fixture(autouse=True)
def children() -> Iterator[None]:
    """Children may run again, whatever the test interrupted."""
    yield
    interrupts.stop.is_set = False


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


PLACE = {"file", "line", "column", "end_line", "end_column"}
#: The keys of a diagnostic for scripts.
DIAGNOSTIC = {"severity", "code", "message", "hint", *PLACE}


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("check", "ada.yaml")``: a command in this process, as on a pipe."""

    def command(*arguments: str) -> Ran:
        capsys.readouterr()
        try:
            code = main.main(arguments)
        except SystemExit as error:  # argparse
            code = int(error.code or 0)
        return Ran(code, *capsys.readouterr())

    return command


@pytest.fixture
def not_apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of others are read in this process, where their own one isn't what a test is about."""
    folder = tmp_path_factory.mktemp("apart")

    def call(module: str, function: str, data: Path | bytes, _: float = 0) -> object:
        path, result = folder / "data", folder / "result"
        if isinstance(data, bytes):
            path.write_bytes(data)
        getattr(import_module(module), function)(path if isinstance(data, bytes) else data, result)
        return json.loads(result.read_bytes())

    monkeypatch.setattr(processes, "call_apart", call)


@pytest.fixture
def services() -> Iterator[Services]:
    """The services that ``cvbuild sync`` asks, on this machine."""
    from services import started

    with started() as found:
        yield found
