"""Branch recall with its interval (Keeper, section 4.1.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api, Grade
from analyzers.cloud import messages
from analyzers.cloud.api_answers import (
    SAID_AS_A_WHOLE,
    TEXT_TASKS,
    answers_to,
    meaning_of,
    said,
    whole,
)
from analyzers.cloud.branch_cases import BranchCase, by_branch, run_case
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.examination import Examination
from analyzers.cloud.messages import describe, location, percent, things
from analyzers.cloud.objectives import STRING, Objective, is_code
from analyzers.cloud.recall_statistics import (
    FEWEST_INPUTS,
    BranchFamily,
    InterimAnalysis,
    ReachCount,
    p_below,
    recall_interval,
    rounds,
    schedule,
    weigh,
)
from analyzers.cloud.repairs.label_repairs import repaired
from analyzers.cloud.stages.unknown_labels import corrected, unknown_label
from analyzers.cloud.stand_in_labels import level_by, stands_in
from analyzers.criteria import decision_point, reached, same_decision
from analyzers.rules.cloud_rules import DEAD_BRANCH, LOW_RECALL
from analyzers.vocabulary import (
    BranchOutcome,
    Finding,
    Goal,
    InputKind,
    Level,
    Misses,
    Run,
    Skipped,
    Status,
    Target,
    Verdict,
)


def low_recall(
    target: Target,
    branch_cases: Sequence[BranchCase],
    api: Api,
    count: ReachCount,
    family: BranchFamily,
    stand_in: str = "",
) -> Finding | None:
    """Return the finding of a branch that its inputs do not reach often enough.

    ``family``: the branches of the target that are judged beside it; ``stand_in`` is the
    name of a classifier that answered in the provider's place.
    """
    if not count.judged or not count.misses(family.threshold):
        return None
    branch, runs = (
        branch_cases[0].objective.branch,
        [run for branch_case in branch_cases for run in branch_case.runs],
    )
    readings = [branch_case.objective.wanted.reading or "" for branch_case in branch_cases]
    kind = _kind(branch_cases)
    interval = recall_interval(count.reached, count.inputs)
    title, message = messages.low_recall(
        branch,
        api.name,
        count.reached,
        count.inputs,
        things(kind, readings),
        f"95 % interval {percent(*interval)}, threshold {percent(family.threshold)}",
    )
    altered = _altered(branch_cases)
    words = BranchMessage(
        title,
        message
        + (messages.by_stand_in(stand_in) or _doubt(count, interval[1], family))
        + messages.answered_instead(_answered_instead(branch_cases, api))
        + (f" For most inputs the API was asked about {altered}." if altered else ""),
        {
            "wanted": readings,
            "inputs": count.inputs,
            "reached": count.reached,
            "recall": round(count.reached / count.inputs, 4),
            "interval": [round(end, 4) for end in interval],
            "threshold": family.threshold,
            "p_value": _rounded(p_below(count.reached, count.inputs, family.threshold)),
            "judged_together": family.size,
            "looks": list(count.looks),
            "unread": sum(branch_case.unread for branch_case in branch_cases),
            "missed": [n for n, run in enumerate(runs) if not reached(branch, run)],
            **({"asked_about": altered} if altered else {}),
            **({"stand_in": stand_in} if stand_in else {}),
        },
    )
    proof = Proof(
        [probe for branch_case in branch_cases for probe in branch_case.probes],
        Misses(branch, family.threshold),
        f"{kind}:{describe(branch)}",
    )
    level = Level.FAILURE if count.fails(family.threshold) else Level.WARNING
    return branch_finding(target, branch, LOW_RECALL, level_by(stand_in, level), words, proof)


def _doubt(count: ReachCount, high: float, family: BranchFamily) -> str:
    """Return the reason why the finding is a warning, or nothing."""
    if count.fails(family.threshold):
        return ""
    if high >= family.threshold:
        return messages.uncertain_recall()
    value = _rounded(p_below(count.reached, count.inputs, family.threshold))
    return messages.repeated_tests(value, family.size)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def unreached(target: Target, branch_case: BranchCase, stand_in: str = "") -> Finding | None:
    """Return the finding of a branch whose constant no input brings.

    Only for unconfirmed objectives: no searched answer reached the branch and
    none of at least ``FEWEST_INPUTS`` fairly answered inputs that came to its condition did.
    """
    branch, reading = branch_case.objective.branch, branch_case.objective.wanted.reading or ""
    deciding = sum(_decides(branch, run) for run in branch_case.runs)
    if deciding < FEWEST_INPUTS or branch_case.successes:
        return None
    kind, count = _kind([branch_case]), deciding
    title, message = messages.unreached(branch, count, things(kind, [reading]))
    words = BranchMessage(
        title,
        message + messages.by_stand_in(stand_in),
        {
            "proof": "no-input-reached",
            "bound": f"{count} inputs",
            "wanted": [reading],
            **({"stand_in": stand_in} if stand_in else {}),
        },
    )
    proof = Proof(branch_case.probes, Misses(branch, 1 / (count + 1)), f"{kind}:{describe(branch)}")
    level = level_by(stand_in, Level.WARNING)
    return branch_finding(target, branch, DEAD_BRANCH, level, words, proof)


def _kind(branch_cases: Sequence[BranchCase]) -> InputKind:
    return branch_cases[0].inputs[0].kind


def _answered_instead(branch_cases: Sequence[BranchCase], api: Api) -> list[tuple[str, int]]:
    """Return what the API answered most often for the inputs that miss the branch."""
    counts: Counter[str] = Counter()
    for branch_case in branch_cases:
        meaning = meaning_of(api, branch_case.objective.wanted.task)
        for run in branch_case.runs:
            if not reached(branch_case.objective.branch, run):
                counts.update(list(dict.fromkeys(_said(run, api, meaning))))
    return counts.most_common(4)


def _altered(branch_cases: Sequence[BranchCase]) -> str | None:
    """Return what the API was asked about for most inputs, where it is not what was given."""
    counts = Counter(said for branch_case in branch_cases for said in branch_case.altered)
    most, times = counts.most_common(1)[0] if counts else (None, 0)
    if most is None or 2 * times <= counts.total():
        return None
    return f"{most}: the code changes it before it asks"


def _said(run: Run, api: Api, meaning: AnswerMeaning | None) -> list[str]:
    answers = answers_to(api.name, run.exchanges)
    if meaning is not None and meaning.task in SAID_AS_A_WHOLE:
        return [" ".join((whole(meaning, answer) or "nothing").split())[:40] for answer in answers]
    return [label for answer in answers for label in said(meaning, answer)]


def _stand_in(look: Examination, branch_case: BranchCase) -> str:
    return stands_in(look.bench, api_of(branch_case), branch_case.objective.wanted.task)


@dataclass
class Sample:
    """The cases of one branch, and their counts."""

    branch_cases: list[BranchCase]
    count: ReachCount = field(default_factory=ReachCount)

    def __post_init__(self) -> None:
        """Count the cases to begin with."""
        self.recount()

    @property
    def confirmed(self) -> bool:
        """Return whether some answer is known to lead to the branch."""
        return self.branch_cases[0].objective.confirmed

    def recount(self) -> None:
        """Count what all cases have shown by now."""
        self.count.reached = sum(branch_case.successes for branch_case in self.branch_cases)
        self.count.inputs = sum(len(branch_case.runs) for branch_case in self.branch_cases)


def api_of(branch_case: BranchCase) -> Api:
    """Return the API that a case's inputs are for."""
    return catalogue.load_catalogue()[branch_case.objective.wanted.api]


