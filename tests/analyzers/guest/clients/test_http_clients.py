import pytest

from tests.analyzers.guest.guests import LABELS, SENTIMENT, content, labels, literal, sentiment

PROJECT = "rough"
FILE, WORDS = content("path"), literal("x")
FOOD = [(LABELS, labels(("Food", 0.9), ("Dish", 0.7)))]
GOOD = [(SENTIMENT, sentiment(0.9))]


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("by_requests", FILE, FOOD, "['Food', 'Dish']"),
        ("by_session", FILE, FOOD, "0.9"),
        ("by_urllib", WORDS, GOOD, "0.9"),
        ("by_discovery", FILE, FOOD, "'Food'"),
        ("sentiment_by_discovery", WORDS, GOOD, "{'magnitude': 1.0, 'score': 0.9}"),
    ],
)
def test_rest_is_answered(warm, python, function, argument, script, value) -> None:
    assert warm.value(("rest.py", function), argument, script, python) == value


def test_clients_ask_the_same_question(warm) -> None:
    results = [
        warm.run(("rest.py", function), FILE, FOOD, "installed")
        for function in ("by_requests", "by_discovery")
    ]
    digests = {exchange["digest"] for result in results for exchange in result["exchanges"]}
    assert len(digests) == 1


def test_other_urls_are_left_alone(warm) -> None:
    ending = warm.run(("rest.py", "elsewhere"), WORDS, [], "installed")["ending"]
    assert (ending["kind"], ending["standin"]) == ("raised", True)


def test_other_urls_are_inert_without_requests(warm) -> None:
    assert warm.value(("rest.py", "elsewhere"), WORDS, [], "missing") == "False"
