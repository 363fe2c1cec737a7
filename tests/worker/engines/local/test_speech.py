"""PocketSphinx on a sentence that Flite's voice slt says."""

import io
import wave
from pathlib import Path

import numpy as np
import pytest

from analyzers import catalogue
from analyzers.cloud.api_answers import meaning_of, said, whole
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.local.speech_recognition import LocalSpeech

API = "google.speech.recognize"
CALL = (Path(__file__).parent / "sounds" / "fire_brigade.wav").read_bytes()
ENGLISH = {"language_code": "en-US"}
SAMPLES = {"encoding": "LINEAR16", "sample_rate_hertz": 8000, "audio_channel_count": 2}
engine = LocalSpeech()


def wav(samples, rate=16_000, width=2, channels=1):
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((channels, width, rate, 0, "NONE", ""))
        sound.writeframes(samples)
    return file.getvalue()


def frames():
    with wave.open(io.BytesIO(CALL)) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2")


def heard(content, **parameters):
    request = ApiRequest(content, parameters={**ENGLISH, **parameters})
    return validated_answer(API, engine.ask(API, request))


@pytest.mark.parametrize(
    ("content", "parameters"),
    [
        pytest.param(CALL, {}, id="wave", marks=pytest.mark.slow),
        pytest.param(np.repeat(frames(), 2).tobytes(), SAMPLES, id="stereo samples"),
    ],
)
def test_sentence_is_written_down(content, parameters):
    alternative = {"transcript": "please call the fire brigade"}
    expected = {"results": [{"alternatives": [alternative], "language_code": "en-us"}]}
    assert heard(content, **parameters) == expected


SAID = "Please call the fire brigade."
WHISPER = {"model": "openai/whisper-small"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "parameters", "text"),
    [
        ("openai.transcriptions", {"model": "whisper-1", "language": "en"}, SAID),
        ("azure.speech.recognize_once", {"language": "en-US"}, SAID),
        ("huggingface.automatic_speech_recognition", WHISPER, SAID),
        ("huggingface.automatic_speech_recognition", {}, SAID[:-1].upper()),
    ],
)
def test_sentence_is_written_as_the_api_does(api, parameters, text):
    answer = validated_answer(api, engine.ask(api, ApiRequest(CALL, parameters=parameters)))
    assert said(meaning_of(catalogue.load_catalogue()[api]), answer) == (text,)
    ordinary = catalogue.load_catalogue().ordinary[api]
    assert answer.keys() == ordinary.keys()
    silent = validated_answer(
        api, engine.ask(api, ApiRequest(wav(bytes(32_000)), parameters=parameters))
    )
    assert whole(meaning_of(catalogue.load_catalogue()[api]), silent) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "parameters"),
    [
        ("openai.transcriptions", {"response_format": "verbose_json"}),
        ("huggingface.automatic_speech_recognition", {"return_timestamps": True}),
    ],
)
def test_times_of_words_are_left_to_the_provider(api, parameters):
    with pytest.raises(NoAnswer, match="not when they are said"):
        engine.ask(api, ApiRequest(CALL, parameters=parameters))


@pytest.mark.parametrize(
    "samples", [b"", bytes(2), bytes(32_000)], ids=["empty", "one sample", "a second"]
)
def test_silence_has_no_result(samples):
    assert heard(wav(samples)) == {}


@pytest.mark.parametrize(
    ("content", "parameters", "reason"),
    [
        (None, {}, "not addresses"),
        (CALL, {"language_code": "de-DE"}, "hears English, not 'de-DE'"),
        (b"fLaC...", {"encoding": "FLAC"}, "hears LINEAR16, not FLAC"),
        (b"RIFF and nothing", {}, "cannot read the sound"),
        (wav(bytes(100), width=1), {}, "16 bits"),
        (wav(bytes(100), rate=4000), {}, "not 4000"),
        (wav(bytes(61 * 16_000), rate=8000), {}, "at most 60 seconds"),
    ],
)
def test_what_it_cannot_hear_is_said(content, parameters, reason):
    with pytest.raises(NoAnswer, match=reason):
        heard(content, **parameters)


def test_missing_package_names_itself(monkeypatch):
    monkeypatch.setattr("worker.engines.local.speech_recognition.find_spec", lambda name: None)
    with pytest.raises(NoAnswer, match="install pocketsphinx"):
        LocalSpeech().ask(API, ApiRequest(CALL))


def test_stands_in_for_methods_of_whole_sounds():
    assert engine.local
    assert "pocketsphinx-5" in engine.identity
    assert engine.answers("google.speech.long_running_recognize")
    assert not engine.answers("google.speech.streaming_recognize")
