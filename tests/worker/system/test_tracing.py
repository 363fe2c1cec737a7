"""A trace of a run, as a browser's trace viewer reads it."""

import json
import threading

import pytest

from worker.system.tracing import phase, traced, traced_to


@traced("inner")
def inner():
    return 3


def events(path):
    return {event["name"]: event for event in json.loads(path.read_text())["traceEvents"]}


def test_phases_lie_in_one_another(tmp_path):
    path = tmp_path / "trace.json"
    with traced_to(path), phase("outer", target="app.py::f"):
        assert inner() == 3
    found = events(path)
    outer, within = found["outer"], found["inner"]
    assert outer["args"] == {"target": "app.py::f"}
    assert outer["ts"] <= within["ts"]
    assert within["ts"] + within["dur"] <= outer["ts"] + outer["dur"] + 1
    assert {event["ph"] for event in found.values()} == {"X"}
    assert found["start Assayer"]["ts"] + found["start Assayer"]["dur"] <= outer["ts"] + 1


def test_trace_is_written_where_the_run_fails(tmp_path):
    path = tmp_path / "trace.json"
    with pytest.raises(ZeroDivisionError), traced_to(path), phase("failing"):
        inner(1 // 0)
    assert "failing" in events(path)


def test_each_thread_has_its_own_row(tmp_path):
    path = tmp_path / "trace.json"
    with traced_to(path), phase("here"):
        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
    found = events(path)
    assert found["here"]["tid"] != found["inner"]["tid"]


def test_nothing_is_noted_where_nobody_asks():
    with phase("alone"):
        assert inner() == 3
