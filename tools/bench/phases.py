"""Where the time of an edit goes: a profile by sampling."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from tools.bench.report import markdown
from tools.bench.single import Bench
from tools.bench.workspace import run

SAMPLER = Path(__file__).with_name("sampler.py")
#: Parts with a smaller share of the whole are summed in one line.
_LEAST = 0.01


def table(bench: Bench) -> str:
    """Return the milliseconds of each part of an edit's build, means of ``bench.count`` builds."""
    workspace, person = bench.workspace("phases"), bench.subject.person
    edits = bench.edits(workspace)
    report = workspace.folder / "samples.json"
    build = ("build", person, "-t", "academic")
    workspace.cvbuild(*build)
    spent: Counter[str] = Counter()
    plain = 0.0
    for _ in range(bench.count):
        edits.make()
        plain += workspace.cvbuild(*build).seconds
        edits.make()
        argv = [sys.executable, str(SAMPLER), str(report), *build]
        total = run(argv, workspace.folder, workspace.environment()).seconds
        found = json.loads(report.read_text(encoding="utf-8"))
        spent.update(found)
        spent["interpreter's start and end"] += total - sum(found.values())
    whole = spent.total()
    shown = [(name, one) for name, one in spent.most_common() if one >= _LEAST * whole]
    shown.append(("all else", whole - sum(one for _, one in shown)))
    rows = [["edit one bullet, sampled", "ms", "share"], ["---"] * 3]
    rows += [[name, _ms(one / bench.count), f"{one / whole * 100:.0f} %"] for name, one in shown]
    rows.append(["all", _ms(whole / bench.count), "100 %"])
    rows.append(["the same without the sampler", _ms(plain / bench.count), ""])
    return markdown(rows)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"
