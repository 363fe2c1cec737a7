"""How right the kinds and ranges of a file of layers are, against truth.toml.

python -m benchmarks.assembly.layer_accuracy [FILE]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from analyzers.assembly import layer_tables
from analyzers.assembly.layer_tables import LayerApi, LayerParameter

HERE = Path(__file__).parent
NUMBER = re.compile(r"([\[(])\s*([^,\s]*)\s*,\s*([^\])\s]*)\s*([\])])")


def kinds_right(told: str, found: LayerParameter) -> bool:
    return set(told.split("|")) == set(found.kinds)


def range_right(told: str, found: LayerParameter) -> bool:
    if told.startswith("{"):
        wanted = {item.strip() for item in told.strip("{}").split(",")}
        return wanted == {each.strip("'") for each in found.choices}
    if told == "free":
        return found.low is None and found.high is None and not found.choices
    match = NUMBER.fullmatch(told)
    assert match, told
    left, low, high, right = match.groups()
    return _end(low, found.low, alike=(left == "(") is found.open_low) and _end(
        high, found.high, alike=(right == ")") is found.open_high
    )


def _end(told: str, found: float | None, *, alike: bool) -> bool:
    return any(_same(each, found, alike=alike) for each in told.split("/"))


def _same(told: str, found: float | None, *, alike: bool) -> bool:
    if told in ("", "-"):
        return found is None
    return found is not None and float(told) == found and alike


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    layers = layer_tables.read(path.read_text()) if path else layer_tables.load("2.13.0")
    truth = tomllib.loads((HERE / "truth.toml").read_text())
    counted = {"kinds": [0, 0], "ranges": [0, 0], "bounded ranges": [0, 0]}
    for name, parameters in truth.items():
        layer: LayerApi = layers[f"torch.nn.{name}"]
        for parameter, told in parameters.items():
            kinds, _, limits = told.partition(" ")
            found = layer.parameter(parameter)
            assert found, (name, parameter)
            right = {"kinds": kinds_right(kinds, found), "ranges": range_right(limits, found)}
            if limits != "free":
                right["bounded ranges"] = right["ranges"]
            for what, is_right in right.items():
                counted[what][0] += is_right
                counted[what][1] += 1
            if not all(right.values()):
                print(f"{name}.{parameter}: {told!r}, found {found.kinds} {_shown(found)}")
    for what, (right_, all_) in counted.items():
        print(f"{what}: {right_} of {all_} ({100 * right_ / all_:.1f} %)")


def _shown(found: LayerParameter) -> str:
    ends = ("(" if found.open_low else "[", found.low, found.high, ")" if found.open_high else "]")
    return f"{ends[0]}{ends[1]}, {ends[2]}{ends[3]} {found.choices} by {found.said_by}"


if __name__ == "__main__":
    main()
