"""Recordings of wanted words, spoken by several voices.

Voices take turns; after each round they speak slower or faster, then more
quietly, then before a faint noise, so that recordings differ as people's do.
All are WAV files of one channel, 16,000 samples a second of 16 bits.
"""

from __future__ import annotations

import io
import itertools
import random
import re
import wave
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from analyzers.vocabulary import Input, InputKind, Origin, Supply, Wanted
from worker.sources import voices
from worker.sources.voices import RATE, Mute, Samples, Voice, as_samples

REMEDY = "no program speaks here: apt install flite"
SLOWNESS = (1.0, 1.1, 0.95, 1.2)
LOUDNESS = (1.0, 0.6)
NOISE = (0.0, 0.01)
MARGIN_SECONDS = 0.25
PAUSE_SECONDS = 0.5
PEAK = 20_000
LONGEST_NAMED = 200
_SAYABLE = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Manner:
    """Who speaks and how; ``noise`` is a share of the full scale."""

    voice: Voice
    slowness: float = 1.0
    loudness: float = 1.0
    noise: float = 0.0


def find(wanted: Wanted, count: int, seed: int) -> Supply:
    """Have ``wanted.reading`` spoken ``count`` times; the same for a seed.

    A longer supply begins with a shorter one.
    """
    words = wanted.reading or ""
    if not (words.isascii() and _SAYABLE.search(words)):
        named = words[:LONGEST_NAMED]
        return Supply((), f"the voices of this machine speak English, not {named!r}")
    speakers = voices.english()
    if not speakers:
        return Supply((), REMEDY)
    manners = list(itertools.islice(_manners(speakers, seed, words), count))
    try:
        found = tuple(spoken(words, manner) for manner in manners)
    except Mute as problem:
        return Supply((), str(problem))
    enough = len(found) == count
    return Supply(found, None if enough else f"there are {len(found)} ways to say {words!r} here")


def _manners(speakers: tuple[Voice, ...], seed: int, words: str) -> Iterator[Manner]:
    """Every manner once, the voices taking turns."""
    chance = random.Random(f"{seed}/{words}")  # noqa: S311
    row = list(speakers)
    chance.shuffle(row)
    for noise, loudness, slowness in itertools.product(NOISE, LOUDNESS, SLOWNESS):
        yield from (Manner(voice, slowness, loudness, noise) for voice in row)


def spoken(words: str, manner: Manner) -> Input:
    """A recording of the words.  Raises ``Mute``."""
    voice = manner.voice
    style = f"{voice.program}'s voice {voice.name}"
    if manner.slowness != 1:
        style += f", {manner.slowness:g} times as long"
    if manner.loudness != 1:
        style += ", quietly"
    if manner.noise:
        style += ", before a faint noise"
    description = f"{words!r} by {style}"
    return recording(_shaped(voice.say(words, manner.slowness), manner), description, words)


def dialogue(lines: Iterable[tuple[Voice, str]]) -> Samples:
    """Several voices, one after another with pauses between.  Raises ``Mute``."""
    pause = np.zeros(round(PAUSE_SECONDS * RATE), np.int16)
    parts = [part for voice, line in lines for part in (voice.say(line), pause)]
    return np.concatenate(parts[:-1])


def recording(samples: Samples, description: str, reading: str | None) -> Input:
    """A WAV file of samples at 16,000 a second."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        sound.writeframes(samples.astype("<i2").tobytes())
    origin = Origin("spoken")
    return Input(InputKind.AUDIO, file.getvalue(), description, reading, ".wav", origin)


def _shaped(samples: Samples, manner: Manner) -> Samples:
    """The words at a loudness, with silence around them and perhaps a noise behind."""
    margin = np.zeros(round(MARGIN_SECONDS * RATE))
    shaped = np.concatenate((margin, samples / np.abs(samples.astype(float)).max(), margin))
    shaped *= PEAK * manner.loudness
    if manner.noise:
        generator = np.random.default_rng(len(samples))
        shaped += generator.normal(0, manner.noise * PEAK, shaped.size)
    return as_samples(shaped)
