"""Labels of the API for one that it does not have, to be tried on inputs that it answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Api, Grade, Vocabulary
from analyzers.cloud.answers import answers_to, meaning_of, said
from analyzers.cloud.repairs.labelling.constants import Project
from analyzers.cloud.repairs.labelling.correction import Names, corrections
from analyzers.cloud.sequential import FEWEST_INPUTS
from analyzers.cloud.trials import Trial
from analyzers.ports import Bench
from analyzers.vocabulary import Candidate, Finding, Goal


@dataclass(frozen=True, slots=True)
class Spelling:
    """The vocabulary's words for those of a condition: the meant ones, and other cases."""

    vocabulary: Vocabulary
    meant: Mapping[str, str]

    def __call__(self, word: str) -> str | None:
        """Return the word for the place of another; ``None`` where it stays."""
        if self.vocabulary.grade(word) is Grade.CASE:
            return self.vocabulary.canonical(word)
        return self.meant.get(word)


def respelled(finding: Finding, goal: Goal, names: Names, bench: Bench) -> Finding:
    """Return the finding with other words as candidates."""
    project = Project(bench.source, bench.paths())
    return finding.proposing(*map(Candidate, corrections(goal, names, project)))


def tried_on(finding: Finding, trial: Trial, bench: Bench) -> Finding:
    """Return the finding with candidates that have to hold for the inputs of a trial."""
    if len(trial.probes) < FEWEST_INPUTS:
        return finding
    threshold = bench.plan.recall_threshold
    return finding.unmended.proposing(
        *(replace(c, meant=trial.probes, threshold=threshold) for c in finding.candidates)
    )


def answered_labels(
    trial: Trial, api: Api, closest: Sequence[str], threshold: float
) -> Iterator[str]:
    """Yield those of the closest labels that enough answers have, the most frequent first."""
    meaning = meaning_of(api, trial.wish.wanted.task)
    if len(trial.runs) < FEWEST_INPUTS:
        return
    counts: Counter[str] = Counter()
    for run in trial.runs:
        answers = answers_to(api.name, run.exchanges)
        counts.update({label for answer in answers for label in said(meaning, answer)})
    for label, count in counts.most_common():
        if label in closest and count >= threshold * len(trial.runs):
            yield label
