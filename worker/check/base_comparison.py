"""Find what fails on base and returns on head: the defects that a change has fixed.

Base is given the inputs that head ran, and those that failed in this repository
before; where head was explored, base is explored in the same way.  Nothing here
changes a verdict, so it takes a bounded part of the target's time.
"""

from __future__ import annotations

import filecmp
import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from analyzers.criteria import crash_of
from analyzers.detection.change_reach import ChangeReach
from analyzers.guest.runtime.exit_reasons import CRASHES
from analyzers.vocabulary import (
    ChangeSet,
    Contract,
    Died,
    ExplorationRequest,
    Failure,
    Finding,
    Probe,
    Raised,
    Returned,
    Run,
    Status,
    Target,
    TimedOut,
    Violated,
    Written,
)
from worker.executor.base_target import BaseTarget
from worker.executor.execution_context import ExecutionContext
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.probe_codec import argument_frame
from worker.executor.project_files import declarations, documents
from worker.executor.sandbox_executor import SandboxExecutor


class FindingReach:
    """The reach of a change, with the files of both trees that are no code."""

    def __init__(self, laboratory: ExecutionContext, changes: ChangeSet) -> None:
        self._head, self._base = laboratory.head.root, laboratory.base.root
        self._texts = laboratory.head.texts, laboratory.base.texts
        self._reach = ChangeReach(changes, self._differing)

    def finding(self, finding: Finding) -> bool:
        """Return whether the change edits or reaches the location of a finding.

        Other packages reach everything.  What a run of an edited function showed
        was reached by its call.
        """
        if self._packages_differ:
            return True
        if not isinstance(finding.criterion, Written) and self._reach.is_edited(finding.target):
            return True
        return self._reach.reaches(finding.path, finding.line, finding.target)

    def target(self, target: Target) -> bool:
        """Return whether a target runs code that differs from base.

        Its files are compared first: the call graph takes time in a large project.
        """
        for path in (target.path, *target.files):
            if self._texts[0].get(path) != self._texts[1].get(path):
                return True
        return self._packages_differ or self._reach.alters(target.id)

    @cached_property
    def _packages_differ(self) -> bool:
        return _declared(self._head) != _declared(self._base)

    def _differing(self, names: Collection[str]) -> bool:
        head, base = _named(self._head, names), _named(self._base, names)
        return head.keys() != base.keys() or any(
            not filecmp.cmp(head[path], base[path], shallow=False) for path in head
        )


def _declared(root: Path) -> Mapping[str, str]:
    """The texts in which a tree declares its packages, by path."""
    texts = documents(root)
    return {path: texts[path] for path in declarations(list(texts))}


def _named(root: Path, names: Collection[str]) -> Mapping[str, Path]:
    """The regular files of these names in a tree, by their paths in it."""
    found = (
        Path(folder, name)
        for folder, _, files in os.walk(root, followlinks=False)
        for name in files
        if name in names
    )
    usual = (path for path in found if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix(): path for path in usual}


MOST_INPUTS = 100
MOST_FINDINGS = 5
A_BATCH = 20
SHARE = 0.2
LEAST_SECONDS = 3.0
PROBE_SECONDS = 2.0

Seen = Callable[[Finding], bool]
"""A test: do fresh processes show a finding on base and not on head?"""


