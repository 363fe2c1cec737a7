"""A target as it was on base, where it was there at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from analyzers.detection.deep.annotated import said
from analyzers.judging import decided, translate
from analyzers.vocabulary import (
    Change,
    Criterion,
    Explored,
    Exploring,
    Finding,
    NotRun,
    Probe,
    Run,
    Target,
)
from worker.functions import has_function
from worker.laboratory.failures import Unpreparable
from worker.laboratory.frameworks import needed
from worker.laboratory.laboratory import Laboratory
from worker.laboratory.naming import Names
from worker.laboratory.session import Session
from worker.laboratory.signatures import Incomparable, Signatures
from worker.laboratory.warm import WarmGuest


class Before:
    """The base of one target, with its files where they were, in a warm guest."""

    def __init__(self, laboratory: Laboratory, target: Target, changes: Sequence[Change]) -> None:
        self._laboratory = laboratory
        self._paths = {c.path: c.old_path for c in changes if c.old_path is not None}
        texts = laboratory.base.texts
        moved = relocated(target, self._paths)
        self.target = replace(moved, files=tuple(path for path in moved.files if path in texts))
        self._ours = target
        self._signatures = Signatures(
            target.function,
            laboratory.head.texts.get(target.path, ""),
            texts.get(moved.path, ""),
        )
        self._guest = WarmGuest(laboratory, laboratory.base, self.target, self._require)

    def close(self) -> None:
        """End the guest."""
        self._guest.close()

    def _require(self, session: Session) -> None:
        """Raise ``Unpreparable`` where base has no framework to run on."""
        if needed(self.target) & set(session.prepared.replaced):
            raise Unpreparable("the framework that it needs cannot be imported")

    def has_target(self) -> bool:
        """Whether base has a function of the target's name."""
        text = self._laboratory.base.texts.get(self.target.path, "")
        return has_function(text, self.target.function)

    def source(self, path: str) -> tuple[str, str] | None:
        """The path and the text on base of a file of head."""
        old = self._paths.get(path, path)
        text = self._laboratory.base.texts.get(old)
        return None if text is None else (old, text)

    def text(self, path: str) -> str:
        """The text of a file of base; empty where there is none."""
        return self._laboratory.base.texts.get(path, "")

    @property
    def standins(self) -> tuple[str, ...]:
        """The modules that base imports and that are not installed, once it has run."""
        prepared = self._guest.prepared
        return () if prepared is None else prepared.standins

    def promises_alike(self) -> bool:
        """Return whether the function carries the same annotations on both sides."""
        ours = said(self._laboratory.head.texts.get(self._ours.path, ""))
        theirs = said(self.text(self.target.path))
        return ours.texts.get(self._ours.function) == theirs.texts.get(self.target.function)

    def criterion(self, finding: Finding) -> Criterion | None:
        """What would show the finding on base; ``None`` where nothing can."""
        there = self.source(finding.path)
        if there is None or not self.has_target():
            return None
        ours = self._laboratory.head.texts.get(finding.path, "")
        return translate(finding.criterion, there[0], ours, there[1])

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes; where their answers do not suffice, with engines answering.

        Arguments go to base's own parameters.  Raises ``Incomparable`` where
        there is none for one, ``Unpreparable`` and ``GuestFailure``.
        """
        probes = [self._signatures.translated(probe) for probe in probes]
        runs = self._guest.run(probes)
        if decided(runs) or not all(probe.inputs for probe in probes):
            return runs
        return self._guest.run([replace(probe, script=None) for probe in probes])

    def answer_again(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes; engines answer where base asks something else.

        Raises as :meth:`run`.
        """
        probes = [self._signatures.translated(probe) for probe in probes]
        runs = self._guest.run(probes)
        pairs = zip(probes, runs, strict=True)
        other = [n for n, (probe, run) in enumerate(pairs) if probe.inputs and _asks(probe, run)]
        again = self._guest.run([replace(probes[n], script=None) for n in other])
        asked = dict(zip(other, again, strict=True))
        return [asked.get(n, run) for n, run in enumerate(runs)]

    def run_each(self, probes: Sequence[Probe], seconds: float) -> Sequence[Run | None]:
        """Run the probes with the answers that they have, each within ``seconds``.

        ``None`` stands for one that base has no parameter for.  Raises
        ``Unpreparable`` and ``GuestFailure``.
        """
        fitted = [self._fitted(probe) for probe in probes]
        runs = iter(self._guest.run([each for each in fitted if each is not None], seconds))
        return [None if each is None else next(runs) for each in fitted]

    def _fitted(self, probe: Probe) -> Probe | None:
        with suppress(Incomparable):
            return self._signatures.translated(probe)
        return None

    def explore(self, exploring: Exploring) -> Explored:
        """Explore base as head was; nothing where base has other parameters.

        Inputs that name what a file of either side lacks are left out.  Raises as
        :meth:`run_each`.
        """
        if not self._signatures.alike():
            return Explored()
        explored, _ = self._guest.ask(lambda session: session.explore(exploring))
        ours = Names(self._ours.path, self._laboratory.head.texts)
        return ours.known(Names(self.target.path, self._laboratory.base.texts).known(explored))


def _asks(probe: Probe, run: Run) -> bool:
    """Whether a run asked what the probe's script does not answer."""
    if isinstance(run.ending, NotRun):
        return True
    known = {(exchange.api, exchange.digest) for exchange in probe.script or ()}
    return any((exchange.api, exchange.digest) not in known for exchange in run.exchanges)


def relocated(target: Target, paths: Mapping[str, str]) -> Target:
    """The target where its files have other paths (on base, after a rename)."""
    return replace(
        target,
        path=paths.get(target.path, target.path),
        files=tuple(paths.get(path, path) for path in target.files),
    )
