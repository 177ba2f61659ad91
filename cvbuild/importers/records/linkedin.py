"""LinkedIn's "copy of your data": a ZIP archive or the folder of it.

Only the files of ``linkedin_parts.PARTS`` are ever opened: the archive also has what other people
wrote, such as messages and connections.
"""

from __future__ import annotations

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.draft import Draft
from cvbuild.importers.records import linkedin_tables
from cvbuild.importers.records.linkedin_parts import PARTS, Reader
from cvbuild.importers.types import Given, Imported

#: Files that every archive has, also the one without a profile that comes first.
_OTHERS = ("connections.csv", "invitations.csv", "messages.csv", "registration.csv")
#: Names of files that are listed as not opened.
_LISTED = 30


class Format:
    """The data that LinkedIn has of its member."""

    name = "linkedin"
    title = "LinkedIn data"

    def recognises(self, given: Given) -> bool:
        """Return whether there is a file of the profile with its columns, or two of the others.

        Raises CvbuildError for an archive that can't be read.
        """
        if not given.has_parts:
            return False
        names = _by_part(given)
        others = {_base(name) for name in given.files.names()} & {*_OTHERS}
        if names:
            return any(_has_columns(given, names[part], part) for part in PARTS if part in names)
        return len(others) >= 2

    def read(self, given: Given) -> Imported:
        """Read the profile's files in the order of a CV."""
        names = _by_part(given)
        if not names:
            message = f"{given.name} has nothing of the profile"
            hint = (
                "ask LinkedIn for the larger archive: Settings > Data privacy > Get a copy of your "
                "data; the one that comes first has only messages and the like"
            )
            raise CvbuildError.because("import", message, hint)
        reader = Reader(Draft(given.name))
        for part, (columns, read) in PARTS.items():
            if part not in names:
                continue
            name = f"{given.name}/{names[part]}"
            rows = linkedin_tables.read(given.files.read(names[part]) or b"", name, columns)
            if rows is None:
                wanted = " and ".join(f'"{one}"' for one in columns[:2])
                what = f"{names[part]} has no columns {wanted}"
                reader.draft.lose(what, "nothing was read of it", Span(name))
                continue
            for row in rows:
                read(reader, row)
        reader.finish()
        _list_unopened(given, names, reader.draft)
        return reader.draft.done()


def _base(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _by_part(given: Given) -> dict[str, str]:
    """Return the name of each file of the profile, the one that is least deep in folders."""
    found: dict[str, str] = {}
    for name in sorted(given.files.names(), key=lambda one: (one.count("/"), one)):
        if (base := _base(name)) in PARTS:
            found.setdefault(base, name)
    return found


def _has_columns(given: Given, name: str, part: str) -> bool:
    columns, _ = PARTS[part]
    head = (given.files.read(name) or b"")[: 1 << 14]
    return linkedin_tables.read(head.rpartition(b"\n")[0] or head, name, columns) is not None


def _list_unopened(given: Given, names: dict[str, str], draft: Draft) -> None:
    """Say which files were not opened."""
    others = sorted(set(given.files.names()) - set(names.values()))
    if others:
        more = len(others) - _LISTED
        listed = ", ".join(others[:_LISTED]) + (f" and {more} more" if more > 0 else "")
        draft.lose("not opened, as they are no part of a CV", listed, Span(given.name))
