"""The finished documents of the workspace's output folder that are up to date."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from cvbuild.building.fresh import Entries, UpToDate
from cvbuild.building.request import PDF, Request
from cvbuild.inputs import output_folder
from cvbuild.inputs.people import Person


class Finished(Struct, frozen=True):
    """A PDF that ``cvbuild build`` made, and its number of pages."""

    name: str
    path: Path
    pages: int | None


def documents(person: Person, template_path: tuple[str, ...] = ()) -> list[Finished]:
    """Return a person's PDFs that are up to date, in the order of the file.

    Raises CvbuildError for an output folder that can't be used. Nothing is built or written.
    """
    request = Request(out=output_folder.default(), template_path=template_path)
    current = UpToDate()
    Entries(request).check([person], current)
    return [
        Finished(str(one["variant"] or one["template"]), Path(one["path"]), one["pages"])
        for one in current.documents
        if one["format"] == PDF and one["path"]
    ]
