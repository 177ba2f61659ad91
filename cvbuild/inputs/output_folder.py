"""The folder of the documents, as the workspace's file names it; cheap to read.

The quick check needs it first, and imports YAML only if the file can have the key.
"""

from __future__ import annotations

import os

from cvbuild.common import safe_files
from cvbuild.inputs.file_names import WORKSPACE

#: Bytes: a file of more is refused when it is read whole.
_MOST = 1 << 20


class DefaultFolder(str):
    """An output folder that nobody named for this build; groups of people may have another."""

    __slots__ = ()


def default() -> DefaultFolder:
    """Return the output folder of the working folder's workspace, ``out`` if its file names none.

    Raises CvbuildError if a part of the path is a link. A file with errors counts as without it:
    whoever reads people's files reports them.
    """
    folder = _named()
    if folder is None:
        return DefaultFolder(safe_files.OUT)
    safe_files.refuse_links(os.curdir, folder)
    return DefaultFolder(folder)


def _named() -> str | None:
    try:
        data = safe_files.read(WORKSPACE, _MOST, links=False)
    except OSError:
        return None
    # No other text can have the key: an escape has a backslash.
    if b"out" not in data and b"\\" not in data:
        return None
    from cvbuild.common.safe_files import is_output_folder
    from cvbuild.inputs.yaml.builder import Builder

    builder = Builder(data.decode("utf-8-sig", "replace"), WORKSPACE, personal=False)
    builder.run()
    value = builder.data
    for key in ("defaults", "out"):
        value = value.get(key) if isinstance(value, dict) and not builder.problems else None
    folder = " ".join(value.split()) if isinstance(value, str) else ""
    return folder if is_output_folder(folder) else None
