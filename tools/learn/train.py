"""Training of the labeller's network by PyTorch; cvbuild reads its weights without it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from math import cos, pi
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional, utils
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from cvbuild.importers.documents.features import look
from cvbuild.importers.documents.network import ZERO, Layer, Matrix, Network
from tools.learn.real import LABELS, WORDS, Document

#: Numbers of a cell, and of its state in each way of the layers.
_CELL, _STATES = 32, (64, 32)
#: Documents that a feature is in at least; how many features of words are forgotten by chance, so
#: that looks and order count, how many others, and how many states.
_OFTEN, _WORDS, _OTHERS, _STATE = 5, 0.45, 0.15, 0.3
#: The most cells that are read at once; pieces of documents in a step, and how far a step goes;
#: how much of the mean of steps stays at the next one.
_PIECE, _BATCH, _RATE, _MEAN = 160, 16, 0.004, 0.998


class Piece(NamedTuple):
    """Cells one after another: all their features, where those of each begin, looks and labels."""

    features: Tensor
    starts: Tensor
    looks: Tensor
    labels: Tensor


def trained(lessons: Sequence[Document], rounds: int) -> Network:
    """Return the network that is learned from documents; the same one for the same documents."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = random.Random(1)
    counts = Counter(name for cells, _ in lessons for name in set(chain.from_iterable(cells)))
    known = sorted(name for name, count in counts.items() if count >= _OFTEN)
    places = {name: at for at, name in enumerate(known)}
    documents = [_document(*lesson, places) for lesson in lessons]
    parts = _parts(len(known))
    forgotten = torch.tensor([_WORDS if name[:2] in WORDS else _OTHERS for name in known])
    steps = torch.optim.AdamW(parts.parameters(), weight_decay=1e-5)
    # The mean of the last steps is better than any of them.
    mean = AveragedModel(parts, multi_avg_fn=get_ema_multi_avg_fn(_MEAN))
    for turn in range(rounds):
        pieces = [piece for document in documents for piece in _pieces(document, rng)]
        batches = _batches(pieces, rng)
        for at, batch in enumerate(batches):
            done = (turn + at / len(batches)) / rounds
            rate = _RATE * min(1, done * 50 + 0.01) * max(0.02, 0.5 + 0.5 * cos(pi * done))
            for group in steps.param_groups:
                group["lr"] = rate
            steps.zero_grad()
            _loss(parts, batch, forgotten).backward()
            utils.clip_grad_norm_(parts.parameters(), 1.0)
            steps.step()
            mean.update_parameters(parts)
    return _network(mean.module, known)


def _document(cells: list[list[str]], labels: list[str], places: dict[str, int]) -> list[Any]:
    """Return a document in numbers: features of each cell, looks and labels."""
    looks: dict[object, int] = {}
    rows = [[places[name] for name in names if name in places] for names in cells]
    same = [looks.setdefault(look(names), len(looks)) for names in cells]
    return [rows, same, [LABELS.index(label) for label in labels]]


