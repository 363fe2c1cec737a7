"""Inputs that have another outcome on head than on base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzers.cloud import messages
from analyzers.cloud.answer_crashes import ExecutedProbe, made_up
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.examination import Examination
from analyzers.cloud.messages import THINGS, things
from analyzers.criteria import (
    UNSTABLE,
    all_ran,
    crash_of,
    is_shown,
    outcome_of,
    reached,
    same_decision,
    translate,
)
from analyzers.rules.cloud_rules import CHANGED
from analyzers.vocabulary import (
    BranchOutcome,
    Constant,
    Finding,
    Goal,
    JsonObject,
    Level,
    Probe,
    Returned,
    Run,
    Status,
    Target,
    Turns,
    Verdict,
)

MOST_GROUPS = 5
MOST_EXAMPLES = 3
LONGEST = 80
NOTHING = Returned("None")
_ONE = re.compile(r"^((?:odd )?\w+)s\b")
_WRITING = re.compile(r"[\s'\"]+")


@dataclass(frozen=True, slots=True)
class ComparedBranch:
    """A decision's true outcome on head, and the same decision's on base."""

    head: Goal
    base: Goal


@dataclass(frozen=True, slots=True)
class RunPair:
    """One input's run on head and on base."""

    probe: Probe
    head: Run
    base: Run

    def outcomes(self, branches: Sequence[ComparedBranch]) -> tuple[str, str] | None:
        """Return what it came to on base and on head; ``None`` where one says nothing.

        A crash is none: it is told of by itself, and one that is gone is a repair.
        """
        before = outcome_of(self.base, [branch.base for branch in branches])
        after = outcome_of(self.head, [branch.head for branch in branches])
        crashed = crash_of(self.base.ending) or crash_of(self.head.ending)
        return None if crashed or before is None or after is None else (before, after)

    def differs(self, branches: Sequence[ComparedBranch]) -> bool:
        """Return whether it came to something else on base."""
        outcomes = self.outcomes(branches)
        return outcomes is not None and outcomes[0] != outcomes[1]


@dataclass(frozen=True, slots=True)
class BehaviourGroup:
    """Inputs of one kind that all came to one thing and now come to another."""

    things: str
    of: int
    before: str
    after: str
    pairs: tuple[RunPair, ...]

    @property
    def sentence(self) -> str:
        """“of 120 pictures of food, 31 that were 'organic' are now 'non-recyclable'”."""
        count = len(self.pairs)
        turn = f"{_was(self.before, count)} {_is(self.after, count)}"
        only = " (a difference in spacing, case or quotes only)" if self.written else ""
        named = _ONE.sub(r"\1", self.things) if self.of == 1 else self.things
        return f"of {self.of} {named}, {count} that {turn}{only}"

    @property
    def written(self) -> bool:
        """Return whether only the writing differs."""
        before, after = (_WRITING.sub("", text).casefold() for text in (self.before, self.after))
        return before == after

    def told(self) -> JsonObject:
        """Return the group as it stands in evidence."""
        return {
            "things": self.things,
            "of": self.of,
            "count": len(self.pairs),
            "before": self.before,
            "after": self.after,
            "says": self.sentence,
        }

    def examples(self) -> Iterator[JsonObject]:
        """Yield a few of its inputs, as they stand in evidence."""
        for pair in self.pairs[:MOST_EXAMPLES]:
            yield {
                "description": pair.probe.inputs[0].description,
                "before": self.before,
                "after": self.after,
            }


def changed_behaviour(
    target: Target,
    pairs: Sequence[RunPair],
    changed: Sequence[RunPair],
    branches: Sequence[ComparedBranch],
) -> Finding:
    """Return the finding of a target that does something else with the same inputs.

    ``changed`` are those of the ``pairs`` that differ.
    """
    watched = branches if any(_returns_nothing(pair) for pair in changed) else ()
    every = _groups(pairs, changed, branches)
    groups = every[:MOST_GROUPS]
    shown = [pair for group in groups for pair in group.pairs[:MOST_EXAMPLES]]
    outcomes = [pair.outcomes(watched) or ("", "") for pair in shown]
    rest = sum(len(group.pairs) for group in every[MOST_GROUPS:])
    title, message = messages.changed_behaviour(
        len(changed), len(pairs), [group.sentence for group in groups], rest
    )
    return Finding(
        analyzer=NAME,
        rule=CHANGED.id,
        level=Level.NOTICE,
        path=target.path,
        line=target.line,
        end_line=target.line,
        symbol=target.id,
        target=target.id,
        title=title,
        message=message,
        evidence={
            "inputs": len(pairs),
            "changed": len(changed),
            "groups": [group.told() for group in groups],
            "examples": [example for group in groups for example in group.examples()],
        },
        probes=tuple(pair.probe for pair in shown),
        criterion=Turns(
            tuple(before for before, _ in outcomes),
            tuple(after for _, after in outcomes),
            tuple(branch.head for branch in watched),
        ),
    )


def explained(pair: RunPair, branches: Iterable[ComparedBranch]) -> bool:
    """Return whether a decision that a finding covers had another outcome on base."""
    return any(
        reached(branch.head, pair.head) != reached(branch.base, pair.base) for branch in branches
    )


def deciding(target: Target) -> list[Goal]:
    """Return the decisions on answers in the target itself, as true."""
    own = [g for g in target.goals if (g.path, g.function) == (target.path, target.function)]
    return list({goal.decision_id: goal.whole(BranchOutcome.TRUE) for goal in own}.values())


