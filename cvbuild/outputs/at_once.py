"""Outputs that are made at once: what they depend on is what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from cvbuild.common import folder_contents, hashes
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import DocumentError
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.types import Machine, Made, Output, Shown


class AtOnce:
    """A document of such an output; it is made to learn whether it is the one that is there."""

    engine: str | None = None
    fonts: str | None = None
    machine = Machine()
    notes: tuple[Diagnostic, ...] = ()

    def __init__(self, output: Output, shown: Shown, left_out: tuple[FieldPath, ...]) -> None:
        self._output, self._shown, self._left_out = output, shown, left_out

    def parts(self) -> dict[str, str]:
        """Return a hash of what the file holds."""
        content = self._content
        if isinstance(content, bytes):
            return {"content": hashes.digest(content)}
        return {"content": folder_contents.hash_of(content)}

    def details(self) -> dict[str, str]:
        """Return a hash for the head and for each section, so that ``why`` can name it."""
        view = self._shown.view
        head = view.header
        details = {
            "field name": repr((head.name, head.native, head.others)),
            "field headline": repr(head.headline),
            "field contact": repr(head.contacts),
            **{f"field {section.id}": repr(section) for section in view.sections},
        }
        return {name: hashes.digest(text)[:16] for name, text in details.items()}

    def make(self, epoch: int, ident: str) -> Made:  # noqa: ARG002
        """Return what was made; raises DocumentError if something private is in it."""
        view, source = self._shown.view, self._shown.task.source
        if faults := checks.leaked(self._text, view, source, self._shown.profile.locale):
            raise DocumentError(faults)
        return replace(self._made, content=self._content, left_out=self._left_out)

    @cached_property
    def _made(self) -> Made:
        made = self._output.make(self._shown)
        if isinstance(made.content, Mapping):
            folder_contents.refuse_names(made.content)
        return made

    @property
    def _text(self) -> str:
        """The text in the file: what the output reads from it, else its characters."""
        text_of = getattr(self._output, "text_of", None)
        content = self._content
        if text_of is not None:
            return str(text_of(content))
        if isinstance(content, bytes):
            return text_folding.in_json(content.decode("utf-8", "replace"))
        # The names of files are made from texts, too.
        files = (f"{name}\n{data.decode('utf-8', 'replace')}" for name, data in content.items())
        return "\n".join(files)

    @cached_property
    def _content(self) -> bytes | Mapping[str, bytes]:
        content = self._made.content
        return content.read_bytes() if isinstance(content, Path) else content
