"""A campaign on one model file, by the pipeline of a check.

Its targets are the models in the file (LEMON: each is run several ways, and so are mutants
of it) and the file itself (MoCo: it is taken apart and assembled anew).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from analyzers import catalogue
from analyzers.assembly.campaign import Campaign as Assembly
from analyzers.detection import Detected, detect
from analyzers.detection.frameworks import imports_one
from analyzers.models.analyzer import ModelsAnalyzer
from analyzers.models.effort import FUZZ
from analyzers.models.inventory import models_in
from analyzers.ports import Analyzer, Bench
from analyzers.vocabulary import Finding, Target, Verdict
from worker.campaign import Listener
from worker.check import Checked, CheckRequest, Keep, Work, examined
from worker.errors import UsageError
from worker.fuzzing.files import Opened, opened
from worker.fuzzing.spent import CountingBench, Spent
from worker.settings.configuration import Configuration, read_configuration
from worker.settings.server import Settings

SECONDS, NODES = 120.0, 20_000
MODULE = "<module>"
_LAYERS = frozenset({"torch"})


@dataclass(frozen=True, slots=True)
class FuzzRequest:
    """The file to run a campaign on, and for how long.

    ``files``: assemble so many at most.  What a number bounds, and not the clock, comes to the
    same each time.
    """

    file: Path
    seconds: float = SECONDS
    files: int = NODES
    seed: int = 0
    offline: bool = False
    trust: bool = False


def fuzz(
    request: FuzzRequest,
    settings: Settings,
    listener: Listener,
    spent: Spent | None = None,
    keep: Keep | None = None,
) -> Checked:
    """Run a campaign on the model code in a file, in the working tree that it lies in.

    Raises ``UsageError`` for a file that is none, cannot be read or holds no model, and
    ``MachineError`` where this machine cannot do it.  On ``KeyboardInterrupt`` the report
    is partial; ``keep`` takes it as it grows.  ``spent`` hears what is done.
    """
    began = time.monotonic()
    spent = spent or Spent()
    file = opened(request.file)
    found, analyzers = _work(file, request)
    listener.detected(found.targets)
    work = Work(
        changes=replace(file.changes, base=""),
        found=found,
        analyzers=analyzers,
        configuration=_configuration(file),
        write=file.write,
        bench=functools.partial(CountingBench, spent=spent),
        keep=keep,
    )
    report = examined(work, _as_check(request, file), settings, listener, began)
    said = f"the campaign (seed {request.seed}): {spent}"
    return Checked(replace(report, environment=(said, *report.environment)), file.changes.sources)


def _work(file: Opened, request: FuzzRequest) -> tuple[Detected, tuple[Analyzer, ...]]:
    """The targets in a file, and which analyzer is for which."""
    texts = file.changes.sources
    models = {f"{file.path}::{name}" for name in models_in(file.path, texts)}
    whole = {f"{file.path}::{MODULE}"} if imports_one(texts[file.path], _LAYERS) else set[str]()
    if not models and not whole:
        raise UsageError(
            f"{request.file} has no model in it: a campaign needs a class below torch.nn.Module or"
            " keras.Model, a function that returns one, or code that uses torch"
        )
    found = detect(file.changes, catalogue.load(), only=models | whole)
    analyzers = (_Only(ModelsAnalyzer(FUZZ), models), _Only(Assembly(nodes=request.files), whole))
    return replace(found, targets=_ordered(found.targets)), analyzers


def _ordered(targets: Collection[Target]) -> tuple[Target, ...]:
    """Models first: what assembling comes to, it comes to in the time that is left."""
    return tuple(sorted(targets, key=lambda each: (each.function == MODULE, each.line)))


def _configuration(file: Opened) -> Configuration:
    if file.write is not None:
        return Configuration()
    return read_configuration(file.folder, None, head=None, everything=True)


def _as_check(request: FuzzRequest, file: Opened) -> CheckRequest:
    return CheckRequest(
        repository=file.folder,
        everything=True,
        seconds=request.seconds,
        seed=request.seed,
        offline=request.offline,
        trust=request.trust,
    )


class _Only:
    """An analyzer for some targets alone, that keeps what fails for the next campaign."""

    def __init__(self, analyzer: Analyzer, targets: Collection[str]) -> None:
        self._analyzer = analyzer
        self._targets = targets
        self.name = analyzer.name

    def examine(self, target: Target, bench: Bench) -> Iterator[Verdict]:
        """Yield the verdicts on one of its targets."""
        if target.id not in self._targets:
            return
        for verdict in self._analyzer.examine(target, bench):
            if isinstance(verdict, Finding):
                bench.keep(target, verdict.probes)
            yield verdict
