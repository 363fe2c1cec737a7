"""Programs that speak: flite, and espeak-ng where it is missing or a language is not English.

Both are Debian packages of their names.  A text goes to them in a file, never
on a command line, and what they write is brought to one form: a channel of
16,000 samples a second of 16 bits, which speech APIs recommend.
"""

from __future__ import annotations

import functools
import io
import shutil
import subprocess
import wave
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from worker.programs import SEARCH_PATH, environment
from worker.temporary import owned_folder

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


class Mute(Exception):  # noqa: N818 - a fact about this machine or the text
    """A voice did not speak, and why."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice of a program; ``language`` is an ISO 639-1 code."""

    program: str
    name: str
    language: str = ENGLISH

    def say(self, text: str, slowness: float = 1.0) -> Samples:
        """The samples of a spoken text, ``slowness`` times as long as usual.

        Raises:
            Mute: the program failed, took longer than 30 s, or said nothing.

        """
        return np.frombuffer(_said(self, text, slowness), np.int16)


def english() -> tuple[Voice, ...]:
    """The English voices of this machine: flite's, else those of espeak-ng."""
    if _place(FLITE):
        return tuple(Voice(FLITE, name) for name in _FLITE_VOICES if name in _flite_voices())
    return tuple(Voice(ESPEAK, name) for name in _ESPEAK_VOICES) if _place(ESPEAK) else ()


def speaking(language: str) -> Voice | None:
    """A voice for another language (ISO 639-1), if espeak-ng is installed."""
    return Voice(ESPEAK, language, language) if _place(ESPEAK) else None


def _place(program: str) -> str | None:
    return shutil.which(program, path=SEARCH_PATH)


@functools.cache
def _flite_voices() -> frozenset[str]:
    """The voices that are installed, as flite lists them."""
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
        raise Mute(f"{len(text)} characters are too many to say at once")
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
            raise Mute(f"{voice.program} failed: {type(error).__name__}") from error
    if not samples.any():
        raise Mute(f"{voice.program} says nothing for {text!r}")
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
