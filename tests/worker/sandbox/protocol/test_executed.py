"""What a guest says of models: only what may be written into conditions and reports."""

import pytest

from analyzers.guest.models.executed_frame import LONGEST_LAYER, MOST_LAYERS
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check
from worker.sandbox.protocol.model_frames import MOST_COMPARISONS, MOST_DEPARTURES

LAYER = {"name": "features.3", "kind": "AvgPool2d", "path": "net.py", "line": 4, "source": ""}
DEPARTURE = {
    "rule": "divergence",
    "execution": "onnxruntime",
    "arguments": {"x": {"kind": "made", "recipe": "tensor((1, 3), seed=1)"}},
    "inputs": "",
    "mutations": "",
    "other": "",
    "ending": {"kind": "violated", "condition": "executes", "detail": "off by 1"},
    "signal": None,
    "outcome": "1.5 at [0]",
    "expected": "1.0",
    "error_ratio": 1e5,
    "d_mad": 0.3,
    "layer": LAYER,
    "single": "torch.nn.AvgPool2d(2)",
    "low": -1.5,
    "high": 2.0,
    "layers": [
        {"layer": "conv1", "error_ratio": 1.2},
        {"layer": "features.3", "error_ratio": None},
    ],
}


def executed(*departures, **changes):
    return {
        "type": "executed",
        "departures": list(departures),
        "done": ["onnxruntime"],
        "left_out": [{"execution": "eager", "reason": "is not there"}],
        "model": "torch.nn.Module, 5 layers",
        "mutants": 3,
        "amplified": 1,
        "apis": ["torch.nn.Linear"],
        "executions": 12,
        "seconds": 1.5,
        "obstacle": None,
        "notes": [],
        "versions": [{"package": "torch", "version": "2.13.0+cpu"}],
        **changes,
    }


def said(frame):
    check(frame, {"type": "execute", "executions": ["onnxruntime", "eager"]}, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"ending": None, "signal": 11},
        {"layer": None, "single": "", "low": None, "high": None, "error_ratio": None},
        {"other": "negated"},
        {"layers": []},
        {"layers": [{"layer": "a" * LONGEST_LAYER, "error_ratio": 0.0}] * MOST_LAYERS},
        {"inputs": "(tensor((1, 3, 8, 8), seed=1),)", "mutations": "GF fc1: weight @7; LR relu"},
    ],
)
def test_departures_of_the_protocol_pass(changes):
    said(executed({**DEPARTURE, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": "surprise"},
        {"execution": "inductor"},
        {"execution": "onnxruntime', 1) or print('"},
        {"inputs": "tensor((1,))"},
        {"inputs": "(open('x'),)"},
        {"inputs": "(Net(),)"},
        {"inputs": "(os.system('x'),)"},
        {"mutations": "GF fc1: weight @7') or print('"},
        {"mutations": "EVIL fc1"},
        {"other": "negated') or print('"},
        {"other": "inverted"},
        {"mutations": "; ".join(["LR relu"] * 9)},
        {"signal": 11},
        {"ending": None},
        {"error_ratio": -1.0},
        {"low": float("inf")},
        {"low": "0"},
        {"low": float("nan")},
        {"high": 10**400},
        {"error_ratio": float("inf")},
        {"d_mad": float("nan")},
        {"layer": {**LAYER, "source": "nn.ReLU()  # \x1b[2J"}},
        {"layer": {**LAYER, "source": "nn.ReLU()\u202e"}},
        {"layer": {**LAYER, "name": "a`b"}},
        {"layer": {**LAYER, "line": -1}},
        {"layer": {**LAYER, "source": "a\nb"}},
        {"layers": None},
        {"layers": [{"layer": "conv1", "error_ratio": 1.2}] * (MOST_LAYERS + 1)},
        {"layers": [{"layer": "a" * (LONGEST_LAYER + 1), "error_ratio": 1.2}]},
        {"layers": [{"layer": "<script>", "error_ratio": 1.2}]},
        {"layers": [{"layer": "a\nb", "error_ratio": 1.2}]},
        {"layers": [{"layer": "conv1", "error_ratio": -1.0}]},
        {"layers": [{"layer": "conv1", "error_ratio": float("inf")}]},
        {"layers": [{"layer": "conv1", "error_ratio": float("nan")}]},
        {"layers": [{"layer": "conv1", "error_ratio": "1.2"}]},
        {"layers": [{"layer": "conv1", "error_ratio": 10**400}]},
        {"layers": [{"layer": 1, "error_ratio": 1.2}]},
        {"layers": [{"layer": "conv1"}]},
        {"layers": [["conv1", 1.2]]},
    ],
)
def test_what_could_do_more_is_refused(changes):
    with pytest.raises(BadFrame):
        said(executed({**DEPARTURE, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"done": ["cuda"]},
        {"left_out": [{"execution": "cuda", "reason": "no"}]},
        {"executions": MOST_COMPARISONS + 1},
        {"mutants": 1, "amplified": 2},
        {"model": "a\nb"},
        {"model": "\x1b]0;a\x07"},
        {"model": "a\u2028b"},
        {"versions": [{"package": "torch", "version": "2 `x`"}]},
        {"departures": [DEPARTURE] * (MOST_DEPARTURES + 1)},
    ],
)
def test_frames_that_cannot_be_are_refused(changes):
    with pytest.raises(BadFrame):
        said(executed(**changes))
