"""aN as decorators: the same words as in comments, for projects that like them better.

They do nothing when the program runs: Assayer reads them from the source.
``pip install assayer-annotations``, then::

    from assayer_annotations import arg, ints, require, tensors

    @arg("x", tensors(dtype="float32", shape="b 3 h w"))
    @arg("depth", ints(min=10, max=100))
    @require("depth % 2 == 0")
    def build(x, depth): ...

Conditions are strings or lambdas; constraints take what they take in comments.
``modules(in=...)`` is written ``modules(in_=...)`` here.
"""

from __future__ import annotations

from typing import Any, Callable, Tuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class WrittenConstraint:
    """A constraint as it was written; means nothing to the program."""

    def __init__(self, kind: str, args: Tuple[Any, ...], named: Any) -> None:
        self.kind = kind
        self.args = args
        self.named = dict(named)

    def __repr__(self) -> str:
        parts = [repr(arg) for arg in self.args]
        parts += [f"{name}={value!r}" for name, value in self.named.items()]
        return f"{self.kind}({', '.join(parts)})"


def _same(function: F) -> F:
    return function


def arg(name: str, constraint: Any) -> Callable[[F], F]:
    """Return what an argument may be: ``@arg("n", ints(min=1))``."""
    del name, constraint
    return _same


def require(condition: Any) -> Callable[[F], F]:
    """A precondition over the arguments: a string, or a lambda of them."""
    del condition
    return _same


def ensure(condition: Any) -> Callable[[F], F]:
    """A postcondition over the arguments and ``result``: a string, or a lambda of them."""
    del condition
    return _same


def returns(constraint: Any) -> Callable[[F], F]:
    """Return what the function returns."""
    del constraint
    return _same


def generator(function: F) -> F:
    """Mark a function that makes inputs for others: ``objs(function)``."""
    return function


def exclude(function: F) -> F:
    """Mark a function that is not to be tested."""
    return function


def timeout(seconds: float) -> Callable[[F], F]:
    """Return how long one call may take."""
    del seconds
    return _same


def cc_example(arguments: Any) -> Callable[[F], F]:
    """Arguments with which a constructor makes the instances that methods are called on."""
    del arguments
    return _same


def _constraint(kind: str) -> Callable[..., Any]:
    def described(*args: Any, **named: Any) -> Any:
        return WrittenConstraint(kind, args, named)

    described.__name__ = described.__qualname__ = kind
    described.__doc__ = f"The constraint ``{kind}`` of aN."
    return described


anys = _constraint("anys")
bool_lists = _constraint("bool_lists")
bools = _constraint("bools")
callables = _constraint("callables")
configs = _constraint("configs")
datasets = _constraint("datasets")
dicts = _constraint("dicts")
float_lists = _constraint("float_lists")
floats = _constraint("floats")
froms = _constraint("froms")
images = _constraint("images")
int_lists = _constraint("int_lists")
ints = _constraint("ints")
jax_arrays = _constraint("jax_arrays")
lists = _constraint("lists")
loaders = _constraint("loaders")
modules = _constraint("modules")
np_arrays = _constraint("np_arrays")
np_shapes = _constraint("np_shapes")
objs = _constraint("objs")
optimizers = _constraint("optimizers")
paths = _constraint("paths")
string_lists = _constraint("string_lists")
strings = _constraint("strings")
tensors = _constraint("tensors")
tuples = _constraint("tuples")
