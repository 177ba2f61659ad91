"""Remedies help: what each message of ``tests/bad`` says to do is done, and then its error is gone.

``RULES`` follow the remedies that say themselves what to write. Other folders have a table in
``tests/bad/mended.toml``: what somebody who does what the messages say writes in the place of
what; then the file is accepted.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from conftest import Run
from PIL import Image
from test_bad import BAD, CASES, PLACE, copied, messages

MENDED = tomllib.loads((BAD / "mended.toml").read_text("utf-8"))
PICTURE = "portrait.png"
#: What is written in the place of the wrong key or value, by the remedy: ``new`` of it, or this.
RULES = {
    r'did you mean "(?P<new>[^"]+)"\?': "",
    r".*\bsuch as (?P<new>[^,;]+?)(?:,? or .*|,.*)?": "",
    r"write one of (?P<new>[^,]+),.*": "",
    r"write (?P<new>\w+)(?:, [\w-]+)* or [\w-]+": "",
    r"write a (?:whole )?number from \d+ to (?P<new>\d+)": "",
    r"(?:the|known) [a-z]+(?: are)?: (?P<new>[^,]+)(?:, .*)?": "",
    r"(?:for two years, )?write (?P<new>\d{4}(?:-\d\d){0,2}(?: to (?:present|\d{4}(?:-\d\d)*))?)"
    r"(?: or .*)?": "",
    r"write (?P<new>[a-z-]+)(?:, which has taken its place)?": "",
    r"write 2020, .*": "2020",
    r"write (?P<new>[A-Z][\w. †]+?)(?:; cvbuild finds.*)?": "",
    r"write (?P<new>\{.*\})": "",
    r"write something.*|write one text|write a text": "Text",
    r"months go from 01 to (?P<new>12)": "2020-12",
    r"check the calendar": "2020-02-28",
    r"write the year with four digits": "2020",
    r"name a PNG or JPEG file in this file's folder|make it smaller: .*": PICTURE,
}
UNSEEN = re.compile(r"U\+(?P<code>[0-9A-F]{4,6})\b.*; (?:.*, or )?delete")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'')
_KEY = re.compile(r"[\w./+-]+(?=:(?:\s|$))")


def written(line: str, at: int) -> str:
    """The key or the value that begins there."""
    rest, before = line[at:], _QUOTED.sub("", line[:at])
    if found := _QUOTED.match(rest) or _KEY.match(rest):
        return found.group()
    if rest[:1] in ("[", "{"):
        depths = [rest[: end + 1] for end, sign in enumerate(rest) if sign in "]}"]
        ends = (
            one for one in depths if one.count("[") + one.count("{") == len(re.findall("[]}]", one))
        )
        return next(ends, rest)
    is_flow = sum(map(before.count, "[{")) > sum(map(before.count, "]}"))
    found = re.match(r"[^,\]}]+" if is_flow else r".*?(?=\s+#|$)", rest)
    return found.group() if found else ""


def remedy(rest: str) -> str | None:
    """What a message says to write; None if it has to be understood."""
    hints = [rest[match.end() :] for match in re.finditer("; ", rest)]
    for rule, usual in RULES.items():
        for hint in hints:
            if match := re.fullmatch(rule, hint):
                return usual or match["new"]
    return None


def followed(found: re.Match[str], text: str) -> str | None:
    """The text of a file after the remedy of a message; None if a machine can't follow it."""
    if not found["line"]:
        return None
    lines = text.split("\n")
    line, at = lines[int(found["line"]) - 1], int(found["column"]) - 1
    if unseen := UNSEEN.search(found["rest"]):
        sign = chr(int(unseen["code"], 16))
        escape = re.compile(rf"{re.escape(sign)}|\\u{unseen['code']}", re.IGNORECASE)
        line = escape.sub("", line)
    elif new := remedy(found["rest"]):
        old = written(line, at)
        space = " " if line[at - 1 : at] in (":", "-") else ""
        line = f"{line[:at]}{space}{new}{line[at + len(old) :]}"
    else:
        return None
    lines[int(found["line"]) - 1] = line
    return "\n".join(lines)


def told(run: Run, names: list[str]) -> tuple[int, Counter[str]]:
    ran = run("check", *names)
    return ran.code, Counter(m["rest"] for m in map(PLACE.match, ran.err.splitlines()) if m)


def test_every_table_is_of_a_folder() -> None:
    assert {name.split("/")[0] for name in MENDED} <= {*CASES}


@pytest.mark.parametrize("case", CASES)
def test_a_remedy_helps(
    case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied(case, tmp_path))
    names = ["profile.yaml"] if Path("profile.yaml").exists() else []
    for folder in {Path(found["file"]).parent for found in messages(case)}:
        Image.new("RGB", (300, 400), (120, 140, 160)).save(folder / PICTURE)
    before = Counter(found["rest"] for found in messages(case))
    if mended := {name: new for name, new in MENDED.items() if name.split("/")[0] == case}:
        for name, changes in mended.items():
            file = Path(name.partition("/")[2] or "profile.yaml")
            data = file.read_bytes()
            text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8", "replace")
            for old, new in changes.items():
                assert old in text, old
                text = text.replace(old, new) if old else new
            file.write_text(text, "utf-8")
        code, after = told(run, names)
        assert (code, after & before) == (0, Counter()), after
        return
    for found in messages(case):
        file = Path(found["file"])
        data = file.read_bytes()
        better = followed(found, data.decode("utf-8", "replace"))
        assert better is not None, f"not to be followed by a machine: {found.group()}"
        file.write_text(better, "utf-8")
        _, after = told(run, names)
        assert after[found["rest"]] < before[found["rest"]], (found.group(), better)
        more = [one for one in after - before if not one.startswith(("note: ", "warning: "))]
        assert more == [], (found.group(), better)
        file.write_bytes(data)
