import io
import itertools
import struct
import zlib

import pytest
from google.cloud import vision
from google.protobuf import json_format
from PIL import Image

from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.local.text_recognition import LocalText
from worker.sources import text_pictures

TEXT = "google.vision.text_detection"
DOCUMENT = "google.vision.document_text_detection"


@pytest.fixture(scope="module")
def engine():
    return LocalText()


def pictures(reading, count=6, seed=0):
    drawing = (
        text_pictures.blank(count, seed)
        if reading is None
        else text_pictures.write(reading, count, seed)
    )
    return drawing.inputs


def png(picture, **options):
    file = io.BytesIO()
    picture.save(file, "PNG", **options)
    return file.getvalue()


def bomb(side):
    """A PNG of a few bytes that says it is huge."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def read(engine, content):
    answer = engine.ask(TEXT, ApiRequest(content))
    return answer["text_annotations"][0]["description"] if answer else ""


READINGS = ("Total: 42.50 EUR", "STOP", "Thank you for your purchase", "Name: John Smith")


def test_reads_drawn_words(engine):
    items = [item for reading in READINGS for item in pictures(reading)]
    good = [item for item in items if read(engine, item.content) == item.reading]
    assert len(good) >= 0.9 * len(items), {i.description for i in items} - {
        i.description for i in good
    }


def test_keeps_lines_in_order(engine):
    (item, *_) = pictures("RECEIPT\nCoffee 3.20\nTOTAL 12.99")
    assert read(engine, item.content).split("\n") == ["RECEIPT", "Coffee 3.20", "TOTAL 12.99"]


def test_finds_nothing_without_words(engine):
    for item in pictures(None):
        assert engine.ask(TEXT, ApiRequest(item.content)) == {}


def test_answer_fits_the_sdk(engine):
    (item, *_) = pictures("Pay 12\nby Friday")
    answer = engine.ask(DOCUMENT, ApiRequest(item.content))
    message = vision.AnnotateImageResponse.pb(vision.AnnotateImageResponse())
    parsed = json_format.ParseDict(answer, message)
    whole, *words = parsed.text_annotations
    assert whole.description == parsed.full_text_annotation.text == "Pay 12\nby Friday"
    assert whole.locale == "en"
    assert [word.description for word in words] == ["Pay", "12", "by", "Friday"]
    (page,) = parsed.full_text_annotation.pages
    assert (page.width, page.height) == Image.open(io.BytesIO(item.content)).size
    spoken = [
        "".join(symbol.text for symbol in word.symbols)
        for word in page.blocks[0].paragraphs[0].words
    ]
    assert spoken == ["Pay", "12", "by", "Friday"]


def test_boxes_lie_around_their_words(engine):
    (item, *_) = pictures("left right")
    answer = engine.ask(TEXT, ApiRequest(item.content))
    _, left, right = answer["text_annotations"]
    left_xs = [vertex["x"] for vertex in left["bounding_poly"]["vertices"]]
    right_xs = [vertex["x"] for vertex in right["bounding_poly"]["vertices"]]
    width, _ = Image.open(io.BytesIO(item.content)).size
    assert 0 < min(left_xs) < max(left_xs) <= min(right_xs) < max(right_xs) < width


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
def test_no_picture_gets_googles_error(engine, content):
    answer = engine.ask(TEXT, ApiRequest(content))
    assert answer == {"error": {"code": 3, "message": "Bad image data."}}


def test_cut_off_picture_gets_googles_error(engine):
    content = pictures("STOP", 1)[0].content
    assert "error" in engine.ask(TEXT, ApiRequest(content[: len(content) // 2]))


@pytest.mark.parametrize("side", [7_000, 40_000, 2**31 - 1])
def test_decompression_bomb_is_refused_undecoded(engine, side):
    with pytest.raises(NoAnswer, match="pixels"):
        engine.ask(TEXT, ApiRequest(bomb(side)))


@pytest.mark.parametrize("size", list(itertools.product((1, 7, 31, 700), repeat=2)))
def test_odd_sizes_are_read(engine, size):
    assert engine.ask(TEXT, ApiRequest(png(Image.new("RGB", size, "white")))) == {}


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_mode_is_read(engine, mode):
    item = pictures("STOP", 1)[0]
    picture = Image.open(io.BytesIO(item.content)).convert("L")
    converted = picture.convert("I").convert(mode) if mode == "I;16" else picture.convert(mode)
    if mode != "I;16":
        assert read(engine, png(converted)) == "STOP"
    else:
        assert "error" not in engine.ask(TEXT, ApiRequest(png(converted)))


def test_small_pictures_are_enlarged(engine):
    picture = Image.open(io.BytesIO(pictures("STOP", 1)[0].content)).convert("RGB")
    small = picture.resize((picture.width // 3, picture.height // 3))
    assert read(engine, png(small)) == "STOP"


def test_pictures_by_address_are_refused(engine):
    with pytest.raises(NoAnswer, match="not addresses"):
        engine.ask(TEXT, ApiRequest(uri="gs://bucket/a.png"))
