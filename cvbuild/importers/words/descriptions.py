"""Descriptions of several paragraphs and points, put where a kind of item has them."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from cvbuild.importers.words import html_texts
from cvbuild.importers.words.html_texts import Block, Blocks
from cvbuild.inputs.validation import slots
from cvbuild.model import kinds
from cvbuild.model.kinds.work import Role

_SENTENCE = (".", "!", "?", ";", "…", "。", "”")


def describe(item: dict[str, Any], kind: str, text: str) -> list[str]:
    """Put a text with paragraphs and bullets into an item, under the keys that its kind has.

    ``kind`` is that of the section, or ``role`` for a position at an employer. Returns what has no
    place there, such as the address of a link that no document may have.
    """
    return put(item, kind, html_texts.read(text))


def put(item: dict[str, Any], kind: str, blocks: Blocks) -> list[str]:
    """Put blocks into an item, after what it has already; see ``describe``."""
    keys = keys_of(kind)
    if "bullets" not in keys:
        key = "summary" if "summary" in keys else "quote" if "quote" in keys else ""
        if not key:
            return [*blocks.lost, *blocks.paragraphs]
        item[key] = joined([item.get(key, ""), *blocks.paragraphs])
        return blocks.lost
    opening = _opening(blocks.blocks) if "summary" in keys and "bullets" not in item else []
    if opening:
        item["summary"] = joined([item.get("summary", ""), *(block.text for block in opening)])
    points = nested(blocks.blocks[len(opening) :])
    if points:
        item["bullets"] = [*item.get("bullets", ()), *points]
    return blocks.lost


def joined(parts: list[str]) -> str:
    """Return texts as one; a full stop stands where one has no end of a sentence."""
    made = ""
    for part in filter(None, parts):
        between = "" if not made else " " if made.endswith((*_SENTENCE, ":", ",")) else ". "
        made += between + part
    return made


def nested(blocks: list[Block]) -> list[Any]:
    """Return paragraphs and points as bullets; deeper ones, and those after a colon, are inner.

    A bullet with points at a third level is one text with a list in it.
    """
    points: list[Any] = []
    is_under = False
    for index, block in enumerate(blocks):
        if block.level is None:
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            is_under = bool(block.text.endswith(":") and following and following.level is not None)
        elif points and (block.level > 0 or is_under):
            if not isinstance(points[-1], dict):
                points[-1] = {"text": points[-1], "bullets": []}
            depth = max(0, (block.level or 0) - 1) if points[-1]["bullets"] else 0
            points[-1]["bullets"].append((depth, block.text))
            continue
        points.append(block.text)
    return [_bullet(point) if isinstance(point, dict) else point for point in points]


def _bullet(point: dict[str, Any]) -> Any:
    """Return a point with those under it, each with how much deeper it is than the second level."""
    inner = point["bullets"]
    if not any(depth for depth, _ in inner):
        return {**point, "bullets": [text for _, text in inner]}
    return "\n".join([point["text"], *(f"{'  ' * depth}- {text}" for depth, text in inner)])


def _opening(blocks: list[Block]) -> list[Block]:
    """Return the paragraphs that are prose: all before the points, or the first line of several."""
    first = next((at for at, block in enumerate(blocks) if block.level is not None), len(blocks))
    before = blocks[:first]
    if all(block.text.rstrip("*`").endswith(_SENTENCE) for block in before[:-1]):
        return before
    return before[:1]


@cache
def keys_of(kind: str) -> frozenset[str]:
    """Return the keys that items of a kind have."""
    return frozenset(slots.keys(item_model(kind)))


def item_model(kind: str) -> type[BaseModel]:
    """Return the model of a kind's items; ``role`` is that of a position at an employer."""
    if kind == "role":
        return Role
    annotation = kinds.of(kind).section.model_fields["items"].annotation  # type: ignore[union-attr]
    (model,) = (one for one in leaves(annotation) if hasattr(one, "model_fields"))
    found: type[BaseModel] = model
    return found


def leaves(annotation: Any) -> list[Any]:
    """Return the types that an annotation is made of."""
    inner = get_args(annotation)
    return [leaf for one in inner for leaf in leaves(one)] if inner else [annotation]
