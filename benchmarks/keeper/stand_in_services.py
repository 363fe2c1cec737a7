"""What stands for the providers: pictures of a keyword, and who sees what in them.

The services know a picture again by its looks and see what the application's
``truth.toml`` says of its keyword, one entry after the other by number; of a
keyword that it does not name, the keyword itself.  Text
detection, speech, sentiment and entities are not made up: engines on this
machine answer.
"""

from __future__ import annotations

import io
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analyzers import catalogue
from analyzers.catalogue import AnswerMeaning, Api
from analyzers.catalogue.canonical_answers import values_at, with_value_at
from analyzers.guest.protocol.api_calls import ApiRequest
from analyzers.guest.search.structured_answers import shaped
from analyzers.vocabulary import (
    EdgeCase,
    Input,
    InputKind,
    InputRequest,
    InputSupply,
    JsonObject,
    Origin,
)
from worker.engines.engine import ApiRequest as EngineRequest
from worker.engines.engine import NotAsked
from worker.engines.engine_selection import local_engines
from worker.sources.source_selection import Sources

SEEN = frozenset(
    {"labels", "objects", "faces", "caption", "classify", "moderation", "landmarks", "chat"}
)
SHOWN = frozenset({"labels", "objects", "faces", "caption", "landmarks"})
TOLD = frozenset({"classify", "moderation"})
NOTHING = "nothing"
RATED = frozenset({"labels", "objects"})
SURENESS = (0.95, 0.97, 0.93, 0.96, 0.91, 0.94, 0.98, 0.72, 0.95, 0.88)
"""How sure a service is of the surest thing on one picture after the other."""
ROLLS = (1.5, -4.0, 21.0, 0.3, -12.0, 3.0, 8.0, -2.0, 6.0, -9.0)
"""By how many degrees heads are tilted on one picture after the other."""
ROLLED = ("roll_angle", "Pose.Roll")
SEVERAL_FACES = "several human faces"
EVERYDAY = ("bicycle", "teapot", "bridge", "guitar", "staircase", "pencil", "sailboat", "clock")
UNREAL = ("Pattern", "Textile", "Colorfulness")
"""What services say of random pixels."""
UNCLASSED = ({"name": "/Online Communities", "score": 0.35},)
FEWEST_WORDS = 20
"""What services say of a text on nothing special, of that many words at least."""
TILES = 12
ALIKE = 0.6
TURNS = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270)


class Gallery:
    """Pictures by keyword and number, known again after a change of size, colour or side."""

    def __init__(self) -> None:
        self._names: list[tuple[str, int]] = []
        self._known: dict[tuple[str, int], bytes] = {}
        self._looks: list[NDArray[np.float64]] = []

    def picture(self, keyword: str, number: int) -> bytes:
        """A small picture unlike all others, as a PNG file."""
        name = keyword, number
        if name not in self._known:
            chance = random.Random(f"{keyword}/{number}")
            tiles = Image.frombytes("RGB", (TILES, TILES), chance.randbytes(TILES * TILES * 3))
            file = io.BytesIO()
            tiles.resize((96, 96), Image.Resampling.NEAREST).save(file, "PNG")
            self._known[name] = file.getvalue()
            self._names.append(name)
            self._looks.append(_look(tiles))
        return self._known[name]

    def shown(self, content: bytes) -> tuple[str, int] | None:
        """The keyword and number of a picture; ``None`` for one of nothing known.

        Raises ``NotAsked`` for what is no picture.
        """
        try:
            with Image.open(io.BytesIO(content)) as opened:
                seen = opened.convert("RGB")
        except OSError as error:
            raise NotAsked("it was asked about something that is no picture") from error
        if not self._looks:
            return None
        square = seen.resize((TILES, TILES), Image.Resampling.BOX)
        likeness = np.max(
            [np.asarray(self._looks) @ _look(side) for side in _sides(square)], axis=0
        )
        best = int(np.argmax(likeness))
        return self._names[best] if likeness[best] > ALIKE else None


def _look(tiles: Image.Image) -> NDArray[np.float64]:
    grey = np.asarray(tiles.convert("L"), dtype=np.float64).ravel()
    centred = grey - grey.mean()
    return centred / (np.linalg.norm(centred) or 1.0)


def _sides(square: Image.Image) -> Iterator[Image.Image]:
    for turned in (square, *(square.transpose(turn) for turn in TURNS)):
        yield turned
        yield turned.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


