import sys
from collections.abc import Callable
from itertools import product

import pytest

from analyzers.cloud.answer_crashes import is_of_parsing
from tests.analyzers.guest.guests import GuestAtHand

Start = Callable[..., GuestAtHand]
# a search ends when it has reached everything; the limit is far from that
BUDGET = {"seed": 0, "mutation_seconds": 60.0, "symbolic_seconds": 0.0, "max_list": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "installed"),
    [
        *((name, True) for name in ("is_pet", "is_exit", "is_angry")),
        *product(("is_glad", "is_harmful", "is_spam"), (True, False)),
    ],
)
def test_search_reaches_both_branches(start: Start, bare_python: str, function, installed) -> None:
    guest = start("clouds", python=sys.executable if installed else bare_python)
    guest.prepare("searched.py", function)
    goals = [point for point in guest.points if f"::{function}#" in point]
    found = guest.search(goals=goals, **BUDGET)
    assert found["obstacle"] is None
    assert {witness["goal"] for witness in found["witnesses"]} == set(goals)
    assert all(witness["confirmed"] for witness in found["witnesses"])


@pytest.mark.parametrize(
    "function",
    [
        "is_smiling",
        "is_receipt",
        pytest.param("is_person", marks=pytest.mark.slow),
        "is_unsafe",
        pytest.param("is_flame", marks=pytest.mark.slow),
        pytest.param("is_dog", marks=pytest.mark.slow),
        pytest.param("is_way_out", marks=pytest.mark.slow),
        pytest.param("is_stop", marks=pytest.mark.slow),
    ],
)
def test_code_that_reads_all_of_an_answer_never_crashes(
    start: Start, bare_python: str, function
) -> None:
    guest = start("clouds", python=bare_python)
    guest.prepare("searched.py", function)
    goals = [point for point in guest.points if f"::{function}#" in point]
    found = guest.search(goals=goals, **BUDGET)
    assert found["obstacle"] is None
    assert found["crashes"] == []
    assert {witness["goal"] for witness in found["witnesses"]} == set(goals)
    assert all(witness["confirmed"] for witness in found["witnesses"])


@pytest.mark.parametrize(
    ("function", "crashes"),
    [
        ("plain", {"json.decoder.JSONDecodeError"}),
        pytest.param("guarded", set(), marks=pytest.mark.slow),
        pytest.param("in_json", set(), marks=pytest.mark.slow),
        ("strict", {"TypeError"}),
        pytest.param("careful", set(), marks=pytest.mark.slow),
        pytest.param("forced", set(), marks=pytest.mark.slow),
        pytest.param("free", {"AttributeError"}, marks=pytest.mark.slow),
        pytest.param("streamed", set(), marks=pytest.mark.slow),
        pytest.param("split", {"ValueError"}, marks=pytest.mark.slow),
    ],
)
def test_language_model_answers_as_the_request_lets_it(start: Start, function, crashes) -> None:
    guest = start("clouds", python=sys.executable)
    guest.prepare("turns.py", function)
    found = guest.search(goals=[], **{**BUDGET, "mutation_seconds": 3.0})
    assert found["obstacle"] is None
    ended = (
        (crash["ending"]["exception"], crash["ending"]["message"]) for crash in found["crashes"]
    )
    assert {each[0] for each in ended if is_of_parsing(*each)} == crashes


@pytest.mark.parametrize(
    ("file", "function", "crashes"),
    [
        ("claude.py", "posted_plain", {"json.decoder.JSONDecodeError"}),
        ("claude.py", "called", set()),
        ("bedrock.py", "plain", {"json.decoder.JSONDecodeError"}),
        ("bedrock.py", "guarded", set()),
        ("gemini.py", "plain", {"json.decoder.JSONDecodeError"}),
        ("gemini.py", "formed", set()),
        ("gemini_first.py", "formed", set()),
    ],
)
def test_models_of_other_providers_answer_with_any_text(
    start: Start, bare_python: str, file, function, crashes
) -> None:
    guest = start("clouds", python=bare_python)
    guest.prepare(file, function)
    found = guest.search(goals=[], **{**BUDGET, "mutation_seconds": 1.0})
    assert found["obstacle"] is None
    ended = (
        (crash["ending"]["exception"], crash["ending"]["message"]) for crash in found["crashes"]
    )
    assert {each[0] for each in ended if is_of_parsing(*each)} == crashes
