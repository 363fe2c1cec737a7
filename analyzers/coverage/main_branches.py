"""The branches of a target that must run before it counts as tested, and whether they did.

An outcome of a decision is a *main branch* where it depends on an ML answer, or where its
own code does the ML work: it calls the API or the library, or a function of the project
that does; in deep-learning code also a method or arithmetic.

These are not: an outcome that only raises (input that the code refuses), an outcome
without ML work of its own (plain values, logging, returning early), the code of an
exception handler, and what the machine or an installed version decides
(``torch.cuda.is_available()``, ``torch.__version__``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from analyzers import catalogue
from analyzers.guest.instrumentation.decisions import Decision, NodeText, Span
from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import (
    BranchOutcome,
    Broken,
    Coverage,
    Finding,
    Goal,
    MainBranch,
    Reason,
    Skipped,
    Status,
    Target,
    Tested,
    Verdict,
)

Code: TypeAlias = Sequence[ast.AST]
_Regions: TypeAlias = dict[tuple[str, Span], tuple[Code, Code]]

_LOGS = re.compile(r"(logging|logger|log|_logger|_log|LOG|LOGGER|warnings)$")
_EXITS = frozenset({"exit", "_exit", "abort", "quit"})
_WRITES = frozenset({"print", "warn"})
_MACHINE = re.compile(
    r"\bis_available\(|\bis_cuda\b|__version__|\bversion_info\b|sys\.platform|TYPE_CHECKING"
)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def asks_libraries(target: Target) -> bool:
    """Return whether a target uses an ML library, not described cloud APIs alone."""
    known = catalogue.load_catalogue().apis
    return not target.apis or any(api not in known for api in target.apis)


def main_branches(target: Target, texts: Mapping[str, str]) -> tuple[MainBranch, ...]:
    """Return the main branches of a target, in source order.

    They are those of its own function; of a target that stands for changed code which it
    calls, also the decisions on ML answers in there.
    """
    found: dict[str, MainBranch] = {}
    for goal in target.goals:
        if goal.function == target.function or target.reason is Reason.CALLS_CHANGED:
            whole = goal.whole()
            decision, code = _read(texts.get(goal.path, "")).of(whole)
            if decision is None or not (
                goal.outcome is BranchOutcome.FALSE
                if decision.kind == "assert"
                else bool(code) and _raises(code[-1])
            ):
                found[whole.id] = MainBranch(whole.id, _place(whole), on_answer=True)
    work = _Work(target)
    for decision, outcome, code in _read(texts.get(target.path, "")).outcomes():
        point = f"{target.path}::{decision.function}#{decision.ordinal}:{outcome}"
        if decision.function == target.function and point not in found and work.within(code):
            place = f"{target.path}:{decision.line} `{decision.text}` {outcome}"
            found[point] = MainBranch(point, place, on_answer=False)
    return tuple(found.values())


def _place(goal: Goal) -> str:
    return f"{goal.path}:{goal.line} `{goal.text}` {goal.outcome}"


class _Read:
    """The decisions of a text, and the code of each outcome."""

    def __init__(self, found: Iterable[Decision] = (), regions: _Regions | None = None) -> None:
        self._decisions = {(each.function, each.ordinal): each for each in found}
        self._regions: _Regions = {} if regions is None else regions

    def of(self, goal: Goal) -> tuple[Decision | None, Code]:
        decision = self._decisions.get((goal.function, goal.decision))
        return decision, () if decision is None else self._code(decision, goal.outcome)

    def outcomes(self) -> Iterator[tuple[Decision, BranchOutcome, Code]]:
        for decision in self._decisions.values():
            if not _MACHINE.search(decision.text):
                for outcome in BranchOutcome:
                    yield decision, outcome, self._code(decision, outcome)

    def _code(self, decision: Decision, outcome: BranchOutcome) -> Code:
        span = decision.line, decision.column, decision.end_line, decision.end_column
        true, false = self._regions.get((decision.kind, span), ((), ()))
        return true if outcome is BranchOutcome.TRUE else false


@lru_cache(maxsize=64)
def _read(source: str) -> _Read:
    try:
        found = decisions(source)
        tree = ast.parse(source.lstrip("\ufeff"))
    except (SyntaxError, ValueError, RecursionError):
        return _Read()
    regions = _Walk(NodeText(source.lstrip("\ufeff")))
    regions.suite(tree.body)
    return _Read(found, regions.found)


class _Walk:
    def __init__(self, text: NodeText) -> None:
        self._text = text
        self.found: _Regions = {}

    def suite(self, body: Sequence[ast.stmt]) -> None:
        """Visit statements in order; what follows one that leaves is its other outcome."""
        for place, node in enumerate(body):
            if isinstance(node, ast.If):
                leaves = not node.orelse and isinstance(node.body[-1], _LEAVES)
                self._note("if", node.test, node.body, body[place + 1 :] if leaves else node.orelse)
            self._visit(node)

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.While():
                self._note("while", node.test, node.body)
            case ast.For():
                self._note("for", node, node.body, last=node.iter)
            case ast.IfExp():
                self._note("ifexp", node.test, [node.body], [node.orelse])
            case ast.match_case():
                self._note("match", node.pattern, node.body, last=node.guard)
            case ast.ExceptHandler():
                return
            case _:
                pass
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.suite(value)
            else:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self._visit(child)

    def _note(
        self, kind: str, test: ast.AST, true: Code, false: Code = (), last: ast.AST | None = None
    ) -> None:
        self.found[kind, self._text.span(test, last)] = (true, false)


def _raises(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        return True
    called = node.value if isinstance(node, ast.Expr) else None
    return isinstance(called, ast.Call) and _name(called.func) in _EXITS


class _Work:
    """The ML work of a target, as it is recognised in code."""

    def __init__(self, target: Target) -> None:
        calls = target.calls
        self._lines = {call.line for call in calls if call.path == target.path}
        others = {call.function for call in calls if call.function != target.function}
        self._functions = {name.rpartition(".")[2] for name in others} - {"forward", "__init__"}
        self._library = asks_libraries(target)

    def within(self, code: Code) -> bool:
        if not code or _raises(code[-1]):
            return False
        return any(self._does(node) for each in code for node in _running(each))

    def _does(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            known = node.lineno in self._lines or _name(node.func) in self._functions
            return known or (self._library and _is_method(node.func))
        return self._library and isinstance(node, ast.BinOp) and not _is_text(node.left)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.Assert | ast.ExceptHandler):
        return
    yield node
    if isinstance(node, ast.Call) and _is_log(node.func):
        return
    for child in ast.iter_child_nodes(node):
        yield from _running(child)


def _is_method(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and not _is_log(function)
        and not _is_text(function.value)
        and not isinstance(function.value, ast.Dict | ast.List)
    )


def _is_log(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return _LOGS.match(_name(function.value)) is not None
    return _name(function) in _WRITES


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


MOST_REASONS = 3
MOST_PLACES = 3
OUT_OF_TIME = "the time budget was spent"
INTERRUPTED = "the run was interrupted"
NOT_RUN = "no run of it was possible"


def assess(
    executions: int, coverage: Coverage, verdicts: Sequence[Verdict]
) -> tuple[Tested, tuple[str, ...]]:
    """Return whether a target was tested, and the reasons where it was not wholly.

    ``verdicts`` are those on the target, and all findings.  A branch that a finding is
    about was judged, also where no input reached it.
    """
    judged = frozenset(
        goal.whole().id
        for verdict in verdicts
        if isinstance(verdict, Finding) and verdict.status is not Status.FLAKY
        for goal in verdict.criterion.goals
    )
    unreached = [each for each in coverage.unreached if each.point not in judged]
    nothing = tuple(_nothing(executions, coverage, unreached, verdicts))
    if nothing:
        return Tested.NO, nothing
    missing = tuple(_missing(coverage, unreached, judged, verdicts))
    return (Tested.PARTLY, missing) if missing else (Tested.YES, ())


def _nothing(
    executions: int,
    coverage: Coverage,
    unreached: Sequence[MainBranch],
    verdicts: Sequence[Verdict],
) -> Iterator[str]:
    if coverage.replaced:
        names = ", ".join(coverage.replaced)
        yield f"it ran on a stand-in for {names}: install the real package to have it tested"
    if not executions:
        said = [
            verdict.error if isinstance(verdict, Broken) else verdict.reason
            for verdict in verdicts
            if isinstance(verdict, Skipped | Broken)
        ]
        yield from list(dict.fromkeys(said))[:MOST_REASONS] or [_stopped(coverage) or NOT_RUN]
    elif not coverage.completed:
        yield from coverage.endings[:MOST_REASONS] or [NOT_RUN]
    elif coverage.main and len(unreached) == coverage.main and not coverage.decided:
        yield f"none of its main branches ran: {_places(unreached)}"


def _stopped(coverage: Coverage) -> str:
    if coverage.interrupted:
        return INTERRUPTED
    return OUT_OF_TIME if coverage.out_of_time else ""


def _missing(
    coverage: Coverage,
    unreached: Sequence[MainBranch],
    judged: frozenset[str],
    verdicts: Sequence[Verdict],
) -> Iterator[str]:
    if unreached:
        yield f"{len(unreached)} of {coverage.main} main branches did not run: {_places(unreached)}"
    simulated = [each for each in coverage.simulated if each.point not in judged]
    if simulated:
        yield f"reached with simulated answers alone: {_places(simulated)}"
    elif not coverage.answered:
        yield "no input was answered by an engine or a recording"
    for verdict in verdicts:
        if isinstance(verdict, Skipped) and (verdict.our_fault or set(verdict.goals) - judged):
            yield verdict.reason
        elif isinstance(verdict, Broken):
            yield verdict.error
    if coverage.refused:
        yield coverage.refused
    stopped = _stopped(coverage)
    if stopped:
        yield f"{stopped} before its examination ended"


def _places(branches: Sequence[MainBranch]) -> str:
    rest = len(branches) - MOST_PLACES
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(each.place for each in branches[:MOST_PLACES]) + more
