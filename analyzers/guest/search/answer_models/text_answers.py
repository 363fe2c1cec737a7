"""Texts read, heard or written by other providers' APIs."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ..code_constants import SAMPLES, ConstantPool
from .answer_model import Answer, Symbols, any_number, mutated_text, texts_like

_BOX = {"vertices": [{"x": x, "y": y} for x, y in ((4, 4), (90, 4), (90, 20), (4, 20))]}
LOCALE = "en"


class TextModel:
    """Answers whose knob is the whole text; an empty text was not found."""

    fields: Tuple[str, ...] = ("text_annotations", "description", "full_text_annotation", "text")
    bound = "any text"

    def start(self) -> str:
        """No text is found."""
        return ""

    def seeds(self, pool: ConstantPool) -> Iterator[str]:
        """No text; every constant; constants together; long and many-lined texts."""
        yield ""
        yield "hello"
        yield from pool.near
        yield from pool.joined
        for sample in ("12.50", "99", "2024-05-17"):
            for text in pool.close[:40]:
                yield f"{text} {sample}"
                yield f"{text}: {sample}"
                yield f"{text}{sample}"
                yield f"{sample} {text}"
        for number, text in itertools.product(pool.numbers[:12], pool.close[:12]):
            yield f"{text} {number:g}"
            yield f"{text}{number:g}"
            yield f"{number:g} {text}"
        for count in pool.counts:
            yield "a" * count
            yield " ".join("word" for _ in range(count))
            yield "\n".join("line" for _ in range(count))
            yield "7" * count
        for number in pool.numbers:
            yield f"{number:g}"
            yield f"{number:.2f}"
        yield "one two three four\nfive six seven eight\nnine ten eleven twelve"
        for text in pool.close[:20]:
            yield json.dumps({text: True})
        for first, second in itertools.permutations(SAMPLES, 2):
            yield first + second
        yield " ".join(pool.close)
        yield "\n".join(pool.close)

    def mutate(self, knobs: str, rng: random.Random, pool: ConstantPool) -> str:
        """One change, now and then a number of the code put in."""
        if pool.numbers and rng.random() < 0.15:
            number = rng.choice(pool.numbers)
            return f"{knobs} {number:g}" if rng.random() < 0.5 else f"{knobs}\n{number:.2f}"
        return mutated_text(knobs, rng, pool)[:2000]

    def answer(self, knobs: str) -> Answer:
        """The text as a whole, and its words where the text is known."""
        if not knobs:
            return {"text_annotations": []}
        found = [{"locale": LOCALE, "description": knobs, "bounding_poly": _BOX}]
        if type(knobs) is str:
            found += [{"description": word, "bounding_poly": _BOX} for word in knobs.split()]
        return {
            "text_annotations": found,
            "full_text_annotation": {"text": knobs, "pages": []},
        }

    def simpler(self, knobs: str, pool: ConstantPool) -> Iterator[str]:
        """Constants in the text, then the text without a part of it."""
        return texts_like(knobs, pool)

    def likelier(self, knobs: str) -> Iterator[str]:
        """The text without blanks around it."""
        yield knobs.strip()

    def symbolic(self, symbols: Symbols, most: int) -> str:
        """Any text."""
        del most
        return symbols.text("text")


TEXT = TextModel()

_SURE = 99.0
_READING_BOX = {"Width": 0.5, "Height": 0.1, "Left": 0.1, "Top": 0.1}
_PLACE: Dict[str, Any] = {
    "BoundingBox": _READING_BOX,
    "Polygon": [{"X": x, "Y": y} for x, y in ((0.1, 0.1), (0.6, 0.1), (0.6, 0.2), (0.1, 0.2))],
}


def lines_of(text: str) -> List[str]:
    """The lines of a text; a text that is not known yet is one line."""
    return [line for line in text.splitlines() if line.strip()] if type(text) is str else [text]


def words_of(line: str) -> List[str]:
    """The words of a line; none of a line that is not known yet."""
    return line.split() if type(line) is str else []


class RekognitionText(TextModel):
    """Lines on a picture, and then their words."""

    fields = ("TextDetections", "DetectedText", "Type", "Confidence")

    def answer(self, knobs: str) -> Answer:
        """The text line by line, then word by word."""
        found: List[Dict[str, Any]] = []
        lines = lines_of(knobs) if knobs else []
        for number, line in enumerate(lines):
            found.append({**_detected(line), "Type": "LINE", "Id": number})
        for number, line in enumerate(lines):
            for word in words_of(line):
                entry = {**_detected(word), "Type": "WORD", "Id": len(found)}
                found.append({**entry, "ParentId": number})
        return {"TextDetections": found, "TextModelVersion": "3.0"}


def _detected(text: str) -> Dict[str, Any]:
    return {"DetectedText": text, "Confidence": _SURE, "Geometry": _PLACE}


class TextractText(TextModel):
    """The page, its lines and their words as blocks, with what the operation has ``around``."""

    fields = ("Blocks", "BlockType", "Text", "Confidence")

    def __init__(self, around: Mapping[str, str]) -> None:
        self._around = around

    def answer(self, knobs: str) -> Answer:
        """The text as blocks."""
        blocks = [_block("PAGE", "page")]
        for number, line in enumerate(lines_of(knobs) if knobs else []):
            blocks.append(_written("LINE", f"line-{number}", line))
            for place, word in enumerate(words_of(line)):
                blocks.append(_written("WORD", f"word-{number}-{place}", word))
        return {"Blocks": blocks, "DocumentMetadata": {"Pages": 1}, **self._around}


def _block(kind: str, name: str) -> Dict[str, Any]:
    place = {"Geometry": {**_PLACE, "RotationAngle": 0.0}, "Relationships": [], "Page": 1}
    return {"BlockType": kind, "Id": name, **place}


def _written(kind: str, name: str, text: str) -> Dict[str, Any]:
    return {**_block(kind, name), "Text": text, "Confidence": _SURE}


class SpeechText(TextModel):
    """The transcript of a speech, with the best alternative alone."""

    fields = ("results", "alternatives", "transcript", "confidence")

    def answer(self, knobs: str) -> Answer:
        """One result that says the text; none for silence."""
        heard = {"transcript": knobs, "confidence": 0.94}
        result = {"alternatives": [heard], "language_code": "en-us"}
        return {"results": [result] if knobs else []}


class PlainText(TextModel):
    """The transcript of a speech as plain text."""

    fields = ("text",)

    def answer(self, knobs: str) -> Answer:
        """The text."""
        return {"text": knobs}


_TIME = "2026-03-02T09:30:00Z"


class ReadText(TextModel):
    """The lines of the one page that an operation of Azure's read."""

    fields = ("analyze_result", "read_results", "lines", "text")

    def answer(self, knobs: str) -> Answer:
        """The text line by line, with its words."""
        lines = [_line(line) for line in (lines_of(knobs) if knobs else [])]
        size = {"width": 800, "height": 600, "unit": "pixel"}
        pages = [{"page": 1, "language": LOCALE, "angle": 0.0, **size, "lines": lines}]
        result = {"version": "3.2.0", "model_version": "2022-04-30", "read_results": pages}
        times = dict.fromkeys(("created_date_time", "last_updated_date_time"), _TIME)
        return {"status": "succeeded", **times, "analyze_result": result}


