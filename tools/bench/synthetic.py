"""CVs of invented people, one page each in the academic template: one person per number."""

from __future__ import annotations

import random
from pathlib import Path

import yaml


def _listed(text: str) -> list[str]:
    return text.split("|")


_GIVEN = _listed("Ada|Ben|Carla|Dario|Edda|Felix|Greta|Hugo|Iris|Jonas|Klara|Leo|Mira|Nils|Olga")
_FAMILY = _listed("Example|Sample|Specimen|Muster|Placeholder|Testcase|Pattern|Template")
_FIELDS = _listed("Computer Science|Physics|Statistics|Economics|Linguistics|Biology|Mathematics")
_TOWNS = _listed("Springfield|Rivertown|Lakeside|Hillford|Port Amber|Northbridge|Eastmoor")
_KINDS = _listed("University|Institute of Technology|College|Academy")
_FIRMS = _listed("Analytics|Instruments|Logistics|Software|Robotics|Energy|Laboratories")
_TITLES = _listed("Engineer|Analyst|Researcher|Consultant")
_VERBS = _listed("Designed|Built|Measured|Led|Rewrote|Automated|Introduced|Reviewed")
_THINGS = _listed(
    "a scheduler for batch jobs|the billing pipeline|a catalogue of star clusters|"
    "the release process|a model of demand|the search index|a survey of dialects|"
    "the monitoring of three data centres|a course on experimental design"
)
_ENDS = _listed(
    "used by {n} people every day|which cut costs by {p} %|in a team of {s}|"
    "with {n} tests and no downtime|for {s} partners in {s} countries|{p} % faster than before"
)
_SKILLS = _listed("Python|R|C++|SQL|Rust|Julia|Linux|Git|Docker|statistics|writing|teaching")
_VENUES = _listed("Journal of Examples|Conference on Samples|Workshop on Instances")


def person(number: int) -> str:
    """Return the YAML of a person, the same for the same number; addresses are reserved ones."""
    rolls = random.Random(number)
    given, family = rolls.choice(_GIVEN), f"{rolls.choice(_FAMILY)} {_letters(number)}"
    field = rolls.choice(_FIELDS)
    data = {
        "name": {"given": given, "family": family},
        "headline": f"{rolls.choice(_TITLES)} and teacher of {field}",
        "contact": {
            "email": f"{given}{number}@example.org".lower(),
            "phone": f"+1 202 555 01{number % 100:02}",
            "address": f"{number} Example Street, {rolls.choice(_TOWNS)}",
            "website": f"{given}{number}.example.org".lower(),
        },
        "sections": [
            {"kind": "education", "items": [_degree(rolls, field, n) for n in range(2)]},
            {"kind": "experience", "items": [_job(rolls, n) for n in range(3)]},
            {"kind": "publication", "items": [_paper(rolls, given, family) for _ in range(2)]},
            {"kind": "skill", "items": _skills(rolls)},
        ],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def people(folder: Path, count: int) -> list[str]:
    """Write the files of ``count`` people into a folder; their stems in order."""
    folder.mkdir(parents=True, exist_ok=True)
    stems = [f"person-{number:04}" for number in range(count)]
    for number, stem in enumerate(stems):
        (folder / f"{stem}.yaml").write_text(person(number), encoding="utf-8")
    return stems


def _letters(number: int) -> str:
    """Return a name for each number: no two people have the same."""
    letters = ""
    while True:
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnprstvwxyz"[digit] + "aeiou"[digit % 5]
        if not number:
            return letters.capitalize()


def _degree(rolls: random.Random, field: str, number: int) -> dict[str, object]:
    end = 2020 - 4 * number - rolls.randrange(3)
    return {
        "institution": f"{rolls.choice(_TOWNS)} {rolls.choice(_KINDS)}",
        "degree": f"{('M.Sc.', 'B.Sc.')[number]} in {field}",
        "location": rolls.choice(_TOWNS),
        "date": f"{end - 3}-10 to {end}-07",
    }


def _job(rolls: random.Random, number: int) -> dict[str, object]:
    begin = 2021 - 3 * number
    return {
        "employer": f"{rolls.choice(_TOWNS)} {rolls.choice(_FIRMS)}",
        "title": rolls.choice(_TITLES),
        "location": rolls.choice(_TOWNS),
        "date": f"{begin}-0{rolls.randrange(1, 10)} to {begin + 2}-12",
        "bullets": [_bullet(rolls) for _ in range(3)],
    }


def _bullet(rolls: random.Random) -> str:
    end = rolls.choice(_ENDS).format(
        n=rolls.randrange(20, 5000), p=rolls.randrange(5, 60), s=rolls.randrange(3, 12)
    )
    return f"{rolls.choice(_VERBS)} {rolls.choice(_THINGS)}, {end}."


def _paper(rolls: random.Random, given: str, family: str) -> dict[str, object]:
    others = [f"{rolls.choice(_GIVEN)} {rolls.choice(_FAMILY)}" for _ in range(3)]
    return {
        "title": f"On {rolls.choice(_THINGS)} {rolls.randrange(100, 1000)}",
        "authors": [f"{given} {family}", *dict.fromkeys(others)],
        "venue": rolls.choice(_VENUES),
        "date": str(rolls.randrange(2012, 2024)),
    }


def _skills(rolls: random.Random) -> list[dict[str, object]]:
    return [{"name": name, "keywords": rolls.sample(_SKILLS, 4)} for name in ("Technical", "Other")]
