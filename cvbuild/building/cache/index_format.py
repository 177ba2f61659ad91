"""The form of the index's entries, in a file that is sealed with the user's key.

What is sealed so was written by ``dump``, so only its form's number is compared. People are parsed
only when they are needed, so that a thousand take little time and memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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
#: Raised with every change of what entries hold.
_FORM = 1


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
    shared = json.loads(first)
    if shared.get("form") != _FORM or shared["world"] != world:
        return None
    named = (line.split("\t", 1) for line in lines)
    return shared["groups"], {json.loads(name): person for name, person in named}


def dump(world: Mapping[str, object], groups: Groups, people: Mapping[str, str], key: bytes) -> str:
    """Return the text that ``load`` reads: one line for what is shared, and one for each person."""
    # Not json.dump, which takes ten times as long.
    shared = {"form": _FORM, "world": world, "groups": groups}
    lines = [json.dumps(shared, separators=(",", ":"))]
    lines += [f"{json.dumps(path)}\t{person}" for path, person in people.items()]
    return sealed.seal("\n".join(lines), key)


def person(text: str) -> Person | None:
    """Return the entry of a person from its line; None if there is none."""
    entry: Person | None = json.loads(text) if text else None
    return entry


def text(person: Person) -> str:
    """Return the entry of a person as one line."""
    return json.dumps(person, separators=(",", ":"))
