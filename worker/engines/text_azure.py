"""Writing on a picture in the shapes of Azure: Image Analysis 4.0, and Read of version 3.2.

Fields: https://learn.microsoft.com/rest/api/computervision/image-analysis/analyze-from-stream
and https://learn.microsoft.com/rest/api/computervision/get-read-result
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.vocabulary import Json, JsonObject
from worker.engines.lines import Line, Piece, Size

ANALYZE = "azure.vision.analyze"
READ = "azure.vision.read"


def analyzed(lines: Sequence[Line], size: Size) -> JsonObject:
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


def read(lines: Sequence[Line], size: Size) -> JsonObject:
    """A ``ReadOperationResult`` of one page that has succeeded."""
    found: list[Json] = [
        {
            "bounding_box": _numbers(line.as_piece()),
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
        "angle": 0.0,
        "width": size[0],
        "height": size[1],
        "unit": "pixel",
        "lines": found,
    }
    return {
        "status": "succeeded",
        "analyze_result": {
            "version": "3.2.0",
            "model_version": "2022-04-30",
            "read_results": [page],
        },
    }


def _points(piece: Piece) -> list[Json]:
    return [{"x": round(x), "y": round(y)} for x, y in piece.corners]


def _numbers(piece: Piece) -> list[Json]:
    return [round(number) for corner in piece.corners for number in corner]
