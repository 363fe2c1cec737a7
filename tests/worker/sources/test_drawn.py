import io
from collections import Counter

import pytest
from PIL import Image

from analyzers.vocabulary import Input, InputKind, Origin
from worker.sources import fonts, text_pictures
from worker.sources.fonts import Font, FontKind


def find(text, count=12, seed=0):
    return text_pictures.write(text, count, seed)


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
    assert len({item.digest for item in find("STOP", 36).inputs}) == 36


def test_kinds_and_backgrounds_take_turns():
    kinds = {font.kind for font in fonts.installed() if font.can_draw("STOP")}
    cells = Counter(
        (kind, ground)
        for item in find("STOP", 12).inputs
        for kind in kinds
        for ground in text_pictures.Background
        if f" {kind} (" in item.description and item.description.endswith(f" on {ground}")
    )
    assert cells == dict.fromkeys(
        [(kind, ground) for kind in kinds for ground in text_pictures.Background],
        12 // (3 * len(kinds)),
    )


def test_empty_pictures_have_no_reading():
    supply = text_pictures.blank(6, 0)
    assert [item.reading for item in supply.inputs] == [None] * 6
    assert len({item.digest for item in supply.inputs}) == 6


def test_short_texts_are_never_broken():
    font = Font("Pillow", FontKind.PRINTED, None)
    assert text_pictures.lay_out("Thank you for your purchase", font).lines == (
        "Thank you for your purchase",
    )


def test_long_texts_are_wrapped_and_stay_large():
    text = "the quick brown fox jumps over the lazy dog and sleeps " * 4
    for font in fonts.installed():
        if not font.can_draw(text):
            continue
        laid = text_pictures.lay_out(text.strip(), font)
        assert " ".join(laid.lines) == text.strip()
        assert laid.size >= text_pictures.SMALLEST
        face = font.at(laid.size)
        assert all(face.getlength(line) <= laid.width for line in laid.lines)


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


def photograph(colour=(30, 90, 200), size=(900, 700)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "JPEG")
    origin = Origin("commons", "https://commons.example/dog", "Ann", "CC BY 4.0")
    return Input(InputKind.IMAGE, file.getvalue(), "a dog", "dog", ".jpg", origin)


def test_words_are_drawn_upon_pictures():
    for item in text_pictures.write("BEWARE", 4, 0, [photograph()]).inputs:
        shown = Image.open(io.BytesIO(item.content)).convert("RGB")
        assert item.reading == "BEWARE"
        assert item.description.endswith("upon a dog")
        assert (item.origin.source, item.origin.licence) == ("drawn on commons", "CC BY 4.0")
        red, green, blue = shown.getpixel((shown.width // 2, shown.height // 4))
        assert max(abs(red - 30), abs(green - 90), abs(blue - 200)) < 8
        low, high = shown.crop((0, shown.height // 2, *shown.size)).convert("L").getextrema()
        assert high - low > 150


def test_small_pictures_are_enlarged_under_words():
    (item,) = text_pictures.write("Mind the gap", 1, 0, [photograph(size=(120, 90))]).inputs
    assert Image.open(io.BytesIO(item.content)).width >= 480
