"""Software that uses ML cloud APIs: the method of Keeper (ICSE 2022).

Search for answers that reach each branch; find inputs whose human reading is
that answer; run them with the engines answering; judge every branch by the
share of its inputs that reach it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.answers import NEGATIVE, POSITIVE, TEXT_TASKS
from analyzers.cloud.branches import NAME
from analyzers.cloud.classes import wrong_classes
from analyzers.cloud.constant import constant_conditions, exhausted_branches, opposite, settled
from analyzers.cloud.crashes import CrashLog, made_up
from analyzers.cloud.labels import repaired, unknown_label
from analyzers.cloud.ordinary import fully_modelled, ordinary_script
from analyzers.cloud.recall import low_recall, unreached
from analyzers.cloud.sentiment import mixed, poll, takes_text
from analyzers.cloud.trials import (
    Trial,
    Wish,
    by_branch,
    has_slot,
    try_out,
    unconfirmed_wishes,
    wishes,
)
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Constant,
    Finding,
    Goal,
    Misses,
    NotRun,
    Probe,
    Run,
    Searched,
    Skipped,
    Target,
    Verdict,
    Wanted,
    Witness,
)

CORNER_INPUTS = 3
JUDGED_BY_RECALL = TEXT_TASKS | {"labels", "objects", "caption", "faces"}


class CloudAnalyzer:
    """Finds branches on ML answers that fail, are dead, or crash."""

    name = NAME

    def examine(self, target: Target, bench: Bench) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        known = settled(target, bench)
        searched = bench.search(
            replace(target, goals=tuple(goal for goal in target.goals if goal.id not in known))
        )
        if searched.template is None:
            reason = searched.obstacle or "the function could not be called"
            yield Skipped(self.name, target.id, reason)
            return
        yield from _Examination(target, bench, searched, searched.template).verdicts()


class _Examination:
    """One look at one target: what was run so far, and what follows from it."""

    def __init__(
        self,
        target: Target,
        bench: Bench,
        searched: Searched,
        template: Probe,
    ) -> None:
        self._target = target
        self._bench = bench
        self._searched = searched
        self._template = template
        self._apis = catalogue.load().apis
        self._crashes = CrashLog(target)
        self._executed: list[tuple[Probe, Run]] = []
        self._empty: list[tuple[Probe, Run]] = []
        self._closed: set[str] = set()

    def verdicts(self) -> Iterator[Verdict]:
        replayed = self._replay_witnesses()
        yield from self._corner_cases()
        yield from self._constant()
        yield from self._classes()
        yield from self._recall(replayed)
        yield from self._sentiment()
        yield from self._exhausted()
        yield from self._crashes.findings(self._possible())
        yield from self._crashes.undecided(self._executed)
        yield from self._unreached_goals()

    def _replay_witnesses(self) -> list[tuple[Witness, Run]]:
        known = {goal.id for goal in self._target.goals}
        witnesses = [w for w in self._searched.witnesses if w.confirmed and w.goal in known]
        probes = [witness.probe for witness in witnesses]
        runs = self._bench.run(probes)
        self._executed += zip(probes, runs, strict=True)
        ordinary = ordinary_script(self._asked())
        if ordinary is not None:
            everyday = self._template.answered(ordinary)
            self._executed += zip([everyday], self._bench.run([everyday]), strict=True)
        self._crashes.hear(self._executed)
        return list(zip(witnesses, runs, strict=True))

    def _ran(self, probes: Sequence[Probe], runs: Sequence[Run]) -> Iterator[Finding]:
        """Keep the runs of recorded probes; the crashes among them."""
        executed = list(zip(probes, runs, strict=True))
        self._executed += executed
        yield from self._crashes.findings(executed)

    def _skipped(self, reason: str) -> Skipped:
        return Skipped(NAME, self._target.id, reason)

    def _constant(self) -> Iterator[Finding]:
        """Conditions that are constant; exhausted ones are left to the end."""
        for finding in constant_conditions(self._target, self._executed, self._bench):
            assert isinstance(finding.criterion, Constant)
            always = finding.criterion.goal
            self._closed.add(always.decision_id)
            self._prove({always.whole(opposite(always.outcome)).id})
            yield finding

    def _classes(self) -> Iterator[Finding]:
        found = wrong_classes(
            self._target, self._searched, self._template, self._asked(), self._bench
        )
        for finding in found:
            assert isinstance(finding.criterion, Misses)
            self._closed.add(finding.criterion.goal.decision_id)
            yield finding

    def _exhausted(self) -> Iterator[Finding]:
        hit = {point for _, run in self._executed for point in run.hits}
        self._prove(set(self._searched.exhausted) - hit)
        for finding in exhausted_branches(self._target, self._searched, self._executed):
            assert isinstance(finding.criterion, Constant)
            if finding.criterion.goal.decision_id not in self._closed:
                yield finding

    def _prove(self, unreachable: Collection[str]) -> None:
        for goal in self._target.goals:
            if goal.id in unreachable:
                self._bench.unreachable(goal.id)

    def _corner_cases(self) -> Iterator[Verdict]:
        """Inputs in which there is nothing to find."""
        for api in self._asked() if has_slot(self._template) else ():
            supply = self._bench.inputs(Wanted(api.name, None), CORNER_INPUTS)
            probes = [self._template.with_input(item) for item in supply.inputs]
            runs = self._bench.run(probes)
            made = [(p.answered(r.exchanges), r) for p, r in zip(probes, runs, strict=True)]
            self._empty += [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]
            yield from self._ran([probe for probe, _ in made], runs)
            reasons = [run.ending.reason for run in runs if isinstance(run.ending, NotRun)]
            if reasons:
                yield self._skipped(reasons[0])

    def _asked(self) -> list[Api]:
        return [self._apis[name] for name in self._target.apis if name in self._apis]

    def _recall(self, replayed: Sequence[tuple[Witness, Run]]) -> Iterator[Verdict]:
        trials: list[Trial] = []
        unknown: dict[str, Finding] = {}
        for wish in self._wishes(replayed):
            if self._bench.remaining() <= 0:
                yield self._skipped("the time budget was spent")
                break
            api = self._apis[wish.wanted.api]
            finding = self._unknown(wish, api)
            if finding is not None:
                if unknown.setdefault(wish.branch.decision_id, finding) is finding:
                    yield finding
            elif wish.suffices:
                trials.append(try_out(wish, self._bench.plan.inputs, api, self._bench))
                yield from self._heard(trials[-1])
            elif (wish.wanted.reading or "") in wish.goal.text:
                yield self._skipped(f"{_place(wish.goal)} needs several labels in one answer")
        yield from self._judged(trials)

    def _heard(self, trial: Trial) -> Iterator[Verdict]:
        yield from self._ran(trial.probes, trial.runs)
        if trial.shortfall and not trial.runs:
            yield self._skipped(trial.shortfall)

    def _unknown(self, wish: Wish, api: Api) -> Finding | None:
        if not wish.confirmed or api.vocabulary is None:
            return None
        vocabulary = catalogue.vocabulary(api.vocabulary)
        return unknown_label(self._target, wish, api, vocabulary, self._bench)

    def _wishes(self, replayed: Sequence[tuple[Witness, Run]]) -> list[Wish]:
        """What to ask the sources for: branches that no lint or proof has closed."""
        exhausted = {g.decision_id for g in self._target.goals if g.id in self._searched.exhausted}
        judged = [api for api in self._asked() if api.task in JUDGED_BY_RECALL]
        names = {api.name for api in judged}
        found = [
            *wishes(self._target, replayed, catalogue.load(), self._bench),
            *unconfirmed_wishes(self._target, self._searched, self._template, judged),
        ]
        return [
            wish
            for wish in found
            if wish.wanted.api in names and wish.branch.decision_id not in self._closed | exhausted
        ]

    def _judged(self, trials: Sequence[Trial]) -> Iterator[Finding]:
        ran = [(t, list(zip(t.probes, t.runs, strict=True))) for t in trials]
        for group in by_branch(trials).values():
            api = self._apis[group[0].wish.wanted.api]
            if not group[0].wish.confirmed:
                found = unreached(self._target, group[0])
                if found is not None:
                    yield found
                continue
            threshold = self._bench.plan.recall_threshold
            finding = low_recall(self._target, group, api, threshold)
            if finding is not None:
                wanted = {trial.wish.wanted for trial in group}
                others = [e for t, pairs in ran if t.wish.wanted not in wanted for e in pairs]
                yield repaired(finding, group, [*others, *self._empty], api, self._bench)

    def _sentiment(self) -> Iterator[Verdict]:
        apis = [api for api in self._asked() if api.task == "sentiment"]
        if not apis or not takes_text(self._template):
            return
        polls = (
            poll(apis[0].name, POSITIVE, self._template, self._bench),
            poll(apis[0].name, NEGATIVE, self._template, self._bench),
        )
        for each in polls:
            yield from self._ran(each.probes, each.runs)
        shortfall = next((p.shortfall for p in polls if p.shortfall and not p.runs), None)
        if shortfall:
            yield self._skipped(shortfall)
        yield from mixed(self._target, self._closed, polls, self._bench)

    def _possible(self) -> list[tuple[Probe, Run]]:
        """What was run, and the search's crashes again, but for answers that no API might give."""
        probes = [probe for probe, _ in self._searched.crashes]
        again = zip(probes, self._bench.run(probes), strict=True)
        return [
            (probe, run)
            for probe, run in [*self._executed, *again]
            if not made_up(probe) or all(fully_modelled(e.api) for e in run.exchanges)
        ]

    def _unreached_goals(self) -> Iterator[Skipped]:
        hit = {point for _, run in self._executed for point in run.hits}
        known = hit | set(self._searched.exhausted)
        missing = [
            g for g in self._target.goals if g.id not in known and g.decision_id not in self._closed
        ]
        if missing:
            places = sorted({_place(goal) for goal in missing})
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            yield self._skipped(f"no answer was found that reaches {', '.join(places[:3])}{more}")


def _place(goal: Goal) -> str:
    return f"{goal.path}:{goal.line} `{goal.text}` {goal.outcome}"
