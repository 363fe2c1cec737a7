"""The same inputs on base and on head: what has another outcome, and for whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzers.cloud.branches import NAME, THINGS, things
from analyzers.judging import crash_of, outcome_of, reached
from analyzers.vocabulary import (
    Finding,
    Goal,
    JsonObject,
    Level,
    Outcome,
    Probe,
    Returned,
    Run,
    Target,
    Turns,
)

MOST_GROUPS = 5
MOST_EXAMPLES = 3
LONGEST = 80
NOTHING = Returned("None")
_ONE = re.compile(r"^((?:odd )?\w+)s\b")
_WRITING = re.compile(r"[\s'\"]+")


@dataclass(frozen=True, slots=True)
class Branch:
    """A decision's true outcome on head, and the same decision's on base."""

    head: Goal
    base: Goal


@dataclass(frozen=True, slots=True)
class Pair:
    """One input's run on head and on base."""

    probe: Probe
    head: Run
    base: Run

    def outcomes(self, branches: Sequence[Branch]) -> tuple[str, str] | None:
        """What it came to on base and on head; ``None`` where one says nothing.

        A crash is none: it is told of by itself, and one that is gone is a repair.
        """
        before = outcome_of(self.base, [branch.base for branch in branches])
        after = outcome_of(self.head, [branch.head for branch in branches])
        crashed = crash_of(self.base.ending) or crash_of(self.head.ending)
        return None if crashed or before is None or after is None else (before, after)

    def differs(self, branches: Sequence[Branch]) -> bool:
        """Whether it came to something else on base."""
        outcomes = self.outcomes(branches)
        return outcomes is not None and outcomes[0] != outcomes[1]


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs of one kind that all came to one thing and now come to another."""

    things: str
    of: int
    before: str
    after: str
    pairs: tuple[Pair, ...]

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
        """Whether only the writing differs."""
        before, after = (_WRITING.sub("", text).casefold() for text in (self.before, self.after))
        return before == after

    def told(self) -> JsonObject:
        """The group as it stands in evidence."""
        return {
            "things": self.things,
            "of": self.of,
            "count": len(self.pairs),
            "before": self.before,
            "after": self.after,
            "says": self.sentence,
        }

    def examples(self) -> Iterator[JsonObject]:
        """A few of its inputs, as they stand in evidence."""
        for pair in self.pairs[:MOST_EXAMPLES]:
            yield {
                "description": pair.probe.inputs[0].description,
                "before": self.before,
                "after": self.after,
            }


def changed_behaviour(
    target: Target, pairs: Sequence[Pair], changed: Sequence[Pair], branches: Sequence[Branch]
) -> Finding:
    """The finding of a target that does something else with the same inputs.

    ``changed`` are those of the ``pairs`` that differ.
    """
    watched = branches if any(_returns_nothing(pair) for pair in changed) else ()
    every = _groups(pairs, changed, branches)
    groups = every[:MOST_GROUPS]
    shown = [pair for group in groups for pair in group.pairs[:MOST_EXAMPLES]]
    outcomes = [pair.outcomes(watched) or ("", "") for pair in shown]
    said = "; ".join(group.sentence for group in groups)
    rest = sum(len(group.pairs) for group in every[MOST_GROUPS:])
    return Finding(
        analyzer=NAME,
        rule="behaviour/changed",
        level=Level.NOTICE,
        path=target.path,
        line=target.line,
        end_line=target.line,
        symbol=target.id,
        target=target.id,
        title=f"{len(changed)} of {len(pairs)} inputs have another outcome than on base",
        message=f"With the same inputs and answers: {said}"
        + (f"; and {rest} more in other ways." if rest else "."),
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


def explained(pair: Pair, branches: Iterable[Branch]) -> bool:
    """Whether one of these decisions turned out otherwise, of which a finding tells already."""
    return any(
        reached(branch.head, pair.head) != reached(branch.base, pair.base) for branch in branches
    )


def deciding(target: Target) -> list[Goal]:
    """The decisions on answers in the target itself, as true."""
    own = [g for g in target.goals if (g.path, g.function) == (target.path, target.function)]
    return list({goal.decision_id: goal.whole(Outcome.TRUE) for goal in own}.values())


def _groups(
    pairs: Sequence[Pair], changed: Sequence[Pair], branches: Sequence[Branch]
) -> list[Group]:
    """The changed inputs by what they show and how their outcome changed, most first."""
    totals = Counter(_things(pair) for pair in pairs)
    found: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in changed:
        found.setdefault((_things(pair), *_words(pair, branches)), []).append(pair)
    groups = [Group(key[0], totals[key[0]], *key[1:], tuple(each)) for key, each in found.items()]
    return sorted(groups, key=lambda group: -len(group.pairs))


def _things(pair: Pair) -> str:
    item = pair.probe.inputs[0]
    return things(item.kind, [item.reading]) if item.reading else f"odd {THINGS[item.kind]}"


def _words(pair: Pair, branches: Sequence[Branch]) -> tuple[str, str]:
    """What it came to on base and on head, for people: values, exceptions, conditions."""
    if not _returns_nothing(pair):
        before, after = pair.outcomes(()) or ("", "")
        return before, after
    head = [b.head.decision_text for b in branches if reached(b.head, pair.head)]
    base = [b.head.decision_text for b in branches if reached(b.base, pair.base)]
    return _taken(base), _taken(head)


def _returns_nothing(pair: Pair) -> bool:
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
    """The verb of an outcome in words, empty for a value, and what follows."""
    verb, _, rest = outcome.partition(" ")
    if verb not in {"raises", "takes"}:
        return "", _short(outcome)
    return verb, rest if verb == "takes" else f"`{_short(rest)}`"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
