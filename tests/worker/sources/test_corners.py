import io
import wave

import numpy as np
import pytest
from PIL import Image
from skimage.data import lbp_frontal_face_cascade_filename
from skimage.feature import Cascade

from analyzers.vocabulary import EdgeCase, InputKind, InputRequest
from worker.sources import spoken_recordings
from worker.sources.edge_cases import MAKERS
from worker.sources.edge_cases.odd_texts import MANY_CHARACTERS
from worker.sources.source_selection import Sources
from worker.sources.spoken_recordings import ESPEAK, FLITE

FACES, LABELS = "google.vision.face_detection", "google.vision.label_detection"
WORDS, FEELING = "google.vision.text_detection", "google.language.analyze_sentiment"
ENTITIES, SPEECH = "google.language.analyze_entities", "google.speech.recognize"
TOPICS = "google.language.classify_text"
KINDS = {
    **dict.fromkeys([FACES, LABELS, WORDS], InputKind.IMAGE),
    **dict.fromkeys([FEELING, ENTITIES, TOPICS], InputKind.TEXT),
    SPEECH: InputKind.AUDIO,
}


def odd(api, corner, count=2, seed=0):
    return Sources().find(InputRequest(api, None, corner=corner), count, seed)


def seconds(item):
    with wave.open(io.BytesIO(item.content)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (16_000, 1, 2)
        return sound.getnframes() / 16_000


def faces_on(item):
    """How many faces scikit-image finds."""
    cascade = Cascade(lbp_frontal_face_cascade_filename())
    pixels = np.array(Image.open(io.BytesIO(item.content)).convert("RGB"))
    return len(cascade.detect_multi_scale(pixels, 1.2, 1, (100, 100), (260, 260)))


def needs(program):
    if not spoken_recordings._place(program):
        pytest.skip(f"{program} is absent")


def test_every_kind_has_every_corner():
    asked = {kind for kind in InputKind if kind is not InputKind.VALUE}
    assert set(MAKERS) == {(kind, corner) for kind in asked for corner in EdgeCase}


@pytest.mark.parametrize("api", KINDS)
def test_nothing_to_find(api):
    supply = odd(api, EdgeCase.NOTHING, 3)
    assert supply.shortfall is None
    assert [(item.kind, item.reading) for item in supply.inputs] == [(KINDS[api], None)] * 3


@pytest.mark.parametrize("api", [FEELING, TOPICS])
def test_empty_texts_run_out(api):
    supply = odd(api, EdgeCase.NOTHING, 10)
    assert len(supply.inputs) == 4
    assert supply.shortfall
    assert not any(item.content.strip() for item in supply.inputs)


def test_several_lines_of_writing():
    assert all("\n" in item.reading for item in odd(WORDS, EdgeCase.SEVERAL).inputs)


def test_several_faces():
    (item,) = odd(FACES, EdgeCase.SEVERAL, 1).inputs
    assert item.description == "6 faces"
    assert faces_on(item) >= 4


def test_several_things():
    (item,) = odd(LABELS, EdgeCase.SEVERAL, 1).inputs
    assert Image.open(io.BytesIO(item.content)).size == (800, 600)


def test_several_people_write():
    for item in odd(FEELING, EdgeCase.SEVERAL).inputs:
        assert len(item.content.decode().splitlines()) == 6


def test_several_people_talk():
    needs(FLITE)
    (item,) = odd(SPEECH, EdgeCase.SEVERAL, 1).inputs
    assert 5 < seconds(item) < 30


def test_very_long_texts():
    (item,) = odd(ENTITIES, EdgeCase.HUGE, 1).inputs
    assert len(item.content.decode()) == MANY_CHARACTERS == 20_000


@pytest.mark.parametrize("api", [WORDS, LABELS])
def test_very_large_pictures(api):
    (item,) = odd(api, EdgeCase.HUGE, 1).inputs
    assert len(item.content) <= 3_000_000
    assert Image.open(io.BytesIO(item.content)).size == (4000, 3000)


def test_very_long_speech():
    needs(FLITE)
    (item,) = odd(SPEECH, EdgeCase.HUGE, 1).inputs
    assert seconds(item) == 70


@pytest.mark.parametrize("api", [FEELING, WORDS])
def test_words_in_other_languages(api):
    supply = odd(api, EdgeCase.FOREIGN, 3)
    assert len(supply.inputs) == 3
    assert not all(item.reading.isascii() for item in supply.inputs)


def test_speech_in_other_languages():
    if not spoken_recordings._place(ESPEAK):
        assert "apt install espeak-ng" in odd(SPEECH, EdgeCase.FOREIGN).shortfall
        pytest.skip("espeak-ng is absent")
    first, second = odd(SPEECH, EdgeCase.FOREIGN).inputs
    assert first.description == "German speech"
    assert seconds(first) > 0.5
    assert first.digest != second.digest


@pytest.mark.parametrize("corner", [EdgeCase.SEVERAL, EdgeCase.HUGE])
def test_missing_program_falls_short(corner, monkeypatch):
    monkeypatch.setattr(spoken_recordings, "_place", lambda program: None)
    assert "apt install flite" in odd(SPEECH, corner).shortfall
