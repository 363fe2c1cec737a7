"""A question has one digest, whichever way it was asked."""

import sys
from collections.abc import Callable, Iterator

import pytest

from analyzers import catalogue
from tests.analyzers.guest.guests import LABELS, PROJECTS, SENTIMENT, GuestAtHand, literal, probe
from worker.sandbox.certificates import certificate

APIS = {
    "by_rekognition": "aws.rekognition.detect_labels",
    "by_comprehend": "aws.comprehend.batch_detect_sentiment",
    "by_textanalytics": "azure.language.analyze_sentiment",
    "by_imageanalysis": "azure.vision.analyze",
    "by_computervision": "azure.vision.analyze",
    "by_openai": "openai.chat_completions",
    "by_moderations": "openai.moderations",
    "by_transcriptions": "openai.transcriptions",
    "by_hub": "huggingface.text_classification",
    "by_hub_labels": "huggingface.zero_shot_classification",
    "by_hub_picture": "huggingface.image_classification",
    "by_hub_question": "huggingface.question_answering",
    "by_vision": LABELS,
    "by_language": SENTIMENT,
    "by_speech": "google.speech.recognize",
}
SECONDS = 60.0
Ask = Callable[[str, str], list[str]]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], GuestAtHand]]:
    """A guest for each interpreter, whose described hosts lead to its own proxy."""
    made = certificate(catalogue.load_catalogue().hosts)
    names = {"authority": made.authority, "certificate": made.certificate, "key": made.key}
    guests: dict[str, GuestAtHand] = {}

    def prepared(python: str) -> GuestAtHand:
        if python not in guests:
            folder = tmp_path_factory.mktemp("guest")
            guest = guests[python] = GuestAtHand(folder, PROJECTS / "clouds", python)
            assert guest.prepare("questions.py", "everything", network=names)["type"] == "prepared"
        return guests[python]

    yield prepared
    for guest in guests.values():
        guest.close()


@pytest.fixture
def ask(prepared: Callable[[str], GuestAtHand]) -> Ask:
    """The digests of the questions that one way of asking asks."""

    def ask(how: str, name: str, python: str = sys.executable) -> list[str]:
        given = probe([(APIS[name], {})], how=literal(how), name=literal(name))
        (result,) = prepared(python).run(given, seconds=SECONDS)
        assert result["ending"]["kind"] == "returned", result["ending"]
        assert {exchange["api"] for exchange in result["exchanges"]} == {APIS[name]}
        return [exchange["digest"] for exchange in result["exchanges"]]

    return ask


@pytest.mark.parametrize("name", APIS)
def test_library_standin_and_plain_http_ask_the_same_question(
    ask: Ask, bare_python: str, name: str
) -> None:
    asked = ask("by_sdk", name)
    assert asked == ask("by_call", name) == ask("by_bytes", name)
    assert asked == ask("by_sdk", name, bare_python)
