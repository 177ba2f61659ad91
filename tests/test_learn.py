"""``make train``: it repeats, cvbuild reads what it makes, and no person is in its data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import headings, outline
from cvbuild.importers.documents import cells, features, labels, lexicon, vocabulary
from cvbuild.model import kinds
from tools.learn import align, real


def test_it_learns_the_same_twice_and_cvbuild_labels_as_crfsuite_does(tmp_path: Path) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    from tools.learn import train

    few, more = ([(one, 1) for one in train.invented(1, count)] for count in (4, 8))
    first, second = (train.trained(few, 6) for _ in range(2))
    assert first == second
    chain = train.learned(more, 30, path := str(tmp_path / "model.crf"))
    with pycrfsuite.Tagger().open(path) as tagger:
        for names, _ in train.invented(1, 6):
            found, chances = chain.read(names)
            assert found == tagger.tag(names)
            for at, (label, row) in enumerate(zip(found, chances, strict=True)):
                # Weights below 0.03 are left out: of a small model they are many.
                assert row[label] == pytest.approx(tagger.marginal(label, at), abs=0.1)


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


def test_labels_follow_from_facts() -> None:
    texts = ["Ada Example", "Work", "Engineer\tBern", "Example Ltd, 2019 – 2021", "Built bridges."]
    blocks = [outline.Block("paragraph", [[outline.Run(text)]]) for text in texts]
    assert headings.is_title(texts[1])
    known = align.known("Engineer", "Example Ltd", "", "2019-2021")
    found = align.labels(cells.lines_of(blocks), [known])
    assert found == ["H", "S", "B-T", "P", "O", "D", "X"]


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x81\xa6labels\x01"])
def test_damaged_weights_are_told(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "labels.msgpack"
    path.write_bytes(content)
    monkeypatch.setattr(labels, "_FILE", path)
    with pytest.raises(CvbuildError, match=r"labels\.msgpack"):
        labels.model.__wrapped__()


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
