"""Short words that are looked for letter by letter, so that other words contain them.

``"red" in said`` is also true where somebody says "credit". Told where a run shows it: the word
alone turns the comparison, a label of the vocabulary with the word inside another one turns it
too, and one without it does not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.cloud import messages
from analyzers.cloud.api_answers import TEXT_TASKS, meaning_of, saying
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.conditions.condition_comparisons import Comparison, comparisons
from analyzers.cloud.conditions.static_facts import constant, constants
from analyzers.cloud.misuses.misuse import MisuseContext
from analyzers.cloud.source_edits import assigned, scope_of
from analyzers.criteria import all_ran, outcome_point
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import BranchOutcome, Exchange, Finding, Level, Misses, Probe

KIND = "word-within-word"
WORDS = frozenset(
    ("ass", "bad", "bat", "bus", "car", "cat", "cow", "die", "dog", "gas", "gun", "hat", "hey",
     "hi", "hit", "hot", "no", "off", "on", "one", "out", "pig", "red", "sad", "sex", "six", "tea",
     "ten", "two", "up", "yes")
)  # fmt: skip
"""Words that are said alone; shorter ones are often parts of words on purpose."""
MOST_WORDS = 3
EVERYDAY = "rekognition"
_TASKS = TEXT_TASKS | {"labels", "objects"}


def words_within_words(case: MisuseContext) -> Iterator[Finding]:
    """Yield a finding for each comparison that a word turns and another word around it, too."""
    for comparison in comparisons(case.target, case.bench):
        for word in list(_words(comparison))[:MOST_WORDS]:
            shown = next(_shown(case, comparison, word), None)
            if shown is not None:
                yield shown
                break


def _words(comparison: Comparison) -> Iterator[str]:
    """Yield the short words that a comparison looks for in something."""
    if not isinstance(comparison.operator, ast.In):
        return
    sought = constant(comparison.left, comparison.names)
    several = {sought} if sought is not None else set[object]()
    if sought is None and isinstance(comparison.left, ast.Name):
        scope = scope_of(comparison.source, comparison.left)
        for values in assigned(scope, comparison.left.id):
            several |= constants(values, comparison.names) or set()
    yield from sorted(word for word in several if isinstance(word, str) and word in WORDS)


def _shown(case: MisuseContext, comparison: Comparison, word: str) -> Iterator[Finding]:
    point = outcome_point(comparison.goal, BranchOutcome.TRUE)
    for base in case.askers(comparison.goal):
        for api, meaning in _free(base):
            around = _around(word, api, meaning)
            if around is None:
                continue
            other = "table" if meaning.task in TEXT_TASKS else "Table"
            said = [_saying(base, api, meaning, text) for text in (word, around, other)]
            runs = case.bench.run(said)
            if all_ran(runs) and [point in run.hits for run in runs] == [True, True, False]:
                yield _finding(case, comparison, word, around, said[1], api)


def _free(base: Probe) -> Iterator[tuple[Api, AnswerMeaning]]:
    """Yield the APIs of a probe that answer words of any kind."""
    apis = catalogue.load_catalogue().apis
    for name in dict.fromkeys(each.api for each in base.script or ()):
        meaning = meaning_of(apis[name]) if name in apis else None
        if meaning is not None and meaning.task in _TASKS and not meaning.readings:
            yield apis[name], meaning


def _around(word: str, api: Api, meaning: AnswerMeaning) -> str | None:
    """Return the shortest label in which letters stand before and behind the word."""
    name = EVERYDAY if meaning.task in TEXT_TASKS else api.vocabulary
    if name is None:
        return None
    inside = re.compile(rf"[a-z]{word}[a-z]*[a-rt-z]", re.IGNORECASE)
    alone = re.compile(rf"\b{word}", re.IGNORECASE)
    labels = catalogue.vocabulary(name).labels
    fitting = (label for label in labels if inside.search(label) and not alone.search(label))
    label = min(fitting, key=lambda each: (len(each), each), default=None)
    return label.lower() if label is not None and meaning.task in TEXT_TASKS else label


def _saying(base: Probe, api: Api, meaning: AnswerMeaning, text: str) -> Probe:
    script = (
        Exchange(each.api, "", saying(meaning, each.answer, text)) if each.api == api.name else each
        for each in base.script or ()
    )
    return base.answered(tuple(script))


def _finding(
    case: MisuseContext, comparison: Comparison, word: str, around: str, shown: Probe, api: Api
) -> Finding:
    goal = comparison.goal
    words = BranchMessage(
        *messages.word_within_word(comparison.text, word, around, api.name),
        {
            "misuse": KIND,
            "api": api.name,
            "line": goal.line,
            "comparison": comparison.text,
            "outcome": "true",
        },
    )
    other = goal.whole(BranchOutcome.FALSE)
    proof = Proof([shown], Misses(other, 0.5), f"{KIND}:{comparison.text}")
    return branch_finding(case.target, goal, MISUSE, Level.WARNING, words, proof)
