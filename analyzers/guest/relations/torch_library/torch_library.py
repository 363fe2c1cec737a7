"""The library torch: what relational testing asks of it."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from ...inputs.recipes import Recipe
from ..libraries.library_base import CatalogueLibrary, Found, Source
from ..mutation.array_construction import TorchArrays
from ..relation_types import ApiParameter, CallSource
from .torch_catalogue import list_torch_apis, parameters
from .torch_recipes import copied, is_tensor, plain, torch_recipe
from .valid_calls import gathered, sources


class Torch(CatalogueLibrary):
    """PyTorch; operators of tensors go by the function (``torch.add``), methods by the class."""

    name = "torch"
    arrays = TorchArrays()
    is_array = staticmethod(is_tensor)
    copied = staticmethod(copied)
    plain = staticmethod(plain)

    def __init__(self) -> None:
        import torch

        super().__init__(list_torch_apis())
        self.version = str(torch.__version__)
        plain_types = (slice, range, complex, int, float, bool)
        self.namespace = {"torch": torch, **{kind.__name__: kind for kind in plain_types}}

    def recipe_of(self, value: Any) -> Recipe:
        """Return the recipe of a value; raises ``BadRecipe``."""
        return torch_recipe(value)

    @property
    def unsafe(self) -> Sequence[str]:
        """The names of public callables that are for files, devices or settings."""
        return tuple(sorted(self._known.unsafe))

    def parameters(self, name: str, kind: str, function: Any) -> tuple[ApiParameter, ...]:
        """Return the parameters of an API: see :func:`.torch_catalogue.parameters`."""
        return parameters(name, kind, function, self.default_recipe)

    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """Return the parts of test data and documentation: see :func:`.valid_calls.sources`."""
        return sources(self, names)

    def gathered(self, found: Iterable[tuple[CallSource, str]]) -> Found:
        """Yield what the sources give put together: see :func:`.valid_calls.gathered`."""
        return gathered(self, found)

    def seed(self) -> None:
        """Seed the processor's random numbers, without the stack that ``manual_seed`` formats."""
        import torch

        torch.default_generator.manual_seed(0)
