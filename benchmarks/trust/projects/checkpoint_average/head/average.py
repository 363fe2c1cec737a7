"""Averages the weights of several checkpoints."""

from __future__ import annotations

import argparse
from collections import OrderedDict
from pathlib import Path
from typing import Dict, List

import torch


def average(states: List[Dict[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
    """The mean of the floating-point weights; the others are those of the last state."""
    if not states:
        raise ValueError("nothing to average")
    result = OrderedDict()
    for name, last in states[-1].items():
        if not torch.is_floating_point(last):
            result[name] = last.clone()
            continue
        result[name] = torch.stack([state[name].double() for state in states]).mean(0).to(last.dtype)
    return result


def newest(folder: str, count: int = 5) -> List[Path]:
    """The last checkpoints of a folder by the number in their name, oldest first."""
    found = [path for path in Path(folder).glob("step-*.pt") if path.stem[5:].isdigit()]
    return sorted(found, key=lambda path: int(path.stem[5:]))[-count:]


def difference(left: Dict[str, torch.Tensor], right: Dict[str, torch.Tensor]) -> float:
    """The largest difference of weights that both have."""
    shared = left.keys() & right.keys()
    return max(((left[n] - right[n]).abs().max().item() for n in shared if left[n].numel()), default=0.0)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=5)
    options = parser.parse_args(argv)
    paths = newest(options.folder, options.count)
    if not paths:
        parser.error(f"no checkpoints in {options.folder}")
    states = [torch.load(path, map_location="cpu", weights_only=True) for path in paths]
    torch.save(average(states), Path(options.folder, "average.pt"))


if __name__ == "__main__":
    main()
