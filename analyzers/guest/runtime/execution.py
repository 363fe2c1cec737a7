"""Runs one input, for ``run`` and for ``search`` alike."""

from __future__ import annotations

import asyncio
import functools
import inspect
import io
import itertools
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    FrozenSet,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ..inputs import project_files
from ..inputs.external_inputs import BUILDER, external_inputs
from ..instrumentation.recorder import Recorder
from ..network.unreachable import unreachable_names
from ..protocol import api_calls
from ..protocol.api_calls import describe_questions
from ..protocol.argument_decoding import Unusable, decode, evaluate_recipe
from ..protocol.input_paths import ARGUMENTS, PAGE, REQUEST, build_values, parse
from ..provenance.value_sources import SyntheticValues
from . import call_outcomes, framework_setup, standins, time_limits
from .programs import ProgramRun
from .standins import is_standin
from .time_limits import CLOCK, TimeUp

DRAWN = 100
FEW = 3


def consume(value: Any, *, thoroughly: bool = False) -> Any:
    """Return what a coroutine returns, the first items of a generator, or the value itself.

    ``thoroughly``: iterators and data loaders give a few items too, which come again.
    """
    if inspect.iscoroutine(value):
        return consume(asyncio.run(value), thoroughly=thoroughly)
    if inspect.isgenerator(value):
        return list(itertools.islice(value, DRAWN))
    if inspect.isasyncgen(value):
        return asyncio.run(_drawn(value))
    for streamed in map(getattr(value, "__dict__", {}).get, _STREAMED):
        if inspect.isgenerator(streamed):
            list(itertools.islice(streamed, DRAWN))
    if thoroughly and _is_lazy(value):
        return _tasted(value)
    return value


_STREAMED = ("response", "_iterator")
"""Attributes in which responses of Flask and Django keep what they send in parts."""


def _is_lazy(value: Any) -> bool:
    if isinstance(value, Iterator):
        return not isinstance(value, io.IOBase) and not is_standin(value)
    loader = getattr(sys.modules.get("torch.utils.data"), "DataLoader", None)
    return isinstance(loader, type) and isinstance(value, loader)


def _tasted(value: Any) -> Any:
    """The value after a few items; what an iterator gave comes again."""
    if isinstance(value, Iterator):
        first = list(itertools.islice(value, FEW))
        is_plain = type(value).__module__ in ("builtins", "itertools")
        return itertools.chain(first, value) if is_plain else value
    if getattr(value, "num_workers", 0):
        value.num_workers, value.timeout = 0, 0
    for _ in itertools.islice(value, FEW):
        pass
    return value


async def _drawn(values: Any) -> List[Any]:
    found: List[Any] = []
    async for value in values:
        found.append(value)
        if len(found) >= DRAWN:
            break
    await values.aclose()
    return found


SELF = "self"
Arguments = Mapping[str, Mapping[str, Any]]
Callee = Tuple[Callable[[], Callable[..., Any]], Optional[Callable[[Any], Callable[..., Any]]]]
"""What makes the callable for one input, and what makes that of a given instance."""
CLOCK.never_interrupt(__file__)
CLOCK.never_interrupt(api_calls.__file__)


@dataclass(frozen=True)
class Bound:
    """The values of one call and the world to make it in; ``repeats``: nothing is from outside.

    ``function`` makes what is called: a method of the instance given, or of one of ours.
    """

    args: List[Any]
    kwargs: Dict[str, Any]
    world: ContextManager[Any]
    function: Callable[[], Callable[..., Any]]
    repeats: bool = False


