"""Pictures in the forms that code takes them, and small files that are valid of their kind."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional


def image(
    form: str,
    height: int,
    width: int,
    channels: int = 3,
    fill: int = 0,
    seed: Optional[int] = None,
) -> Any:
    """A picture of 8 bits a channel: of one colour, or of noise from ``seed``.

    ``form``: ``pil`` (modes L, RGB, RGBA), ``numpy`` (height, width, channels,
    without the last where it is 1), ``tensor`` (channels, height, width;
    float32 in [0, 1]), ``bytes`` (a PNG) or ``path`` (of a PNG file).
    """
    import random

    size = height * width * channels
    pixels = bytes([fill]) * size if seed is None else random.Random(seed).randbytes(size)
    if form == "bytes":
        return _png(pixels, height, width, channels)
    if form == "path":
        return _written("image.png", _png(pixels, height, width, channels))
    if form == "pil":
        from PIL import Image

        return Image.frombytes({1: "L", 3: "RGB", 4: "RGBA"}[channels], (width, height), pixels)
    import numpy

    array = numpy.frombuffer(pixels, dtype=numpy.uint8).reshape(height, width, channels).copy()
    if form == "numpy":
        return array[:, :, 0] if channels == 1 else array
    import torch

    return torch.from_numpy(array).permute(2, 0, 1).contiguous().float() / 255


def path(kind: str, suffix: str = "", seed: int = 0, form: str = "str") -> Any:
    """Make a file, or a folder of three, valid of its kind; ``form`` is ``str`` or ``path``."""
    import pathlib

    if kind == "folder":
        of = suffix or ".txt"
        inside = {f"{number}{of}": _content(_kind(of), of, seed + number) for number in range(3)}
        made = _folder(inside)
    else:
        ending = suffix or {"image": ".png", "text": ".txt", "folder": ""}.get(kind, f".{kind}")
        made = _written(f"{kind}{ending}", _content(kind, ending, seed))
    return pathlib.Path(made) if form == "path" else made


def _kind(suffix: str) -> str:
    bare = suffix.lower().lstrip(".")
    if bare in ("png", "jpg", "jpeg", "bmp", "gif", "tif", "tiff", "webp", "ppm"):
        return "image"
    other = {"yml": "yaml", "pth": "pt", "ckpt": "pt"}.get(bare, bare)
    return other if other in ("json", "csv", "yaml", "npy", "npz", "pt", "wav", "pdf") else "text"


def _png(pixels: bytes, height: int, width: int, channels: int) -> bytes:
    """A PNG file of 8 bits a channel (RFC 2083), every row unfiltered."""
    import struct
    import zlib

    def chunk(name: bytes, body: bytes) -> bytes:
        checked = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + checked

    row = width * channels
    rows = b"".join(b"\0" + pixels[at * row : (at + 1) * row] for at in range(height))
    colour = {1: 0, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _content(kind: str, suffix: str, seed: int) -> bytes:
    writers: Dict[str, Callable[[str, int], bytes]] = {
        "image": _image_file,
        "json": _json_file,
        "csv": _csv_file,
        "yaml": _yaml_file,
        "npy": _npy_file,
        "npz": _npz_file,
        "pt": _pt_file,
        "wav": _wav_file,
        "pdf": _pdf_file,
    }
    return writers.get(kind, _text_file)(suffix, seed)


def _numbers(seed: int) -> List[float]:
    import random

    chance = random.Random(seed)
    return [round(chance.random(), 3) for _ in range(4 + seed % 5)]


def _image_file(suffix: str, seed: int) -> bytes:
    side = 8 + seed % 9
    import io
    import random

    pixels = random.Random(seed).randbytes(side * side * 3)
    if suffix.lower() == ".png":
        return _png(pixels, side, side, 3)
    from PIL import Image

    name = Image.registered_extensions().get(suffix.lower(), "PNG")
    held = io.BytesIO()
    Image.frombytes("RGB", (side, side), pixels).save(held, name)
    return held.getvalue()


def _text_file(_suffix: str, seed: int) -> bytes:
    words = ("the", "small", "model", "learns", "from", "few", "good", "examples")
    lines = [" ".join(words[: 3 + (seed + line) % 6]) for line in range(3 + seed % 3)]
    return ("\n".join(lines) + "\n").encode()


def _json_file(_suffix: str, seed: int) -> bytes:
    import json

    return json.dumps({"name": f"example {seed}", "values": _numbers(seed)}).encode()


def _csv_file(_suffix: str, seed: int) -> bytes:
    rows = [f"{number},{value},{number % 2}" for number, value in enumerate(_numbers(seed))]
    return ("\n".join(["id,value,label", *rows]) + "\n").encode()


def _yaml_file(_suffix: str, seed: int) -> bytes:
    return f"name: example {seed}\nvalues: {_numbers(seed)}\n".encode()


def _npy_file(_suffix: str, seed: int) -> bytes:
    import io

    import numpy

    held = io.BytesIO()
    numpy.save(held, numpy.array(_numbers(seed), dtype=numpy.float32))
    return held.getvalue()


def _npz_file(_suffix: str, seed: int) -> bytes:
    import io

    import numpy

    held = io.BytesIO()
    numpy.savez(held, values=numpy.array(_numbers(seed), dtype=numpy.float32))
    return held.getvalue()


def _pt_file(_suffix: str, seed: int) -> bytes:
    import io

    import torch

    held = io.BytesIO()
    torch.save({"weight": torch.tensor(_numbers(seed))}, held)
    return held.getvalue()


def _wav_file(_suffix: str, seed: int) -> bytes:
    """A tenth of a second of a tone, 16 bits, one channel, 8 kHz."""
    import io
    import math
    import struct
    import wave

    step = 2 * math.pi * (220 + 20 * (seed % 20)) / 8000
    samples = [int(8000 * math.sin(step * number)) for number in range(800)]
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return held.getvalue()


def _pdf_file(suffix: str, seed: int) -> bytes:
    """A page of PDF 1.4 with the lines of the text file."""
    lines = _text_file(suffix, seed).decode().splitlines()
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    text = f"BT /F1 12 Tf 72 720 Td {shown}ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R"
        " /Resources << /Font << /F1 4 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
    ]
    made, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(f"{len(made):010} 00000 n \n")
        made += f"{number} 0 obj\n{each}\nendobj\n"
    table = f"xref\n0 6\n0000000000 65535 f \n{''.join(places)}"
    end = f"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
    return (made + table + end).encode()


def _written(name: str, content: bytes) -> str:
    return f"{_folder({name: content})}/{name}"


def _folder(files: Dict[str, bytes]) -> str:
    """A new folder with these files; of those made before in this process the last stay."""
    import os
    import pathlib
    import shutil
    import tempfile
    import time

    around = pathlib.Path(tempfile.gettempdir(), f"inputs-{os.getpid()}")
    around.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in sorted(around.iterdir())[:-256]:
        shutil.rmtree(old, ignore_errors=True)
    if any(pathlib.PurePath(name).name != name or "\\" in name for name in files):
        raise ValueError("a file's kind and suffix name no folders")
    made = tempfile.mkdtemp(prefix=f"{time.monotonic_ns():020d}-", dir=around)
    for name, content in files.items():
        pathlib.Path(made, name).write_bytes(content)
    return made
