"""Wrong backward kernels, whose forward is right: told, and the layer of the last parameter.

    python -m benchmarks.models.seeded.backward [--clean]

One line of JSON for each.  The layer that is right is that of the last parameter, in the order
of the forward run, that the kernel's gradient reaches.  With ``--clean`` the ten models with
three seeds, on the executions that derive.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from analyzers.guest.models.gradients import gradient_departures
from benchmarks.models.seeded.__main__ import SEEDS, about, built
from benchmarks.models.seeded.fault_injection import injected
from benchmarks.models.seeded.seeded_fault import Fault
from benchmarks.models.zoo import MODELS

Right = Callable[..., Any]
Args = tuple[Any, ...]
Kwargs = dict[str, Any]
CLEAN = ("onednn-off", "decompositions", "channels-last")


def _lost(found: torch.Tensor) -> torch.Tensor:
    """With zero for its last element."""
    changed = found.clone(memory_format=torch.contiguous_format)
    changed.view(-1)[-1] = 0.0
    return changed


def weight_tail_lost(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last element of the weight's gradient is not written."""
    found = list(right(*args, **kwargs))
    found[1] = None if found[1] is None else _lost(found[1])
    return tuple(found)


def bias_tail_lost(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last element of the bias's gradient is not written."""
    found = list(right(*args, **kwargs))
    found[2] = None if found[2] is None else _lost(found[2])
    return tuple(found)


def off_by_a_ten_thousandth(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """All is a ten-thousandth too much."""
    return right(*args, **kwargs) * 1.0001


def negative_leaks(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """A thousandth comes through where nothing should."""
    found = right(*args, **kwargs)
    return torch.where(found == 0, args[0] * 1e-3, found)


def by_tanh(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The derivative of the approximation by tanh."""
    return right(*args, **{**kwargs, "approximate": "tanh"})


def last_column_lost(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """Nothing goes back to the last column but one."""
    found = right(*args, **kwargs).clone()
    found[..., -2] = 0.0
    return found


def last_index_lost(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """The last index is not added up."""
    given = args[0].clone()
    given[:, -1] = 0.0
    return right(given, *args[1:], **kwargs)


def without_the_sum(right: Right, args: Args, kwargs: Kwargs) -> Any:
    """What a softmax takes away from each is a thousandth too little."""
    return right(*args, **kwargs) + args[1] * args[0].abs().mean() * 1e-3


FAULTS = tuple(
    Fault(model, "onednn-off", layer, operator, wrong)
    for model, layer, operator, wrong in (
        ("lenet", "conv2", "convolution_backward.default", weight_tail_lost),
        ("lenet", "conv2", "max_pool2d_with_indices_backward.default", last_column_lost),
        ("lenet", "fc2", "threshold_backward.default", negative_leaks),
        ("squeezenet", "classifier.1", "convolution_backward.default", bias_tail_lost),
        ("mobilenet", "model.7.4", "native_batch_norm_backward.default", weight_tail_lost),
        ("pointnet", "fc2", "_log_softmax_backward_data.default", without_the_sum),
        ("lstm", "norm", "tanh_backward.default", off_by_a_ten_thousandth),
        ("lstm", "norm", "native_layer_norm_backward.default", bias_tail_lost),
        ("transformer", "norm", "native_layer_norm_backward.default", weight_tail_lost),
        ("transformer", "blocks.1.mlp.0", "gelu_backward.default", by_tanh),
        (
            "transformer",
            "blocks.1.attention.qkv",
            "_softmax_backward_data.default",
            off_by_a_ten_thousandth,
        ),
        ("transformer", "tokens", "embedding_dense_backward.default", last_index_lost),
    )
)


def told(fault: Fault) -> dict[str, Any]:
    """What comes of one fault."""
    model, began = built(fault.model), time.monotonic()
    with injected(fault):
        found = gradient_departures(model, [fault.execution])
    return {
        **about(fault),
        "rule": found[0].verdict.rule if found else None,
        "named": found[0].place.name if found and found[0].place else None,
        "detail": found[0].verdict.detail if found else "",
        "seconds": round(time.monotonic() - began, 2),
    }


def clean() -> Iterator[dict[str, Any]]:
    """What right executions are told of."""
    for name in MODELS:
        for seed in SEEDS:
            began = time.monotonic()
            found = [each.verdict.detail for each in gradient_departures(built(name, seed), CLEAN)]
            seconds = round(time.monotonic() - began, 2)
            yield {"model": name, "seed": seed, "told": found, "seconds": seconds}


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--clean", action="store_true")
    is_clean = words.parse_args().clean
    torch.set_num_threads(1)
    for row in clean() if is_clean else map(told, FAULTS):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
