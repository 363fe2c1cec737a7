"""How many threads torch works with while mutants of a model run."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Generator

from ..mutation.surveying import surveyed
from ..nouns import Model

_TIMES = 3


@contextmanager
def threads(model: Model) -> Generator[None, None, None]:
    """One thread, unless a call of the model is clearly faster with as many as there were."""
    import torch

    before = torch.get_num_threads()
    try:
        many = _seconds(model)
        torch.set_num_threads(1)
        if many < 0.8 * _seconds(model):
            torch.set_num_threads(before)
        yield
    finally:
        torch.set_num_threads(before)


def _seconds(model: Model) -> float:
    """The shortest of some calls."""
    taken = []
    for _ in range(_TIMES):
        start = time.perf_counter()
        surveyed(model)
        taken.append(time.perf_counter() - start)
    return min(taken)
