"""The elements of a tensor as Python numbers that are short to write and exact to read."""

from __future__ import annotations

import math
from typing import Any, List

_DIGITS = {"float32": (9, 8, 4), "float16": (5, 4, 3), "bfloat16": (4, 3, 2)}
"""How many digits are tried in place of all those of a double; nine tell any float32."""


def elements(value: Any) -> Any:
    """A flat list of a tensor's numbers, or the one number of a tensor without dimensions.

    ``torch.tensor`` makes the same tensor of them, to the last bit, but for the
    payload of a NaN.
    """
    import torch

    flat = value.reshape(-1)
    if str(value.dtype).startswith("torch.float8"):
        flat = flat.to(torch.float32)
    exact = flat.tolist()
    if value.is_floating_point():
        exact = _shortened(exact, value.dtype)
    return exact if value.dim() else exact[0]


def _shortened(exact: List[float], dtype: Any) -> List[float]:
    """For each number the shortest tried that is the same one in that precision."""
    import torch

    digits = _DIGITS.get(str(dtype).rpartition(".")[2], ())
    if all(number.is_integer() or not math.isfinite(number) for number in exact):
        return exact
    best = exact
    for count in digits:
        tried = [float(f"{number:.{count}g}") for number in exact]
        again = torch.tensor(tried, dtype=dtype).tolist()
        best = [
            short if back == number else known
            for short, back, number, known in zip(tried, again, exact, best)
        ]
    return best
