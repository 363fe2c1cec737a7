"""Nothing is reported that was not seen again.

Every finding is run once more in a fresh process, then with the same inputs
on base; a suggestion is applied to a copy and must make the finding go away
without making anything else worse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from analyzers.judging import UNSTEADY, crash_of, decided, shows, stands, translate
from analyzers.vocabulary import (
    Crashes,
    Criterion,
    Ending,
    Finding,
    Level,
    Probe,
    Raised,
    Returned,
    Run,
    Skipped,
    Status,
    Suggestion,
    Target,
    Turns,
    Violated,
    Violates,
    Written,
)
from worker.laboratory.before import Before
from worker.laboratory.failures import GuestFailure, Unpreparable
from worker.laboratory.laboratory import Laboratory
from worker.laboratory.session import Session
from worker.laboratory.signatures import Incomparable

History = Sequence[tuple[Probe, Run]]


class Confirmer:
    """Confirms the findings of one target; its guests are closed at the end."""

    def __init__(
        self,
        laboratory: Laboratory,
        target: Target,
        before: Before,
        reached: Callable[[Finding], bool] = lambda _: True,
    ) -> None:
        """``reached`` tells whether the change edits or reaches where a finding is."""
        self._laboratory = laboratory
        self._target = target
        self._before = before
        self._reached = reached
        self._session: Session | None = None

    def close(self) -> None:
        """End the guest."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def confirmed(self, finding: Finding, history: History) -> Finding | Skipped:
        """The finding with its status and a verified, or no, suggestion.

        Another outcome than on base that does not repeat is no finding.  What is
        written needs no run.
        """
        if isinstance(finding.criterion, Written):
            return self._written(finding, finding.criterion, history)
        again = self._run(finding.probes)
        if not (decided(again) and shows(finding.criterion, again)):
            if isinstance(finding.criterion, Turns):
                return Skipped(finding.analyzer, finding.target, UNSTEADY)
            return _unrepaired(replace(finding, status=Status.FLAKY), "it does not repeat")
        return self._repaired(self._with_status(finding), history)

    def _written(self, finding: Finding, criterion: Written, history: History) -> Finding | Skipped:
        """The finding by what stands in its file, here and on base."""
        if not stands(criterion, self._laboratory.head.texts.get(criterion.path, "")):
            return Skipped(finding.analyzer, finding.target, "it is not written there any more")
        there = self._before.source(criterion.path)
        known = there is not None and stands(criterion, there[1])
        old = replace(finding, status=Status.EXISTING)
        return self._repaired(old if known else self._unseen(finding), history)

    def _repaired(self, standing: Finding, history: History) -> Finding:
        """The finding with a verified, or no, suggestion."""
        if standing.suggestion is None:
            return standing
        tried = self._tried(standing, standing.suggestion, history)
        return tried if isinstance(tried, Finding) else _unrepaired(standing, tried)

    def _with_status(self, finding: Finding) -> Finding:
        """New, existing, or new with the doubt that base could not be run."""
        criterion = self._before.criterion(finding)
        if criterion is None:
            return self._unseen(finding)
        try:
            runs = self._before.run(finding.probes)
        except (Incomparable, Unpreparable, GuestFailure) as reason:
            return self._unseen(finding, str(reason).partition("\n")[0])
        if not decided(runs):
            return self._unseen(finding, "the same inputs could not be run there")
        return replace(finding, status=Status.EXISTING) if shows(criterion, runs) else finding

    def _unseen(self, finding: Finding, reason: str | None = None) -> Finding:
        """A finding that base could not show, for a ``reason`` or since it lacks the code.

        Existing where the change does not reach it.
        """
        if not self._reached(finding):
            why = "not run: the change neither edits this code nor reaches it by a call"
            evidence = {**finding.evidence, "base": why}
            return replace(finding, status=Status.EXISTING, evidence=evidence)
        return finding if reason is None else _doubtful(finding, reason)

    def _tried(self, finding: Finding, suggestion: Suggestion, history: History) -> Finding | str:
        """The finding with its suggestion verified, or why there is none."""
        laboratory = self._laboratory
        with laboratory.patched(suggestion) as tree:
            old, text = laboratory.head.texts[finding.path], tree.texts[finding.path]
            criterion = translate(finding.criterion, finding.path, old, text)
            if criterion is None:
                return "the suggested change takes the condition away"
            try:
                with Session(
                    laboratory.place_of(tree), tree.root, self._target, laboratory.broker
                ) as session:
                    after = session.run(finding.probes)
                    others = session.run([probe for probe, _ in history])
            except (Unpreparable, GuestFailure) as error:
                return f"the suggested change cannot be run: {error}".partition("\n")[0]
        if not _helps(criterion, after, text):
            return "the suggested change was tried and does not help"
        if _worse(history, others, refusing=finding.rule == "assembly/unchecked-boundary"):
            return "the suggested change was tried and makes something else worse"
        if finding.rule.startswith("relation/") and _other(history, others):
            return "the suggested change was tried and gives another result elsewhere"
        return replace(finding, suggestion=replace(suggestion, verified=True))

    def _run(self, probes: Sequence[Probe]) -> list[Run]:
        """Run probes on head in the warm guest; one that broke off is not used again."""
        laboratory = self._laboratory
        if self._session is None:
            place = laboratory.place_of(laboratory.head)
            self._session = Session(place, laboratory.head.root, self._target, laboratory.broker)
        try:
            return self._session.run(probes)
        except GuestFailure:
            self.close()
            raise


def _worse(before: History, after: Sequence[Run], *, refusing: bool = False) -> bool:
    """Whether something ends worse than before; ``refusing``: on purpose is not worse."""
    least = 1 if refusing else 0
    return any(
        _harm(now.ending) > max(_harm(then.ending), least)
        for (_, then), now in zip(before, after, strict=True)
    )


def _other(before: History, after: Sequence[Run]) -> bool:
    """Whether something that returned returns another value: an equivalent call changes none."""
    return any(
        isinstance(then.ending, Returned)
        and isinstance(now.ending, Returned)
        and then.ending != now.ending
        for (_, then), now in zip(before, after, strict=True)
    )


def _helps(criterion: Criterion, after: Sequence[Run], text: str) -> bool:
    """Whether a changed text, and its runs, show the defect no more."""
    if isinstance(criterion, Written):
        return not stands(criterion, text)
    return decided(after) and not (shows(criterion, after) or _crashes_still(criterion, after))


def _crashes_still(criterion: Criterion, after: Sequence[Run]) -> bool:
    """Whether a crash, or a broken postcondition, only gave way to another crash."""
    ended = isinstance(criterion, Crashes | Violates)
    return ended and any(crash_of(run.ending) for run in after)


def _harm(ending: Ending) -> int:
    """How far an ending is from a result: a refusal, a wrong result, an exception, worse."""
    match ending:
        case Returned():
            return 0
        case Violated():
            return 2
        case Raised():
            return 1 if crash_of(ending) is None else 3
        case _:
            return 4


def _unrepaired(finding: Finding, reason: str) -> Finding:
    """The finding without its suggestion, and why."""
    if finding.suggestion is None:
        return finding
    return replace(finding, suggestion=None, evidence={**finding.evidence, "no_repair": reason})


def _doubtful(finding: Finding, reason: str) -> Finding:
    """A finding that may not be new: it advises, it does not block."""
    level = Level.WARNING if finding.level is Level.FAILURE else finding.level
    evidence = {**finding.evidence, "base": f"not comparable: {reason}"}
    return replace(finding, level=level, evidence=evidence)
