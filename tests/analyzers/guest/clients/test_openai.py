import pytest

from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import content, literal

PICTURE, SOUND, WORDS = content("bytes"), content("path", suffix=".wav"), literal("some words")
MODERATION = "openai.moderations"


def says(text):
    return ("openai.chat_completions", {"choices": [{"message": {"content": text}}]})


def flags(*, flagged):
    result = {"flagged": flagged, "category_scores": {"hate": 0.9 if flagged else 0.0}}
    return (MODERATION, {"results": [result]})


SPOKEN = [("openai.transcriptions", {"text": "hello"})]
RESPONSE = [("openai.responses", {"output": [{"content": [{"text": "hi"}]}]})]
COMPLETION = [("openai.completions", {"choices": [{"text": " hi "}]})]


@pytest.mark.parametrize(
    ("place", "argument", "script", "value"),
    [
        (("chat.py", "verdict"), WORDS, [says("Yes, spam.")], "'spam'"),
        (("chat.py", "with_system"), WORDS, [says("no")], "('stop', 'deployment')"),
        (("chat.py", "about_picture"), PICTURE, [says("a cat")], "'a cat'"),
        (("chat.py", "respond"), WORDS, RESPONSE, "('hi', 'hi')"),
        (("chat.py", "flagged"), WORDS, [flags(flagged=True)], "(True, False, True)"),
        (
            ("chat.py", "several"),
            WORDS,
            [flags(flagged=True), flags(flagged=False)],
            "[True, False]",
        ),
        (("chat.py", "heard"), SOUND, SPOKEN, "'hello'"),
        (("chat.py", "later"), WORDS, [says("soon")], "'soon'"),
        (("chat.py", "vector_with_care"), WORDS, [], "'APIConnectionError'"),
        (("chat_first.py", "verdict"), WORDS, [says("yes")], "('yes', 'stop')"),
        (("chat_first.py", "completed"), WORDS, COMPLETION, "'hi'"),
        (("chat_first.py", "flagged"), WORDS, [flags(flagged=True)], "True"),
        (("chat_first.py", "with_care"), WORDS, [], "'no connection'"),
    ],
)
def test_requests_are_answered(warm, python, place, argument, script, value) -> None:
    assert warm.value(place, argument, script, python) == value


@pytest.mark.parametrize(
    ("function", "script", "value"),
    [
        ("event", [says('{"name": "party", "guests": 7}')], "'party'"),
        ("streamed", [says("a stream")], "'a stream'"),
        ("raw", [flags(flagged=True)], "(200, True)"),
    ],
)
def test_sdk_reads_answers_its_own_way(warm, function, script, value) -> None:
    assert warm.value(("structured.py", function), WORDS, script, "installed") == value


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (
            "verdict",
            WORDS,
            request_of(text="some words", model="gpt-4o-mini", temperature=0),
        ),
        (
            "heard",
            SOUND,
            request_of(content=b"picture", model="whisper-1"),
        ),
    ],
)
def test_host_is_asked_what_the_call_means(warm, python, function, argument, expected) -> None:
    answer = {**says("no")[1], "text": "hello"}
    assert warm.requests(("chat.py", function), argument, answer, python) == [expected]


def test_picture_in_a_message_is_content(warm, python) -> None:
    place = ("chat.py", "about_picture")
    (asked,) = warm.requests(place, PICTURE, says("a cat")[1], python)
    assert (asked["content"], asked["text"]) == (b"picture", "What is this?")
    assert asked["parameters"]["messages"][0]["role"] == "user"


def test_refused_question_is_not_run(warm, python) -> None:
    ending = warm.run(("chat.py", "verdict"), WORDS, None, python)["ending"]
    assert ending["kind"] == "not-run"


def test_misfit_answer_is_not_run(warm, python) -> None:
    ending = warm.run(("chat.py", "verdict"), WORDS, [says(7)], python)["ending"]
    assert "choices[0].message.content" in ending["reason"]


def test_other_request_is_refused_by_name(warm, python) -> None:
    ending = warm.run(("chat.py", "vector"), WORDS, [], python)["ending"]
    assert ending["exception"] == "openai.APIConnectionError"
    assert "openai.embeddings" in ending["message"]
    assert (ending["function"], ending["standin"]) == ("vector", True)


def test_misuse_of_an_answer_raises(warm, python) -> None:
    ending = warm.run(("chat.py", "wrong"), WORDS, [says("no")], python)["ending"]
    assert (ending["exception"], ending["function"], ending["standin"]) == (
        "IndexError",
        "wrong",
        False,
    )


@pytest.mark.parametrize(("file", "standin"), [("chat.py", False), ("chat_first.py", True)])
def test_installed_sdk_serves_where_it_fits(warm, file, standin) -> None:
    assert ("openai" in warm.standins(file, "installed")) is standin
