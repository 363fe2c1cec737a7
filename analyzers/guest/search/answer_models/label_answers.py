"""Lists of named things with a score: labels, objects, entities and the like."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Iterator, Sequence, Tuple

from ..code_constants import ORDINARY, ConstantPool
from .answer_model import Answer, Symbols, any_number, mutated_text, texts_like

Entry = Tuple[str, float]
Entries = Tuple[Entry, ...]
LIKELY = 0.9
MOST = 12


def among(entries: Entries, labels: Sequence[str], *, shared: bool) -> Entries:
    """Rate these labels and no others; ``shared`` scores add up to 1."""
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
    """Answers that list ``(name, score)``, the best first; ``nothing`` is the shortest list.

    ``write`` makes one entry of the response and ``around`` the response around the list.
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

    def seeds(self, pool: ConstantPool) -> Iterator[Entries]:
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

    def mutate(self, knobs: Entries, rng: random.Random, pool: ConstantPool) -> Entries:
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

    def simpler(self, knobs: Entries, pool: ConstantPool) -> Iterator[Entries]:
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

    def _scores(self, pool: ConstantPool) -> Iterator[float]:
        for number in pool.numbers:
            if 0 < number <= self._high:
                yield number
            elif self._high == 1 and 1 < number <= 100:
                yield round(number / 100, 4)

    def _any_score(self, rng: random.Random, pool: ConstantPool) -> float:
        low = self._low * self._high if rng.random() < 0.9 else 0.0
        return any_number(rng, pool, low, self._high)


LABELS = EntriesModel(
    "labels",
    ("label_annotations", "description", "score"),
    lambda n, name, score: {
        "mid": f"/m/0assay{n}",
        "description": name,
        "score": score,
        "topicality": score,
    },
    lambda entries: {"label_annotations": entries},
)


def _rekognition(number: int, name: str, score: float) -> Dict[str, Any]:
    del number
    nothing: Dict[str, Any] = {"Instances": [], "Parents": [], "Aliases": [], "Categories": []}
    return {"Name": name, "Confidence": score, **nothing}


REKOGNITION_LABELS = EntriesModel(
    "labels",
    ("Labels", "Name", "Confidence"),
    _rekognition,
    lambda entries: {"Labels": entries, "LabelModelVersion": "3.0"},
    (0.5, 100.0),
)

KINDS = (
    "PERSON", "LOCATION", "ORGANIZATION", "EVENT", "WORK_OF_ART", "CONSUMER_GOOD", "OTHER",
    "PHONE_NUMBER", "ADDRESS", "DATE", "NUMBER", "PRICE",
)  # fmt: skip
EXAMPLES = {
    "PERSON": "Ada Lovelace", "LOCATION": "London", "ORGANIZATION": "Acme Ltd",
    "EVENT": "World Cup", "WORK_OF_ART": "Mona Lisa", "CONSUMER_GOOD": "espresso machine",
    "PHONE_NUMBER": "+1 202 555 0143", "ADDRESS": "12 Green Street", "DATE": "2 March 2026",
    "NUMBER": "12", "PRICE": "$41.20", "QUANTITY": "3 kg", "TITLE": "The Hobbit",
    "COMMERCIAL_ITEM": "Thinkpad", "DATETIME": "2 March 2026", "URL": "https://example.com",
    "EMAIL": "ada@example.com", "PRODUCT": "Thinkpad", "SKILL": "first aid", "ORG": "Acme Ltd",
    "PER": "Ada Lovelace", "LOC": "London",
}  # fmt: skip
"""What a text calls an entity, by the type that services give it."""
_KIND_OF = {EXAMPLES[kind].upper(): kind for kind in KINDS if kind in EXAMPLES}
_BOXES = (
    (0.1, 0.1, 0.6, 0.6), (0.7, 0.2, 0.95, 0.5), (0.02, 0.65, 0.3, 0.98),
    (0.45, 0.45, 0.55, 0.55), (0.0, 0.0, 1.0, 1.0),
)  # fmt: skip
"""Left, top, right and bottom of the objects listed, by place in the list."""


def _located(n: int, name: str, score: float) -> Dict[str, Any]:
    left, top, right, bottom = _BOXES[n % len(_BOXES)]
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return {
        "mid": f"/m/0assay{n}",
        "name": name,
        "score": score,
        "bounding_poly": {"normalized_vertices": [{"x": x, "y": y} for x, y in corners]},
    }


def _named(n: int, name: str, score: float) -> Dict[str, Any]:
    del n
    kind = name.upper()
    kind = _KIND_OF.get(kind, kind)
    return {"name": name, "type_": kind if kind in KINDS else "OTHER", "salience": score}


def _felt(n: int, name: str, score: float) -> Dict[str, Any]:
    feeling = {"score": score, "magnitude": abs(score)}
    return {**_named(n, name, 0.5), "sentiment": feeling}


