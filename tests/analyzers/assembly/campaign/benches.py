"""A bench that runs assembled files here: all of them are ours."""

import time

from analyzers.assembly import shelves
from analyzers.guest.assembling.calling import built, called
from analyzers.ports import Plan
from analyzers.vocabulary import Assembled, Reason, Target
from tests.analyzers.assembly.derivation.running import Here

WHERE = Target("app.py", "build", 1, 9, Reason.CHANGED, (), (), ("app.py",))
KNOWN = ("Linear", "ReLU", "GELU", "LayerNorm", "CrossEntropyLoss", "MultiheadAttention")


def known(*names):
    """What is known of these layers, whatever the version."""
    layers = shelves.load("2.13.0")
    return lambda version: {f"torch.nn.{name}": layers[f"torch.nn.{name}"] for name in names}


class HereBench:
    """Has one file, and runs what is made of it; files that hold ``deadly`` are not run."""

    plan = Plan(seed=3)

    def __init__(self, text, seconds=600, deadly=None):
        self.texts = []
        self._text = text
        self._deadly = deadly
        self._until = time.monotonic() + seconds
        self._here = Here()

    def source(self, path):
        assert path == "app.py"
        return self._text

    def remaining(self):
        return self._until - time.monotonic()

    def assemble(self, target, assembling):
        assert target is WHERE
        self.texts += assembling.files
        return [self._state(text) for text in assembling.files]

    def _state(self, text):
        if self._deadly is not None and self._deadly in text:
            return Assembled("died", "forward", detail="SIGSEGV")
        found = set()
        with built(found), called(found):
            (state,) = self._here([text])
        stage = "" if state.state == "ran" else "forward"
        return Assembled(
            state.state,
            stage,
            state.exception,
            state.detail,
            state.line,
            state.finite,
            tuple(sorted(found)),
        )
