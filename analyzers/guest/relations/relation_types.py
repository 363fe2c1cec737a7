"""Data classes of relational testing (DeepREL): APIs of a library, calls, relations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Optional, Protocol, Sequence

from ..inputs.recipes import Recipe

FUNCTION, METHOD, LAYER = "function", "method", "layer"
"""The kinds of API: a layer is a class whose instances are called with inputs."""

VALUE, STATUS, CRASH = "value", "status", "crash"
"""What a relation holds of, and what a disagreement is about."""

SUCCESS, EXCEPTION, CRASHED, HUNG = "success", "exception", "crashed", "hung"
"""The statuses of a call (DeepREL, section 3), with hangs told apart."""


@dataclass(frozen=True)
class ApiParameter:
    """A parameter of an API.

    ``types`` are the names of the types that valid calls have given it
    (``tensor``, ``int``, ``float``, ``bool``, ``str``, ``tuple``, ``dtype``, ``None``, …).
    A layer's inputs are parameters too, after those of its constructor.
    ``default`` is ``None`` where it cannot be told.  A variadic one has its star
    in its name; one that is required is of sizes, which one sequence may hold too.
    """

    name: str
    required: bool
    keyword_only: bool = False
    default: Optional[Recipe] = None
    types: frozenset[str] = frozenset()
    is_input: bool = False


@dataclass(frozen=True)
class LibraryApi:
    """A public callable of a library by canonical name, its ``doc`` and ``others`` of its names."""

    name: str
    kind: str
    parameters: tuple[ApiParameter, ...] = ()
    doc: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallSource:
    """A call of an API as text; ``inputs`` are what a layer is called with, else ``None``."""

    api: str
    arguments: tuple[Recipe, ...] = ()
    keywords: tuple[tuple[str, Recipe], ...] = ()
    inputs: Optional[tuple[Recipe, ...]] = None

    def source(self) -> str:
        """Return the Python expression that it is."""
        inside = [item.source() for item in self.arguments]
        inside += [f"{name}={item.source()}" for name, item in self.keywords]
        called = f"{self.api}({', '.join(inside)})"
        if self.inputs is None:
            return called
        return f"{called}({', '.join(item.source() for item in self.inputs)})"


@dataclass
class LiveCall:
    """A call with its values (as in :class:`CallSource`), to be run or seen in a run."""

    api: str
    function: Callable[..., Any]
    arguments: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)
    inputs: Optional[list[Any]] = None

    def run(self) -> Any:
        """Return what it returns; raises what it raises."""
        made = self.function(*self.arguments, **self.keywords)
        return made if self.inputs is None else made(*self.inputs)


@dataclass(frozen=True)
class Relation:
    """Agreement of ``target``, called as ``template`` says, with ``source`` on its valid inputs.

    ``template`` is an expression over the names of the source's parameters:
    ``torch.tensor_split(input, indices_or_sections, dim=0)``.  ``kind`` is
    ``value`` or ``status``; ``inputs`` were compared.
    """

    source: str
    target: str
    template: str
    kind: str
    inputs: int = 0


@dataclass(frozen=True)
class CallOutcome:
    """Outcome of a call: its status, and its value, exception or signal as text."""

    status: str
    text: str
    exception: str = ""
    signal: int = 0


@dataclass(frozen=True)
class Disagreement:
    """A call that does not behave as another one says it should.

    ``related`` is that other call, told without this call's values: a template
    over the source's parameters (``torch._refs.lcm(input, other)``), or what an
    oracle does in words (``the same call on float64``); ``relation`` names the
    oracle (``value``, ``status``, ``reference``, ``numpy``, ``decomposition``, ``float64``,
    ``meta``, ``strides``, ``vmap``, ``out``, ``in-place``, ``arguments``, ``gradient``,
    ``documentation``, ``inductor``, ``cuda``); ``rule`` is ``value``, ``status`` or ``crash``.
    """

    api: str
    related: str
    relation: str
    rule: str
    outcome: CallOutcome
    expected: CallOutcome


Namespace = Mapping[str, Any]
"""The names that recipes of library calls use: ``{"torch": torch}``."""


class Arrays(Protocol):
    """Maker of a library's arrays."""

    def is_plain(self, array: Any) -> bool:
        """Return whether it is dense, in memory and not too large."""
        ...

    def made(self, dtype: str, values: Any, like: Any, /) -> Any:
        """Return an array of NumPy's elements; on the device of another, with its gradients."""
        ...

    def layouts(self, array: Any) -> list[Callable[[], Any]]:
        """Ways to lay it out otherwise: equal elements, or those of a shape that is repeated."""
        ...

    def overlapping(self, array: Any) -> list[Callable[[], Any]]:
        """Return ways to lay it out so that elements along an axis are one."""
        ...


class Library(Protocol):
    """An installed library, its version, APIs, valid calls and values."""

    name: str
    version: str

    @property
    def arrays(self) -> Arrays:
        """Return the maker of its arrays."""
        ...

    @property
    def namespace(self) -> Namespace:
        """Return what recipes of its calls may name."""
        ...

    def apis(self) -> Sequence[LibraryApi]:
        """Return its public callables, each once, by their canonical names, sorted."""
        ...

    def function(self, api: str) -> Any:
        """Return the callable of that name; raises ``LookupError``."""
        ...

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable of the library, or ``None``."""
        ...

    def valid(self) -> Iterator[tuple[CallSource, str]]:
        """Return calls known to be valid, and where each is from."""
        ...

    def recipe_of(self, value: Any) -> Recipe:
        """Return the recipe of a value in the library's own names; raises ``BadRecipe``."""
        ...

    def is_array(self, value: Any) -> bool:
        """Return whether a value is an array (tensor) of the library."""
        ...

    def copied(self, value: Any) -> Any:
        """Return a value with arrays of its own (containers too), of the same strides and dtype."""
        ...

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return a dtype's name, shape, and elements in NumPy, widened where necessary."""
        ...

    def seed(self) -> None:
        """Start its random numbers anew."""
        ...
