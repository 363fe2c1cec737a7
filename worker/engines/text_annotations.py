"""Writing on a picture in the shape of Google's ``AnnotateImageResponse``.

Fields: https://cloud.google.com/vision/docs/reference/rest/v1/AnnotateImageResponse
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.vocabulary import Json, JsonObject
from worker.engines.lines import Line, Piece, Quad, Size, frame

_LATIN_END = "\u024f"


def annotate(lines: Sequence[Line], size: Size) -> JsonObject:
    """``text_annotations`` and ``full_text_annotation`` of a picture's lines.

    The first annotation is the whole text, lines joined by newlines; the
    others are its words.  Without writing there is no field at all.
    """
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
    page = _page(lines, words, locale, size)
    return {
        "text_annotations": [whole, *named],
        "full_text_annotation": {"pages": [page], "text": text},
    }


def _page(lines: Sequence[Line], words: Sequence[Piece], locale: str, size: Size) -> JsonObject:
    """One block with one paragraph."""
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


def _word(word: Piece, ending: str) -> JsonObject:
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


def _mean(words: Sequence[Piece]) -> float:
    return round(sum(word.confidence for word in words) / len(words), 3)


def _locale(text: str) -> str:
    """``en`` for Latin letters, ``zh`` for others, ``und`` without letters."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "und"
    latin = sum(letter <= _LATIN_END for letter in letters)
    return "en" if 2 * latin >= len(letters) else "zh"
