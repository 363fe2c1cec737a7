"""What annotations say: constraints on arguments, conditions, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union


@dataclass(frozen=True)
class Expression:
    """A Python expression, evaluated where the annotated function is defined.

    ``value`` is what it means where it is a literal (``literal``).
    """

    source: str
    literal: bool = False
    value: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class Constraint:
    """A set of values: ``ints(min=1)``.

    ``kind`` is the name of one of ``types.KINDS``; ``arguments`` are by the
    parameters' canonical names (``min``, not ``min_value``), in the order of
    ``types.KINDS``, positional ones under their names too.  A parameter that
    takes several (``anys``, ``tuples``) holds a tuple.
    """

    kind: str
    arguments: Tuple[Tuple[str, Argument], ...] = ()

    def __getitem__(self, name: str) -> Optional[Argument]:
        """An argument by its canonical name, ``None`` where it was not given."""
        return dict(self.arguments).get(name)

    def value(self, name: str, default: Any = None) -> Any:
        """The literal value of an argument; ``default`` where there is none."""
        given = dict(self.arguments).get(name)
        if isinstance(given, Expression) and given.literal:
            return given.value
        return default


Argument = Union[Constraint, Expression, Tuple[Union[Constraint, Expression], ...]]


@dataclass(frozen=True)
class Span:
    """Where something stands: lines and columns from 1, the end column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Clause:
    """A condition, as it is written: a precondition or a postcondition."""

    source: str
    span: Optional[Span] = None


@dataclass(frozen=True)
class Argued:
    """``@arg(name): constraint``."""

    name: str
    constraint: Constraint
    text: str
    span: Optional[Span] = None


@dataclass(frozen=True)
class Annotations:
    """All that is said of one function.

    ``returns`` is the constraint of ``@returns``.  ``cc_examples`` are the
    arguments for the constructor, each the source of a list or dictionary.
    ``timeout`` is in seconds.
    """

    args: Tuple[Argued, ...] = ()
    requires: Tuple[Clause, ...] = ()
    ensures: Tuple[Clause, ...] = ()
    returns: Optional[Constraint] = None
    generator: bool = False
    exclude: bool = False
    timeout: Optional[float] = None
    cc_examples: Tuple[str, ...] = ()

    @property
    def constraints(self) -> Dict[str, Constraint]:
        """The constraints by argument."""
        return {arg.name: arg.constraint for arg in self.args}

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return self != Annotations()


@dataclass(frozen=True)
class Problem:
    """What is wrong with an annotation: ``annotation`` as written, what and where."""

    annotation: str
    problem: str
    span: Span
    function: str


@dataclass(frozen=True)
class Annotated:
    """What the annotations of a file say, by qualified names of functions."""

    functions: Mapping[str, Annotations] = field(default_factory=dict)
    module_test: bool = False
    problems: List[Problem] = field(default_factory=list)
