"""Changes that may mend a finding, tried one after the other on copies of head."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from analyzers.criteria import all_ran, crash_of, is_shown, is_written, reached, translate
from analyzers.vocabulary import (
    Candidate,
    Crashes,
    Criterion,
    Finding,
    Json,
    JsonObject,
    Misses,
    Probe,
    Raised,
    Returned,
    Run,
    RunOutcome,
    Suggestion,
    Target,
    Violated,
    Violates,
    Written,
)
from worker.executor.execution_context import ExecutionContext, SourceTree
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.project_files import related_tests
from worker.executor.recipe_names import imported_names
from worker.executor.session import Session
from worker.system.tracing import traced

RunHistory = Sequence[tuple[Probe, Run]]

MOST_CANDIDATES = 6
SECONDS = 30.0
TEST_SECONDS = 10.0
LONGEST_TITLE = 80
SIMULATED = (
    "it was tried on simulated answers only: no engine or recording answered inputs that are"
    " meant for this branch"
)
NOT_TRIED = "not tried: the time for repairs was spent"


@dataclass(frozen=True, slots=True)
class RepairAttempt:
    """The result of trying one change: why it is refused, or why it is not verified."""

    refused: str = ""
    unverified: str = ""
    facts: JsonObject = field(default_factory=dict[str, Json])


class RepairVerifier:
    """Tries the changes for the findings of one target."""

    def __init__(self, laboratory: ExecutionContext, target: Target) -> None:
        self._laboratory = laboratory
        self._target = target

    @traced("repair")
    def repaired(self, finding: Finding, history: RunHistory) -> Finding:
        """Return the finding with the first verified change, else with the first that helps."""
        candidates = _candidates(finding)
        if not candidates:
            return finding
        bare, deadline = finding.without_candidates, time.monotonic() + SECONDS
        refused: list[str] = []
        offered: Finding | None = None
        for number, candidate in enumerate(candidates):
            if number and time.monotonic() > deadline:
                refused.append(f"{_title(candidate)} ({NOT_TRIED})")
                continue
            trial = self._tried(bare, candidate, history)
            if trial.refused:
                refused.append(f"{_title(candidate)} ({trial.refused})")
            elif not trial.unverified:
                return _with(bare, candidate, trial)
            elif offered is None:
                offered = _with(bare, candidate, trial)
        if offered is not None:
            return offered
        return replace(
            bare, evidence={**bare.evidence, "no_repair": f"tried: {', '.join(refused)}"}
        )

    def _tried(self, finding: Finding, candidate: Candidate, history: RunHistory) -> RepairAttempt:
        laboratory = self._laboratory
        with laboratory.patched(candidate.suggestion) as tree:
            old, text = laboratory.head.texts[finding.path], tree.texts[finding.path]
            criterion = translate(finding.criterion, finding.path, old, text)
            if criterion is None:
                return RepairAttempt("takes the condition away")
            try:
                with Session(
                    laboratory.place_of(tree), tree.root, self._target, laboratory.broker
                ) as session:
                    trial = self._judged(finding, candidate, criterion, tree, session)
                    if trial.refused:
                        return trial
                    harm = _harmed(finding, history, session.run([p for p, _ in history]))
                    if harm:
                        return RepairAttempt(harm)
                    return self._tested(trial, candidate, session)
            except (TargetNotLoaded, GuestFailure) as error:
                return RepairAttempt(f"cannot be run: {error}".partition("\n")[0])

    def _judged(
        self,
        finding: Finding,
        candidate: Candidate,
        criterion: Criterion,
        tree: SourceTree,
        session: Session,
    ) -> RepairAttempt:
        path = finding.path
        if not _helps(criterion, session.run(finding.probes), tree.texts[path]):
            return RepairAttempt("does not help")
        named = self._named(candidate, criterion, tree, session)
        if named.refused or named.unverified:
            return named
        meant = candidate.meant
        if meant:
            runs = session.run(meant)
            if not all_ran(runs) or any(probe.simulated for probe in meant):
                return RepairAttempt(unverified=SIMULATED)
            taken = sum(all(reached(goal, run) for goal in criterion.goals) for run in runs)
            if taken < candidate.threshold * len(runs):
                return RepairAttempt(
                    f"{taken} of {len(runs)} inputs that are meant for the branch take it"
                )
            return RepairAttempt(facts={"repair_inputs": len(runs), "repair_reached": taken})
        made_up = isinstance(criterion, Misses) and any(p.simulated for p in finding.probes)
        return RepairAttempt(unverified=SIMULATED if made_up else "")

    def _named(
        self, candidate: Candidate, criterion: Criterion, tree: SourceTree, session: Session
    ) -> RepairAttempt:
        change = candidate.suggestion
        last = change.start_line + change.replacement.count("\n")
        parts = (PurePosixPath(path).with_suffix("").parts for path in tree.texts)
        local = frozenset(part for each in parts for part in each)
        base, head = self._laboratory.base.texts, self._laboratory.head.texts
        old = imported_names(head[change.path], change.start_line, change.end_line, local)
        new = imported_names(tree.texts[change.path], change.start_line, last, local)
        asked = sorted(new - old)
        for name, state in (session.resolve(asked) if asked else {}).items():
            if state == "missing":
                return RepairAttempt(f"the installed library has no {name}")
            if state == "absent":
                return RepairAttempt(f"{name} cannot be looked up: its library is not installed")
        if isinstance(criterion, Written) and base.get(change.path) == head.get(change.path):
            return RepairAttempt(unverified="it is in a file that this change does not touch")
        return RepairAttempt()

    def _tested(
        self, trial: RepairAttempt, candidate: Candidate, session: Session
    ) -> RepairAttempt:
        texts = self._laboratory.head.texts
        beside = replace(self._target, path=candidate.suggestion.path)
        tests = dict.fromkeys((*related_tests(self._target, texts), *related_tests(beside, texts)))
        if not tests:
            return trial
        before = self._before(tuple(tests))
        passing = [test for test, passed in before.items() if passed]
        if not any("::" in test for test in passing):
            return replace(trial, facts={"repair_tests": "no test of the project could be run"})
        try:
            after = session.test(tuple(tests), TEST_SECONDS)
        except GuestFailure as error:
            said = f"not run: {error}".partition("\n")[0]
            return replace(trial, facts={"repair_tests": said})
        if not after:
            return RepairAttempt("ends the process that runs the project's tests")
        broken = [test for test in passing if after.get(test) is False]
        if broken:
            return RepairAttempt(f"breaks the test {broken[0]}")
        ran = [after.get(test, False) for test in passing if "::" in test]
        kept, lost = sum(ran), len(ran) - sum(ran)
        left = f"; {lost} could not be run again" if lost else ""
        return replace(trial, facts={"repair_tests": f"{kept} pass as before{left}"})

    def _before(self, tests: tuple[str, ...]) -> dict[str, bool]:
        laboratory = self._laboratory
        if tests not in laboratory.tested:
            found: dict[str, bool] = {}
            try:
                with Session(
                    laboratory.place_of(laboratory.head),
                    laboratory.head.root,
                    self._target,
                    laboratory.broker,
                ) as session:
                    found.update(session.test(tests, TEST_SECONDS))
            except (TargetNotLoaded, GuestFailure):
                found.clear()
            laboratory.tested[tests] = found
        return laboratory.tested[tests]


def _candidates(finding: Finding) -> list[Candidate]:
    found: dict[Suggestion, Candidate] = {}
    for candidate in finding.candidates:
        found.setdefault(candidate.suggestion, candidate)
    if not found and finding.suggestion is not None:
        return [Candidate(finding.suggestion)]
    return list(found.values())[:MOST_CANDIDATES]


def _title(candidate: Candidate) -> str:
    if candidate.title:
        return candidate.title
    lines = [line.strip() for line in candidate.suggestion.replacement.splitlines()]
    first = next(filter(None, lines), "")
    return f"`{first if len(first) <= LONGEST_TITLE else first[: LONGEST_TITLE - 1] + '…'}`"


def _with(finding: Finding, candidate: Candidate, trial: RepairAttempt) -> Finding:
    change = replace(
        candidate.suggestion, verified=not trial.unverified, unverified=trial.unverified
    )
    mended = finding.with_candidate(replace(candidate, suggestion=change))
    return replace(mended, evidence={**mended.evidence, **trial.facts})


def is_worse(before: RunHistory, after: Sequence[Run], *, refusing: bool = False) -> bool:
    """Return whether something ends worse than before; ``refusing``: on purpose is not worse."""
    least = 1 if refusing else 0
    return any(
        _harm(now.ending) > max(_harm(then.ending), least)
        for (_, then), now in zip(before, after, strict=True)
    )


def _other(before: RunHistory, after: Sequence[Run]) -> bool:
    return any(
        isinstance(then.ending, Returned)
        and isinstance(now.ending, Returned)
        and then.ending != now.ending
        for (_, then), now in zip(before, after, strict=True)
    )


def _helps(criterion: Criterion, after: Sequence[Run], text: str) -> bool:
    if isinstance(criterion, Written):
        return not is_written(criterion, text)
    return all_ran(after) and not (is_shown(criterion, after) or _crashes_still(criterion, after))


def _crashes_still(criterion: Criterion, after: Sequence[Run]) -> bool:
    """Return whether a crash, or a broken postcondition, only gave way to another crash."""
    ended = isinstance(criterion, Crashes | Violates)
    return ended and any(crash_of(run.ending) for run in after)


def _harm(ending: RunOutcome) -> int:
    match ending:
        case Returned():
            return 0
        case Violated():
            return 2
        case Raised():
            return 1 if crash_of(ending) is None else 3
        case _:
            return 4


def _harmed(finding: Finding, history: RunHistory, after: Sequence[Run]) -> str:
    """Return what a change makes worse elsewhere; empty where nothing is."""
    if is_worse(history, after, refusing=finding.rule == "assembly/unchecked-boundary"):
        return "makes something else worse"
    if finding.rule.startswith("relation/") and _other(history, after):
        return "gives another result elsewhere"
    return ""
