"""Is a failing input certainly valid?  A false alarm costs more than a miss.

Inputs drawn from a person's annotations are valid.  Of inferred ones it is
asked how sure the inference is of the arguments that matter for the failure,
what kind of failure it is, and how the function does otherwise.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from analyzers.criteria import crash_of
from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.guest.annotations.syntax import parse
from analyzers.inference.constraints.constraint_builders import options_of
from analyzers.inference.constraints.dimensions import Dimension, dims_of
from analyzers.inference.constraints.lattice import ARRAYS
from analyzers.inference.facts import Confidence, ConstraintSource
from analyzers.inference.function_contracts import CONSTRUCTOR, FunctionContract, ParameterContract
from analyzers.vocabulary import (
    ExplorationResult,
    Failure,
    LiteralArgument,
    Raised,
    RecipeArgument,
    Returned,
    Run,
    RunOutcome,
    Violated,
)

MOSTLY = 0.2
"""The share of inputs with which a function must do well for its inferred terms to be right."""
TINY = 1e-6
"""Numbers closer to zero say nothing of a function, unless an annotation allows them."""

STATED = "stated"
"""The key of evidence that holds where what the author wrote says that an input is valid."""

LEAST_FAILING = 20
"""So many inputs fail, and none returns, before all that the function lets through do."""

_OF_SHAPES = frozenset({"RuntimeError", "ValueError", "IndexError"})
_OF_KINDS = re.compile(
    r"(d|scalar |data )type|\b(long|int|byte|half|float|double|bool)\b|cuda", re.I
)
_OWN_FAULT = frozenset({"NameError", "UnboundLocalError"})
_OWN_WORDS = re.compile(
    r"^module '[\w.]+' has no attribute"
    r"|^type object '\w+' has no attribute"
    r"|got an unexpected keyword argument"
    r"|got multiple values for (keyword )?argument"
    r"|missing \d+ required (positional|keyword-only) argument"
    r"|takes \d+ positional arguments? but"
    r"|takes from \d+ to \d+ positional arguments but"
    r"|^cannot (assign|set) .* before Module\.__init__"
)


def is_own_fault(failure: Failure, text: str = "") -> bool:
    """Return whether an exception tells of the code whatever it is given: a name that is not there.

    ``text`` is the file that raises.  A call with arguments of the caller's
    (``model(**inputs)``), or of what the caller gave, says nothing of the code.
    """
    ending = failure.run.ending
    if not isinstance(ending, Raised):
        return False
    if ending.exception in _OWN_FAULT:
        return True
    told = ending.exception in ("AttributeError", "TypeError")
    if not told or _OWN_WORDS.search(ending.message) is None:
        return False
    if ending.exception == "AttributeError":
        return True
    gives_callable = any(
        isinstance(each, RecipeArgument) and re.search(r"\b(module|function)\(", each.recipe)
        for each in failure.probe.arguments.values()
    )
    return not gives_callable and not any(
        isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None)
        for call in _calls_at(text, ending.line)
        for each in (*call.args, *call.keywords)
    )


def missing_state(ending: RunOutcome, terms: FunctionContract) -> str | None:
    """The attribute for want of which a method fails on an instance fresh from its constructor."""
    if not isinstance(ending, Raised) or not terms.unset:
        return None
    named = re.search(r"has no attribute '(\w+)'", ending.message)
    if named is not None and named[1] in terms.unset:
        return named[1]
    return min(terms.unset) if "NoneType" in ending.message else None


def _is_in_use(failure: Failure, terms: FunctionContract) -> bool:
    """Return whether all that matters for a failure are values that the project itself gives.

    That they are valid is known; then it may be the other arguments that do
    not go with them.
    """
    values = [item for place in failure.matters for item in _values(failure, place)]
    return bool(values) and all(
        name in terms.terms and _is_recorded(terms.terms[name], value) for name, value in values
    )


_EXAMPLES = (ConstraintSource.TEST, ConstraintSource.CALL, ConstraintSource.DOCUMENT)


def rests_on_examples(failure: Failure, terms: FunctionContract) -> bool:
    """Return whether only calls seen say that an input is valid: each is, but not their mixture."""
    relevant = terms.of(failure.matters) or tuple(terms.terms.values())
    return any(term.source in _EXAMPLES for term in relevant)


def _values(failure: Failure, place: str) -> list[tuple[str, ast.expr]]:
    argument = failure.probe.arguments.get(place)
    if not isinstance(argument, RecipeArgument | LiteralArgument):
        return []
    source = argument.recipe if isinstance(argument, RecipeArgument) else argument.source
    node = ast.parse(source, mode="eval").body
    if place == "self" and isinstance(node, ast.Call):
        return [(f"{CONSTRUCTOR}{each.arg}", each.value) for each in node.keywords]
    return [(place, node)]


def _is_recorded(term: ParameterContract, node: ast.expr) -> bool:
    if term.source not in _EXAMPLES:
        return False
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return False
    options = options_of(parse(term.constraint))
    given = [each.value for each in options if isinstance(each, Expression) and each.literal]
    return any(type(each) is type(value) and each == value for each in given)


def _is_of_other_instances(failure: Failure, terms: FunctionContract) -> bool:
    """Return whether an array that matters has sizes put around those that instances were given.

    Each instance decides what it takes: a layer of 64 channels and one of 384 make no layer
    take 65.  The first dimension, of a batch, is free.
    """
    seen = {name: each for name, each in terms.terms.items() if each.source in _EXAMPLES}
    made = [parse(each.constraint) for name, each in seen.items() if name.startswith(CONSTRUCTOR)]
    if not any(len(options_of(each)) > 1 or _has_several(each) for each in made):
        return False
    mattering = (parse(seen[name].constraint) for name in failure.matters if name in seen)
    arrays = (each for term in mattering for each in options_of(term))
    return any(
        isinstance(each, Constraint)
        and each.kind in ARRAYS
        and not all(_is_size(dim) for dim in (dims_of(each["shape"]) or ())[1:])
        for each in arrays
    )


def _is_size(dim: Dimension) -> bool:
    return isinstance(dim, Expression) and isinstance(dim.value, int)


def extreme_argument(failure: Failure, terms: FunctionContract) -> str | None:
    """Return an argument of which only a tiny number leads to a failure, as it is written.

    Inputs are shrunk: where a simpler number did as well, that one is there.
    """
    for name in failure.matters or tuple(failure.probe.arguments):
        argument = failure.probe.arguments.get(name)
        if not isinstance(argument, RecipeArgument | LiteralArgument) or (
            name in terms.terms and terms.terms[name].source is ConstraintSource.GIVEN
        ):
            continue
        source = argument.recipe if isinstance(argument, RecipeArgument) else argument.source
        number = _plain(source)
        if isinstance(number, float) and 0 < abs(number) < TINY:
            return f"{name} = {source}"
    return None


def number_between(failure: Failure, terms: FunctionContract) -> str | None:
    """Return an argument that is an integer between those of calls seen, as it is written.

    Sizes are often even, or multiples of each other: 16 and 32 make 17 likely, not certain.
    """
    for name, node in (item for place in failure.matters for item in _values(failure, place)):
        term = terms.terms.get(name)
        if term is None or term.source not in _EXAMPLES or _is_recorded(term, node):
            continue
        if type(_plain(ast.unparse(node))) is int and _has_several(parse(term.constraint)):
            return f"{name.removeprefix(CONSTRUCTOR)} = {ast.unparse(node)}"
    return None


def mixed_arguments(failure: Failure, terms: FunctionContract) -> str | None:
    """Return two or more arguments that no call seen gives together, as they are written."""
    contract = terms.contract
    given = [each for place in failure.matters for each in _values(failure, place)]
    plain = {name: _plain(ast.unparse(node)) for name, node in given}
    values = {
        name: value
        for name, value in plain.items()
        if value is not None
        and not isinstance(value, bool)
        and any(name in call for call in contract.calls)
    }
    for call in contract.calls:
        known = {name: options_of(parse(text)) for name, text in call.items()}
        settled = {name: _plain(text) for name, text in contract.defaults.items()}
        seen = {name: [getattr(e, "value", None) for e in each] for name, each in known.items()}
        if all(value in seen.get(name, [settled.get(name)]) for name, value in values.items()):
            return None
    if len(values) < 2:
        return None
    return " and ".join(f"{name} = {value!r}" for name, value in values.items())


def _has_several(constraint: Constraint) -> bool:
    """Return whether a constraint has a range, which then was put around several examples."""
    options = (each for each in options_of(constraint) if isinstance(each, Constraint))
    return any(each.kind == "ints" for each in options)


def _plain(source: str) -> object:
    try:
        return ast.literal_eval(source)
    except ValueError:
        return None


def _is_handed_on(failure: Failure, text: str) -> bool:
    """Return whether a library refuses a number or word that the function hands on as it is.

    What it takes is the library's to say: that the value is valid must be certain.
    """
    ending = failure.run.ending
    if not isinstance(ending, Raised) or ending.exception != "ValueError":
        return False
    matter = {name for name in failure.matters if name in failure.probe.arguments}
    handed = {
        value.id
        for call in _calls_at(text, ending.line)
        for value in (*call.args, *(each.value for each in call.keywords))
        if isinstance(value, ast.Name)
    }
    return bool(matter) and matter <= handed


def _calls_at(text: str, line: int) -> list[ast.Call]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]


def weakest_parameter(failure: Failure, terms: FunctionContract) -> ParameterContract | None:
    """The least sure term among those that a failure depends on; ``None`` where none was drawn."""
    every = tuple(terms.terms.values())
    relevant = every if _is_in_use(failure, terms) else terms.of(failure.matters) or every
    return min(relevant, key=lambda term: term.confidence, default=None)


def wanted(
    failure: Failure,
    terms: FunctionContract,
    explored: ExplorationResult,
    text: str = "",
) -> Confidence:
    """Return how sure the terms must be for this failure to be reported."""
    if is_own_fault(failure, text):
        return Confidence.GUESS
    if isinstance(failure.run.ending, Violated):
        return Confidence.LIKELY
    if _is_in_use(failure, terms) or _is_handed_on(failure, text):
        return Confidence.STRONG
    if explored.passed >= MOSTLY * max(1, explored.executions):
        return Confidence.LIKELY
    return Confidence.STRONG


def is_stated(failure: Failure, terms: FunctionContract) -> bool:
    """Return whether annotations or the docstring allow all that a failure depends on."""
    relevant = terms.of(failure.matters) or tuple(terms.terms.values())
    told = bool(relevant) or not failure.probe.arguments
    return told and all(term.stated for term in relevant)


def returns(before: Sequence[Run] | None) -> bool:
    """Return whether runs on base were made and all returned: the input was valid there."""
    return bool(before) and all(isinstance(run.ending, Returned) for run in before or ())


def is_certain(
    failure: Failure,
    terms: FunctionContract,
    explored: ExplorationResult,
    before: Sequence[Run] | None,
    text: str = "",
) -> bool:
    """Return whether a failure may be reported as the code's.

    ``before`` are the runs of the input on base: where it returns there, the change
    causes the failure, whatever the arguments mean.  ``text`` is the file that raises.
    """
    if not isinstance(failure.run.ending, Violated) and crash_of(failure.run.ending) is None:
        return False
    if returns(before):
        return True
    if missing_state(failure.run.ending, terms) is not None:
        return False
    unlike = terms.variadic is not None or extreme_argument(failure, terms) is not None
    unlike = unlike or _is_of_other_instances(failure, terms)
    if unlike and not is_own_fault(failure, text):
        return False
    term = weakest_parameter(failure, terms)
    return term is None or term.confidence >= wanted(failure, terms, explored, text)


def fails_always(
    failure: Failure, terms: FunctionContract, explored: ExplorationResult, asserted: frozenset[str]
) -> bool:
    """Return whether every input that the function's own assertions let through fails so.

    ``asserted`` are the arrays whose shapes they are about: all that there are.  Errors of
    other kinds of values than the function takes say nothing, nor do those of a method, whose
    instance decides what it takes.
    """
    ending = failure.run.ending
    if not isinstance(ending, Raised) or terms.unset or terms.variadic is not None:
        return False
    if any(name.startswith(CONSTRUCTOR) for name in terms.terms):
        return False
    if ending.exception not in _OF_SHAPES or _OF_KINDS.search(ending.message):
        return False
    arrays = {name for name, term in terms.terms.items() if parse(term.constraint).kind in ARRAYS}
    others = [term for name, term in terms.terms.items() if name not in arrays]
    known = arrays <= asserted and all(each.confidence >= Confidence.LIKELY for each in others)
    tried = explored.executions - explored.refused
    return bool(arrays) and known and failure.seen == tried >= LEAST_FAILING


def one_failure_per_line(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """The failures of which each stands on a line of its own: one cause, one finding.

    Of several on a line the one that more inputs end with is kept.
    """
    kept: dict[object, Failure] = {}
    for number, failure in enumerate(sorted(failures, key=lambda each: -each.seen)):
        ending = failure.run.ending
        place = (ending.path, ending.line) if isinstance(ending, Raised) else number
        kept.setdefault(place, failure)
    return tuple(kept.values())
