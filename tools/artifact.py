"""Copy the documents of a build to where the GitHub Action keeps them: ``artifact.py FOLDER``.

FOLDER has ``list.json``, which ``cvbuild build --json`` wrote, what it built in ``out/``, and
``documents/``, to which they are copied. Only regular files are copied, and no link is followed.
Standard library only: it runs as it is, without cvbuild's folder on the path.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

#: Characters that an artifact's files may not have in their names: one of them, and none is kept.
_REFUSED = frozenset('":<>|*?\r\n')


def main(home: Path) -> None:
    """Copy what is listed; say what is left out."""
    out, documents = home / "out", home / "documents"
    for path in _listed(home / "list.json"):
        inside = os.path.relpath(path, out)
        # The same without links: each folder on the way is itself.
        is_ours = Path(inside).parts[0] != os.pardir and os.path.realpath(path) == str(path)
        if not is_ours or not path.is_file():
            sys.stdout.write(f"not kept, as it is no file of the build: {inside!a}\n")
        elif _REFUSED & {*inside}:
            sys.stdout.write(f"not kept, as no artifact may have such a name: {inside!a}\n")
        else:
            (documents / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, documents / inside, follow_symlinks=False)


def _listed(file: Path) -> Iterator[Path]:
    """Yield the files of each document that was built; there is no list after bad usage."""
    text = file.read_text(encoding="utf-8")
    for one in json.loads(text).get("documents", ()) if text.strip() else ():
        if one["path"] is None:
            continue
        path = Path(one["path"])
        if path.is_dir():
            yield from (Path(at, name) for at, _, names in os.walk(path) for name in sorted(names))
        else:
            yield path


if __name__ == "__main__":
    main(Path(sys.argv[1]))