@dataclass
class PreparedTarget:
    """A target that can be called.

    ``function`` makes the callable for one input (a fresh instance for a
    method), ``method`` that of an instance that is given, where the target is
    called on one.  ``guarded`` are both with the decorators that check arguments, for
    values that were made to pass them.  ``parameters`` are
    ``{name, kind, default, annotation}`` without ``self``.  ``points`` are the ids of
    the instrumented files; a hit is an index into them.  ``sources`` maps the instrumented
    files to their text, ``blobs`` digests to contents, ``entries`` are the catalogue's,
    ``expected`` those of the providers that the target is known to ask.
    """

    root: str
    path: str
    name: str
    function: Callable[[], Callable[..., Any]]
    parameters: List[Dict[str, Any]]
    points: List[str]
    recorder: Recorder
    sources: Dict[str, str]
    standins: List[str] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    entries: List[Mapping[str, Any]] = field(default_factory=list)
    expected: List[Mapping[str, Any]] = field(default_factory=list)
    schemas: Mapping[str, Any] = field(default_factory=dict)
    namespace: Mapping[str, Any] = field(default_factory=dict)
    blobs: Dict[str, bytes] = field(default_factory=dict)
    method: Optional[Callable[[Any], Callable[..., Any]]] = None
    guarded: Optional[Callee] = None

    def bind(self, arguments: Arguments) -> Bound:
        """Return what the function is called with, and in what world; raise ``Unusable``.

        An argument ``{"kind": "value", "value": object}`` is passed as it is.
        """
        values = {key: self._value(key, given) for key, given in arguments.items()}
        try:
            whole = build_values(values, BUILDER)
        except ValueError as error:
            raise Unusable(str(error)) from error
        own = {name: value for name, value in whole.items() if name.isidentifier()}
        outside = {root: value for root, value in whole.items() if root not in own}
        if self._serves_flask:
            outside.setdefault(REQUEST, None)
        if self.shows_page:
            outside.setdefault(PAGE, None)
        drawn = any(given.get("kind") == "made" for given in arguments.values())
        function = self._function(own, drawn=drawn)
        args, kwargs = _placed(self.parameters, own)
        return Bound(
            args, kwargs, external_inputs(outside, self.namespace), function, repeats(arguments)
        )

    def _value(self, key: str, given: Mapping[str, Any]) -> Any:
        if given.get("kind") == "inert":
            return standins.Inert(key)
        if given.get("kind") != "made":
            return decode(_at(key, given), self.blobs)
        value = evaluate_recipe(key, given["recipe"], self.namespace)
        return [None, *value] if key == ARGUMENTS else value

    def _function(self, own: Dict[str, Any], *, drawn: bool) -> Callable[[], Callable[..., Any]]:
        callee = self.function, self.method
        function, method = self.guarded if self.guarded is not None and drawn else callee
        if method is None or SELF not in own:
            return function
        return functools.partial(method, own.pop(SELF))

    @functools.cached_property
    def _serves_flask(self) -> bool:
        return "flask" in self.sources.get(self.path, "") and "flask" in sys.modules

    @functools.cached_property
    def shows_page(self) -> bool:
        """Return whether the target, or what it calls, may ask widgets of Streamlit."""
        return "streamlit" in sys.modules and any("streamlit" in t for t in self.sources.values())

    def call(self, bound: Bound) -> Any:
        """Call the target; await what it awaits, draw what it yields, undo what it writes."""
        with bound.world, project_files.undo_writing():
            value = bound.function()(*bound.args, **bound.kwargs)
            return consume(value, thoroughly=bound.repeats)


@dataclass(frozen=True)
class Result:
    """The result of one input.  ``ending`` is the protocol's."""

    ending: Dict[str, Any]
    hits: FrozenSet[int]
    exchanges: List[api_calls.ApiExchange]
    seconds: float
    outside: List[str] = field(default_factory=list)
    program: Optional[ProgramRun] = None

    def as_json(self, index: int, *, scripted: bool = False) -> Dict[str, Any]:
        """The result as it goes to the host, which knows what it was asked itself."""
        found: Dict[str, Any] = {
            "index": index,
            "ending": self.ending,
            "hits": sorted(self.hits),
            "exchanges": [exchange.as_json() for exchange in self.exchanges],
            "seconds": round(self.seconds, 6),
        }
        if self.outside:
            found["outside"] = self.outside
        if scripted and self.exchanges:
            found["asked"] = describe_questions(self.exchanges)
        if self.program is not None:
            found["completed"], found["lines"] = self.program.completed, self.program.lines
            if self.program.recorder is not None:
                found["calls"] = self.program.recorder.calls()
        return found


def execute(
    prepared: PreparedTarget,
    arguments: Arguments,
    supplier: api_calls.Supplier,
    seconds: float,
    ensures: Sequence[str] = (),
    *,
    describe: Callable[[Any], call_outcomes.CallOutcome] = call_outcomes.returned,
    observed: bool = False,
) -> Result:
    """Run one input under a time limit; whatever it raises becomes its ending.

    Else that is the first of ``ensures`` that does not hold, or what ``describe`` makes. With
    ``observed`` an observation is beside it, of the values of ``ensures`` too.
    """

    def run(session: api_calls.ApiSession) -> call_outcomes.CallOutcome:
        return _run(prepared, arguments, session, ensures, None if observed else describe)

    return _limited(prepared, supplier, seconds, run)


def execute_program(
    prepared: PreparedTarget,
    program: ProgramRun,
    supplier: api_calls.Supplier,
    seconds: float,
    ensures: Sequence[str] = (),
    *,
    observed: bool = False,
) -> Result:
    """Run a program in the place of a call, as :func:`execute` does."""

    def run(_: api_calls.ApiSession) -> call_outcomes.CallOutcome:
        return _run_program(prepared, program, ensures, observed=observed)

    return replace(_limited(prepared, supplier, seconds, run), program=program)


