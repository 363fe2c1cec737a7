"""Abstract values of expressions that are not simply Python values.

Numbers, texts, ``None``, tuples, lists and dictionaries stand for themselves;
a number may be a :data:`sizes.Size`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .project_modules import ProjectModule
from .sizes import Size, SizeConstraints, SizeTerm, SizeVariable, combined

Env = dict[str, Any]


class Unknown:
    """Nothing is known of it."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class LibraryName:
    """Something of a library, by its full name."""

    name: str


@dataclass(slots=True)
class TensorElements:
    """The known elements of a tensor; views of one tensor share them.

    ``dtype`` is what they are, ``wants`` a dtype that some layer takes.
    ``low`` and ``high`` are both inclusive, numbers or sizes.  ``written`` are
    the numbers themselves, row by row, where an array was just made of them.
    """

    dtype: str | None = None
    low: Any = None
    high: Any = None
    drawn: bool = False
    written: tuple[tuple[int, ...], tuple[Any, ...]] | None = None

    def floating(self) -> None:
        """They are floats, where nothing else is known."""
        if self.dtype is None:
            self.dtype = "float32"

    def indices(self, count: Any) -> None:
        """They are whole numbers from 0 and below a count."""
        if self.drawn:
            return
        self.dtype = self.dtype or "int64"
        self.low = 0
        if isinstance(count, int | SizeVariable):
            lower = isinstance(count, int) and isinstance(self.high, int) and self.high < count
            self.high = self.high if lower else combined("-", count, 1)


class TensorShape:
    """The dimensions of a tensor, some of the first and of the last, or all of them.

    ``likened``: open, it was put together with another that is open too.
    """

    def __init__(self, ledger: SizeConstraints, dims: list[Size] | None = None) -> None:
        self.ledger = ledger
        self._same: TensorShape | None = None
        self._front: list[Size] = []
        self._back: list[Size] = []
        self._dims = dims
        self.touched = dims is not None
        self.likened = False

    @property
    def _root(self) -> TensorShape:
        root = self
        while root._same is not None:
            root = root._same
        return root

    @property
    def dims(self) -> list[Size] | None:
        """All dimensions, where their number is known."""
        dims = self._root._dims
        return None if dims is None else [self.ledger.resolved(each) for each in dims]

    @property
    def last(self) -> list[Size]:
        """The last dimensions that are known, where their number is not."""
        return [self.ledger.resolved(each) for each in self._root._back]

    @property
    def first(self) -> list[Size]:
        """The first dimensions that are known, where their number is not."""
        return [self.ledger.resolved(each) for each in self._root._front]

    def at(self, index: int) -> Size | None:
        """A dimension; ``None`` where there is none of that index."""
        root = self._root
        root.touched = True
        if root._dims is not None:
            inside = -len(root._dims) <= index < len(root._dims)
            return self.ledger.resolved(root._dims[index]) if inside else None
        if index >= 0:
            while len(root._front) <= index:
                root._front.append(SizeVariable(_letter(len(root._front))))
            return self.ledger.resolved(root._front[index])
        while len(root._back) < -index:
            root._back.insert(0, SizeVariable("d" if not root._back else "n"))
        return self.ledger.resolved(root._back[index])

    def close(self, rank: int) -> list[Size] | None:
        """There are so many dimensions; ``None`` where there cannot be."""
        root = self._root
        root.touched = True
        if root._dims is None:
            least = max(len(root._front), len(root._back))
            if rank < least:
                return None
            root._dims = [
                *root._front,
                *(SizeVariable(_letter(i, rank)) for i in range(len(root._front), rank)),
            ]
            for back, known in enumerate(reversed(root._back), 1):
                self.ledger.equal(root._dims[-back], known)
        return self.dims if len(root._dims) == rank else None

    def same_as(self, other: TensorShape) -> bool:
        """Return whether both were found to be one shape."""
        return self._root is other._root

    def merge(self, other: TensorShape) -> None:
        """Both have the same dimensions."""
        mine, its = self._root, other._root
        if mine is its:
            return
        if mine._dims is None and its._dims is not None:
            mine, its = its, mine
        if mine._dims is not None:
            dims = its.close(len(mine._dims))
            if dims is None:
                self.ledger.conflict(f"{len(mine._dims)} dimensions are fewer than are used")
            for left, right in zip(mine._dims, dims or (), strict=False):
                self.ledger.equal(left, right)
            return
        for index, size in enumerate(its._front):
            self.ledger.equal(size, mine.at(index) or 0)
        for index, size in enumerate(reversed(its._back), 1):
            self.ledger.equal(size, mine.at(-index) or 0)
        mine.touched = its.touched = True
        its._same = mine


_LETTERS: Mapping[int, str] = {2: "bd", 3: "bnd", 4: "bchw", 5: "bcdhw"}


def _letter(index: int, rank: int = 4) -> str:
    letters = _LETTERS.get(rank, "n")
    return letters[index] if index < len(letters) else f"n{index}"


