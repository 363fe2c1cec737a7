"""Faces and safe search: likelihoods in six steps."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Iterator, Tuple

from ..harvest import Pool
from .base import Answer, Symbols

STEPS = ("VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY", "UNKNOWN")
ANGLES = (0.0, 12.0, -25.0, 40.0, -70.0, 90.0)
"""Degrees that stand for any: never for a proof."""
Row = Tuple[int, ...]
Rows = Tuple[Row, ...]


class LikelihoodModel:
    """Answers whose knobs are rows of steps, one row for each thing found.

    ``names`` are the likelihood fields of a row, ``angles`` those in degrees.
    With ``most`` 1 there is always exactly one row.
    """

    def __init__(
        self,
        what: str,
        around: str,
        names: Tuple[str, ...],
        respond: Callable[[Any], Answer],
        most: int = 4,
        angles: Tuple[str, ...] = (),
    ) -> None:
        self.fields = (around, *names)
        self.bound = what
        self._names = (*names, *angles)
        self._leaves = (*((STEPS,) * len(names)), *((ANGLES,) * len(angles)))
        self._respond = respond
        self._most = most

    def start(self) -> Rows:
        """Nothing found, or nothing likely."""
        return () if self._most > 1 else (self._row(),)

    def seeds(self, pool: Pool) -> Iterator[Rows]:
        """Nothing; each likelihood alone at every step; all together; several."""
        yield self.start()
        yield (self._row(),)
        for at in range(len(self._names)):
            for step in range(len(STEPS)):
                yield (self._row(at, step),)
        for step in range(len(STEPS)):
            yield ((step,) * len(self._names),)
        for count in range(2, self._most + 1):
            yield (self._row(),) * count
        del pool

    def mutate(self, knobs: Rows, rng: random.Random, pool: Pool) -> Rows:
        """Another step somewhere, a row more or a row less."""
        del pool
        rows = list(knobs)
        if self._most > 1 and (not rows or (rng.random() < 0.2 and len(rows) < self._most)):
            rows.append(self._row(rng.randrange(len(self._names)), rng.randrange(len(STEPS))))
        elif self._most > 1 and rng.random() < 0.1:
            del rows[rng.randrange(len(rows))]
        else:
            at, field = rng.randrange(len(rows)), rng.randrange(len(self._names))
            changed = list(rows[at])
            changed[field] = rng.randrange(len(STEPS))
            rows[at] = tuple(changed)
        return tuple(rows)

    def answer(self, knobs: Rows) -> Answer:
        """The response with the rows."""
        rows = [self._written(row) for row in knobs]
        return self._respond(rows)

    def simpler(self, knobs: Rows, pool: Pool) -> Iterator[Rows]:
        """Fewer rows."""
        del pool
        if self._most > 1:
            yield from ((row,) for row in knobs)

    def likelier(self, knobs: Rows) -> Iterator[Rows]:
        """The same rows with what does not matter very unlikely."""
        for at, row in enumerate(knobs):
            for field, step in enumerate(row):
                if step:
                    calmer = (*row[:field], 0, *row[field + 1 :])
                    yield (*knobs[:at], calmer, *knobs[at + 1 :])

    def symbolic(self, symbols: Symbols, most: int) -> Rows:
        """Any steps in any number of rows."""
        count = symbols.count("rows", min(most, self._most)) if self._most > 1 else 1
        last = len(STEPS) - 1
        return tuple(
            tuple(symbols.count(f"{name}{row}", last) for name in self._names)
            for row in range(count)
        )

    def _written(self, row: Row) -> Dict[str, Any]:
        return {name: leaves[step] for name, leaves, step in zip(self._names, self._leaves, row)}

    def _row(self, at: int = 0, step: int = 0) -> Row:
        return tuple(step if field == at else 0 for field in range(len(self._names)))


def _faces(rows: Any) -> Answer:
    box = {"vertices": [{"x": x, "y": y} for x, y in ((10, 10), (60, 10), (60, 70), (10, 70))]}
    certain: Dict[str, Any] = {"detection_confidence": 0.9, "bounding_poly": box}
    return {"face_annotations": [{**certain, **row} for row in rows]}


FACES = LikelihoodModel(
    "at most {most} faces with any likelihoods",
    "face_annotations",
    ("joy_likelihood", "sorrow_likelihood", "anger_likelihood", "surprise_likelihood",
     "headwear_likelihood", "blurred_likelihood", "under_exposed_likelihood"),
    _faces,
    angles=("roll_angle", "pan_angle", "tilt_angle"),
)  # fmt: skip
SAFE_SEARCH = LikelihoodModel(
    "any likelihoods",
    "safe_search_annotation",
    ("adult", "spoof", "medical", "violence", "racy"),
    lambda rows: {"safe_search_annotation": rows[0]},
    most=1,
)
