"""A picture as one call describes it: tags, a caption, and the text on it."""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, Iterator, List, Tuple

from ..code_constants import ConstantPool
from .answer_model import Answer, Symbols, any_number
from .label_answers import Entries, EntriesModel
from .text_answers import TEXT, lines_of, words_of

STEPS = ("VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY", "UNKNOWN")
ANGLES = (0.0, 12.0, -25.0, 40.0, -70.0, 90.0)
"""Degrees that stand for any: never for a proof."""
Row = Tuple[int, ...]
Rows = Tuple[Row, ...]


class LikelihoodModel:
    """Answers of one row of steps for each thing found; with ``most`` 1 there is always one.

    ``names`` are the likelihood fields of a row, ``angles`` those in degrees.
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

    def seeds(self, pool: ConstantPool) -> Iterator[Rows]:
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

    def mutate(self, knobs: Rows, rng: random.Random, pool: ConstantPool) -> Rows:
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

    def simpler(self, knobs: Rows, pool: ConstantPool) -> Iterator[Rows]:
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

EMOTIONS = ("CALM", "HAPPY", "SAD", "ANGRY", "CONFUSED", "DISGUSTED", "SURPRISED", "FEAR")
TRAITS = ("Smile", "Eyeglasses", "Sunglasses", "Beard", "Mustache", "EyesOpen", "MouthOpen")
GENDERS = ("Female", "Male")
_SURE = 95.0
_MOST = 4
_OLDEST = 100
Face = Tuple[int, float, Tuple[int, ...], int, int]
Faces = Tuple[Face, ...]
_NOTHING: Tuple[int, ...] = (0,) * len(TRAITS)
_SPOTS = (("eyeLeft", 0.31, 0.42), ("eyeRight", 0.45, 0.41), ("mouthLeft", 0.32, 0.55),
          ("mouthRight", 0.44, 0.55), ("nose", 0.38, 0.48))  # fmt: skip
_REST: Dict[str, Any] = {
    "BoundingBox": {"Width": 0.3, "Height": 0.4, "Left": 0.2, "Top": 0.3},
    "Landmarks": [{"Type": name, "X": x, "Y": y} for name, x, y in _SPOTS],
    "Pose": {"Roll": 1.2, "Yaw": -4.5, "Pitch": 3.3},
    "Quality": {"Brightness": 78.2, "Sharpness": 86.9},
    "FaceOccluded": {"Value": False, "Confidence": 98.0},
    "EyeDirection": {"Yaw": 1.5, "Pitch": -2.0, "Confidence": 97.0},
    "Confidence": 99.9,
}


class EmotionModel:
    """Answers of faces: ``(emotion, confidence, traits, gender, age)``, shares out of 100."""

    fields = ("FaceDetails", "Emotions", "Type", "Confidence", "AgeRange", "Gender", *TRAITS)
    bound = "at most {most} faces, each with one sure emotion and any traits"

    def start(self) -> Faces:
        """Nobody is seen."""
        return ()

    def seeds(self, pool: ConstantPool) -> Iterator[Faces]:
        """Nobody; each emotion, surely and near thresholds; each trait; ages; several faces."""
        yield ()
        yield (_face(),)
        sure = [number for number in pool.numbers if 20 <= number <= 100]
        for number in range(len(EMOTIONS)):
            for confidence in (_SURE, *sure):
                yield (_face(number, confidence),)
        for trait in range(len(TRAITS)):
            yield (_face(traits=tuple(int(number == trait) for number in range(len(TRAITS)))),)
        yield (_face(gender=1),)
        for age in sorted({3, 70, *(int(n) for n in pool.numbers if 0 <= n <= _OLDEST)}):
            yield (_face(age=age),)
        for count in sorted({2, 3, *(n for n in pool.counts if n <= _MOST * 2)}):
            yield (_face(),) * count

    def mutate(self, knobs: Faces, rng: random.Random, pool: ConstantPool) -> Faces:
        """Another face, one less, or one that differs."""
        faces = list(knobs)
        choice = rng.randrange(6)
        if not faces or (choice == 0 and len(faces) < _MOST):
            return (*faces, _face(rng.randrange(len(EMOTIONS))))
        at = rng.randrange(len(faces))
        if choice == 1:
            del faces[at]
            return tuple(faces)
        number, confidence, traits, gender, age = faces[at]
        if choice == 2:
            number = rng.randrange(len(EMOTIONS))
        elif choice == 3:
            confidence = any_number(rng, pool, 20.0, 100.0)
        elif choice == 4:
            turned = rng.randrange(len(TRAITS))
            traits = tuple(1 - v if n == turned else v for n, v in enumerate(traits))
        else:
            gender, age = rng.randrange(2), rng.randrange(_OLDEST)
        faces[at] = number, confidence, traits, gender, age
        return tuple(faces)

    def answer(self, knobs: Faces) -> Answer:
        """The faces in all detail."""
        return {"FaceDetails": [_detail(*face) for face in knobs]}

    def simpler(self, knobs: Faces, pool: ConstantPool) -> Iterator[Faces]:
        """Nobody, one face, then faces without traits."""
        del pool
        yield ()
        if len(knobs) > 1:
            yield from ((face,) for face in knobs)
        for at, (number, confidence, traits, gender, age) in enumerate(knobs):
            plain = [_face(number, confidence), _face(number, confidence, traits)]
            for face in [*plain, (number, _SURE, traits, gender, age)]:
                yield (*knobs[:at], face, *knobs[at + 1 :])

    def likelier(self, knobs: Faces) -> Iterator[Faces]:
        """The same faces, surer."""
        yield tuple((number, _SURE, *rest) for number, _, *rest in knobs)  # type: ignore[misc]

    def symbolic(self, symbols: Symbols, most: int) -> Faces:
        """Any faces; the emotion's confidence may be anything."""
        return tuple(
            (
                symbols.count(f"emotion{n}", len(EMOTIONS) - 1),
                symbols.number(f"confidence{n}", 0.0, 100.0),
                tuple(symbols.count(f"{trait}{n}", 1) for trait in TRAITS),
                symbols.count(f"gender{n}", 1),
                symbols.count(f"age{n}", _OLDEST),
            )
            for n in range(symbols.count("faces", most))
        )


