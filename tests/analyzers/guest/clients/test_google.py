from collections.abc import Callable
from typing import Any

import pytest

from tests.analyzers.guest.guests import (
    LABELS,
    SENTIMENT,
    TEXT,
    content,
    labels,
    literal,
    probe,
    sentiment,
)

Call = Callable[..., dict[str, Any]]
PICTURE = content("bytes")
PROJECT = "sdk"
FILE = content("path")
WORDS = literal("some words")
FOOD = [(LABELS, labels(("Food", 0.9), ("Dish", 0.7)))]
HI = [(TEXT, {"text_annotations": [{"description": "hi"}]})]
WHOLE_TEXT = [(TEXT, {"full_text_annotation": {"text": "hi"}})]
FACES = [("google.vision.face_detection", {"face_annotations": [{"joy_likelihood": "LIKELY"}]})]
SAFE = [("google.vision.safe_search_detection", {"safe_search_annotation": {"adult": "LIKELY"}})]


@pytest.mark.parametrize(
    ("place", "argument", "script", "value"),
    [
        (("first.py", "classify"), PICTURE, FOOD, "['Food', 'Dish']"),
        (("first.py", "mood"), WORDS, [(SENTIMENT, sentiment(0.9))], "'good'"),
        (("middle.py", "classify"), FILE, FOOD, "['Food', 'Dish']"),
        (("middle.py", "by_uri"), literal("http://x/y.png"), HI, "'hi'"),
        (("middle.py", "faces"), PICTURE, FACES, "['LIKELY']"),
        (("middle.py", "as_json"), PICTURE, FACES, "(True, 'LIKELY')"),
        (("middle.py", "mood"), WORDS, [(SENTIMENT, sentiment(0.5))], "0.5"),
        (("new.py", "classify"), FILE, FOOD, "'food'"),
        (("new.py", "first_text"), PICTURE, [*HI, *FOOD], "('hi', 2)"),
        (("new.py", "mood"), WORDS, [(SENTIMENT, sentiment(0.8))], "0.800000011920929"),
        (("more.py", "later"), PICTURE, FOOD, "['Food', 'Dish']"),
        (("more.py", "with_account"), PICTURE, WHOLE_TEXT, "'hi'"),
        (("more.py", "likelihood"), PICTURE, SAFE, "('LIKELY', True, 4)"),
        (("more.py", "mood"), WORDS, [(SENTIMENT, sentiment(0.5, 2.0))], "(2.0, 0)"),
        (("more.py", "as_dictionary"), PICTURE, FOOD, "('Food', 0.0)"),
    ],
)
def test_every_generation_runs(warm, python, place, argument, script, value) -> None:
    ending = warm.run(place, argument, script, python)["ending"]
    assert ending == {"kind": "returned", "value": value}


@pytest.mark.parametrize(
    ("function", "exception"), [("unknown", "AttributeError"), ("empty", "IndexError")]
)
def test_misuse_of_an_answer_raises(warm, python, function, exception) -> None:
    script = [(TEXT, {}), (LABELS, {})]
    ending = warm.run(("more.py", function), PICTURE, script, python)["ending"]
    assert ending["exception"] == exception
    assert (ending["function"], ending["standin"]) == (function, False)


def test_run_reports_hits_and_exchanges(warm, python) -> None:
    result = warm.run(("new.py", "classify"), FILE, FOOD, python)
    hits = warm.guest("new.py", python).hits(result)
    assert "new.py::classify#1:true" in hits
    assert "new.py::classify#1:false" not in hits
    (exchange,) = result["exchanges"]
    assert (exchange["api"], exchange["answer"]) == FOOD[0]


def test_host_is_asked_with_content(warm, python) -> None:
    guest = warm.guest("new.py", python)
    guest.answer = labels(("Cat", 0.99))
    given = probe(None, function=literal("classify"), argument=FILE)
    (result,) = guest.run(given, blobs={"b1": b"picture"})
    assert result["ending"]["value"] == "'other'"
    (asked,) = guest.asked
    assert asked["api"] == LABELS
    assert asked["request"]["content"] == b"picture"
    assert asked["request"]["parameters"] == {"max_results": 3}


def test_refused_question_is_not_run(warm, python) -> None:
    ending = warm.run(("new.py", "classify"), FILE, None, python)["ending"]
    assert ending["kind"] == "not-run"
    assert "no engine" in ending["reason"]


def test_script_without_answer_is_not_run(warm, python) -> None:
    ending = warm.run(("new.py", "classify"), FILE, HI, python)["ending"]
    assert ending["kind"] == "not-run"


def test_misfit_answer_is_not_run(warm) -> None:
    script = [(SENTIMENT, {"document_sentiment": {"score": "high"}})]
    ending = warm.run(("new.py", "mood"), WORDS, script, "installed")["ending"]
    assert ending["kind"] == "not-run"


def test_sdk_refuses_wrong_image(warm) -> None:
    ending = warm.run(("more.py", "wrong"), PICTURE, FOOD, "installed")["ending"]
    assert ending["exception"] in ("TypeError", "ValueError")
    assert (ending["path"], ending["function"]) == ("more.py", "wrong")


@pytest.mark.parametrize(
    ("file", "standins"), [("new.py", False), ("middle.py", True), ("first.py", True)]
)
def test_real_sdk_serves_where_it_fits(warm, file: str, standins: bool) -> None:
    assert bool(warm.standins(file, "installed")) is standins
