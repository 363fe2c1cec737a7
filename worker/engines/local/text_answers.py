"""Writing on a picture in the shapes of AWS: Rekognition's detections, Textract's blocks.

Fields: https://docs.aws.amazon.com/rekognition/latest/APIReference/API_TextDetection.html
and https://docs.aws.amazon.com/textract/latest/dg/API_Block.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.vocabulary import Json, JsonObject
from worker.engines.local.text_lines import Quad, Size, TextLine, TextPiece, frame

_LATIN_END = "\u024f"


def annotate(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """Return a picture's lines as ``text_annotations`` (whole text, then words) and full text."""
    if not lines:
        return {}
    text = "\n".join(line.text for line in lines)
    words = [word for line in lines for word in line.words]
    locale = _locale(text)
    whole: JsonObject = {
        "locale": locale,
        "description": text,
        "bounding_poly": _polygon(frame(words).corners),
    }
    named: list[JsonObject] = [
        {"description": word.text, "bounding_poly": _polygon(word.corners)} for word in words
    ]
    page = _annotation_page(lines, words, locale, size)
    return {
        "text_annotations": [whole, *named],
        "full_text_annotation": {"pages": [page], "text": text},
    }


def _annotation_page(
    lines: Sequence[TextLine], words: Sequence[TextPiece], locale: str, size: Size
) -> JsonObject:
    box, confidence = _polygon(frame(words).corners), _mean(words)
    paragraph: JsonObject = {
        "bounding_box": box,
        "words": [
            _word(word, "LINE_BREAK" if word is line.words[-1] else "SPACE")
            for line in lines
            for word in line.words
        ],
        "confidence": confidence,
    }
    return {
        "property": {"detected_languages": [{"language_code": locale, "confidence": 1}]},
        "width": size[0],
        "height": size[1],
        "blocks": [
            {
                "bounding_box": box,
                "paragraphs": [paragraph],
                "block_type": "TEXT",
                "confidence": confidence,
            }
        ],
        "confidence": confidence,
    }


def _word(word: TextPiece, ending: str) -> JsonObject:
    symbols: list[Json] = [
        {
            "bounding_box": _polygon(symbol.corners),
            "text": symbol.text,
            "confidence": _mean([symbol]),
        }
        for symbol in word.symbols()
    ]
    last = symbols.pop()
    assert isinstance(last, dict)
    symbols.append({"property": {"detected_break": {"type_": ending}}, **last})
    return {
        "bounding_box": _polygon(word.corners),
        "symbols": symbols,
        "confidence": _mean([word]),
    }


def _polygon(corners: Quad) -> JsonObject:
    return {"vertices": [{"x": round(x), "y": round(y)} for x, y in corners]}


def _mean(words: Sequence[TextPiece]) -> float:
    return round(sum(word.confidence for word in words) / len(words), 3)


