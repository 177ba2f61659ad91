"""Changes of files of other programs, by their format: words are put in, and parts moved."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

import yaml

#: Of ten places so many get a word of their own.
_SHARE = 3
#: How many changes of its structure a mutant has at most.
_MOST = 3
_GAP = re.compile(r"(?<=[a-zäöü,.;]) (?=[A-Za-zÄÖÜ])")
#: Keys whose values only registries and programs use: they are named, not shown.
_UNSEEN = re.compile(
    r"(?i)(put-code|path|visibility|.*-date|source.*|history|uri|host|language|language-code"
    r"|display-index|preferences|review-group-id|external-id.*|country|country-code|primary"
    r"|verified|disambiguated.*|meta|layouts?|design|settings|locale|\$schema|kind|type|year|month"
    r"|day|schemaid|taxonomyid|.*code|.*id|mimetype|data|documentinfo|printingpreferences"
    r"|order|rank|put_code|status|message-.*|issued|accessed|reference.*|license|link|indexed"
    r"|created|deposited|score|member|prefix|content-domain|published.*|date.*|start.*|end.*"
    r"|url|doi|issn|isbn|keyword|keywords|coauthors|person|crossref|ee|aux|series|cite"
    r"|sequence|affiliation|caption|citation-key|attachment.*|currency.*|scorenumeric|listname|.*identifier.*|isocode)"
)


class Words:
    """Makes words that exist nowhere, and keeps those that stand in a mutant."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.planted: set[str] = set()

    def __call__(self) -> str:
        word = "zq" + "".join(self.rng.choices("bcdfghjklmnprstvwx", k=7))
        self.planted.add(word)
        return word

    def into(self, text: str) -> str:
        """Return a text, in three of ten cases with a word after it."""
        # An archive's name with a number behind it is short for one.
        is_shown = text.strip() and not text.startswith(("CoRR", "arXiv"))
        return f"{text} {self()}" if self.rng.randrange(10) < _SHARE and is_shown else text

    def between(self, text: str) -> str:
        """Return a text with words in three of twenty gaps between others."""
        return _GAP.sub(lambda _: f" {self()} " if self.rng.randrange(20) < _SHARE else " ", text)


def content(file: str, data: bytes) -> str:
    """Return what the words of a file stand in, without what no reader of it would see."""
    if not file.endswith(".docx"):
        return _HIDDEN.sub(" ", data.decode("utf-8", "replace"))
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        text = package.read("word/document.xml").decode()
    # What older programs show in place of a text box is the same once more.
    return re.sub(r"<mc:Fallback>.*?</mc:Fallback>", "", text, flags=re.DOTALL)


#: Comments, commands of site generators, attributes of HTML, and what TeX skips.
_HIDDEN = re.compile(
    r"<!--.*?-->|^# .*?$|^title: \"About.*?$|^  caption: .*?$|"
    r"\{[{%].*?[%}]\}|<(?:img|br|a|span|div)\b[^>]*>|\\iffalse.*?\\fi\b",
    re.DOTALL | re.MULTILINE,
)


def _changed(value: Any, words: Words) -> Any:
    """Return data with words in its texts."""
    if isinstance(value, dict):
        return {
            key: inner if _UNSEEN.fullmatch(str(key)) else _changed(inner, words)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_changed(one, words) for one in value]
    return words.into(value) if isinstance(value, str) else value


def _restructured(value: Any, rng: random.Random) -> None:
    """Double, remove, rename or move something in data, in place."""
    holders = [one for one in _holders(value) if len(one) > 1]
    for _ in range(rng.randrange(_MOST + 1) if holders else 0):
        holder = rng.choice(holders)
        what = rng.randrange(4)
        if isinstance(holder, list):
            at = rng.randrange(len(holder))
            if what == 0:
                holder.append(json.loads(json.dumps(holder[at], default=str)))
            elif what == 1 and len(holder) > 1:
                del holder[at]
            else:
                rng.shuffle(holder)
            continue
        key = rng.choice(list(holder))
        if what == 0 and not _UNSEEN.fullmatch(str(key)):
            holder[f"{key}x"] = holder[key]
        elif what == 1:
            del holder[key]
            holder.setdefault("other", "")
        elif what == 2 and not _UNSEEN.fullmatch(str(key)):
            holder[f"own{key}"] = holder.pop(key)
        else:
            holder |= {key: holder.pop(key)}


def _holders(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict | list):
        yield value
    for one in inner:
        yield from _holders(one)


def _json(data: bytes, words: Words) -> bytes:
    value = _changed(json.loads(data), words)
    _restructured(value, words.rng)
    return json.dumps(value, ensure_ascii=False).encode()


def _yaml(data: bytes, words: Words) -> bytes:
    value = _changed(yaml.safe_load(data), words)
    _restructured(value, words.rng)
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False).encode()


#: Elements with all in them: how the document was made, who holds the data, flags.
_SKIPPED = re.compile(
    "DocumentInfo|PrintingPreferences|RenderingInformation|CandidateSupplier|Ongoing|Current.*"
    "|coauthors|person|EmbeddedData|Type"
)


def _xml(data: bytes, words: Words) -> bytes:
    root = ET.fromstring(data)
    hidden = {
        inner
        for one in root.iter()
        if _SKIPPED.fullmatch(one.tag.rpartition("}")[2])
        for inner in one.iter()
    }
    for one in root.iter():
        name = one.tag.rpartition("}")[2]
        is_leaf = not len(one) and one not in hidden
        if is_leaf and one.text and one.text.strip() and not _UNSEEN.fullmatch(name):
            one.text = words.into(one.text)
    parents = [one for one in root.iter() if len(one) > 1]
    for _ in range(words.rng.randrange(_MOST + 1) if parents else 0):
        parent = words.rng.choice(parents)
        at = words.rng.randrange(len(parent)) if len(parent) else 0
        what = words.rng.randrange(3)
        if what == 0 and len(parent):
            parent.insert(at, parent[at])
        elif what == 1 and len(parent):
            parent.remove(parent[at])
        else:
            parent[:] = words.rng.sample(list(parent), len(parent))
    return ET.tostring(root)


