"""Faults: of which kernel, what is wrong, and valid calls of the API that it is behind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import torch

from benchmarks.relations.seeded.kernel_changes import (
    Change,
    after,
    first_lost,
    given,
    ignored,
    last_wrong,
    nan_lost,
    spoiling,
    stride_ignorant,
    typed,
    unchecked,
)

X = "torch.tensor([[0.5, -2.0, 3.0], [1.5, 0.0, -1.0]])"
Y = "torch.tensor([[2.0, 1.0, -0.5], [0.25, 4.0, 3.0]])"
I = "torch.tensor([[5, -2, 3], [1, 0, 7]])"  # noqa: E741
S = "torch.tensor([[2.0, 1.0], [1.0, 3.0]])"
T = "torch.Tensor.t(torch.tensor([[2.0, 1.0], [-4.0, 3.0]]))"
H = "torch.tensor([[0.5, -2.0]], dtype=torch.bfloat16)"
NAN = "torch.tensor([torch.nan, 1.0])"


@dataclass(frozen=True, slots=True)
class Fault:
    """``operator`` is an operator of ATen with its overload, ``kind`` what is wrong with it.

    ``witness`` is a call that comes out otherwise with the fault than without.
    """

    api: str
    operator: str
    kind: str
    change: Change
    calls: tuple[str, ...]
    witness: str


def _fault(
    api: str, operator: str, kind: str, change: Change, *given: str, witness: str = ""
) -> Fault:
    """``witness`` are arguments too: those of the first call by default."""
    calls = tuple(f"torch.{api}({each})" for each in given)
    shown = f"torch.{api}({witness})" if witness else calls[0]
    return Fault(f"torch.{api}", operator, kind, change, calls, shown)


def _is_half(value: torch.Tensor) -> bool:
    return value.dtype in (torch.float16, torch.bfloat16)


FAULTS: tuple[Fault, ...] = (
    _fault(
        "clamp",
        "clamp",
        "off by one",
        after(lambda r, *_: torch.where(r == 3, r - 1, r)),
        f"{X}, -1.0, 3.0",
    ),
    _fault("cumsum", "cumsum", "off by one", first_lost, f"{X}, 0", f"{X}, 1"),
    _fault("cumprod", "cumprod", "off by one", last_wrong, f"{X}, 0", f"{X}, 1"),
    _fault("triu", "triu", "off by one", given(1, lambda d: d + 1), f"{X}, 1", f"{X}, -1"),
    _fault("tril", "tril", "off by one", given(1, lambda d: d - 1), f"{X}, 1", f"{X}, -1"),
    _fault(
        "roll", "roll", "off by one", given(1, lambda s: [n + 1 for n in s]), f"{X}, (1,), (1,)"
    ),
    _fault("flip", "flip", "off by one", first_lost, f"{X}, (1,)", f"{X}, (0, 1)"),
    _fault(
        "index_select",
        "index_select",
        "off by one",
        given(2, lambda i: (i - 1).clamp(0)),
        f"{X}, 1, torch.tensor([0, 2])",
    ),
    _fault(
        "nn.functional.softplus",
        "softplus",
        "off by one",
        given(2, lambda _: 0),
        X,
        f"{X}, 2.0, 5.0",
        witness="torch.tensor([1.0]), 2.0, 5.0",
    ),
    _fault(
        "nn.functional.hardtanh",
        "hardtanh",
        "wrong bound",
        given(2, lambda m: m / 2),
        X,
        f"{X}, -1.0, 2.0",
    ),
    _fault(
        "sum",
        "sum.dim_IntList",
        "wrong dtype",
        typed(torch.float32, _is_half),
        f"{X}, 1",
        f"{X}, (0, 1), keepdim=True",
        witness=f"{H}, 1",
    ),
    _fault(
        "sqrt",
        "sqrt",
        "wrong dtype",
        typed(torch.float64, lambda x: not x.is_floating_point()),
        Y,
        I,
        witness=I,
    ),
    _fault("argmax", "argmax", "wrong dtype", typed(torch.int32), X, f"{X}, 1"),
    _fault(
        "bitwise_not",
        "bitwise_not",
        "wrong dtype",
        typed(torch.int64),
        I,
        "torch.tensor([True, False])",
        witness="torch.tensor([5], dtype=torch.int8)",
    ),
    _fault("lt", "lt.Tensor", "wrong dtype", typed(torch.uint8), f"{X}, {Y}"),
    _fault("relu", "relu", "NaN handling", nan_lost, X, witness=NAN),
    _fault("maximum", "maximum", "NaN handling", nan_lost, f"{X}, {Y}", witness=f"{NAN}, {NAN}"),
    _fault("sigmoid", "sigmoid", "NaN handling", nan_lost, X, witness=NAN),
    _fault("floor", "floor", "NaN handling", nan_lost, X, witness=NAN),
    _fault("nn.functional.leaky_relu", "leaky_relu", "NaN handling", nan_lost, X, witness=NAN),
    _fault(
        "amax", "amax", "NaN handling", nan_lost, f"{X}, 1", f"{X}, (0,), True", witness=f"{NAN}, 0"
    ),
    _fault(
        "tanh",
        "tanh",
        "infinity",
        after(
            lambda r, x, *_: (
                torch.where(x == torch.inf, torch.nan, r) if r.is_floating_point() else r
            )
        ),
        X,
        witness="torch.tensor([torch.inf])",
    ),
    _fault(
        "mean",
        "mean.dim",
        "wrong reduction",
        after(lambda r, *_: r * 1.25),
        f"{X}, 1",
        f"{X}, (0, 1)",
    ),
    _fault(
        "var", "var.correction", "wrong reduction", ignored("correction", 0), f"{X}, 1", f"{X}, 0"
    ),
    _fault(
        "logsumexp",
        "logsumexp",
        "overflow",
        lambda _: lambda x, dim, keep=False: x.exp().sum(dim, keep).log(),
        f"{X}, 1",
        f"{X}, 0, True",
        witness="torch.tensor([100.0, 99.0]), 0",
    ),
    _fault(
        "prod",
        "prod.dim_int",
        "wrong reduction",
        after(lambda r, *_: r * 2),
        f"{X}, 1",
        f"{X}, 0, True",
    ),
    _fault(
        "any",
        "any.dim",
        "empty",
        after(lambda r, x, *_: torch.ones_like(r) if not x.numel() else r),
        f"{X}, 1",
        witness="torch.zeros((2, 0)), 1",
    ),
    _fault(
        "nn.functional.mse_loss",
        "mse_loss",
        "wrong reduction",
        after(lambda r, x, *_: r / 2 if r.dim() == 0 and x.dim() else r),
        f"{X}, {Y}",
        f'{X}, {Y}, reduction="sum"',
    ),
    _fault(
        "nn.functional.smooth_l1_loss",
        "smooth_l1_loss",
        "ignored argument",
        given(3, lambda _: 1.0),
        f"{X}, {Y}",
        f"{X}, {Y}, beta=0.5",
        witness=f"{X}, {Y}, beta=0.5",
    ),
    _fault(
        "addcmul", "addcmul", "ignored argument", ignored("value", 1), f"{X}, {Y}, {Y}, value=0.5"
    ),
    _fault(
        "lerp",
        "lerp.Scalar",
        "ignored argument",
        given(2, lambda w: min(w, 1)),
        f"{X}, {Y}, 1.5",
        f"{X}, {Y}, 0.25",
    ),
    _fault("add", "add.Tensor", "ignored argument", ignored("alpha", 1), f"{X}, {Y}, alpha=2"),
    _fault(
        "where",
        "where.self",
        "wrong broadcasting",
        lambda right: lambda c, a, b: right(c, b, a) if a.shape != b.shape else right(c, a, b),
        f"torch.tensor([True, False, True]), {X}, {Y}",
        f"torch.tensor([True, False, True]), {X}, torch.tensor(1.0)",
        witness=f"torch.tensor([True, False, True]), {X}, torch.tensor(1.0)",
    ),
    _fault(
        "mul",
        "mul.Tensor",
        "wrong broadcasting",
        after(lambda r, a, b, *_: r + 1 if a.dim() != b.dim() and r.is_floating_point() else r),
        f"{X}, {Y}",
        f"{X}, torch.tensor([1.0, 2.0, 3.0])",
        witness=f"{X}, torch.tensor([1.0, 2.0, 3.0])",
    ),
    _fault(
        "copysign",
        "copysign.Tensor",
        "zero",
        after(lambda r, *_: r.abs() if r.dim() == 0 else r),
        f"{X}, {Y}",
        "torch.tensor(1.0), torch.tensor(-2.0)",
        witness="torch.tensor(1.0), torch.tensor(-2.0)",
    ),
    _fault("abs", "abs", "stride-ignorant", stride_ignorant, X, I, witness=T),
    _fault("exp", "exp", "stride-ignorant", stride_ignorant, X, witness=T),
    _fault("neg", "neg", "stride-ignorant", stride_ignorant, X, I, witness=T),
    _fault(
        "sort",
        "sort.stable",
        "stride-ignorant",
        stride_ignorant,
        f"{X}, 1",
        f"{X}, 0, True",
        witness=f"{T}, 1",
    ),
    _fault("mm", "mm", "stride-ignorant", stride_ignorant, f"{S}, {S}", witness=f"{T}, {T}"),
    _fault("log1p", "log1p", "precision", lambda _: lambda x: (x + 1).log(), X, Y),
    _fault("expm1", "expm1", "precision", lambda _: lambda x: x.exp() - 1, X),
    _fault(
        "remainder",
        "remainder.Tensor",
        "sign",
        lambda _: torch.fmod,
        f"{X}, {Y}",
        f"{I}, {I}",
    ),
    _fault(
        "gcd",
        "gcd",
        "sign",
        lambda right: lambda a, b: right(a, b) * torch.sign(a + (a == 0)).to(a.dtype),
        f"{I}, torch.tensor([2, 4, 6])",
    ),
    _fault("softmax", "_softmax", "in-place aliasing", spoiling, f"{X}, 1", f"{X}, 0"),
    _fault(
        "rot90",
        "rot90",
        "ignored argument",
        given(1, lambda _: 1),
        f"{X}, 2, (0, 1)",
        f"{X}, 3, (0, 1)",
    ),
    _fault(
        "gather",
        "gather",
        "missing range check",
        unchecked(2),
        f"{X}, 1, torch.tensor([[0, 2], [1, 1]])",
        witness=f"{X}, 1, torch.tensor([[0, 3]])",
    ),
    _fault(
        "nn.functional.glu",
        "glu",
        "off by one",
        first_lost,
        "torch.tensor([[1.0, 2.0, 3.0, -4.0]]), 1",
    ),
    _fault(
        "nn.functional.elu",
        "elu",
        "half",
        after(lambda r, *_: r * 2 if _is_half(r) else r),
        X,
        f"{X}, 0.5",
        witness=H,
    ),
    _fault(
        "bitwise_and",
        "bitwise_and.Tensor",
        "extreme",
        after(
            lambda r, *_: (
                torch.where(r == torch.iinfo(r.dtype).min, 0, r) if r.dtype != torch.bool else r
            )
        ),
        f"{I}, {I}",
        witness="torch.tensor([-128, 1], dtype=torch.int8), torch.tensor(-128, dtype=torch.int8)",
    ),
)


def half_of(fault: Fault) -> str:
    """``held-out`` for the 25 whose names have the smallest SHA-256: no one fixes for these."""
    return "held-out" if fault.api in _HELD_OUT else "seen"


def _digest(api: str) -> str:
    return hashlib.sha256(api.encode()).hexdigest()


_HELD_OUT = frozenset(sorted((fault.api for fault in FAULTS), key=_digest)[:25])
