"""Arguments that were made, in words: ``x: tensor 1×3×8×8 float32, all 0.0``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from analyzers.guest.inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    parse,
)
from analyzers.vocabulary import Finding, RecipeArgument
from analyzers.vocabulary import LiteralArgument as Given
from worker.report.report_messages import clipped

LONGEST_WORDS = 200
FEW = 4
_ARRAYS = {"tensor": "tensor", "array": "NumPy array", "jax_array": "JAX array"}
_PLACED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_ARRAYS, ("shape", "dtype", "fill", "at")),
    "image": ("form", "height", "width", "channels", "fill", "seed"),
    "path": ("kind", "suffix", "seed"),
    "dataset": ("items",),
    "loader": ("items", "batch_size"),
    "module": ("inputs", "outputs", "seed", "dtype", "norm"),
    "optimizer": ("name",),
    "function": ("returns",),
    "config": ("of",),
    "imported": ("module", "name"),
    "constructed": ("module", "name"),
}
_FORMS = {
    "pil": "PIL image",
    "numpy": "NumPy picture",
    "tensor": "tensor of a picture",
    "bytes": "bytes of a picture",
    "path": "path of a picture",
}


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """An argument of a finding: what it is, in words, and its source."""

    description: str
    source: str


def values_of(finding: Finding) -> list[ArgumentText]:
    """Return the literal and made arguments of a finding, each once."""
    found = {
        ArgumentText(_described(name, argument), _source(argument)): None
        for probe in finding.probes
        for name, argument in probe.arguments.items()
        if isinstance(argument, Given | RecipeArgument)
    }
    return list(found)


def _source(argument: Given | RecipeArgument) -> str:
    return argument.recipe if isinstance(argument, RecipeArgument) else argument.source


def _described(name: str, argument: Given | RecipeArgument) -> str:
    if isinstance(argument, Given):
        return f"argument {name}"
    try:
        return f"{name}: {words(parse(argument.recipe))}"
    except BadRecipe:
        return f"argument {name}"


def words(recipe: Recipe) -> str:
    """A recipe in a few words."""
    return clipped(_words(recipe), LONGEST_WORDS)


def _words(recipe: Recipe) -> str:
    match recipe:
        case CallRecipe(function) if function in _SAYING:
            return _SAYING[function](recipe)
        case DisplayRecipe(kind, items) if any(_is_made(item) for item in items):
            few = "; ".join(_words(item) for item in items[:FEW])
            more = "; …" if len(items) > FEW else ""
            return f"{kind} of {len(items)}: {few}{more}"
        case PairsRecipe(items) if any(_is_made(item) for _, item in items):
            few = "; ".join(f"{key.source()}: {_words(item)}" for key, item in items[:FEW])
            return f"dictionary of {few}" + ("; …" if len(items) > FEW else "")
        case _:
            return recipe.source()


def _is_made(recipe: Recipe) -> bool:
    """Return whether a maker has a part in a recipe: else its source says it best."""
    match recipe:
        case CallRecipe(function):
            return function in _SAYING
        case DisplayRecipe(_, items):
            return any(map(_is_made, items))
        case PairsRecipe(items):
            return any(_is_made(item) for _, item in items)
        case _:
            return False


# ------------------------------------------------------------------ makers


def _arguments(call: CallRecipe) -> dict[str, Recipe]:
    placed = zip(_PLACED[call.function], call.arguments, strict=False)
    return {**dict(placed), **dict(call.keywords)}


def _said(recipe: Recipe | None, default: str) -> str:
    if recipe is None:
        return default
    plain = isinstance(recipe, LiteralRecipe) and isinstance(recipe.value, str)
    return str(recipe.value) if plain and isinstance(recipe, LiteralRecipe) else recipe.source()


def _sizes(shape: Recipe | None) -> str:
    items = shape.items if isinstance(shape, DisplayRecipe) else ()
    return "×".join(item.source() for item in items) or "of one number"


def _array(call: CallRecipe) -> str:
    given = _arguments(call)
    size = _sizes(given.get("shape"))
    kind = " ".join(
        filter(None, [_ARRAYS[call.function], size, _said(given.get("dtype"), "float32")])
    )
    return ", ".join(filter(None, [kind, _content(given), _oddities(given)]))


def _content(given: Mapping[str, Recipe]) -> str:
    values = _said(given.get("values"), "any")
    drawn = "seed" in given or values != "any"
    kind = "" if values == "any" else f" ({values.replace('_', ' ')})"
    low, high = _said(given.get("low"), "0"), _said(given.get("high"), "1")
    alike = f"all {_said(given.get('fill'), '0')}"
    most = f"from {low} to {high}{kind}" if drawn else alike
    at = given.get("at")
    pairs = at.items if isinstance(at, PairsRecipe) else ()
    few = ", ".join(f"{item.source()} at {place.source()}" for place, item in pairs[:FEW])
    more = ", …" if len(pairs) > FEW else ""
    return f"{most} but {few}{more}" if few else most


def _oddities(given: Mapping[str, Recipe]) -> str:
    odd = []
    if _said(given.get("requires_grad"), "False") == "True":
        odd.append("requires grad")
    if _said(given.get("contiguous"), "True") == "False":
        odd.append("not contiguous")
    device = _said(given.get("device"), "cpu")
    return ", ".join(odd if device == "cpu" else [*odd, f"on {device}"])


def _image(call: CallRecipe) -> str:
    given = _arguments(call)
    form = _said(given.get("form"), "pil")
    sizes = [_said(given.get(name), "?") for name in ("height", "width")]
    channels = _said(given.get("channels"), "3")
    filled = "noise" if "seed" in given else f"all {_said(given.get('fill'), '0')}"
    return f"{_FORMS.get(form, form)}, {'×'.join(sizes)}, channels {channels}, {filled}"


def _path(call: CallRecipe) -> str:
    given = _arguments(call)
    suffix = _said(given.get("suffix"), "")
    return f"path of a {_said(given.get('kind'), 'text')}" + (f" ({suffix})" if suffix else "")


def _items(call: CallRecipe) -> str:
    items = _arguments(call).get("items")
    inside = items.items if isinstance(items, DisplayRecipe) else ()
    first = f", the first: {_words(inside[0])}" if inside else ""
    return f"{len(inside)} items{first}"


def _loader(call: CallRecipe) -> str:
    size = _said(_arguments(call).get("batch_size"), "1")
    return f"data loader (batches of {size}) of {_items(call)}"


def _module(call: CallRecipe) -> str:
    given = _arguments(call)
    ends = [_sizes(given.get(name)) for name in ("inputs", "outputs")]
    dtype = f" in {_said(given['dtype'], '')}" if "dtype" in given else ""
    return f"small torch module from {ends[0]} to {ends[1]}{dtype}"


def _function(call: CallRecipe) -> str:
    returns = _arguments(call).get("returns")
    said = "the last array that it is given" if returns is None else _words(returns)
    return f"function that returns {said}"


def _config(call: CallRecipe) -> str:
    fields = [f"{n}={r.source()}" for n, r in _arguments(call).items() if n != "of"]
    kind = _said(_arguments(call).get("of"), "configuration")
    return f"{kind} with {', '.join(fields)}" if fields else kind


def _imported_name(call: CallRecipe) -> str:
    module, name = (each.source().strip("'") for each in call.arguments[:2])
    return f"{name} of {module}"


_SAYING: Mapping[str, Callable[[CallRecipe], str]] = {
    **dict.fromkeys(_ARRAYS, _array),
    "image": _image,
    "path": _path,
    "dataset": lambda call: f"dataset of {_items(call)}",
    "loader": _loader,
    "module": _module,
    "optimizer": lambda call: f"optimizer {_said(_arguments(call).get('name'), 'SGD')}",
    "function": _function,
    "config": _config,
    "imported": _imported_name,
    "constructed": lambda call: f"{_imported_name(call)}(…)",
}
