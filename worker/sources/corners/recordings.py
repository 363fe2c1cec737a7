"""Odd recordings."""

from __future__ import annotations

import itertools

import numpy as np

from analyzers.vocabulary import Input, Supply
from worker.sources import spoken, voices
from worker.sources.corners.choosing import shuffled, taken
from worker.sources.sentences import DIALOGUE, ENGLISH, FOREIGN
from worker.sources.voices import RATE, Mute, Samples, Voice

LONG_SECONDS = 70
SILENCES = ((1.0, 0.0), (3.0, 0.0), (2.0, 0.002))
"""Seconds, and how loud the noise in them is as a share of the full scale."""


def nothing(_: str, count: int, seed: int) -> Supply:
    """Silence, and a faint noise."""
    generator = np.random.default_rng(seed)
    made = (_still(seconds, noise, generator) for seconds, noise in SILENCES)
    return taken(made, count, "silences")


def _still(seconds: float, noise: float, generator: np.random.Generator) -> Input:
    samples = generator.normal(0, noise * 32767, round(seconds * RATE)).astype(np.int16)
    what = f"{seconds:g} s of {'faint noise' if noise else 'silence'}"
    return spoken.recording(samples, what, None)


def several(_: str, count: int, seed: int) -> Supply:
    """Two people talking.  Raises ``Mute``."""
    del seed
    row = list(_speakers())
    made = (_conversation(*pair) for pair in itertools.pairwise(row))
    return taken(made, count, "conversations")


def _conversation(one: Voice, other: Voice) -> Input:
    lines = zip(itertools.cycle((one, other)), DIALOGUE, strict=False)
    return spoken.recording(spoken.dialogue(lines), "two people talking", " ".join(DIALOGUE))


def huge(_: str, count: int, seed: int) -> Supply:
    """Speech of 70 s: services that answer at once take a minute.  Raises ``Mute``."""
    row = shuffled(ENGLISH, seed)
    made = (
        spoken.recording(_lasting(voice, row), f"{LONG_SECONDS} s of speech", None)
        for voice in _speakers()
    )
    return taken(made, count, "long recordings")


def _lasting(voice: Voice, sentences: list[str]) -> Samples:
    """Somebody who talks for 70 s."""
    once = spoken.dialogue([(voice, sentence) for sentence in sentences])
    return np.resize(once, LONG_SECONDS * RATE)


def _speakers() -> tuple[Voice, ...]:
    found = voices.english()
    if not found:
        raise Mute(spoken.REMEDY)
    return found


def foreign(_: str, count: int, seed: int) -> Supply:
    """Speech in other languages.  Raises ``Mute``."""
    del seed
    if voices.speaking("de") is None:
        return Supply((), "no program speaks other languages here: apt install espeak-ng")
    made = (
        spoken.recording(voice.say(each.sentences[at]), f"{each.language} speech", None)
        for at in range(2)
        for each in FOREIGN
        if (voice := voices.speaking(each.code)) is not None
    )
    return taken(made, count, "recordings in other languages")
