"""What of a LaTeX source is no text: arguments of layout and of tables, values of lengths."""

from __future__ import annotations

from cvbuild.importers.documents.latex import scan, symbols
from cvbuild.importers.documents.latex.tree import Cursor, chars, inside, kind


def end_of_name(cursor: Cursor) -> None:
    """Go on after ``{}``, which only ends the name of a command."""
    if cursor.at < len(cursor.nodes):
        node = cursor.nodes[cursor.at]
        if kind(node) == "Group" and not inside(node):
            cursor.at += 1


def skip_layout(name: str, cursor: Cursor) -> None:
    """Go on after the arguments of a command that are no texts."""
    cursor.star()
    cursor.option()
    for _ in range((symbols.LAYOUT | symbols.MARGINS).get(name, 0)):
        cursor.groups(1)
        cursor.option()


def skip_arguments(cursor: Cursor, environment: str) -> None:
    """Go on after the arguments of an environment of LaTeX's own, such as a table's columns."""
    makes, _, slots = symbols.environments().get(environment, "").partition(":")
    cursor.option()
    if makes == "table":
        cursor.groups(2, is_near=True)
        cursor.option()
        cursor.groups(1, is_near=True)
    elif makes == "plain":
        cursor.groups(len(slots.split()))


def skip_value(name: str, cursor: Cursor) -> bool:
    """Go on after the value of a length or a number; return whether there is one."""
    at = cursor.at
    if at >= len(cursor.nodes) or not (text := chars(cursor.nodes[at])):
        if name not in symbols.VALUES:
            return False
        following = cursor.nodes[at : at + 1]
        if following and kind(following[0]) == "Macro" and following[0].macroname in symbols.VALUES:
            cursor.at += 1
        return True
    is_value = name in symbols.VALUES
    found = (scan.VALUE if is_value else scan.ASSIGNED).match(text)
    if not found:
        return is_value
    rest = text[found.end() :]
    cursor.nodes = [*cursor.nodes[:at], *([rest] if rest else []), *cursor.nodes[at + 1 :]]
    if not rest and found[0].rstrip().endswith("=") and at < len(cursor.nodes):
        # Its value is another length.
        cursor.at += kind(cursor.nodes[at]) == "Macro"
    return True


def fills(cursor: Cursor) -> bool:
    """Return whether the space that follows fills the line: \\hspace*{\\fill}."""
    near = cursor.nodes[cursor.at : cursor.at + 2]
    groups = [one for one in near if kind(one) == "Group"]
    if near and chars(near[0]).startswith("*"):
        cursor.nodes = [
            *cursor.nodes[: cursor.at],
            chars(near[0])[1:],
            *cursor.nodes[cursor.at + 1 :],
        ]
    return any(
        kind(node) == "Macro" and node.macroname == "fill" for one in groups for node in inside(one)
    )
