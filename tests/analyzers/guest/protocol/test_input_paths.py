"""Places are spelled in one way, and put together from their parts."""

import pytest

from analyzers.guest.protocol.input_paths import ValueBuilder, build_values, file_path_of, parse

PLAIN = ValueBuilder(list, dict, lambda fields: ("thing", fields))


@pytest.mark.parametrize(
    "key",
    [
        "image",
        "images[0]",
        "event['body']['text']",
        "update.message.text",
        "flask.request.files['image']",
        "sys.argv[1]",
        "input()",
        "cv2.VideoCapture()",
        "streamlit.page['button Send']",
        "open('a photo.jpg')",
        'open("it\'s.jpg")',
    ],
)
def test_spelling_is_kept(key) -> None:
    assert str(parse(key)) == key


@pytest.mark.parametrize(
    "key",
    [
        "",
        "class",
        "f()",
        "a b",
        "open()",
        "open(x)",
        "open('a', 'w')",
        "x[y]",
        "x[99]",
        "x[0:1]",
        'x["double"]',
        " image",
        "image\n",
        "x" * 400,
        "(" * 200,
        "__import__('os').system('x')",
    ],
)
def test_anything_else_is_refused(key) -> None:
    with pytest.raises(ValueError, match="no place"):
        parse(key)


def test_file_is_named_by_its_path() -> None:
    assert file_path_of("a'b.png").file == parse(str(file_path_of("a'b.png"))).file == "a'b.png"
    assert parse("image").file is None


def test_wholes_are_made_of_parts() -> None:
    given = {"a": 1, "b[1]": 2, "c['k']": 3, "c['l'].m": 4, "sys.argv[1]": 5, "c": 6}
    assert build_values(given, PLAIN) == {
        "a": 1,
        "b": [None, 2],
        "c": {"k": 3, "l": ("thing", {"m": 4})},
        "sys.argv": [None, 5],
    }
