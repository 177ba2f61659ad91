"""Fetch packages of a suite of Debian for some machine, and unpack them; nothing is installed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
#: Debian's names of machines.
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class Suite:
    """Debian's lists of packages for machines, the first of them this one, in a folder."""

    def __init__(self, name: str, machines: Sequence[str], folder: Path) -> None:
        self.name, self.folder = name, folder
        self.names = [MACHINES[machine] for machine in machines]
        for place in ("state/lists/partial", "cache/archives/partial"):
            (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / "sources.list").write_text(
            f"deb [signed-by={_KEYS}] {_mirror()} {name} main\n", "utf-8"
        )
        self._apt("update")

    def unpack(self, package: str, machine: str, to: Path) -> str:
        """Download a package, unpack it into a folder, and return its version."""
        downloads = self.folder / "downloads"
        downloads.mkdir(exist_ok=True)
        known = sorted(downloads.glob(f"{package}_*_{MACHINES[machine]}.deb"))
        known += sorted(downloads.glob(f"{package}_*_all.deb"))
        if not known:
            self._apt("download", f"{package}:{MACHINES[machine]}", cwd=downloads)
            known = sorted(
                downloads.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime
            )
        to.mkdir(parents=True, exist_ok=True)
        run(["dpkg-deb", "-x", str(known[-1]), str(to)])
        return known[-1].name.split("_")[1].replace("%3a", ":")

    def _apt(self, *words: str, cwd: Path | None = None) -> None:
        options = {
            "Dir::State": self.folder / "state",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": self.folder / "cache",
            "Dir::Etc::sourcelist": self.folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "APT::Architecture": self.names[0],
            "APT::Sandbox::User": "root",
        }
        command = ["apt-get", "-q"]
        for name, value in options.items():
            command += ["-o", f"{name}={value}"]
        for name in self.names:
            command += ["-o", f"APT::Architectures::={name}"]
        run([*command, *words], cwd)


def _mirror() -> str:
    """Return the address from which this machine gets Debian."""
    said = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    addresses = [line for line in said.split() if "security" not in line]
    if not addresses:
        raise SystemExit("this machine's sources of packages name no Debian: /etc/apt/sources.list")
    return addresses[0]


def run(command: Sequence[str], cwd: Path | None = None, **more: str) -> str:
    """Return what a program prints; ends this one with its last words if it fails.

    ``more`` are variables of its environment.
    """
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command[0]}: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout
