"""More inputs for the branches of which too little is known to judge them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.examination import Examination
from analyzers.cloud.sequential import Count, Look, rounds
from analyzers.cloud.trials import Trial, try_out
from analyzers.vocabulary import Verdict


@dataclass
class Sample:
    """The trials of one branch, and what was counted in them."""

    trials: list[Trial]
    count: Count = field(default_factory=Count)

    def __post_init__(self) -> None:
        """Count what the trials begin with."""
        self.recount()

    @property
    def confirmed(self) -> bool:
        """Whether some answer is known to lead to the branch."""
        return self.trials[0].wish.confirmed

    def recount(self) -> None:
        """Count what all trials have shown by now."""
        self.count.reached = sum(trial.successes for trial in self.trials)
        self.count.inputs = sum(len(trial.runs) for trial in self.trials)


def api_of(trial: Trial) -> Api:
    """The API that a trial's inputs are for."""
    return catalogue.load()[trial.wish.wanted.api]


def sampled(
    look: Examination, samples: Sequence[Sample], looks: Sequence[Look], began: float
) -> Iterator[Verdict]:
    """Look at the samples and enlarge those that ask for it, until nothing is open.

    ``began`` is the time that was left when the first input was tried: as
    twice as many inputs take as long again, no more are tried when less than
    what has been used is left.
    """
    counts = [sample.count for sample in samples]
    for place, inputs in rounds(counts, look.bench.plan.recall_threshold, looks):
        left = look.bench.remaining()
        if left > began - left:
            yield from _enlarged(look, samples[place], inputs)


def _enlarged(look: Examination, sample: Sample, inputs: int) -> Iterator[Verdict]:
    for place, trial in enumerate(sample.trials):
        if not trial.exhausted:
            more = try_out(
                trial.wish, inputs, api_of(trial), look.bench, look.inverter, trial.supplied
            )
            sample.trials[place] = trial.followed_by(more)
            yield from look.ran(more.probes, more.runs)
    sample.recount()
