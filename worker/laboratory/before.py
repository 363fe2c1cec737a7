"""A target as it was on base, where it was there at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzers.judging import decided, translate
from analyzers.vocabulary import Change, Criterion, Finding, NotRun, Probe, Run, Target
from worker.functions import has_function
from worker.laboratory.failures import GuestFailure
from worker.laboratory.laboratory import Laboratory
from worker.laboratory.session import Session
from worker.laboratory.signatures import Signatures


class Before:
    """The base of one target, with its files where they were, in a warm guest."""

    def __init__(self, laboratory: Laboratory, target: Target, changes: Sequence[Change]) -> None:
        self._laboratory = laboratory
        self._paths = {c.path: c.old_path for c in changes if c.old_path is not None}
        texts = laboratory.base.texts
        moved = relocated(target, self._paths)
        self._target = replace(moved, files=tuple(path for path in moved.files if path in texts))
        self._signatures = Signatures(
            target.function,
            laboratory.head.texts.get(target.path, ""),
            texts.get(moved.path, ""),
        )
        self._session: Session | None = None

    def close(self) -> None:
        """End the guest."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def has_target(self) -> bool:
        """Whether base has a function of the target's name."""
        text = self._laboratory.base.texts.get(self._target.path, "")
        return has_function(text, self._target.function)

    def source(self, path: str) -> tuple[str, str] | None:
        """The path and the text on base of a file of head."""
        old = self._paths.get(path, path)
        text = self._laboratory.base.texts.get(old)
        return None if text is None else (old, text)

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
        runs = self._run(probes)
        if decided(runs) or not all(probe.inputs for probe in probes):
            return runs
        return self._run([replace(probe, script=None) for probe in probes])

    def answer_again(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes; engines answer where base asks something else.

        Raises as :meth:`run`.
        """
        probes = [self._signatures.translated(probe) for probe in probes]
        runs = self._run(probes)
        pairs = zip(probes, runs, strict=True)
        other = [n for n, (probe, run) in enumerate(pairs) if probe.inputs and _asks(probe, run)]
        again = self._run([replace(probes[n], script=None) for n in other])
        asked = dict(zip(other, again, strict=True))
        return [asked.get(n, run) for n, run in enumerate(runs)]

    def _run(self, probes: Sequence[Probe]) -> list[Run]:
        """Run the probes in the warm guest; one that broke off is not used again."""
        if not probes:
            return []
        laboratory = self._laboratory
        if self._session is None:
            place = laboratory.place_of(laboratory.base)
            root = laboratory.base.root
            self._session = Session(place, root, self._target, laboratory.broker)
        try:
            return self._session.run(probes)
        except GuestFailure:
            self.close()
            raise


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
