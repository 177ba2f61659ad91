"""Which files of the embedded TeX's tree do documents read? TeX's own recorder tells.

    python -m tools.tex_wheel.record COMMAND ...

runs commands of cvbuild in this process, and adds what they read to ``files.txt``.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cvbuild.cli import main
from cvbuild.outputs.pdf import tex as tex_run
from cvbuild.outputs.pdf.tex import job_folder

LIST = Path(__file__).with_name("files.txt")


def record(commands: Sequence[str]) -> set[str]:
    """Run commands and return the paths below the tree that TeX read for them."""
    tree = job_folder.embedded_root()
    if tree is None:
        raise SystemExit("the embedded TeX isn't installed")
    root, read = tree.resolve(), set[str]()
    arguments, run = tex_run.arguments, job_folder.run

    def recorded(*given: Any, **named: Any) -> list[str | Path]:
        command = arguments(*given, **named)
        return [command[0], "-recorder", *command[1:]]

    def observed(command: Any, job: Any, *rest: Any, **named: Any) -> Any:
        done = run(command, job, *rest, **named)
        for list_ in job.folder.glob("*.fls"):
            for line in list_.read_text("utf-8", "replace").splitlines():
                path = Path(line.removeprefix("INPUT "))
                if line.startswith("INPUT ") and path.is_relative_to(root):
                    read.add(path.relative_to(root).as_posix())
            if "-ini" not in command:
                list_.unlink()
        return done

    with patch.object(tex_run, "arguments", recorded), patch.object(job_folder, "run", observed):
        for command in commands:
            if main.main(shlex.split(command)):
                raise SystemExit(f"cvbuild {command} failed")
    return read


if __name__ == "__main__":
    known = set(LIST.read_text("utf-8").split()) if LIST.is_file() else set()
    LIST.write_text("\n".join(sorted(known | record(sys.argv[1:]))) + "\n", "utf-8")
