import importlib.util

import pytest

from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import content, literal

APP, PIPELINES = "hugging.py", "pipelines.py"
PICTURE, FILE, WORDS = content("bytes"), content("path"), literal("some words")


def found(api, *elements):
    return [(f"huggingface.{api}", {"elements": list(elements)})]


GOOD = {"label": "POSITIVE", "score": 0.9}
BAD = {"label": "NEGATIVE", "score": 0.1}
BILL = {"label": "bill", "score": 0.8}
ADA = {"entity_group": "PER", "word": "Ada", "score": 0.9}
TOKEN = {"entity": "B-PER", "word": "Ada", "score": 0.9}
CAT = {"label": "cat", "score": 0.9, "box": {"xmin": 3, "ymin": 0, "xmax": 9, "ymax": 9}}
SPOKEN = [("huggingface.automatic_speech_recognition", {"text": "hello"})]
SAID = [("huggingface.chat_completion", {"choices": [{"message": {"content": "hi"}}]})]
MOODS = [*found("text_classification", GOOD, BAD), *found("text_classification", BAD, GOOD)]


@pytest.fixture(params=["installed", "missing"])
def with_transformers(request: pytest.FixtureRequest) -> str:
    """With transformers, where it is installed, and without it."""
    if request.param == "installed" and importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed: with a framework it takes over 100 MB")
    return str(request.param)


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("mood", WORDS, found("text_classification", GOOD, BAD), "'POSITIVE'"),
        ("kind", WORDS, found("zero_shot_classification", BILL), "'bill'"),
        ("names", WORDS, found("token_classification", ADA), "['Ada']"),
        ("picture", FILE, found("image_classification", CAT), "['cat']"),
        ("things", PICTURE, found("object_detection", CAT), "{'cat': 3}"),
        ("heard", FILE, SPOKEN, "'hello'"),
        ("caption", FILE, found("image_to_text", {"generated_text": "a cat"}), "'a cat'"),
        ("completed", WORDS, found("text_generation", {"generated_text": " x "}), "'x'"),
        ("chatted", WORDS, SAID, "'hi'"),
        ("later", WORDS, found("text_classification", BAD), "'NEGATIVE'"),
    ],
)
def test_methods_are_answered(warm, python, function, argument, script, value) -> None:
    assert warm.value((APP, function), argument, script, python) == value


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("mood", WORDS, found("text_classification", GOOD, BAD), "('POSITIVE', True)"),
        ("moods", WORDS, MOODS, "['POSITIVE', 'NEGATIVE']"),
        (
            "all_moods",
            WORDS,
            found("text_classification", GOOD, BAD),
            "{'NEGATIVE': 0.1, 'POSITIVE': 0.9}",
        ),
        ("kind", WORDS, found("zero_shot_classification", BILL), "('bill', True)"),
        ("names", WORDS, found("token_classification", ADA), "['Ada']"),
        ("tokens", WORDS, found("token_classification", TOKEN), "['B-PER']"),
        ("picture", FILE, found("image_classification", CAT), "'cat'"),
        ("things", FILE, found("object_detection", CAT), "[3]"),
        ("heard", FILE, SPOKEN, "'hello'"),
        ("answered", WORDS, found("question_answering", {"answer": "Ada"}), "'Ada'"),
    ],
)
def test_pipelines_are_answered(warm, with_transformers, function, argument, script, value) -> None:
    assert warm.value((PIPELINES, function), argument, script, with_transformers) == value


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (
            "mood",
            WORDS,
            request_of(text="some words", model="someone/model"),
        ),
        (
            "picture",
            FILE,
            request_of(content=b"picture", model="someone/model", top_k=3),
        ),
    ],
)
def test_host_is_asked_what_the_call_means(warm, python, function, argument, expected) -> None:
    answer = {"elements": [GOOD]}
    assert warm.requests((APP, function), argument, answer, python) == [expected]


def test_refused_question_is_not_run(warm, python) -> None:
    assert warm.run((APP, "mood"), WORDS, None, python)["ending"]["kind"] == "not-run"


def test_misfit_answer_is_not_run(warm, python) -> None:
    script = found("text_classification", {"label": 1})
    ending = warm.run((APP, "mood"), WORDS, script, python)["ending"]
    assert (ending["kind"], "label" in ending["reason"]) == ("not-run", True)


@pytest.mark.parametrize(
    ("file", "function", "name"),
    [(APP, "vector", "huggingface_hub.feature_extraction"), (PIPELINES, "masked", "fill-mask")],
)
def test_other_task_is_refused_by_name(warm, file, function, name) -> None:
    ending = warm.run((file, function), WORDS, [], "missing")["ending"]
    assert (ending["exception"], ending["standin"]) == ("ConnectionError", True)
    assert name in ending["message"]


@pytest.mark.parametrize(
    ("file", "exception"), [(APP, ("IndexError", "AttributeError")), (PIPELINES, ("KeyError",))]
)
def test_misuse_of_an_answer_raises(warm, file, exception) -> None:
    script = found("text_classification", GOOD)
    ending = warm.run((file, "wrong"), WORDS, script, "missing")["ending"]
    assert ending["exception"] in exception
    assert (ending["function"], ending["standin"]) == ("wrong", False)
