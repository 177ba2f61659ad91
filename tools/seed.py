"""Fill the user's cache with what the first build in each built-in style would have to make.

That is TeX's formats, the faces cut from fonts, and the code of templates. `make` runs it after an
installation: it builds a starter file in every style, in a folder that is gone afterwards. What was
made before is only looked up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

#: How many styles are prepared at once.
_JOBS = "2"


def fill(folder: str) -> str:
    """Build every style in an empty folder; return why that ended early, or nothing."""
    for words in (["new", "A Person"], ["build", "--all-templates", "-j", _JOBS]):
        command = [sys.executable, "-m", "cvbuild", "-C", folder, *words]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            lines = [f"cvbuild {words[0]} ended with {done.returncode}"]
            lines += filter(None, done.stderr.splitlines())
            return next((line for line in lines if "error: " in line), lines[-1])
    return ""


def main() -> int:
    """Fill the cache and say what was done; return 0, as builds need nothing of it."""
    begun = time.monotonic()
    sys.stderr.write("preparing every style, so that the first CV takes no longer than the next\n")
    try:
        with tempfile.TemporaryDirectory(prefix="cvbuild-") as folder:
            fault = fill(folder)
    except OSError as error:
        fault = error.strerror or str(error)
    if fault:
        sys.stderr.write(f"not all were: {fault}; the first build in a style prepares it\n")
    else:
        sys.stderr.write(f"prepared in {time.monotonic() - begun:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
