"""Contracts of targets' arguments: annotations first, inference where they are silent."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import (
    Annotations,
    Constraint,
    Expression,
    FileAnnotations,
)
from analyzers.guest.annotations.syntax import render
from analyzers.inference.constraint_sources import (
    call_facts,
    default_values,
    docstring_facts,
    guard_facts,
    parameter_names,
    passed_arguments,
    shape_facts,
    type_hints,
)
from analyzers.inference.constraint_sources.default_values import defaults
from analyzers.inference.constraint_sources.type_hints import returned_shape
from analyzers.inference.constraints.constraint_builders import one_of, options_of
from analyzers.inference.constraints.lattice import meet
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredContract,
    ProjectTexts,
)
from analyzers.inference.function_lookup import find_function, sibling_method
from analyzers.inference.instance_state import attributes_set_elsewhere
from analyzers.inference.merging import align_kind, merge_facts
from analyzers.ports import Executor
from analyzers.vocabulary import Contract, ObservedCall, Target


def with_defaults(condition: str, defaults: Mapping[str, ast.expr]) -> str | None:
    """A condition with defaults in the place of parameters; ``None`` where it holds then.

    Only constants take a name's place, and only ``x is None``, ``not``, ``and`` and ``or``
    are worked out.
    """
    tree = ast.parse(condition.strip(), mode="eval")
    constant = {name: each for name, each in defaults.items() if isinstance(each, ast.Constant)}
    found = _WithDefaults(constant).visit(tree.body)
    return None if _is(found, value=True) else ast.unparse(found)


class _WithDefaults(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.Constant]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        sides = (node.left, *node.comparators)
        if len(sides) != 2 or not all(isinstance(each, ast.Constant) for each in sides):
            return node
        if not isinstance(node.ops[0], ast.Is | ast.IsNot) or not _is(sides[1], value=None):
            return node
        return ast.Constant(_is(sides[0], value=None) is isinstance(node.ops[0], ast.Is))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and _is_truth(node.operand):
            return ast.Constant(_is(node.operand, value=False))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        deciding = isinstance(node.op, ast.Or)
        if any(_is(each, value=deciding) for each in node.values):
            return ast.Constant(deciding)
        node.values = [each for each in node.values if not _is_truth(each)]
        if not node.values:
            return ast.Constant(not deciding)
        return node if len(node.values) > 1 else node.values[0]


def _is(node: ast.AST, *, value: bool | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_truth(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


SOURCES = (
    type_hints,
    call_facts,
    guard_facts,
    passed_arguments,
    shape_facts,
    default_values,
    docstring_facts,
    parameter_names,
)
"""The sources of the paper's Table 1, and what else tells; callees come on top."""


def infer_contract(
    subject: FunctionContext, recorded: Sequence[ObservedCall] = ()
) -> InferredContract:
    """Return what is known of a function's arguments without an annotation of theirs."""
    facts = [*_own_facts(subject), *passed_arguments.callee_facts(subject, _facts_of_callee)]
    facts += call_facts.recorded_call_facts(subject, recorded)
    found = merge_facts(facts)
    guessed = list(parameter_names.remaining_facts(subject, found.arguments))
    return merge_facts([*facts, *guessed]) if guessed else found


def _own_facts(subject: FunctionContext) -> Iterator[Fact]:
    for source in SOURCES:
        yield from source.facts(subject)


def _facts_of_callee(subject: FunctionContext) -> Iterator[Fact]:
    """Yield what a callee says itself: what others pass to it says little of this caller."""
    for source in SOURCES:
        if source is not call_facts:
            yield from source.facts(subject)


CONSTRUCTOR = "self."
MOST_CALLS = 8
_ARRAYS = frozenset({"tensors", "np_arrays"})


@dataclass(frozen=True, slots=True)
class ParameterContract:
    """The constraint of one parameter, in the words of aN, with its source.

    ``alternatives`` are those of the single sources, names of parameters aside.  ``stated``: an
    annotation, a hint that says which values are valid, or the docstring allows all of them.
    """

    constraint: str
    source: ConstraintSource
    confidence: Confidence
    where: str = ""
    alternatives: tuple[str, ...] = ()
    stated: bool = False


