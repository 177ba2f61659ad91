"""What the sources of the examples say comes in under its key: see ``recall_table``."""

from __future__ import annotations

from dataclasses import replace

import mutants
import pytest
import recall
import recall_table
import yaml

FORMATS = recall_table.formats()


def test_every_example_has_facts() -> None:
    written = {case for cases in FORMATS.values() for case in cases}
    assert written >= {*mutants.CASES}


@pytest.mark.parametrize("name", FORMATS)
def test_no_column_is_below_its_table(name: str) -> None:
    """`python tests/recall_table.py` prints the table, and each value that didn't come."""
    measured = [recall_table.of_example(case) for case in FORMATS[name]]
    assert all(sum(count.asked for count in one.fields.values()) >= 4 for one in measured)
    row = recall_table.row(name, measured)
    assert recall_table.below(row, recall_table.PAGE.read_text("utf-8")) == []


def test_a_value_at_another_key_does_not_count() -> None:
    text = (mutants.EXAMPLES / "docx-of-levels/person.yaml").read_text("utf-8")
    facts = recall_table.facts_said()["docx-of-levels"]

    def missed(changed: str) -> list[str]:
        counts = recall.compared(facts, recall.said_by(yaml.safe_load(changed)))
        return sorted(f"{field}: {one}" for field, it in counts.items() for one in it.missed)

    assert missed(text) == []
    assert missed(text.replace("employer: Initech", "location: Initech")) == [
        "organization: Initech"
    ]
    swapped = text.replace("Initech", "X").replace("Hooli", "Initech").replace("X", "Hooli")
    assert missed(swapped) == ["organization: Hooli", "organization: Initech"]
    assert len(missed(text.replace("kind: experience", "kind: volunteer"))) == 6
    assert missed(text.replace("April 2020", "2020")) == ["date: 2020-04 to 2024-06"]


def test_a_row_below_the_table_is_noticed() -> None:
    (case,) = FORMATS["yamlresume"]
    measured = recall_table.of_example(case)
    page = recall_table.PAGE.read_text("utf-8")
    assert recall_table.below(recall_table.row("yamlresume", [measured]), page) == []
    lost = replace(measured, fields=measured.fields | {"name": recall.Counts(1, ["Ada Example"])})
    assert recall_table.below(recall_table.row("yamlresume", [lost]), page) == ["name", "all"]
