"""The calls of a function in the examples of its docstring (``>>> f(torch.randn(2, 3))``)."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Constraint
from analyzers.inference.building import chosen, make, maybe
from analyzers.inference.nouns import Subject
from analyzers.inference.scope import spelled
from analyzers.inference.subject import parsed

_MODULES = {"torch": "tensors", "np": "np_arrays", "numpy": "np_arrays", "jnp": "jax_arrays"}
_SIZED = ("randn", "rand", "zeros", "ones", "empty", "random.rand", "random.randn", "random.random")
_WITHIN = {
    "rand": (0, 1),
    "zeros": (0, 0),
    "ones": (1, 1),
    "random.rand": (0, 1),
    "random.random": (0, 1),
}


def recorded(subject: Subject, docstring: str) -> Iterator[tuple[str, Constraint]]:
    """The parameters that examples give, each with exactly the value given."""
    known: dict[str, ast.expr] = {}
    for tree in _examples(docstring):
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                known[spelled(node.targets[0])] = node.value
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _is_of(call, subject):
                    yield from _arguments(call, subject, known)


def _examples(docstring: str) -> Iterator[ast.Module]:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return
    for each in examples:
        tree = parsed(each.source)
        if tree is not None:
            yield tree


def _is_of(call: ast.Call, subject: Subject) -> bool:
    name = spelled(call.func).rpartition(".")[2]
    if subject.owner is not None and subject.node.name == "__init__":
        return name == subject.owner.name
    return name == subject.node.name


def _arguments(
    call: ast.Call, subject: Subject, known: dict[str, ast.expr]
) -> Iterator[tuple[str, Constraint]]:
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    names = [arg.arg for arg in subject.parameters]
    pairs = [*zip(names, call.args, strict=False)]
    pairs += [(each.arg, each.value) for each in call.keywords if each.arg in names]
    for name, value in pairs:
        found = exactly(known.get(spelled(value), value))
        if found is not None:
            yield name, found


def exactly(node: ast.expr) -> Constraint | None:
    """The value of a literal, or arrays like those that a library's call makes."""
    try:
        return chosen_value(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError):
        return _array(node) if isinstance(node, ast.Call) else None


def chosen_value(value: object) -> Constraint | None:
    """A number as a range of itself, anything else that aN can write as a choice of one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return make("ints", min=value, max=value)
    if isinstance(value, float):
        return maybe("floats", min=value, max=value)
    return chosen([value]) if isinstance(value, (str, bool, list, tuple, type(None))) else None


def _array(node: ast.Call) -> Constraint | None:
    module, _, word = spelled(node.func).partition(".")
    kind = _MODULES.get(module)
    if kind is None:
        return None
    if word == "randint" and len(node.args) >= 2:
        return _integers(kind, node)
    if word not in _SIZED:
        return None
    sizes = _sizes(list(node.args))
    low, high = _WITHIN.get(word, (None, None))
    dtype = "float64" if kind == "np_arrays" else "float32"
    dtypes = any(each.arg == "dtype" for each in node.keywords)
    if not sizes or dtypes:
        return None
    return maybe(kind, dtype=dtype, shape=sizes, min=low, max=high)


def _integers(kind: str, node: ast.Call) -> Constraint | None:
    """``torch.randint(low, high, size)`` and ``torch.randint(high, size)``."""
    size = _sizes([node.args[-1]])
    bounds = _sizes(list(node.args[:-1]))
    if not size or not bounds or kind != "tensors":
        return None
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    return maybe(kind, dtype="int64", shape=size, min=low, max=high - 1)


def _sizes(nodes: list[ast.expr]) -> tuple[int, ...]:
    try:
        values = [ast.literal_eval(node) for node in nodes]
    except (ValueError, TypeError, SyntaxError):
        return ()
    flat = list(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else values
    return tuple(flat) if all(type(each) is int for each in flat) else ()
