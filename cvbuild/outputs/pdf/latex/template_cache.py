"""Templates as Jinja compiled them, kept on disk: compiling takes longer than rendering.

What is kept is a program in Python's own form, and nothing of it is trusted that somebody else
could have written: neither the folder nor the file may be another user's, or writable for others.
A damaged file, or a folder that can't be used, only means that Jinja compiles again.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import tempfile
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket

from cvbuild.common.sealed import is_ours

#: Below the cache folder.
FOLDER = "jinja"
#: Bytes of the checksum that each file begins with.
_SUM = hashlib.sha256().digest_size


class Compiled(jinja2.BytecodeCache):
    """Jinja's cache in ``folder``; ``settings`` tells all that changes what Jinja compiles to."""

    def __init__(self, folder: Path, settings: str) -> None:
        self._folder = folder
        whole = f"{jinja2.__version__}\0{sys.version}\0{sys.implementation.cache_tag}\0{settings}"
        self._settings = whole

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template was compiled before."""
        try:
            with self._file(bucket).open("rb") as file:
                if not (is_ours(self._folder.stat()) and is_ours(os.fstat(file.fileno()))):
                    return
                data = file.read()
            if data[:_SUM] == self._sum(bucket, data[_SUM:]):
                bucket.code = marshal.loads(data[_SUM:])  # noqa: S302 - ours alone, see above
        except (OSError, ValueError, EOFError, TypeError):
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what Jinja compiled; a cache that can't be written is none."""
        data = marshal.dumps(bucket.code)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_ours(self._folder.stat()):
                return
            # Only its owner may read or write a file of mkstemp.
            handle, beside = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self._sum(bucket, data) + data)
                Path(beside).replace(self._file(bucket))
            except OSError:
                Path(beside).unlink(missing_ok=True)
        except OSError:
            return

    def _file(self, bucket: Bucket) -> Path:
        """One file a template, whatever its text: an edit takes no further room."""
        name = hashlib.sha256(f"{bucket.key}\0{self._settings}".encode()).hexdigest()[:32]
        return self._folder / name

    def _sum(self, bucket: Bucket, data: bytes) -> bytes:
        """Return a checksum over the program and what it was compiled from."""
        return hashlib.sha256(f"{bucket.checksum}\0{self._settings}\0".encode() + data).digest()
