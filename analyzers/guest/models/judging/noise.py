"""What rounding alone may change in a model's outputs.

The reference is run again with inputs, parameters and floating buffers off by about one
epsilon: rounding errors of well-behaved operators are as such changes of what they take.
Off by many, it shows whether a jump (a comparison, a rounding, an index) is near.
"""

from __future__ import annotations

import copy
import math
from typing import Any, Dict, List, Optional, Tuple

from ..executions import FLOAT64, array, execution_of, leaves, mapped
from ..keras_ import noise as keras_noise
from ..nouns import Model, Outcome
from .measures import error

_NEAR, _FAR = 2.0, 32.0
_NEAR_SAMPLES, _FAR_SAMPLES = 3, 2
_JUMP = 8.0


class Noise:
    """The noise of one model's outputs; runs what it is asked for only."""

    def __init__(self, model: Model, reference: Outcome) -> None:
        self._model = model
        self._reference = reference.outputs
        self._samples: Dict[float, Tuple[List[Any], List[Any]]] = {}

    def floor(self, eps: float) -> Tuple[float, ...]:
        """How far each output moves for changes of an ``eps`` of all that the model is fed.

        Without end, where such changes give other shapes or no outputs at all.
        """
        near, far = self.samples(eps)
        if not all(map(self._is_alike, (*near, *far))):
            return (math.inf,) * len(self._reference)
        return tuple(
            _floor(_moved(near, index, expected), _moved(far, index, expected))
            for index, expected in enumerate(self._reference)
        )

    def is_steady(self, eps: float, index: int) -> bool:
        """Whether an output is the same, or finite at the same places, in all samples."""
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
        """Outputs for small changes and for larger ones; ``None`` where the model raises."""
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
            return tuple(array(each) for each in leaves(found))
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
        run = execution_of(FLOAT64, self._model).prepared(_with(self._model, module))
        given = mapped((self._model.inputs, dict(self._model.keywords)), moved)
        return tuple(array(each) for each in leaves(run(*given[0], **given[1])))


def _moved(samples: List[Any], index: int, expected: Any) -> float:
    """How far an output of numbers moves in samples; whole numbers and booleans have no noise."""
    if expected.dtype.kind != "f":
        return 0.0
    return max(error(sample[index], expected) for sample in samples)


def _floor(near: float, far: float) -> float:
    """Larger changes count where they change more than in proportion: there is a jump."""
    return far if far > _JUMP * (_FAR / _NEAR) * near else near


def _with(model: Model, module: Any) -> Model:
    return Model(module, model.inputs, model.keywords, model.framework)
