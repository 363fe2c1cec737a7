"""A search for arguments: calls with values that learn, each in a fork, until the API is asked.

What an exception shows is learned and the call made again; else decisions are flipped: those
seen for the first time first, then the fewest flips, then the latest.  Arguments that reach the
API are written down as recipes, and count only where a call with the plain values reaches it too.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import heapq
import inspect
import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ...inputs.recipes import BadRecipe, looked_up
from ...inputs.streamlit_page import STATE
from ...protocol import api_calls
from ...protocol.input_paths import INPUT, PAGE, InputPath, Step
from ...runtime import standins
from ...runtime.call_outcomes import is_own, raised, returned, timed_out, tree_of
from ...runtime.child_processes import RunningInputRecord, Worker
from ...runtime.execution import SELF, PreparedTarget
from ...runtime.time_limits import CLOCK, TimeUp
from ..search_campaign import Arguments, Stopwatch
from .argument_shapes import (
    BASE64,
    BYTES,
    FILE,
    INSTANCE,
    LIST,
    MAPPING,
    OBJECT,
    TEXT,
    ArgumentShape,
    Classes,
    shape_of_annotation,
    shape_of_json,
)
from .learning_builtins import install
from .learning_values import MOST_ANSWERS, LearningPage, StartAgain, begin, live
from .refusals import learned_from, made_up_values

MOST_ROUNDS = 80
MORE_ROUNDS = 12
"""Rounds after the first that reaches the API, to get through to the end of the call."""
SECONDS = 1.0
FOR_LEARNING = 5.0
MOST_NAMED = 3
_GRACE = 2.0
CLOCK.never_interrupt(__file__)
Frame = Dict[str, Any]
Replay = Callable[[Arguments], Tuple[Mapping[str, Any], bool]]
"""Makes a call with plain arguments; returns its ending, and whether it asked an API."""
Explain = Callable[[Arguments, Mapping[str, Any]], str]
"""Says of arguments and an ending why no API was asked."""


@dataclass(frozen=True, order=True)
class _State:
    """The shapes of all arguments, as JSON by place, and the flipped decisions."""

    roots: str
    flips: Tuple[Tuple[str, bool], ...] = ()


@dataclass
class LearnedArguments:
    """The outcome of a search: plain ``arguments`` that reach the API, or why none were found.

    ``reason`` is that of the call that came furthest, of ``rounds``.
    """

    arguments: Optional[Arguments] = None
    rounds: int = 0
    reason: str = ""
    furthest: int = -1
    is_through: bool = False
    _shapes: Mapping[str, Any] = field(default_factory=dict)

    def inputs(self) -> Iterator[Tuple[str, str, Arguments]]:
        """Yield places in the arguments that may take an input, its form, and all other places."""
        shapes = {key: shape_of_json(said) for key, said in self._shapes.items()}
        for key, root in shapes.items():
            rest = {k: v for k, v in (self.arguments or {}).items() if k != key}
            takes = key.isidentifier() or key == PAGE
            for place, form in _leaves(root, InputPath(key)) if takes else ():
                with contextlib.suppress(BadRecipe):
                    yield str(place), form, {**rest, **_beside(root, InputPath(key), place.steps)}

    def keep(self, arguments: Arguments, shapes: Mapping[str, Any], *, is_through: bool) -> None:
        """Keep arguments that reach the API; ``is_through``: the call goes on to its end."""
        self.arguments, self._shapes, self.is_through = arguments, shapes, is_through

    def note(self, found: Frame) -> None:
        """Keep the reason of the call that came furthest."""
        if found["lines"] > self.furthest and found["reason"]:
            self.furthest, self.reason = found["lines"], found["reason"]


def learn_arguments(
    prepared: PreparedTarget,
    fixed: Arguments,
    spy: Callable[[], Any],
    replay: Replay,
    explain: Explain,
) -> LearnedArguments:
    """Look for arguments with which the target asks an ML API; ``fixed`` are given beside them."""
    for path in prepared.sources:
        tree_of(str(Path(prepared.root, path)))  # once, for all forks
    outcome, watch = LearnedArguments(), Stopwatch(FOR_LEARNING)
    waiting = list(_beginnings(prepared, fixed))
    seen: Set[_State] = set()
    known: Set[str] = set()
    most = MOST_ROUNDS
    while waiting and outcome.rounds < most and not watch.over():
        state = heapq.heappop(waiting)[-1]
        if state in seen:
            continue
        seen.add(state)
        call = _Call(prepared, fixed, spy(), explain, outcome.furthest)
        found = _in_fork(functools.partial(_round, call, state))
        outcome.rounds += 1
        if found is None:
            continue
        outcome.note(found)
        if found["asked"]:
            most = min(most, outcome.rounds + MORE_ROUNDS)
            arguments = _written(found["roots"], fixed)
            if arguments is not None and arguments != outcome.arguments:
                ending, asks = replay(arguments)
                outcome.rounds += 1
                is_through = ending["kind"] == "returned" or bool(ending.get("refusal"))
                if asks:
                    outcome.keep(arguments, found["roots"], is_through=is_through)
                if outcome.is_through:
                    break
        for each in _next(state, found, known, outcome.rounds):
            heapq.heappush(waiting, each)
        known.update(found["questions"])
    return outcome


def _beginnings(
    prepared: PreparedTarget, fixed: Arguments
) -> Iterator[Tuple[int, int, int, _State]]:
    """Yield what to try first: what needs an argument, a method's instance as well or not."""
    classes = _classes(prepared)
    shapes = {
        each["name"]: shape_of_annotation(each["name"], str(each["annotation"] or ""), classes)
        for each in prepared.parameters
        if not (each["default"] or each["kind"].startswith("var") or each["name"] in fixed)
    }
    owner = prepared.name.rpartition(".")[0] if prepared.method is not None else ""
    instance = shape_of_annotation(SELF, owner, classes)
    if instance.kind == INSTANCE and instance.items:
        yield 0, 0, 0, _State(_as_text({**shapes, SELF: instance}))
    yield 2, 0, 0, _State(_as_text(shapes))


