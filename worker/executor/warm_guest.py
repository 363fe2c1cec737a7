"""One warm guest for a target on a tree, replaced by one with more where it meets a limit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from analyzers.vocabulary import NotRun, Probe, Run, Target
from worker.executor.execution_context import ExecutionContext, GuestRuntime, SourceTree
from worker.executor.guest_conversation import GuestEnded, GuestFailure, TargetNotLoaded
from worker.executor.preloaded_libraries import preloaded_libraries
from worker.executor.session import PROBE_SECONDS, Session, loaded_file
from worker.executor.target_preparation import PreparedTarget

MOST_AGAIN = 3
TOO_MANY_LIMITS = "the process met a limit too often"
T = TypeVar("T")


class WarmGuest:
    """The guest of one target on one tree, started at the first question.

    What meets a limit is asked once more, alone, in a guest with more of everything; ``undecided``
    are limits met again.  ``opened`` hears of each session and may raise ``TargetNotLoaded``.
    """

    def __init__(
        self,
        laboratory: ExecutionContext,
        tree: SourceTree,
        target: Target,
        opened: Callable[[Session], None] = lambda _: None,
        together: Sequence[Target] | None = None,
    ) -> None:
        """``together``: targets that may have the guest before and after; ``None``: its own."""
        self._laboratory = laboratory
        self._tree = tree
        self._target = target
        self._opened = opened
        self._beside = None if together is None else _files_beside(target, together)
        self._session: Session | None = None
        self._starting: threading.Thread | None = None
        self._has_more = False
        self._used: set[str] = set()
        self.undecided: dict[str, str] = {}

    def close(self) -> None:
        """End the guest; the next one is fresh."""
        self._beside = None
        self.release()

    def release(self) -> None:
        """End the guest, or leave it to another target."""
        self._await_start()
        if self._session is not None:
            self._used |= self._session.used
            if self._beside is None:
                self._session.close()
            else:
                self._session.release()
            self._session = None

    def give_back(self) -> None:
        """End a guest that is cheap, so that its sandbox serves another until the next question."""
        if self._session is not None and self._session.is_cheap:
            self.close()

    @property
    def used(self) -> frozenset[str]:
        """The libraries whose stand-ins were used by what ran so far."""
        now = frozenset[str]() if self._session is None else self._session.used
        return now.union(self._used)

    def expect(self) -> None:
        """Let the sandbox of the first guest start already, while another is waited for."""
        place = self._laboratory.place_of(self._tree)
        plan = place.launch_plan(self._tree.root)
        if place.warm is not None and not place.warm.keeps(plan, loaded_file(self._target)):
            place.warm.prepare(plan, self._libraries(place))

    def begin(self) -> None:
        """Start the first guest beside what the host does meanwhile; a failure shows when asked."""

        def start() -> None:
            with suppress(Exception):
                self._open()

        self._starting = threading.Thread(target=start, daemon=True)
        self._starting.start()

    def ask(self, question: Callable[[Session], T]) -> T:
        """Ask, twice at most; raise ``TargetNotLoaded`` and ``GuestFailure``."""
        try:
            return question(self._ready())
        except GuestFailure:
            self._replace()
        try:
            return question(self._ready())
        except GuestFailure as failure:
            self._replace()
            if isinstance(failure, GuestEnded):
                self._note(str(failure))
            raise

    @property
    def prepared(self) -> PreparedTarget | None:
        """The guest's description of its target; ``None`` before it has started."""
        return None if self._session is None else self._session.prepared

    def run(
        self, probes: Sequence[Probe], seconds: float = PROBE_SECONDS, *, once: bool = False
    ) -> list[Run]:
        """Run the probes in order, each within ``seconds``; ``NotRun`` where a limit stays.

        With ``once`` what meets a limit is not tried again with more.
        Raises ``TargetNotLoaded``, and ``GuestFailure`` for a guest that breaks the protocol twice.
        """
        if not probes:
            return []
        runs: Sequence[Run]
        had_more = self._has_more
        try:
            runs = self._ready().run(probes, seconds)
        except GuestEnded as ended:
            self._replace()
            runs = ended.runs
        except GuestFailure:
            self._replace()
            runs = self._ready().run(probes, seconds)
        limited = {n for n, run in enumerate(runs) if is_limited(run) and not once}
        again = {*(() if had_more else limited), *range(len(runs), len(probes))}
        found = dict(enumerate(runs))
        if again:
            found |= self._again({n: probes[n] for n in sorted(again)}, seconds)
        for n in (n for n in limited if n not in again):
            self._note(_reason(found[n]))
        return [found[n] for n in range(len(probes))]

    def _again(self, probes: Mapping[int, Probe], seconds: float) -> dict[int, Run]:
        if not self._has_more:
            self._replace()
        runs: dict[int, Run] = {}
        for n, probe in probes.items():
            if sum(map(is_limited, runs.values())) >= MOST_AGAIN:
                runs[n] = Run(NotRun(TOO_MANY_LIMITS, our_fault=True))
                continue
            try:
                (runs[n],) = self._ready().run([probe], seconds)
            except GuestEnded as ended:
                self._replace()
                runs[n] = Run(NotRun(_first_line(str(ended)), our_fault=True))
            if is_limited(runs[n]):
                self._note(_reason(runs[n]))
        return runs

    def _ready(self) -> Session:
        self._await_start()
        return self._open()

    def _await_start(self) -> None:
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.join()

    def _open(self) -> Session:
        if self._session is None:
            place = self._laboratory.place_of(self._tree)
            place = place.with_more() if self._has_more else place
            broker = self._laboratory.broker
            modules = None if self._has_more else self._libraries(place)
            beside = None if self._has_more else self._beside
            self._session = Session(place, self._tree.root, self._target, broker, modules, beside)
            try:
                self._opened(self._session)
            except TargetNotLoaded:
                self.close()
                raise
        return self._session

    def _libraries(self, place: GuestRuntime) -> frozenset[str]:
        """Return what a template has to have imported."""
        return preloaded_libraries(self._target.path, self._tree.texts, place.hidden)

    def _replace(self) -> None:
        """End the guest; the next one has more."""
        self.close()
        self._has_more = True

    def _note(self, reason: str) -> None:
        met = _first_line(reason)
        self.undecided[met] = f"{met} (also alone, with more memory and time)"


def _files_beside(target: Target, together: Sequence[Target]) -> frozenset[str]:
    return frozenset(path for each in together if each.path == target.path for path in each.files)


def is_limited(run: Run) -> bool:
    """Return whether a limit of ours ended a run."""
    return isinstance(run.ending, NotRun) and run.ending.our_fault


def _reason(run: Run) -> str:
    return run.ending.reason if isinstance(run.ending, NotRun) else ""


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