def _described(n: int, name: str, score: float) -> Dict[str, Any]:
    return {"mid": f"/m/0assay{n}", "description": name, "score": score}


class _NamedModel(EntriesModel):
    """Entities, of each kind one to begin with: code may know kinds by their numbers."""

    def seeds(self, pool: ConstantPool) -> Iterator[Entries]:
        yield from super().seeds(pool)
        for kind in KINDS:
            yield ((EXAMPLES.get(kind, kind), LIKELY),)

    def likelier(self, knobs: Entries) -> Iterator[Entries]:
        named = tuple((EXAMPLES.get(name.upper(), name), score) for name, score in knobs)
        yield from super().likelier(named)
        yield from super().likelier(knobs)


ENTITIES = _NamedModel(
    "entities",
    ("entities", "name", "type_", "salience"),
    _named,
    lambda entries: {"entities": entries, "language": "en"},
    (0.0, 1.0),
)
ENTITY_SENTIMENTS = EntriesModel(
    "entities",
    ("entities", "name", "type_", "sentiment", "score", "magnitude"),
    _felt,
    lambda entries: {"entities": entries, "language": "en"},
    (-1.0, 1.0),
)
OBJECTS = EntriesModel(
    "objects",
    ("localized_object_annotations", "name", "score"),
    _located,
    lambda entries: {"localized_object_annotations": entries},
)
LOGOS = EntriesModel(
    "logos",
    ("logo_annotations", "description", "score"),
    _described,
    lambda entries: {"logo_annotations": entries},
)
LANDMARKS = EntriesModel(
    "landmarks",
    ("landmark_annotations", "description", "score"),
    _described,
    lambda entries: {"landmark_annotations": entries},
)

Flags = Tuple[bool, Tuple[Tuple[bool, float], ...]]
CATEGORIES = (
    "harassment", "harassment_threatening", "hate", "hate_threatening", "illicit",
    "illicit_violent", "self_harm", "self_harm_instructions", "self_harm_intent", "sexual",
    "sexual_minors", "violence", "violence_graphic",
)  # fmt: skip
_LITTLE, _MUCH = 0.01, 0.95


class ModerationModel:
    """Answers whose knobs say of the whole and of each category if it is flagged, and its score."""

    fields = ("results", "flagged", "categories", "category_scores", *CATEGORIES)
    bound = "any categories with any scores"

    def start(self) -> Flags:
        """Nothing is flagged."""
        return _flags((), _MUCH)

    def seeds(self, pool: ConstantPool) -> Iterator[Flags]:
        """Nothing; each category; all; a score about each threshold."""
        numbers = range(len(CATEGORIES))
        yield self.start()
        for number in numbers:
            yield _flags((number,), _MUCH)
        yield _flags(tuple(numbers), _MUCH)
        for threshold in pool.numbers:
            if 0 <= threshold <= 1:
                for number in numbers:
                    yield _flags((number,), threshold)

    def mutate(self, knobs: Flags, rng: random.Random, pool: ConstantPool) -> Flags:
        """One category or a few, with another score."""
        del knobs
        chosen = rng.sample(range(len(CATEGORIES)), rng.randrange(4))
        return _flags(tuple(chosen), any_number(rng, pool, 0.0, 1.0))

    def answer(self, knobs: Flags) -> Answer:
        """One result with all categories."""
        flagged, categories = knobs
        named = list(zip(CATEGORIES, categories))
        result = {
            "flagged": flagged,
            "categories": {name: found for name, (found, _) in named},
            "category_scores": {name: score for name, (_, score) in named},
        }
        return {"results": [result]}

    def simpler(self, knobs: Flags, pool: ConstantPool) -> Iterator[Flags]:
        """Nothing, then one of the categories."""
        del pool
        yield self.start()
        for number, (found, _) in enumerate(knobs[1]):
            if found:
                yield _flags((number,), _MUCH)

    def likelier(self, knobs: Flags) -> Iterator[Flags]:
        """The same categories with a high score."""
        yield _flags(tuple(n for n, (found, _) in enumerate(knobs[1]) if found), _MUCH)

    def symbolic(self, symbols: Symbols, most: int) -> Flags:
        """Any flags with any scores."""
        del most
        flagged = bool(symbols.count("flagged", 1))
        return flagged, tuple(
            (bool(symbols.count(name, 1)), symbols.number(f"{name}_score", 0.0, 1.0))
            for name in CATEGORIES
        )


def _flags(chosen: Tuple[int, ...], score: float) -> Flags:
    found = score >= 0.5
    return found and bool(chosen), tuple(
        (found and n in chosen, score if n in chosen else _LITTLE) for n in range(len(CATEGORIES))
    )


MODERATION = ModerationModel()
