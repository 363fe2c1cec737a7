"""The vocabulary of aN: which constraints there are, and what they take.

The paper's words keep their names and both spellings of bounds work.  A kind
whose ``several`` is set takes any number of positional arguments under that
name; one whose ``others`` is set takes any further names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

ALIASES: Mapping[str, str] = {
    "min_value": "min",
    "max_value": "max",
    "min_size": "min_len",
    "max_size": "max_len",
    "min_length": "min_len",
    "max_length": "max_len",
    "allow_infinity": "allow_inf",
    "np_type": "dtype",
    "in_": "in",
    "element": "elements",
}
"""Other spellings of parameters, for every kind that has the canonical one."""


@dataclass(frozen=True)
class ConstraintKind:
    """One constraint: its parameters in order, by their canonical names."""

    name: str
    parameters: Tuple[str, ...] = ()
    required: Tuple[str, ...] = ()
    several: str = ""
    others: bool = False
    says: str = ""


def _kind(name: str, parameters: str = "", **more: object) -> ConstraintKind:
    return ConstraintKind(name, tuple(parameters.split()), **more)  # type: ignore[arg-type]


_KINDS = (
    _kind("froms", "values", required=("values",), says="one of the listed values"),
    _kind("bools", says="true or false"),
    _kind("ints", "min max multiple_of", says="an integer"),
    _kind(
        "floats",
        "min max exclude_min exclude_max allow_nan allow_inf width",
        says="a float; finite unless NaN or infinity are allowed",
    ),
    _kind("strings", "min_len max_len alphabet pattern", says="a string"),
    _kind("lists", "elements min_len max_len unique", says="a list"),
    _kind("tuples", several="elements", says="a tuple with one element for each constraint"),
    _kind("int_lists", "min_len max_len min max", says="a list of integers"),
    _kind(
        "float_lists",
        "min_len max_len min max exclude_min exclude_max",
        says="a list of floats",
    ),
    _kind("bool_lists", "min_len max_len", says="a list of booleans"),
    _kind("string_lists", "min_len max_len", says="a list of strings"),
    _kind("dicts", "keys values min_len max_len", says="a dictionary"),
    _kind("anys", several="options", required=("options",), says="any of the constraints"),
    _kind("objs", "generator", required=("generator",), says="what a generator returns"),
    _kind("np_shapes", "min_dims max_dims min_side max_side", says="the shape of an array"),
    _kind(
        "np_arrays",
        "dtype shape min max exclude_min exclude_max finite values contiguous",
        says="a NumPy array",
    ),
    _kind(
        "tensors",
        "dtype shape min max exclude_min exclude_max device requires_grad contiguous finite values",
        says="a torch tensor",
    ),
    _kind(
        "jax_arrays",
        "dtype shape min max exclude_min exclude_max finite values",
        says="a JAX array",
    ),
    _kind("datasets", "items min_len max_len", required=("items",), says="a map-style dataset"),
    _kind(
        "loaders",
        "items batch_size min_len max_len",
        required=("items",),
        says="a data loader: its batches are of items, collated",
    ),
    _kind("modules", "in out", says="a torch module from inputs to outputs of these shapes"),
    _kind("optimizers", "name", says="a torch optimizer of a small module"),
    _kind(
        "images",
        "form min_side max_side channels",
        says="a picture: PIL, or as form says (pil, numpy, tensor, path, bytes)",
    ),
    _kind(
        "paths",
        "kind suffix form",
        says="the path of a file made for it: image, text, json, csv, npy, pt, wav, folder",
    ),
    _kind(
        "callables",
        "returns",
        says="a function that returns what the constraint says, or else its last array",
    ),
    _kind(
        "configs",
        "of",
        others=True,
        says="an instance of a dataclass or model, or else a namespace of the named constraints",
    ),
)

KINDS: Dict[str, ConstraintKind] = {kind.name: kind for kind in _KINDS}

SYNONYMS: Mapping[str, str] = {
    "strs": "strings",
    "arrays": "np_arrays",
    "str_lists": "string_lists",
}
"""Other names of kinds."""

VALUES = ("any", "uniform", "probabilities", "one_hot", "labels", "sorted", "unique")
"""What an array's ``values`` may be said to be."""


@dataclass(frozen=True)
class Expression:
    """A Python expression in the function's scope; ``value`` is what a ``literal`` one means."""

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
    """A range of the source: lines and columns from 1, the end column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class AnnotationClause:
    """A condition, as it is written: a precondition or a postcondition."""

    source: str
    span: Optional[Span] = None


@dataclass(frozen=True)
class ArgumentAnnotation:
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

    args: Tuple[ArgumentAnnotation, ...] = ()
    requires: Tuple[AnnotationClause, ...] = ()
    ensures: Tuple[AnnotationClause, ...] = ()
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
        return self != Annotations()


@dataclass(frozen=True)
class AnnotationProblem:
    """A mistake in an annotation: ``annotation`` as written, what is wrong, and where."""

    annotation: str
    problem: str
    span: Span
    function: str


@dataclass(frozen=True)
class FileAnnotations:
    """The annotations of a file, by qualified names of functions."""

    functions: Mapping[str, Annotations] = field(default_factory=dict)
    module_test: bool = False
    problems: List[AnnotationProblem] = field(default_factory=list)
