"""The host's view of one warm guest: a target on one tree, prepared to run."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self

from analyzers import catalogue
from analyzers.vocabulary import (
    Died,
    Goal,
    JsonObject,
    NotRun,
    Probe,
    Raised,
    Run,
    Searched,
    Target,
)
from worker.broker import ApiRequest, Broker, NoAnswer
from worker.environments import Environment
from worker.laboratory.codec import run_frame, run_of, searched_of
from worker.sandbox.certificates import certificate
from worker.sandbox.channel import SEND_SECONDS, ChannelClosed, ChannelTimeout
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation
from worker.sandbox.limits import Limits
from worker.sandbox.shapes import BadFrame

PREPARE_SECONDS = 60.0
PROBE_SECONDS = 10.0
MARGIN_SECONDS = 20.0
ANSWER_SECONDS = 20.0
MUTATION_SECONDS = 0.7
SYMBOLIC_SECONDS = 5.0
MAX_LIST = 3
MOST_DEATHS = 5
PROBES_A_FRAME = 200
MOST_QUESTIONS = 100
MOST_TEXTS = 200
LONGEST_TEXT = 500


class GuestFailure(Exception):  # noqa: N818 - named by what happened
    """The guest broke off or broke the protocol; ``tail`` is what it printed."""


class Unpreparable(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be loaded; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where guests run: the isolation, the interpreter, the limits.

    ``hidden`` are packages that the interpreter has and the project has not;
    ``layer`` holds what the guest itself needs where the interpreter has it not.
    """

    isolation: Isolation
    python: Path
    limits: Limits
    hidden: tuple[str, ...] = ()
    layer: Path | None = None

    def of(self, environment: Environment | None) -> Place:
        """The place with the interpreter and packages of an environment."""
        if environment is None:
            return self
        return replace(
            self,
            python=environment.python,
            hidden=environment.hidden,
            layer=environment.layer,
        )


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
        self._tree = tree
        self._broker = broker
        self._guest = GuestProcess.start(
            place.isolation,
            tree=tree,
            python=place.python,
            limits=place.limits,
            network=place.isolation.namespaces,
            layer=place.layer,
        )
        self._layer = place.layer
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
                "layer": None if self._layer is None else str(self._layer),
            }
        )
        limit = MUTATION_SECONDS + symbolic + MARGIN_SECONDS
        frame = next(self._replies(limit))
        notes = (*self.prepared.notes, *_few(frame.get("notes", ())))
        self.prepared = replace(self.prepared, notes=tuple(dict.fromkeys(notes)))
        return searched_of(frame, self._target.id, {goal.id for goal in goals})

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
                "routes": catalogue.load().routes(),
                "network": _network(place.isolation),
                "hidden": list(place.hidden),
            }
        )
        frame = next(self._replies(PREPARE_SECONDS))
        if frame["type"] == "unprepared":
            raise Unpreparable(frame["reason"][:LONGEST_TEXT])
        return Prepared(tuple(frame["points"]), _few(frame["standins"]), _few(frame["notes"]))

    def _batch(self, probes: Sequence[Probe], seconds: float) -> list[Run]:
        self._send(run_frame(probes, seconds))
        runs: dict[int, Run] = {}
        replies = self._replies(
            len(probes) * seconds + MARGIN_SECONDS,
            silence=seconds + MARGIN_SECONDS,
            questions=MOST_QUESTIONS * (len(probes) + 1),
        )
        while (frame := next(replies))["type"] == "ran":
            new = {result["index"]: result for result in frame["results"]}
            if len(new) < max(1, len(frame["results"])) or new.keys() & runs.keys():
                raise self._failure(BadFrame("no result, or one twice"))
            for index, result in new.items():
                runs[index] = self._placed(run_of(result, self.prepared.points))
        return self._in_order(runs, len(probes), frame["ended"])

    def _placed(self, run: Run) -> Run:
        """The run, its exception nowhere where the file it names is none of the tree."""
        ending = run.ending
        if not isinstance(ending, Raised) or _is_in(self._tree, ending.path):
            return run
        return replace(run, ending=replace(ending, path="", line=0, function=""))

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

    def _send(self, message: Mapping[str, Any], seconds: float = SEND_SECONDS) -> None:
        try:
            self._guest.channel.send(message, seconds)
        except (BadFrame, ChannelClosed, ChannelTimeout) as error:
            raise self._failure(error) from error

    def _replies(
        self, seconds: float, silence: float | None = None, questions: int = 0
    ) -> Iterator[Mapping[str, Any]]:
        """What the guest says, without end; its questions are answered on the way.

        Only what answers our last message gets through the channel.  Raises
        ``GuestFailure`` when ``seconds`` are over, when nothing is heard for
        ``silence``, and after more than ``questions``; the time that engines
        take is not counted.
        """
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.1, deadline - time.monotonic())
            try:
                frame = self._guest.channel.receive(min(left, silence or left))
            except (ChannelClosed, ChannelTimeout, BadFrame) as error:
                raise self._failure(error) from error
            if frame["type"] != "ask":
                yield frame
                continue
            questions -= 1
            if questions < 0:
                raise self._failure(BadFrame("questions without end"))
            began = time.monotonic()
            answer = self._answer(frame)
            deadline += time.monotonic() - began
            self._send(answer, ANSWER_SECONDS)

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


def _network(isolation: Isolation) -> dict[str, str | None] | None:
    """What the guest's network is: left alone, closed, or closed but for a proxy."""
    if not isolation.isolated:
        return None
    if not isolation.namespaces:
        return {"authority": None, "certificate": None, "key": None}
    made = certificate(catalogue.load().hosts)
    return {"authority": made.authority, "certificate": made.certificate, "key": made.key}


def _is_in(tree: Path, path: str) -> bool:
    inside = PurePosixPath(path)
    usual = not inside.is_absolute() and ".." not in inside.parts and path.isprintable()
    return usual and (tree / path).is_file()


def _few(texts: Sequence[str]) -> tuple[str, ...]:
    """What the guest says for the report, bounded."""
    return tuple(text[:LONGEST_TEXT] for text in texts[:MOST_TEXTS])


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
