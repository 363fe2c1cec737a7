"""How many seeded faults are found: ``python -m benchmarks.relations.seeded [INPUTS]``.

Each API is judged with the right kernel and with the wrong one, on the same
inputs, in processes of their own; what the wrong one shows beyond the right one
is the fault found.  The out= and in-place forms of an operator have its fault too.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch

from analyzers.guest.relating.calls import made, read
from analyzers.guest.relating.fuzzing import Settings, Subject
from analyzers.guest.relating.fuzzing.findings import key
from analyzers.guest.relating.fuzzing.subjects import inputs
from analyzers.guest.relating.libraries import library
from analyzers.guest.relating.oracles import judged
from analyzers.guest.relating.running import Begin, Died, Done, Failed, Hung, Pool
from benchmarks.relations.seeded.changes import Kernel
from benchmarks.relations.seeded.faults import FAULTS, Fault

_SECONDS = 10.0


def seed(fault: Fault) -> torch.library.Library:
    """Put the wrong kernel in the place of the right one, in this process."""
    lib = torch.library.Library("aten", "IMPL")
    name, _, overload = fault.operator.partition(".")
    _replace(lib, fault.operator, fault.change)
    functional = getattr(getattr(torch.ops.aten, name), overload or "default")
    out = f"{name}.{_out_name(name, overload)}"
    _replace(lib, out, lambda _: _into(functional, "out"))
    _replace(
        lib, f"{name}_" + (f".{overload}" if overload else ""), lambda _: _into(functional, "")
    )
    return lib


def _out_name(name: str, overload: str) -> str:
    known = getattr(torch.ops.aten, name).overloads()
    choices = {"Tensor": "out", "": "out", "self": "self_out"}
    wanted = [
        f"{overload}_out",
        choices.get(overload, ""),
        overload.replace("IntList", "Int") + "_out",
    ]
    return next((item for item in wanted if item in known), "out")


def _into(functional: Kernel, name: str) -> Kernel:
    def wrong(*given: Any, **named: Any) -> Any:
        target = named.pop(name) if name else given[0]
        made = functional(*given, **named)
        if name:
            target.resize_(made.shape)
        return target.copy_(made)

    return wrong


def _replace(lib: torch.library.Library, name: str, change: Callable[[Kernel], Kernel]) -> None:
    try:
        kernel = torch.library.get_kernel(f"aten::{name}", "CPU")
    except RuntimeError:
        return

    def wrong(keys: Any, *given: Any, **named: Any) -> Any:
        return change(lambda *g, **n: kernel.call_boxed(keys, *g, **n))(*given, **named)

    lib.impl(name, wrong, "CPU", with_keyset=True, allow_override=True)


def shown(is_wrong: bool, amount: int) -> list[set[str]]:  # noqa: FBT001
    """For each fault, the kinds of disagreement (with the process's end) with either kernel."""
    lib = library("torch")
    found: list[set[str]] = [set() for _ in FAULTS]
    judged(made(read(FAULTS[0].calls[0], lib), lib), lib)

    def on(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        warnings.simplefilter("ignore")
        fault = FAULTS[item]
        kept = seed(fault) if is_wrong else None
        subject = Subject(fault.api, tuple(read(text, lib) for text in fault.calls))
        for step, live in enumerate(inputs(subject, lib, Settings(inputs=amount))):
            if step >= start:
                begin(step, "")
                report(sorted("|".join(key(each)) for each in judged(live, lib)[1]))
        del kept

    for item, result in Pool(on, len(FAULTS), _SECONDS, deaths=5):
        if isinstance(result, Done):
            found[item] |= set(result.value)
        elif isinstance(result, Died):
            found[item].add("the process died")
        elif isinstance(result, (Hung, Failed)):
            print(FAULTS[item].api, result, file=sys.stderr)
    return found


def main() -> None:
    """Print what was found of each fault, and the recall."""
    amount = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    began = time.monotonic()
    right, wrong = shown(is_wrong=False, amount=amount), shown(is_wrong=True, amount=amount)
    missed = []
    for fault, before, after in zip(FAULTS, right, wrong, strict=True):
        new = sorted({text.split("|")[2] if "|" in text else text for text in after - before})
        print(f"{fault.api:36} {fault.kind:22} {', '.join(new) or 'MISSED'}")
        missed += [] if new else [fault.api]
    unpatched = sorted(text for kinds in right for text in kinds)
    print("\non the right kernels:", *unpatched, sep="\n  ")
    figures = {
        "faults": len(FAULTS),
        "recall": round(1 - len(missed) / len(FAULTS), 3),
        "missed": missed,
        "right": len(unpatched),
        "inputs": amount,
        "seconds": round(time.monotonic() - began, 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
