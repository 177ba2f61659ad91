"""Rules that choose by tags: ``systems and not (teaching or service)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError

from cvbuild.common.errors import refused
from cvbuild.model.base import Parsed, clean
from cvbuild.model.text.lines import scalar

#: A tag; these words are none.
TAG = r"[\w][\w.+-]*"
WORDS = ("and", "or", "not")
_NO_TAGS = (*WORDS, "(", ")")
_TOKEN = re.compile(rf"\s*(?:(?P<word>{TAG})|(?P<mark>[()]))")
#: More brackets or words than anybody means.
MAX_DEPTH, MAX_TOKENS = 20, 200


#: A tag, or a word of rules with the parts that it joins.
Node: TypeAlias = "str | tuple[str, tuple[Node, ...]]"


@dataclass(frozen=True, slots=True)
class Rule(Parsed):
    """A rule as it was written, and its tree."""

    source: str
    node: Node

    def __str__(self) -> str:
        return self.source

    def matches(self, tags: Collection[str]) -> bool:
        """Return whether something with these tags meets the rule."""
        return _matches(self.node, tags)

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags that the rule names, each once, in its order."""
        return tuple(dict.fromkeys(one for one in _split(self.source) if one not in _NO_TAGS))

    @classmethod
    def of(cls, value: object) -> Rule:
        """Read a value of a file; raise PydanticCustomError."""
        if isinstance(value, Rule):
            return value
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise PydanticCustomError("string_type", "a text is needed")
        text = " ".join(clean(str(value)).split())
        return cls(text, _Reader(text).whole())

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return scalar()


def _matches(node: Node, tags: Collection[str]) -> bool:
    if isinstance(node, str):
        return node in tags
    word, parts = node
    matched = (_matches(part, tags) for part in parts)
    return not any(matched) if word == "not" else any(matched) if word == "or" else all(matched)


#: What to do about a value that is no rule.
RULE_HINT = "write tags with and, or, not and brackets: systems and not (teaching or service)"


def _fault(why: str) -> PydanticCustomError:
    return refused("rule", "{why}", RULE_HINT, why=why)


class _Reader:
    """Recursive descent: or binds least, then and, then not."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_split(text))
        if len(self._tokens) > MAX_TOKENS:
            raise _fault(f"the rule has more than {MAX_TOKENS} words")
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        if not self._tokens:
            raise PydanticCustomError("text_empty", "the text is empty")
        node = self._either()
        if self._next is not None:
            why = "a bracket is closed that was not opened"
            if self._next != ")":
                why = f'"and" or "or" is missing before "{self._next}"'
            raise _fault(why)
        return node

    @property
    def _next(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _either(self) -> Node:
        return self._joined("or", lambda: self._joined("and", self._one))

    def _joined(self, word: str, part: Callable[[], Node]) -> Node:
        nodes = [part()]
        while self._next == word:
            self._at += 1
            nodes.append(part())
        return nodes[0] if len(nodes) == 1 else (word, tuple(nodes))

    def _one(self) -> Node:
        word = self._next
        self._at += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _fault("the rule has too many brackets inside each other")
        try:
            if word == "not":
                return "not", (self._one(),)
            if word == "(":
                node = self._either()
                if self._next != ")":
                    raise _fault("a bracket is not closed")
                self._at += 1
                return node
            if word is None or word in _NO_TAGS:
                before = f'"{word}"' if word else "the end"
                raise _fault(f"a tag is missing before {before}")
            return word
        finally:
            self._depth -= 1


def _split(text: str) -> list[str]:
    tokens, position = [], 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            rest = text[position:].strip()
            raise _fault(f'a rule can\'t have "{rest[0]}": it is tags, and, or, not and brackets')
        tokens.append(token["word"] or token["mark"])
        position = token.end()
    return tokens
