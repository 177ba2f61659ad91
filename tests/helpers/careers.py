"""People whose facts don't fit one page, or do: YAML of the shapes that CVs have."""

from __future__ import annotations

LOREM = (
    "Designed and built a distributed scheduler for heterogeneous clusters that raised the "
    "utilisation of the whole installation and cut the waiting time of short jobs"
)
HEAD = "name: Ada Example\nheadline: Engineer\ncontact: {email: ada@example.org}\n"
EDUCATION = """\
  - kind: education
    items:
      - {institution: Example University, degree: M.Sc. in Computer Science, date: 2007 to 2009}
      - {institution: Sample College, degree: B.Sc. in Mathematics, date: 2004 to 2007}
"""
MINOR = """\
  - kind: reference
    items:
      - {name: Grace Sample, title: Director, institution: Example Corp, quote: "The best engineer \
that I have ever worked with, and the kindest."}
      - {name: Sam Specimen, title: Professor, institution: Example University, quote: "A mind \
that sees the whole of a system at once."}
      - {name: Kim Muster, title: Founder, institution: Muster Works, quote: "Ask Ada."}
  - {kind: keywords, items: [chess, sailing, baroque music]}
  - {kind: text, title: Motto, items: Make it work and make it last.}
"""


def jobs(count: int, bullets: int) -> str:
    lines = ["  - kind: experience", "    items:"]
    for number in range(1, count + 1):
        start = 2026 - 2 * number
        job = f"employer: Company {number}, title: Developer, date: {start} to {start + 2}"
        lines.append(f"      - {{{job},")
        texts = ", ".join(f"Point {number}-{b}. {LOREM}." for b in range(1, bullets + 1))
        lines.append(f"         bullets: [{texts}]}}")
    return "\n".join(lines) + "\n"


def engineer() -> str:
    """15 years, 8 jobs with bullets, awards, skills, references, interests, a motto."""
    awards = "\n".join(
        f"      - {{title: Award {n}, awarder: Example Society, date: {2020 - n}}}"
        for n in range(6)
    )
    return (
        f"{HEAD}interests: [Cycling tours, Bread]\nsections:\n{MINOR}{jobs(8, 5)}{EDUCATION}"
        f"  - kind: award\n    items:\n{awards}\n"
        "  - {kind: skill, items: [{name: Programming, keywords: [Python, Rust, SQL]}]}\n"
    )


def with_key(text: str, key: str) -> str:
    return text.replace("  - kind: ", f"  - {key}\n    kind: ").replace(
        "  - {kind: ", f"  - {{{key}, kind: "
    )
