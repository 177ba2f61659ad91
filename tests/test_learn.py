"""``make train``: it repeats, cvbuild reads what it makes, and no person is in its data."""

from __future__ import annotations

import random
import re
from math import exp, tanh
from operator import add, mul
from pathlib import Path

import pytest

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers.documents import cells, features, labels, lexicon, network, vocabulary
from cvbuild.model import kinds
from tools.learn import generate, real


def test_it_learns_the_same_twice() -> None:
    pytest.importorskip("torch")
    from tools.learn import train

    few = generate.invented(1, 8)
    first, second = (train.trained(few, 2) for _ in range(2))
    assert first == second
    cells_of, own = few[0]
    assert {label.name for label in labels.read(first, cells_of)} <= set(real.LABELS)
    assert len(labels.read(first, cells_of)) == len(own)


def test_sums_of_whole_numbers_are_those_of_decimals() -> None:
    rng = random.Random(1)

    def matrix(inputs: int, outputs: int) -> network.Matrix:
        columns = [bytes(rng.randrange(256) for _ in range(outputs)) for _ in range(inputs)]
        return network.Matrix(columns, 0.02, [rng.random() for _ in range(outputs)])

    def times(made: network.Matrix, given: list[float]) -> list[float]:
        rows = zip(*([byte - network.ZERO for byte in one] for one in made.weights), strict=True)
        sums = [sum(map(mul, row, given)) * made.scale for row in rows]
        return [*map(add, sums, made.bias)]

    def sigmoid(number: float) -> float:
        return 1 / (1 + exp(-number))

    for inputs, states in ((3, 2), (40, 25)):
        layer = network.Layer(matrix(inputs, 3 * states), matrix(states, 3 * states))
        cells_of = [[rng.uniform(-1, 1) for _ in range(inputs)] for _ in range(6)]
        state = [0.0] * states
        units = [[round(one * network.UNIT) for one in cell] for cell in cells_of]
        for cell, found in zip(cells_of, layer.read(units), strict=True):
            given, kept = times(layer.given, cell), times(layer.kept, state)
            gates = [sigmoid(one + other) for one, other in zip(given, kept, strict=True)]
            new = [
                tanh(given[-states + at] + gates[at] * kept[-states + at]) for at in range(states)
            ]
            keep = gates[states : 2 * states]
            mixed = zip(keep, state, new, strict=True)
            state = [part * old + (1 - part) * own for part, old, own in mixed]
            assert [one / network.UNIT for one in found] == pytest.approx(state, abs=0.02)


def test_no_text_of_a_person_is_in_the_data() -> None:
    """A word of a feature is one of the program's own, or a number."""
    modules = (features, cells, lexicon)
    sources = (Path(module.__file__ or "").read_text("utf-8") for module in modules)
    own = set(re.findall(r"[A-Za-z]+", " ".join(sources))) | set(kinds.KINDS)
    own |= {"interests", "paragraph", "summary", "True", "False", "None"}
    own |= set(vocabulary.TABLES["columns"])
    documents = real.load()
    names = {name for known, _ in documents for cell in known for name in cell}
    for name in names:
        if not re.fullmatch(r"[WLE]:[0-9a-f]{1,4}|endc=.", name, re.DOTALL):
            assert set(re.findall(r"[^\W\d_]+", name)) <= own, name
            assert len(name) < 40, name
    assert {label for _, found in documents for label in found} <= set(real.LABELS)


def test_labelled_files_come_back(tmp_path: Path) -> None:
    source, table = tmp_path / "cv.md", tmp_path / "cv.cells"
    source.write_text("# Ada Example\n\n## Work\n\n### Engineer, Example Ltd\n\n2019 – 2021\n")
    table.write_text(real.lines(source), "utf-8")
    rows = [row.partition("\t") for row in table.read_text("utf-8").splitlines()]
    names, found = real.labelled(table, source)
    assert found == [label for label, mark, _ in rows if mark]
    file = tmp_path / "real"
    real.save([(names, found)] * 3, file)
    assert real.load(file) == [([sorted(set(cell)) for cell in names], found)] * 3


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x81\xa6labels\x01", None])
def test_damaged_weights_are_told(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.msgpack"
    path.write_bytes(labels._FILE.read_bytes()[:-1] + b"?" if content is None else content)
    monkeypatch.setattr(labels, "_FILE", path)
    with pytest.raises(CvbuildError, match=r"labels\.msgpack"):
        labels.network.__wrapped__()


@pytest.mark.parametrize("content", [None, b""])
def test_a_lost_lexicon_is_told(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lexicon.bin"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(lexicon, "FILE", path)
    with pytest.raises(CvbuildError, match=r"lexicon\.bin"):
        lexicon._bits.__wrapped__()
