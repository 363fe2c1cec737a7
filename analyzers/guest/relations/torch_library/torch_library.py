"""The library torch: what relational testing asks of it."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Optional, Sequence

from ...inputs.recipes import BadRecipe, Recipe
from ..relation_types import CallSource, LibraryApi, Namespace
from .torch_catalogue import TorchCatalogue, list_torch_apis, parameters
from .torch_recipes import copied, is_tensor, plain, torch_recipe
from .valid_calls import Source, gathered, sources


class Torch:
    """PyTorch; ``unsafe`` are the names of public callables that are never called."""

    name = "torch"

    def __init__(self) -> None:
        import torch

        self.version = str(torch.__version__)
        self.namespace: Namespace = {
            "torch": torch,
            **{kind.__name__: kind for kind in (slice, range, complex, int, float, bool)},
        }
        self._catalogue: TorchCatalogue = list_torch_apis()
        self._apis: Optional[list[LibraryApi]] = None

    @property
    def unsafe(self) -> Sequence[str]:
        """The names of public callables that are for files, devices or settings."""
        return tuple(sorted(self._catalogue.unsafe))

    def apis(self) -> Sequence[LibraryApi]:
        """Return its public callables that are safe to call, each once, sorted by name."""
        if self._apis is None:
            self._apis = [self._api(name) for name in sorted(self._catalogue.functions)]
        return self._apis

    def _api(self, name: str) -> LibraryApi:
        found = self._catalogue
        function, kind = found.functions[name], found.kinds[name]
        taken = parameters(name, kind, function, self._recipe)
        doc = str(getattr(function, "__doc__", None) or "")
        return LibraryApi(name, kind, taken, doc, tuple(found.others[name]))

    def _recipe(self, value: Any) -> Optional[Recipe]:
        try:
            return torch_recipe(value)
        except BadRecipe:
            return None

    def function(self, api: str) -> Any:
        """Return the callable of that name, or one of its other names; raises ``LookupError``."""
        return self._catalogue.functions[self._catalogue.canonical(api)]

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable of torch, or ``None``.

        Operators of tensors go by the function (``torch.Tensor.__add__`` by
        ``torch.add``), methods by the class (``torch.Tensor.view``).
        """
        return self._catalogue.named(function)

    def valid(self) -> Iterator[tuple[CallSource, str]]:
        """Calls that were tried and succeed, thirty for an API at most, and where each is from."""
        yield from self.gathered(found for source in self.sources() for found in source())

    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """Return what :meth:`valid` consists of, in parts that can be run beside each other.

        ``names`` are the APIs whose calls are sought; all where there are none.
        """
        return sources(self, names)

    def gathered(self, found: Iterable[tuple[CallSource, str]]) -> Iterator[tuple[CallSource, str]]:
        """Return what the sources give put together: see :func:`.valid_calls.gathered`."""
        return gathered(self, found)

    def recipe_of(self, value: Any) -> Recipe:
        """Return the recipe of a value; raises :class:`BadRecipe`."""
        return torch_recipe(value)

    def is_array(self, value: Any) -> bool:
        """Return whether a value is a tensor."""
        return is_tensor(value)

    def copied(self, value: Any) -> Any:
        """Return a value with tensors of its own."""
        return copied(value)

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return dtype by name, shape, and the elements as a NumPy array."""
        return plain(array)

    def seed(self) -> None:
        """Start the random numbers of the processor anew.

        ``torch.manual_seed`` would format a stack for each device that is not there.
        """
        import torch

        torch.default_generator.manual_seed(0)
