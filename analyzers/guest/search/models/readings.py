"""Texts read, heard or written by other providers' APIs."""

from __future__ import annotations

from typing import Any, Dict, List

from .base import Answer
from .text import TextModel

_SURE = 99.0
_BOX = {"Width": 0.5, "Height": 0.1, "Left": 0.1, "Top": 0.1}
_PLACE: Dict[str, Any] = {
    "BoundingBox": _BOX,
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
