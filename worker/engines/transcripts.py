"""What was heard, in the words of each speech API: as it writes down the same sentence.

Google writes words as they are; OpenAI, Azure and Whisper write sentences;
wav2vec2 of 960 hours, the default of Hugging Face's pipeline, knows capitals only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from analyzers.vocabulary import JsonObject
from worker.engines.request import NotAsked

GOOGLE = frozenset({"google.speech.recognize", "google.speech.long_running_recognize"})
OPENAI = "openai.transcriptions"
AZURE = "azure.speech.recognize_once"
HUGGINGFACE = "huggingface.automatic_speech_recognition"
CONFIDENCE = 0.9
"""Of Azure's answer, which always says one; the engine has none."""
TICKS = 10_000_000
"""Azure's units of time, a second."""
_PLAIN = frozenset({"json", "text"})

Shape: TypeAlias = Callable[[str, float, JsonObject], JsonObject]


def _google(heard: str, seconds: float, asked: JsonObject) -> JsonObject:
    """A ``RecognizeResponse``, without results where nothing is said."""
    del seconds
    language = str(asked.get("language_code") or "en-US").lower()
    result: JsonObject = {"alternatives": [{"transcript": heard}], "language_code": language}
    return {"results": [result]} if heard else {}


def _openai(heard: str, seconds: float, asked: JsonObject) -> JsonObject:
    """A ``Transcription``.  Raises ``NotAsked`` for times."""
    del seconds
    if asked.get("response_format", "json") not in _PLAIN:
        raise NotAsked("the local engine hears words, not when they are said")
    return {"text": _sentence(heard)}


def _azure(heard: str, seconds: float, asked: JsonObject) -> JsonObject:
    """The detailed result of the REST service."""
    del asked
    duration = round(seconds * TICKS)
    if not heard:
        return {"RecognitionStatus": "NoMatch", "Offset": 0, "Duration": duration}
    sentence = _sentence(heard)
    best: JsonObject = {
        "Confidence": CONFIDENCE,
        "Lexical": heard,
        "ITN": heard,
        "MaskedITN": heard,
        "Display": sentence,
    }
    return {
        "RecognitionStatus": "Success",
        "DisplayText": sentence,
        "Offset": 0,
        "Duration": duration,
        "NBest": [best],
    }


def _huggingface(heard: str, seconds: float, asked: JsonObject) -> JsonObject:
    """What a pipeline returns.  Raises ``NotAsked`` for times."""
    del seconds
    if asked.get("return_timestamps"):
        raise NotAsked("the local engine hears words, not when they are said")
    model = str(asked.get("model") or "wav2vec2-base-960h").casefold()
    if "whisper" in model:
        return {"text": _sentence(heard)}
    return {"text": heard.upper() if "wav2vec2" in model and "960h" in model else heard}


def _sentence(heard: str) -> str:
    return f"{heard[0].upper()}{heard[1:]}." if heard else ""


SHAPES: Mapping[str, Shape] = {
    **dict.fromkeys(GOOGLE, _google),
    OPENAI: _openai,
    AZURE: _azure,
    HUGGINGFACE: _huggingface,
}
"""What each API answers with, by the words heard, the seconds listened and what was asked."""
