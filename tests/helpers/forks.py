"""The command line in processes that hold cvbuild's code and nothing else, without importing it.

    with forks.server() as run:
        done = run(folder, environment, "build", "ada")

A process of its own that has imported everything and done nothing forks for each run: so nothing
of an earlier run is in its memory, and starting takes no time.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]
_SECONDS = 120


@contextlib.contextmanager
def server() -> Iterator[Run]:
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        orders, codes = process.stdin, process.stdout
        assert orders
        assert codes
        said = [Path(folder, name) for name in ("out", "err")]

        def run(
            cwd: Path, environment: Mapping[str, str], *arguments: str
        ) -> subprocess.CompletedProcess[str]:
            order = (str(cwd), dict(environment), arguments, [str(path) for path in said])
            print(json.dumps(order), file=orders, flush=True)
            assert select.select([codes], [], [], _SECONDS)[0], f"{arguments} takes too long"
            out, err = (path.read_text("utf-8") for path in said)
            return subprocess.CompletedProcess(arguments, int(codes.readline()), out, err)

        try:
            yield run
        finally:
            process.terminate()


def _serve() -> None:
    # What a build imports when it gets there.
    from cvbuild.cli import main
    from cvbuild.outputs.pdf import verify  # noqa: F401

    for line in sys.stdin:
        cwd, environment, arguments, said = json.loads(line)
        child = os.fork()
        if not child:
            code = 1
            try:
                os.chdir(cwd)
                os.environ.clear()
                os.environ.update(environment)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                for descriptor, path in enumerate(said, 1):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
                code = main.main(arguments)
            except BaseException:  # noqa: BLE001 - the child must go no further than here
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
