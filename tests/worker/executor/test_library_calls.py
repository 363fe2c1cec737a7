"""What a guest says of library calls is taken where it is one, and only computes."""

import pytest

from analyzers.vocabulary import Divergence
from worker.executor.exploration_codec import agreement_condition, recorded_of, related_of

AT = {"api": "torch.lcm", "path": "app.py", "line": 1, "function": "f", "source": "torch.lcm(6, 4)"}
DIVERGENCE = {
    "api": "torch.lcm",
    "rule": "value",
    "relation": "value",
    "related": "torch.gcd(input, other)",
    "call": "torch.lcm(6, 4)",
    "outcome": "1",
    "expected": "2",
}


OWN = "agrees('torch.lcm', 'value', 'torch.gcd(input, other)')"
VIOLATED = {"kind": "violated", "condition": OWN, "detail": "d"}


def related(ending=VIOLATED, **changes):
    each = {"divergence": {**DIVERGENCE, **changes}, "at": AT}
    reached = {**each, "arguments": {}, "ensures": ["open('a')"], "ending": ending}
    frame = {"reached": [reached], "beyond": [each], "executions": 1, "seconds": 1}
    return related_of({**frame, "obstacle": None, "notes": []}, "app.py::f", "app.py".__eq__)


def test_divergences_that_act_are_left_out():
    assert len(related().reached) == len(related().beyond) == 1
    for changes in ({"call": "torch.load('a')"}, {"related": "torch.load(input)"}):
        assert related(**changes).reached == related(**changes).beyond == ()


def test_postcondition_is_written_here():
    (reached,) = related().reached
    assert reached.probe.ensures == (OWN,)
    assert agreement_condition(Divergence(**DIVERGENCE)) == OWN


@pytest.mark.parametrize(
    "ending",
    [
        {**VIOLATED, "condition": "agrees('torch.lcm', 'value', 'torch.os.remove(input)')"},
        {**VIOLATED, "condition": "__import__('os')"},
        {"kind": "returned", "value": "1"},
    ],
)
def test_what_breaks_another_condition_is_left_out(ending):
    assert related(ending).reached == ()


def test_disagreements_without_a_call_are_left_out():
    assert related(call="").reached == related(call="").beyond == ()


def test_calls_elsewhere_are_left_out():
    calls = [{**AT, "probe": 0}, {**AT, "probe": 0, "path": "/etc/passwd"}]
    calls.append({**AT, "probe": 0, "source": "torch.load('a')"})
    frame = {"library": "torch", "version": "2", "calls": calls, "notes": []}
    recorded = recorded_of(frame, "app.py".__eq__)
    assert [(each.path, each.source) for each in recorded.calls] == [
        ("app.py", "torch.lcm(6, 4)"),
        ("app.py", ""),
    ]