def _line(text: str) -> Dict[str, Any]:
    box = [4, 4, 90, 4, 90, 20, 4, 20]
    words = [{"bounding_box": box, "text": word, "confidence": 0.99} for word in words_of(text)]
    style = {"style": {"name": "other", "confidence": 0.97}}
    about = {"language": LOCALE, "bounding_box": box, "appearance": style}
    return {**about, "text": text, "words": words}


AZURE_READ = ReadText()
REKOGNITION_TEXT = RekognitionText()
HEARD = PlainText()
SPEECH = SpeechText()

Sentiment = Tuple[float, float]
_GRID = [
    n / 10 for n in (0, 9, -9, 5, -5, 2, -2, 1, -1, 3, -3, 4, -4, 6, -6, 7, -7, 8, -8, 10, -10)
]
_STRENGTHS = (0.0, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 15.0)
STRONGEST = 100.0


class SentimentModel:
    """Answers whose knobs are score (−1 to 1) and magnitude (at least 0)."""

    fields = ("document_sentiment", "score", "magnitude")
    bound = "any score from -1 to 1 and any magnitude"

    def start(self) -> Sentiment:
        """Neither positive nor negative."""
        return (0.0, 0.0)

    def seeds(self, pool: ConstantPool) -> Iterator[Sentiment]:
        """A grid, then every threshold of the code with its neighbours."""
        for score in _GRID:
            yield (score, max(abs(score), 0.1))
        scores = [n for n in pool.numbers if -1 <= n <= 1]
        strengths = [n for n in pool.numbers if 0 <= n <= STRONGEST]
        for score in (*scores, *_GRID):
            for strength in (*strengths[:40], *_STRENGTHS):
                if strength >= abs(score) - 1e-9:
                    yield (score, strength)
        for score in scores:
            for strength in strengths[:40]:
                yield (score, strength)

    def mutate(self, knobs: Sentiment, rng: random.Random, pool: ConstantPool) -> Sentiment:
        """Another score, another magnitude, or both."""
        score, strength = knobs
        if rng.random() < 0.6:
            score = any_number(rng, pool, -1.0, 1.0)
        if rng.random() < 0.6:
            strength = any_number(rng, pool, 0.0, rng.choice((1.0, 5.0, 30.0)))
        return score, strength

    def answer(self, knobs: Sentiment) -> Answer:
        """The document's sentiment, and one sentence with the same."""
        score, magnitude = knobs
        sentiment = {"score": score, "magnitude": magnitude}
        return {
            "document_sentiment": sentiment,
            "language": "en",
            "sentences": [
                {"text": {"content": "", "begin_offset": 0}, "sentiment": dict(sentiment)}
            ],
        }

    def simpler(self, knobs: Sentiment, pool: ConstantPool) -> Iterator[Sentiment]:
        """Rounder numbers, ordinary ones first."""
        del pool
        score, strength = knobs
        for digits in (1, 2, 4):
            rounded = round(score, digits)
            yield (rounded, max(round(strength, digits), abs(rounded)))
            yield (rounded, round(strength, digits))

    def likelier(self, knobs: Sentiment) -> Iterator[Sentiment]:
        """A magnitude that a short text has."""
        score, strength = knobs
        yield (score, max(strength, abs(score)))

    def symbolic(self, symbols: Symbols, most: int) -> Sentiment:
        """Any score with any magnitude."""
        del most
        return (
            symbols.number("score", -1.0, 1.0),
            symbols.number("magnitude", 0.0, math.inf),
        )


