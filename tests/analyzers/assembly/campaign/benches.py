"""A bench that runs assembled files here: all of them are ours."""

import time

from analyzers.assembly import layer_tables
from analyzers.guest.assembly.variant_runs import note_built_layers, note_called_functions
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import AssembledRun, Reason, Target
from tests.analyzers.assembly.derivation.running import Here

WHERE = Target("app.py", "build", 1, 9, Reason.CHANGED, (), (), ("app.py",))
KNOWN = ("Linear", "ReLU", "GELU", "LayerNorm", "CrossEntropyLoss", "MultiheadAttention")


def known(*names):
    """What is known of these layers, whatever the version."""
    layers = layer_tables.load("2.13.0")
    return lambda version: {f"torch.nn.{name}": layers[f"torch.nn.{name}"] for name in names}


class HereBench:
    """Has one file, and runs what is made of it; files that hold ``deadly`` are not run."""

    plan = ExaminationPlan(seed=3)

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
            return AssembledRun("died", "forward", detail="SIGSEGV")
        found = set()
        with note_built_layers(found), note_called_functions(found):
            (state,) = self._here([text])
        stage = "" if state.state == "ran" else "forward"
        return AssembledRun(
            state.state,
            stage,
            state.exception,
            state.detail,
            state.line,
            state.finite,
            tuple(sorted(found)),
        )
