"""Finds by trial how the ML input gets into the target."""

from __future__ import annotations

import ast
import heapq
import itertools
import sys
from dataclasses import dataclass, replace
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..inputs import external_inputs, project_files
from ..protocol.api_calls import ApiRequest
from ..protocol.input_paths import ARGUMENTS, CAMERA, SERVICE, InputPath, file_path_of, parse
from ..runtime import assumptions, standins
from ..runtime.execution import PreparedTarget, Result, execute
from .code_constants import functions
from .input_slots import (
    SUFFIXES,
    UNFIT,
    InputSlot,
    Markers,
    contents,
    is_hinted,
    is_likely,
    kinds_of,
    of_parameters,
    of_place,
    parts_used,
    picture,
    places_in,
)
from .learning.argument_learning import LearnedArguments, learn_arguments
from .obstacles import raised_because_of, returned_early
from .search_campaign import Arguments, CatalogueModels, Stopwatch, is_free_form, usable
from .structured_answers import shaped

_GUESSES = {
    "int": ("1",), "float": ("0.5",), "bool": ("False", "True"), "str": ("'en'",),
    "list": ("[]",), "List": ("[]",), "Sequence": ("[]",), "dict": ("{}",), "Dict": ("{}",),
}  # fmt: skip
_NUMBERS = ("threshold", "score", "min", "max", "limit", "count", "num", "size", "top", "k", "n")
_FRAMES = ("frame", "array", "ndarray")
_ASSUMED_FORMS = {"text": ("text",), "image": ("bytes", "numpy"), "audio": ("bytes",)}
MOST_TRIALS = 120
FOR_PLACES = 40
FOR_ALL = 15.0
FOR_TEXTS = 5.0
MOST_ALIKE = 50
"""So many texts after each other that lead where others led: the rest will not lead further."""
FOR_ASSUMPTIONS = 6.0
MOST_ASSUMPTIONS = 150
MOST_PARAMETERS = 3
FOR_PARAMETERS = 2.0
_FACTS = str(InputPath(SERVICE).item(assumptions.FACTS))
_CONTENT = str(InputPath(SERVICE).item(assumptions.CONTENT))
MOST_TEXT_SLOTS = 2
MOST_LEARNED_SLOTS = 8
OPENING = "opening-"
SECONDS = 2.0
LATER_SECONDS = 0.5
MOST_TIMEOUTS = 2
_PICTURE = picture(8, 8, b"")
_INERT: Dict[str, Any] = {"kind": "inert"}
_SHORT = range(1, 40)
_FIELD = "'1111'"
"""A field of a request that is no input: a name, a number, and base64."""


@dataclass(frozen=True)
class InputEntry:
    """The template of calls, or the obstacle.

    ``slot`` takes the ML input; ``failed`` is a call that the code's own error ended, and how.
    """

    arguments: Optional[Arguments]
    slot: Optional[str] = None
    obstacle: Optional[str] = None
    executions: int = 0
    failed: Optional[Tuple[Arguments, Dict[str, Any]]] = None


class _Spy:
    faithful = True

    def __init__(self, models: CatalogueModels) -> None:
        self._models = models
        self.requests: List[ApiRequest] = []

    def __call__(self, request: ApiRequest) -> Mapping[str, Any]:
        self.requests.append(request)
        model = self._models[request.api]
        return model.answer(shaped(model.start(), request))


def find_entry(
    prepared: PreparedTarget,
    words: Sequence[str],
    texts: Sequence[str] = (),
    seconds: float = FOR_ALL,
) -> InputEntry:
    """Call the target in many ways, for ``seconds``, until the marker reaches an ML API.

    Parameters come first, then what else the code reads, the files that it opened, and ``texts``.
    ``words`` are strings of the code, tried for what is no input.  Where the answer may be any
    text, so may the input: there arguments learn before texts are tried.
    """
    project_files.forget_files()
    search = _Search(prepared, words, seconds)
    slotless: Optional[InputEntry] = None
    for slot in search.slots():
        entry, through = search.filled(slot)
        if entry is not None and through:
            return entry
        slotless = slotless or entry
    entry = slotless or search.without_slot(next(search.others(None)))
    found = search.through_what_it_opens()
    asked = entry.arguments is not None
    if is_free_form(prepared):
        found = found or search.through_what_is_missing(asked=asked) or search.with_one_of(texts)
    else:
        found = found or search.with_one_of(texts) or search.through_what_is_missing(asked=asked)
    obstacle = entry.obstacle and search.obstacle
    return found or replace(entry, executions=search.executions, obstacle=obstacle)


