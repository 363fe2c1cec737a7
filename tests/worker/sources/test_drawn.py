import io
from collections import Counter

import pytest
from PIL import Image

from analyzers.vocabulary import InputKind, Wanted
from worker.sources import backgrounds, drawn, fonts
from worker.sources.fonts import Font, FontKind

API = "google.vision.text_detection"


def find(reading, count=12, seed=0):
    return drawn.find(Wanted(API, reading), count, seed)


def test_pictures_carry_the_wish():
    supply = find("Total: 12.50")
    assert supply.shortfall is None
    assert len(supply.inputs) == 12
    for item in supply.inputs:
        assert (item.kind, item.reading) == (InputKind.IMAGE, "Total: 12.50")
        picture = Image.open(io.BytesIO(item.content))
        assert picture.format == {".png": "PNG", ".jpg": "JPEG"}[item.suffix]
        assert len(item.content) <= 100_000


def test_same_seed_same_pictures():
    digests = [item.digest for item in find("STOP", seed=3).inputs]
    assert [item.digest for item in find("STOP", seed=3).inputs] == digests
    assert [item.digest for item in find("STOP", seed=4).inputs] != digests


def test_pictures_of_a_wish_differ():
    assert len({item.digest for item in find("STOP", 12).inputs}) == 12


def test_kinds_and_backgrounds_take_turns():
    kinds = {font.kind for font in fonts.installed() if font.can_draw("STOP")}
    cells = Counter(
        (kind, ground)
        for item in find("STOP", 12).inputs
        for kind in kinds
        for ground in backgrounds.Background
        if f" {kind} (" in item.description and item.description.endswith(f" on {ground}")
    )
    assert cells == dict.fromkeys(
        [(kind, ground) for kind in kinds for ground in backgrounds.Background],
        12 // (3 * len(kinds)),
    )


def test_empty_pictures_have_no_reading():
    supply = find(None, 6)
    assert [item.reading for item in supply.inputs] == [None] * 6
    assert len({item.digest for item in supply.inputs}) == 6


def test_short_texts_are_never_broken():
    font = Font("Pillow", FontKind.PRINTED, None)
    assert drawn.lay_out("Thank you for your purchase", font).lines == (
        "Thank you for your purchase",
    )


def test_long_texts_are_wrapped_and_stay_large():
    text = "the quick brown fox jumps over the lazy dog and sleeps " * 4
    for font in fonts.installed():
        if not font.can_draw(text):
            continue
        layout = drawn.lay_out(text.strip(), font)
        assert " ".join(layout.lines) == text.strip()
        assert layout.size >= drawn.SMALLEST
        face = font.at(layout.size)
        assert all(face.getlength(line) <= layout.width for line in layout.lines)


@pytest.mark.parametrize("text", ["x" * 400, "word " * 1000])
def test_illegible_wishes_fall_short(text):
    supply = find(text)
    assert supply.inputs == ()
    assert "too many to draw" in supply.shortfall


def test_unknown_letters_fall_short():
    supply = find("\U00012345 \U00012346")
    assert supply.inputs == ()
    assert "no installed font" in supply.shortfall


def test_capital_fonts_draw_capitals_only():
    capitals = [font for font in fonts.installed() if font.capitals]
    assert not any(font.can_draw("Total") for font in capitals)
    assert all(font.can_draw("TOTAL") for font in capitals)


def test_pillows_font_draws_alone(tmp_path):
    (font,) = fonts.installed(tmp_path)
    assert font.path is None
    assert font.can_draw("Total: 12.50")
    assert not font.can_draw("\u4f60")


def test_writing_stands_out():
    for item in find("STOP", 12).inputs:
        low, high = Image.open(io.BytesIO(item.content)).convert("L").getextrema()
        assert high - low > 150
