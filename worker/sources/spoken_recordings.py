"""Programs that speak: flite, and espeak-ng where it is missing or a language is not English.

Texts go to them in a file, never on a command line; samples are 16 bits, 16,000 a second.
"""

from __future__ import annotations

import functools
import io
import itertools
import random
import re
import shutil
import subprocess
import wave
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, Origin
from worker.system.programs import SEARCH_PATH, environment
from worker.system.temporary_files import owned_folder

FLITE, ESPEAK = "flite", "espeak-ng"
RATE = 16_000
SECONDS = 30.0
MOST_CHARACTERS = 2000
ENGLISH = "en"
_FLITE_VOICES = ("slt", "rms", "awb", "kal16", "kal")
_ESPEAK_VOICES = ("en-us", "en-gb", "en-us+f3", "en-gb-scotland", "en-us+m3")
_ESPEAK_WORDS = 150
_KEPT = 256

Samples: TypeAlias = "np.ndarray[Any, np.dtype[np.int16]]"


class SpeechUnavailable(Exception):  # noqa: N818 - a fact about this machine or the text
    """A voice did not speak, and why."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice of a program; ``language`` is an ISO 639-1 code."""

    program: str
    name: str
    language: str = ENGLISH

    def say(self, text: str, slowness: float = 1.0) -> Samples:
        """Return a text's samples, ``slowness`` times as long; raise ``SpeechUnavailable``."""
        return np.frombuffer(_said(self, text, slowness), np.int16)


def english() -> tuple[Voice, ...]:
    """Return the English voices of this machine: flite's, else those of espeak-ng."""
    if _place(FLITE):
        return tuple(Voice(FLITE, name) for name in _FLITE_VOICES if name in _flite_voices())
    return tuple(Voice(ESPEAK, name) for name in _ESPEAK_VOICES) if _place(ESPEAK) else ()


def synthesised(language: str) -> Voice | None:
    """A voice for another language (ISO 639-1), if espeak-ng is installed."""
    return Voice(ESPEAK, language, language) if _place(ESPEAK) else None


def _place(program: str) -> str | None:
    return shutil.which(program, path=SEARCH_PATH)


@functools.cache
def _flite_voices() -> frozenset[str]:
    try:
        listed = subprocess.run(  # noqa: S603 - a fixed program, no shell
            [_place(FLITE) or FLITE, "-lv"],
            capture_output=True,
            check=True,
            env=environment(),
            timeout=SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(listed.stdout.decode(errors="replace").partition(":")[2].split())


@functools.lru_cache(maxsize=_KEPT)
def _said(voice: Voice, text: str, slowness: float) -> bytes:
    if len(text) > MOST_CHARACTERS:
        raise SpeechUnavailable(f"{len(text)} characters are too many to say at once")
    with owned_folder("speech") as folder:
        words, sound = folder / "words.txt", folder / "sound.wav"
        words.write_text(text, encoding="utf-8")
        command = _command(voice, str(words), str(sound), slowness)
        try:
            subprocess.run(  # noqa: S603 - a fixed program, no shell
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                cwd=folder,
                env=environment(),
                timeout=SECONDS,
            )
            samples = _samples(sound.read_bytes())
        except (OSError, subprocess.SubprocessError, wave.Error, EOFError) as error:
            raise SpeechUnavailable(f"{voice.program} failed: {type(error).__name__}") from error
    if not samples.any():
        raise SpeechUnavailable(f"{voice.program} says nothing for {text!r}")
    return samples.tobytes()


def _command(voice: Voice, words: str, sound: str, slowness: float) -> list[str]:
    place = _place(voice.program) or voice.program
    if voice.program == FLITE:
        stretch = ["--setf", f"duration_stretch={slowness}"]
        return [place, "-voice", voice.name, *stretch, "-f", words, "-o", sound]
    speed = str(round(_ESPEAK_WORDS / slowness))
    return [place, "-v", voice.name, "-s", speed, "-f", words, "-w", sound]


def _samples(content: bytes) -> Samples:
    """One channel of 16,000 samples a second.  Raises ``wave.Error``, ``EOFError``."""
    with wave.open(io.BytesIO(content)) as sound:
        if (sound.getnchannels(), sound.getsampwidth()) != (1, 2):
            raise wave.Error("not one channel of 16 bits")
        rate, frames = sound.getframerate(), sound.readframes(sound.getnframes())
    samples = np.frombuffer(frames, np.int16)
    if rate == RATE or not samples.size:
        return samples
    from scipy.signal import resample_poly  # noqa: PLC0415 - half a second that few sounds need

    factor = np.gcd(rate, RATE)
    resampled = resample_poly(samples.astype(np.float64), RATE // factor, rate // factor)
    return as_samples(resampled)


def as_samples(values: Any) -> Samples:
    """Numbers of a 16-bit scale as samples."""
    return np.asarray(values.round().clip(-32768, 32767), np.int16)


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
class SpeakingManner:
    """The voice and manner of a speaker; ``noise`` is a share of the full scale."""

    voice: Voice
    slowness: float = 1.0
    loudness: float = 1.0
    noise: float = 0.0


def find(wanted: InputRequest, count: int, seed: int) -> InputSupply:
    """Have ``wanted.reading`` spoken ``count`` times; a longer supply begins with a shorter one."""
    words = wanted.reading or ""
    if not (words.isascii() and _SAYABLE.search(words)):
        named = words[:LONGEST_NAMED]
        return InputSupply((), f"the voices of this machine speak English, not {named!r}")
    speakers = english()
    if not speakers:
        return InputSupply((), REMEDY)
    manners = list(itertools.islice(_manners(speakers, seed, words), count))
    try:
        found = tuple(spoken(words, manner) for manner in manners)
    except SpeechUnavailable as problem:
        return InputSupply((), str(problem))
    enough = len(found) == count
    return InputSupply(
        found, None if enough else f"there are {len(found)} ways to say {words!r} here"
    )


def _manners(speakers: tuple[Voice, ...], seed: int, words: str) -> Iterator[SpeakingManner]:
    chance = random.Random(f"{seed}/{words}")  # noqa: S311
    row = list(speakers)
    chance.shuffle(row)
    for noise, loudness, slowness in itertools.product(NOISE, LOUDNESS, SLOWNESS):
        yield from (SpeakingManner(voice, slowness, loudness, noise) for voice in row)


def spoken(words: str, manner: SpeakingManner) -> Input:
    """A recording of the words.  Raises ``SpeechUnavailable``."""
    voice = manner.voice
    style = f"{voice.program}'s voice {voice.name}"
    if manner.slowness != 1:
        style += f", {manner.slowness:g} times as long"
    if manner.loudness != 1:
        style += ", quietly"
    if manner.noise:
        style += ", before a faint noise"
    description = f"{words!r} by {style}"
    samples = voice.say(words, manner.slowness)
    margin = np.zeros(round(MARGIN_SECONDS * RATE))
    shaped = np.concatenate((margin, samples / np.abs(samples.astype(float)).max(), margin))
    shaped *= PEAK * manner.loudness
    if manner.noise:
        generator = np.random.default_rng(len(samples))
        shaped += generator.normal(0, manner.noise * PEAK, shaped.size)
    return recording(as_samples(shaped), description, words)


def dialogue(lines: Iterable[tuple[Voice, str]]) -> Samples:
    """Several voices, one after another with pauses between.  Raises ``SpeechUnavailable``."""
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
