"""The form of the index's entries, read from a file that may hold anything.

What has another form is left out, entry by entry. People are parsed only when they are needed, so
that a thousand take little time and memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cvbuild.common import sealed
from cvbuild.common.files import safe_files

# Typed dictionaries take 1.5 ms to make, and nothing needs them at run time.
if TYPE_CHECKING:
    from typing import TypedDict

    from cvbuild.common.files.file_state import State

    #: A diagnostic or a document as --json prints it.
    JsonObject = dict[str, Any]
    Groups = dict[str, dict[str, State]]

    class Document(TypedDict):
        """A finished document: the groups that it ``needs``, and the states of its own files.

        ``files`` may be missing; then that is their state.
        """

        needs: list[str]
        files: list[tuple[str, State]]
        output: tuple[str, State]
        record: tuple[str, State]
        outcome: JsonObject
        notes: list[JsonObject]

    class Person(TypedDict):
        """A person's file, those it names, the picked documents, and its diagnostics.

        The workspace's file is among those it names, whether it exists or not.

        ``failed`` has the first error of each document that failed when it was built last.

        ``picked`` are names of documents; ``formats`` are those that the person picked for each;
        ``variants`` are all that the person has, ``private`` those of them that show everything;
        ``public`` counts what others show of ``contact``, by field.
        """

        file: State
        named: list[tuple[str, State]]
        picked: list[str]
        formats: list[str]
        variants: list[str]
        private: list[str]
        public: dict[str, int]
        said: list[JsonObject]
        documents: dict[str, Document]
        failed: dict[str, JsonObject]


#: The size of the file in bytes; a person takes about 5 kB.
_MOST = 256 << 20
_SEVERITIES = ("error", "warning", "note")
_TEXTS = (str, type(None))
_NUMBERS = (int, type(None))
_DIAGNOSTIC: Mapping[str, tuple[type, ...]] = {
    "severity": (str,),
    "code": (str,),
    "message": (str,),
    "hint": _TEXTS,
    "file": _TEXTS,
    "line": _NUMBERS,
    "column": _NUMBERS,
    "end_line": _NUMBERS,
    "end_column": _NUMBERS,
}
_OUTCOME: Mapping[str, tuple[type, ...]] = {
    "person": (str,),
    "template": (str,),
    "variant": _TEXTS,
    "format": (str,),
    "path": (str,),
    "engine": _TEXTS,
    "fonts": _TEXTS,
    "pages": _NUMBERS,
    "seconds": (int, float),
    "cached": (bool,),
    "fill": (int, float, type(None)),
    "verified": (dict,),
    "left_out": (list,),
    "log": (type(None),),
    "diagnostics": (list,),
}


def load(
    path: str, world: Mapping[str, object], key: bytes
) -> tuple[Groups, dict[str, str]] | None:
    """Return groups and, unparsed, people; None if the file has no entries for this world.

    It vouches for documents, so it counts only if it was sealed with the user's ``key``.
    """
    try:
        text = safe_files.read(path, _MOST, links=False).decode("ascii")
        first, *lines = sealed.unseal(text, key).split("\n")
    except (OSError, ValueError, MemoryError):
        return None
    whole = _read(first)
    if not isinstance(whole, dict) or whole.get("world") != world:
        return None
    groups, people = whole.get("groups"), {}
    if not isinstance(groups, dict):
        return None
    for line in lines:
        name, _, person = line.partition("\t")
        plain = _read(name)
        if isinstance(plain, str):
            people[plain] = person
    return {name: files for name, files in groups.items() if _files(files)}, people


def dump(world: Mapping[str, object], groups: Groups, people: Mapping[str, str], key: bytes) -> str:
    """Return the text that ``load`` reads: one line for what is shared, and one for each person."""
    # Not json.dump, which takes ten times as long.
    lines = [json.dumps({"world": world, "groups": groups}, separators=(",", ":"))]
    lines += [f"{json.dumps(path)}\t{person}" for path, person in people.items()]
    return sealed.seal("\n".join(lines), key)


def person(text: str) -> Person | None:
    """Return the entry of a person; None if it has another form."""
    value = _read(text)
    return value if _person(value) else None


def text(person: Person) -> str:
    """Return the entry of a person as one line."""
    return json.dumps(person, separators=(",", ":"))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        return None


def _files(value: object) -> bool:
    return isinstance(value, dict) and all(map(_state, value.values()))


def _person(value: object) -> bool:
    """Return whether it is a person's entry; removes what is no document."""
    if not (
        isinstance(value, dict)
        and _there(value.get("file"))
        and _all(value.get("named"), _named)
        and _all(value.get("picked"), _text)
        and _all(value.get("formats"), _text)
        and _all(value.get("variants"), _text)
        and _all(value.get("private"), _text)
        and isinstance(value.get("public"), dict)
        and all(type(count) is int for count in value["public"].values())
        and _all(value.get("said"), _diagnostic)
        and isinstance(value.get("documents"), dict)
        and isinstance(value.get("failed"), dict)
        and all(map(_diagnostic, value["failed"].values()))
    ):
        return False
    documents = value["documents"]
    for name in [name for name, one in documents.items() if not _document(one)]:
        del documents[name]
    return True


def _document(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _all(value.get("needs"), _text)
        and _all(value.get("files"), _named)
        and _placed(value.get("output"))
        and _placed(value.get("record"))
        and _all(value.get("notes"), _diagnostic)
        and _outcome(value.get("outcome"))
    )


def _outcome(value: Any) -> bool:
    return (
        _has(value, _OUTCOME)
        and _all(value["left_out"], _diagnostic)
        and _all(value["diagnostics"], _diagnostic)
        and all(isinstance(number, int | float) for number in value["verified"].values())
    )


def _diagnostic(value: Any) -> bool:
    return _has(value, _DIAGNOSTIC) and value["severity"] in _SEVERITIES


def _placed(value: Any) -> bool:
    """Return whether it is the name of an existing file, and its state."""
    return _named(value) and _there(value[1])


def _named(value: Any) -> bool:
    """Return whether it is the name of a file and its state."""
    if not isinstance(value, list) or len(value) != len(("name", "state")):
        return False
    return _text(value[0]) and _state(value[1])


def _state(value: object) -> bool:
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        return False
    numbers = value[1:]
    return len(numbers) in (1, 5) and all(type(number) is int for number in numbers)


def _there(value: Any) -> bool:
    """Return whether it is the state of an existing file."""
    return _state(value) and value[0] != ""


def _text(value: object) -> bool:
    return isinstance(value, str)


def _all(value: object, kind: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(kind, value))


def _has(value: Any, kinds: Mapping[str, tuple[type, ...]]) -> bool:
    """Return whether it is a mapping with these keys, and values of these types."""
    return (
        isinstance(value, dict)
        and value.keys() == kinds.keys()
        and all(isinstance(value[key], types) for key, types in kinds.items())
    )