def _as_text(shapes: Mapping[str, ArgumentShape]) -> str:
    return json.dumps({key: each.as_json() for key, each in shapes.items()}, sort_keys=True)


def _classes(prepared: PreparedTarget) -> Classes:
    """Return what finds classes of the project by the names that the target's file has for them."""

    def find(name: str) -> Any:
        try:
            found = looked_up(name, prepared.namespace)
            path = inspect.getfile(found) if isinstance(found, type) else ""
        except Exception:
            return None
        usual = (
            not inspect.isabstract(found) and not issubclass(found, enum.Enum) if path else False
        )
        return found if usual and is_own(path, prepared.root) else None

    return find


def _next(
    state: _State, found: Frame, known: Set[str], number: int
) -> Iterator[Tuple[int, int, int, _State]]:
    """Yield what to try after a round, each with its rank."""
    roots = json.dumps(found["roots"], sort_keys=True)
    if found["learned"]:
        yield 0, len(state.flips), -number, _State(roots, state.flips)
        if not found["asked"]:
            return
    flips = dict(state.flips)
    for place, (question, default) in enumerate(found["questions"].items()):
        if question not in flips:
            changed = tuple(sorted({**flips, question: not default}.items()))
            rank = 1 if question not in known else 2
            yield rank, len(changed), -(number * 1000 + place), _State(roots, changed)


def _written(roots: Mapping[str, Any], fixed: Arguments) -> Optional[Arguments]:
    """Return the arguments as plain recipes, or ``None`` where no recipe describes one."""
    found: Arguments = dict(fixed)
    try:
        for key, said in roots.items():
            found[key] = {"kind": "made", "recipe": shape_of_json(said).recipe().source()}
    except BadRecipe:
        return None
    return found


