"""What is agreed of a target's arguments: annotations first, inference where they are silent."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analyzers.guest.annotations.nouns import Annotated, Annotations, Constraint, Expression
from analyzers.guest.annotations.reading import read
from analyzers.guest.annotations.rendering import render
from analyzers.inference.defaults import defaults
from analyzers.inference.hints import returned
from analyzers.inference.inferring import inferred
from analyzers.inference.nouns import (
    Confidence,
    Inference,
    Source,
    Subject,
)
from analyzers.inference.settled import settled
from analyzers.inference.states import set_elsewhere
from analyzers.inference.subject import sibling, subject_of
from analyzers.inference.texts import Texts
from analyzers.ports import Bench
from analyzers.vocabulary import Contract, ObservedCall, Target

CONSTRUCTOR = "self."
_ARRAYS = frozenset({"tensors", "np_arrays"})


@dataclass(frozen=True, slots=True)
class Term:
    """What one parameter takes, in the words of aN, and who says so."""

    constraint: str
    source: Source
    confidence: Confidence
    where: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """A target's contract, and where each part of it comes from.

    ``terms`` are by parameter; those of the constructor begin with ``self.``.
    ``unset`` are the attributes that a method without annotations reads and
    that other methods have to set first.  ``variadic`` names ``*args`` or ``**kwargs``
    that the function uses: callers may have to give them, and none are drawn.
    """

    contract: Contract
    terms: Mapping[str, Term]
    generators: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    timeout: float | None = None
    unset: frozenset[str] = frozenset()
    variadic: str | None = None

    @property
    def given(self) -> bool:
        """Whether a person said all of it."""
        return all(term.source is Source.GIVEN for term in self.terms.values())

    def of(self, parameters: Sequence[str]) -> tuple[Term, ...]:
        """The terms of these parameters; ``self`` stands for all of its constructor's."""
        return tuple(
            term
            for name, term in self.terms.items()
            if name in parameters or (name.startswith(CONSTRUCTOR) and "self" in parameters)
        )


class NoTermsError(Exception):
    """Nobody says what a target takes; the message tells what is missing."""


def terms_of(target: Target, bench: Bench) -> Terms:
    """The terms on which a function can be tested; raises :class:`NoTermsError`."""
    texts = Texts(bench)
    annotated = read(texts[target.path])
    subject = subject_of(target.path, target.function, texts)
    if subject is None:
        raise NoTermsError("the function is not found in its file")
    draft = _Draft(annotated, bench, target)
    contract = draft.contract(subject, "")
    said = annotated.functions.get(target.function, Annotations())
    return Terms(
        contract,
        draft.terms,
        _generators(annotated, texts, target),
        said.timeout,
        frozenset() if said else set_elsewhere(subject),
        None if said else _variadic(subject),
    )


def constructor_terms(target: Target, bench: Bench) -> Terms:
    """The terms on which instances of a method's class can be made, whatever the method takes.

    Raises :class:`NoTermsError`.
    """
    texts = Texts(bench)
    annotated = read(texts[target.path])
    subject = subject_of(target.path, target.function, texts)
    if subject is None or subject.owner is None:
        raise NoTermsError("the method is not found in its file")
    draft = _Draft(annotated, bench, target)
    contract = draft.constructor(subject) or Contract()
    return Terms(contract, draft.terms, _generators(annotated, texts, target))


