"""The rules that change neurons of a Keras layer: GF, WS, NAI, NEB, NS."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Tuple

from ...mutation.crafting import Inapplicable
from ...mutation.inner import SHARE, SPREAD
from ...mutation.rules import BLOCKING, EXCHANGE, FUZZING, INVERSION, SHUFFLING
from ...nouns import Mutation

Axes = Tuple[int, int]


def change(layer: Any, mutation: Mutation) -> None:
    """Give a layer its weights after the mutation; raises :class:`Inapplicable`."""
    import numpy

    own = {str(each.name): each for each in layer.trainable_weights}
    variable = own.get(mutation.detail)
    if variable is None:
        raise Inapplicable(f"{mutation.layer} has no weight {mutation.detail}")
    rng = numpy.random.default_rng(mutation.seed)
    value = numpy.array(variable.numpy())
    axes = _axes(layer, value.ndim)
    changed = _RULES[mutation.rule](value, axes, rng)
    variable.assign(changed.astype(value.dtype))
    bias = own.get("bias")
    if mutation.rule == INVERSION and bias is not None and mutation.detail == "kernel":
        _invert_bias(bias, value.shape[axes[0]], mutation.seed)


def _axes(layer: Any, rank: int) -> Axes:
    """Along which axes its neurons lie, and those that feed them."""
    if rank == 1:
        return 0, 0
    kind = type(layer).__name__
    if kind.startswith("DepthwiseConv"):
        return rank - 2, rank - 2
    return (rank - 2, rank - 1) if kind.endswith("Transpose") else (rank - 1, rank - 2)


def _chosen(count: int, rng: Any, least: int = 1) -> Any:
    if count < least:
        raise Inapplicable(f"{count} neurons are too few")
    return rng.permutation(count)[: max(least, round(count * SHARE))]


def _fuzzed(value: Any, axes: Axes, rng: Any) -> Any:
    import numpy

    moved = numpy.moveaxis(value.copy(), axes[0], 0)
    rows = _chosen(moved.shape[0], rng)
    spread = float(value.std()) if value.size > 1 else float(numpy.abs(value).max())
    moved[rows] += rng.standard_normal(moved[rows].shape) * spread * SPREAD
    return numpy.moveaxis(moved, 0, axes[0])


def _shuffled(value: Any, axes: Axes, rng: Any) -> Any:
    import numpy

    moved = numpy.moveaxis(value.copy(), axes[0], 0)
    rows = _chosen(moved.shape[0], rng)
    if moved[0].size < 2:
        raise Inapplicable("one weight alone cannot be shuffled")
    for row in rows:
        moved[row] = rng.permutation(moved[row].ravel()).reshape(moved[row].shape)
    return numpy.moveaxis(moved, 0, axes[0])


def _inverted(value: Any, axes: Axes, rng: Any) -> Any:
    import numpy

    moved = numpy.moveaxis(value.copy(), axes[0], 0)
    rows = _chosen(moved.shape[0], rng)
    moved[rows] = -moved[rows]
    return numpy.moveaxis(moved, 0, axes[0])


def _invert_bias(bias: Any, count: int, seed: int) -> None:
    """Change the sign of the biases of the neurons whose kernels were inverted."""
    import numpy

    value = numpy.array(bias.numpy())
    if value.shape == (count,):
        rows = _chosen(count, numpy.random.default_rng(seed))
        value[rows] = -value[rows]
        bias.assign(value)


def _blocked(value: Any, axes: Axes, rng: Any) -> Any:
    import numpy

    moved = numpy.moveaxis(value.copy(), axes[1], 0)
    moved[_chosen(moved.shape[0], rng)] = 0.0
    return numpy.moveaxis(moved, 0, axes[1])


def _exchanged(value: Any, axes: Axes, rng: Any) -> Any:
    import numpy

    moved = numpy.moveaxis(value.copy(), axes[1], 0)
    rows = _chosen(moved.shape[0], rng, least=2)
    moved[rows] = moved[numpy.roll(rows, 1)]
    return numpy.moveaxis(moved, 0, axes[1])


_RULES: Mapping[str, Callable[[Any, Axes, Any], Any]] = {
    FUZZING: _fuzzed,
    SHUFFLING: _shuffled,
    INVERSION: _inverted,
    BLOCKING: _blocked,
    EXCHANGE: _exchanged,
}
