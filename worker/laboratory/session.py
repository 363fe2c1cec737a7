"""The host's view of one warm guest: a target on one tree, prepared to run."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from analyzers import catalogue
from analyzers.vocabulary import (
    Died,
    Goal,
    JsonObject,
    NotRun,
    Probe,
    Run,
    Searched,
    Target,
)
from worker.broker import ApiRequest, Broker, NoAnswer
from worker.laboratory.codec import run_frame, run_of, searched_of
from worker.sandbox.channel import ChannelClosed, ChannelTimeout
from worker.sandbox.frames import BadFrame
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.limits import Limits

OUR_OWN = ("celery", "click", "flask", "gunicorn", "kombu", "redis", "sqlalchemy", "werkzeug")
"""What the guest finds only because it shares our interpreter: not the project's."""
PREPARE_SECONDS = 60.0
PROBE_SECONDS = 10.0
MARGIN_SECONDS = 20.0
MUTATION_SECONDS = 0.7
SYMBOLIC_SECONDS = 5.0
MAX_LIST = 3
MOST_DEATHS = 5
PROBES_A_FRAME = 200


class GuestFailure(Exception):  # noqa: N818 - named by what happened
    """The guest broke off or broke the protocol; ``tail`` is what it printed."""


class Unpreparable(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be loaded; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where guests run: the isolation, the interpreter, the limits."""

    isolation: Isolation
    python: Path
    limits: Limits


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the guest says about a target that it has loaded."""

    points: tuple[str, ...]
    standins: tuple[str, ...]
    notes: tuple[str, ...]


class Session:
    """One guest process with one target loaded; runs probes, one run each.

    The guest's questions to ML APIs go to the broker.  A guest that dies
    under a probe costs that probe (``Died``); one that breaks the protocol
    costs the session (``GuestFailure``).
    """

    def __init__(self, place: Place, tree: Path, target: Target, broker: Broker) -> None:
        self._target = target
        self._broker = broker
        self._guest = GuestProcess.start(
            place.isolation, tree=tree, python=place.python, limits=place.limits
        )
        try:
            self.prepared = self._prepare(place)
        except BaseException:
            self._guest.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the guest and everything it started."""
        self._guest.close()

    def run(self, probes: Sequence[Probe], seconds: float = PROBE_SECONDS) -> list[Run]:
        """Run the probes in order; a run each, whatever happens."""
        runs: list[Run] = []
        deaths = 0
        while len(runs) < len(probes):
            batch = probes[len(runs) : len(runs) + PROBES_A_FRAME]
            runs += self._batch(batch, seconds)
            if isinstance(runs[-1].ending, Died):
                deaths += 1
            if deaths >= MOST_DEATHS:
                rest = len(probes) - len(runs)
                runs += [Run(NotRun("the process died too often"))] * rest
        return runs

    def search(self, goals: Sequence[Goal], seed: int, seconds: float) -> Searched:
        """Let the guest look for answers that reach the goals."""
        symbolic = max(0.0, min(SYMBOLIC_SECONDS, seconds - MUTATION_SECONDS))
        self._send(
            {
                "type": "search",
                "goals": [goal.id for goal in goals],
                "seed": seed,
                "mutation_seconds": MUTATION_SECONDS,
                "symbolic_seconds": symbolic,
                "max_list": MAX_LIST,
            }
        )
        limit = MUTATION_SECONDS + symbolic + MARGIN_SECONDS
        return searched_of(next(self._replies(limit)), self._target.id)

    def _prepare(self, place: Place) -> Prepared:
        self._send(
            {
                "type": "prepare",
                "root": str(self._guest.root),
                "path": self._target.path,
                "function": self._target.function,
                "files": list(self._target.files),
                "catalogue": catalogue.load().as_json(_related(self._target.apis)),
                "schemas": _schemas(),
                "hidden": list(OUR_OWN) if place.python == Path(sys.executable) else [],
            }
        )
        frame = next(self._replies(PREPARE_SECONDS))
        if frame["type"] == "unprepared":
            raise Unpreparable(frame["reason"])
        return Prepared(tuple(frame["points"]), tuple(frame["standins"]), tuple(frame["notes"]))

    def _batch(self, probes: Sequence[Probe], seconds: float) -> list[Run]:
        self._send(run_frame(probes, seconds))
        runs: dict[int, Run] = {}
        replies = self._replies(len(probes) * seconds + MARGIN_SECONDS)
        while (frame := next(replies))["type"] == "ran":
            for result in frame["results"]:
                runs[result["index"]] = run_of(result, self.prepared.points)
        return self._in_order(runs, len(probes), frame["ended"])

    def _in_order(
        self, runs: Mapping[int, Run], asked: int, ended: Mapping[str, Any] | None
    ) -> list[Run]:
        """The runs from the first on, without gaps, with a death at its place."""
        ordered: list[Run] = []
        while len(ordered) < asked and len(ordered) in runs:
            ordered.append(runs[len(ordered)])
        if len(ordered) == asked:
            return ordered
        if ended is None:
            raise GuestFailure("the guest left out results")
        return [*ordered, Run(Died(int(ended["signal"])))]

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._guest.channel.send(message)
        except (ChannelClosed, ChannelTimeout) as error:
            raise self._failure(error) from error

    def _replies(self, seconds: float) -> Iterator[Mapping[str, Any]]:
        """What the guest says, without end; its questions are answered on the way.

        Only what answers our last message gets through the channel.  Raises
        ``GuestFailure`` when ``seconds`` are over; the time that engines take
        is not counted.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                frame = self._guest.channel.receive(max(0.1, deadline - time.monotonic()))
            except (ChannelClosed, ChannelTimeout, BadFrame) as error:
                raise self._failure(error) from error
            if frame["type"] != "ask":
                yield frame
                continue
            began = time.monotonic()
            self._send(self._answer(frame))
            deadline += time.monotonic() - began

    def _answer(self, frame: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer: JsonObject = self._broker.answer(
                frame["api"], ApiRequest.from_frame(frame["request"])
            )
        except NoAnswer as refusal:
            return {"type": "refused", "reason": str(refusal)}
        return {"type": "answer", "answer": answer}

    def _failure(self, error: Exception) -> GuestFailure:
        tail = self._guest.stderr_tail().strip()[-500:]
        reason = self._guest.stopped or f"{type(error).__name__}: {error}"
        return GuestFailure(reason + (f"\n{tail}" if tail else ""))


def _related(apis: Sequence[str]) -> list[str]:
    """All APIs of the providers that a target asks: it may call others on the way."""
    known = catalogue.load().apis
    providers = {known[name].provider for name in apis if name in known}
    return [name for name, api in known.items() if api.provider in providers]


@cache
def _schemas() -> dict[str, Any]:
    folder = files("analyzers.catalogue").joinpath("schemas")
    return {
        entry.name.removesuffix(".json"): json.loads(entry.read_text("utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    }