@dataclass(slots=True)
class Tensor:
    """An array: torch's, or another library's (``kind`` is the word of aN)."""

    shape: TensorShape
    elements: TensorElements = field(default_factory=TensorElements)
    kind: str = "tensors"

    @property
    def ledger(self) -> SizeConstraints:
        """The conditions that its sizes are part of."""
        return self.shape.ledger

    def rearranged(self, dims: list[Size]) -> Tensor:
        """Return the same elements under other dimensions."""
        return Tensor(TensorShape(self.ledger, dims), self.elements, self.kind)

    def computed(self, shape: list[Size] | TensorShape, dtype: str | None = None) -> Tensor:
        """Return an array of this library with other elements, of the same dtype by default."""
        if isinstance(shape, list):
            shape = TensorShape(self.ledger, shape)
        elements = TensorElements(dtype or self.elements.dtype, drawn=True)
        return Tensor(shape, elements, self.kind)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of a call."""

    args: list[Any]
    kwargs: Mapping[str, Any]

    def get(self, place: int, *names: str) -> Any:
        """Return an argument by place or name; ``None`` where it is not given."""
        if place < len(self.args):
            return self.args[place]
        return next((self.kwargs[name] for name in names if name in self.kwargs), None)


class UntypedParameter:
    """An argument of which it is open whether it is a number, a tensor or anything else.

    ``escaped``: it went to where it cannot be followed.
    """

    def __init__(self, name: str, ledger: SizeConstraints, *, rigid: bool = False) -> None:
        self.name = name
        self.escaped = False
        self._ledger = ledger
        self.var = SizeVariable(name, rigid)
        self.tensor: Tensor | None = None
        self.counted = False

    def as_tensor(self) -> Tensor:
        """The parameter as a tensor, always the same."""
        if self.tensor is None:
            self.tensor = Tensor(TensorShape(self._ledger))
        return self.tensor

    def as_size(self) -> Size:
        """The parameter as a number that is used as one."""
        self.counted = True
        return self.var


@dataclass(slots=True)
class MixedArithmetic:
    """Arithmetic with parameters of which it is open what they are."""

    operator: str
    left: Any
    right: Any

    def as_size(self) -> Size | None:
        """As a number, where all of it can be."""
        left, right = sized(self.left), sized(self.right)
        if left is None or right is None or self.operator not in ("+", "-", "*", "//", "%"):
            return None
        return combined(self.operator, left, right)


def sized(value: Any) -> Size | None:
    """A value as a size, where it can be one."""
    if isinstance(value, UntypedParameter | MixedArithmetic):
        return value.as_size()
    if isinstance(value, bool):
        return None
    return value if isinstance(value, int | SizeVariable | SizeTerm) else None


@dataclass(slots=True)
class LibraryLayer:
    """A layer of a library, with its arguments by name.

    ``given`` is what its constructor was given, where it was seen.
    """

    name: str
    arguments: Mapping[str, Any]
    given: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None


class LayerChain(list[Any]):
    """Layers one after the other (``nn.Sequential``)."""


@dataclass(frozen=True, slots=True)
class ProjectClass:
    """A class of the project."""

    node: ast.ClassDef
    module: ProjectModule
    name: str


@dataclass(slots=True, eq=False)
class ProjectInstance:
    """An object of a class of the project, itself and no other: it may hold itself.

    ``given`` is what its constructor was given, where it was seen.
    """

    of: ProjectClass
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    given: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProjectFunction:
    """A function or method of the project; ``bound`` is what it is a method of.

    It is itself and no other: the variables ``around`` it may hold it.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    module: ProjectModule
    name: str
    bound: Any = None
    around: Env | None = None


@dataclass(frozen=True, slots=True)
class ValueMethod:
    """A method of a value that is no object of the project's."""

    receiver: Any
    name: str


@dataclass(frozen=True, slots=True)
class SuperProxy:
    """``super()`` in a method of an instance."""

    instance: ProjectInstance
    of: ProjectClass


@dataclass(frozen=True, slots=True)
class Partial:
    """A call whose other arguments come later (``functools.partial``)."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShapeAttribute:
    """``x.shape``."""

    tensor: Tensor


@dataclass(slots=True)
class Parser:
    """An ``argparse.ArgumentParser``: destinations and what is known of their values."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Namespace:
    """The result of a command-line parser."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some values."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A call that the interpreter came by: what is called with what, in which file."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    node: ast.Call
    path: str


@dataclass(slots=True)
class CallFrame:
    """The function that is interpreted: its variables, its file and its class."""

    env: Env
    module: Any
    owner: ProjectClass | None = None


class Evaluator(Protocol):
    """The interpreter, as its parts see it.

    ``enters``: calls of the project's functions are followed.
    """

    ledger: SizeConstraints
    enters: bool
    watch: Callable[[CallEvent], None] | None

    def evaluate(self, node: ast.expr, frame: CallFrame) -> Any:
        """The value of an expression."""
        ...

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of a call."""
        ...

    def lookup(self, name: str, module: Any) -> Any:
        """Return what a name means at the top of a file."""
        ...

    def attribute(self, value: Any, name: str) -> Any:
        """An attribute of a value."""
        ...