class _Draft:
    """Puts contracts together, and notes who said what."""

    def __init__(self, annotated: Annotated, bench: Bench, target: Target) -> None:
        self._annotated = annotated
        self._bench = bench
        self._target = target
        self._observed: Sequence[ObservedCall] | None = None
        self.terms: dict[str, Term] = {}

    def contract(self, subject: Subject, prefix: str) -> Contract:
        """The contract of a function; a method's with its constructor's."""
        said = self._annotated.functions.get(subject.function, Annotations())
        found = self._arguments(subject, said, needed=bool(said) or bool(prefix))
        missing = [arg.arg for arg in required(subject) if arg.arg not in found]
        if missing and not (prefix and said.cc_examples):
            raise NoTermsError(_unsaid(subject, missing))
        self.terms.update((prefix + name, term) for name, term in found.items())
        arguments = {name: term.constraint for name, term in found.items()}
        return Contract(
            arguments,
            requires=self._requires(subject, said, arguments),
            ensures=_ensures(subject, said),
            constructor=self.constructor(subject) if not prefix else None,
            examples=said.cc_examples,
        )

    def _arguments(self, subject: Subject, said: Annotations, *, needed: bool) -> dict[str, Term]:
        """The terms by parameter: given ones, and inferred ones where none is given.

        ``needed``: of the others only those without a default.  What is inferred of
        a method holds of instances that are made with the constructor's defaults.
        """
        given = {
            name: Term(render(constraint), Source.GIVEN, Confidence.CERTAIN)
            for name, constraint in said.constraints.items()
        }
        wanted = {arg.arg for arg in (required(subject) if needed else subject.parameters)}
        if wanted <= given.keys():
            return given
        known = self._inferred(subject).arguments
        return given | {
            name: Term(render(usual(fact.constraint)), fact.source, fact.confidence, fact.where)
            for name, fact in known.items()
            if name in wanted - given.keys()
        }

    def _requires(
        self, subject: Subject, said: Annotations, arguments: Mapping[str, str]
    ) -> tuple[str, ...]:
        written = tuple(clause.source for clause in said.requires)
        if self._is_said(subject, said):
            return written
        kept = {arg.arg: value for arg, value in defaults(subject) if arg.arg not in arguments}
        known = (
            settled(each.condition, kept)
            for each in self._inferred(subject).requires
            if each.confidence >= Confidence.LIKELY and _names(each.condition) & arguments.keys()
        )
        return written + tuple(each for each in known if each is not None)

    def _is_said(self, subject: Subject, said: Annotations) -> bool:
        return {arg.arg for arg in required(subject)} <= said.constraints.keys() and bool(said)

    def _inferred(self, subject: Subject) -> Inference:
        if self._observed is None:
            self._observed = self._bench.observe(self._target)
        return inferred(subject, self._observed)

    def constructor(self, subject: Subject) -> Contract | None:
        """How the instance is made that a method is called on; ``None`` for what needs none."""
        if not _is_bound(subject):
            return None
        constructor = sibling(subject, "__init__")
        return Contract() if constructor is None else self.contract(constructor, CONSTRUCTOR)


def usual(constraint: Constraint) -> Constraint:
    """The constraint with arrays as they usually come: what is inferred says nothing of strides."""
    if constraint.kind not in _ARRAYS or constraint["contiguous"] is not None:
        return constraint
    contiguous = ("contiguous", Expression("True", literal=True, value=True))
    return Constraint(constraint.kind, (*constraint.arguments, contiguous))


def _is_bound(subject: Subject) -> bool:
    """Whether a function is called on an instance, which has to be made before."""
    if subject.owner is None or subject.node.name in ("__init__", "__new__"):
        return False
    names = {node.id for node in subject.node.decorator_list if isinstance(node, ast.Name)}
    return not names & {"staticmethod", "classmethod"}


def required(subject: Subject) -> tuple[ast.arg, ...]:
    """The parameters that a caller has to give."""
    args = subject.node.args
    positional = [*args.posonlyargs, *args.args]
    optional = {arg.arg for arg in positional[len(positional) - len(args.defaults) :]}
    optional |= {
        arg.arg
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is not None
    }
    return tuple(arg for arg in subject.parameters if arg.arg not in optional)


def _variadic(subject: Subject) -> str | None:
    """Return the ``*args`` or ``**kwargs`` that a function uses, as it is written."""
    args = subject.node.args
    used = {node.id for node in ast.walk(subject.node) if isinstance(node, ast.Name)}
    found = [(stars, arg) for stars, arg in (("*", args.vararg), ("**", args.kwarg)) if arg]
    return next((f"{stars}{arg.arg}" for stars, arg in found if arg.arg in used), None)


def _unsaid(subject: Subject, missing: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in missing)
    return (
        f"nothing says what {names} of {subject.function} may be; "
        f"an annotation would: #@arg({missing[0]}): …"
    )


def _ensures(subject: Subject, said: Annotations) -> tuple[str, ...]:
    written = tuple(clause.source for clause in said.ensures)
    shape = said.returns or returned(subject)
    return written if shape is None else (*written, f"matches(result, {render(shape)!r})")


def _names(condition: str) -> set[str]:
    tree = ast.parse(condition, mode="eval")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _generators(
    annotated: Annotated, texts: Mapping[str, str], target: Target
) -> dict[str, Contract]:
    """The contracts of the file's generator functions, those that can be drawn from."""
    found: dict[str, Contract] = {}
    for name, said in annotated.functions.items():
        subject = subject_of(target.path, name, texts) if said.generator else None
        if subject is not None:
            arguments = {arg.name: render(arg.constraint) for arg in said.args}
            requires = tuple(clause.source for clause in said.requires)
            found[name] = Contract(arguments, requires)
    return found
