"""Programs that judge what cvbuild writes: skip with one line that says what to install, or fail.

With CVBUILD_REQUIRE_JUDGES=1 a test whose judge is absent fails instead of skipping. With
CVBUILD_NO_SYSTEM_TEX=1 all are hidden, as on a bare machine. The packages of npm are those of
package.json here: `npm ci --prefix tests/judges` installs them; CVBUILD_NODE_MODULES names their
folder if it is elsewhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from cvbuild.outputs.pdf.tex.find import HIDE_SYSTEM

REQUIRE = "CVBUILD_REQUIRE_JUDGES"
NODE_MODULES = "CVBUILD_NODE_MODULES"


def program(*names: str, package: str) -> str:
    """Return the path of the first program that is there; ``package`` is Debian's that has it."""
    for name in () if _hidden() else names:
        if found := shutil.which(name):
            return found
    return absent(package, f"apt-get install {package}")


def module(path: str) -> Path:
    """Return the path of a file in an npm package: axe-core/axe.min.js."""
    folder = Path(os.environ.get(NODE_MODULES) or Path(__file__).with_name("node_modules"))
    if not _hidden() and (folder / path).exists():
        return folder / path
    return absent(path.partition("/")[0], "npm ci --prefix tests/judges")


def html_faults(*pages: str | Path, every: bool = False) -> str:
    java = program("java", package="default-jre-headless")
    # A compiler that takes its time would cost more than it gives in so short a run.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss4m")
    jar = module("vnu-jar/build/dist/vnu.jar")
    command = [java, *quick, "-jar", jar, *(() if every else ("--errors-only",)), *pages]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode == 0) == (done.stderr == ""), done
    return done.stderr


def absent(name: str, how: str) -> NoReturn:
    reason = f"{HIDE_SYSTEM}=1 hides {name}" if _hidden() else f"{name} is not installed; {how}"
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{reason} ({REQUIRE}=1)", pytrace=False)
    pytest.skip(reason)


def _hidden() -> bool:
    return os.environ.get(HIDE_SYSTEM) == "1"
