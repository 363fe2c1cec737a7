"""Which calls of a library may stand in what people run."""

import pytest

from analyzers.vocabulary import Divergence
from worker.laboratory.library_names import harmless, harmless_words
from worker.laboratory.related import agreement, recorded_of, related_of


@pytest.mark.parametrize(
    "call",
    [
        "",
        "torch.lcm(torch.tensor([6], dtype=torch.int64), 4)",
        "torch.trunc(torch.tensor(1.5))",
        "torch.nn.Softshrink(0.5)(torch.tensor([1.0]))",
        "torch.nn.functional.huber_loss(x, y, reduction='none')",
        "torch._refs.nn.functional.huber_loss(input, target)",
        "torch.Tensor.expand(torch.tensor([1.0]), 3)",
        "torch.cat(*tensors, dim=input.ndim)",
        "torch.narrow(tensor((2, 3), seed=1), 0, slice(0, 1), complex(1, 2))",
        "numpy.linalg.norm(x)",
        "jax.numpy.clip(x, 0, 1)",
        "keras.ops.relu(x)",
    ],
)
def test_what_computes_is_harmless(call):
    assert harmless(call)


@pytest.mark.parametrize(
    "call",
    [
        "torch.load('a')",
        "torch.save(x, 'a')",
        "torch.os.system('id')",
        "torch.hub.load('a', 'b')",
        "torch.lcm(torch.hub.load('a', 'b'), 4)",
        "torch.Tensor.from_file('a')",
        "torch.nn.functional.os.system('id')",
        "torch.nn.Softshrink(torch.load('a'))(x)",
        "numpy.fromfile('a')",
        "numpy.savetxt('a', x)",
        "tensorflow.io.read_file('a')",
        "open('a')",
        "os.system('id')",
        "torch.compile(x)",
        "import os",
    ],
)
def test_what_acts_is_not(call):
    assert not harmless(call)


def test_words_are_no_call():
    assert harmless_words("the same call on float64")
    assert harmless_words("torch.special.expit(input)")
    assert not harmless_words("torch.load(input)")


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


def related(**changes):
    each = {"divergence": {**DIVERGENCE, **changes}, "at": AT}
    ending = {"kind": "violated", "condition": "c", "detail": "d"}
    reached = {**each, "arguments": {}, "ensures": ["open('a')"], "ending": ending}
    frame = {"reached": [reached], "beyond": [each], "executions": 1, "seconds": 1}
    return related_of({**frame, "obstacle": None, "notes": []}, "app.py::f", "app.py".__eq__)


def test_divergences_that_act_are_left_out():
    assert len(related().reached) == len(related().beyond) == 1
    for changes in ({"call": "torch.load('a')"}, {"related": "torch.load(input)"}):
        assert related(**changes).reached == related(**changes).beyond == ()


def test_postcondition_is_written_here():
    (reached,) = related().reached
    condition = "agrees('torch.lcm', 'value', 'torch.gcd(input, other)')"
    assert reached.probe.ensures == (condition,)
    assert agreement(Divergence(**DIVERGENCE)) == condition


def test_calls_elsewhere_are_left_out():
    calls = [{**AT, "probe": 0}, {**AT, "probe": 0, "path": "/etc/passwd"}]
    calls.append({**AT, "probe": 0, "source": "torch.load('a')"})
    frame = {"library": "torch", "version": "2", "calls": calls, "notes": []}
    recorded = recorded_of(frame, "app.py".__eq__)
    assert [(each.path, each.source) for each in recorded.calls] == [
        ("app.py", "torch.lcm(6, 4)"),
        ("app.py", ""),
    ]
