"""A workspace with a running ``watch`` that answers, and commands that show whether it did."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from waits import eventually

START = "from cvbuild.cli.start import run; run()"
#: The same where nothing but another process can run the command.
ELSEWHERE = f"import sys; sys.modules['cvbuild.cli.main'] = None; {START}"
PERSON = "name: Ada Example\nsections:\n  - kind: bullets\n    items: [One point]\n"


class Workspace:
    """A folder with a person, and a cache of its own for sockets."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder / "work", cache
        (self.folder / "people").mkdir(parents=True)
        self.write(PERSON)
        state = self.folder.stat()
        self.socket = cache / "answering" / f"{state.st_dev:x}-{state.st_ino:x}"
        self.environment = {**os.environ, "CVBUILD_CACHE": str(cache)}

    def write(self, text: str, name: str = "ada") -> None:
        (self.folder / f"people/{name}.yaml").write_text(text, encoding="utf-8")

    def start(
        self, program: str, *arguments: str, folder: str = ".", **more: str
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            cwd=self.folder / folder,
            env={**self.environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ctrl-Z stops no process of a group without a parent that could have it go on.
            process_group=0,
        )

    def run(
        self, program: str, *arguments: str, folder: str = ".", **more: str
    ) -> tuple[int, bytes, bytes]:
        """Code, stdout and stderr of a command."""
        with self.start(program, *arguments, folder=folder, **more) as process:
            out, err = process.communicate(timeout=100)
            return process.returncode, out, err

    def is_answered(self, **more: str) -> bool:
        """Whether another process runs a command."""
        code, _, err = self.run(ELSEWHERE, "build", "--help", **more)
        assert code == 0 or b"cvbuild.cli.main" in err or b"cannot import name 'main'" in err, err
        return code == 0

    @contextlib.contextmanager
    def watching(self, **more: str) -> Iterator[subprocess.Popen[bytes]]:
        """Watch; what answers is there."""
        watch = self.start(START, "watch", "--json", **more)
        try:
            assert eventually(self.socket.exists)
            yield watch
        finally:
            watch.kill()
            watch.communicate()
            assert eventually(lambda: not self.socket.exists())


def children(pid: int) -> Sequence[int]:
    """The children of a process."""
    found: Mapping[int, int] = {}
    found = {
        int(path.parent.name): int(text.rpartition(")")[2].split()[1])
        for path in Path("/proc").glob("[0-9]*/stat")
        if (text := _text(path))
    }
    return [child for child, parent in found.items() if parent == pid]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
