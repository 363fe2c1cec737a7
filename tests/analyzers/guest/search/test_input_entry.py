import pytest

from analyzers.guest.search.input_entry import find_entry
from analyzers.guest.search.input_slots import picture
from tests.analyzers.guest.search.targets import target


@pytest.mark.parametrize(
    ("source", "slot", "form"),
    [
        (
            "def f(image_path):\n    return labels(open(image_path, 'rb').read())",
            "image_path",
            "path",
        ),
        ("def f(content):\n    return labels(content)", "content", "bytes"),
        ("def f(upload):\n    return labels(upload.read())", "upload", "file"),
        ("import base64\ndef f(x):\n    return labels(base64.b64decode(x))", "x", "base64"),
        ("def f(review):\n    return mood(review.strip().lower())", "review", "text"),
        ("def f(a, b, c='d'):\n    return mood(b)", "b", "text"),
        ("def f(file):\n    return mood(open(file).read())", "file", "path"),
        ("def f(limit, data):\n    return mood(data).score > limit", "data", "text"),
        (
            "import io\ndef f(img):\n    out = io.BytesIO()\n"
            "    img.save(out, 'PNG')\n    return labels(out.getvalue())",
            "img",
            "pil",
        ),
    ],
)
def test_input_is_found_by_trial(source: str, slot: str, form: str) -> None:
    entry = find_entry(target(source), [])
    assert entry.slot == slot
    assert entry.arguments is not None
    assert entry.arguments[slot]["form"] == form


def test_defaults_are_kept() -> None:
    entry = find_entry(target("def f(text, limit=3):\n    return mood(text)"), [])
    assert entry.arguments is not None
    assert set(entry.arguments) == {"text"}


def test_second_picture_is_a_literal() -> None:
    source = "def f(comment, image):\n    return mood(comment), labels(image)"
    entry = find_entry(target(source), [])
    assert entry.arguments is not None
    assert entry.arguments["image"]["kind"] == "literal" or entry.slot == "image"


def test_obstacle_names_the_line() -> None:
    entry = find_entry(target("def f(x):\n    y = 1\n    return [][y]"), [])
    assert entry.arguments is None
    assert "app.py:3" in (entry.obstacle or "")


def test_markers_are_real_pictures() -> None:
    image = pytest.importorskip("PIL.Image")
    import io

    opened = image.open(io.BytesIO(picture(37, 23, b"note")))
    opened.load()
    assert opened.size == (37, 23)
