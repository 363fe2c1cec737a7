"""A target as it was on base, where it was there at all."""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from analyzers.criteria import all_ran, translate
from analyzers.detection.framework_use.file_definitions import file_annotations
from analyzers.inference.function_lookup import find_function
from analyzers.vocabulary import (
    Argument,
    Criterion,
    ExplorationRequest,
    ExplorationResult,
    FileChange,
    Finding,
    NotRun,
    Probe,
    RecipeArgument,
    Run,
    Target,
)
from worker.changes.python_source import has_function
from worker.executor.execution_context import ExecutionContext
from worker.executor.guest_conversation import TargetNotLoaded
from worker.executor.recipe_names import RecipeNames
from worker.executor.session import Session
from worker.executor.target_preparation import required_frameworks
from worker.executor.warm_guest import WarmGuest
from worker.system.tracing import traced

T = TypeVar("T")

SELF = "self"
_CONSTRUCTORS = ("__init__", "__new__")


class IncomparableSignature(Exception):  # noqa: N818 - a fact about two revisions
    """A call that base cannot take; says why."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """A function's parameters in order; ``optional`` are those with a default."""

    names: tuple[str, ...]
    optional: frozenset[str]
    takes_any: bool = False


class SignatureMapping:
    """A function as two texts of its file define it, ``ours`` and ``theirs``."""

    def __init__(self, function: str, ours: str, theirs: str) -> None:
        self._owner = function.rpartition(".")[0]
        self._ours, self._theirs = ours, theirs
        self._function = function

    def translated(self, probe: Probe) -> Probe:
        """Return the probe for ``theirs``; raise ``IncomparableSignature``."""
        if probe.program is not None:
            return replace(probe, watched=())
        if probe.inputs or probe.script:
            return probe
        pair = self._pair(self._function)
        arguments = dict(probe.arguments)
        instance = arguments.pop(SELF, None)
        if pair is not None:
            arguments = _translated(arguments, *pair)
        if instance is not None:
            arguments[SELF] = self._constructed(instance)
        return replace(probe, arguments=arguments)

    def alike(self) -> bool:
        """Return whether the function, and its class's constructor, take the same on both sides."""
        names = (self._function, *(f"{self._owner}.{name}" for name in _CONSTRUCTORS))
        return all(_defined(self._ours, name) == _defined(self._theirs, name) for name in names)

    def _constructed(self, instance: Argument) -> Argument:
        pair = next(filter(None, (self._pair(f"{self._owner}.{n}") for n in _CONSTRUCTORS)), None)
        call = _call_of(instance, self._owner)
        if pair is None or call is None:
            return instance
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        kept = _translated(given, *pair, placed=len(call.args))
        keywords = [ast.keyword(name, value) for name, value in kept.items()]
        return RecipeArgument(ast.unparse(ast.Call(call.func, call.args, keywords)))

    def _pair(self, name: str) -> tuple[Parameters, Parameters] | None:
        ours, theirs = _defined(self._ours, name), _defined(self._theirs, name)
        return None if ours is None or theirs is None else (ours, theirs)


def _translated(
    given: Mapping[str, T], ours: Parameters, theirs: Parameters, placed: int = 0
) -> dict[str, T]:
    """Arguments by ``theirs``' names; ``placed`` more were given by their place."""
    found: dict[str, T] = {}
    for name, value in given.items():
        there = _there(name, ours, theirs)
        if there is not None:
            found[there] = value
        elif name not in ours.optional:
            raise IncomparableSignature(f"`{name}` is no parameter there")
    fitted = {name for name in ours.names if name not in ours.optional and name not in given}
    wanted = (name for name in theirs.names[placed:] if name not in theirs.optional)
    lacking = [name for name in wanted if name not in found and name not in fitted]
    if lacking:
        raise IncomparableSignature(f"`{lacking[0]}` has to be given there")
    return found


def _there(name: str, ours: Parameters, theirs: Parameters) -> str | None:
    """The parameter of ``theirs`` for one of ours; others (places) stay what they are."""
    if name not in ours.names or name in theirs.names or theirs.takes_any:
        return name
    place = ours.names.index(name)
    other = theirs.names[place] if place < len(theirs.names) else name
    renamed = other not in ours.names and len(ours.names) == len(theirs.names)
    return other if renamed else None


def _call_of(argument: Argument, owner: str) -> ast.Call | None:
    """The call of the class ``owner`` that a recipe is."""
    if not isinstance(argument, RecipeArgument):
        return None
    body = ast.parse(argument.recipe, mode="eval").body
    is_call = isinstance(body, ast.Call) and ast.unparse(body.func) == owner
    return body if is_call and isinstance(body, ast.Call) else None


def _defined(source: str, function: str) -> Parameters | None:
    subject = find_function("", function, {"": source})
    return None if subject is None else _parameters(subject.node)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Parameters:
    spec = node.args
    placed = [*spec.posonlyargs, *spec.args]
    defaults = placed[len(placed) - len(spec.defaults) :]
    named = [a for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None]
    names = [argument.arg for argument in (*placed, *spec.kwonlyargs)]
    bound = names[:1] if names[:1] in ([SELF], ["cls"]) else []
    return Parameters(
        tuple(names[len(bound) :]),
        frozenset(argument.arg for argument in (*defaults, *named)),
        takes_any=spec.kwarg is not None,
    )