_FORMS = {TEXT: "text", BYTES: "bytes", BASE64: "base64", FILE: "path"}


def _leaves(shape: ArgumentShape, place: InputPath) -> Iterator[Tuple[InputPath, str]]:
    """Yield the places of undecided texts, bytes and files within a value, with their forms."""
    kind = shape.effective_kind()
    if kind in _FORMS and (shape.value is None or kind in (BYTES, FILE)):
        yield place, _FORMS[kind]
    for step, each in _steps(shape):
        yield from _leaves(each, InputPath(place.root, (*place.steps, step)))


def _steps(shape: ArgumentShape) -> Iterator[Tuple[Step, ArgumentShape]]:
    is_object = shape.effective_kind() == OBJECT
    for key, each in shape.items.items():
        yield ("attribute" if is_object and isinstance(key, str) else "item", key), each
    for name, each in shape.attributes.items():
        yield ("attribute", name), each


def _beside(shape: ArgumentShape, place: InputPath, steps: Sequence[Step]) -> Arguments:
    """Return the parts of a value that are not on the way to the place ``steps`` away."""
    found: Arguments = {}
    for step, each in _steps(shape) if steps else ():
        inner = InputPath(place.root, (*place.steps, step))
        if step == steps[0]:
            found.update(_beside(each, inner, steps[1:]))
        else:
            found[str(inner)] = {"kind": "made", "recipe": each.recipe().source()}
    return found


# ------------------------------------------------------------------- one round


def _in_fork(work: Callable[[], Frame]) -> Optional[Frame]:
    """Return what ``work`` returns in a fork; ``None`` where that dies, hangs or fails."""

    def task(report: Callable[[Frame], None], flight: RunningInputRecord) -> None:
        flight.begin(b"round")
        found = work()
        flight.end()
        report(found)

    worker = Worker(task, _read, SECONDS + _GRACE, math.inf)
    reports = list(worker.reports())
    return reports[0] if reports else None


def _read(line: bytes) -> Frame:
    found: Frame = json.loads(line)
    return found


@dataclass(frozen=True)
class _Call:
    """The target of one round; a call that runs more than ``furthest`` lines is explained."""

    prepared: PreparedTarget
    fixed: Arguments
    spy: Any
    explain: Explain
    furthest: int


def _round(call: _Call, state: _State) -> Frame:
    """Call the target once with values that learn; tell what happened and what they learned."""
    prepared = call.prepared
    roots = {key: shape_of_json(said) for key, said in json.loads(state.roots).items()}
    decisions = begin(prepared.root, prepared.namespace, dict(state.flips))
    install(prepared.root, prepared.namespace)
    for name, annotation, is_needed in _optional(prepared):
        if name in call.fixed:
            continue
        if is_needed or decisions.truth(f"{name} is given", default=False, always=True):
            roots.setdefault(name, shape_of_annotation(name, annotation, _classes(prepared)))
    if prepared.shows_page:
        roots.setdefault(PAGE, ArgumentShape(PAGE, MAPPING))
    trace = _Trace(prepared.root)
    error, started_again = _called(call, roots, trace)
    asked = bool(call.spy.requests)
    swallowed = [] if asked else [each for each in reversed(trace.errors) if each is not error]
    errors = [*([] if error is None else [error]), *swallowed]
    further = not asked and len(trace.lines) > call.furthest
    reason = _reason(call, roots, error) if further else ""
    learned = started_again or any(
        learned_from(each, prepared.root, roots, ended=each is error) for each in errors
    )
    if PAGE in roots and not roots[PAGE].item(STATE).items:
        del roots[PAGE].items[STATE]
    for outside in (INPUT, PAGE):
        if not roots.get(outside, ArgumentShape("")).items:
            roots.pop(outside, None)
    return {
        "roots": {key: shape.as_json() for key, shape in roots.items()},
        "questions": decisions.asked,
        "asked": asked,
        "learned": learned,
        "lines": len(trace.lines),
        "reason": reason,
    }


