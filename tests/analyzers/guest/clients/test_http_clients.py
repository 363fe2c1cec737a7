import sys
from collections.abc import Callable

import pytest

from tests.analyzers.guest.guests import (
    LABELS,
    SENTIMENT,
    GuestAtHand,
    content,
    labels,
    literal,
    probe,
    sentiment,
)

Start = Callable[..., GuestAtHand]
FOOD = [(LABELS, labels(("Food", 0.9), ("Dish", 0.7)))]
GOOD = [(SENTIMENT, sentiment(0.9))]


@pytest.mark.parametrize(
    ("function", "arguments", "script", "value"),
    [
        ("by_requests", {"path": content("path")}, FOOD, "['Food', 'Dish']"),
        ("by_session", {"path": content("path")}, FOOD, "0.9"),
        ("by_urllib", {"text": literal("x")}, GOOD, "0.9"),
        ("by_discovery", {"path": content("path")}, FOOD, "'Food'"),
        (
            "sentiment_by_discovery",
            {"text": literal("x")},
            GOOD,
            "{'magnitude': 1.0, 'score': 0.9}",
        ),
    ],
)
@pytest.mark.parametrize("installed", [True, False])
def test_rest_is_answered(
    start: Start, bare_python: str, installed, function, arguments, script, value
) -> None:
    guest = start("rough", python=sys.executable if installed else bare_python)
    guest.prepare("rest.py", function)
    (result,) = guest.run(probe(script, **arguments), blobs={"b1": b"picture"})
    assert result["ending"] == {"kind": "returned", "value": value}


def test_clients_ask_the_same_question(start: Start) -> None:
    digests = set()
    for function in ("by_requests", "by_discovery"):
        guest = start("rough")
        guest.prepare("rest.py", function)
        given = probe(FOOD, path=content("path"))
        (result,) = guest.run(given, blobs={"b1": b"picture"})
        digests |= {exchange["digest"] for exchange in result["exchanges"]}
    assert len(digests) == 1


def test_other_urls_are_left_alone(start: Start) -> None:
    guest = start("rough")
    guest.prepare("rest.py", "elsewhere")
    ending = guest.ending()
    assert (ending["kind"], ending["standin"]) == ("raised", True)


def test_other_urls_are_inert_without_requests(start: Start, bare_python: str) -> None:
    guest = start("rough", python=bare_python)
    guest.prepare("rest.py", "elsewhere")
    assert guest.ending()["value"] == "False"
