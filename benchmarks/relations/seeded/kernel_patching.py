"""Wrong kernels in the places of right ones, in this process, on and off."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch

from benchmarks.relations.seeded.kernel_changes import Change, Kernel
from benchmarks.relations.seeded.kernel_faults import Fault


class Seeded:
    """A fault that is in this process as long as this object is; it begins switched off.

    The out= and in-place forms of the operator have it too.  Raises ``RuntimeError``
    where the operator has no kernel of its own on the CPU.
    """

    def __init__(self, fault: Fault) -> None:
        self._is_on = False
        self._is_inside = False
        self._library = torch.library.Library("aten", "IMPL")
        name, _, overload = fault.operator.partition(".")
        if not self._replaced(fault.operator, self._entered(fault.change)):
            raise RuntimeError(f"aten::{fault.operator} has no kernel to be replaced")
        functional = getattr(getattr(torch.ops.aten, name), overload or "default")
        in_place = f"{name}_" + (f".{overload}" if overload else "")
        self._replaced(f"{name}.{_out_name(name, overload)}", lambda _: _into(functional, "out"))
        self._replaced(in_place, lambda _: _into(functional, ""))

    @contextmanager
    def on(self) -> Generator[None]:
        """While inside, calls are wrong."""
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def _entered(self, change: Change) -> Change:
        """The other forms are right while this one is at work: kernels call each other."""

        def changed(right: Kernel) -> Kernel:
            def wrong(*given: Any, **named: Any) -> Any:
                self._is_inside = True
                try:
                    return change(right)(*given, **named)
                finally:
                    self._is_inside = False

            return wrong

        return changed

    def _replaced(self, name: str, change: Change) -> bool:
        try:
            kernel = torch.library.get_kernel(f"aten::{name}", "CPU")
        except RuntimeError:
            return False

        def either(keys: Any, *given: Any, **named: Any) -> Any:
            def right(*some: Any, **others: Any) -> Any:
                return kernel.call_boxed(keys, *some, **others)

            is_wrong = self._is_on and not self._is_inside
            return (change(right) if is_wrong else right)(*given, **named)

        self._library.impl(name, either, "CPU", with_keyset=True, allow_override=True)
        return True


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
