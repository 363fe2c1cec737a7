"""Texts read, heard or written by other providers' APIs."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any, Dict, Iterator, List, Tuple

from ..code_constants import SAMPLES, ConstantPool
from .answer_model import Answer, Symbols, mutated_text, texts_like

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
    """The page, its lines and their words as blocks."""

    fields = ("Blocks", "BlockType", "Text", "Confidence")

    def answer(self, knobs: str) -> Answer:
        """The text as blocks."""
        blocks = [_block("PAGE", "page")]
        for number, line in enumerate(lines_of(knobs) if knobs else []):
            blocks.append(_written("LINE", f"line-{number}", line))
            for place, word in enumerate(words_of(line)):
                blocks.append(_written("WORD", f"word-{number}-{place}", word))
        around = {"DocumentMetadata": {"Pages": 1}, "DetectDocumentTextModelVersion": "1.0"}
        return {"Blocks": blocks, **around}


def _block(kind: str, name: str) -> Dict[str, Any]:
    place = {"Geometry": {**_PLACE, "RotationAngle": 0.0}, "Relationships": [], "Page": 1}
    return {"BlockType": kind, "Id": name, **place}


def _written(kind: str, name: str, text: str) -> Dict[str, Any]:
    return {**_block(kind, name), "Text": text, "Confidence": _SURE}


class SpeechText(TextModel):
    """What was heard, with the best alternative alone."""

    fields = ("results", "alternatives", "transcript", "confidence")

    def answer(self, knobs: str) -> Answer:
        """One result that says the text; none for silence."""
        heard = {"transcript": knobs, "confidence": 0.94}
        result = {"alternatives": [heard], "language_code": "en-us"}
        return {"results": [result] if knobs else []}


class ChatText(TextModel):
    """What a model says in a conversation."""

    fields = ("choices", "message", "content")

    def answer(self, knobs: str) -> Answer:
        """One choice that says the text."""
        message = {"role": "assistant", "content": knobs}
        return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


class ResponseText(TextModel):
    """What a model responds."""

    fields = ("output", "content", "text", "output_text")

    def answer(self, knobs: str) -> Answer:
        """One message with the text."""
        part = {"type": "output_text", "text": knobs, "annotations": []}
        return {"output": [{"type": "message", "role": "assistant", "content": [part]}]}


class PlainText(TextModel):
    """What was heard."""

    fields = ("text",)

    def answer(self, knobs: str) -> Answer:
        """The text."""
        return {"text": knobs}


class ReadText(TextModel):
    """The lines of the one page that an operation of Azure's read."""

    fields = ("analyze_result", "read_results", "lines", "text")

    def answer(self, knobs: str) -> Answer:
        """The text line by line, with its words."""
        lines = [_line(line) for line in (lines_of(knobs) if knobs else [])]
        page = {"page": 1, "angle": 0.0, "width": 800, "height": 600, "unit": "pixel"}
        result = {"version": "3.2.0", "model_version": "2022-04-30"}
        pages = [{**page, "lines": lines}]
        return {"status": "succeeded", "analyze_result": {**result, "read_results": pages}}


def _line(text: str) -> Dict[str, Any]:
    box = [4, 4, 90, 4, 90, 20, 4, 20]
    words = [{"bounding_box": box, "text": word, "confidence": 0.99} for word in words_of(text)]
    return {"bounding_box": box, "text": text, "words": words}


AZURE_READ = ReadText()
REKOGNITION_TEXT = RekognitionText()
TEXTRACT_TEXT = TextractText()
CHAT = ChatText()
RESPONSE = ResponseText()
HEARD = PlainText()
SPEECH = SpeechText()
