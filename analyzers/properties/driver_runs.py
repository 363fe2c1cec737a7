"""The runs of a project's own programs, by the changed functions that they reach."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt

from analyzers.criteria import is_refused_call
from analyzers.drivers.definitions import Definitions
from analyzers.inference.facts import ProjectTexts
from analyzers.inference.function_lookup import find_function
from analyzers.ports import Executor
from analyzers.properties.base_comparison import is_different
from analyzers.properties.base_search import ComparedRun
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import Probe, Raised, RunOutcome, Target

OWN_ERRORS = frozenset(
    {"AttributeError", "IndexError", "KeyError", "NameError", "RuntimeError", "TypeError"}
    | {"UnboundLocalError", "ValueError", "ZeroDivisionError"}
)
"""Exceptions of mistakes in code; others are about files, networks and unfinished code."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A changed function: the lines of its body on head, and those that are not as on base.

    ``text`` is its body, in which it names what it calls.
    """

    target: Target
    lines: frozenset[int]
    changed: frozenset[int]
    statements: Sequence[range] = ()
    text: str = ""

    def covered(self, runs: Sequence[ComparedRun]) -> tuple[int, int]:
        """Return how many changed lines hold code, and how many of their statements ran."""
        path = self.target.path
        ran = {line for each in runs for line in each.head.lines.get(path, ())}
        code = {line: each for each in self.statements for line in self.changed & {*each}}
        return len(code), sum(not ran.isdisjoint(each) for each in code.values())

    def is_reached(self, run: ComparedRun) -> bool:
        """Return whether a run executed the function on head, or was refused by its signature."""
        ending = run.head.ending
        if is_refused_call(ending) and isinstance(ending, Raised):
            return (ending.path, ending.function) == (self.target.path, self.target.function)
        return not self.lines.isdisjoint(run.head.lines.get(self.target.path, ()))

    def is_exercised(self, run: ComparedRun) -> bool:
        """Return whether a run executed a changed line; where all were removed, the function."""
        ran = run.head.lines.get(self.target.path, frozenset())
        return not (self.changed or self.lines).isdisjoint(ran)

    def is_at_fault(self, ending: RunOutcome) -> bool:
        """Return whether a changed line of the function raises by itself what no caller wants."""
        if not isinstance(ending, Raised) or ending.refusal or ending.standin:
            return False
        if ending.path != self.target.path:
            return False
        return ending.line in self.changed and ending.exception in OWN_ERRORS

    def is_named_in(self, statement: str) -> bool:
        """Return whether a statement names the function, or the class that it belongs to."""
        owner, _, name = self.target.function.rpartition(".")
        called = name in ("__init__", "__call__", "forward")
        return re.search(rf"\b{owner if called and owner else name}\b", statement) is not None

    def distance(self, run: ComparedRun) -> int:
        """Return how many lines of the file are between a change and what a run executed."""
        ran = run.head.lines.get(self.target.path, frozenset())
        near = self.changed or self.lines
        return min((abs(line - other) for line in ran for other in near), default=10**6)


@dataclass(slots=True)
class DriverRuns:
    """The compared runs of programs that reach a target, and what was used.

    Of ``reaching``, which all reach it, ``compared`` are those that no other changed function
    explains.  ``alone`` are those that return on head only, for they use what base lacks;
    those among these that the project documents, and that raise or give NaN, are ``failing``.
    ``drivers`` are the places of the programs that reach it, unvaried or varied;
    ``changed_line`` is the first line of the target that is not as on base; of its changed
    lines, ``covered`` counts those that hold code and those that ran.  ``refuted`` are
    programs up to an assertion, which is their condition, that holds on base and fails on head.
    """

    compared: list[ComparedRun] = field(default_factory=list[ComparedRun])
    reaching: list[ComparedRun] = field(default_factory=list[ComparedRun])
    alone: list[ComparedRun] = field(default_factory=list[ComparedRun])
    failing: list[ComparedRun] = field(default_factory=list[ComparedRun])
    drivers: list[str] = field(default_factory=list[str])
    changed_line: int = 0
    covered: tuple[int, int] = (0, 0)
    refuted: list[Probe] = field(default_factory=list[Probe])
    definitions: Definitions = field(default_factory=Definitions)


@dataclass
class DriverStudy:
    """The runs of all programs of a change: compared, on head ``alone``, and ``failing`` there."""

    subjects: Sequence[Subject]
    compared: list[ComparedRun] = field(default_factory=list[ComparedRun])
    alone: list[ComparedRun] = field(default_factory=list[ComparedRun])
    failing: list[ComparedRun] = field(default_factory=list[ComparedRun])
    refuted: list[ComparedRun] = field(default_factory=list[ComparedRun])
    definitions: Definitions = field(default_factory=Definitions)

    def runs_of(self, target: Target) -> DriverRuns:
        """Return the runs that reach a target; of those that differ, the ones it explains."""
        subject = next((each for each in self.subjects if each.target.id == target.id), None)
        if subject is None:
            return DriverRuns()

        def of_target(run: ComparedRun) -> ComparedRun:
            return replace(run, probe=replace(run.probe, target=target.id, watched=()))

        reached = [each for each in self.compared if subject.is_reached(each)]
        reaching = [of_target(each) for each in reached]
        runs = [
            own
            for each, own in zip(reached, reaching, strict=True)
            if self._explained.get(id(each), target.id) == target.id
        ]
        alone = [of_target(each) for each in self.alone if subject.is_reached(each)]
        failing = [each for each in self.failing if each.probe.target == target.id]
        both = [*reaching, *alone]
        places = dict.fromkeys(run.probe.program.place for run in both if run.probe.program)
        refuted = [
            replace(each.probe, target=target.id, watched=())
            for each in self.refuted
            if subject.is_exercised(each)
        ]
        return DriverRuns(
            compared=runs,
            reaching=reaching,
            alone=alone,
            failing=failing,
            drivers=list(places),
            changed_line=min(subject.changed, default=0),
            covered=subject.covered([*self.compared, *self.alone]),
            refuted=refuted,
            definitions=self.definitions,
        )

    def covers(self, target: Target) -> bool:
        """Return whether programs that base takes too ran every changed line of a target."""
        subject = next((each for each in self.subjects if each.target.id == target.id), None)
        if subject is None:
            return False
        lines, covered = subject.covered(self.compared)
        return 0 < lines == covered

    @property
    def different(self) -> frozenset[str]:
        """The ids of the targets that explain some difference, or fail without a base."""
        failing = (each.probe.target for each in self.failing)
        return frozenset((*self._explained.values(), *failing))

    @cached_property
    def _explained(self) -> Mapping[int, str]:
        """The changed function that explains each differing run, once the search has ended."""
        different = [each for each in self.compared if is_different(each)]
        return _explanations(self.subjects, self.compared, different)


def _explanations(
    subjects: Sequence[Subject], runs: Sequence[ComparedRun], different: Sequence[ComparedRun]
) -> Mapping[int, str]:
    """Return, by the identity of each differing run, the function that explains it best.

    Functions are taken in the order of their suspiciousness: Ochiai's coefficient of the runs
    that differ and those that execute changed lines (Abreu, Zoeteweij and van Gemund, 2007).
    Of equals the one that calls the fewest others comes first.
    """
    found = {id(each): "" for each in different}
    left, waiting = list(different), list(subjects)
    executed = {s.target.id: [r for r in runs if s.is_exercised(r)] for s in subjects}

    def suspiciousness(subject: Subject) -> float:
        ran = executed[subject.target.id]
        hit = sum(subject.is_exercised(each) for each in left)
        return hit / sqrt(len(left) * len(ran)) if ran and left else 0.0

    calls = {
        s.target.id: sum(o.is_named_in(s.text) for o in subjects if o is not s) for s in subjects
    }

    def order(subject: Subject) -> tuple[float, int]:
        return suspiciousness(subject), -calls[subject.target.id]

    while left and waiting:
        best = max(waiting, key=order)
        waiting.remove(best)
        reaches = best.is_exercised if suspiciousness(best) else best.is_reached
        found.update({id(each): best.target.id for each in left if reaches(each)})
        left = [each for each in left if not reaches(each)]
    return found


def changed_functions(bench: Executor) -> list[Subject]:
    """Return the changed functions; of a new file every line is changed."""
    found: list[Subject] = []
    for target in bench.changed:
        head = find_function(target.path, target.function, ProjectTexts(bench))
        if head is None:
            continue
        there = bench.base(target.path)
        before = "" if there is None else there[1]
        changed = changed_lines(before, bench.source(target.path))[1]
        body = [range(each.lineno, (each.end_lineno or 0) + 1) for each in head.node.body]
        lines = frozenset(line for each in body for line in each)
        text = "\n".join(map(ast.unparse, head.node.body))
        statements = list(_statements(head.node.body))
        found.append(Subject(target, lines, lines & changed, statements, text))
    return found


def _statements(body: Sequence[ast.stmt]) -> Iterator[range]:
    """Yield the lines of each statement that runs; of a compound one those of its head."""
    for statement in (node for each in body for node in ast.walk(each)):
        if not isinstance(statement, ast.stmt) or _is_text(statement):
            continue
        inner: list[ast.stmt] = getattr(statement, "body", [])
        end = inner[0].lineno if inner else (statement.end_lineno or statement.lineno) + 1
        yield range(statement.lineno, max(end, statement.lineno + 1))


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a constant alone, such as a docstring, which does not run."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
