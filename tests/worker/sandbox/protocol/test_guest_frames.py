"""Whatever a guest says is read or refused: nothing else happens to the worker."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzers.vocabulary import Run, SearchResult
from tests.worker.sandbox.protocol.test_channel import PREPARED, RAISED, RESULT, SEARCHED
from worker.engines.engine import ApiRequest
from worker.executor.probe_codec import run_of, searched_of
from worker.report.report_templates import literal
from worker.sandbox.protocol.channel import PARTS, decoded
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

ASK = {"type": "ask", "api": "a", "request": {"content": {"$bytes": "AA=="}, "parameters": {}}}
MESSAGES = [
    PREPARED,
    {"type": "unprepared", "reason": "r"},
    {"type": "ran", "results": [RESULT, {**RESULT, "index": 1, "ending": RAISED}]},
    {"type": "done", "ended": {"index": 1, "signal": 11}},
    ASK,
    SEARCHED,
]
REQUESTS = [{"type": kind, "probes": [{}] * 3} for kind in ("prepare", "run", "search", "quit")]
ODD = st.one_of(
    st.sampled_from([None, True, -1, 0.5, 1e308, 1 << 70, 1 << 40, "", [], {}, "\ud800"]),
    st.sampled_from(["__import__('os')", "-" * 20_000 + "1", "(" * 500, "1e999", "class", "\x1b"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=10,
    ),
)
FEW = settings(
    max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@st.composite
def mutated(draw) -> object:
    """A message of the protocol in which something, somewhere, is odd."""
    message = json.loads(json.dumps(draw(st.sampled_from(MESSAGES))))
    for _ in range(draw(st.integers(0, 3))):
        place = message
        while isinstance(place, dict | list) and place:
            keys = sorted(place) if isinstance(place, dict) else range(len(place))
            key = draw(st.sampled_from(list(keys)))
            if draw(st.booleans()) or not isinstance(place[key], dict | list):
                action = draw(st.sampled_from(["replace", "replace", "remove", "add", "double"]))
                _mutate(place, key, action, draw)
                break
            place = place[key]
    return message


def _mutate(place, key, action, draw) -> None:
    if action == "replace":
        place[key] = draw(ODD)
    elif action == "remove":
        del place[key]
    elif isinstance(place, list):
        place.append(draw(ODD) if action == "add" else place[key])
    else:
        place[draw(st.text(max_size=5)) or "more"] = draw(ODD)


def understood(message, request) -> None:
    """Do with a message that passes what the worker does; nothing may be raised."""
    kind = message["type"]
    if kind == "ran":
        runs = [run_of(result, PREPARED["points"]) for result in message["results"]]
        assert all(isinstance(run, Run) for run in runs)
    elif kind == "searched":
        searched = searched_of(message, "a.py::f", {"g"})
        assert isinstance(searched, SearchResult)
        assert {witness.goal for witness in searched.witnesses} <= {"g"}
    elif kind == "ask":
        ApiRequest.from_frame(message["request"]).digest(message["api"])
    json.dumps(message, default=repr, allow_nan=False)
    compile(literal(json.loads(json.dumps(message, default=repr))), "reproducer", "eval")


@FEW
@given(st.binary(max_size=2000))
def test_any_bytes_are_an_object_or_refused(payload):
    with suppress(BadFrame):
        assert isinstance(decoded(payload), dict)


@FEW
@given(mutated(), st.sampled_from(REQUESTS))
def test_any_message_is_understood_or_refused(message, request_):
    try:
        heard = decoded(json.dumps(message).encode())
        check(heard, request_, len(PREPARED["points"]))
    except BadFrame:
        return
    understood(heard, request_)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message["type"])
def test_true_messages_pass(message):
    replies = {"prepared": 0, "unprepared": 0, "searched": 2}
    heard = decoded(json.dumps(message).encode())
    check(heard, REQUESTS[replies.get(message["type"], 1)], 2)
    understood(heard, None)


@pytest.mark.parametrize(
    "payload",
    [
        b'{"type": "done", "type": "done"}',
        b'{"type": "ask", "request": {"parameters": {"a": 1, "a": 2}}}',
        b'["' + b'ab","' * PARTS + b'"]',
        b"[" + b"1," * PARTS + b"1]",
    ],
    ids=["a name twice", "a name twice, deep inside", "many texts", "many numbers"],
)
def test_ambiguous_and_excessive_json_is_refused(payload):
    with pytest.raises(BadFrame):
        decoded(payload)


def searched(**argument) -> dict:
    witness = {**SEARCHED["witnesses"][0], "arguments": {"x": argument}}
    return {**SEARCHED, "witnesses": [witness]}


@pytest.mark.parametrize(
    "message",
    [
        searched(kind="literal", source="__import__('os').system('true')"),
        searched(kind="literal", source="open('/etc/passwd')"),
        searched(kind="literal", source="'a' * 10**9"),
        searched(kind="literal", source="-" * 19_000 + "1"),
        searched(kind="literal", source="(" * 5000 + ")" * 5000),
        searched(kind="literal", source="'" + "a" * 30_000 + "'"),
        searched(kind="literal", source="\0"),
        searched(kind="content", form="pickle"),
        searched(kind="content", form="path/../../etc"),
        {**SEARCHED, "template": {"arguments": {"x=1); evil(": {"kind": "inert"}}}},
        {**SEARCHED, "template": {"arguments": {"class": {"kind": "inert"}}}},
        {**SEARCHED, "crashes": SEARCHED["crashes"] * 10_000},
        {**SEARCHED, "executions": 1 << 60},
    ],
    ids=lambda message: json.dumps(message["witnesses"][0]["arguments"])[:40],
)
def test_what_would_end_in_a_reproducer_is_refused(message):
    with pytest.raises(BadFrame):
        check(message, REQUESTS[2], 0)


@pytest.mark.parametrize("number", ["1e999", "-1e999", str(1 << 65), "9" * 4000])
def test_numbers_that_others_cannot_read_are_refused(number):
    answer = f'{{"labels": [{{"score": {number}}}]}}'
    exchange = f'{{"api": "a", "digest": "d", "answer": {answer}}}'
    result = json.dumps({**RESULT, "exchanges": []}).replace("[]", f"[{exchange}]")
    payload = f'{{"type": "ran", "results": [{result}]}}'.encode()
    with pytest.raises(BadFrame):
        check(decoded(payload), REQUESTS[1], 2)