class BaseTarget:
    """The base of one target, with its files where they were, in a warm guest."""

    def __init__(
        self, laboratory: ExecutionContext, target: Target, changes: Sequence[FileChange]
    ) -> None:
        self._laboratory = laboratory
        self._paths = {c.path: c.old_path for c in changes if c.old_path is not None}
        texts = laboratory.base.texts
        self.target = moved = self._moved(target)
        self._ours = target
        self._signatures = SignatureMapping(
            target.function,
            laboratory.head.texts.get(target.path, ""),
            texts.get(moved.path, ""),
        )
        together = [self._moved(each) for each in laboratory.targets if each.path == target.path]
        self._guest = WarmGuest(laboratory, laboratory.base, moved, self._require, together)

    def _moved(self, target: Target) -> Target:
        """Return a target with the paths of base, and those of its files that base has."""
        moved = relocated(target, self._paths)
        there = tuple(path for path in moved.files if path in self._laboratory.base.texts)
        return replace(moved, files=there)

    def expect(self) -> None:
        """Let the guest's sandbox start already, where base has the target."""
        if self.has_target():
            self._guest.expect()

    def begin(self) -> None:
        """Let the guest start, beside what is done meanwhile, where base has the target."""
        if self.has_target():
            self._guest.begin()

    def close(self) -> None:
        """End the guest; the next one is fresh."""
        self._guest.close()

    def release(self) -> None:
        """End the guest, or leave it to another target."""
        self._guest.release()

    def _require(self, session: Session) -> None:
        """Raise ``TargetNotLoaded`` where base has no framework to run on."""
        if required_frameworks(self.target) & set(session.prepared.replaced):
            raise TargetNotLoaded("the framework that it needs cannot be imported")

    def has_target(self, *, inherited: bool = True) -> bool:
        """Return whether base has a function of the target's name; ``inherited``: or may have."""
        text = self._laboratory.base.texts.get(self.target.path, "")
        return has_function(text, self.target.function, inherited=inherited)

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
        ours = file_annotations(self._laboratory.head.texts.get(self._ours.path, ""))
        theirs = file_annotations(self.text(self.target.path))
        return ours.texts.get(self._ours.function) == theirs.texts.get(self.target.function)

    def criterion(self, finding: Finding) -> Criterion | None:
        """Return what would show the finding on base; ``None`` where nothing can."""
        there = self.source(finding.path)
        if there is None or not self.has_target():
            return None
        ours = self._laboratory.head.texts.get(finding.path, "")
        return translate(finding.criterion, there[0], ours, there[1])

    def started(self) -> float:
        """Start the guest where none is; return the seconds it took.  Raises as :meth:`run`."""
        began = time.monotonic()
        self._guest.ask(lambda _: None)
        return time.monotonic() - began

    @traced("base")
    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes on base's own parameters; engines answer what is missing.

        Raises ``IncomparableSignature``, ``TargetNotLoaded`` and ``GuestFailure``.
        """
        probes = [self._signatures.translated(probe) for probe in probes]
        runs = self._guest.run(probes)
        if all_ran(runs) or not all(probe.inputs for probe in probes):
            return runs
        return self._guest.run([replace(probe, script=None) for probe in probes])

    @traced("base")
    def run_programs(self, probes: Sequence[Probe], seconds: float) -> Sequence[Run]:
        """Run programs, each within ``seconds``.  Raises as :meth:`run_each`."""
        return self._guest.run(
            [self._signatures.translated(each) for each in probes], seconds, once=True
        )

    @traced("base")
    def answer_again(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes; engines answer where base asks something else.  Raises as :meth:`run`."""
        probes = [self._signatures.translated(probe) for probe in probes]
        runs = self._guest.run(probes)
        pairs = zip(probes, runs, strict=True)
        other = [n for n, (probe, run) in enumerate(pairs) if probe.inputs and _asks(probe, run)]
        again = self._guest.run([replace(probes[n], script=None) for n in other])
        asked = dict(zip(other, again, strict=True))
        return [asked.get(n, run) for n, run in enumerate(runs)]

    @traced("base")
    def run_each(self, probes: Sequence[Probe], seconds: float) -> Sequence[Run | None]:
        """Run the probes with their answers; ``None`` where base lacks a parameter.

        Raises ``TargetNotLoaded`` and ``GuestFailure``.
        """
        fitted = [self._fitted(probe) for probe in probes]
        runs = iter(self._guest.run([each for each in fitted if each is not None], seconds))
        return [None if each is None else next(runs) for each in fitted]

    def _fitted(self, probe: Probe) -> Probe | None:
        with suppress(IncomparableSignature):
            return self._signatures.translated(probe)
        return None

    @traced("base")
    def explore(self, exploring: ExplorationRequest) -> ExplorationResult:
        """Explore base as head was; empty where parameters differ.  Raises as :meth:`run_each`."""
        if not self._signatures.alike():
            return ExplorationResult()
        explored, _ = self._guest.ask(lambda session: session.explore(exploring))
        ours = RecipeNames(self._ours.path, self._laboratory.head.texts)
        return ours.known(
            RecipeNames(self.target.path, self._laboratory.base.texts).known(explored)
        )


def _asks(probe: Probe, run: Run) -> bool:
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
