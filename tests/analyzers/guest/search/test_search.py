import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from analyzers.guest.protocol.api_calls import RecordedAnswers
from analyzers.guest.runtime.execution import execute
from analyzers.guest.search.answer_search import search
from tests.analyzers.guest.search.targets import message, target

ROOT = Path(__file__).parents[4]

ALARM = """
HOT = {"fire", "flame"}
def f(image):
    for label in labels(image):
        if label.description.lower() in HOT and label.score > 0.8:
            return True
    return False
"""


def goals(frame: dict[str, Any]) -> set[str]:
    return {witness["goal"].removeprefix("app.py::") for witness in frame["witnesses"]}


def answers(frame: dict[str, Any], goal: str) -> Any:
    return next(
        witness["script"][0]["answer"]
        for witness in frame["witnesses"]
        if witness["goal"] == f"app.py::{goal}"
    )


def test_every_label_goal_is_reached() -> None:
    prepared = target(ALARM)
    frame = search(prepared, message(prepared))
    assert goals(frame) == {point.removeprefix("app.py::") for point in prepared.points}
    assert frame["template"]["arguments"]["image"]["form"] == "bytes"
    assert frame["obstacle"] is None


def test_witnesses_replay_elsewhere() -> None:
    prepared = target(ALARM)
    frame = search(prepared, message(prepared))
    for witness in frame["witnesses"]:
        result = execute(prepared, witness["arguments"], RecordedAnswers(witness["script"]), 1)
        assert witness["goal"] in {prepared.points[hit] for hit in result.hits}


def test_witness_is_the_constant_itself() -> None:
    prepared = target(ALARM)
    frame = search(prepared, message(prepared))
    (label,) = answers(frame, "f#1.0='flame':true")["label_annotations"]
    assert label["description"] == "flame"


def test_same_seed_finds_the_same() -> None:
    prepared = target(ALARM)
    first, second = (search(prepared, message(prepared)) for _ in range(2))
    assert first == second


def test_thresholds_hold_on_the_wire() -> None:
    prepared = target("def f(image):\n    return [1 for l in labels(image) if l.score > 0.8]\n")
    assert goals(search(prepared, message(prepared))) >= {"f#0:true", "f#0:false"}


def test_sentiment_bands_are_reached() -> None:
    prepared = target(
        """
        def f(text):
            m = mood(text)
            if m.score < -0.25 and m.magnitude > 2.5:
                return "very bad"
            return "good" if 0.25 < m.score <= 0.6 else "other"
        """
    )
    frame = search(prepared, message(prepared))
    assert goals(frame) == {point.removeprefix("app.py::") for point in prepared.points}
    assert frame["template"]["arguments"]["text"]["form"] == "text"


def test_likelihoods_are_reached() -> None:
    prepared = target(
        """
        def f(image):
            found = faces(image)
            if len(found) == 2 and found[1].joy_likelihood >= 4:
                return "happy pair"
            return all(face.anger_likelihood.name == "LIKELY" for face in found)
        """
    )
    frame = search(prepared, message(prepared))
    assert goals(frame) == {point.removeprefix("app.py::") for point in prepared.points}


def test_crash_on_empty_answer_is_reported_once() -> None:
    prepared = target("def f(image):\n    return labels(image)[0].description == 'cat'\n")
    frame = search(prepared, message(prepared))
    (crash,) = frame["crashes"]
    assert crash["ending"]["exception"] == "IndexError"
    assert crash["ending"]["line"] == 2
    assert crash["script"][0]["answer"] == {"label_annotations": []}


def test_refusal_is_no_crash() -> None:
    prepared = target(
        "def f(image):\n    if not labels(image):\n        raise ValueError('nothing')\n"
    )
    assert search(prepared, message(prepared))["crashes"] == []


def test_constants_stand_by_their_goals() -> None:
    prepared = target(ALARM)
    constants = search(prepared, message(prepared))["constants"]
    assert constants["app.py::f#1.0:true"] == ["fire", "flame"]
    assert constants["app.py::f#1.0='fire':true"] == ["fire"]


def test_unasked_api_is_an_obstacle() -> None:
    prepared = target("def f(image):\n    return image.nothing\n")
    frame = search(prepared, message(prepared))
    assert frame["template"] is None
    assert "before it called the API" in frame["obstacle"]


