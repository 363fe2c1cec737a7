"""Distances of the outputs of an execution from those of the reference."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Tuple

from ..executions.execution_registry import EAGER, EXECUTIONS, FLOAT64, execution_of
from ..executions.tensor_trees import as_numpy, map_tensors, tensor_leaves
from ..keras import keras_calls as keras_noise
from ..model_types import ExecutionOutcome, ExecutionOutcomes, ModelUnderTest


@dataclass(frozen=True)
class Measure:
    """An output's error over the largest of what it may be, and LEMON's measure beside it.

    ``index`` is the output, ``error`` the largest absolute one of its elements, ``allowed``
    what ``error`` is divided by.
    """

    ratio: float
    d_mad: float
    index: int
    error: float
    allowed: float


def measured(outcomes: ExecutionOutcomes) -> Dict[str, Measure]:
    """Return for each execution but the reference, the worst of its floating outputs.

    Executions whose outputs are not of the reference's shapes are left out, as are all where
    there is no reference.  Nothing is run for it: noise is not allowed for.
    """
    found: Dict[str, Measure] = {}
    for name, outcome in outcomes.items():
        measure = None if name == FLOAT64 else worst(name, outcome, outcomes)
        if measure is not None:
            found[name] = measure
    return found


def worst(
    name: str, outcome: ExecutionOutcome, outcomes: ExecutionOutcomes, noise: Tuple[float, ...] = ()
) -> Optional[Measure]:
    """Return the worst output of an execution; ``noise`` is allowed besides for each output."""
    reference, eager = outcomes[FLOAT64].outputs, outcomes[EAGER].outputs
    if not _are_alike(reference, outcome.outputs) or not _are_alike(reference, eager):
        return None
    found: List[Tuple[float, int, float, float]] = []
    for index, expected in enumerate(reference):
        if expected.dtype.kind != "f" or not expected.size:
            continue
        allowed = _allowed(name, eager[index], expected, noise[index] if noise else 0.0)
        wrong = error(outcome.outputs[index], expected)
        found.append((wrong / allowed, index, wrong, allowed))
    if not found:
        return None
    ratio, index, wrong, allowed = max(found, key=lambda each: each[0])
    beside = d_mad(outcome.outputs[index], eager[index], reference[index])
    return Measure(ratio, beside, index, wrong, allowed)


def departs_by(name: str, index: int, floor: float, outcomes: ExecutionOutcomes) -> float:
    """Return an output's error over rounding and noise (``floor``); infinite for another shape."""
    expected = outcomes[FLOAT64].outputs[index]
    own, eager = outcomes[name].outputs[index], outcomes[EAGER].outputs[index]
    if own.shape != expected.shape or eager.shape != expected.shape:
        return math.inf if own.shape != eager.shape else 0.0
    if expected.dtype.kind != "f":
        return 0.0
    return error(own, expected) / _allowed(name, eager, expected, floor)


def _allowed(name: str, eager: Any, expected: Any, noise: float) -> float:
    of_eager = 0.0 if name == EAGER else error(eager, expected)
    return max(of_eager, unit(name) * scale(expected), noise, 2.0**-1022)


def error(found: Any, expected: Any) -> float:
    """Return the largest absolute difference where both are finite."""
    import numpy

    with numpy.errstate(all="ignore"):
        differences = numpy.abs(found - expected)
    return float(numpy.max(differences, initial=0.0, where=numpy.isfinite(differences)))


def scale(expected: Any) -> float:
    """Return the largest finite magnitude of a reference."""
    import numpy

    sizes = numpy.abs(expected)
    return float(numpy.max(sizes, initial=0.0, where=numpy.isfinite(sizes)))


def unit(name: str) -> float:
    """Return the machine epsilon of an execution; that of float32 for unknown ones."""
    execution = EXECUTIONS.get(name)
    return 2.0**-23 if execution is None else max(execution.eps, 2.0**-23)


def d_mad(found: Any, eager: Any, expected: Any) -> float:
    """Return LEMON's distance of two executions from the reference's own labels."""
    import numpy

    truth = numpy.zeros(expected.shape)
    if expected.ndim:
        largest = numpy.expand_dims(numpy.argmax(numpy.nan_to_num(expected), axis=-1), -1)
        numpy.put_along_axis(truth, largest, 1.0, axis=-1)
    first, second = (
        float(numpy.mean(numpy.abs(numpy.nan_to_num(each, posinf=0.0, neginf=0.0) - truth)))
        for each in (found, eager)
    )
    total = first + second
    return abs(first - second) / total if total else 0.0


