"""Inputs for every branch, and the share of them that reaches it (Keeper, 4.1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import catalogue
from analyzers.cloud.examination import Examination, place
from analyzers.cloud.judges.recall import low_recall, unreached
from analyzers.cloud.judges.unknown import corrected, unknown_label
from analyzers.cloud.repairs.labels import repaired
from analyzers.cloud.sequential import FEWEST_INPUTS, Family, schedule
from analyzers.cloud.stages.fixed import fixed_recall
from analyzers.cloud.stages.sampling import Sample, api_of, sampled
from analyzers.cloud.trials import Trial, by_branch, try_out
from analyzers.cloud.wishes import Wish
from analyzers.vocabulary import Finding, Skipped, Verdict


def recall(look: Examination) -> Iterator[Verdict]:
    """Try every wish out; then judge the branches."""
    trials: list[Trial] = []
    unknown: dict[str, Finding] = {}
    looks, began = schedule(look.bench.plan.inputs), look.bench.remaining()
    for wish in look.wishes:
        if look.bench.remaining() <= 0:
            yield look.skipped("the time budget was spent")
            break
        finding = _unknown(look, wish)
        if finding is not None:
            if unknown.setdefault(wish.branch.decision_id, finding) is finding:
                yield from _corrected(look, wish, finding)
        elif wish.lacks is None:
            inputs = looks[0].inputs if wish.confirmed else look.bench.plan.inputs
            api = catalogue.load()[wish.wanted.api]
            trials.append(try_out(wish, inputs, api, look.bench, look.inverter))
            yield from _heard(look, trials[-1])
        elif (wish.wanted.reading or "") in wish.goal.text:
            yield look.skipped(f"{place(wish.goal)} needs {wish.lacks}")
    samples = [Sample(group) for group in by_branch(trials).values()]
    yield from sampled(look, [each for each in samples if each.confirmed], looks, began)
    yield from _judged(look, samples)


def _heard(look: Examination, trial: Trial) -> Iterator[Verdict]:
    yield from look.ran(trial.probes, trial.runs)
    if trial.shortfall and not trial.runs:
        yield look.skipped(trial.shortfall)


def _unknown(look: Examination, wish: Wish) -> Finding | None:
    api = catalogue.load()[wish.wanted.api]
    if not wish.confirmed or api.vocabulary is None:
        return None
    vocabulary = catalogue.vocabulary(api.vocabulary)
    return unknown_label(look.target, wish, api, vocabulary, look.bench)


def _corrected(look: Examination, wish: Wish, finding: Finding) -> Iterator[Verdict]:
    """Look for another label with inputs of the wanted one; then the finding."""
    api = catalogue.load()[wish.wanted.api]
    trial = try_out(wish, look.bench.plan.inputs, api, look.bench, look.inverter)
    yield from look.ran(trial.probes, trial.runs)
    assert api.vocabulary is not None
    yield corrected(finding, trial, api, catalogue.vocabulary(api.vocabulary), look.bench)


def _judged(look: Examination, samples: Sequence[Sample]) -> Iterator[Verdict]:
    size = sum(sample.confirmed and sample.count.judged for sample in samples)
    family = Family(size, look.bench.plan.recall_threshold)
    for sample in samples:
        found: Verdict | None
        if not sample.confirmed:
            found = unreached(look.target, sample.trials[0])
        elif not sample.count.judged:
            found = _too_few(look, sample)
        else:
            found = _low(look, sample, samples, family)
        if found is not None:
            yield found


def _low(
    look: Examination, sample: Sample, samples: Sequence[Sample], family: Family
) -> Finding | None:
    api = api_of(sample.trials[0])
    finding = low_recall(look.target, sample.trials, api, sample.count, family)
    if finding is None:
        return fixed_recall(look, sample, family)
    wanted = {trial.wish.wanted for trial in sample.trials}
    others = [
        entry
        for other in samples
        for trial in other.trials
        if trial.wish.wanted not in wanted
        for entry in zip(trial.probes, trial.runs, strict=True)
    ]
    return repaired(finding, sample.trials, [*others, *look.empty, *look.unmeant], api, look.bench)


def _too_few(look: Examination, sample: Sample) -> Skipped | None:
    """Why a branch was not judged; nothing where its runs have said so themselves."""
    unread = sum(trial.unread for trial in sample.trials)
    if not sample.count.inputs and not unread:
        return None
    missing = f" ({unread} could not be read here)" if unread else ""
    read = "1 input was" if sample.count.inputs == 1 else f"{sample.count.inputs} inputs were"
    branch = sample.trials[0].wish.branch
    reason = f"was not judged: {read} read{missing}, {FEWEST_INPUTS} are needed"
    return look.skipped(f"{place(branch)} {reason}", branch)
