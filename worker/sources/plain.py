"""Inputs that mean nothing, for probes whose answers are given."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image

from analyzers.vocabulary import Form, Input, InputKind, Origin

PLAIN = Origin("plain")
SIZE = (160, 120)
GREY = (128, 128, 128)
TEXT = "The quick brown fox jumps over the lazy dog."


@cache
def plain_input(form: Form) -> Input:
    """A grey picture, or a pangram where the function takes a text."""
    if form is Form.TEXT:
        return Input(InputKind.TEXT, TEXT.encode(), "any text", None, ".txt", PLAIN)
    file = io.BytesIO()
    Image.new("RGB", SIZE, GREY).save(file, "PNG")
    return Input(InputKind.IMAGE, file.getvalue(), "any picture", None, ".png", PLAIN)