def _are_alike(first: Tuple[Any, ...], second: Tuple[Any, ...]) -> bool:
    return len(first) == len(second) and all(
        one.shape == other.shape and (one.dtype.kind == "f") == (other.dtype.kind == "f")
        for one, other in zip(first, second)
    )


_NEAR, _FAR = 2.0, 32.0
_NEAR_SAMPLES, _FAR_SAMPLES = 3, 2
_JUMP = 8.0


class Noise:
    """The noise of one model's outputs; runs what it is asked for only."""

    def __init__(self, model: ModelUnderTest, reference: ExecutionOutcome) -> None:
        self._model = model
        self._reference = reference.outputs
        self._samples: Dict[float, Tuple[List[Any], List[Any]]] = {}

    def floor(self, eps: float) -> Tuple[float, ...]:
        """Return how far outputs move when inputs do by ``eps``; infinite for other shapes."""
        near, far = self.samples(eps)
        if not all(map(self._is_alike, (*near, *far))):
            return (math.inf,) * len(self._reference)
        moves = [
            (_moved(near, index, expected), _moved(far, index, expected))
            for index, expected in enumerate(self._reference)
        ]  # the larger move where it is out of proportion, as at a jump
        return tuple(far if far > _JUMP * (_FAR / _NEAR) * near else near for near, far in moves)

    def is_steady(self, eps: float, index: int) -> bool:
        """Return whether an output is the same, or finite at the same places, in all samples."""
        import numpy

        expected = self._reference[index]
        near, far = self.samples(eps)
        if not all(map(self._is_alike, (*near, *far))):
            return False
        found = [sample[index] for sample in (*near, *far)]
        if expected.dtype.kind != "f":
            return all(numpy.array_equal(each, expected) for each in found)
        finite = numpy.isfinite(expected)
        return all(numpy.array_equal(numpy.isfinite(each), finite) for each in found)

    def samples(self, eps: float) -> Tuple[List[Any], List[Any]]:
        """Return outputs for small changes and for larger ones; ``None`` where the model raises."""
        if eps not in self._samples:
            near = [self._tried(seed, _NEAR * eps) for seed in range(_NEAR_SAMPLES)]
            far = [self._tried(-1 - seed, _FAR * eps) for seed in range(_FAR_SAMPLES)]
            self._samples[eps] = (near, far)
        return self._samples[eps]

    def _is_alike(self, sample: Optional[Tuple[Any, ...]]) -> bool:
        shapes = [each.shape for each in self._reference]
        return sample is not None and [each.shape for each in sample] == shapes

    def _tried(self, seed: int, amplitude: float) -> Optional[Tuple[Any, ...]]:
        try:
            return self._sample(seed, amplitude)
        except Exception:
            return None

    def _sample(self, seed: int, amplitude: float) -> Tuple[Any, ...]:
        if self._model.framework == "keras":
            found = keras_noise.sample(self._model, seed, amplitude)
            return tuple(as_numpy(each) for each in tensor_leaves(found))
        import torch

        generator = torch.Generator().manual_seed(1000 + seed)

        def moved(tensor: Any) -> Any:
            if not tensor.is_floating_point():
                return tensor
            wide = tensor.detach().double()
            factors = torch.rand(wide.shape, generator=generator, dtype=torch.float64)
            return wide * (1.0 + amplitude * (2.0 * factors - 1.0))

        module = copy.deepcopy(self._model.module).double()
        with torch.no_grad():
            for tensor in (*module.parameters(), *module.buffers()):
                tensor.copy_(moved(tensor))
        run = execution_of(FLOAT64, self._model).prepared(replace(self._model, module=module))
        given = map_tensors((self._model.inputs, dict(self._model.keywords)), moved)
        return tuple(as_numpy(each) for each in tensor_leaves(run(*given[0], **given[1])))


def _moved(samples: List[Any], index: int, expected: Any) -> float:
    if expected.dtype.kind != "f":
        return 0.0
    return max(error(sample[index], expected) for sample in samples)
