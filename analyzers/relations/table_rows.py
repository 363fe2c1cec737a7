"""Rows of relation tables (JSON objects), read strictly, by whomever they were written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from analyzers.guest.inputs.makers import MAKERS
from analyzers.guest.inputs.recipes import BadRecipe, CallRecipe, NameRecipe, parse, parts
from analyzers.vocabulary.library_relations import Divergence, Equivalence

HOLDS = ("value", "status")
RULES = ("value", "status", "crash")
STATUSES = ("covered", "uncovered", "random", "uninitialised", "unsafe")
"""What was found of an API: whether it has valid calls, and why it is not compared."""
COMPARED = ("covered", "uncovered")
"""Those of an API with which others may be compared."""
VERDICTS = ("bug", "elsewhere", "numerics", "documented", "false")
"""What a person found a divergence to be, the worst first."""
PLAIN = frozenset({"int", "float", "bool", "complex", "slice", "range"})
"""What calls of a library name of Python itself (``float("nan")``)."""
MOST_PARAMETERS = 100
LONGEST_NAME = 200
LONGEST_TEMPLATE = 2_000
LONGEST_CALL = 20_000
LONGEST_WORDS = 2_000
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_MADE = "made"
_Check: TypeAlias = Callable[[object], None]


class InvalidRowError(ValueError):
    """A row that no table holds."""


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """A callable of a library: its parameters, and how many valid calls of it are known."""

    name: str
    parameters: tuple[str, ...]
    calls: int
    status: str


@dataclass(frozen=True, slots=True)
class ReviewedDivergence:
    """A divergence, and what a person found it to be: one of ``VERDICTS``, or empty."""

    divergence: Divergence
    verdict: str = ""


def known(row: object, library: str) -> LibraryFunction:
    """The API that a row is; raises ``InvalidRowError``."""
    found = _fields(row, name=_dotted, parameters=_parameters, calls=_count, status=_one(STATUSES))
    _of(library, found["name"])
    return LibraryFunction(
        found["name"], tuple(found["parameters"]), found["calls"], found["status"]
    )


def equivalence(
    row: object, library: str, parameters: Mapping[str, tuple[str, ...]] | None = None
) -> Equivalence:
    """Return the relation that a row is; raises ``InvalidRowError``."""
    found = _fields(
        row,
        source=_dotted,
        target=_dotted,
        template=_text(LONGEST_TEMPLATE),
        holds=_one(HOLDS),
        inputs=_count,
    )
    source, target, template = found["source"], found["target"], found["template"]
    _of(library, source)
    _of(library, target)
    said = expression(template, spread=True)
    if said.called != target:
        raise InvalidRowError(f"the template calls {said.called:.80}, not {target}")
    for name in said.functions:
        _of(library, name)
    given = None if parameters is None else parameters.get(source)
    for name in said.names:
        if not _is_of(library, name) and not _is_given(name, given):
            raise InvalidRowError(
                f"{name:.80} is no parameter of {source} and nothing of {library}"
            )
    return Equivalence(source, target, template, found["holds"], found["inputs"])


def divergence(row: object, library: str) -> Divergence:
    """Return the divergence that a row is; raises ``InvalidRowError``."""
    found = _fields(
        row,
        api=_dotted,
        rule=_one(RULES),
        relation=_text(LONGEST_NAME),
        related=_text(LONGEST_TEMPLATE),
        call=_text(LONGEST_CALL),
        outcome=_text(LONGEST_WORDS),
        expected=_text(LONGEST_WORDS),
    )
    _of(library, found["api"])
    said = expression(found["call"])
    for name in (said.functions | said.names) - PLAIN:
        _of(library, name)
    return Divergence(**found)


def judged(row: object, library: str) -> ReviewedDivergence:
    """The divergence that a row with ``judged`` and ``note`` is; raises ``InvalidRowError``."""
    rest = dict(row) if isinstance(row, Mapping) else {}
    said = {"judged": rest.pop("judged", ""), "note": rest.pop("note", "")}
    _fields(said, judged=_one(("", *VERDICTS)), note=_text(LONGEST_WORDS))
    found = replace(divergence(rest, library), note=str(said["note"]))
    return ReviewedDivergence(found, str(said["judged"]))


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call as text: what it calls, what is called inside (``made`` by makers), and names."""

    called: str
    functions: frozenset[str]
    names: frozenset[str]
    made: frozenset[str]