class _Search:
    def __init__(self, prepared: PreparedTarget, words: Sequence[str], seconds: float) -> None:
        self.prepared = prepared
        self._watch = Stopwatch(seconds)
        self.models = CatalogueModels(prepared.entries)
        self.markers = Markers(prepared.blobs)
        self.parameters = [p for p in prepared.parameters if not p["kind"].startswith("var")]
        self.kinds = kinds_of(prepared.expected or prepared.entries)
        self.executions = 0
        self._timeouts = 0
        self._annotations = {p["name"]: str(p["annotation"] or "") for p in self.parameters}
        names = list(self._annotations)
        self._clients = clients_among(prepared, names)
        found = places_in(prepared.sources, prepared.path, prepared.name, names)
        self._places = [place for place in found if not _is_prefix(place, found)]
        self._most = MOST_TRIALS
        self._words = words
        self.obstacle = ""
        self._furthest = -1
        self._failed: Optional[Tuple[Arguments, Dict[str, Any]]] = None

    def slots(self) -> Iterator[InputSlot]:
        likely = [place for place in self._places if self._is_likely(place)]
        yield from self._of_places(likely)
        others = [p for p in self.parameters if p["name"] not in self._clients]
        yield from of_parameters(others, self.kinds)
        self._most = self.executions + FOR_PLACES
        yield from self._of_places([place for place in self._places if place not in likely])

    def _is_likely(self, place: InputPath) -> bool:
        return place.is_parameter and is_likely(place, self._annotations.get(place.root))

    def _of_places(self, chosen: Sequence[InputPath]) -> Iterator[InputSlot]:
        for place in chosen:
            yield from of_place(place, self.kinds, self._annotations.get(place.root, ""))

    def through_what_it_opens(self) -> Optional[InputEntry]:
        """The template with a file or camera that the code opens, where one takes the input."""
        self._most = self.executions + FOR_PLACES
        tried: Set[InputPath] = set()
        while self.executions < self._most and not self._watch.over():
            place = next((place for place in _opened() if place not in tried), None)
            if place is None:
                break
            tried.add(place)
            for slot in of_place(place, self.kinds):
                entry, through = self.filled(slot)
                if entry is not None and through:
                    return entry
        return None

    def with_one_of(self, texts: Sequence[str]) -> Optional[InputEntry]:
        asked: Optional[InputEntry] = None
        seen: Set[FrozenSet[int]] = set()
        alike = 0
        watch = Stopwatch(FOR_TEXTS)
        slots = of_parameters(self.parameters, ["text"]) if "text" in self.kinds else []
        for slot in [slot for slot in slots if slot.form == "text"][:MOST_TEXT_SLOTS]:
            rest = next(self.others(slot))
            for number, text in enumerate(texts):
                if watch.over() or self._watch.over() or alike > MOST_ALIKE:
                    break
                blob = f"{OPENING}{number}"
                self.prepared.blobs[blob] = text.encode("utf-8", "replace")
                arguments = {**rest, slot.key: {**slot.content, "blob": blob}}
                result, spy = self.call(arguments)
                alike = alike + 1 if result.hits in seen else 0
                seen.add(result.hits)
                entry = InputEntry(arguments, slot.key, None, self.executions)
                if any(map(self.markers.carried, spy.requests)):
                    return entry
                asked = asked or (entry if any(each.text for each in spy.requests) else None)
        return asked

    def through_what_is_missing(self, *, asked: bool) -> Optional[InputEntry]:
        """The template with arguments that learned, or with assumptions.

        One that takes the input is better, and arguments that get the code through to its end.
        Of a language model's input little is known: there plain arguments are better.
        """
        learned = None if asked else self._learned()
        entry = None if learned is None else self._with_learned(learned)
        is_through = learned is not None and learned.is_through
        if is_through and entry and (entry.slot or is_free_form(self.prepared)):
            return entry
        found = self.through_assumptions(asked=asked)
        if entry is None or (found is not None and (found.slot or not is_through)):
            return found
        return entry

    def through_assumptions(self, *, asked: bool) -> Optional[InputEntry]:
        """The template in which a library, a service or an object gives the input.

        One that asks without the input counts unless the code ``asked`` without assumptions.
        """
        without: Optional[InputEntry] = None
        for slot in self._assumed_slots():
            found = self._assumed(slot)
            if found is not None and found.slot:
                return found
            without = without or found
        return None if asked else without

    def _assumed_slots(self) -> Iterator[InputSlot]:
        """The likeliest parameters, then whatever library, service or object gives the input."""
        hinted = [p for p in self.parameters if is_hinted(p)]
        yield from of_parameters(hinted, self.kinds)[:MOST_PARAMETERS]
        for kind in self.kinds:
            for form in _ASSUMED_FORMS[kind]:
                yield InputSlot(_CONTENT, form, kind)

    def _assumed(self, slot: InputSlot) -> Optional[InputEntry]:
        """Change assumptions one by one; those that led to new questions are followed first."""
        is_service = slot.key == _CONTENT
        watch, without = Stopwatch(FOR_ASSUMPTIONS if is_service else FOR_PARAMETERS), None
        known: Set[str] = set()
        waiting: List[Tuple[int, int, Dict[str, bool]]] = [(0, 0, {})]
        rest, number = {**next(self.others(slot)), **self._plain(slot)}, 0
        most = self.executions + MOST_ASSUMPTIONS
        while waiting and self.executions < most and not (watch.over() or self._watch.over()):
            _, _, facts = heapq.heappop(waiting)
            arguments = {**rest, _FACTS: _literal(repr(facts)), slot.key: slot.content}
            marked = {**arguments, slot.key: self.markers.argument(slot, 0)}
            result, spy = self.call(marked)
            if spy.requests and usable(result):
                if any(map(self.markers.carried, spy.requests)):
                    given = marked if slot.kind == "text" else arguments
                    return InputEntry(given, slot.key, None, self.executions)
                without = without or InputEntry(arguments, None, None, self.executions)
            questions = assumptions.asked_questions()
            new = not questions.keys() <= known
            known.update(questions)
            for question, default in reversed(questions.items()):
                if question not in facts:
                    number += 1
                    changed = {**facts, question: not default}
                    heapq.heappush(waiting, (0 if new else len(changed), number, changed))
        return without

    def _learned(self) -> Optional[LearnedArguments]:
        """Return arguments that learned, by trial, what the code makes of them, if they reach."""
        names = {parameter["name"] for parameter in self.parameters}
        outside = {k: v for k, v in self._beside(None).items() if parse(k).root not in names}
        outside.update(dict.fromkeys(self._clients, _INERT))

        def replay(arguments: Arguments) -> Tuple[Mapping[str, Any], bool]:
            result, spy = self.call(arguments)
            return result.ending, bool(spy.requests) and usable(result)

        learned = learn_arguments(
            self.prepared, outside, lambda: _Spy(self.models), replay, self._explained
        )
        self.executions += learned.rounds
        if learned.arguments is None:
            if learned.reason:
                self.obstacle, self._furthest = learned.reason, sys.maxsize
            return None
        return learned

    def _with_learned(self, learned: LearnedArguments) -> InputEntry:
        """Return the template of learned arguments, with the input where it gets through."""
        for place, form, rest in itertools.islice(learned.inputs(), MOST_LEARNED_SLOTS):
            for kind in self.kinds:
                slot = InputSlot(place, form, kind)
                if form in UNFIT[kind]:
                    continue
                marked = {**rest, place: self.markers.argument(slot, 0)}
                result, spy = self.call(marked)
                if usable(result) and any(map(self.markers.carried, spy.requests)):
                    given = marked if kind == "text" else {**rest, place: slot.content}
                    return InputEntry(given, place, None, self.executions)
        return InputEntry(learned.arguments, None, None, self.executions)

    def _plain(self, slot: InputSlot) -> Arguments:
        """Arguments for needed parameters of which the code uses no part: names, numbers."""
        taken = slot.place.root
        needed = [p["name"] for p in self.parameters if not p["default"] and p["name"] != taken]
        used = parts_used(self.prepared.sources, self.prepared.path, self.prepared.name)
        first = [name for name in needed if name not in used]
        guesses = {p["name"]: self._guesses(p) for p in self.parameters if p["name"] in first}
        return {
            name: next(
                (each for each in guesses[name] if len(each.get("source", "")) in _SHORT), _INERT
            )
            for name in first
        }

    def call(self, arguments: Arguments) -> Tuple[Result, _Spy]:
        self.executions += 1
        spy = _Spy(self.models)
        seconds = SECONDS if self._timeouts < MOST_TIMEOUTS else LATER_SECONDS
        result = execute(self.prepared, arguments, spy, seconds)
        self._timeouts += result.ending["kind"] == "timed-out"
        if not spy.requests or not usable(result):
            self._note_obstacle(arguments, result.ending)
            if self._failed is None and result.ending.get("origin"):
                self._failed = arguments, result.ending
        return result, spy

    def _note_obstacle(self, arguments: Arguments, ending: Mapping[str, Any]) -> None:
        """Keep the obstacle of the call that asked the most about what is assumed."""
        assuming = _FACTS in arguments
        passed = len(assumptions.asked_questions()) if assuming else -1
        if self.obstacle and passed <= self._furthest:
            return
        explained = self._explained(arguments, ending)
        if not self.obstacle or " at " in explained:
            self.obstacle, self._furthest = explained, passed

    def filled(self, slot: InputSlot) -> Tuple[Optional[InputEntry], bool]:
        """Return whether a slot's input gets through, the other arguments filled."""
        through: Optional[InputEntry] = None
        asked: Optional[InputEntry] = None
        for rest in self.others(slot):
            if self.executions >= self._most or self._watch.over():
                break
            result, spy = self.call({**rest, slot.key: self.markers.argument(slot, 0)})
            if not spy.requests:
                continue
            given = self.markers.argument(slot, 0) if slot.kind == "text" else slot.content
            arguments = {**rest, slot.key: given}
            if self._carries(rest, slot, spy, result):
                through = through or InputEntry(arguments, slot.key)
                if not result.ending.get("standin") and not _is_type_error(result.ending):
                    return replace(through, arguments=arguments, executions=self.executions), True
            elif usable(result):
                asked = asked or InputEntry(arguments)
        found = through or asked
        if found is not None:
            found = replace(found, executions=self.executions)
        return found, through is not None

    def _carries(self, rest: Arguments, slot: InputSlot, spy: _Spy, result: Result) -> bool:
        if any(map(self.markers.carried, spy.requests)):
            return True
        return usable(result) and self._influences(rest, slot, spy.requests)

    def _influences(self, rest: Arguments, slot: InputSlot, requests: Sequence[ApiRequest]) -> bool:
        first = contents(requests, slot)
        if not first:
            return False
        _, again = self.call({**rest, slot.key: self.markers.argument(slot, 0)})
        _, other = self.call({**rest, slot.key: self.markers.argument(slot, 1)})
        return first == contents(again.requests, slot) != contents(other.requests, slot)

    def without_slot(self, arguments: Arguments) -> InputEntry:
        """A template for a target that finds its input by itself."""
        result, spy = self.call(arguments)
        if spy.requests and not isinstance(result.ending.get("reason"), str):
            return InputEntry(arguments, None, None, self.executions)
        obstacle = self.obstacle or self._explained(arguments, result.ending)
        return InputEntry(None, None, obstacle, self.executions, self._failed)

    def _explained(self, arguments: Arguments, ending: Mapping[str, Any]) -> str:
        if ending["kind"] == "raised":
            name, refuses = ending["exception"], ending["refusal"]
            cause = refuses and raised_because_of(self.prepared, arguments, name, SECONDS)
            after = f" after {cause}," if cause else ""
            return (
                f"raised {name} ({ending['message'][:120]}) at "
                f"{ending['path']}:{ending['line']}{after} before any ML API was asked"
            )
        if ending["kind"] == "timed-out":
            return f"took longer than {ending['seconds']:g} s before any ML API was asked"
        if ending["kind"] == "not-run":
            return str(ending["reason"])
        return returned_early(self.prepared, arguments, SECONDS)

    def others(self, slot: Optional[InputSlot]) -> Iterator[Arguments]:
        taken = slot.place.root if slot else ""
        fixed = self._beside(slot)
        roots = {taken, *(key.partition(".")[0].partition("[")[0] for key in fixed)}
        needed = [p for p in self.parameters if not p["default"] and p["name"] not in roots]
        choices = [self._guesses(parameter) for parameter in needed]
        seen: List[Arguments] = []
        for row in itertools.zip_longest(*choices):
            filled = [
                value if value is not None else options[0] for value, options in zip(row, choices)
            ]
            arguments = {p["name"]: value for p, value in zip(needed, filled)}
            if arguments not in seen:
                seen.append(arguments)
                yield {**fixed, **arguments}
        if not needed:
            yield fixed

    def _beside(self, slot: Optional[InputSlot]) -> Arguments:
        taken = slot.place if slot else None
        found: Arguments = {_FACTS: _literal("{}")} if self._clients else {}
        for place in self._places:
            near = not place.is_parameter or (taken and taken.steps and place.root == taken.root)
            if near and _is_filled(place) and place != taken:
                files_too = any(str(name).lower() == "files" for _, name in place.steps[:1])
                found[str(place)] = self._upload() if files_too else _literal(_FIELD)
        return found

    def _upload(self) -> Dict[str, Any]:
        suffix = SUFFIXES.get(self.kinds[0]) if self.kinds else None
        return {"kind": "content", "form": "file", **({"suffix": suffix} if suffix else {})}

    def _guesses(self, parameter: Mapping[str, Any]) -> List[Dict[str, Any]]:
        if parameter["name"] in self._clients:
            return [_INERT]
        name, annotation = parameter["name"].lower(), str(parameter["annotation"] or "")
        simple = annotation.rpartition(".")[2].partition("[")[0].strip("'\"")
        if "image" in self.kinds and any(part in _FRAMES for part in name.split("_")):
            return [{"kind": "content", "form": "numpy"}, {"kind": "inert"}]
        if simple in _GUESSES:
            sources: Tuple[str, ...] = _GUESSES[simple]
        elif any(part in _NUMBERS for part in name.split("_")):
            sources = ("0.5", "1")
        else:
            return [
                {"kind": "inert"},
                _literal(repr(_PICTURE)),
                *map(_literal, [*(repr(word) for word in self._words[:2]), "'en'", "1", "[]"]),
            ]
        return [*map(_literal, sources), {"kind": "inert"}]