def _pieces(document: list[Any], rng: random.Random) -> list[Piece]:
    """Return a document in pieces that begin at other cells each time, if it is long."""
    rows, looks, labels = document
    first = rng.randrange(_PIECE // 2, _PIECE) if len(rows) > _PIECE else len(rows)
    cuts = [0, *range(first, len(rows), _PIECE), len(rows)]
    found = []
    for start, end in pairwise(cuts):
        if own := rows[start:end]:
            starts = [0, *accumulate(map(len, own))][:-1]
            features = torch.tensor([*chain.from_iterable(own)])
            more = (torch.tensor(one[start:end]) for one in (looks, labels))
            found.append(Piece(features, torch.tensor(starts), *more))
    return found


def _batches(pieces: list[Piece], rng: random.Random) -> list[list[Piece]]:
    """Return pieces in groups of about one length, in an order by chance."""
    rng.shuffle(pieces)
    found = []
    for at in range(0, len(pieces), 4 * _BATCH):
        own = sorted(pieces[at : at + 4 * _BATCH], key=lambda piece: len(piece.labels))
        found += [own[start : start + _BATCH] for start in range(0, len(own), _BATCH)]
    rng.shuffle(found)
    return found


def _parts(features: int) -> nn.ModuleDict:
    """Return the parts of a network: of features, two layers, and what makes scores of states."""
    first, second = _STATES
    ways = {"bidirectional": True, "batch_first": True}
    parts = nn.ModuleDict(
        {
            "cell": nn.EmbeddingBag(features, _CELL, mode="sum"),
            "first": nn.GRU(2 * _CELL, first, **ways),
            "second": nn.GRU(4 * first, second, **ways),
            "last": nn.Linear(2 * second + 2 * first + _CELL, len(LABELS)),
            "more": nn.ParameterDict(
                {
                    "bias": nn.Parameter(torch.zeros(_CELL)),
                    "steps": nn.Parameter(torch.zeros(len(LABELS), len(LABELS))),
                }
            ),
        }
    )
    nn.init.normal_(parts["cell"].weight, 0, 0.05)
    return parts


def _scores(parts: nn.ModuleDict, batch: Sequence[Piece], forgotten: Tensor) -> Tensor:
    """Return the scores of each label of all cells: what ``Network.scores`` works out."""
    features = torch.cat([piece.features for piece in batch])
    sizes = torch.tensor([len(piece.features) for piece in batch])
    before = (sizes.cumsum(0) - sizes).tolist()
    starts = torch.cat([piece.starts + at for piece, at in zip(batch, before, strict=True)])
    kept = (torch.rand(len(features)) > forgotten[features]).float()
    weights = parts["cell"].weight
    own = functional.embedding_bag(features, weights, starts, mode="sum", per_sample_weights=kept)
    numbers = _dropped(torch.tanh(own + parts["more"]["bias"]))
    looks, count = list[Tensor](), 0
    for piece in batch:
        looks.append(piece.looks + count)
        count = int(looks[-1].max()) + 1
    same, states = torch.cat(looks), [numbers]
    lengths = [len(piece.labels) for piece in batch]
    for name in ("first", "second"):
        given = torch.cat([states[0], _means(states[0], same, count)], 1)
        given = _dropped(given) if name == "second" else given
        states.insert(0, _read(parts[name], given, lengths))
    return parts["last"](_dropped(torch.cat(states, 1)))


def _dropped(numbers: Tensor) -> Tensor:
    return functional.dropout(numbers, _STATE)


def _means(numbers: Tensor, looks: Tensor, count: int) -> Tensor:
    """Return for each cell the mean of the numbers of all that look like it."""
    sums = torch.zeros(count, numbers.shape[1]).index_add(0, looks, numbers)
    counts = torch.bincount(looks, minlength=count).clamp(min=1)
    return (sums / counts[:, None])[looks]


class _Recurrence(torch.autograd.Function):  # type: ignore[misc]
    """The states of gated recurrent units, both ways at once: torch's own take twice the time.

    Sizes are steps, ways, pieces, and states; those of two gates, to reset and to keep, are one.
    """

    @staticmethod
    def forward(ctx: Any, given: Tensor, kept: Tensor, bias: Tensor) -> Tensor:
        """Return the state after each step, from what cells bring and what is kept of the state."""
        count = kept.shape[1]
        states = given.new_zeros(len(given) + 1, *given.shape[1:3], count)
        both, old = torch.empty_like(given[..., count:]), torch.empty_like(states[1:])
        new, (kept_both, kept_new) = torch.empty_like(old), kept.split((2 * count, count), 2)
        given_both, given_new = given.split((2 * count, count), 3)
        for at, state in enumerate(states[:-1]):
            torch.baddbmm(given_both[at], state, kept_both, out=both[at]).sigmoid_()
            torch.baddbmm(bias, state, kept_new, out=old[at])
            reset, keep = both[at].chunk(2, 2)
            torch.addcmul(given_new[at], reset, old[at], out=new[at]).tanh_()
            torch.lerp(new[at], state, keep, out=states[at + 1])
        ctx.save_for_backward(states, both, old, new, kept)
        return states[1:]

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return how the sum that is learned from changes with each input."""
        states, both, old, new, kept = ctx.saved_tensors
        count, back = kept.shape[1], kept.transpose(1, 2)
        reset, keep = both.chunk(2, 3)
        # How the gates of all steps change, but for what comes from the steps behind them.
        of_new, of_keep = (1 - keep) * (1 - new * new), (states[:-1] - new) * keep * (1 - keep)
        gates = torch.stack([of_new * old * reset * (1 - reset), of_keep, of_new * reset], 3)
        now = torch.zeros_like(states[0])
        for at in range(len(gates) - 1, -1, -1):
            now = now + slopes[0][at]
            gates[at].mul_(now[:, :, None])
            of_new[at].mul_(now)
            now = torch.baddbmm(now * keep[at], gates[at].flatten(2), back)
        inner = gates.flatten(3)
        wide = inner.transpose(0, 1).flatten(1, 2)
        weights = torch.bmm(states[:-1].transpose(0, 1).flatten(1, 2).transpose(1, 2), wide)
        own = torch.cat([inner[..., : 2 * count], of_new], 3)
        return own, weights, wide[..., 2 * count :].sum(1, keepdim=True)


def _read(layer: nn.GRU, given: Tensor, lengths: list[int]) -> Tensor:
    """Return the states of a layer after each cell, forwards and backwards."""
    own, count, ways = dict(layer.named_parameters()), layer.hidden_size, []
    for name in ("", "_reverse"):
        pieces = [piece.flip(0) if name else piece for piece in given.split(lengths)]
        bias = own[f"bias_ih_l0{name}"] + functional.pad(
            own[f"bias_hh_l0{name}"][: 2 * count], (0, count)
        )
        weight = own[f"weight_ih_l0{name}"]
        ways.append(functional.linear(utils.rnn.pad_sequence(pieces), weight, bias))
    kept = torch.stack([own["weight_hh_l0"].T, own["weight_hh_l0_reverse"].T])
    bias = torch.stack([own["bias_hh_l0"], own["bias_hh_l0_reverse"]])[:, None, 2 * count :]
    states = _Recurrence.apply(torch.stack(ways, 1), kept, bias)
    both = ((states[:end, 0, at], states[:end, 1, at].flip(0)) for at, end in enumerate(lengths))
    return torch.cat([torch.cat(one, 1) for one in both])


def _loss(parts: nn.ModuleDict, batch: Sequence[Piece], forgotten: Tensor) -> Tensor:
    """Return how unlikely the labels are: all ways to label pieces, less the right one."""
    scores = _scores(parts, batch, forgotten)
    steps, lengths = parts["more"]["steps"], [len(piece.labels) for piece in batch]
    labels = torch.cat([piece.labels for piece in batch])
    follows = torch.ones(len(labels), dtype=torch.bool)
    follows[torch.tensor(lengths).cumsum(0)[:-1]] = follows[0] = False
    pairs = steps[labels[:-1], labels[1:]][follows[1:]]
    right = scores.gather(1, labels[:, None]).sum() + pairs.sum()
    padded = utils.rnn.pad_sequence([*scores.split(lengths)])
    ends, row = torch.tensor(lengths), padded[0]
    for at, own in enumerate(padded[1:], 1):
        longer = torch.logsumexp(row[:, :, None] + steps, 1) + own
        row = torch.where((ends > at)[:, None], longer, row)
    return (torch.logsumexp(row, 1).sum() - right) / len(labels)


def _network(parts: nn.ModuleDict, known: list[str]) -> Network:
    """Return a network as cvbuild reads it: its weights as bytes."""
    weights, scale = _bytes(parts["cell"].weight)
    layers = [
        (_way(own, ""), _way(own, "_reverse"))
        for own in (dict(parts[name].named_parameters()) for name in ("first", "second"))
    ]
    more, last = parts["more"], parts["last"]
    return Network(
        [*LABELS],
        dict(zip(known, weights, strict=True)),
        scale,
        _rounded(more["bias"]),
        layers,
        _matrix(last.weight, last.bias),
        [_rounded(row) for row in more["steps"]],
    )


def _way(own: dict[str, Tensor], name: str) -> Layer:
    kinds = ("ih", "hh")
    return Layer(
        *(_matrix(own[f"weight_{kind}_l0{name}"], own[f"bias_{kind}_l0{name}"]) for kind in kinds)
    )


def _matrix(weights: Tensor, bias: Tensor) -> Matrix:
    columns, scale = _bytes(weights.T)
    return Matrix(columns, scale, _rounded(bias))


def _bytes(rows: Tensor) -> tuple[list[bytes], float]:
    """Return numbers as bytes by row, and what a step of a byte is."""
    scale = float(rows.detach().abs().max()) / (ZERO - 1)
    steps = (rows.detach() / scale).round().int() + ZERO
    return [bytes(row) for row in steps.tolist()], scale


def _rounded(numbers: Tensor) -> list[float]:
    return [round(one, 4) for one in numbers.tolist()]