def expression(source: str, *, spread: bool = False) -> ParsedCall:
    """Return what a call of a library says; raises ``InvalidRowError``.

    A layer is made and called: ``torch.nn.ReLU()(input)``.  ``spread``: names
    may have a star before them, as in ``torch.block_diag(*tensors)``.
    """
    try:
        body = ast.parse(source, mode="eval").body
        if spread:
            body = _Unstarred().visit(body)
        if not isinstance(body, ast.Call):
            raise InvalidRowError(f"is no call: {source:.80}")
        layer = body.func if isinstance(body.func, ast.Call) else None
        called = ast.unparse((layer or body).func)
        recipes = [] if layer is None else [parse(ast.unparse(layer))]
        if layer is not None:
            body.func = ast.Name(_MADE)
        recipes.append(parse(ast.unparse(body)))
    except (SyntaxError, ValueError, BadRecipe, RecursionError, MemoryError) as error:
        raise InvalidRowError(f"is no call that can be told: {error!s:.200}") from error
    found = [part for recipe in recipes for part in parts(recipe)]
    functions = {part.function for part in found if isinstance(part, CallRecipe)} - {_MADE}
    return ParsedCall(
        called,
        frozenset(functions - MAKERS.keys()),
        frozenset(part.dotted for part in found if isinstance(part, NameRecipe)),
        frozenset(functions & MAKERS.keys()),
    )


class _Unstarred(ast.NodeTransformer):
    """Takes the star away from a name that is spread."""

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        """The name itself."""
        return node.value if isinstance(node.value, ast.Name) else node


def bare(parameter: str) -> str:
    """A parameter's name without its stars."""
    return parameter.lstrip("*")


def _is_of(library: str, name: str) -> bool:
    return name.partition(".")[0] == library


def _of(library: str, name: str) -> None:
    if not _is_of(library, name):
        raise InvalidRowError(f"{name:.80} is nothing of {library}")


def _is_given(name: str, parameters: tuple[str, ...] | None) -> bool:
    first, _, rest = name.partition(".")
    return "." not in rest and (parameters is None or first in map(bare, parameters))


def _fields(row: object, /, **checks: _Check) -> Mapping[str, Any]:
    if not isinstance(row, Mapping) or row.keys() != checks.keys():
        raise InvalidRowError(f"has other fields than {', '.join(checks)}")
    for name, check in checks.items():
        try:
            check(row[name])
        except InvalidRowError as error:
            raise InvalidRowError(f"{name} {error}") from None
    return row


def _text(most: int) -> _Check:
    def check(value: object) -> None:
        if type(value) is not str or len(value) > most:
            raise InvalidRowError(f"is no text of at most {most} characters")

    return check


def _one(choices: tuple[str, ...]) -> _Check:
    def check(value: object) -> None:
        if value not in choices:
            raise InvalidRowError(f"is none of {', '.join(choices)}")

    return check


def _dotted(value: object) -> None:
    if type(value) is not str or len(value) > LONGEST_NAME or not _DOTTED.match(value):
        raise InvalidRowError("is no dotted name")


def _count(value: object) -> None:
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise InvalidRowError("is no count")


def _parameters(value: object) -> None:
    if not isinstance(value, list) or len(value) > MOST_PARAMETERS:
        raise InvalidRowError("is no short list")
    for name in value:
        if type(name) is not str or not bare(name).isidentifier():
            raise InvalidRowError("holds something that is no name")