def _optional(prepared: PreparedTarget) -> Iterator[Tuple[str, str, bool]]:
    """Yield the parameters with defaults, their annotations, and if a framework replaces those."""
    try:
        signature = inspect.signature(prepared.function())
        defaults = {name: each.default for name, each in signature.parameters.items()}
    except Exception:
        defaults = {}
    for each in prepared.parameters:
        if each["default"] and not each["kind"].startswith("var"):
            default = defaults.get(each["name"])
            module = type(default).__module__
            is_needed = module.startswith("fastapi") or standins.is_standin(default)
            yield each["name"], str(each["annotation"] or ""), is_needed


def _live(roots: Dict[str, ArgumentShape]) -> Arguments:
    """Return values of the shapes as arguments; what is typed and entered is among them."""
    roots.setdefault(INPUT, ArgumentShape(INPUT, LIST))
    makers: Dict[str, Callable[[ArgumentShape], Any]] = {INPUT: _answers, PAGE: LearningPage}
    return {
        key: {"kind": "value", "value": makers.get(key, live)(shape)}
        for key, shape in roots.items()
    }


def _answers(shape: ArgumentShape) -> Iterator[str]:
    """Yield what is typed: a few answers, then nothing more."""
    for number in range(MOST_ANSWERS):
        each = shape.item(number)
        each.kind = each.kind or TEXT
        yield live(each)


def _called(
    call: _Call, roots: Dict[str, ArgumentShape], trace: _Trace
) -> Tuple[Optional[BaseException], bool]:
    """Call the target; return the exception that ended the call, and whether to start again."""
    prepared = call.prepared
    prepared.recorder.hits = set()
    api_calls.set_supplier(call.spy)
    standins.forget()
    before = sys.gettrace()
    try:
        CLOCK.start(SECONDS)
        sys.settrace(trace.watch)
        prepared.call(prepared.bind({**call.fixed, **_live(roots)}))
    except StartAgain:
        return None, True
    except api_calls.EnoughAsked:
        return None, False
    except BaseException as error:
        return error, False
    finally:
        sys.settrace(before)
        CLOCK.stop()
    return None, False


@dataclass
class _Trace:
    """The lines of the project's code that a call ran, and the exceptions on the way."""

    root: str
    lines: Set[Tuple[str, int]] = field(default_factory=set)
    errors: List[BaseException] = field(default_factory=list)

    def watch(self, frame: FrameType, event: str, value: Any) -> Any:
        """Follow frames of the project's own code."""
        del event, value
        return self._step if is_own(frame.f_code.co_filename, self.root) else None

    def _step(self, frame: FrameType, event: str, value: Any) -> Any:
        error: Any = value[1] if event == "exception" else None
        counts = isinstance(error, Exception) and not isinstance(error, StopIteration)
        if counts and not any(each is error for each in self.errors):
            self.errors.append(error.with_traceback(value[2]))
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._step


def _reason(call: _Call, roots: Mapping[str, ArgumentShape], error: Optional[BaseException]) -> str:
    """Say where a call ended, and which values of ours took part."""
    made = {key: shape for key, shape in roots.items() if error is None or key != SELF}
    arguments = {**call.fixed, **_live(made)}
    if error is None:
        return call.explain(arguments, returned(None))
    if isinstance(error, TimeUp):
        return call.explain(arguments, timed_out(SECONDS))
    root = call.prepared.root
    said = call.explain(arguments, raised(error, root))
    ours = [f"`{path}`" for path in made_up_values(error, root)][:MOST_NAMED]
    verb = "is" if len(ours) == 1 else "are"
    return f"{said}; {' and '.join(ours)} {verb} made up" if ours else said