def sampled(
    look: Examination, samples: Sequence[Sample], looks: Sequence[InterimAnalysis], began: float
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
    for place, branch_case in enumerate(sample.branch_cases):
        if not branch_case.exhausted and branch_case.supplied < inputs:
            more = run_case(
                branch_case.objective,
                inputs,
                api_of(branch_case),
                look,
                branch_case.supplied,
            )
            sample.branch_cases[place] = branch_case.followed_by(more)
            yield from look.ran(more.probes, more.runs)
    sample.recount()


ERROR = 0.05
_UNREPAIRED = {"no_repair": "the change has fixed it"}


def fixed_recall(look: Examination, sample: Sample, family: BranchFamily) -> Finding | None:
    """Return the finding of a branch that the same inputs surely missed on base.

    The sample is one that head reaches often enough.
    """
    branch = sample.branch_cases[0].objective.branch
    before = _on_base(look, branch)
    probes = [probe for branch_case in sample.branch_cases for probe in branch_case.probes]
    runs = None if before is None else look.bench.run_on_base(probes)
    if before is None or runs is None or not all(_decides(before, run) for run in runs):
        return None
    count = ReachCount(sum(reached(before, run) for run in runs), len(runs), [len(runs)])
    weigh([count], family.threshold, ERROR)
    if not count.fails(family.threshold):
        return None
    branch_cases, ran = [], iter(runs)
    for branch_case in sample.branch_cases:
        there = tuple(next(ran) for _ in branch_case.runs)
        branch_cases.append(
            replace(
                branch_case, objective=replace(branch_case.objective, branch=before), runs=there
            )
        )
    stand_in = _stand_in(look, branch_cases[0])
    found = low_recall(look.target, branch_cases, api_of(branch_cases[0]), count, family, stand_in)
    return None if found is None else _fixed(found, branch, sample.count, family)


def _decides(before: Goal, run: Run) -> bool:
    """Return whether a run came to the decision: what leaves before it says nothing of it."""
    return any(decision_point(before, outcome) in run.hits for outcome in BranchOutcome)


def _on_base(look: Examination, branch: Goal) -> Goal | None:
    """Return the decision on base; ``None`` where it is not there, or nothing is different."""
    bench = look.bench
    there = bench.base(branch.path)
    same = all(bench.base(path) == (path, bench.source(path)) for path in look.target.files)
    if there is None or same:
        return None
    return same_decision(branch, there[0], bench.source(branch.path), there[1])


def _fixed(found: Finding, branch: Goal, count: ReachCount, family: BranchFamily) -> Finding:
    title, message = messages.fixed_recall(found.title, found.message, count.reached)
    return replace(
        found,
        status=Status.FIXED,
        path=branch.path,
        line=branch.line,
        end_line=branch.end_line,
        title=title,
        message=message,
        evidence={**found.evidence, "reached_on_head": count.reached, **_UNREPAIRED},
        criterion=Misses(branch, family.threshold),
    )


def recall(look: Examination) -> Iterator[Verdict]:
    """Test every objective; then judge the branches."""
    branch_cases: list[BranchCase] = []
    unknown: dict[str, Finding] = {}
    looks, began = schedule(look.bench.plan.inputs), look.bench.remaining()
    for objective in look.objectives:
        if look.bench.remaining() <= 0:
            yield look.skipped(messages.OUT_OF_TIME, objective.branch)
            break
        finding = _unknown(look, objective)
        if finding is not None:
            if unknown.setdefault(objective.branch.decision_id, finding) is finding:
                yield from _corrected(look, objective, finding)
        elif (reason := _unjudged(look, objective)) is None:
            inputs = looks[0].inputs if objective.confirmed else look.bench.plan.inputs
            api = catalogue.load_catalogue()[objective.wanted.api]
            branch_cases.append(run_case(objective, inputs, api, look))
            yield from _heard(look, branch_cases[-1])
        elif reason and (objective.wanted.reading or "") in objective.goal.text:
            unjudged = (objective.branch,) if objective.branch.outcome is BranchOutcome.TRUE else ()
            yield look.skipped(reason, *unjudged)
    samples = [Sample(group) for group in by_branch(branch_cases).values()]
    yield from sampled(look, [each for each in samples if each.confirmed], looks, began)
    for sample in samples:
        yield from _topped_up(look, sample, looks[0].inputs, began)
    yield from _judged(look, samples)


def _topped_up(look: Examination, sample: Sample, inputs: int, began: float) -> Iterator[Verdict]:
    """Enlarge the sample of a low branch to twice its ``inputs``, where labels may repair it.

    The repair is chosen on one half of them and checked on the other.
    """
    objective, left = sample.branch_cases[0].objective, look.bench.remaining()
    meaning = meaning_of(api_of(sample.branch_cases[0]), objective.wanted.task)
    labelled = meaning is not None and not (meaning.readings or meaning.task in SAID_AS_A_WHOLE)
    low = sample.count.judged and sample.count.misses(look.bench.plan.recall_threshold)
    if sample.confirmed and labelled and low and left > began - left:
        yield from _enlarged(look, sample, 2 * inputs)


def _heard(look: Examination, branch_case: BranchCase) -> Iterator[Verdict]:
    yield from look.ran(branch_case.probes, branch_case.runs)
    if branch_case.shortfall and not branch_case.runs:
        yield look.skipped(branch_case.shortfall, branch_case.objective.branch)


def _unjudged(look: Examination, objective: Objective) -> str | None:
    """Return why inputs say nothing of a branch; ``None`` where they do.

    Inputs for a part of a word (``'ensitive' in name``), or for a word that only the search has
    thought of (no reason: nobody asks for it), are inputs for nobody's reading.
    """
    word, goal = objective.wanted.reading or "", objective.goal
    if not _is_word(objective):
        return messages.only_a_fragment(goal, word)
    if objective.lacks is not None:
        return f"{location(goal)} needs {objective.lacks}"
    if not _is_in_the_code(look, objective):
        return ""
    api = catalogue.load_catalogue()[objective.wanted.api]
    written = (objective.wanted.task or api.task) in TEXT_TASKS
    return messages.unlikely_input(goal, word) if written and is_code(word) else None


def _is_word(objective: Objective) -> bool:
    """Return whether a reading is a word of the API's, as far as its words are known."""
    api, word = catalogue.load_catalogue()[objective.wanted.api], objective.wanted.reading or ""
    if not objective.confirmed or objective.wanted.task not in (None, api.task):
        return True
    if api.prefix == "/":
        return catalogue.is_content_category(word)
    if api.vocabulary is None:
        return True
    vocabulary = catalogue.vocabulary(api.vocabulary)
    inside = any(word.casefold() in label.casefold() for label in vocabulary.labels)
    return vocabulary.grade(word) is not Grade.UNKNOWN or not inside


def _is_in_the_code(look: Examination, objective: Objective) -> bool:
    """Return whether the project has a reading of an open vocabulary, or a part, in quotes."""
    api, word = catalogue.load_catalogue()[objective.wanted.api], objective.wanted.reading or ""
    if not objective.confirmed or (api.vocabulary is None and api.prefix != "/"):
        return True
    told = [text for _, text in STRING.findall(objective.goal.decision_text)]
    told += look.searched.constants.get(objective.goal.id, ())
    if any(text.casefold() in word.casefold() for text in told if len(text) > 1):
        return True
    name = re.escape(word.strip("/"))
    quoted = re.compile(rf"""['"][^'"\n]*(?<!\w){name}(?!\w)""", re.IGNORECASE)
    paths = dict.fromkeys((*look.target.files, *look.bench.paths()))
    return any(quoted.search(look.bench.source(path)) for path in paths)


def _unknown(look: Examination, objective: Objective) -> Finding | None:
    api = catalogue.load_catalogue()[objective.wanted.api]
    if not objective.confirmed or api.vocabulary is None:
        return None
    vocabulary = catalogue.vocabulary(api.vocabulary)
    return unknown_label(look.target, objective, api, vocabulary, look.bench)


def _corrected(look: Examination, objective: Objective, finding: Finding) -> Iterator[Verdict]:
    """Look for another label with inputs of the wanted one; then the finding."""
    api = catalogue.load_catalogue()[objective.wanted.api]
    branch_case = run_case(objective, look.bench.plan.inputs, api, look)
    yield from look.ran(branch_case.probes, branch_case.runs)
    assert api.vocabulary is not None
    yield corrected(finding, branch_case, api, catalogue.vocabulary(api.vocabulary), look.bench)


def _judged(look: Examination, samples: Sequence[Sample]) -> Iterator[Verdict]:
    size = sum(sample.confirmed and sample.count.judged for sample in samples)
    family = BranchFamily(size, look.bench.plan.recall_threshold)
    for sample in samples:
        found: Verdict | None
        if not sample.confirmed:
            case = sample.branch_cases[0]
            found = unreached(look.target, case, _stand_in(look, case))
        elif not sample.count.judged:
            found = _too_few(look, sample)
        else:
            found = _low(look, sample, samples, family)
        if found is not None:
            yield found


def _low(
    look: Examination, sample: Sample, samples: Sequence[Sample], family: BranchFamily
) -> Finding | None:
    api = api_of(sample.branch_cases[0])
    stand_in = _stand_in(look, sample.branch_cases[0])
    finding = low_recall(look.target, sample.branch_cases, api, sample.count, family, stand_in)
    if finding is None:
        return fixed_recall(look, sample, family)
    wanted = {branch_case.objective.wanted for branch_case in sample.branch_cases}
    others = [
        entry
        for other in samples
        for branch_case in other.branch_cases
        if branch_case.objective.wanted not in wanted
        for entry in zip(branch_case.probes, branch_case.runs, strict=True)
    ]
    return repaired(
        finding, sample.branch_cases, [*others, *look.empty, *look.unmeant], api, look.bench
    )


def _too_few(look: Examination, sample: Sample) -> Skipped | None:
    """Return the reason why a branch was not judged; nothing where its runs have said so."""
    unread = sum(branch_case.unread for branch_case in sample.branch_cases)
    if not sample.count.inputs and not unread:
        return None
    branch = sample.branch_cases[0].objective.branch
    reason = messages.too_few_inputs(branch, sample.count.inputs, unread, FEWEST_INPUTS)
    return look.skipped(reason, branch)
