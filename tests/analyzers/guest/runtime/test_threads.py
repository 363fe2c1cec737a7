"""Many threads of the tested code ask at once."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzers import catalogue
from analyzers.guest.protocol import api_calls
from tests.analyzers.guest.guests import LABELS, GuestAtHand, labels, literal, probe
from worker.sandbox.certificates import certificate

APP = """\
import base64, hashlib, json, os, threading, urllib.request
from concurrent.futures import ThreadPoolExecutor

from google.cloud import vision

URL = "https://vision.googleapis.com/v1/images:annotate"


def by_sdk(name):
    client = vision.ImageAnnotatorClient()
    found = client.label_detection(image=vision.Image(content=name.encode()))
    return found.label_annotations[0].description


def by_bytes(name):
    image = {"content": base64.b64encode(name.encode()).decode()}
    body = {"requests": [{"image": image, "features": [{"type": "LABEL_DETECTION"}]}]}
    request = urllib.request.Request(URL, json.dumps(body).encode())
    with urllib.request.build_opener().open(request, timeout=60) as response:
        return json.load(response)["responses"][0]["labelAnnotations"][0]["description"]


def both(task):
    number, name = task
    return (by_sdk if number % 2 else by_bytes)(name)


def crowd(count):
    names = [f"{n}-" + "x" * (n * 200) for n in range(count)]
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(both, enumerate(names)))
    wanted = [hashlib.sha256(name.encode()).hexdigest() for name in names]
    return sum(answer != expected for answer, expected in zip(given, wanted))


def pair(names):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(by_sdk, names))


def dies_while_asking():
    asking = threading.Thread(target=by_sdk, args=("picture",), daemon=True)
    asking.start()
    asking.join(0.3)
    os._exit(3)


def forks_and_returns():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return "parent" if child else "child"
"""
COUNT = 100


@pytest.fixture
def guest(start: Callable[..., GuestAtHand], tmp_path: Path) -> Callable[..., Any]:
    made = certificate(catalogue.load_catalogue().hosts)
    names = {"authority": made.authority, "certificate": made.certificate, "key": made.key}

    def guest(function: str) -> GuestAtHand:
        project = tmp_path / "project"
        project.mkdir()
        (project / "app.py").write_text(APP)
        started = start(project)
        assert started.prepare("app.py", function, network=names)["type"] == "prepared"
        return started

    return guest


def answer_of(content: bytes) -> dict[str, Any]:
    return labels((hashlib.sha256(content).hexdigest(), 0.5))


def test_answers_reach_the_thread_that_asked(guest, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = guest("crowd")

    def reply() -> dict[str, Any]:
        content = crowd.asked[-1]["request"]["content"]
        return {"type": "answer", "answer": answer_of(content)}

    monkeypatch.setattr(crowd, "_reply", reply)
    (result,) = crowd.run(probe(None, count=literal(COUNT)), seconds=60)
    names = [f"{n}-" + "x" * (n * 200) for n in range(COUNT)]
    wanted = [hashlib.sha256(name.encode()).hexdigest() for name in names]
    assert result["ending"]["kind"] == "returned", result["ending"]
    found = {e["answer"]["label_annotations"][0]["description"] for e in result["exchanges"]}
    assert found == set(wanted)
    assert len(result["exchanges"]) == COUNT
    assert result["ending"]["value"] == "0"


def digest_of(name: str) -> str:
    return api_calls.digest(api_calls.ApiRequest(LABELS, name.encode()))


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_recorded_answer_belongs_to_its_question(guest, order: list[str]) -> None:
    script = [
        {"api": LABELS, "digest": digest_of(name), "answer": labels((name, 0.5))}
        for name in ("a", "b")
    ]
    given = {"arguments": {"names": literal(order)}, "script": script}
    results = guest("pair").run(*[given] * 20, seconds=60)
    assert {result["ending"]["value"] for result in results} == {str(order)}


def play(script: list[tuple[str, str]], asked: str) -> str:
    """What a script says to questions about these contents, one letter each."""
    entries = [
        {"api": LABELS, "digest": digest and digest_of(digest), "answer": {"said": said}}
        for digest, said in script
    ]
    played = api_calls.RecordedAnswers(entries)
    return "".join(played(api_calls.ApiRequest(LABELS, name.encode()))["said"] for name in asked)


@pytest.mark.parametrize(
    ("script", "asked", "said"),
    [
        ([("", "1"), ("", "2")], "abc", "122"),
        ([("a", "1"), ("b", "2")], "ab", "12"),
        ([("a", "1"), ("b", "2")], "ba", "21"),
        ([("a", "1"), ("b", "2")], "bba", "221"),
        ([("a", "1"), ("a", "2")], "aaa", "122"),
        ([("a", "1"), ("b", "2")], "xy", "12"),
        ([("a", "1"), ("b", "2"), ("c", "3")], "cabcab", "312312"),
    ],
)
def test_script_is_played_by_question_and_else_in_order(script, asked: str, said: str) -> None:
    assert play(script, asked) == said


@pytest.mark.slow
def test_death_while_a_thread_asks_costs_one_run(guest, monkeypatch: pytest.MonkeyPatch) -> None:
    dying = guest("dies_while_asking")

    def reply_late() -> dict[str, Any]:
        time.sleep(0.8)
        return {"type": "answer", "answer": labels(("x", 0.5))}

    monkeypatch.setattr(dying, "_reply", reply_late)
    given = probe(None)
    assert dying.run(given, seconds=60) == [{"died": 0}]
    assert dying.run(given, seconds=60) == [{"died": 0}]


def test_fork_that_returns_is_no_second_run(guest) -> None:
    results = guest("forks_and_returns").run(*[probe()] * 5, seconds=60)
    assert [result["ending"]["value"] for result in results] == ["'parent'"] * 5
