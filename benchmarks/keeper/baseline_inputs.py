"""The baselines' inputs: random real ones, the same with noise, and fuzzed ones.

Keeper, section 6.1.2: each technique makes 100 inputs for a function.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from PIL import Image

from analyzers.vocabulary import Input, InputKind, InputRequest, Origin
from benchmarks.keeper.stand_in_services import Album
from worker.sources.source_selection import Sources

INPUTS = 100
SIGMA = 25.0
"""Standard deviation of the noise on pictures, in grey levels of 255."""
EVERYDAY = (
    "dog", "cat", "car", "tree", "person", "food", "building", "flower", "bottle", "chair",
    "joyful human face", "street", "fruit", "beach", "computer",
)  # fmt: skip
VOICES = 3
SENTENCES = (
    "what time is it", "turn on the light", "how is the weather today", "call my mother",
    "the train leaves at seven", "please open the window", "play some music", "good morning",
    "where is the station", "i would like a cup of tea", "thank you very much", "stop the car",
)  # fmt: skip


def random_real(kind: InputKind, keywords: Sequence[str], album: Album, seed: int) -> list[Input]:
    """Inputs of well-known kinds, without regard to the code under test.

    ``keywords`` are those of all applications: a data set of pictures knows
    no single one.
    """
    chance = random.Random(seed)
    if kind is InputKind.IMAGE:
        pool = [*EVERYDAY, *keywords]
        picked = [(chance.choice(pool), chance.randrange(10)) for _ in range(INPUTS)]
        return [_numbered(album, keyword, number) for keyword, number in picked]
    if kind is InputKind.AUDIO:
        return [_spoken(chance.choice(SENTENCES), chance.randrange(VOICES)) for _ in range(INPUTS)]
    rated = [
        item
        for feeling in ("positive", "negative")
        for item in Sources(None)
        .find(InputRequest("google.language.analyze_sentiment", feeling), INPUTS // 2, seed)
        .inputs
    ]
    chance.shuffle(rated)
    return rated


def _numbered(album: Album, keyword: str, number: int) -> Input:
    *_, last = album.pictures(keyword, number + 1)
    return last


@cache
def _spoken(words: str, seed: int) -> Input:
    supply = Sources(None).find(InputRequest("google.speech.recognize", words), 1, seed)
    if not supply.inputs:
        raise RuntimeError(supply.shortfall or "no speech")
    return supply.inputs[0]


def with_noise(items: Sequence[Input], seed: int) -> list[Input]:
    """Pictures with Gaussian noise, half of the texts with their words in another order."""
    chance = random.Random(seed)
    grain = np.random.default_rng(seed)
    return [_noisy(item, chance, grain) for item in items]


def _noisy(item: Input, chance: random.Random, grain: np.random.Generator) -> Input:
    if item.kind is InputKind.IMAGE:
        with Image.open(io.BytesIO(item.content)) as opened:
            pixels = np.asarray(opened.convert("RGB"), dtype=np.float64)
        noisy = (pixels + grain.normal(0.0, SIGMA, pixels.shape)).clip(0, 255).astype(np.uint8)
        return _made(item.kind, _png(noisy), ".png")
    if item.kind is InputKind.TEXT and chance.random() < 0.5:
        words = item.content.decode().split()
        chance.shuffle(words)
        return _made(item.kind, " ".join(words).encode(), ".txt")
    return item


Covered = Callable[[Sequence[Input]], Sequence[frozenset[str]]]


def fuzzed(kind: InputKind, seeds: Sequence[Input], covered: Covered, seed: int) -> Iterator[Input]:
    """Coverage-guided fuzzing: bytes, ASCII characters and pixels, kept where they reach more.

    ``covered`` runs inputs and says which branches each reached.
    """
    chance = random.Random(seed)
    corpus = [bytes(64), *(item.content[:4096] for item in seeds[:1])]
    reached: frozenset[str] = frozenset()
    for _ in range(INPUTS):
        grown = _mutated(chance.choice(corpus), chance)
        item = _wrapped(kind, grown)
        (hits,) = covered([item])
        if hits - reached:
            corpus.append(grown)
            reached |= hits
        yield item


def _mutated(content: bytes, chance: random.Random) -> bytes:
    """One of pythonfuzz's kinds of step: change, insert, remove, double."""
    changed = bytearray(content or b"\0")
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(changed))
        match chance.randrange(4):
            case 0:
                changed[at] = chance.randrange(256)
            case 1:
                changed[at:at] = chance.randbytes(chance.randint(1, 16))
            case 2 if len(changed) > 8:
                del changed[at : at + chance.randint(1, 4)]
            case _:
                changed += changed[at : at + 16]
    return bytes(changed[:4096])


def _wrapped(kind: InputKind, content: bytes) -> Input:
    if kind is InputKind.IMAGE:
        numbers = np.frombuffer((content * (96 * 96 * 3 // len(content) + 1)), np.uint8)
        return _made(kind, _png(numbers[: 96 * 96 * 3].reshape(96, 96, 3)), ".png")
    if kind is InputKind.AUDIO:
        header = (
            b"RIFF"
            + (36 + len(content)).to_bytes(4, "little")
            + b"WAVEfmt "
            + bytes([16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0])
        )
        return _made(kind, header + b"data" + len(content).to_bytes(4, "little") + content, ".wav")
    return _made(kind, bytes(32 + byte % 95 for byte in content), ".txt")


def _png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels, "RGB").save(file, "PNG")
    return file.getvalue()


def _made(kind: InputKind, content: bytes, suffix: str) -> Input:
    return Input(kind, content, "made for a baseline", None, suffix, Origin("baseline"))