@dataclass(frozen=True, slots=True)
class FunctionContract:
    """A target's contract, and where each part of it comes from.

    ``terms`` are by parameter; those of the constructor begin with ``self.``.
    ``unset`` are the attributes that a method without annotations reads and
    that other methods have to set first.  ``variadic`` names ``*args`` or ``**kwargs``
    that the function uses: callers may have to give them, and none are drawn.
    """

    contract: Contract
    terms: Mapping[str, ParameterContract]
    generators: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    timeout: float | None = None
    unset: frozenset[str] = frozenset()
    variadic: str | None = None

    @property
    def given(self) -> bool:
        """Return whether a person said all of it."""
        return all(term.source is ConstraintSource.GIVEN for term in self.terms.values())

    def of(self, parameters: Sequence[str]) -> tuple[ParameterContract, ...]:
        """The terms of these parameters; ``self`` stands for all of its constructor's."""
        return tuple(
            term
            for name, term in self.terms.items()
            if name in parameters or (name.startswith(CONSTRUCTOR) and "self" in parameters)
        )


class NoContractError(Exception):
    """Nobody says what a target takes; the message tells what is missing."""


def function_contract(
    target: Target, bench: Executor, *, on_base: bool = False
) -> FunctionContract:
    """The terms on which a function can be tested, or with ``on_base`` what it is there.

    Those of base have the optional arguments of constructors too.
    Raises :class:`NoContractError`.
    """
    texts = ProjectTexts(bench, on_base=on_base)
    annotated = read(texts[target.path])
    subject = find_function(target.path, target.function, texts)
    if subject is None:
        raise NoContractError("the function is not found in its file")
    if _makes_abstract(subject):
        raise NoContractError("the class is abstract: only subclasses are made")
    draft = _Draft(annotated, bench, target, optional=on_base)
    contract = draft.contract(subject, "")
    said = annotated.functions.get(target.function, Annotations())
    return FunctionContract(
        contract,
        draft.terms,
        _generators(annotated, texts, target),
        said.timeout,
        frozenset() if said else attributes_set_elsewhere(subject),
        None if said else _variadic(subject),
    )


def constructor_contract(target: Target, bench: Executor) -> FunctionContract:
    """The terms on which instances of a method's class can be made, whatever the method takes.

    Raises :class:`NoContractError`.
    """
    texts = ProjectTexts(bench)
    annotated = read(texts[target.path])
    subject = find_function(target.path, target.function, texts)
    if subject is None or subject.owner is None:
        raise NoContractError("the method is not found in its file")
    draft = _Draft(annotated, bench, target)
    contract = draft.constructor(subject) or Contract()
    return FunctionContract(contract, draft.terms, _generators(annotated, texts, target))


