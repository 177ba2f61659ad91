"""A cache for templates compiled by Jinja: compiling takes longer than rendering.

The files are Python bytecode, so they are used only if nobody else can have written them: neither
the folder nor the file may belong to another user or be writable for others. If a file is damaged
or the folder can't be used, Jinja compiles again.
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

from cvbuild.common.files import safe_files
from cvbuild.common.sealed import is_ours

#: How many bytes of a file are read.
_MOST = 64 << 20
#: Below the cache folder.
FOLDER = "jinja"
#: Bytes of the checksum that each file begins with.
_SUM = hashlib.sha256().digest_size


class Compiled(jinja2.BytecodeCache):
    """Jinja's cache in ``folder``; ``settings`` names all that changes what Jinja compiles to."""

    def __init__(self, folder: Path, settings: str) -> None:
        self._folder = folder
        whole = f"{jinja2.__version__}\0{sys.version}\0{sys.implementation.cache_tag}\0{settings}"
        self._settings = whole

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket if its template was compiled before."""
        try:
            with safe_files.regular(self._file(bucket), links=False) as file:
                if not (is_ours(self._folder.stat()) and is_ours(os.fstat(file.fileno()))):
                    return
                data = safe_files.bounded(file, self._folder, _MOST)
            if data[:_SUM] == self._sum(bucket, data[_SUM:]):
                bucket.code = marshal.loads(data[_SUM:])  # noqa: S302 - ours alone, see above
        except (OSError, ValueError, EOFError, TypeError):
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Save what Jinja compiled; do nothing if the cache can't be written."""
        data = marshal.dumps(bucket.code)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_ours(self._folder.stat()):
                return
            # mkstemp makes a file that only its owner may read or write.
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self._sum(bucket, data) + data)
                Path(temporary).replace(self._file(bucket))
            except OSError:
                Path(temporary).unlink(missing_ok=True)
        except OSError:
            return

    def _file(self, bucket: Bucket) -> Path:
        """Return one file per template, whatever its text: an edit replaces it."""
        name = hashlib.sha256(f"{bucket.key}\0{self._settings}".encode()).hexdigest()[:32]
        return self._folder / name

    def _sum(self, bucket: Bucket, data: bytes) -> bytes:
        """Return a checksum of the program and of what it was compiled from."""
        return hashlib.sha256(f"{bucket.checksum}\0{self._settings}\0".encode() + data).digest()
