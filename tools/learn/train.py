"""Training of the labeller by python-crfsuite; cvbuild reads the weights without it."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence

import msgspec
import pycrfsuite

from cvbuild.importers.documents.features import features
from cvbuild.importers.documents.labels import UNIT, Model
from tools.learn import generate
from tools.learn.real import WORDS, Document

#: The part of the features of words that are left out by chance, so that looks and order count.
_FORGOTTEN = 0.45
#: The smallest weight that is kept.
_LEAST = 0.03
_SETTINGS = {"c1": 0.05, "c2": 0.3, "feature.minfreq": 2, "feature.possible_transitions": True}


def invented(seed: int, count: int) -> list[Document]:
    """Return invented documents."""
    made = (generate.labelled(one) for one in generate.documents(seed, count))
    return [(features(lines), labels) for lines, labels in made]


def trained(documents: Sequence[Document], iterations: int) -> bytes:
    """Return the model that is learned from documents; the same one for the same documents."""
    with tempfile.TemporaryDirectory(prefix="learn-") as folder:
        path = f"{folder}/model.crf"
        train(documents, iterations, path)
        return msgspec.msgpack.encode(model(path))


def right(
    documents: Sequence[Document], iterations: int, others: Sequence[Document]
) -> tuple[int, int]:
    """Return how many labels of other documents are as they should be, and how many there are."""
    with tempfile.TemporaryDirectory(prefix="learn-") as folder:
        path = f"{folder}/model.crf"
        train(documents, iterations, path)
        with pycrfsuite.Tagger().open(path) as tagger:
            pairs = [
                pair
                for cells, known in others
                for pair in zip(known, tagger.tag(cells), strict=True)
            ]
    return sum(one == other for one, other in pairs), len(pairs)


def train(documents: Sequence[Document], iterations: int, path: str) -> None:
    """Write what is learned from documents as a file of CRFsuite."""
    trainer, rng = pycrfsuite.Trainer(verbose=False), random.Random(1)
    trainer.set_params({**_SETTINGS, "max_iterations": iterations})
    for cells, labels in documents:
        trainer.append([_thinned(names, rng) for names in cells], labels)
    trainer.train(path)


def _thinned(names: Sequence[str], rng: random.Random) -> list[str]:
    return [name for name in names if name[:2] not in WORDS or rng.random() > _FORGOTTEN]


def model(path: str) -> Model:
    """Return the weights of a file of CRFsuite."""
    tagger = pycrfsuite.Tagger()
    with tagger.open(path):
        info = tagger.info()
    labels = sorted(info.labels, key=lambda label: int(info.labels[label]))
    steps = [
        [round(info.transitions.get((one, other), 0) * UNIT) for other in labels] for one in labels
    ]
    weights: dict[str, dict[int, int]] = {}
    for (name, label), weight in sorted(info.state_features.items()):
        if abs(weight) >= _LEAST:
            weights.setdefault(name, {})[labels.index(label)] = round(weight * UNIT)
    ordered = {name: dict(sorted(own.items())) for name, own in weights.items()}
    return Model(labels, steps, ordered)
