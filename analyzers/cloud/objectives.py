"""Test objectives: the readings that branches expect, taken from searched answers."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.catalogue import Api, Catalogue
from analyzers.catalogue.api_descriptions import register_cache
from analyzers.cloud.api_answers import (
    FREE_FORM_TASKS,
    NEGATIVE,
    POSITIVE,
    TEXT_TASKS,
    Reading,
    alone,
    human,
    meaning_by,
    reading_of,
    sure,
)
from analyzers.criteria import decision_point, reached
from analyzers.ports import Executor
from analyzers.vocabulary import (
    BranchOutcome,
    Exchange,
    Goal,
    InputArgument,
    InputKind,
    InputRequest,
    Json,
    Probe,
    Run,
    SearchResult,
    Target,
    Witness,
)

FAILURES = frozenset({"error", "errors", "message", "code", "status", "statuscode"})
"""What services call the fields in which they say that they failed."""
_CAMEL = re.compile(r"[a-z]+([A-Z][a-z]+)+")
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_field(api: Api, text: str) -> bool:
    """Return whether a text names a field of a provider's answers, as any of its SDKs spells it."""
    name = _plain(text)
    is_camel = _CAMEL.fullmatch(text) is not None
    return is_camel or name in FAILURES or name in _fields(api.provider)


@functools.cache
def _fields(provider: str) -> frozenset[str]:
    known = catalogue.load_catalogue()
    own = [name for name, api in known.apis.items() if api.provider == provider]
    return frozenset(_plain(field) for api in own for field in _names(known.ordinary.get(api)))