@dataclass
class Services:
    """The engine of everything that is seen; what is written or said is left to others."""

    sees: Mapping[str, Sequence[Any]]
    local: bool = False
    gallery: Gallery = field(default_factory=Gallery)
    documents: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def identity(self) -> str:
        """One for each application: what is seen is part of it."""
        return f"world/{zlib.crc32(repr(sorted(self.sees.items())).encode()):08x}"

    def answers(self, api: str) -> bool:
        """The APIs whose answer is of the kinds in ``SEEN``."""
        known = catalogue.load_catalogue().apis.get(api)
        return known is not None and bool(known.says) and known.says[0].task in SEEN

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """The answer in the provider's own shape.  Raises ``NotAsked``."""
        described = catalogue.load_catalogue()[api]
        if request.content is not None and self.gallery.shown(request.content) is None:
            readers = (engine for engine in local_engines() if engine.answers(api))
            if reader := next(readers, None):
                return reader.ask(api, request)
        seen = self._seen(described, request)
        labels = request.parameters.get(described.labelled_by or "")
        if isinstance(labels, list):
            seen = _rated([str(label) for label in labels], seen)
        if described.says[0].inside:
            return _written(described, seen, request)
        return answer(described, described.says[0], seen)

    def _told(self, api: Api, text: str) -> Sequence[Any]:
        keyword = self.documents.get(text)
        if keyword:
            return self.sees.get(keyword.casefold(), [[keyword]])[0]
        long_enough = len(text.split()) >= FEWEST_WORDS
        return UNCLASSED if api.task == "classify" and long_enough else []

    def _seen(self, api: Api, request: ApiRequest) -> Sequence[Any]:
        if request.content is None:
            return self._told(api, request.text or "")
        found = self.gallery.shown(request.content)
        if found is None:
            return UNREAL if api.task == "labels" else []
        keyword, number = found
        if keyword == NOTHING:
            return []
        if api.task == "faces":
            classes = api.says[0].readings
            known = [w for w in self.sees.get(keyword.casefold(), ()) if classes.keys() >= set(w)]
            faces = known or [_feelings(api.says[0], keyword)]
            roll = ROLLS[number % len(ROLLS)]
            return [{"name": n, "score": 0.95, "roll": roll} for n in faces[number % len(faces)]]
        words = self._words(keyword, number)
        if api.task not in RATED or api.says[0].inside or api.labelled_by:
            return words
        return [_sure(word, place, number) for place, word in enumerate(words)]

    def _words(self, keyword: str, number: int) -> Sequence[Any]:
        """What is seen on a picture; on one of two things both."""
        first, _, second = keyword.partition(" and ")
        if second:
            both = [*self._words(first, number)[:1], *self._words(second, number)]
            return [word for place, word in enumerate(both) if word not in both[:place]]
        seen = self.sees.get(keyword.casefold(), [[keyword.capitalize(), "Object"]])
        return seen[number % len(seen)]


def _sure(word: Any, place: int, number: int) -> Any:
    """A word with a score where it has none: services are surer of some pictures."""
    if isinstance(word, Mapping):
        return word
    return {"name": word, "score": round(SURENESS[number % len(SURENESS)] - 0.06 * place, 2)}


def _feelings(meaning: AnswerMeaning, keyword: str) -> Sequence[str]:
    """The classes of the faces on a picture; the empty one of a face without a feeling."""
    if keyword == SEVERAL_FACES:
        return ["", "", ""]
    found = [name for name, reading in meaning.readings.items() if reading == keyword]
    return found[:1] or ([""] if "face" in keyword.casefold() else [])


def _rated(labels: Sequence[str], seen: Sequence[Any]) -> Sequence[Any]:
    """Each label of the request: the one that is seen before the others, else all alike."""
    names = [str(each).casefold() for each in seen]
    best = [label for label in labels if label.casefold() in names][:1]
    share = 0.1 if best else 1.0
    others = [label for label in labels if label not in best]
    rated = [{"name": label, "score": 0.9} for label in best]
    return [*rated, *({"name": each, "score": round(share / len(others), 4)} for each in others)]


def _written(api: Api, seen: Sequence[Any], request: ApiRequest) -> JsonObject:
    """What a language model writes of what it sees, in the shape that it is asked for."""
    asked = EngineRequest(api.name, parameters=dict(request.parameters))
    text = shaped(str(seen[0]).lower() if seen else "other", asked)
    return with_value_at(catalogue.load_catalogue().ordinary[api.name], api.says[0].at[0], text)


