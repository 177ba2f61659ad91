"""The texts of pages without what is none: templates, shortcodes, pictures, rules, simple HTML."""

from __future__ import annotations

import re

#: {% for … %}, {{ site.x }}, {{< figure >}}, {: .button}, <!-- … -->
_CODE = re.compile(r"\{%[^{}]*%\}|\{\{[^{}]*\}\}|\{:[^{}]*\}|<!--[^<>]*-->")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(([^)\s]*)[^)\n]*\)")
_RULE = re.compile(r"(?m)^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")
_UNDERLINED = re.compile(r"(?m)^(\S.*)\n(?:=|-){3,}[ \t]*$")
#: HTML inside of Markdown, and what says the same there.
_TAGS = (
    (re.compile(r"</?(?:b|strong)>", re.IGNORECASE), "**"),
    (re.compile(r"</?(?:i|em)>", re.IGNORECASE), "*"),
    (re.compile(r"<br ?/?>|</?(?:p|div)(?: [^<>]*)?>", re.IGNORECASE), "\n\n"),
    (re.compile(r"</?(?:span|u|font|center|small)(?: [^<>]*)?>", re.IGNORECASE), ""),
    (
        re.compile(r"<a [^<>]*href=[\"']?([^\"'<>\s]+)[^<>]*>([^<>]+)</a>", re.IGNORECASE),
        r"[\2](\1)",
    ),
)
_SCRIPT = re.compile(r"<(sup|sub)>([^<>]*)</\1>", re.IGNORECASE)
#: Digits and signs above and below the line: CommonMark has no other way.
_RAISED = {
    "sup": str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"),
    "sub": str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋"),
}
_LISTS = re.compile(r"<(?:ul|ol|li|table|tr|h[1-6]|dl|img)\b", re.IGNORECASE)


def clean(text: str) -> tuple[str, list[str]]:
    """Return a text as Markdown, and what its pictures are called.

    Underlined headings get hash signs. HTML with lists stays as it is.
    """
    pictures = [" ".join(filter(None, found.groups())) for found in _IMAGE.finditer(text)]
    text = _UNDERLINED.sub(r"\n## \1\n", _CODE.sub("", _IMAGE.sub("", text)))
    text = _RULE.sub("", text)
    if "<" in text and not _LISTS.search(text):
        for tag, written in _TAGS:
            text = tag.sub(written, text)
        text = _SCRIPT.sub(lambda one: one[2].translate(_RAISED[one[1].lower()]), text)
    return text.strip(), pictures
