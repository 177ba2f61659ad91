"""When files were last changed, as git's history has it.

Git runs in an empty repository of its own, which only borrows the objects: nothing that the real
one configures counts (programs, hooks, remotes), whoever wrote it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from cvbuild.common import git, processes
from cvbuild.common.errors import CvbuildError

#: Seconds of a history of many thousand commits.
_SECONDS = 30
_TIME = "\x01"
#: :100644 100644 0123… 4567… M
_RAW = re.compile(r"\s*:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*")


class Committed(Struct, frozen=True):
    """A file's last change: when its author made it (seconds since 1970), and its content's id."""

    seconds: int
    blob: str


class History(Struct, frozen=True):
    """The last change of each file, by its name; ``is_cut`` is whether older ones are missing."""

    files: Mapping[str, Committed]
    is_cut: bool


def read(folder: Path) -> History | None:
    """Return the history of the files in a folder; None if there is none, or no git to read it."""
    top, commit, home = git.repository(folder), git.commit(folder), git.shared_home(folder)
    if top is None or commit is None or home is None or shutil.which("git") is None:
        return None
    where = folder.resolve().relative_to(top.resolve()).as_posix()
    with tempfile.TemporaryDirectory() as place:
        own = Path(place)
        is_cut = _prepare(own, home, commit)
        log = own / "log"  # of a program's output only the end is kept
        command = ["git", "-c", "core.bare=true", "log", "--reverse", "--no-renames", "--raw", "-z"]
        command += ["--no-abbrev", f"--output={log}", f"--format={_TIME}%at", commit, "--", where]
        try:
            ran = processes.run(
                command, cwd=own, env=_environment(own, home / "objects"), timeout=_SECONDS
            )
        except CvbuildError:
            return None
        if ran.code:
            return None
        output = log.read_text(encoding="utf-8", errors="replace")
    prefix = "" if where == "." else f"{where}/"
    found = _parsed(output)
    here = {
        name.removeprefix(prefix): one for name, one in found.items() if name.startswith(prefix)
    }
    return History(here, is_cut)


def is_committed(path: Path, change: Committed) -> bool:
    """Return whether a file has the content of its last commit, whatever its ends of lines."""
    with suppress(OSError):
        data = path.read_bytes()
        return any(_has_id(one, change.blob) for one in (data, data.replace(b"\r\n", b"\n")))
    return True


def _has_id(data: bytes, blob: str) -> bool:
    whole = b"blob %d\0" % len(data) + data
    names = ("sha1", "sha256")
    return blob in [hashlib.new(one, whole, usedforsecurity=False).hexdigest() for one in names]


def _prepare(own: Path, home: Path, commit: str) -> bool:
    """Make an empty repository; return whether the history that it borrows is cut off."""
    for name in ("objects", "refs"):
        (own / name).mkdir()
    (own / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    if len(commit) == hashlib.sha256().digest_size * 2:
        text = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha256\n"
        (own / "config").write_text(text, encoding="ascii")
    shallow = home / "shallow"
    if not shallow.is_file():
        return False
    shutil.copyfile(shallow, own / "shallow")
    return True


def _environment(own: Path, objects: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "GIT_DIR": str(own),
        "GIT_OBJECT_DIRECTORY": str(objects.resolve()),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "HOME": str(own),
        "LC_ALL": "C",
    }


def _parsed(output: str) -> dict[str, Committed]:
    """Return the last change of each file, from what git prints, the oldest commit first."""
    found: dict[str, Committed] = {}
    seconds, words = 0, iter(output.split("\0"))
    for word in words:
        time = word.strip().removeprefix(_TIME)
        if time != word.strip() and time.isdecimal():
            seconds = int(time)
        elif match := _RAW.fullmatch(word):
            name = next(words, "")
            before = found.get(name)
            newest = max(seconds, before.seconds) if before else seconds
            found[name] = Committed(newest, match[1])
    return found
