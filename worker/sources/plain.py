"""Inputs that mean nothing, for probes whose answers are given."""

from __future__ import annotations

import io
import wave
from functools import cache

from PIL import Image

from analyzers.vocabulary import Form, Input, InputKind, Origin

PLAIN = Origin("plain")
SIZE = (160, 120)
GREY = (128, 128, 128)
TEXT = "The quick brown fox jumps over the lazy dog."


SOUNDS = ".wav"
TEXTS = ".txt"
RATE = 16_000


@cache
def plain_input(form: Form, suffix: str = "") -> Input:
    """A grey picture; a pangram or a second of silence where the function takes those.

    ``suffix`` says what a file or its bytes are meant to be.
    """
    if form is Form.TEXT or suffix == TEXTS:
        return Input(InputKind.TEXT, TEXT.encode(), "any text", None, TEXTS, PLAIN)
    file = io.BytesIO()
    if suffix == SOUNDS:
        with wave.open(file, "wb") as sound:
            sound.setparams((1, 2, RATE, 0, "NONE", ""))
            sound.writeframes(bytes(2 * RATE))
        return Input(InputKind.AUDIO, file.getvalue(), "silence", None, SOUNDS, PLAIN)
    Image.new("RGB", SIZE, GREY).save(file, "PNG")
    return Input(InputKind.IMAGE, file.getvalue(), "any picture", None, ".png", PLAIN)
