"""Guests that are not there, and the real ones' small project."""

import json
import sys
from pathlib import Path
from typing import ClassVar

from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    AnswerSource,
    ApiCall,
    Exchange,
    ExplorationResult,
    Form,
    Input,
    InputArgument,
    InputKind,
    Origin,
    Probe,
    Reason,
    RecordedCalls,
    RelationResult,
    SearchResult,
    Target,
)
from tests.analyzers.cloud.bench import Case, FakeBench
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import ExecutionContext, GuestRuntime, SourceTree
from worker.executor.target_preparation import PreparedTarget
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import TRUSTED
from worker.sources.source_selection import Sources

LABELS = "google.vision.label_detection"
PLACE = GuestRuntime(TRUSTED, Path(sys.executable), Limits())
TARGET = "app.py::check"


class FakeSession:
    """A session that runs the tree's program here, as the judges' cases do.

    ``trouble`` holds exceptions to raise, by ``unloadable``, ``unsearchable``,
    ``unexplorable``, ``unobservable``, ``unrelatable`` or ``unrunnable``, or by a
    comment in the program that begins so.
    """

    trouble: ClassVar[dict]
    opened: ClassVar[list]
    closed: ClassVar[list]
    beside: ClassVar[str] = ""
    used: ClassVar[frozenset[str]] = frozenset()
    explored: ClassVar[ExplorationResult] = ExplorationResult(obstacle="nothing is explored here")
    observed: ClassVar[tuple] = ()
    related: ClassVar[RelationResult] = RelationResult(obstacle="nothing is compared here")

    is_cheap: ClassVar[bool] = False
    patience: ClassVar[float] = 1.0

    def __init__(self, place, root, target, broker, modules=None, files=None):
        self.source = (root / target.path).read_text(encoding="utf-8")
        self.target = target
        beside = (root / self.beside).read_text(encoding="utf-8") if self.beside else ""
        self._bench = FakeBench(Case(self.source + beside, path=target.path))
        self._raise_if("unloadable")
        self.prepared = PreparedTarget(
            tuple(goal.id for goal in self._bench._case.target.goals), ("numpy",), ("a note",)
        )
        self.opened.append(root.name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        self.closed.append(self)

    def release(self):
        self.close()

    def search(self, goals, seed, seconds, texts=()):
        self._raise_if("unsearchable")
        return SearchResult(None, obstacle="nothing to search", executions=7)

    def explore(self, exploring):
        self._raise_if("unexplorable")
        return self.explored, frozenset()

    def observe(self, functions, tests, seconds, documents=()):
        self._raise_if("unobservable")
        return tuple(call for call in self.observed if call.function in functions)

    def test(self, tests, seconds):
        return {}

    def resolve(self, names):
        return dict.fromkeys(names, "there")

    def record(self, probes, seconds):
        self._raise_if("unrelatable")
        return RecordedCalls("torch", "2.0")

    def relate(self, relating):
        self._raise_if("unrelatable")
        return self.related

    def run(self, probes, seconds=10.0):
        self._raise_if("unrunnable")
        return self._bench.run(probes)

    def _raise_if(self, word):
        for mark, error in self.trouble.items():
            if mark == word or (mark in self.source and mark.startswith(f"# {word}")):
                raise error


def answered(*names):
    """A probe whose API answered, and would answer, with labels of these names."""
    answer = {"label_annotations": [{"description": name} for name in names]}
    content = json.dumps(names).encode()
    picture = Input(InputKind.IMAGE, content, "a picture", "Fire", ".png", Origin("drawn"))
    return Probe(
        TARGET,
        {"path": InputArgument(Form.PATH, picture)},
        (Exchange(LABELS, "digest", answer, AnswerSource.PROVIDER),),
    )


def target(path="app.py", function="check"):
    return Target(
        path, function, 1, 9, Reason.CHANGED, (ApiCall(LABELS, path, function, 2),), (), (path,)
    )


def tree(root: Path, **texts: str) -> SourceTree:
    root.mkdir()
    named = {f"{name}.py": text for name, text in texts.items()}
    for path, text in named.items():
        (root / path).write_bytes(text.encode())
    return SourceTree(root, named)


def laboratory(
    head: SourceTree, base: SourceTree, place: GuestRuntime = PLACE, engines=()
) -> ExecutionContext:
    broker = Broker(Engines(engines), Recordings(None), None)
    return ExecutionContext(
        place, broker, Sources(None, "there is none"), ExaminationPlan(), head, base
    )
