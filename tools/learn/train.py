"""Training of the labeller by python-crfsuite; cvbuild reads the weights without it."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from itertools import chain

import pycrfsuite

from cvbuild.importers.documents.features import agreeing, features
from cvbuild.importers.documents.labels import UNIT, Chain, Model
from tools.learn import generate
from tools.learn.real import WORDS, Document

#: The part of the features of words that are left out by chance, so that looks and order count.
_FORGOTTEN = 0.45
#: The smallest weight that is kept.
_LEAST = 0.03
_SETTINGS = {"c1": 0.1, "c2": 1.2, "feature.minfreq": 2, "feature.possible_transitions": True}


#: Parts of the documents that are labelled by what is learned from the others.
_PARTS = 4

#: Documents, and how often each counts.
Lessons = Sequence[tuple[Document, int]]


def invented(seed: int, count: int) -> list[Document]:
    """Return invented documents."""
    made = (generate.labelled(one) for one in generate.documents(seed, count))
    return [(features(lines), labels) for lines, labels in made]


def trained(lessons: Lessons, iterations: int) -> Model:
    """Return the model that is learned from documents; the same one for the same documents.

    The second chain learns from what is said by first chains that haven't seen the document.
    """
    rng, again = random.Random(2), list[tuple[Document, int]]()
    pieces = [[lesson, (_piece(*lesson[0], rng), 1)] for lesson in lessons]
    with tempfile.TemporaryDirectory(prefix="learn-") as folder:
        path = f"{folder}/model.crf"
        for part in range(_PARTS):
            rest = [one for at, both in enumerate(pieces) if at % _PARTS != part for one in both]
            first = learned(rest, iterations // 2, path)
            for (cells, labels), times in chain.from_iterable(pieces[part::_PARTS]):
                again.append(((agreeing(cells, first.read(cells)[1]), labels), times))
        all_pieces = [*chain.from_iterable(pieces)]
        return Model(learned(all_pieces, iterations, path), learned(again, iterations, path))


def _piece(cells: list[list[str]], labels: list[str], rng: random.Random) -> Document:
    """Return a section or two of a document: a short file has few cells that look alike."""
    starts = [at for at, label in enumerate(labels) if label == "S"] or [0]
    start = rng.choice(starts)
    end = rng.choice([*(at for at in starts if at > start), len(labels)][:2])
    return cells[start:end], labels[start:end]


def learned(lessons: Lessons, iterations: int, path: str) -> Chain:
    """Return the chain that CRFsuite learns from documents, and writes to a file."""
    trainer, rng = pycrfsuite.Trainer(verbose=False), random.Random(1)
    trainer.set_params({**_SETTINGS, "max_iterations": iterations})
    for (cells, labels), times in lessons:
        for _ in range(times):
            trainer.append([_thinned(names, rng) for names in cells], labels)
    trainer.train(path)
    return _chain(path)


def _thinned(names: Sequence[str], rng: random.Random) -> list[str]:
    return [name for name in names if name[:2] not in WORDS or rng.random() > _FORGOTTEN]


def _chain(path: str) -> Chain:
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
    return Chain(labels, steps, ordered)