def answer(api: Api, meaning: AnswerMeaning, said: Sequence[Any]) -> JsonObject:
    """The everyday answer with these labels, the surest first, and nothing else.

    Of classes (``joy_likelihood``, ``HAPPY``) one face each.
    """
    usual = catalogue.load_catalogue().ordinary[api.name]
    path = meaning.at[0]
    outer, _, inner = path.partition("[")
    rest = inner.partition("].")[2]
    if not rest:
        return with_value_at(usual, path, said[0] if said else "")
    (entries,) = values_at(usual, outer)
    pattern = entries[0]  # type: ignore[index]
    if rest.endswith("s{}"):
        return with_value_at(usual, outer, [_flagged(pattern, frozenset(map(str, said)))])
    made = [_entry(api, pattern, rest, word, place) for place, word in enumerate(said)]
    return with_value_at(usual, outer, made)


def _flagged(pattern: Any, names: frozenset[str]) -> Any:
    """What a moderation says of a text: all categories, and which of them it flags."""
    categories = {name: name in names for name in pattern["categories"]}
    scores = {name: 0.95 if found else 0.01 for name, found in categories.items()}
    flagged = any(categories.values())
    return {**pattern, "flagged": flagged, "categories": categories, "category_scores": scores}


def _entry(api: Api, pattern: Any, rest: str, word: Any, place: int) -> Any:
    name, score = (word["name"], word["score"]) if isinstance(word, Mapping) else (word, None)
    sure = score if score is not None else round(0.95 - 0.06 * place, 2)
    entry = _named(pattern, rest, name, sure * api.highest)
    if api.score and "[]." in api.score:
        field_name = api.score.rpartition("[].")[2]
        entry = with_value_at(entry, field_name, round(sure * api.highest, 4))
    for path in ROLLED if isinstance(word, Mapping) and "roll" in word else ():
        entry = with_value_at(entry, path, word["roll"])
    return entry


def _named(pattern: Any, rest: str, name: str, sure: float) -> Any:
    if rest == "{}":
        kinds = [key for key in pattern if key.endswith("_likelihood")]
        likely = {name: "VERY_LIKELY"} if name else {}
        return {**pattern, **dict.fromkeys(kinds, "VERY_UNLIKELY"), **likely}
    if rest.startswith("Emotions[^"):
        name = name or "CALM"
        others = [e for e in pattern["Emotions"] if e["Type"] != name]
        weak = [{**e, "Confidence": 1.0 + n / 10} for n, e in enumerate(others)]
        return {**pattern, "Emotions": [{"Type": name, "Confidence": sure}, *weak]}
    return with_value_at(pattern, rest, name)


@dataclass
class Album:
    """Pictures of any keyword, as many as asked for; the rest as on this machine."""

    services: Services
    own: Sources = field(default_factory=lambda: Sources(None))
    outages: tuple[str, ...] = ()

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """At most ``count`` inputs for a wish."""
        task = wanted.task or catalogue.load_catalogue()[wanted.api].task
        if task == "faces" and wanted.corner is EdgeCase.SEVERAL:
            return InputSupply(tuple(self.pictures(SEVERAL_FACES, count)))
        if task in SHOWN and wanted.other_than:
            return InputSupply(tuple(self._everyday(wanted.other_than, count)))
        if task in SHOWN:
            return InputSupply(tuple(self.pictures(wanted.reading or NOTHING, count)))
        if task in TOLD and wanted.reading is not None:
            return InputSupply(tuple(self._documents(wanted.reading, count)))
        return self.own.find(wanted, count, seed)

    def _everyday(self, other_than: Sequence[str], count: int) -> Iterator[Input]:
        known = {reading.casefold() for reading in other_than}
        things = [thing for thing in EVERYDAY if thing not in known]
        for number in range(count):
            content = self.services.gallery.picture(things[number % len(things)], number)
            about = f"{things[number % len(things)]} {number}"
            yield Input(InputKind.IMAGE, content, about, None, ".png", Origin("world"))

    def _documents(self, keyword: str, count: int) -> Iterable[Input]:
        for number in range(count):
            text = f"An article on {keyword}, number {number}, as people write them. " * 5
            self.services.documents[text] = keyword
            yield Input(InputKind.TEXT, text.encode(), text[:40], keyword, ".txt", Origin("world"))

    def pictures(self, keyword: str, count: int) -> Iterator[Input]:
        """Pictures of a keyword."""
        reading = None if keyword == NOTHING else keyword
        for number in range(count):
            content = self.services.gallery.picture(keyword, number)
            about = f"{keyword} {number}"
            yield Input(InputKind.IMAGE, content, about, reading, ".png", Origin("world"))
