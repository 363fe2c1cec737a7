"""Keys of arguments come from the guest and are written into tests that people run."""

import ast

import pytest

from analyzers.vocabulary import Crashes, Finding, Level, LiteralArgument, Probe
from tests.worker.sandbox.protocol.test_channel import RESULT, SEARCHED
from worker.report.reproducer_calls import reproducer_calls
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

LITERAL = {"kind": "literal", "source": "1"}
ASKED = {"api": "a", "part": "text", "digest": "0" * 64, "size": 1, "text": "x"}
HOSTILE = [
    "__import__('os').system('x')",
    "a[__import__('os')]",
    "a.b()",
    "a if b else c",
    "open('a', 'w')",
    "open(a)",
    "open('')",
    "a;import os",
    "a\nimport os",
    "class",
    "a[1:2]",
    "a[99999999]",
    "a[-7]",
    "a[f'{b}']",
    "a[b'x']",
    "a" * 301,
    "(" * 200,
    "a.ﬁle",
]
ODD = ["open('../../etc/passwd')", 'a[\'"""; import os #\']', "open('![x](https://evil.example)')"]


def searched(key):
    return {**SEARCHED, "template": {"arguments": {key: LITERAL}}}


@pytest.mark.parametrize("key", HOSTILE)
def test_keys_that_are_no_places_are_refused(key):
    with pytest.raises(BadFrame, match="no parameter or place"):
        check(searched(key), {"type": "search"}, 9)


@pytest.mark.parametrize("key", ODD)
def test_odd_places_are_only_texts_in_a_reproducer(key):
    check(searched(key), {"type": "search"}, 9)
    probe = Probe("app.py::f", {key: LiteralArgument("1")})
    finding = Finding(
        "cloud", "cloud/crash", Level.FAILURE, "app.py", 1, 1, "app.py::f", "app.py::f", "t", "m",
        {}, (probe,), Crashes("KeyError", "app.py", "f"),
    )  # fmt: skip
    ((name, value),) = reproducer_calls(finding)[0].arguments
    assert isinstance(name, str)
    assert ast.literal_eval(value) in (1, {'"""; import os #': 1})


@pytest.mark.parametrize(
    "forged",
    [
        [{**ASKED, "part": "password"}],
        [{**ASKED, "digest": "../../x"}],
        [{**ASKED, "size": -1}],
        [{**ASKED, "text": "x" * 4001}],
        [{**ASKED, "more": 1}],
        [ASKED] * 101,
    ],
)
def test_what_was_asked_is_checked_and_bounded(forged):
    request = {"type": "run", "probes": [{}] * 3}
    check({"type": "ran", "results": [{**RESULT, "asked": [ASKED]}]}, request, 99)
    with pytest.raises(BadFrame):
        check({"type": "ran", "results": [{**RESULT, "asked": forged}]}, request, 99)
