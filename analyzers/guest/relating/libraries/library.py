"""What relational testing asks of a library; torch, NumPy, JAX and Keras each have a room here."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Protocol, Sequence, Tuple

from ...generation.recipes import Recipe
from ..nouns import Api, Call, Namespace


class Library(Protocol):
    """An installed library: its APIs, valid calls of them, and its values.

    ``name`` is its top-level module, ``version`` what it says of itself
    (``2.13.0+cpu``); ``namespace`` has what recipes of its calls may name.
    """

    name: str
    version: str
    namespace: Namespace

    def apis(self) -> Sequence[Api]:
        """Its public callables, each once, by their canonical names, sorted."""
        ...

    def function(self, api: str) -> Any:
        """The callable of that name; raises ``LookupError``."""
        ...

    def named(self, function: Any) -> Optional[str]:
        """The canonical name of a callable of the library, or ``None``."""
        ...

    def valid(self) -> Iterator[Tuple[Call, str]]:
        """Calls that are known to be valid, and where each is from.

        Those of the library's own test data, its documentation's examples, and
        what it calls itself while those run.
        """
        ...

    def spelled(self, value: Any) -> Recipe:
        """The recipe of a value in the library's own names; raises ``BadRecipe``."""
        ...

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array (tensor) of the library."""
        ...

    def copied(self, value: Any) -> Any:
        """A value with arrays of its own (containers too), of the same strides and dtype."""
        ...

    def plain(self, array: Any) -> Tuple[str, Tuple[int, ...], Any]:
        """Dtype by name, shape, and a NumPy array of its elements in a dtype that NumPy has.

        Floating types that NumPy lacks are widened (bfloat16 to float32).
        """
        ...

    def seed(self) -> None:
        """Start its random numbers anew."""
        ...