SENTIMENT = SentimentModel()

Mood = Tuple[int, Tuple[float, ...]]
_SHARES = (0.95, 0.8, 0.6, 0.5, 0.4, 0.99)


class SentimentWordModel:
    """Answers of a word by number and all words' scores; concrete ones add up to 1."""

    bound = "any of the four sentiments with any scores"

    def __init__(
        self,
        words: Sequence[str],
        fields: Tuple[str, ...],
        write: Callable[[str, Dict[str, float]], Answer],
    ) -> None:
        self.fields = fields
        self._words = tuple(words)
        self._write = write

    def start(self) -> Mood:
        """The word of a text that says nothing."""
        return self._mood(0, _SHARES[0])

    def seeds(self, pool: ConstantPool) -> Iterator[Mood]:
        """Every word, likely and less so; two words; the thresholds of the code."""
        count = len(self._words)
        high = [number for number in pool.numbers if 1 / count <= number <= 1]
        for share, number in itertools.product((*_SHARES, *high), range(count)):
            yield self._mood(number, share)
        for first, second in itertools.permutations(range(count), 2):
            yield self._pair(first, second, 0.55)
        low = [number for number in pool.numbers if 0 <= number < 0.5]
        for threshold, first in itertools.product(low, range(count)):
            yield self._pair(first, (first + 1) % count, 1 - threshold)

    def mutate(self, knobs: Mood, rng: random.Random, pool: ConstantPool) -> Mood:
        """Other scores, and the word that goes with them."""
        del knobs
        first, second = rng.sample(range(len(self._words)), 2)
        share = max(0.5, any_number(rng, pool, 0.0, 1.0))
        return self._pair(first, second, share) if rng.random() < 0.5 else self._mood(first, share)

    def answer(self, knobs: Mood) -> Answer:
        """The word and its scores."""
        number, scores = knobs
        return self._write(self._words[number], dict(zip(self._words, scores)))

    def simpler(self, knobs: Mood, pool: ConstantPool) -> Iterator[Mood]:
        """The same word with a likely score."""
        del pool
        for share in _SHARES[:3]:
            yield self._mood(knobs[0], share)

    def likelier(self, knobs: Mood) -> Iterator[Mood]:
        """The same word with the likeliest score."""
        yield self._mood(knobs[0], _SHARES[0])

    def symbolic(self, symbols: Symbols, most: int) -> Mood:
        """Any word with any scores."""
        del most
        number = symbols.count("word", len(self._words) - 1)
        scores = (symbols.number(f"score{n}", 0.0, 1.0) for n in range(len(self._words)))
        return number, tuple(scores)

    def _mood(self, number: int, share: float) -> Mood:
        others = round((1 - share) / (len(self._words) - 1), 4)
        scores = (share if n == number else others for n in range(len(self._words)))
        return number, tuple(scores)

    def _pair(self, first: int, second: int, share: float) -> Mood:
        scores = [0.0] * len(self._words)
        scores[first], scores[second] = share, round(1 - share, 4)
        return first, tuple(scores)


def _comprehend(word: str, scores: Dict[str, float]) -> Answer:
    return {
        "Sentiment": word,
        "SentimentScore": {name.title(): score for name, score in scores.items()},
    }


def _azure(word: str, scores: Dict[str, float]) -> Answer:
    rated: Dict[str, Any] = {name: score for name, score in scores.items() if name != "mixed"}
    sentence = {"text": "", "sentiment": word, "confidence_scores": dict(rated)}
    whole = word != "mixed"
    return {
        "sentiment": word,
        "confidence_scores": rated,
        "sentences": [{**sentence, "mined_opinions": []}] if whole else [],
        "warnings": [],
    }


COMPREHEND_SENTIMENT = SentimentWordModel(
    ("NEUTRAL", "POSITIVE", "NEGATIVE", "MIXED"), ("Sentiment", "SentimentScore"), _comprehend
)
AZURE_SENTIMENT = SentimentWordModel(
    ("neutral", "positive", "negative", "mixed"), ("sentiment", "confidence_scores"), _azure
)
