"""Why an installation failed, from what pip says, and what to do about it."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable

#: What pip says, and what is said instead; the first that fits counts.
_CAUSES = {
    r"No space left on device|Disk quota exceeded": (
        "the disk is full; about 400 MB are needed here while it installs: make room"
    ),
    r"DO NOT MATCH THE HASHES": (
        "a download is not the file that the lock names, so it was not installed; "
        "try `.venv/bin/python -m pip cache purge`"
    ),
    r"CERTIFICATE_VERIFY_FAILED|SSLError": (
        "the certificate of the package server is not trusted here; "
        "set PIP_CERT to the file with your network's certificates"
    ),
    r"Failed to establish a new connection|[Nn]ame or service not known|name resolution|"
    r"Connection (?:refused|reset|aborted|to \S+ timed out)|Read timed out|Max retries|"
    r"ProxyError|Network is unreachable|IncompleteRead|from versions: none": (
        "the packages can't be reached; check the network, and set HTTPS_PROXY behind a proxy "
        "or PIP_INDEX_URL for a mirror"
    ),
    r"Permission denied|Read-only file system": (
        "a file can't be written; work in a folder that is yours"
    ),
    r"No matching distribution found for (?P<name>[^= ]+)": (
        "{name} is not to be had here for {python}; "
        "try another one: delete .venv and run make PYTHON=python3.12"
    ),
}


class InstallError(Exception):
    """An installation that failed; its text says why, and what to do."""

    @classmethod
    def of(cls, said: Iterable[str]) -> InstallError:
        """Return the error for the lines that a program wrote."""
        lines = [line for line in said if line.strip()]
        text = "\n".join(lines)
        for pattern, words in _CAUSES.items():
            if found := re.search(pattern, text):
                python = f"Python {platform.python_version()}"
                return cls(words.format(**found.groupdict(), python=python))
        errors = [line for line in lines if re.match(r"\s*(?i:error|\w*Error)\b", line)]
        return cls((errors or lines or ["pip gave no reason"])[-1].strip())
