"""No word is lost in silence, whatever is changed in an example: see ``mutants``."""

from __future__ import annotations

import mutants
import pytest

from cvbuild.importers.draft import Draft

#: Of each example, in the short run and in the long one; in some minutes more are made by
#: `python tests/helpers/mutants.py --count 20000`.
FEW, MANY = 1, 6


@pytest.mark.parametrize("case", mutants.CASES)
def test_each_word_is_in_the_file_or_told(case: str) -> None:
    check(case, range(FEW))


@pytest.mark.deep
@pytest.mark.parametrize("case", mutants.CASES)
def test_each_word_of_many_mutants(case: str) -> None:
    check(case, range(FEW, MANY))


def check(case: str, seeds: range) -> None:
    made = [mutants.mutant(case, seed) for seed in seeds]
    assert any(one.words for one in made), "no word was put in"
    lost = {f"{case} {one.seed}": found for one in made if (found := one.lost())}
    assert lost == {}


def test_a_word_that_is_swallowed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle sees what it is for: an importer that forgets a key without a note."""
    monkeypatch.setattr(Draft, "lose", lambda *_, **__: None)
    lost = [found for seed in range(3) if (found := mutants.mutant("jsonresume", seed).lost())]
    assert lost
