"""Comparisons with a class that the API does not have, such as “Positive” for “POSITIVE”.

Where the catalogue knows all classes of an API, each of them is put into an
everyday answer: if none leads to the branch, and a constant of the condition would
lead there if the API answered it, then the constant is wrong.  What is another
spelling of a class is corrected.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.cloud import messages
from analyzers.cloud.api_answers import saying
from analyzers.cloud.branch_cases import run_case
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.conditions.condition_lint import ConstantCondition, lint_condition
from analyzers.cloud.conditions.decision_goals import clause_goal, decisions_of
from analyzers.cloud.examination import Examination
from analyzers.cloud.objectives import Objective, has_slot
from analyzers.cloud.repairs.labels.label_corrections import respelled, tried_on
from analyzers.criteria import all_ran, decision_point, is_shown, outcome_point, reached
from analyzers.guest.instrumentation.goals import Decision
from analyzers.ports import Executor
from analyzers.rules.cloud_rules import DEAD_BRANCH, UNKNOWN_LABEL
from analyzers.vocabulary import (
    BranchOutcome,
    Constant,
    Exchange,
    Finding,
    Goal,
    InputRequest,
    Level,
    Misses,
    Probe,
    Run,
    SearchResult,
    Suggestion,
    Target,
    Verdict,
)

MOST_PROBES = 6


def settled(target: Target, bench: Executor) -> frozenset[str]:
    """Return the goals that a lint settles: no search need look for them."""
    return frozenset(
        opposed(_always(goal, decision, lint)).id
        for goal, decision in decisions_of(target, bench).values()
        if (lint := lint_condition(bench.source(goal.path), decision)) is not None
    )


def constant_conditions(
    target: Target, executed: Sequence[tuple[Probe, Run]], bench: Executor
) -> Iterator[Finding]:
    """Yield findings for conditions with a constant operand, as the runs confirm."""
    for goal, decision in decisions_of(target, bench).values():
        lint = lint_condition(bench.source(goal.path), decision)
        if lint is None:
            continue
        always = _always(goal, decision, lint)
        probes = _telling([p for p, r in executed if outcome_point(always) in r.hits])
        if probes and is_shown(Constant(always), [run for _, run in executed]):
            yield _constant(target, always, lint, probes)


def _telling(probes: Sequence[Probe]) -> Sequence[Probe]:
    """Return a few of many probes: the first, found by the search, and the last, of odd inputs."""
    half = MOST_PROBES // 2
    return probes if len(probes) <= MOST_PROBES else [*probes[:half], *probes[-half:]]


def _always(goal: Goal, decision: Decision, lint: ConstantCondition) -> Goal:
    """Return the outcome that a constant condition, or its constant clause, always has."""
    outcome = BranchOutcome.TRUE if lint.outcome else BranchOutcome.FALSE
    if lint.clause is None:
        return goal.whole(outcome)
    return clause_goal(goal, decision, lint.clause, outcome)


def _constant(
    target: Target, goal: Goal, lint: ConstantCondition, probes: Sequence[Probe]
) -> Finding:
    edit = lint.rewrite
    suggestion = None
    if edit is not None:
        suggestion = Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)
    words = BranchMessage(
        *messages.constant_condition(goal, lint.reason),
        {"proof": "constant-condition", "bound": "any answer"},
    )
    proof = Proof(probes, Constant(goal), f"constant:{goal.text}")
    return branch_finding(target, goal, DEAD_BRANCH, Level.FAILURE, words, proof, suggestion)


def exhausted_branches(
    target: Target, searched: SearchResult, executed: Sequence[tuple[Probe, Run]]
) -> Iterator[Finding]:
    """Yield findings for branches whose whole bounded answer space was searched.

    Only whole decisions: a clause that never decides may be a belt with
    braces.  A run that reached the branch refutes the search.
    """
    for goal in target.goals:
        if goal.id not in searched.exhausted or goal.clause is not None:
            continue
        always = goal.whole(opposite(goal.outcome))
        probes = _telling([p for p, r in executed if decision_point(always) in r.hits])
        if is_shown(Constant(always), [run for _, run in executed]):
            yield _exhausted(target, goal, always, searched.bound, probes)


def opposed(goal: Goal) -> Goal:
    """Return the same decision or clause turning out otherwise."""
    return replace(goal, outcome=opposite(goal.outcome))


def opposite(outcome: BranchOutcome) -> BranchOutcome:
    """Return the other outcome of a decision."""
    return BranchOutcome.FALSE if outcome is BranchOutcome.TRUE else BranchOutcome.TRUE


def _exhausted(
    target: Target, goal: Goal, always: Goal, bound: str, probes: Sequence[Probe]
) -> Finding:
    words = BranchMessage(
        *messages.exhausted(goal, bound), {"proof": "bounded-search", "bound": bound}
    )
    proof = Proof(probes, Constant(always), f"bounded:{goal.decision_text}")
    return branch_finding(target, goal, DEAD_BRANCH, Level.FAILURE, words, proof)


ALIKE = 0.75
"""How alike two words are (``difflib``) of which one is taken for the other."""
MOST_WORDS = 5
SHORTEST_BEGINNING = 3
BEGINNING = 0.8
"""The share of the shorter of two words with which both have to begin."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A constant that a branch waits for, and the class that it is taken for, if it is like one."""

    goal: Goal
    word: str
    name: str | None


