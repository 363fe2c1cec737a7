"""Programs of a few lines that show a divergence without Assayer: both calls, and an assertion.

They need nothing but the library.  Where the related side is another call of the
library it is written out; the other oracles are said as what they do to the
arguments (``.double()``, an ``expand``, an ``out=``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from analyzers.guest.inputs.recipes import BadRecipe, evaluate, parse
from analyzers.guest.relations.fuzzing.fuzz_findings import python_source, reproducer
from analyzers.guest.relations.relation_types import Library

Row = Mapping[str, Any]
Wrap = Callable[[str], str]

_HEAD = "import torch"
_CLOSE = "torch.testing.assert_close(a, b, equal_nan=True, check_stride=False{})"
_DECOMPOSED = """from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode


class Decomposed(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return decomposition_table.get(func, func)(*args, **(kwargs or {}))


"""
_LAYOUTS: Mapping[str, tuple[Wrap, Wrap]] = {
    "expanded": (
        lambda x: f"{x}.contiguous()[:1].expand({x}.shape)",
        lambda x: f"{x}.contiguous()[:1].expand({x}.shape).contiguous()",
    ),
    "stepped": (
        lambda x: f"torch.stack([{x}, torch.ones_like({x})], -1)[..., 0]",
        lambda x: x,
    ),
    "transposed": (
        lambda x: f"{x}.transpose(0, -1).contiguous().transpose(0, -1)",
        lambda x: x,
    ),
}


def programs(row: Row, library: Library) -> Iterator[str]:
    """The programs that may show a row: one, but for layouts that an oracle tries in turn."""
    call = python_source(row["call"])
    if row["relation"] == "bounds":
        yield _surrounded(call)
        return
    hangs = row["outcome"].startswith("no result after")
    if hangs or row["rule"] == "crash" or row["relation"] == "documentation":
        yield f"{_HEAD}\nprint({call})\n"
        return
    make = _SHOWN.get(row["relation"], _related)
    yield from make(call, row, library)


def _program(first: str, second: str, *, dtypes: bool = True, before: str = "") -> str:
    lines = [_HEAD + before, f"a = {first}", f"b = {second}"]
    return "\n".join([*lines, _CLOSE.format("" if dtypes else ", check_dtype=False"), ""])


_AMID = (
    "amid = lambda x, n: torch.cat([x.new_full((999,), n), x.flatten(), "
    "x.new_full((999,), n)])[999 : 999 + x.numel()].view(x.shape)"
)


def _surrounded(call: str) -> str:
    """The call with its tensors amid zeros, and amid ones."""
    sides = [ast.unparse(_amid(call, number)) for number in (0, 1)]
    return "\n".join([_HEAD, _AMID, f"a = {sides[0]}", f"b = {sides[1]}", _CLOSE.format(""), ""])


def _amid(call: str, number: int) -> ast.expr:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    for holder in (node, node.func):
        if isinstance(holder, ast.Call):
            holder.args = [_placed(item, number) for item in holder.args]
            for word in holder.keywords:
                word.value = _placed(word.value, number)
    return node


def _placed(node: ast.expr, number: int) -> ast.expr:
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("torch."):
        return node
    if ast.unparse(node.func) == "torch.Tensor.expand":
        node.args[0] = _placed(node.args[0], number)
        return node
    return ast.parse(f"amid({ast.unparse(node)}, {number})", mode="eval").body


def _related(call: str, row: Row, library: Library) -> Iterator[str]:
    """A relation of the table, bound to the values of the call."""
    lines = reproducer(row, library).splitlines()
    if len(lines) == 3 and lines[2].startswith("print("):
        other = ast.unparse(ast.parse(lines[2]).body[0].value.args[0])  # type: ignore[attr-defined]
        yield _program(call, other)


def _reference(call: str, row: Row, _: Library) -> Iterator[str]:
    name = row["related"].partition("(")[0]
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    node.func = ast.parse(name, mode="eval").body
    yield _program(call, ast.unparse(node), before=", torch._refs")


def _in_place(call: str, row: Row, _: Library) -> Iterator[str]:
    name = row["related"].removeprefix("the same call as ").partition("(")[0]
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    node.func = ast.parse(name, mode="eval").body
    yield _program(call, ast.unparse(node))


def _float64(call: str, _: Row, library: Library) -> Iterator[str]:
    real = wrapped(call, library, lambda x: f"{x}.double()", _is_real)
    wide = wrapped(real, library, lambda x: f"{x}.to(torch.complex128)", _is_complex)
    yield _program(call, wide.replace("dtype=torch.float32)", "dtype=torch.float64)"), dtypes=False)
    yield _program(call, wide, dtypes=False)


def _is_real(value: Any) -> bool:
    return bool(value.is_floating_point())


def _is_complex(value: Any) -> bool:
    return bool(value.is_complex())


def _numpy(call: str, row: Row, library: Library) -> Iterator[str]:
    node = ast.parse(wrapped(call, library, lambda x: f"{x}.numpy()", _is_any), mode="eval").body
    assert isinstance(node, ast.Call)
    node.func = ast.parse(row["related"].partition(" ")[0], mode="eval").body
    theirs = f"torch.as_tensor({ast.unparse(node)})"
    yield _program(call, theirs, dtypes=False, before=", numpy")


def _strides(call: str, _: Row, library: Library) -> Iterator[str]:
    for ours, theirs in _LAYOUTS.values():
        given = [wrapped(call, library, wrap, lambda value: value.ndim) for wrap in (ours, theirs)]
        yield _program(given[0], given[1])
        yield _program(given[1], call) if theirs("x") == "x" else ""


def _decomposition(call: str, _: Row, __: Library) -> Iterator[str]:
    both = f"a = {call}\nwith Decomposed():\n    b = {call}"
    yield f"{_HEAD}\n{_DECOMPOSED}{both}\n{_CLOSE.format('')}\n"


def _out(call: str, _: Row, __: Library) -> Iterator[str]:
    inside = call[:-1] + ("" if call.endswith("()") else ", ")
    for made in (
        "torch.empty(0, dtype=a.dtype)",
        "torch.ones((*a.shape, 2), dtype=a.dtype)[..., 0]",
    ):
        yield _program(call, f"{inside}out={made})")


def _vmap(call: str, _: Row, library: Library) -> Iterator[str]:
    names = iter(f"x{number}" for number in range(100))
    given: list[str] = []

    def named(text: str) -> str:
        given.append(text)
        return next(names)

    body = wrapped(call, library, named, _is_any)
    parameters = ", ".join(f"x{number}" for number in range(len(given)))
    stacked = ", ".join(f"torch.stack([{x}, {x}])" for x in given)
    yield _program(
        f"torch.stack([torch.as_tensor({call})] * 2)",
        f"torch.vmap(lambda {parameters}: {body})({stacked})",
    )


def _is_any(_: Any) -> bool:
    return True


def _meta(call: str, _: Row, library: Library) -> Iterator[str]:
    faked = wrapped(call, library, lambda x: f"mode.from_tensor({x})", _is_any)
    mode = "mode = torch._subclasses.FakeTensorMode()"
    same = "assert a.shape == b.shape and a.dtype == b.dtype"
    yield f"{_HEAD}, torch._subclasses\n{mode}\na = {call}\nb = {faked}\n{same}\n"
    inside = f"with mode:\n    b = {call}"
    yield f"{_HEAD}, torch._subclasses\n{mode}\na = {call}\n{inside}\n{same}\n"


_SHOWN: Mapping[str, Callable[[str, Row, Library], Iterator[str]]] = {
    "reference": _reference,
    "in-place": _in_place,
    "float64": _float64,
    "strides": _strides,
    "decomposition": _decomposition,
    "out": _out,
    "numpy": _numpy,
    "vmap": _vmap,
    "meta": _meta,
}


def wrapped(call: str, library: Library, wrap: Wrap, is_meant: Callable[[Any], Any]) -> str:
    """The call with each tensor that is an argument, or an item of one, changed in text."""
    body = ast.parse(call, mode="eval").body
    assert isinstance(body, ast.Call)
    wrapper = _Wrapper(library, wrap, is_meant)
    outer = [body, body.func] if isinstance(body.func, ast.Call) else [body]
    for node in reversed(outer):
        assert isinstance(node, ast.Call)
        node.args = [wrapper.changed(item) for item in node.args]
        for keyword in node.keywords:
            keyword.value = wrapper.changed(keyword.value)
    return ast.unparse(body)


class _Wrapper:
    def __init__(self, library: Library, wrap: Wrap, is_meant: Callable[[Any], Any]) -> None:
        self._library = library
        self._wrap = wrap
        self._is_meant = is_meant

    def changed(self, node: ast.expr) -> ast.expr:
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.changed(item) for item in node.elts]
            return node
        text = ast.unparse(node)
        try:
            value = evaluate(parse(text), self._library.namespace)
        except BadRecipe:
            return node
        if not self._library.is_array(value) or not self._is_meant(value):
            return node
        return ast.parse(self._wrap(text), mode="eval").body