def _groups(
    pairs: Sequence[RunPair], changed: Sequence[RunPair], branches: Sequence[ComparedBranch]
) -> list[BehaviourGroup]:
    """Return the changed inputs by what they show and how their outcome changed, most first."""
    totals = Counter(_things(pair) for pair in pairs)
    found: dict[tuple[str, str, str], list[RunPair]] = {}
    for pair in changed:
        found.setdefault((_things(pair), *_words(pair, branches)), []).append(pair)
    groups = [
        BehaviourGroup(key[0], totals[key[0]], *key[1:], tuple(each)) for key, each in found.items()
    ]
    return sorted(groups, key=lambda group: -len(group.pairs))


def _things(pair: RunPair) -> str:
    item = pair.probe.inputs[0]
    return things(item.kind, [item.reading]) if item.reading else f"odd {THINGS[item.kind]}"


def _words(pair: RunPair, branches: Sequence[ComparedBranch]) -> tuple[str, str]:
    """Return what it came to on base and on head, for people: values, exceptions, conditions."""
    if not _returns_nothing(pair):
        before, after = pair.outcomes(()) or ("", "")
        return before, after
    head = [b.head.decision_text for b in branches if reached(b.head, pair.head)]
    base = [b.head.decision_text for b in branches if reached(b.base, pair.base)]
    return _taken(base), _taken(head)


def _returns_nothing(pair: RunPair) -> bool:
    return pair.head.ending == pair.base.ending == NOTHING


def _taken(conditions: Sequence[str]) -> str:
    return f"takes {' and '.join(f'`{text}`' for text in conditions) or 'no branch'}"


def _was(outcome: str, count: int) -> str:
    verb, rest = _verb(outcome)
    past = {"raises": "raised", "takes": "took"}
    return f"{past.get(verb) or ('was' if count == 1 else 'were')} {rest}"


def _is(outcome: str, count: int) -> str:
    verb, rest = _verb(outcome)
    if not verb:
        return f"{'is' if count == 1 else 'are'} now {rest}"
    return f"now {verb if count == 1 else verb.removesuffix('s')} {rest}"


def _verb(outcome: str) -> tuple[str, str]:
    """Return the verb of an outcome in words, empty for a value, and what follows."""
    verb, _, rest = outcome.partition(" ")
    if verb not in {"raises", "takes"}:
        return "", _short(outcome)
    return verb, rest if verb == "takes" else f"`{_short(rest)}`"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def behaviour(look: Examination) -> Iterator[Verdict]:
    """Yield the finding of real inputs with another outcome that no other finding explains."""
    executed = _real(look.executed)
    before = look.bench.run_on_base([probe for probe, _ in executed]) if executed else None
    if before is None:
        return
    pairs = [RunPair(p, run, then) for (p, run), then in zip(executed, before, strict=True)]
    branches = _branches(look, deciding(look.target))
    compared = [pair for pair in pairs if pair.outcomes(branches) is not None]
    changed = [pair for pair in compared if pair.differs(branches)]
    new = list(_new(look)) if changed else []
    told = [branch for finding in new for branch in _branches(look, finding.criterion.goals)]
    added = [goal for finding in new for goal in _added(look, finding)]
    changed = [
        pair
        for pair in changed
        if not explained(pair, told) and not any(reached(goal, pair.head) for goal in added)
    ]
    if changed and not _steady(look, compared, changed, branches):
        yield look.skipped(UNSTABLE)
    elif changed:
        yield changed_behaviour(look.target, compared, changed, branches)


def _real(executed: Sequence[ExecutedProbe]) -> list[ExecutedProbe]:
    """Return the runs of inputs that were not made up, each input once."""
    real = [(probe, run) for probe, run in executed if not made_up(probe)]
    return list({tuple(probe.arguments.items()): (probe, run) for probe, run in real}.values())


def _branches(look: Examination, goals: Sequence[Goal]) -> list[ComparedBranch]:
    """Return the decisions that base has too."""
    found = [(goal, _on_base(look, goal)) for goal in goals]
    return [ComparedBranch(goal, there) for goal, there in found if there is not None]


def _on_base(look: Examination, goal: Goal) -> Goal | None:
    there = look.bench.base(goal.path)
    if there is None:
        return None
    return same_decision(goal, there[0], look.bench.source(goal.path), there[1])


def _new(look: Examination) -> Iterator[Finding]:
    """Yield each finding about decisions that only one side shows."""
    for finding in look.findings:
        fixed = finding.status is Status.FIXED
        if finding.criterion.goals and (fixed or not _shown_on_base(look, finding)):
            yield finding


def _added(look: Examination, finding: Finding) -> list[Goal]:
    """Return the constant outcomes of decisions that base does not have."""
    constant = finding.criterion.goals if isinstance(finding.criterion, Constant) else ()
    return [goal for goal in constant if _on_base(look, goal) is None]


def _shown_on_base(look: Examination, finding: Finding) -> bool:
    there = look.bench.base(finding.path)
    if there is None:
        return False
    criterion = translate(finding.criterion, there[0], look.bench.source(finding.path), there[1])
    runs = look.bench.run_on_base(finding.probes)
    return bool(criterion and runs and all_ran(runs) and is_shown(criterion, runs))


def _steady(
    look: Examination,
    compared: Sequence[RunPair],
    changed: Sequence[RunPair],
    branches: Sequence[ComparedBranch],
) -> bool:
    """Return whether head comes to the same again, and base for what changed."""
    heads = look.bench.run([pair.probe for pair in compared])
    again = [RunPair(p.probe, run, p.base) for p, run in zip(compared, heads, strict=True)]
    bases = look.bench.run_on_base([pair.probe for pair in changed]) or ()
    again += [RunPair(p.probe, p.head, run) for p, run in zip(changed, bases, strict=False)]
    first = [*compared, *changed[: len(bases)]]
    return bool(bases) and all(
        one.outcomes(branches) == two.outcomes(branches)
        for one, two in zip(first, again, strict=True)
    )
