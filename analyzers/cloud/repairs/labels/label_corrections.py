"""Corrections of the word that a condition expects."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Api, Grade, Vocabulary
from analyzers.cloud.api_answers import answers_to, meaning_of, said
from analyzers.cloud.branch_cases import BranchCase
from analyzers.cloud.conditions.decision_goals import decision_of
from analyzers.cloud.recall_statistics import FEWEST_INPUTS
from analyzers.cloud.repairs.labels.label_additions import ProjectFiles, constant_of
from analyzers.cloud.source_edits import CASES, SourceText, Splice, quoted
from analyzers.ports import Executor
from analyzers.vocabulary import Candidate, Finding, Goal, Suggestion

Names = Callable[[str], str | None]


def corrections(goal: Goal, names: Names, project: ProjectFiles) -> Iterator[Suggestion]:
    """Yield other words for those that a condition waits for, in the quotes that stood there.

    They stand in the condition, in what a loop around it goes through, or in
    a constant, perhaps of another file.  ``names`` tells the word for the
    place of another.  It is spelled in the case to which the condition brings
    its operands, then as it is, then in lower case.
    """
    text = project.read(goal.path)
    decision = decision_of(goal, text)
    source = SourceText(text)
    condition = source.asked(decision)
    if condition is None:
        return
    path, source, found = _words(goal.path, source, condition, names, project)
    written: set[str] = set()
    for convert in (_case_of(condition), str, str.lower):
        edit = source.edited(
            [
                Splice(*source.span(node), quoted(convert(name), source.segment(node)))
                for node in found
                if (name := names(str(node.value))) is not None
            ]
        )
        if edit is not None and edit.replacement not in written:
            written.add(edit.replacement)
            yield Suggestion(path, edit.start_line, edit.end_line, edit.replacement)


def _words(
    path: str, text: SourceText, condition: ast.AST, names: Names, project: ProjectFiles
) -> tuple[str, SourceText, list[ast.Constant]]:
    """Return the literals to replace, with the file in which they stand."""

    def named(tree: ast.AST) -> list[ast.Constant]:
        return [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and names(node.value) is not None
        ]

    inside = named(condition) or _looped(text, condition, named)
    if inside:
        return path, text, inside
    found = constant_of(project, path, text, condition, named)
    return (path, text, []) if found is None else (found.path, found.text, named(found.held.value))


def _looped(
    text: SourceText, condition: ast.AST, named: Callable[[ast.AST], list[ast.Constant]]
) -> list[ast.Constant]:
    """Return the literals in what the loops around a condition go through."""
    names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    mine = [loop for loop in loops if isinstance(loop.target, ast.Name) and loop.target.id in names]
    return [literal for loop in mine for literal in named(loop.iter)]


def _case_of(condition: ast.AST) -> Callable[[str], str]:
    called = (
        node.func.attr
        for node in ast.walk(condition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    return next((CASES[method] for method in called if method in CASES), str)


@dataclass(frozen=True, slots=True)
class LabelSpelling:
    """The vocabulary's words for those of a condition: the meant ones, and other cases."""

    vocabulary: Vocabulary
    meant: Mapping[str, str]

    def __call__(self, word: str) -> str | None:
        """Return the word for the place of another; ``None`` where it stays."""
        if self.vocabulary.grade(word) is Grade.CASE:
            return self.vocabulary.canonical(word)
        return self.meant.get(word)


def respelled(finding: Finding, goal: Goal, names: Names, bench: Executor) -> Finding:
    """Return the finding with other words as candidates."""
    project = ProjectFiles(bench.source, bench.paths())
    return finding.with_candidates(*map(Candidate, corrections(goal, names, project)))


def tried_on(finding: Finding, branch_case: BranchCase, bench: Executor) -> Finding:
    """Return the finding with candidates that have to hold for the inputs of a case."""
    if len(branch_case.probes) < FEWEST_INPUTS:
        return finding
    threshold = bench.plan.recall_threshold
    return finding.without_candidates.with_candidates(
        *(replace(c, meant=branch_case.probes, threshold=threshold) for c in finding.candidates)
    )


def answered_labels(
    branch_case: BranchCase, api: Api, closest: Sequence[str], threshold: float
) -> Iterator[str]:
    """Yield those of the closest labels that enough answers have, the most frequent first."""
    meaning = meaning_of(api, branch_case.objective.wanted.task)
    if len(branch_case.runs) < FEWEST_INPUTS:
        return
    counts: Counter[str] = Counter()
    for run in branch_case.runs:
        answers = answers_to(api.name, run.exchanges)
        counts.update({label for answer in answers for label in said(meaning, answer)})
    for label, count in counts.most_common():
        if label in closest and count >= threshold * len(branch_case.runs):
            yield label