#: Columns of LinkedIn that say something of the data, not of the person.
_FLAGS = ("Confirmed", "Primary", "Updated On", "Creation Date", "Status")


def _csv(data: bytes, words: Words) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    shown = [column not in _FLAGS for column in rows[0]]
    rows[1:] = [
        [words.into(cell) if is_shown else cell for cell, is_shown in zip(row, shown, strict=False)]
        for row in rows[1:]
    ]
    if len(rows) > 2 and words.rng.random() < 0.5:
        rows.append(list(words.rng.choice(rows[1:])))
    if words.rng.random() < 0.3:
        rows[0][words.rng.randrange(len(rows[0]))] += " New"
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue().encode()


def _lines(text: str, rng: random.Random) -> bytes:
    """Return lines of which some are doubled, removed or elsewhere."""
    lines = text.split("\n")
    for _ in range(rng.randrange(_MOST + 1)):
        at = rng.randrange(len(lines))
        whole = [lines[at].count(one) == lines[at].count(two) for one, two in ("{}", "[]", "()")]
        if not all(whole) or re.search(r"\\(?:begin|end|def|new)|^---|^```|^%", lines[at]):
            continue
        what = rng.randrange(3)
        if what == 0:
            lines.insert(at, lines[at])
        elif what == 1:
            del lines[at]
        else:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
    return "\n".join(lines).encode()


UNPRINTED = re.compile(
    r"\\(?:begin|end|def|(?:re)?newcommand|(?:re)?newenvironment|set\w+|usepackage|includegraphics"
    r"|bibliography|printbibsection|ecvbigitem|printbibliography|input|hypersetup|colorlet|definecolor|new\w+|wheelchart"
    r"|hspace|vspace|addbibresource|photo|cvtranslate)|^\s*%"
)


def _tex(data: bytes, words: Words) -> bytes:
    text = data.decode()
    before, mark, body = text.partition("\\begin{document}")
    if not mark:
        before, body = "", text
    body, end, after = body.partition("\\end{document}")
    rng = words.rng
    lines = []
    for line in body.split("\n"):
        (found,) = re.findall(r"\A((?:[^%\\]|\\.)*)(%?)(.*)\Z", line, re.DOTALL)
        shown, percent, comment = found
        if not UNPRINTED.search(line):
            shown = words.between(shown)
        lines.append(shown + percent + comment)
    whole = [
        at
        for at, line in enumerate(lines)
        if line.strip() and line.count("{") == line.count("}") and not UNPRINTED.search(line)
    ]
    for _ in range(rng.randrange(_MOST + 1) if whole else 0):
        at, to = rng.choice(whole), rng.choice(whole)
        what = rng.randrange(3)
        if what == 0:
            lines[at] = f"{lines[at]}\n{lines[at]}"
        elif what == 1:
            lines[at], lines[to] = lines[to], lines[at]
        else:
            # A command that nobody knows.
            lines[at] = re.sub(r"\\(cv\w+|\w*entry|\w*item|skill)\b(?=\{)", r"\\own\1", lines[at])
    return (before + mark + "\n".join(lines) + end + after).encode()


def _markdown(data: bytes, words: Words) -> bytes:
    return _lines(words.between(data.decode()), words.rng)


def _ris(data: bytes, words: Words) -> bytes:
    text = re.sub(
        r"(?m)^((?:A[U1]|T[I12]|JO|N1|KW|PB|CY|A2|ED)  - .+)$",
        lambda found: words.into(found[1]),
        data.decode(),
    )
    return _lines(text, words.rng)


def _bib(data: bytes, words: Words) -> bytes:
    fields = re.compile(
        r"(?m)^(?!.*arXiv)\s*(?:title|note|journal|booktitle|publisher|school)\s*=.*$"
    )
    text = fields.sub(
        lambda found: _GAP.sub(lambda gap: f"{words.into(' x')[2:]}{gap[0]}", found[0]),
        data.decode(),
    )
    return _lines(text, words.rng)


def _docx(data: bytes, words: Words) -> bytes:
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as package,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as changed,
    ):
        for name in package.namelist():
            content = package.read(name)
            if name == "word/document.xml":
                content = _word(content.decode(), words).encode()
            changed.writestr(name, content)
    return made.getvalue()


def _word(text: str, words: Words) -> str:
    rng = words.rng
    text = re.sub(
        r"(<w:t(?: [^>]*)?>)([^<]*[A-Za-z]{3}[^<]*)(?=</w:t>)",
        lambda found: found[1] + words.into(found[2]),
        text,
    )
    paragraphs = re.findall(r"<w:p[ >](?:(?!<w:p[ >]|<w:txbx|<w:sectPr).)*?</w:p>", text, re.DOTALL)
    for _ in range(rng.randrange(_MOST + 1) if paragraphs else 0):
        one, other = rng.choice(paragraphs), rng.choice(paragraphs)
        text = text.replace(one, one + other if rng.random() < 0.5 else other, 1)
    return text


CHANGES: dict[str, Callable[[bytes, Words], bytes]] = {
    "json": _json, "yaml": _yaml, "yml": _yaml, "xml": _xml, "csv": _csv, "md": _markdown,
    "tex": _tex, "bib": _bib, "docx": _docx,
}  # fmt: skip
