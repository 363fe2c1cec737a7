"""The campaign's way of running texts: as scripts in the place of the file, in the guest."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.ports import Bench
from analyzers.vocabulary import Assembled, Assembling, Target

BATCH = 64
BATCH_SECONDS = 120.0
FILE_SECONDS = 10.0
_REFUSED_EARLY = frozenset({"load", "build"})
_MARK = "assayer-version "
_VERSION = f"import torch\nraise RuntimeError('{_MARK}' + torch.__version__)\n"


class Running:
    """Runs texts through a bench, and gathers what of the library they come to.

    ``called`` are the layers and functions in files that came as far as a call of their
    model, ``ran`` those in files that ran to their end.  ``kept`` seconds are for later.
    """

    kept = 0.0

    def __init__(self, target: Target, bench: Bench) -> None:
        self._target = target
        self._bench = bench
        self.called: set[str] = set()
        self.ran: set[str] = set()

    def __call__(self, texts: Sequence[str]) -> Sequence[Assembled]:
        """One state for each text, in order."""
        outcomes = self._run(texts)
        for outcome in outcomes:
            self._note(outcome)
        return outcomes

    def all(self, texts: Sequence[str]) -> list[Assembled]:
        """One state for each of many texts that are no assembled files; in batches."""
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return [outcome for batch in batches for outcome in self._run(batch)]

    def version(self) -> str:
        """The version of torch there; empty where there is none."""
        (outcome,) = self._run([_VERSION])
        _, mark, version = outcome.detail.partition(_MARK)
        return version if mark else ""

    def remaining(self) -> float:
        """Seconds left for now."""
        return self._bench.remaining() - self.kept

    def _run(self, texts: Sequence[str]) -> Sequence[Assembled]:
        files = tuple(texts)
        seconds = max(1.0, min(BATCH_SECONDS, self.remaining()))
        wanted = Assembling(
            self._target.path,
            files,
            timeout=FILE_SECONDS,
            seconds=seconds,
            seed=self._bench.plan.seed,
        )
        return self._bench.assemble(self._target, wanted)

    def _note(self, outcome: Assembled) -> None:
        if outcome.state == "ran":
            self.ran.update(outcome.apis)
        if outcome.state == "ran" or outcome.stage not in {"", *_REFUSED_EARLY}:
            self.called.update(outcome.apis)