class BaseExplorer:
    """Runs on base what returned on head."""

    def __init__(self, target: Target, bench: SandboxExecutor, before: BaseTarget) -> None:
        self._target = target
        self._bench = bench
        self._before = before
        self._until = time.monotonic() + max(LEAST_SECONDS, SHARE * bench.remaining())
        self._compared = 0
        self._drawn: list[Probe] = []

    def fixed(self, seen: Seen) -> Iterator[Finding]:
        """Yield a finding for each cause that fails on base alone and is ``seen``."""
        if not self._before.has_target() or self._bench.remaining() < LEAST_SECONDS:
            return
        try:
            drawn = list(self._explored())
            groups = _grouped([*drawn, *self._compared_inputs()])
        except (GuestFailure, TargetNotLoaded):
            return
        if set(self._before.standins) - set(self._bench.standins):
            return
        for group in groups[:MOST_FINDINGS]:
            finding = self._finding(group)
            if finding is not None and seen(finding):
                yield finding

    def _left(self) -> float:
        return self._until - time.monotonic()

    # ------------------------------------------------------------ the inputs

    def _compared_inputs(self) -> Iterator[Failure]:
        """Return what returned on head and fails on base."""
        probes = self._probes()
        for start in range(0, len(probes), A_BATCH):
            if self._left() <= 0:
                return
            batch = probes[start : start + A_BATCH]
            runs = self._before.run_each(batch, PROBE_SECONDS)
            for probe, run in zip(batch, runs, strict=True):
                self._compared += run is not None
                if run is not None and _fails(run):
                    yield Failure(probe, run)
            if any(run is not None and isinstance(run.ending, TimedOut) for run in runs):
                return

    def _probes(self) -> list[Probe]:
        """Return what failed before and what head ran, each once, where head always returned."""
        kept = self._bench.kept(self._target)
        self._bench.run(kept)
        wanted = {_key(probe): probe for probe in kept}
        drawn = {_key(probe) for probe in self._drawn}
        returned: set[str] = set()
        failed: set[str] = set()
        for probe, run in self._bench.history:
            key = _key(probe)
            wanted[key] = probe
            (returned if isinstance(run.ending, Returned) else failed).add(key)
        asked = [self._asked(wanted[key]) for key in wanted if key in returned - failed - drawn]
        once = {_key(probe): probe for probe in asked}
        return list(once.values())[:MOST_INPUTS]

    def _asked(self, probe: Probe) -> Probe:
        """The probe, with its postconditions only where they were broken before."""
        kept = {each.ensures for each in self._bench.kept(self._target)}
        return probe if probe.ensures in kept else replace(probe, ensures=())

    def _explored(self) -> Iterator[Failure]:
        """The smallest inputs that fail where base is explored as head was."""
        for exploring, explored in self._bench.explorations:
            seconds = min(explored.seconds + LEAST_SECONDS, self._left())
            if seconds <= 0 or not explored.executions:
                continue
            there = self._before.explore(self._alike(exploring, seconds))
            failures = [each for each in there.failures if _fails(each.run)]
            if there.executions:
                self._drawn += [*explored.passing, *(each.probe for each in failures)]
            self._compared += there.executions
            runs = self._bench.run([each.probe for each in failures])
            for failure, run in zip(failures, runs, strict=True):
                if isinstance(run.ending, Returned):
                    yield failure

    def _alike(self, exploring: ExplorationRequest, seconds: float) -> ExplorationRequest:
        """Return what head was asked, with its postconditions where base promised them too."""
        contract = exploring.contract
        if not self._before.promises_alike():
            contract = replace(contract, ensures=())
        return replace(exploring, contract=contract, seconds=seconds)

    # ----------------------------------------------------------- the finding

    def _finding(self, failures: Sequence[Failure]) -> Finding | None:
        """The finding of a cause; ``None`` where no rule is about it."""
        smallest = min(failures, key=lambda each: len(_key(each.probe)))
        found = self._told(smallest)
        if found is None:
            return None
        number = sum(each.seen for each in failures)
        compared = max(number, self._compared)
        verb = "fails" if number == 1 else "fail"
        share = f"{number:,} of {compared:,} inputs {verb} this way on base, none of them on head."
        lead, rest = found.message[:1], found.message[1:]
        return replace(
            found,
            target=self._target.id,
            status=Status.FIXED,
            title=f"Fixed: {found.title}",
            message=f"Fixed by this change. On base, {lead.lower()}{rest}\n{share}",
            evidence={**found.evidence, "seen": number, "executions": compared},
        )

    @property
    def _contract(self) -> Contract:
        return next((each.contract for each, _ in self._bench.explorations), Contract())

    def _told(self, failure: Failure) -> Finding | None:
        probe, run, target = failure.probe, failure.run, self._before.target
        if not (probe.inputs or probe.script):
            from analyzers.properties.property_findings import fixed_finding  # noqa: PLC0415

            path = run.ending.path if isinstance(run.ending, Raised) else target.path
            return fixed_finding(failure, self._contract, target, self._before.text(path))
        from analyzers.cloud.answer_crashes import crash_finding  # noqa: PLC0415

        asked = bool(run.exchanges) or isinstance(run.ending, Died)
        return crash_finding(target, probe, run) if asked and crash_of(run.ending) else None


def _fails(run: Run) -> bool:
    """Return whether a run on base shows a defect of the code."""
    if isinstance(run.ending, Died):
        return run.ending.signal in CRASHES
    if isinstance(run.ending, Violated):
        return True
    return crash_of(run.ending) is not None and not run.outside


def _grouped(failures: Sequence[Failure]) -> list[list[Failure]]:
    """The failures by their cause: exception and place, or the broken condition; most first."""
    found: dict[tuple[str, ...], list[Failure]] = {}
    for each in failures:
        ending = each.run.ending
        broken = (ending.condition,) if isinstance(ending, Violated) else ()
        found.setdefault(crash_of(ending) or broken, []).append(each)
    return sorted(found.values(), key=lambda group: -sum(each.seen for each in group))


def _key(probe: Probe) -> str:
    """Return what makes two probes the same: arguments, answers, postconditions, program."""
    arguments = {name: argument_frame(each) for name, each in probe.arguments.items()}
    answers = [(each.api, each.answer) for each in probe.script or ()]
    program = probe.program and probe.program.source
    return json.dumps([arguments, answers, probe.ensures, program], sort_keys=True)
