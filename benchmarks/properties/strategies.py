"""Constraints of aN as the Hypothesis code that a developer would write instead.

The words are those of Hypothesis itself and of its NumPy extra (``st``,
``hnp``), so what comes out runs with nothing of ours (aNNoTest, section 3.4).
Named dimensions become shared strategies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from analyzers.guest.annotations.constraints import Annotations, Argument, Constraint, Expression

SIDES = "min_value=1, max_value=8"
Generators = Mapping[str, Annotations]
Renderer = Callable[[Constraint, Generators], str]


def strategy(given: Argument | None, generators: Generators) -> str:
    """The source of the strategy for a constraint, or for a single value."""
    if isinstance(given, Constraint):
        return RENDERERS[given.kind](given, generators)
    if isinstance(given, Expression):
        return "st.none()" if given.source == "None" else f"st.just({given.source})"
    raise ValueError(f"{given!r} is no constraint")


def _called(name: str, *positional: str, **keywords: str | None) -> str:
    given = [*positional, *(f"{key}={value}" for key, value in keywords.items() if value)]
    return f"{name}({', '.join(given)})"


def _source(constraint: Constraint, name: str) -> str | None:
    given = constraint[name]
    return given.source if isinstance(given, Expression) else None


def _ints(constraint: Constraint, _: Generators) -> str:
    return _called(
        "st.integers", min_value=_source(constraint, "min"), max_value=_source(constraint, "max")
    )


def _floats(constraint: Constraint, _: Generators) -> str:
    flags = {name: _source(constraint, name) for name in ("exclude_min", "exclude_max", "width")}
    bounds = {f"{name}_value": _source(constraint, name) for name in ("min", "max")}
    if flags["width"]:
        bounds = {name: value and f"float({value})" for name, value in bounds.items()}
    return _called("st.floats", **bounds, **flags, allow_nan="False", allow_infinity="False")


def _sizes(constraint: Constraint) -> dict[str, str | None]:
    return {f"{end}_size": _source(constraint, f"{end}_len") for end in ("min", "max")}


def _lists(constraint: Constraint, generators: Generators) -> str:
    return _called("st.lists", strategy(constraint["elements"], generators), **_sizes(constraint))


def _flat_lists(element: Renderer) -> Renderer:
    def render(constraint: Constraint, generators: Generators) -> str:
        return _called("st.lists", element(constraint, generators), **_sizes(constraint))

    return render


def _dicts(constraint: Constraint, generators: Generators) -> str:
    parts = [strategy(constraint[name], generators) for name in ("keys", "values")]
    return _called("st.dictionaries", *parts, **_sizes(constraint))


def _several(function: str, name: str) -> Renderer:
    def render(constraint: Constraint, generators: Generators) -> str:
        options = constraint[name]
        items = options if isinstance(options, tuple) else ()
        return _called(function, *(strategy(item, generators) for item in items))

    return render


def _froms(constraint: Constraint, _: Generators) -> str:
    return f"st.sampled_from({_source(constraint, 'values')})"


def _objs(constraint: Constraint, generators: Generators) -> str:
    name = _source(constraint, "generator") or ""
    return built(name, generators[name], generators)


def built(function: str, said: Annotations, generators: Generators) -> str:
    """A strategy for what a function or class returns, by its own annotations."""
    given = {arg.name: strategy(arg.constraint, generators) for arg in said.args}
    return _called("st.builds", function, **given)


# ------------------------------------------------------------------ arrays


def _array(constraint: Constraint, generators: Generators) -> str:
    kinds = constraint.value("dtype", "float32")
    if isinstance(kinds, list):
        inside = _of_dtype(constraint, "dtype", generators)
        return f"st.sampled_from({kinds!r}).flatmap(lambda dtype: {inside})"
    return _of_dtype(constraint, repr(kinds), generators)


def _of_dtype(constraint: Constraint, dtype: str, generators: Generators) -> str:
    elements = _called(
        "hnp.from_dtype",
        f"np.dtype({dtype})",
        min_value=_bound(constraint, "min", dtype),
        max_value=_bound(constraint, "max", dtype),
        allow_nan="False",
        allow_infinity="False",
    )
    shape = _shape(constraint["shape"], generators)
    return _called("hnp.arrays", dtype, shape, elements=elements)


def _bound(constraint: Constraint, name: str, dtype: str) -> str | None:
    """A bound; Hypothesis wants one that 32 bits hold exactly."""
    value, source = constraint.value(name), _source(constraint, name)
    inexact = isinstance(value, float) and not value.is_integer() and dtype == "'float32'"
    return f"np.float32({source}).item()" if inexact else source


def _shape(given: Argument | None, generators: Generators) -> str:
    if given is None:
        return "hnp.array_shapes()"
    if isinstance(given, Expression) and isinstance(given.value, str):
        return _sides([_side(word) for word in given.value.split()])
    if isinstance(given, Expression):
        values = given.value if isinstance(given.value, (list, tuple)) else [given.value]
        return _sides([_side(str(value)) for value in values])
    if isinstance(given, Constraint) and given.kind == "tuples":
        elements: Any = given["elements"]
        return _sides([_element(each, generators) for each in elements])
    if isinstance(given, tuple):
        return _sides([_element(each, generators) for each in given])
    return strategy(given, generators)


def _element(given: Argument, generators: Generators) -> str:
    if isinstance(given, Expression):
        return _side(str(given.value))
    return strategy(given, generators)


def _side(word: str) -> str:
    if word.isdigit():
        return f"st.just({word})"
    sides = f"st.integers({SIDES})"
    return sides if word == "_" else f'st.shared({sides}, key="{word}")'


def _sides(sides: list[str]) -> str:
    if all(side.startswith("st.just(") for side in sides):
        inside = ", ".join(side[len("st.just(") : -1] for side in sides)
        return f"({inside},)"
    return f"st.tuples({', '.join(sides)})"


def _tensors(constraint: Constraint, generators: Generators) -> str:
    array = _array(constraint, generators)
    if constraint.value("values") == "probabilities":
        weights = array.replace("allow_nan", "min_value=0.01, max_value=9, allow_nan", 1)
        return f"{weights}.map(lambda a: torch.from_numpy(a / a.sum(axis=-1, keepdims=True)))"
    if constraint.value("requires_grad"):
        return f"{array}.map(lambda a: torch.from_numpy(a).requires_grad_())"
    return f"{array}.map(torch.from_numpy)"


def _jax_arrays(constraint: Constraint, generators: Generators) -> str:
    return f"{_array(constraint, generators)}.map(jnp.asarray)"


# ----------------------------------------------------------------- objects


def _datasets(constraint: Constraint, generators: Generators) -> str:
    return _called("st.lists", strategy(constraint["items"], generators), **_sizes(constraint))


def _loaders(constraint: Constraint, generators: Generators) -> str:
    items = _datasets(constraint, generators)
    size = strategy(constraint["batch_size"], generators)
    return _called("st.builds", "DataLoader", items, batch_size=size)


def _modules(constraint: Constraint, _: Generators) -> str:
    sides = [re.findall(r"\d+", str(constraint.value(name)))[-1] for name in ("in", "out")]
    return f"st.builds(nn.Linear, st.just({sides[0]}), st.just({sides[1]}))"


def _optimizers(constraint: Constraint, _: Generators) -> str:
    name = str(constraint.value("name", "sgd"))
    kind = {"adam": "Adam", "adamw": "AdamW"}.get(name, "SGD")
    return f"st.builds(lambda: torch.optim.{kind}(nn.Linear(2, 2).parameters(), lr=0.1))"


def _images(constraint: Constraint, _: Generators) -> str:
    side = f"st.integers(min_value=1, max_value={_source(constraint, 'max_side') or 32})"
    channels = constraint.value("channels", 3)
    more = "" if channels == 1 else f", st.just({channels})"
    return f'hnp.arrays("uint8", st.tuples({side}, {side}{more})).map(Image.fromarray)'


def _configs(constraint: Constraint, generators: Generators) -> str:
    fields = {name: strategy(given, generators) for name, given in constraint.arguments}
    return _called("st.builds", "SimpleNamespace", **fields)


RENDERERS: Mapping[str, Renderer] = {
    "froms": _froms,
    "bools": lambda _, __: "st.booleans()",
    "ints": _ints,
    "floats": _floats,
    "strings": lambda constraint, _: _called("st.text", **_sizes(constraint)),
    "lists": _lists,
    "tuples": _several("st.tuples", "elements"),
    "int_lists": _flat_lists(_ints),
    "float_lists": _flat_lists(_floats),
    "bool_lists": _flat_lists(lambda _, __: "st.booleans()"),
    "string_lists": _flat_lists(lambda _, __: "st.text()"),
    "dicts": _dicts,
    "anys": _several("st.one_of", "options"),
    "objs": _objs,
    "np_arrays": _array,
    "tensors": _tensors,
    "jax_arrays": _jax_arrays,
    "datasets": _datasets,
    "loaders": _loaders,
    "modules": _modules,
    "optimizers": _optimizers,
    "images": _images,
    "configs": _configs,
}
