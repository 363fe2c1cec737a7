"""The library JAX: what relational testing asks of it."""

from __future__ import annotations

from typing import Any, Iterator, Optional

from ...inputs.recipes import BadRecipe, CallRecipe, DisplayRecipe, NameRecipe, Recipe
from ..relation_types import CallSource, Library, LibraryApi
from .array_calls import CallLimits, succeeds
from .array_library import PLAIN, ArrayLibrary, ArrayNames, list_functions
from .numpy_library import Numpy

MODULES = ("jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.nn", "jax.lax")


class Jax(ArrayLibrary):
    """``jax.numpy`` with its parts, ``jax.nn`` and ``jax.lax``.

    ``model`` is NumPy unless another one is given: its valid calls are lent to the
    functions of the same name.
    """

    name = "jax"
    limits = CallLimits(tried=12, kept=3)
    """Each new shape of arguments is compiled: few are tried."""
    parts = 2
    names = ArrayNames("jax.numpy.array", "jax.numpy.zeros", "jax.numpy.full", "jax.numpy.")

    def __init__(self, model: Optional[Library] = None) -> None:
        import jax
        import jax.numpy
        import numpy

        names = {"jax": jax, "jnp": jax.numpy, "lax": jax.lax, "np": jax.numpy}
        super().__init__(list_functions(MODULES), names)
        self.version = str(jax.__version__)
        self.namespace = {"jax": jax, "numpy": numpy, **PLAIN}
        self._model: Library = model or Numpy()
        self._lent: Optional[dict[str, list[CallSource]]] = None

    def documented(self, api: LibraryApi) -> Iterator[CallSource]:
        """Return the examples of what NumPy lends nothing to: each would be compiled."""
        return iter(()) if any(True for _ in self.lent(api)) else super().documented(api)

    def succeeds(self, call: CallSource) -> bool:
        """Return whether a call can be traced, which compiles nothing, or returns something.

        Results whose shape depends on the elements cannot be traced.
        """
        import jax

        function = self.function(call.api)

        def traced(*arguments: Any, **keywords: Any) -> Any:
            return jax.eval_shape(lambda: function(*arguments, **keywords))

        if succeeds(call, traced, self.namespace):
            return True
        return call.api.startswith("jax.numpy.") and super().succeeds(call)

    def lent(self, api: LibraryApi) -> Iterator[CallSource]:
        """Yield NumPy's calls, with JAX's arrays."""
        if self._lent is None:
            self._lent = {}
            for call, _ in self._model.valid():
                self._lent.setdefault(call.api, []).append(call)
        if not api.name.startswith("jax.numpy."):
            return
        for call in self._lent.get(api.name.partition(".")[2], ()):
            yield translated(call, api.name)

    def array_recipe(self, value: Any) -> Recipe:
        """Return the recipe of an array or a dtype."""
        import jax
        import numpy

        if isinstance(value, (jax.Array, numpy.ndarray, numpy.generic)):
            dtype = _named_dtype(str(value.dtype))
            narrow = dtype.startswith(("bfloat16", "float16", "float8"))
            made = numpy.asarray(value.astype("float32") if narrow else value)
            return self.names.of(made, dtype)
        if isinstance(value, numpy.dtype):
            return NameRecipe(f"jax.numpy.{_named_dtype(value.name)}")
        own = getattr(value, "__name__", "")
        if own and getattr(jax.numpy, own, None) is value and hasattr(value, "dtype"):
            return NameRecipe(f"jax.numpy.{own}")
        raise BadRecipe(f"a {type(value).__name__} has no text")

    def is_array(self, value: Any) -> bool:
        """Return whether a value is an array of JAX, or of NumPy, as JAX gives at times."""
        import jax
        import numpy

        return isinstance(value, (jax.Array, numpy.ndarray))

    def copied_array(self, value: Any) -> Any:
        """Return the value itself: nothing changes JAX's arrays; a copy of one of NumPy's."""
        import numpy

        return value.copy() if isinstance(value, numpy.ndarray) else value

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return dtype by name, shape, and the elements; narrow floating types as float32."""
        import numpy

        dtype = str(array.dtype)
        if dtype.startswith("key<"):
            import jax

            array = jax.random.key_data(array)
        narrow = dtype.startswith(("bfloat16", "float16", "float8", "float4"))
        made = numpy.asarray(array.astype("float32") if narrow else array)
        return dtype, tuple(made.shape), made

    def seed(self) -> None:
        """Do nothing: JAX has no random numbers but those of explicit keys."""


def translated(call: CallSource, api: str) -> CallSource:
    """Return a call of NumPy as one of JAX: its arrays and dtypes are JAX's."""
    return CallSource(
        api,
        tuple([_renamed(item) for item in call.arguments]),
        tuple([(name, _renamed(item)) for name, item in call.keywords]),
    )


def _renamed(recipe: Recipe) -> Recipe:
    if isinstance(recipe, NameRecipe) and recipe.dotted.startswith("numpy."):
        return NameRecipe(f"jax.{recipe.dotted}")
    if isinstance(recipe, DisplayRecipe):
        return DisplayRecipe(recipe.kind, tuple([_renamed(item) for item in recipe.items]))
    if not isinstance(recipe, CallRecipe):
        return recipe
    own = recipe.function
    keywords = tuple([(name, _renamed(item)) for name, item in recipe.keywords])
    name = f"jax.{own}" if own.startswith("numpy.") else own
    return CallRecipe(name, tuple([_renamed(item) for item in recipe.arguments]), keywords)


def _named_dtype(name: str) -> str:
    import jax.numpy

    if name == "bool":
        return "bool_"
    if not hasattr(jax.numpy, name) or name == "object":
        raise BadRecipe(f"elements of {name} have no text")
    return name