class _Draft:
    def __init__(
        self,
        annotated: FileAnnotations,
        bench: Executor,
        target: Target,
        *,
        optional: bool = False,
    ) -> None:
        self._annotated = annotated
        self._optional = optional
        self._bench = bench
        self._target = target
        self._observed: Sequence[ObservedCall] | None = None
        self._known: dict[str, InferredContract] = {}
        self.terms: dict[str, ParameterContract] = {}

    def contract(self, subject: FunctionContext, prefix: str) -> Contract:
        said = self._annotated.functions.get(subject.function, Annotations())
        found = self._arguments(subject, said, needed=bool(said or (prefix and not self._optional)))
        missing = [arg.arg for arg in required_parameters(subject) if arg.arg not in found]
        if missing and not (prefix and said.cc_examples):
            raise NoContractError(_missing_message(subject, missing))
        self.terms.update((prefix + name, term) for name, term in found.items())
        arguments = {name: term.constraint for name, term in found.items()}
        ensures = [clause.source for clause in said.ensures]
        shape = said.returns or returned_shape(subject)
        ensures += [] if shape is None else [f"matches(result, {render(shape)!r})"]
        return Contract(
            arguments,
            requires=self._requires(subject, said, arguments),
            ensures=tuple(ensures),
            constructor=self.constructor(subject) if not prefix else None,
            examples=said.cc_examples,
            defaults={} if said else _literal_defaults(subject, arguments),
            calls=() if said else self._calls(subject, arguments),
        )

    def _calls(
        self, subject: FunctionContext, arguments: Mapping[str, str]
    ) -> tuple[Mapping[str, str], ...]:
        """Return what calls of the project give together, where all that is needed is known."""
        needed = {arg.arg for arg in required_parameters(subject)}
        whole: dict[str, Mapping[str, str]] = {}
        for call in call_facts.known_calls(subject, self._observed or ()):
            known = {name: render(each) for name, each in call.items() if name in arguments}
            if len(known) > 1 and needed <= known.keys():
                whole.setdefault(str(sorted(known.items())), known)
        return tuple(whole.values())[:MOST_CALLS]

    def _arguments(
        self, subject: FunctionContext, said: Annotations, *, needed: bool
    ) -> dict[str, ParameterContract]:
        """The terms by parameter: given ones, and inferred ones where none is given.

        ``needed``: of the others only those without a default, and those whose hint lists
        their values.  What is inferred of a method holds of instances that are made with the
        constructor's defaults.
        """
        given = {
            name: ParameterContract(
                render(constraint), ConstraintSource.GIVEN, Confidence.CERTAIN, stated=True
            )
            for name, constraint in said.constraints.items()
        }
        wanted = {
            arg.arg for arg in (required_parameters(subject) if needed else subject.parameters)
        }
        wanted |= set() if said else _with_listed_values(subject)
        if wanted <= given.keys():
            return given
        inferred = self._inferred(subject)
        alternatives: dict[str, dict[str, InferredConstraint]] = {}
        for fact in inferred.facts:
            if isinstance(fact, InferredConstraint) and fact.source is not ConstraintSource.NAME:
                alternatives.setdefault(fact.parameter, {})[render(fact.constraint)] = fact
        guessed = alternatives if self._optional else {}
        known = {name: next(iter(each.values())) for name, each in guessed.items()}
        kept = {arg.arg: value for arg, value in defaults(subject)}
        return given | {
            name: ParameterContract(
                render(_with_default(with_usual_strides(fact.constraint), kept.get(name))),
                fact.source,
                fact.confidence,
                fact.where,
                tuple(alternatives.get(name, ())),
                is_stated(fact, inferred.facts),
            )
            for name, fact in (known | dict(inferred.arguments)).items()
            if name in wanted - given.keys()
        }

    def _requires(
        self, subject: FunctionContext, said: Annotations, arguments: Mapping[str, str]
    ) -> tuple[str, ...]:
        written = tuple(clause.source for clause in said.requires)
        needed = {arg.arg for arg in required_parameters(subject)}
        if said and needed <= said.constraints.keys():
            return written
        kept = {arg.arg: value for arg, value in defaults(subject) if arg.arg not in arguments}
        known = (
            with_defaults(each.condition, kept)
            for each in self._inferred(subject).requires
            if each.confidence >= Confidence.LIKELY and _names(each.condition) & arguments.keys()
        )
        return written + tuple(each for each in known if each is not None)

    def _inferred(self, subject: FunctionContext) -> InferredContract:
        if self._observed is None:
            self._observed = self._bench.observe(self._target)
        if subject.function not in self._known:
            self._known[subject.function] = infer_contract(subject, self._observed)
        return self._known[subject.function]

    def constructor(self, subject: FunctionContext) -> Contract | None:
        """Return how the instance of a method is made; ``None`` where none is needed."""
        if not _is_bound(subject):
            return None
        constructor = sibling_method(subject, "__init__")
        return Contract() if constructor is None else self.contract(constructor, CONSTRUCTOR)


_STATING = {
    ConstraintSource.HINT: Confidence.STRONG,
    ConstraintSource.DOCSTRING: Confidence.LIKELY,
}
"""Sources in which an author says what is valid, and how sure they have to be."""


def is_stated(merged: InferredConstraint, facts: Sequence[Fact]) -> bool:
    """Return whether a hint or the docstring allows everything that a merged constraint does.

    A hint of a plain type (``n: int``) does not say that each of its values is valid.
    """
    if merged.confidence < Confidence.LIKELY:
        return False
    return any(
        isinstance(each, InferredConstraint)
        and each.parameter == merged.parameter
        and each.confidence >= _STATING.get(each.source, Confidence.CERTAIN)
        and meet(merged.constraint, align_kind(each.constraint, merged.constraint))
        == merged.constraint
        for each in facts
    )


