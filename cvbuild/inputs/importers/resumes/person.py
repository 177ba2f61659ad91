"""A person's file of cvbuild itself: recognised, so that the error says what it is."""

from __future__ import annotations

import re

from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.importers.types import Given, Imported

_KIND = re.compile(rb"^ *-? *\{? *kind: *[a-z]+", re.MULTILINE)
_SECTIONS = re.compile(rb"^sections:|^(?:contact|template|variants):", re.MULTILINE)
_MODELINE = re.compile(rb"profile\.schema\.json")


class Format:
    """A file that needs no import."""

    name = "person"
    title = "a person's file"

    def recognises(self, given: Given) -> bool:
        """Return whether it is YAML with the keys of a person's file."""
        head = given.head
        is_person = bool(re.search(rb"^name:", head, re.MULTILINE) and _SECTIONS.search(head))
        return is_person and bool(_KIND.search(head) or _MODELINE.search(head))

    def read(self, given: Given) -> Imported:
        """Raise CvbuildError: there is nothing to do."""
        hint = "copy it into people/ and run: cvbuild check"
        raise CvbuildError.because("import", f"{given.name} is a person's file already", hint)
