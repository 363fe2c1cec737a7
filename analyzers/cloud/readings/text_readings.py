"""All that is read of a target, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzers.cloud import messages
from analyzers.cloud.conditions.condition_lint import lint_condition
from analyzers.cloud.conditions.decision_goals import decisions_of
from analyzers.cloud.readings.answer_fields import unknown_fields
from analyzers.cloud.readings.compared_words import compared_words
from analyzers.cloud.readings.first_elements import first_elements
from analyzers.cloud.readings.letters_in_lists import letters_in_lists
from analyzers.cloud.readings.parsed_texts import parsed_texts
from analyzers.cloud.readings.removed_sdk_names import removed_sdk_names
from analyzers.cloud.readings.retry_loops import retry_loops
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.readings.unhandled_errors import unhandled_errors
from analyzers.cloud.source_edits import parsed_source
from analyzers.rules.cloud_rules import DEAD_BRANCH
from analyzers.vocabulary import BranchOutcome, Finding


def constant_conditions(source: TargetText) -> Iterator[Finding]:
    """Yield the conditions that are constant by what stands in and before them."""
    for goal, decision in decisions_of(source.target, source.bench).values():
        lint = lint_condition(source.bench.source(goal.path), decision)
        if lint is None or lint.clause is not None:
            continue
        text = parsed_source(source.bench.source(goal.path))
        node = text.condition(decision)
        always = goal.whole(BranchOutcome.TRUE if lint.outcome else BranchOutcome.FALSE)
        if node is not None:
            yield source.finding(
                DEAD_BRANCH,
                goal.path,
                text,
                node,
                messages.constant_condition(always, lint.reason),
                {
                    "goal": messages.describe(always),
                    "proof": "constant-condition",
                    "bound": "any answer",
                },
                "constant",
            )


READINGS: tuple[Callable[[TargetText], Iterator[Finding]], ...] = (
    constant_conditions,
    compared_words,
    unknown_fields,
    first_elements,
    parsed_texts,
    retry_loops,
    removed_sdk_names,
    letters_in_lists,
    unhandled_errors,
)


def readings(source: TargetText) -> Iterator[Finding]:
    """Yield everything that the text shows, one defect a line."""
    seen: set[tuple[str, int]] = set()
    for read in READINGS:
        for finding in read(source):
            if (finding.path, finding.line) not in seen:
                seen.add((finding.path, finding.line))
                yield finding
