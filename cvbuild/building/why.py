"""Why a document would be rebuilt: the parts of its key that changed, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from cvbuild.building import fresh
from cvbuild.building.outcome import Record, key_of
from cvbuild.common import folder_contents
from cvbuild.common.diagnostics import Span, path_of
from cvbuild.outputs.types import Plan

#: Messages for parts of a key whose name and value don't say enough.
_PARTS = {
    "photo": "the photo changed",
    "logo": "the logo changed",
    "signature": "the signature changed",
    "attachment": "the data that the PDF carries changed",
    "priorities": "what goes first from a full page changed",
    "tree": "TeX's files changed: another version of it, or of a package, was installed",
    "fonts": "a font changed",
}
#: What parts are called whose values are words.
_VALUES = {
    "version": "cvbuild",
    "engine": "the engine",
    "epoch": "SOURCE_DATE_EPOCH",
    "updated": "`updated`",
}


class Reason(Struct, frozen=True):
    """One reason to rebuild a document, and the position in the person's file if there is one."""

    code: str
    message: str
    span: Span | None = None

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``: code, message, file, line."""
        span = self.span
        file, line = (span.file, span.line or None) if span else (None, None)
        return {"code": self.code, "message": self.message, "file": file, "line": line}


#: The reason to build a document of which nothing is stored.
NEVER = Reason("never", "never built")


def reasons(document: Plan) -> Iterator[Reason]:
    """Yield the reasons to build a document; without any it is up to date."""
    record = fresh.read(document.record, document.settings.cache)
    if record is None:
        exists = document.record.exists()
        yield Reason("record", "the record of its last build can't be read") if exists else NEVER
        return
    parts = document.parts()
    if record.key != key_of(parts):
        yield from _changes(document, record, parts) or [_UNKNOWN]
    if record.verified is None:
        yield Reason("verify", "it was never compared with the profile")
    if not document.path.exists():
        yield Reason("file-gone", "the file is gone")
    elif folder_contents.hash_at(document.path) != record.file_hash:
        kind = "folder" if document.path.is_dir() else "file"
        yield Reason("file-changed", f"the {kind} is not the one that was built")


_UNKNOWN = Reason("version", "it was built by another version of cvbuild")


def _changes(document: Plan, record: Record, parts: Mapping[str, str]) -> list[Reason]:
    """Return the parts of the key that changed; for the text, the changes that can be named."""
    old = record.parts
    reasons: list[Reason] = []
    for name in [name for name in {**old, **parts} if old.get(name) != parts.get(name)]:
        if not old:
            break
        if name in ("text", "content"):
            reasons += _text(document, record.details, document.details())
        elif name.startswith("file "):
            file, how = name.removeprefix("file "), _how(name in old, name in parts)
            reasons.append(Reason("template", f"the template's {file} {how}"))
        elif name in _VALUES:
            message = f"{_VALUES[name]} was {_value(old, name)} and is {_value(parts, name)}"
            reasons.append(Reason(name, message))
        else:
            reasons.append(Reason(name, _PARTS.get(name, f"{name} changed")))
    codes = {reason.code for reason in reasons}
    # Another engine has other files; it, or a change of the template, makes another text.
    implied = {"engine": {"tree", "text"}, "template": {"text"}, "content": {"priorities"}}
    explained = set().union(*(implied.get(code, set()) for code in codes))
    return [reason for reason in reasons if reason.code not in explained]


def _how(before: bool, now: bool) -> str:
    return "changed" if before and now else "is new" if now else "is gone"


def _value(parts: Mapping[str, str], name: str) -> str:
    value = parts.get(name, "None")
    return "not set" if value == "None" else value


def _text(document: Plan, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Reason]:
    """Yield what changed in the text: language, options, fields; else only that it did."""
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    for name in changed:
        kind, _, key = name.partition(" ")
        if kind == "field":
            span = document.task.source.span(path_of(key)) if name in new else None
            yield Reason("content", f"{key} {_how(name in old, name in new)}", span)
        else:
            kinds = {"option": f"the option {key}", "variant": f"{key} of the variant"}
            what = kinds.get(kind, "the language")
            message = f"{what} was {_value(old, name)} and is {_value(new, name)}"
            yield Reason(kind, message)
    if not changed:
        yield Reason("text", "the text that TeX gets changed")
