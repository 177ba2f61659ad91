"""Call a function of ours in a process of its own, with limits of time and memory.

For libraries in C++ that read what somebody else made: a few bytes can unpack to gigabytes, and
such a library ends its process when memory runs out. The child writes JSON, which can't act here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from cvbuild.common import limits, processes
from cvbuild.common.files import safe_files

#: The largest result (bytes of JSON).
_MOST = 32 << 20
#: Address space (bytes) that the call may take.
_MEMORY = 512 << 20
#: What the child runs; -I keeps the working folder out of its path, and it looks for modules where
#: this process does.
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    f"from {__name__} import child; child(*sys.argv[2:])"
)


class FailedError(Exception):
    """What the call did instead of returning, as words after "it"."""


def call(module: str, function: str, data: Path | bytes, seconds: float = limits.SECONDS) -> Any:
    """Call a function with the paths of a file to read and of a file to write JSON to; return that.

    ``data`` is the file, or what is in it. Raises FailedError beyond the limits.
    """
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as folder:
        result, path = Path(folder, "result.json"), Path(folder, "data")
        if isinstance(data, bytes):
            path.write_bytes(data)
        else:
            path = data
        places = json.dumps([str(Path(place).resolve()) for place in sys.path if place])
        command: list[str | Path] = [sys.executable, "-I", "-c", _CODE, places, module, function]
        try:
            done = processes.run(
                [*command, path, result], cwd=None, env=dict(os.environ), timeout=seconds
            )
        except processes.TimeLimitError:
            raise FailedError(f"took over {seconds:g} s to read") from None
        try:
            return json.loads(safe_files.read(result, _MOST))
        except (OSError, ValueError):
            if done.code == 0:
                fact = f"holds more than {_MOST >> 20} MB of text and attachments"
                raise FailedError(fact) from None
            raise FailedError(f"can't be read with {_MEMORY >> 20} MB of memory") from None


def child(module: str, function: str, path: str, result: str) -> None:
    """Call the function in this process."""
    from importlib import import_module

    with limits.memory(_MEMORY):
        getattr(import_module(module), function)(path, result)
