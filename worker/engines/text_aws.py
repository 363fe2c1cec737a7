"""Writing on a picture in the shapes of AWS: Rekognition's detections, Textract's blocks.

Fields: https://docs.aws.amazon.com/rekognition/latest/APIReference/API_TextDetection.html
and https://docs.aws.amazon.com/textract/latest/dg/API_Block.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.vocabulary import Json, JsonObject
from worker.engines.lines import Line, Piece, Size, frame

REKOGNITION = "aws.rekognition.detect_text"
DOCUMENT_TEXT = "aws.textract.detect_document_text"
ANALYSIS = "aws.textract.analyze_document"
_WHOLE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def detections(lines: Sequence[Line], size: Size) -> JsonObject:
    """A ``DetectTextResponse``: all lines, then their words, numbered through."""
    found: list[Json] = [
        _detection(line.as_piece(), "LINE", at, size) for at, line in enumerate(lines)
    ]
    for parent, line in enumerate(lines):
        for word in line.words:
            found.append({**_detection(word, "WORD", len(found), size), "ParentId": parent})
    return {"TextDetections": found, "TextModelVersion": "3.0"}


def document(lines: Sequence[Line], size: Size) -> JsonObject:
    """A ``DetectDocumentTextResponse`` of one page."""
    return {
        "DocumentMetadata": {"Pages": 1},
        "Blocks": [*_page(lines, size, [])],
        "DetectDocumentTextModelVersion": "1.0",
    }


def analysis(lines: Sequence[Line], size: Size) -> JsonObject:
    """An ``AnalyzeDocumentResponse`` with forms: what a line says before and after a colon."""
    forms = [pair for at, line in enumerate(lines) for pair in _pair(at, line, size)]
    return {
        "DocumentMetadata": {"Pages": 1},
        "Blocks": [*_page(lines, size, forms), *forms],
        "AnalyzeDocumentModelVersion": "1.0",
    }


def _detection(piece: Piece, kind: str, number: int, size: Size) -> JsonObject:
    return {
        "DetectedText": piece.text,
        "Type": kind,
        "Id": number,
        "Confidence": round(100 * piece.confidence, 3),
        "Geometry": _geometry(piece, size),
    }


def _page(lines: Sequence[Line], size: Size, forms: Sequence[JsonObject]) -> Iterator[JsonObject]:
    children = [*(f"line-{at}" for at in range(len(lines))), *(str(b["Id"]) for b in forms)]
    yield {
        "BlockType": "PAGE",
        "Id": "page",
        "Geometry": _turned(Piece("", _WHOLE, 1.0), (1, 1)),
        "Page": 1,
        **({"Relationships": [_related("CHILD", children)]} if children else {}),
    }
    for at, line in enumerate(lines):
        words = [f"word-{at}-{number}" for number in range(len(line.words))]
        yield {
            **_block("LINE", f"line-{at}", line.as_piece(), size),
            "Relationships": [_related("CHILD", words)],
        }
        for name, word in zip(words, line.words, strict=True):
            yield {**_block("WORD", name, word, size), "TextType": "PRINTED"}


def _block(kind: str, name: str, piece: Piece, size: Size) -> JsonObject:
    said: JsonObject = {"Text": piece.text} if kind in {"LINE", "WORD"} else {}
    return {
        "BlockType": kind,
        "Id": name,
        **said,
        "Confidence": round(100 * piece.confidence, 3),
        "Geometry": _turned(piece, size),
        "Page": 1,
    }


def _pair(at: int, line: Line, size: Size) -> Iterator[JsonObject]:
    """The two sets of a line that is ``key: value``."""
    colon = next((n for n, word in enumerate(line.words) if word.text.endswith(":")), None)
    if colon is None or colon + 1 == len(line.words):
        return
    names = [f"word-{at}-{number}" for number in range(len(line.words))]
    for kind, first, last in (("KEY", 0, colon + 1), ("VALUE", colon + 1, len(names))):
        related = [_related("CHILD", names[first:last])]
        if kind == "KEY":
            related.insert(0, _related("VALUE", [f"value-{at}"]))
        piece = frame(line.words[first:last])
        block = _block("KEY_VALUE_SET", f"{kind.lower()}-{at}", piece, size)
        yield {**block, "EntityTypes": [kind], "Relationships": related}


def _related(kind: str, names: Sequence[str]) -> JsonObject:
    return {"Type": kind, "Ids": [*names]}


def _turned(piece: Piece, size: Size) -> JsonObject:
    """Textract's geometry, which says how far the writing is turned (in degrees)."""
    return {**_geometry(piece, size), "RotationAngle": 0.0}


def _geometry(piece: Piece, size: Size) -> JsonObject:
    """Where it is, in shares of the picture's width and height."""
    width, height = size
    return {
        "BoundingBox": {
            "Width": (piece.right - piece.left) / width,
            "Height": (piece.bottom - piece.top) / height,
            "Left": piece.left / width,
            "Top": piece.top / height,
        },
        "Polygon": [{"X": x / width, "Y": y / height} for x, y in piece.corners],
    }
