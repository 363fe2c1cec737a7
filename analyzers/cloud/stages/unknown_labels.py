"""Labels that the API does not have (Keeper, section 4.1.2)."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

from analyzers.catalogue import Api, Grade, Vocabulary
from analyzers.cloud import messages
from analyzers.cloud.api_answers import renamed
from analyzers.cloud.branch_cases import BranchCase
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.objectives import Objective
from analyzers.cloud.repairs.labels.label_corrections import (
    LabelSpelling,
    answered_labels,
    respelled,
    tried_on,
)
from analyzers.cloud.repairs.related_words import related
from analyzers.criteria import all_ran, reached
from analyzers.ports import Executor
from analyzers.rules.cloud_rules import UNKNOWN_LABEL
from analyzers.vocabulary import (
    Candidate,
    Finding,
    Level,
    Misses,
    Probe,
    Target,
)

MOST_SPELLINGS = 8
MOST_SYNONYMS = 3
ALIKE = 0.8
"""How alike two labels are (``difflib``) of which one is a slip for the other."""


def unknown_label(
    target: Target,
    objective: Objective,
    api: Api,
    vocabulary: Vocabulary,
    bench: Executor,
) -> Finding | None:
    """Return the finding of a label that no answer brings, in any spelling.

    The vocabulary's own labels that mean the same, are spelled alike or contain
    the label are put into the answer: where one of them satisfies the
    condition, the label is not unknown to the code.
    """
    label = objective.wanted.reading or ""
    grade = _grade(vocabulary, label)
    if grade in {Grade.EXACT, Grade.ALIAS}:
        return None
    closest = _closest(vocabulary, label)
    nearest = next(iter(closest), None)
    spellings = dict.fromkeys([*_containing(vocabulary, label), *closest])
    probes = [_saying(objective, api, spelling) for spelling in spellings]
    runs = bench.run(probes)
    if not all_ran(runs) or any(reached(objective.branch, run) for run in runs):
        return None
    branch = objective.branch
    words = BranchMessage(
        *messages.unknown_label(
            branch, api.name, label, len(vocabulary.labels), nearest, len(probes)
        ),
        {
            "label": label,
            "vocabulary": api.vocabulary,
            "closest": nearest,
            "grade": grade.value,
        },
    )
    proof = Proof(probes, Misses(branch, 1 / (len(probes) + 1)), f"label:{label}")
    return branch_finding(target, branch, UNKNOWN_LABEL, Level.WARNING, words, proof)


def corrected(
    finding: Finding, branch_case: BranchCase, api: Api, vocabulary: Vocabulary, bench: Executor
) -> Finding:
    """Return the finding with labels to try in the place of the one that the API does not have.

    Those that the API answered for inputs of the wanted label come first; then
    the nearest one, where the label can only be a slip for it.
    """
    label = branch_case.objective.wanted.reading or ""
    closest = _closest(vocabulary, label)
    threshold = bench.plan.recall_threshold
    labels = list(answered_labels(branch_case, api, closest, threshold))
    if closest and _hardly_another(_grade(vocabulary, label), label, closest[0]):
        labels.append(closest[0])
    candidates: list[Candidate] = []
    for name in dict.fromkeys(labels):
        names = LabelSpelling(vocabulary, {label: name})
        candidates += respelled(finding, branch_case.objective.branch, names, bench).candidates
    return tried_on(finding.with_candidates(*candidates), branch_case, bench)


def _grade(vocabulary: Vocabulary, label: str) -> Grade:
    """Return how a label stands to a vocabulary, words of the same meaning among it."""
    grade = vocabulary.grade(label)
    if grade is Grade.UNKNOWN and related.synonyms(label, vocabulary.labels):
        return Grade.SYNONYM
    return grade


def _hardly_another(grade: Grade, label: str, nearest: str) -> bool:
    """Return whether a label can only be a slip for the nearest one."""
    if grade in {Grade.CASE, Grade.SYNONYM}:
        return True
    return SequenceMatcher(a=label.casefold(), b=nearest.casefold()).ratio() >= ALIKE


def _closest(vocabulary: Vocabulary, label: str) -> list[str]:
    """Return the label in another case, labels of a near meaning, labels spelled alike."""
    near = related.nearest(label, vocabulary.labels)[:MOST_SYNONYMS]
    return [*filter(None, [vocabulary.canonical(label)]), *near, *vocabulary.closest(label)]


def _containing(vocabulary: Vocabulary, label: str) -> list[str]:
    """Return the shortest labels that contain ``label``, for conditions on substrings."""
    folded = label.casefold()
    found = [name for name in vocabulary.labels if folded in name.casefold()]
    return sorted(found, key=lambda name: (len(name), name))[:MOST_SPELLINGS]


def _saying(objective: Objective, api: Api, label: str) -> Probe:
    """Return the objective's witness with another label in its answer."""
    script = tuple(
        exchange.answering(renamed(exchange.answer, objective.wanted.reading or "", label))
        if exchange.api == api.name
        else exchange
        for exchange in objective.template.script or ()
    )
    return replace(objective.template, script=script)