def _limited(
    prepared: PreparedTarget,
    supplier: api_calls.Supplier,
    seconds: float,
    run: Callable[[api_calls.ApiSession], call_outcomes.CallOutcome],
) -> Result:
    recorder = prepared.recorder
    recorder.hits = set()
    session = api_calls.set_supplier(supplier)
    standins.forget()
    started = time_limits.now()
    try:
        CLOCK.start(seconds)
        ending = run(session)
    except TimeUp:
        ending = call_outcomes.timed_out(seconds)
    finally:
        if session.process != os.getpid():
            os._exit(0)  # a process that the tested code forked, and that came back here
        CLOCK.stop()
    session.close()
    spent = time_limits.now() - started
    if session.refusal is not None:
        ending = call_outcomes.not_run(session.refusal)
    elif session.is_cut:
        ending = call_outcomes.returned(None)
    elif CLOCK.expired:
        ending = call_outcomes.timed_out(seconds)
    outside = unreachable_names(session)
    return Result(ending, frozenset(recorder.hits), session.exchanges, spent, outside)


def _run_program(
    prepared: PreparedTarget, program: ProgramRun, ensures: Sequence[str], *, observed: bool
) -> call_outcomes.CallOutcome:
    try:
        program.run()
        broken = program.check(ensures)
        if broken is not None:
            return broken
        ending = call_outcomes.returned(None)
        return {**ending, "observation": program.observation()} if observed else ending
    except BaseException as error:
        refused = call_outcomes.refused_call(error, prepared.root)
        return refused or call_outcomes.raised(error, prepared.root)


def _run(
    prepared: PreparedTarget,
    arguments: Arguments,
    session: api_calls.ApiSession,
    ensures: Sequence[str],
    describe: Optional[Callable[[Any], call_outcomes.CallOutcome]],
) -> call_outcomes.CallOutcome:
    try:
        if describe is None:
            return _observe(prepared, arguments, ensures)
        if ensures:
            from ..inputs.exploration.postcondition_checks import check_postconditions

            return check_postconditions(prepared, arguments, ensures) or describe(None)
        if repeats(arguments):
            framework_setup.seed()
        return describe(prepared.call(prepared.bind(arguments)))
    except Unusable as unusable:
        return call_outcomes.not_run(str(unusable))
    except BaseException as error:
        fillings = SyntheticValues.of(arguments) if session.exchanges else None
        given = frozenset(parse(key).root for key in arguments)
        return call_outcomes.raised(error, prepared.root, fillings, given)


def _observe(
    prepared: PreparedTarget, arguments: Arguments, expressions: Sequence[str]
) -> call_outcomes.CallOutcome:
    """Call the target; describe its result, its arguments after the call, and expressions."""
    from ..inputs.exploration.postcondition_checks import arguments_by_name, described_values
    from .observation import observation, random_digest

    framework_setup.seed()
    bound = prepared.bind(arguments)
    function = bound.function()
    bound = replace(bound, function=lambda: function)
    values = arguments_by_name(bound)
    before = random_digest()
    result = prepared.call(bound)
    state = random_digest()
    if expressions:
        values.update(described_values(prepared, arguments, expressions))
    found = observation(result, values, drew=state != before, state=state)
    return {**call_outcomes.returned(result), "observation": found}


def repeats(arguments: Arguments) -> bool:
    """Return whether a call with these arguments is repeatable: none is from outside."""
    return all(given.get("kind") != "content" for given in arguments.values())


def _at(key: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """An argument as its place takes it: a file is there as a file."""
    is_file = key.startswith("open(") and given.get("kind") == "content"
    return {**given, "form": "path"} if is_file else given


def _placed(
    parameters: List[Dict[str, Any]], values: Dict[str, Any]
) -> Tuple[List[Any], Dict[str, Any]]:
    """Distribute values over parameters; an absent one keeps its default."""
    args: List[Any] = []
    kwargs: Dict[str, Any] = {}
    by_position = True
    for parameter in parameters:
        name, kind = parameter["name"], parameter["kind"]
        if kind.startswith("var"):
            _spread(values.get(name), args if by_position else [], kwargs)
            by_position = False
        elif name in values and (kind == "keyword_only" or not by_position):
            kwargs[name] = values[name]
        elif name in values:
            args.append(values[name])
        elif parameter["default"]:
            by_position = False
        else:
            raise Unusable(f"the parameter {name} has no argument")
    unknown = values.keys() - {parameter["name"] for parameter in parameters}
    if unknown:
        raise Unusable(f"there is no parameter {min(unknown)}")
    return args, kwargs


def _spread(value: Any, args: List[Any], kwargs: Dict[str, Any]) -> None:
    if type(value) in (list, tuple):
        args += value
    elif type(value) is dict:
        kwargs.update(value)