def clients_among(prepared: PreparedTarget, names: Sequence[str]) -> List[str]:
    """Return the parameters on which the target calls methods of clients of its APIs."""
    written = dict(functions(ast.parse(prepared.sources.get(prepared.path, ""))))
    tree = written.get(prepared.name, ast.Module([], []))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    chains = [chain for chain in map(ast.unparse, nodes) if chain.partition(".")[0] in names]
    asked = {chain.partition(".")[0] for chain in chains if _asks(chain)}
    return [name for name in names if name in asked]


def _asks(chain: str) -> bool:
    return chain.count(".") > 1 and standins.client_method(chain) is not None


def _opened() -> Iterator[InputPath]:
    yield from map(file_path_of, project_files.wanted_files())
    if external_inputs.camera_wanted():
        yield InputPath(CAMERA)


def _is_prefix(place: InputPath, among: Sequence[InputPath]) -> bool:
    steps = place.steps
    return any(
        each.root == place.root
        and len(each.steps) > len(steps) == len(each.steps[: len(steps)])
        and each.steps[: len(steps)] == steps
        for each in among
    )


def _is_filled(place: InputPath) -> bool:
    if not place.steps or place.steps[-1][0] != "item":
        return False
    return isinstance(place.steps[-1][1], str) or place.root == ARGUMENTS


def _is_type_error(ending: Mapping[str, Any]) -> bool:
    return ending.get("exception") in ("TypeError", "AttributeError")


def _literal(source: str) -> Dict[str, Any]:
    return {"kind": "literal", "source": source}