def test_target_without_input_is_searched() -> None:
    prepared = target("def f():\n    return 'Cat' in [l.description for l in labels(b'x')]\n")
    frame = search(prepared, message(prepared))
    assert frame["template"] == {"arguments": {}}
    assert goals(frame) == {"f#0:true", "f#0:false"}


# ------------------------------------------------------------ with CrossHair

needs_crosshair = pytest.mark.skipif(
    importlib.util.find_spec("crosshair") is None, reason="needs crosshair-tool"
)


@needs_crosshair
def test_solver_inverts_preprocessing() -> None:
    prepared = target(
        """
        def f(image):
            text = words(image)
            if len(text) == 3 and ord(text[0]) * 3 + ord(text[1]) == 400 and text[2] == text[0]:
                return True
            return False
        """
    )
    wanted = message(prepared, mutation_seconds=0.01, symbolic_seconds=20.0)
    frame = search(prepared, wanted)
    assert "f#0:true" in goals(frame)


@needs_crosshair
def test_contradiction_is_proved_dead() -> None:
    prepared = target(
        """
        def f(image):
            for label in labels(image):
                if label.score > 0.9 and label.score < 0.5:
                    return True
            return False
        """
    )
    wanted = message(prepared, mutation_seconds=0.02, symbolic_seconds=20.0)
    frame = search(prepared, wanted)
    assert frame["exhausted"] == ["app.py::f#1.1:true", "app.py::f#1:true"]
    assert frame["bound"] == "at most 2 labels with any names and scores"


@needs_crosshair
def test_search_that_comes_to_no_end_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = target("def f(image):\n    return any(0.9 < l.score < 0.5 for l in labels(image))\n")
    wanted = message(prepared, mutation_seconds=0.02, symbolic_seconds=20.0)
    assert search(prepared, wanted)["exhausted"]
    crosshair_paths = importlib.import_module("analyzers.guest.search.crosshair_paths")
    monkeypatch.setattr(crosshair_paths, "SLOW_SECONDS", -1.0)
    frame = search(prepared, wanted)
    assert frame["exhausted"] == []
    assert any("cut short" in note for note in frame["notes"])


@needs_crosshair
@pytest.mark.parametrize(
    "source",
    [
        "def f(image):\n    return len(labels(image)) > 4\n",
        "def f(image, limit=2):\n    return any(l.score > limit for l in labels(image))\n",
        "def f(image):\n    return any(l.mid == 'x' for l in labels(image))\n",
        "ON = False\ndef f(image):\n    return [l for l in labels(image) if ON and l.score]\n",
        "def f(image):\n    try:\n        labels(image)\n    except OSError:\n        return 1\n",
        "import os\ndef f(image):\n    return [l for l in labels(image)"
        " if l.score > float(os.environ.get('LIMIT', 2))]\n",
    ],
    ids=["list-bound", "parameter", "other-field", "flag", "handler", "environment"],
)
def test_what_answers_do_not_decide_is_not_dead(source: str) -> None:
    prepared = target(source)
    wanted = message(prepared, mutation_seconds=0.005, symbolic_seconds=3.0)
    assert search(prepared, wanted)["exhausted"] == []


@pytest.mark.slow
def test_search_goes_on_without_crosshair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    prepared = target("def f(image):\n    text = words(image)\n    return text == text + 'x'\n")
    frame = search(prepared, message(prepared, mutation_seconds=0.05, symbolic_seconds=5.0))
    assert goals(frame) == {"f#0:false"}
    assert frame["exhausted"] == []


# ------------------------------------------------------------ with the SDK


ALONE = """
import json
from benchmarks.search_suite.harness import SUITE, cases, search_all

source = (SUITE / "labels.py").read_text()
(case,) = (case for case in cases("labels.py", source) if case.function == "by_threshold")
(frame,) = search_all(str(SUITE), [case], symbolic_seconds=0.0)
reached = [witness["goal"] for witness in frame["witnesses"]]
print(json.dumps({"reached": reached, "feasible": sorted(case.feasible)}))
"""


def test_real_client_is_searched() -> None:
    # a process of its own: modules that are imported already are not intercepted
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=ROOT, check=True, capture_output=True, timeout=120
    )
    searched = json.loads(done.stdout)
    assert searched["feasible"]
    assert set(searched["reached"]) >= set(searched["feasible"])