def wrong_classes(
    target: Target, searched: SearchResult, template: Probe, apis: Sequence[Api], bench: Executor
) -> Iterator[Finding]:
    """Yield a finding for each branch that waits for what is no class.

    ``apis``: those that the target asks; only where one alone can be meant.
    """
    meaning = apis[0].says[0] if len(apis) == 1 and apis[0].says else None
    if meaning is None or not meaning.closed:
        return
    api, usual = apis[0], catalogue.load_catalogue().ordinary[apis[0].name]

    def answering(word: str) -> Probe:
        return template.answered((Exchange(api.name, "", saying(meaning, usual, word)),))

    probes = [answering(name) for name in meaning.readings]
    for goal in _unreached(target, searched):
        for mistake in _mistakes(goal, searched.constants.get(goal.id, ()), meaning):
            runs = bench.run([*probes, answering(mistake.word)])
            if _in_vain(goal, runs[:-1]) and reached(goal, runs[-1]):
                level = Level.FAILURE if goal.id in searched.exhausted else Level.WARNING
                yield _finding(target, mistake, api, probes, level, bench)
                break


def _unreached(target: Target, searched: SearchResult) -> Iterator[Goal]:
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        if goal.clause is None and goal.outcome is BranchOutcome.TRUE and goal.id not in known:
            yield goal


def _mistakes(goal: Goal, words: Sequence[str], meaning: AnswerMeaning) -> list[_Mistake]:
    """Return constants of a goal that are no classes, the ones similar to a class first."""
    unknown = [word for word in words if word not in meaning.readings]
    found = [_Mistake(goal, word, _alike(word, meaning)) for word in unknown]
    return sorted(found, key=lambda mistake: mistake.name is None)[:MOST_WORDS]


def _alike(word: str, meaning: AnswerMeaning) -> str | None:
    classes = {name.casefold(): name for name in meaning.readings}
    alike = difflib.get_close_matches(word.casefold(), classes, 1, ALIKE)
    alike = alike or _beginning_alike(word.casefold(), classes)
    return classes[alike[0]] if alike else None


def _beginning_alike(word: str, classes: Iterable[str]) -> list[str]:
    """Return the one class that begins like a word (“sad” for “sadness”), if it is only one."""
    found = [name for name in classes if _begins_alike(word, name)]
    return found if len(found) == 1 else []


def _begins_alike(one: str, other: str) -> bool:
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return shared >= max(SHORTEST_BEGINNING, BEGINNING * min(len(one), len(other)))


def _in_vain(goal: Goal, runs: Sequence[Run]) -> bool:
    """Return whether the condition was asked, and no class made it true."""
    asked = any(decision_point(goal, BranchOutcome.FALSE) in run.hits for run in runs)
    return asked and all_ran(runs) and not any(reached(goal, run) for run in runs)


def _finding(
    target: Target,
    mistake: _Mistake,
    api: Api,
    probes: Sequence[Probe],
    level: Level,
    bench: Executor,
) -> Finding:
    goal, word = mistake.goal, mistake.word
    words = BranchMessage(
        *messages.unknown_class(goal, api.name, word, list(api.says[0].readings), mistake.name),
        {"label": word, "vocabulary": api.name, "closest": mistake.name},
    )
    proof = Proof(probes, Misses(goal, 1 / (len(probes) + 1)), f"class:{word}")
    found = branch_finding(target, goal, UNKNOWN_LABEL, level, words, proof)
    names = {word: mistake.name}
    return respelled(found, goal, names.get, bench) if mistake.name else found


def request_of(finding: Finding, goal: Goal, template: Probe, api: Api) -> Objective | None:
    """Return the objective for inputs of the suggested class, if it has a reading."""
    reading = api.says[0].readings.get(str(finding.evidence["closest"]))
    wanted = InputRequest(api.name, reading)
    return Objective(goal, goal, wanted, template, confirmed=False) if reading else None


def constants(look: Examination) -> Iterator[Verdict]:
    """Yield the findings of constant conditions; exhausted ones are left to the end."""
    for finding in constant_conditions(look.target, look.executed, look.bench):
        assert isinstance(finding.criterion, Constant)
        always = finding.criterion.goal
        if always.clause is None:
            look.closed.add(always.decision_id)
        look.prove({opposed(always).id})
        yield finding


def classes(look: Examination) -> Iterator[Verdict]:
    """Yield the findings of comparisons with another spelling of a class."""
    for finding in wrong_classes(look.target, look.searched, look.template, look.asked, look.bench):
        assert isinstance(finding.criterion, Misses)
        look.closed.add(finding.criterion.goal.decision_id)
        yield from _tried(look, finding, finding.criterion.goal)


def _tried(look: Examination, finding: Finding, goal: Goal) -> Iterator[Verdict]:
    """Run inputs of the class that is suggested; then the finding, to be verified on them."""
    api = look.asked[0]
    objective = request_of(finding, goal, look.template, api) if finding.candidates else None
    if objective is not None and has_slot(look.template):
        branch_case = run_case(objective, look.bench.plan.inputs, api, look)
        yield from look.ran(branch_case.probes, branch_case.runs)
        finding = tried_on(finding, branch_case, look.bench)
    yield finding


def exhausted(look: Examination) -> Iterator[Verdict]:
    """Yield the findings of branches that no answer within the bound reaches."""
    look.prove(set(look.searched.exhausted) - look.points)
    for finding in exhausted_branches(look.target, look.searched, look.executed):
        assert isinstance(finding.criterion, Constant)
        if finding.criterion.goal.decision_id not in look.closed:
            yield finding
