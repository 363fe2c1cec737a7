import pytest

from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import content, literal

APP, OLD = "microsoft.py", "microsoft_old.py"
PICTURE, FILE, WORDS = content("bytes"), content("path"), literal("some words")
ADDRESS = literal("https://x/y.png")


def language(operation, **answer):
    return (f"azure.language.{operation}", answer)


def vision(operation="analyze", **answer):
    return (f"azure.vision.{operation}", answer)


GOOD = {"sentiment": "positive", "confidence_scores": {"positive": 0.9}}
BAD = {"sentiment": "negative", "confidence_scores": {"negative": 0.9}}
ADA = {"category": "Person", "text": "Ada", "confidence_score": 0.9}
TAGS = {"list": [{"name": "cat", "confidence": 0.95}, {"name": "sky", "confidence": 0.3}]}
READ = {"blocks": [{"lines": [{"text": "EXIT"}]}]}
FACES = {"elements": [{"face_attributes": {"emotion": {"happiness": 0.9}}}]}


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("mood", WORDS, [language("analyze_sentiment", **GOOD)], "('positive', True)"),
        (
            "moods",
            WORDS,
            [language("analyze_sentiment", **GOOD), language("analyze_sentiment", **BAD)],
            "[('7', 'positive'), ('8', 'negative')]",
        ),
        (
            "entities",
            WORDS,
            [language("recognize_entities", entities=[ADA])],
            "[('Person', 'Ada')]",
        ),
        ("phrases", WORDS, [language("extract_key_phrases", key_phrases=["a", "b"])], "['a', 'b']"),
        (
            "tongue",
            WORDS,
            [language("detect_language", primary_language={"iso6391_name": "fr"})],
            "'fr'",
        ),
        ("later", WORDS, [language("analyze_sentiment", **BAD)], "'negative'"),
        ("tags", PICTURE, [vision(tags=TAGS)], "(['cat'], '')"),
        ("words", ADDRESS, [vision(read=READ)], "['EXIT']"),
        ("words", ADDRESS, [vision()], "[]"),
        ("jobs_with_care", WORDS, [], "'no connection'"),
    ],
)
def test_requests_are_answered(warm, python, function, argument, script, value) -> None:
    assert warm.value((APP, function), argument, script, python) == value


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("tags", FILE, [vision("tag_image", tags=[{"name": "cat"}])], "['cat']"),
        ("caption", ADDRESS, [vision("describe_image", captions=[])], "'nothing'"),
        ("faces", ADDRESS, [vision("detect_faces", **FACES)], "[True]"),
        ("same", WORDS, [vision("verify_faces", is_identical=True, confidence=0.9)], "True"),
        ("alike", WORDS, [vision("find_similar_faces", elements=[{"confidence": 0.9}])], "[0.9]"),
    ],
)
def test_old_clients_are_stood_in_for(warm, function, argument, script, value) -> None:
    assert warm.value((OLD, function), argument, script, "missing") == value


def test_error_of_a_document_is_an_error(warm) -> None:
    script = [language("analyze_sentiment", Error={"code": "InvalidDocument", "message": "?"})]
    assert warm.value((APP, "mood"), WORDS, script, "installed") == "'InvalidDocument'"


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (
            "mood",
            WORDS,
            request_of(text="some words"),
        ),
        (
            "tags",
            PICTURE,
            request_of(content=b"picture", features=["caption", "tags"]),
        ),
        (
            "words",
            ADDRESS,
            request_of(uri="https://x/y.png", features=["read"]),
        ),
    ],
)
def test_host_is_asked_what_the_call_means(warm, python, function, argument, expected) -> None:
    answer = {**GOOD, "tags": TAGS}
    assert warm.requests((APP, function), argument, answer, python) == [expected]


def test_refused_question_is_not_run(warm, python) -> None:
    assert warm.run((APP, "mood"), WORDS, None, python)["ending"]["kind"] == "not-run"


def test_misfit_answer_is_not_run(warm, python) -> None:
    script = [language("analyze_sentiment", sentiment=1)]
    ending = warm.run((APP, "mood"), WORDS, script, python)["ending"]
    assert (ending["kind"], "sentiment" in ending["reason"]) == ("not-run", True)


def test_other_request_is_refused_by_name(warm, python) -> None:
    ending = warm.run((APP, "jobs"), WORDS, [], python)["ending"]
    assert ending["exception"] == "azure.core.exceptions.ServiceRequestError"
    assert "azure." in ending["message"]
    assert (ending["function"], ending["standin"]) == ("jobs", True)


def test_misuse_of_an_answer_raises(warm, python) -> None:
    script = [language("analyze_sentiment", **GOOD)]
    ending = warm.run((APP, "wrong"), WORDS, script, python)["ending"]
    assert (ending["exception"], ending["function"], ending["standin"]) == (
        "AttributeError",
        "wrong",
        False,
    )


def test_installed_sdk_serves(warm) -> None:
    assert sorted(warm.standins(APP, "installed")) == [
        "os.environ['LANGUAGE_ENDPOINT']",
        "os.environ['LANGUAGE_KEY']",
        "os.environ['VISION']",
    ]
