"""Nothing is reported that was not seen again.

Every finding is run once more in a fresh process, then with the same inputs
on base; a suggestion is applied to a copy and must make the finding go away
without making anything else worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from analyzers.judging import crash_of, decided, shows, translate
from analyzers.vocabulary import (
    Change,
    Criterion,
    Ending,
    Finding,
    Level,
    Probe,
    Raised,
    Returned,
    Run,
    Status,
    Suggestion,
    Target,
)
from worker.functions import has_function
from worker.laboratory.bench import Laboratory, Tree, relocated
from worker.laboratory.failures import GuestFailure, Unpreparable
from worker.laboratory.session import Session

History = Sequence[tuple[Probe, Run]]


class Confirmer:
    """Confirms the findings of one target; its guests are closed at the end."""

    def __init__(self, laboratory: Laboratory, target: Target, changes: Sequence[Change]) -> None:
        self._laboratory = laboratory
        self._target = target
        self._old_paths = {c.path: c.old_path for c in changes if c.old_path is not None}
        self._stack = ExitStack()
        self._sessions: dict[str, Session] = {}

    def close(self) -> None:
        """End the guests."""
        self._stack.close()
        self._sessions.clear()

    def confirmed(self, finding: Finding, history: History) -> Finding:
        """The finding with its status and a verified, or no, suggestion."""
        again = self._run("head", self._laboratory.head, self._target, finding.probes)
        if not (decided(again) and shows(finding.criterion, again)):
            return _unrepaired(replace(finding, status=Status.FLAKY), "it does not repeat")
        standing = self._with_status(finding)
        if standing.suggestion is None:
            return standing
        tried = self._tried(standing, standing.suggestion, history)
        return tried if isinstance(tried, Finding) else _unrepaired(standing, tried)

    def _with_status(self, finding: Finding) -> Finding:
        """New, existing, or new with the doubt that base could not be run."""
        criterion = self._on_base(finding)
        if criterion is None:
            return finding
        try:
            runs = self._run_on_base(finding.probes)
        except (Unpreparable, GuestFailure) as reason:
            return _doubtful(finding, str(reason).partition("\n")[0])
        if not decided(runs):
            return _doubtful(finding, "the same inputs could not be run there")
        return replace(finding, status=Status.EXISTING) if shows(criterion, runs) else finding

    def _on_base(self, finding: Finding) -> Criterion | None:
        base, head = self._laboratory.base.texts, self._laboratory.head.texts
        target = relocated(self._target, self._old_paths)
        if not has_function(base.get(target.path, ""), target.function):
            return None
        path = self._old_paths.get(finding.path, finding.path)
        if path not in base:
            return None
        return translate(finding.criterion, path, head.get(finding.path, ""), base[path])

    def _run_on_base(self, probes: Sequence[Probe]) -> Sequence[Run]:
        base = self._laboratory.base
        target = relocated(self._target, self._old_paths)
        target = replace(target, files=tuple(path for path in target.files if path in base.texts))
        runs = self._run("base", base, target, probes)
        if decided(runs) or not all(probe.inputs for probe in probes):
            return runs
        unscripted = [replace(probe, script=None) for probe in probes]
        return self._run("base", base, target, unscripted)

    def _tried(self, finding: Finding, suggestion: Suggestion, history: History) -> Finding | str:
        """The finding with its suggestion verified, or why there is none."""
        laboratory = self._laboratory
        with laboratory.patched(suggestion) as tree:
            text = tree.texts[suggestion.path]
            old = laboratory.head.texts[suggestion.path]
            criterion = translate(finding.criterion, suggestion.path, old, text)
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
        if not decided(after) or shows(criterion, after):
            return "the suggested change was tried and does not help"
        if _worse(history, others):
            return "the suggested change was tried and makes something else worse"
        return replace(finding, suggestion=replace(suggestion, verified=True))

    def _run(self, name: str, tree: Tree, target: Target, probes: Sequence[Probe]) -> list[Run]:
        """Run probes in the warm guest of that name; one that broke off is not used again."""
        laboratory = self._laboratory
        if name not in self._sessions:
            self._sessions[name] = self._stack.enter_context(
                Session(laboratory.place_of(tree), tree.root, target, laboratory.broker)
            )
        try:
            return self._sessions[name].run(probes)
        except GuestFailure:
            del self._sessions[name]
            raise


def _worse(before: History, after: Sequence[Run]) -> bool:
    return any(
        _harm(now.ending) > _harm(then.ending) for (_, then), now in zip(before, after, strict=True)
    )


def _harm(ending: Ending) -> int:
    """How far an ending is from a result: a refusal, an exception, worse."""
    if isinstance(ending, Returned):
        return 0
    if isinstance(ending, Raised):
        return 1 if crash_of(ending) is None else 2
    return 3


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
