"""Benches for analyzers, written by hand: what all of them have in common."""

from collections.abc import Mapping, Sequence

from analyzers.ports import Plan
from analyzers.vocabulary import (
    Assembled,
    Assembling,
    Executed,
    Executing,
    Explored,
    Exploring,
    Input,
    JsonObject,
    ObservedCall,
    Probe,
    Recorded,
    Related,
    Relating,
    Run,
    Searched,
    Skipped,
    Supply,
    Target,
    Wanted,
)


class IdleBench:
    """A bench at which nothing happens: tests say what of it does.

    ``texts`` are the project's files by path; there is no base.
    """

    def __init__(self, texts: Mapping[str, str] | None = None, plan: Plan | None = None) -> None:
        self.plan = plan or Plan()
        self.texts = dict(texts or {})
        self.lasting: list[Probe] = []
        self.standins: Sequence[str] = ()
        self.replaced: Sequence[str] = ()

    def obstacle(self, target: Target) -> Skipped | None:
        return None

    def search(self, target: Target) -> Searched:
        return Searched(None, obstacle="nothing is searched here")

    def explore(self, target: Target, exploring: Exploring) -> Explored:
        return Explored(obstacle="nothing is explored here")

    def observe(self, target: Target) -> Sequence[ObservedCall]:
        return ()

    def record(self, target: Target, probes: Sequence[Probe]) -> Recorded | None:
        return None

    def relate(self, target: Target, relating: Relating) -> Related:
        return Related(obstacle="nothing is related here")

    def execute(self, target: Target, executing: Executing) -> Executed:
        return Executed(obstacle="nothing is executed here")

    def assemble(self, target: Target, assembling: Assembling) -> Sequence[Assembled]:
        return ()

    def kept(self, target: Target) -> Sequence[Probe]:
        return tuple(probe for probe in self.lasting if probe.target == target.id)

    def keep(self, target: Target, probes: Sequence[Probe]) -> None:
        self.lasting += probes

    def inputs(self, wanted: Wanted, count: int) -> Supply:
        return Supply((), "there are no sources here")

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        raise AssertionError("nothing is run here")

    def run_on_base(self, probes: Sequence[Probe]) -> Sequence[Run] | None:
        return None

    def substitute(self, api: str) -> bool:
        return False

    def source(self, path: str) -> str:
        return self.texts[path]

    def paths(self) -> Sequence[str]:
        return tuple(self.texts)

    def base(self, path: str) -> tuple[str, str] | None:
        return None

    def others(self, api: str) -> Sequence[str]:
        return ()

    def ask(self, api: str, item: Input) -> JsonObject | None:
        return None

    def unreachable(self, goal: str) -> None:
        pass

    def remaining(self) -> float:
        return 100.0