def _locale(text: str) -> str:
    """``en`` for Latin letters, ``zh`` for others, ``und`` without letters."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "und"
    latin = sum(letter <= _LATIN_END for letter in letters)
    return "en" if 2 * latin >= len(letters) else "zh"


REKOGNITION = "aws.rekognition.detect_text"
DOCUMENT_TEXT = "aws.textract.detect_document_text"
ANALYSIS = "aws.textract.analyze_document"
_WHOLE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def detections(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """A ``DetectTextResponse``: all lines, then their words, numbered through."""
    found: list[Json] = [
        _detection(line.as_piece(), "LINE", at, size) for at, line in enumerate(lines)
    ]
    for parent, line in enumerate(lines):
        for word in line.words:
            found.append({**_detection(word, "WORD", len(found), size), "ParentId": parent})
    return {"TextDetections": found, "TextModelVersion": "3.0"}


def document(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """A ``DetectDocumentTextResponse`` of one page."""
    return {
        "DocumentMetadata": {"Pages": 1},
        "Blocks": [*_page(lines, size, [])],
        "DetectDocumentTextModelVersion": "1.0",
    }


def analysis(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """An ``AnalyzeDocumentResponse`` with forms: what a line says before and after a colon."""
    forms = [pair for at, line in enumerate(lines) for pair in _pair(at, line, size)]
    return {
        "DocumentMetadata": {"Pages": 1},
        "Blocks": [*_page(lines, size, forms), *forms],
        "AnalyzeDocumentModelVersion": "1.0",
    }


def _detection(piece: TextPiece, kind: str, number: int, size: Size) -> JsonObject:
    return {
        "DetectedText": piece.text,
        "Type": kind,
        "Id": number,
        "Confidence": round(100 * piece.confidence, 3),
        "Geometry": _geometry(piece, size),
    }


def _page(
    lines: Sequence[TextLine], size: Size, forms: Sequence[JsonObject]
) -> Iterator[JsonObject]:
    children = [*(f"line-{at}" for at in range(len(lines))), *(str(b["Id"]) for b in forms)]
    yield {
        "BlockType": "PAGE",
        "Id": "page",
        "Geometry": _turned(TextPiece("", _WHOLE, 1.0), (1, 1)),
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


def _block(kind: str, name: str, piece: TextPiece, size: Size) -> JsonObject:
    said: JsonObject = {"Text": piece.text} if kind in {"LINE", "WORD"} else {}
    return {
        "BlockType": kind,
        "Id": name,
        **said,
        "Confidence": round(100 * piece.confidence, 3),
        "Geometry": _turned(piece, size),
        "Page": 1,
    }


def _pair(at: int, line: TextLine, size: Size) -> Iterator[JsonObject]:
    """Yield the two sets of a line that is ``key: value``."""
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


def _turned(piece: TextPiece, size: Size) -> JsonObject:
    return {**_geometry(piece, size), "RotationAngle": 0.0}


def _geometry(piece: TextPiece, size: Size) -> JsonObject:
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


ANALYZE = "azure.vision.analyze"
READ = "azure.vision.read"


def analyzed(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """An ``ImageAnalysisResult`` of the feature ``READ`` alone."""
    found: list[Json] = [
        {
            "text": line.text,
            "bounding_polygon": _points(line.as_piece()),
            "words": [
                {
                    "text": word.text,
                    "bounding_polygon": _points(word),
                    "confidence": round(word.confidence, 3),
                }
                for word in line.words
            ],
        }
        for line in lines
    ]
    return {
        "read": {"blocks": [{"lines": found}] if found else []},
        "metadata": {"width": size[0], "height": size[1]},
        "model_version": "2023-10-01",
    }


_LANGUAGE, _TIME = "en", "2026-03-02T09:30:00Z"


def read(lines: Sequence[TextLine], size: Size) -> JsonObject:
    """A ``ReadOperationResult`` of one page that has succeeded."""
    found: list[Json] = [
        {
            "language": _LANGUAGE,
            "bounding_box": _numbers(line.as_piece()),
            "appearance": {"style": {"name": "other", "confidence": 0.97}},
            "text": line.text,
            "words": [
                {
                    "bounding_box": _numbers(word),
                    "text": word.text,
                    "confidence": round(word.confidence, 3),
                }
                for word in line.words
            ],
        }
        for line in lines
    ]
    page: JsonObject = {
        "page": 1,
        "language": _LANGUAGE,
        "angle": 0.0,
        "width": size[0],
        "height": size[1],
        "unit": "pixel",
        "lines": found,
    }
    return {
        "status": "succeeded",
        "created_date_time": _TIME,
        "last_updated_date_time": _TIME,
        "analyze_result": {
            "version": "3.2.0",
            "model_version": "2022-04-30",
            "read_results": [page],
        },
    }


def _points(piece: TextPiece) -> list[Json]:
    return [{"x": round(x), "y": round(y)} for x, y in piece.corners]


def _numbers(piece: TextPiece) -> list[Json]:
    return [round(number) for corner in piece.corners for number in corner]
