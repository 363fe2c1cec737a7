import io
import subprocess
import time
import wave
from collections import Counter

import pytest

from analyzers.vocabulary import InputKind, InputRequest
from worker.engines.engine import ApiRequest
from worker.engines.local.speech_recognition import LocalSpeech
from worker.sources import spoken_recordings
from worker.sources.spoken_recordings import ESPEAK, FLITE, SpeakingManner, SpeechUnavailable, Voice

API = "google.speech.recognize"
WORDS = "turn on the kitchen lights"

flite = pytest.mark.skipif(not spoken_recordings._place(FLITE), reason="flite is absent")
espeak = pytest.mark.skipif(not spoken_recordings._place(ESPEAK), reason="espeak-ng is absent")


def find(words=WORDS, count=5, seed=0):
    return spoken_recordings.find(InputRequest(API, words), count, seed)


def form(content):
    with wave.open(io.BytesIO(content)) as sound:
        return sound.getframerate(), sound.getnchannels(), sound.getsampwidth(), sound.getnframes()


@flite
def test_recordings_have_the_form_that_services_recommend():
    supply = find()
    assert supply.shortfall is None
    for item in supply.inputs:
        assert (item.kind, item.reading, item.suffix) == (InputKind.AUDIO, WORDS, ".wav")
        rate, *rest, frames = form(item.content)
        assert (rate, *rest) == (16_000, 1, 2)
        assert 1 < frames / rate < 6


@flite
def test_voices_take_turns():
    said = [item.description.split("voice ")[1].split(",")[0] for item in find(count=20).inputs]
    assert Counter(said) == dict.fromkeys(["slt", "rms", "awb", "kal16", "kal"], 4)
    assert said[:5] == said[5:10]


@flite
def test_recordings_differ_until_ways_run_out():
    supply = find(count=1000)
    digests = {item.digest for item in supply.inputs}
    assert len(digests) == len(supply.inputs) == 80
    assert "80 ways to say" in supply.shortfall


@flite
def test_same_seed_same_recordings():
    digests = [item.digest for item in find(count=5, seed=1).inputs]
    assert digests == [item.digest for item in find(count=5, seed=1).inputs]
    assert digests != [item.digest for item in find(count=5, seed=2).inputs]


@flite
def test_words_are_heard_as_they_were_meant():
    """By the engine of this machine, which is far from the best."""
    recording = spoken_recordings.spoken(WORDS, SpeakingManner(Voice(FLITE, "rms")))
    heard = LocalSpeech().ask(API, ApiRequest(content=recording.content))
    assert heard["results"][0]["alternatives"][0]["transcript"] == WORDS


@flite
@pytest.mark.parametrize("words", ["$(touch x); `id`", "-voice awb", "--help stop", "a\x0bb"])
def test_words_are_never_a_command(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(find(words, 1).inputs) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["", "   ", "...", "今日はいい天気ですね", "Straße"])
def test_what_the_voices_cannot_say_falls_short(words):
    supply = find(words)
    assert supply.inputs == ()
    assert "speak English" in supply.shortfall


def test_missing_program_names_its_package(monkeypatch):
    monkeypatch.setattr(spoken_recordings, "_place", lambda program: None)
    assert "apt install flite" in find().shortfall


@espeak
def test_other_program_speaks_where_flite_is_missing(monkeypatch):
    place = spoken_recordings._place
    monkeypatch.setattr(
        spoken_recordings, "_place", lambda program: program == ESPEAK and place(program)
    )
    (item,) = find(count=1).inputs
    assert "espeak-ng's voice en" in item.description
    assert form(item.content)[:3] == (16_000, 1, 2)


def test_program_that_hangs_is_ended_and_told(monkeypatch):
    def hang(command, **options):
        assert options["timeout"] <= 60
        assert set(options["env"]) == {"PATH"}
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(SpeechUnavailable, match="TimeoutExpired"):
        Voice(FLITE, "slt").say("a text that was never said before")


def test_long_foreign_words_are_refused_at_once():
    began = time.monotonic()
    supply = spoken_recordings.find(InputRequest(API, "a" * 1_000_000 + "é"), 1, 0)
    assert (supply.inputs, len(supply.shortfall) < 300) == ((), True)
    assert time.monotonic() - began < 30
