"""A disk that is full at any moment: what was there stays, and the message says what is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attack_counts
import pytest
from texlive import demand_embedded
from waits import PATIENCE

ATTACKS = "Full disks"
PERSON = """\
name: Ada Example
contact: {email: ada@example.org}
template: academic
sections:
  - kind: bullets
    items: [One point]
"""
APPLICATION = "person: ada\nemployer: Example Lab\nposition: Researcher\n"
#: Builds on a disk of $1 KiB, twice; then on a larger one.
SCRIPT = """\
mkdir -p $2 && mount -t tmpfs -o size=$1k tmpfs $2 || exit 9
size=$1; folder=$2; shift 2
"$@" 2>&1; echo "code $?"
mount -o remount,size=64m $folder || exit 9
"$@" 2>&1; echo "code $?"
find $folder -name '*.pdf' -exec sha256sum {} +
"""
COMMANDS = {
    "build": ("out", "build"),
    "apply": ("out", "apply", "lab"),
    "sent": ("applications/sent", "apply", "lab", "--sent"),
}
#: KiB: from nothing to more than is needed.
SIZES = [4, 12, *range(16, 120, 8), *range(120, 400, 16), 512, 768, 1024, 1536]


def on_small_disk(root: Path, cache: Path, size: int, name: str) -> tuple[str, str, str]:
    """What is said on a full disk, then on a larger one; the sums of the PDFs."""
    folder, *arguments = COMMANDS[name]
    command = [sys.executable, "-m", "cvbuild", *arguments, "--engine", "embedded"]
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh",
         str(size), folder, *command],
        cwd=root, capture_output=True, text=True, timeout=2 * PATIENCE, check=False,
        env={**os.environ, "CVBUILD_CACHE": str(cache), "SOURCE_DATE_EPOCH": "1700000000"},
    )  # fmt: skip
    assert done.returncode == 0, done
    first, _, rest = done.stdout.partition("code ")
    second, _, sums = rest[2:].partition("code ")
    return f"{first}{rest[:1]}", f"{second}{sums[:1]}", sums[2:]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    demand_embedded()
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    probe = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"],
        capture_output=True,
        check=False,
    )
    if probe.returncode:
        pytest.skip("nothing can be mounted here")
    for folder in ("people", "applications"):
        (tmp_path / "work" / folder).mkdir(parents=True)
    (tmp_path / "work/people/ada.yaml").write_text(PERSON, encoding="utf-8")
    (tmp_path / "work/applications/lab.yaml").write_text(APPLICATION, encoding="utf-8")
    return tmp_path / "work"


@pytest.mark.deep
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(
    name: str, workspace: Path, tex_cache: Path, tried: Callable[[int], None]
) -> None:
    right = on_small_disk(workspace, tex_cache, 65_536, name)
    assert right[0].endswith("0"), right
    codes = set()
    sizes = attack_counts.sample(SIZES, 2, name)
    for size in sizes:
        shutil.rmtree(workspace / "applications/sent", ignore_errors=True)
        shutil.rmtree(workspace / "out", ignore_errors=True)
        first, second, sums = on_small_disk(workspace, tex_cache, size, name)
        codes.add(first[-1])
        assert "Traceback" not in first + second, (size, first, second)
        if first[-1] != "0":
            assert "no space" in first.lower() or "the disk is full" in first, (size, first)
            # TeX's log ends in the middle then, without an error.
            assert "gave no reason" not in first
            assert "None" not in first
            assert "job-" not in first
        # What has been sent can't be sent again.
        assert second[-1] == "0" or (first[-1], name) == ("0", "sent"), (size, second)
        assert sums == right[2], size
    if attack_counts.ALL:
        assert codes >= {"0", "1"}
    tried(len(sizes))
