"""Odd recordings."""

from __future__ import annotations

import itertools

import numpy as np

from analyzers.vocabulary import Input, InputSupply
from worker.sources import spoken_recordings
from worker.sources.edge_cases.odd_texts import DIALOGUE, ENGLISH, FOREIGN, shuffled, taken
from worker.sources.spoken_recordings import RATE, Samples, SpeechUnavailable, Voice

LONG_SECONDS = 70
SILENCES = ((1.0, 0.0), (3.0, 0.0), (2.0, 0.002))
"""Seconds, and how loud the noise in them is as a share of the full scale."""


def nothing(_: str, count: int, seed: int) -> InputSupply:
    """Silence, and a faint noise."""
    generator = np.random.default_rng(seed)
    made = (_still(seconds, noise, generator) for seconds, noise in SILENCES)
    return taken(made, count, "silences")


def _still(seconds: float, noise: float, generator: np.random.Generator) -> Input:
    samples = generator.normal(0, noise * 32767, round(seconds * RATE)).astype(np.int16)
    what = f"{seconds:g} s of {'faint noise' if noise else 'silence'}"
    return spoken_recordings.recording(samples, what, None)


def several(_: str, count: int, seed: int) -> InputSupply:
    """Two people talking.  Raises ``SpeechUnavailable``."""
    del seed
    row = list(_speakers())
    made = (_conversation(*pair) for pair in itertools.pairwise(row))
    return taken(made, count, "conversations")


def _conversation(one: Voice, other: Voice) -> Input:
    lines = zip(itertools.cycle((one, other)), DIALOGUE, strict=False)
    return spoken_recordings.recording(
        spoken_recordings.dialogue(lines), "two people talking", " ".join(DIALOGUE)
    )


def huge(_: str, count: int, seed: int) -> InputSupply:
    """Speech of 70 s: services that answer at once take a minute.  Raises ``SpeechUnavailable``."""
    row = shuffled(ENGLISH, seed)
    made = (
        spoken_recordings.recording(_lasting(voice, row), f"{LONG_SECONDS} s of speech", None)
        for voice in _speakers()
    )
    return taken(made, count, "long recordings")


def _lasting(voice: Voice, sentences: list[str]) -> Samples:
    """Somebody who talks for 70 s."""
    once = spoken_recordings.dialogue([(voice, sentence) for sentence in sentences])
    return np.resize(once, LONG_SECONDS * RATE)


def _speakers() -> tuple[Voice, ...]:
    found = spoken_recordings.english()
    if not found:
        raise SpeechUnavailable(spoken_recordings.REMEDY)
    return found


def foreign(_: str, count: int, seed: int) -> InputSupply:
    """Speech in other languages.  Raises ``SpeechUnavailable``."""
    del seed
    if spoken_recordings.synthesised("de") is None:
        return InputSupply((), "no program speaks other languages here: apt install espeak-ng")
    made = (
        spoken_recordings.recording(voice.say(each.sentences[at]), f"{each.language} speech", None)
        for at in range(2)
        for each in FOREIGN
        if (voice := spoken_recordings.synthesised(each.code)) is not None
    )
    return taken(made, count, "recordings in other languages")