def _face(
    number: int = 0,
    confidence: float = _SURE,
    traits: Tuple[int, ...] = _NOTHING,
    gender: int = 0,
    age: int = 24,
) -> Face:
    return number, confidence, traits, gender, age


def _detail(
    number: int, confidence: float, traits: Tuple[int, ...], gender: int, age: int
) -> Dict[str, Any]:
    left = (100.0 - confidence) / (len(EMOTIONS) - 1)
    others = [name for place, name in enumerate(EMOTIONS) if place != number]
    shown = [{"Type": EMOTIONS[number], "Confidence": confidence}]
    shown += [{"Type": name, "Confidence": left} for name in others]
    seen = {name: {"Value": bool(value), "Confidence": 98.0} for name, value in zip(TRAITS, traits)}
    return {
        **_REST,
        **seen,
        "Gender": {"Value": GENDERS[gender], "Confidence": 99.0},
        "AgeRange": {"Low": age, "High": age + 8},
        "Emotions": shown,
    }


REKOGNITION_FACES = EmotionModel()

Picture = Tuple[Entries, str, str]
USUAL_CAPTION = "a brown animal on a lawn"
_POLYGON = [{"x": x, "y": y} for x, y in ((20, 30), (180, 30), (180, 60), (20, 60))]
_BOX = {"x": 20, "y": 30, "width": 160, "height": 120}
_TAGS = EntriesModel(
    "tags",
    ("name", "confidence"),
    lambda _, name, score: {"name": name, "confidence": score},
    lambda tags: {"tags": tags},
)


class PictureModel:
    """Answers of tags, which are the objects too, a caption (never blank) and the text."""

    fields = ("tags", "list", "name", "confidence", "caption", "text", "read", "blocks", "lines")
    bound = "at most {most} tags with any names and scores, any caption and any text"

    def start(self) -> Picture:
        """No tags and no text."""
        return _TAGS.start(), "", ""

    def seeds(self, pool: ConstantPool) -> Iterator[Picture]:
        """Tags alone, a caption alone, text alone, in turns."""
        tags = [(entries, "", "") for entries in _TAGS.seeds(pool)]
        texts = [knobs for text in TEXT.seeds(pool) for knobs in (((), text, ""), ((), "", text))]
        yield from tags[:40]
        yield from texts[:80]
        yield from tags[40:]
        yield from texts[80:]

    def mutate(self, knobs: Picture, rng: random.Random, pool: ConstantPool) -> Picture:
        """Other tags, another caption or another text."""
        tags, caption, text = knobs
        choice = rng.randrange(4)
        if choice < 2:
            return _TAGS.mutate(tags, rng, pool), caption, text
        if choice == 2:
            return tags, TEXT.mutate(caption, rng, pool), text
        return tags, caption, TEXT.mutate(text, rng, pool)

    def answer(self, knobs: Picture) -> Answer:
        """Every feature that there is; the client hands out those that were asked for."""
        tags, caption, text = knobs
        listed: List[Dict[str, Any]] = _TAGS.answer(tags)["tags"]
        blank = type(caption) is str and not caption.strip()
        said = {"text": USUAL_CAPTION if blank else caption, "confidence": 0.8}
        return {
            "tags": {"list": listed},
            "objects": {"list": [{"bounding_box": _BOX, "tags": [tag]} for tag in listed]},
            "caption": said,
            "dense_captions": {"list": [{**said, "bounding_box": _BOX}]},
            "people": {"list": []},
            "smart_crops": {"list": [{"aspect_ratio": 1.5, "bounding_box": _BOX}]},
            "read": {"blocks": [{"lines": [_line(line) for line in lines_of(text)]}]},
            "metadata": {"width": 640, "height": 480},
            "model_version": "2023-10-01",
        }

    def simpler(self, knobs: Picture, pool: ConstantPool) -> Iterator[Picture]:
        """Without one of the three, then each of them simpler."""
        tags, caption, text = knobs
        yield from ((tags, "", ""), ((), caption, ""), ((), "", text))
        yield from ((entries, caption, text) for entries in _TAGS.simpler(tags, pool))
        yield from ((tags, simpler, text) for simpler in TEXT.simpler(caption, pool))
        yield from ((tags, caption, simpler) for simpler in TEXT.simpler(text, pool))

    def likelier(self, knobs: Picture) -> Iterator[Picture]:
        """The same with ordinary scores."""
        yield from ((tags, *knobs[1:]) for tags in _TAGS.likelier(knobs[0]))

    def symbolic(self, symbols: Symbols, most: int) -> Picture:
        """Any tags, any caption, any text."""
        return _TAGS.symbolic(symbols, most), symbols.text("caption"), symbols.text("text")


def _line(text: str) -> Dict[str, Any]:
    words = [
        {"text": word, "bounding_polygon": _POLYGON, "confidence": 0.98} for word in words_of(text)
    ]
    return {"text": text, "bounding_polygon": _POLYGON, "words": words}


AZURE_PICTURE = PictureModel()
