"""Lists of named things with a score: labels, objects, entities and the like."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Iterator, Sequence, Tuple

from ..harvest import ORDINARY, Pool
from .base import Answer, Symbols, any_number, mutated_text, texts_like

Entry = Tuple[str, float]
Entries = Tuple[Entry, ...]
LIKELY = 0.9
MOST = 12


def among(entries: Entries, labels: Sequence[str], *, shared: bool) -> Entries:
    """The entries of an answer that rates each of these labels and no others.

    Where ``shared``, the scores add up to 1: what the entries leave goes to the other labels.
    """
    kept: Dict[str, float] = {}
    for name, score in entries:
        if name in labels:
            kept.setdefault(name, score)
    others = [label for label in labels if label not in kept]
    left = max(1.0 - sum(kept.values()), 0.0) if shared else 0.0
    rated = {**kept, **{label: left / len(others) for label in others}}
    total = sum(rated.values()) if shared else 1.0
    shares = [(label, score / total if total else 1 / len(rated)) for label, score in rated.items()]
    return tuple(sorted(shares, key=lambda entry: -entry[1]))


class EntriesModel:
    """Answers that list ``(name, score)``, the best score first.

    ``write`` makes one entry of the response and ``around`` the response
    around the list of them.  No answer lists fewer entries than ``nothing``, what
    is listed where there is nothing to find.
    """

    def __init__(
        self,
        what: str,
        fields: Tuple[str, ...],
        write: Callable[[int, str, float], Dict[str, Any]],
        around: Callable[[Any], Answer],
        scores: Tuple[float, float] = (0.5, 1.0),
        nothing: Entries = (),
    ) -> None:
        self.fields = fields
        fewest = f"{len(nothing)} to" if nothing else "at most"
        self.bound = f"{fewest} {{most}} {what} with any names and scores"
        self._nothing = nothing
        self._write = write
        self._around = around
        self._low, self._high = scores

    def start(self) -> Entries:
        """Nothing is listed."""
        return ()

    def seeds(self, pool: Pool) -> Iterator[Entries]:
        """Nothing; a few; every constant alone; by score; together; in numbers."""
        yield ()
        likely = self._score(LIKELY)
        raw = pool.close[:20]
        for count in (1, 2, 3, 5):
            names = [*ORDINARY, *raw][:count]
            yield tuple((name, likely) for name in names)
        for text in pool.near:
            yield ((text, likely),)
        scores = sorted(set(self._scores(pool)), reverse=True)
        for text in pool.close[:30]:
            for score in scores:
                yield ((text, score),)
        for first in raw:
            for second in raw:
                yield ((first, likely), (second, likely))
        for count in [*pool.counts, 10]:
            names = [*pool.close, *(f"{ORDINARY[0]} {n}" for n in range(count))][:count]
            yield tuple((name, likely) for name in names)
            for name in raw[:10] or ORDINARY[:1]:
                yield ((name, likely),) * count

    def mutate(self, knobs: Entries, rng: random.Random, pool: Pool) -> Entries:
        """Add, drop, rename or rescore an entry."""
        entries = list(knobs)
        choice = rng.randrange(6)
        if not entries or (choice <= 1 and len(entries) < MOST):
            entries.append((pool.pick(rng), self._any_score(rng, pool)))
        elif choice == 2:
            del entries[rng.randrange(len(entries))]
        else:
            at = rng.randrange(len(entries))
            name, score = entries[at]
            if choice == 3:
                name = pool.pick(rng)
            elif choice == 4:
                name = mutated_text(name, rng, pool)
            else:
                score = self._any_score(rng, pool)
            entries[at] = (name, score)
        return tuple(sorted(entries, key=lambda entry: -entry[1]))

    def answer(self, knobs: Entries) -> Answer:
        """The response that lists the entries."""
        listed = (*knobs, *self._nothing[len(knobs) :])
        return self._around([self._write(n, *entry) for n, entry in enumerate(listed)])

    def simpler(self, knobs: Entries, pool: Pool) -> Iterator[Entries]:
        """Fewer entries, then simpler names, then a likely score."""
        if len(knobs) > 1:
            yield from ((entry,) for entry in knobs)
            for at in range(len(knobs)):
                yield knobs[:at] + knobs[at + 1 :]
        for at, (name, score) in enumerate(knobs):
            for simpler in texts_like(name, pool):
                if simpler.strip():
                    yield (*knobs[:at], (simpler, score), *knobs[at + 1 :])

    def likelier(self, knobs: Entries) -> Iterator[Entries]:
        """The same names with ordinary scores."""
        yield tuple((name, self._score(LIKELY)) for name, _ in knobs)
        yield tuple((name, max(score, self._score(0.5))) for name, score in knobs)

    def symbolic(self, symbols: Symbols, most: int) -> Entries:
        """Any entries with any scores; they may stand in any order."""
        return tuple(
            (symbols.text(f"name{n}"), symbols.number(f"score{n}", 0.0, self._high))
            for n in range(symbols.count("entries", most))
        )

    def _score(self, share: float) -> float:
        return round(share * self._high, 4)

    def _scores(self, pool: Pool) -> Iterator[float]:
        for number in pool.numbers:
            if 0 < number <= self._high:
                yield number
            elif self._high == 1 and 1 < number <= 100:
                yield round(number / 100, 4)

    def _any_score(self, rng: random.Random, pool: Pool) -> float:
        low = self._low * self._high if rng.random() < 0.9 else 0.0
        return any_number(rng, pool, low, self._high)