def decided_by_words(condition: str) -> bool:
    """Return whether a condition needs nothing but words: no number, nothing else besides."""
    try:
        tree = ast.parse(condition.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not any(isinstance(node, (ast.And, *_ORDER)) for node in ast.walk(tree))


register_cache(_fields.cache_clear)


def _names(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from value
        for inner in value.values():
            yield from _names(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _names(inner)


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


LONGEST_READING = 60
SHORTEST_READING = 2
NEGATION = re.compile(r"\bnot\b|!=")
WRITTEN_TASKS = TEXT_TASKS - {"speech"}
DEPICTED_TASKS = frozenset({"labels", "objects", "landmarks", "logos", "faces"})
STRING = re.compile(r"""(['"])(.+?)\1""")


@dataclass(frozen=True, slots=True)
class Objective:
    """A wanted answer for one clause goal, and the branch it should lead to.

    ``branch`` is the decision-level goal by which inputs are judged.  An
    unconfirmed objective was not reached by any searched answer: its reading is
    the constant that stands in the code.  ``lacks`` is what an answer that
    says no more than the reading, and surely, lacks to lead to the branch.
    """

    goal: Goal
    branch: Goal
    wanted: InputRequest
    template: Probe
    confirmed: bool = True
    lacks: str | None = None


def objectives(
    target: Target, replayed: Sequence[tuple[Witness, Run]], catalogue: Catalogue, bench: Executor
) -> list[Objective]:
    """Return one objective for each goal whose witness, replayed, has a human reading."""
    goals = {goal.id: goal for goal in target.goals}
    found: dict[tuple[str, str | None], Objective] = {}
    for witness, run in replayed:
        goal = goals[witness.goal]
        objective = objective_for(goal, witness, run, catalogue)
        if objective is not None and _asks(goal, objective.wanted.reading or ""):
            found.setdefault((objective.branch.id, objective.wanted.reading), objective)
    kinds = [(objective, _saying_no_more(objective, catalogue)) for objective in found.values()]
    plain = bench.run([probe for _, probe in kinds])
    surely = bench.run([_saying_surely(objective, probe, catalogue) for objective, probe in kinds])
    return [
        replace(objective, lacks=_lacking(objective.branch, *runs))
        for objective, *runs in zip(found.values(), plain, surely, strict=True)
    ]


def _lacking(branch: Goal, plain: Run, surely: Run) -> str | None:
    if not reached(branch, plain):
        return "several labels in one answer"
    return None if reached(branch, surely) else "an answer that the API is not sure of"


def unconfirmed_objectives(
    target: Target, searched: SearchResult, template: Probe, apis: Sequence[Api]
) -> Iterator[Objective]:
    """Yield objectives for constants next to branches that no searched answer reached.

    ``apis``: those that the target asks.  Only where one API alone can be
    meant, it says one thing only, and the constant alone decides.  The name of
    a field is no reading.
    """
    if len(apis) != 1 or len(apis[0].says) != 1 or not has_slot(template):
        return
    api, meaning = apis[0], apis[0].says[0]
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        found = searched.constants.get(goal.id, ())
        constants = [c for c in found if plausible(c) and not is_field(api, c)]
        lone = goal.clause is None and goal.outcome is BranchOutcome.TRUE
        lone = lone and decided_by_words(goal.decision_text)
        reading = human(meaning, constants[0]) if constants else None
        if lone and reading and goal.id not in known:
            yield Objective(goal, goal, InputRequest(api.name, reading), template, confirmed=False)


def objective_for(goal: Goal, witness: Witness, run: Run, catalogue: Catalogue) -> Objective | None:
    """Return the request for an input that matches a witness's answer."""
    branch = branch_of(goal, run)
    script = witness.probe.script or ()
    if branch is None or not has_slot(witness.probe):
        return None
    readings = [(e.api, r) for e in script if (r := _reading(e, goal, catalogue)) is not None]
    upon = _shown_besides(goal, [reading for _, reading in readings])
    readings = [(api, r) for api, r in readings if upon is None or r.text != upon]
    if len(readings) != 1 or not plausible(readings[0][1].text):
        return None
    api, reading = readings[0]
    task = _task(catalogue.apis[api], reading, witness.probe)
    return Objective(
        goal, branch, InputRequest(api, reading.text, task=task, upon=upon), witness.probe
    )


def _task(api: Api, reading: Reading, probe: Probe) -> str | None:
    """Return what to find in the inputs, where the API is not for that mainly.

    A language model is for anything: for what a picture shows, for the
    feeling or the topic of a text.
    """
    if api.task not in FREE_FORM_TASKS:
        return None if reading.task == api.task else reading.task
    if shows_pictures(probe):
        return "labels"
    return "sentiment" if reading.text.casefold() in (POSITIVE, NEGATIVE) else "classify"


def _shown_besides(goal: Goal, readings: Sequence[Reading]) -> str | None:
    """Return what a picture shows under its words, where both are asked of the same picture.

    Not where the condition itself is about what is shown alone: words would
    be judged by it.
    """
    shown = [r.text for r in readings if r.task in DEPICTED_TASKS]
    words = [r.text.casefold() for r in readings if r.task in WRITTEN_TASKS]
    if len(readings) != 2 or len(shown) != 1 or len(words) != 1 or not plausible(shown[0]):
        return None
    strings = [text.casefold() for _, text in STRING.findall(goal.text)]
    told = shown[0].casefold() in strings and not any(text in words[0] for text in strings)
    return None if told else shown[0]


def _asks(goal: Goal, reading: str) -> bool:
    """Return whether an outcome is that of finding the reading.

    It is the true one; where the condition says ``not``, the one in which a
    string of the condition is there after all.
    """
    strings = [text.casefold() for _, text in STRING.findall(goal.text)]
    if not strings or not NEGATION.search(goal.text):
        return goal.outcome is BranchOutcome.TRUE
    return any(text in reading.casefold() for text in strings)


def _saying_no_more(objective: Objective, catalogue: Catalogue) -> Probe:
    """Return the objective's witness with no other labels in its answer than the reading."""
    api = catalogue.apis[objective.wanted.api]
    task, reading = objective.wanted.task, objective.wanted.reading or ""
    script = tuple(
        e.answering(alone(meaning_by(api, task, e.answer, reading), e.answer, reading))
        if e.api == api.name
        else e
        for e in objective.template.script or ()
    )
    return replace(objective.template, script=script)


def _saying_surely(objective: Objective, probe: Probe, catalogue: Catalogue) -> Probe:
    """Return a probe whose answer has no low score in it."""
    api = catalogue.apis[objective.wanted.api]
    script = tuple(
        e.answering(sure(api, e.answer)) if e.api == api.name else e for e in probe.script or ()
    )
    return replace(probe, script=script)


def _reading(exchange: Exchange, goal: Goal, catalogue: Catalogue) -> Reading | None:
    api = catalogue.apis.get(exchange.api)
    return None if api is None else reading_of(api, exchange.answer, goal.text)


def branch_of(goal: Goal, run: Run) -> Goal | None:
    """Return the decision-level goal that a run for a clause goal took, if any."""
    whole = goal.whole()
    return whole if decision_point(whole) in run.hits else None


def has_slot(probe: Probe) -> bool:
    """Return whether a target takes an input at all."""
    return any(isinstance(argument, InputArgument) for argument in probe.arguments.values())


def shows_pictures(probe: Probe) -> bool:
    """Return whether what a target takes is a picture."""
    return bool(probe.inputs) and probe.inputs[0].kind is InputKind.IMAGE


def plausible(reading: str) -> bool:
    """Return whether a person could be asked for an input with this reading."""
    return (
        SHORTEST_READING <= len(reading) <= LONGEST_READING
        and all(character.isprintable() or character == "\n" for character in reading)
        and any(character.isalnum() for character in reading)
    )


_CODE = re.compile(
    r"[<>{}|\\]|://|__|%[sd]|^\w+/[\w.+-]+$|^[a-z\d]+(_[a-z\d]+)+$"
    r"|^[\w-]*\.(csv|gif|html?|jpe?g|json|mp3|pdf|png|py|txt|wav|xml)$",
    re.IGNORECASE,
)


def is_code(reading: str) -> bool:
    """Return whether a text is for programs: a tag, an address, a format, an identifier, a file."""
    return _CODE.search(reading.strip()) is not None
