"""Speech in English on this machine, by PocketSphinx and the model in its wheel."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from analyzers.vocabulary import JsonObject
from worker.engines.engine import ApiRequest, LocalEngine, NoAnswer, NotAsked
from worker.engines.providers.google import config

GOOGLE = frozenset({"google.speech.recognize", "google.speech.long_running_recognize"})
OPENAI = "openai.transcriptions"
AZURE = "azure.speech.recognize_once"
HUGGINGFACE = "huggingface.automatic_speech_recognition"
CONFIDENCE = 0.9
"""Of Azure's answer, which always says one; the engine has none."""
TICKS = 10_000_000
"""Azure's units of time, a second."""
_PLAIN_RESPONSES = frozenset({"json", "text"})

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
    if asked.get("response_format", "json") not in _PLAIN_RESPONSES:
        raise NotAsked("the local engine hears words, not when they are said")
    return {"text": _sentence(heard)}


def _azure(heard: str, seconds: float, asked: JsonObject) -> JsonObject:
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

PACKAGE = "pocketsphinx"
RATE = 16_000
LONGEST = 60
SHORTEST = 0.1
_SLOWEST, _FASTEST = 8_000, 48_000
_PLAIN = frozenset({"", "ENCODING_UNSPECIFIED", "LINEAR16", "0", "1"})

Samples: TypeAlias = "np.ndarray[Any, np.dtype[np.int16]]"
SpeechDecoder: TypeAlias = Callable[[bytes], str]


class LocalSpeech(LocalEngine):
    """Writes down what is said; the model is loaded with the first sound.

    It gets about one word in six of synthetic speech wrong (19 of 122, Flite's slt and rms).
    """

    package = PACKAGE
    apis = SHAPES

    def __init__(self) -> None:
        self._lock = Lock()

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        """Return the words that are said, as the API writes them; raise ``NoAnswer``."""
        if request.content is None:
            raise NoAnswer("the local engine hears sounds, not addresses of sounds")
        asked = config(request.parameters)
        language = str(asked.get("language_code") or asked.get("language") or "en-US")
        if not language.casefold().startswith("en"):
            raise NoAnswer(f"the local engine hears English, not {language!r}")
        samples = _samples(request.content, asked)
        with self._lock:
            transcript = self.hear(samples.tobytes()) if samples.size else ""
        return SHAPES[api](transcript, samples.size / RATE, asked)

    @cached_property
    def hear(self) -> SpeechDecoder:
        """Return what is said in samples of 16 bits, 16,000 a second.  Raises ``NoAnswer``."""
        if find_spec(PACKAGE) is None:
            raise NoAnswer(f"no engine for speech: install {PACKAGE}")
        from pocketsphinx import Decoder, Vad  # noqa: PLC0415 - reads its model

        def hear(samples: bytes) -> str:
            # it would find a word in silence
            detector = Vad(sample_rate=RATE)
            size = int(detector.frame_bytes)
            frames = range(0, len(samples) - size + 1, size)
            voiced = sum(bool(detector.is_speech(samples[at : at + size])) for at in frames)
            if not (voiced * float(detector.frame_length) >= SHORTEST):
                return ""
            # one a sound: a decoder's noise level depends on what it heard before
            decoder = Decoder(samprate=RATE, loglevel="FATAL")
            decoder.start_utt()
            decoder.process_raw(samples, full_utt=True)
            decoder.end_utt()
            found = decoder.hyp()
            return "" if found is None else str(found.hypstr)

        return hear


def _samples(content: bytes, asked: JsonObject) -> Samples:
    """One channel of 16,000 samples a second.  Raises ``NoAnswer``."""
    if content.startswith(b"RIFF"):
        sound, rate = _of_wave(content)
    elif str(asked.get("encoding") or "") in _PLAIN:
        channels = _whole(asked, "audio_channel_count", 1)
        rate = _whole(asked, "sample_rate_hertz", RATE)
        sound = _mixed(content, channels)
    else:
        raise NoAnswer(f"the local engine hears LINEAR16, not {asked.get('encoding')}")
    if not _SLOWEST <= rate <= _FASTEST:
        raise NoAnswer(f"the local engine hears 8,000 to 48,000 samples a second, not {rate}")
    if len(sound) > LONGEST * rate:
        raise NoAnswer(f"the local engine hears sounds of at most {LONGEST} seconds")
    if rate == RATE or not sound.size:
        return sound.astype("<i2")
    from scipy.signal import resample_poly  # noqa: PLC0415 - half a second that few sounds need

    heard = resample_poly(sound.astype(np.float64), RATE, rate)
    clipped: Samples = np.clip(heard, -32_768, 32_767).astype("<i2")
    return clipped


def _of_wave(content: bytes) -> tuple[Samples, int]:
    try:
        with wave.open(io.BytesIO(content)) as sound:
            if sound.getsampwidth() != 2:
                raise NoAnswer("the local engine hears sounds of 16 bits a sample")
            frames = sound.readframes(sound.getnframes())
            return _mixed(frames, sound.getnchannels()), sound.getframerate()
    except (wave.Error, EOFError) as error:
        raise NoAnswer(f"the local engine cannot read the sound: {error}") from error


def _mixed(content: bytes, channels: int) -> Samples:
    whole = len(content) // (2 * channels) * 2 * channels
    frames = np.frombuffer(content[:whole], "<i2").reshape(-1, channels)
    return frames[:, 0] if channels == 1 else frames.mean(axis=1).astype("<i2")


def _whole(asked: JsonObject, name: str, default: int) -> int:
    value = asked.get(name)
    return value if isinstance(value, int) and value > 0 else default