def _with_default(constraint: Constraint, default: ast.expr | None) -> Constraint:
    """Return the values of calls with the default, which every caller may leave."""
    given = [e for e in options_of(constraint) if isinstance(e, Expression) and e.literal]
    if not isinstance(default, ast.Constant) or default.value is None:
        return constraint
    if len(given) < len(options_of(constraint)):
        return constraint
    values = [each.value for each in given]
    if any(type(each) is type(default.value) and each == default.value for each in values):
        return constraint
    return one_of([*values, default.value])


def _literal_defaults(subject: FunctionContext, arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults of parameters that are drawn, as far as they are literals."""
    found = {arg.arg: value for arg, value in defaults(subject) if arg.arg in arguments}
    return {name: ast.unparse(each) for name, each in found.items() if _is_literal(each)}


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


def with_usual_strides(constraint: Constraint) -> Constraint:
    """The constraint with arrays as they usually come: what is inferred says nothing of strides."""
    if constraint.kind not in _ARRAYS or constraint["contiguous"] is not None:
        return constraint
    contiguous = ("contiguous", Expression("True", literal=True, value=True))
    return Constraint(constraint.kind, (*constraint.arguments, contiguous))


def _is_bound(subject: FunctionContext) -> bool:
    if subject.owner is None or subject.node.name in ("__init__", "__new__"):
        return False
    names = {node.id for node in subject.node.decorator_list if isinstance(node, ast.Name)}
    return not names & {"staticmethod", "classmethod"}


def required_parameters(subject: FunctionContext) -> tuple[ast.arg, ...]:
    """The parameters that a caller has to give."""
    optional = {arg.arg for arg, _ in defaults(subject)}
    return tuple(arg for arg in subject.parameters if arg.arg not in optional)


def _makes_abstract(subject: FunctionContext) -> bool:
    """Return whether a function is the constructor of a class that has abstract methods itself."""
    if subject.owner is None or subject.node.name not in ("__init__", "__new__"):
        return False
    methods = (each for each in subject.owner.body if isinstance(each, ast.FunctionDef))
    marks = {
        ast.unparse(mark).rpartition(".")[2] for each in methods for mark in each.decorator_list
    }
    return "abstractmethod" in marks


def _with_listed_values(subject: FunctionContext) -> set[str]:
    """Return the parameters whose hint is a ``Literal`` of several values."""
    listed = re.compile(r"(?:\w+\.)?Literal\[[^\]]*,[^\]]*\]")
    hints = ((arg.arg, arg.annotation) for arg in subject.parameters)
    return {name for name, hint in hints if hint and listed.match(ast.unparse(hint))}


def _variadic(subject: FunctionContext) -> str | None:
    """Return the ``*args`` or ``**kwargs`` that a function uses, or ``*args`` of its constructor.

    As it is written.
    """
    args = subject.node.args
    used = {node.id for node in ast.walk(subject.node) if isinstance(node, ast.Name)}
    found = [(stars, arg) for stars, arg in (("*", args.vararg), ("**", args.kwarg)) if arg]
    own = next((f"{stars}{arg.arg}" for stars, arg in found if arg.arg in used), None)
    made = None if subject.node.name == "__init__" else sibling_method(subject, "__init__")
    constructors = None if own or made is None else _variadic(made)
    return constructors if constructors and not constructors.startswith("**") else own


def _missing_message(subject: FunctionContext, missing: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in missing)
    return (
        f"nothing says what {names} of {subject.function} may be; "
        f"an annotation would: #@arg({missing[0]}): …"
    )


def _names(condition: str) -> set[str]:
    tree = ast.parse(condition, mode="eval")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _generators(
    annotated: FileAnnotations, texts: Mapping[str, str], target: Target
) -> dict[str, Contract]:
    found: dict[str, Contract] = {}
    for name, said in annotated.functions.items():
        subject = find_function(target.path, name, texts) if said.generator else None
        if subject is not None:
            arguments = {arg.name: render(arg.constraint) for arg in said.args}
            requires = tuple(clause.source for clause in said.requires)
            found[name] = Contract(arguments, requires)
    return found
