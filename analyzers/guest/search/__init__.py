"""Looks for ML answers that reach the conditions of a target."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from ..execution import Prepared
from .campaign import Campaign, Candidate, is_crash, usable
from .entry import Entry, find_entry
from .harvest import harvest
from .mutation import mutate
from .simplify import confirm, simplified
from .symbolic import Symbolic, explore
from .wishes import constants_near

Frame = Dict[str, Any]


def search(prepared: Prepared, message: Mapping[str, Any]) -> Frame:
    """The ``searched`` frame for a ``search`` frame (docs/guest-protocol.md).

    Runs in a process of its own with the target loaded; everything found was
    replayed through :func:`execute` with real messages.
    """
    goals: Sequence[str] = message["goals"]
    pool = harvest(
        prepared.sources, prepared.path, prepared.name, goals, prepared.namespace, prepared.root
    )
    entry = find_entry(prepared, pool.raw, message.get("texts") or ())
    wishes = constants_near(prepared, goals)
    if entry.arguments is None:
        return _frame(
            None,
            wishes,
            obstacle=entry.obstacle,
            executions=entry.executions,
            crashes=[] if entry.failed is None else [_failed(*entry.failed)],
        )
    campaign = Campaign(prepared, entry.arguments, goals, message["seed"])
    campaign.pool = pool
    mutate(campaign, _variable(entry), message["mutation_seconds"])
    proof = Symbolic()
    if campaign.missing and campaign.apis:
        proof = explore(campaign, entry, message)
    return _frame(
        {"arguments": entry.arguments},
        wishes,
        witnesses=_witnesses(campaign),
        crashes=_crashes(campaign),
        exhausted=sorted(campaign.goals[number] for number in proof.exhausted & campaign.missing),
        bound=proof.bound,
        notes=[*campaign.notes, *([proof.note] if proof.note else [])],
        executions=entry.executions + campaign.executions,
    )


def _failed(arguments: Mapping[str, Any], ending: Mapping[str, Any]) -> Frame:
    """A call that ended before anything was asked."""
    kept = {name: _unmarked(argument) for name, argument in arguments.items()}
    return {"arguments": kept, "script": [], "ending": ending}


def _unmarked(argument: Mapping[str, Any]) -> Frame:
    """An argument without the marker that it carried."""
    return {name: value for name, value in argument.items() if name != "blob"}


def _variable(entry: Entry) -> List[str]:
    return [
        name for name, argument in (entry.arguments or {}).items() if argument["kind"] == "literal"
    ]


def _witnesses(campaign: Campaign) -> List[Frame]:
    frames: List[Frame] = []
    for number, candidate in sorted(campaign.first.items()):
        found = confirm(campaign, number, candidate)
        if found is not None:
            frames.append(
                {
                    "goal": campaign.goals[number],
                    "arguments": _arguments(campaign, found.candidate),
                    "script": found.script,
                    "confirmed": True,
                }
            )
    return frames


def _crashes(campaign: Campaign) -> List[Frame]:
    frames: List[Frame] = []
    for place, (candidate, _) in sorted(campaign.crashes.items(), key=lambda item: item[0]):

        def same(each: Candidate, place: Any = place) -> bool:
            return bool(_place(campaign.ending(each)) == place)

        small = simplified(campaign, candidate, same)
        result, script = campaign.confirmed(small)
        if usable(result) and _place(result.ending) == place:
            arguments = _arguments(campaign, small)
            frames.append({"arguments": arguments, "script": script, "ending": result.ending})
    return frames


def _place(ending: Mapping[str, Any]) -> Any:
    if not is_crash(ending):
        return None
    return ending["exception"], ending["path"], ending["line"]


def _arguments(campaign: Campaign, candidate: Candidate) -> Frame:
    literals = {
        name: {"kind": "literal", "source": source} for name, source in candidate.literals.items()
    }
    return {**campaign.arguments, **literals}


def _frame(template: Any, constants: Mapping[str, List[str]], **fields: Any) -> Frame:
    return {
        "type": "searched",
        "template": template,
        "witnesses": [],
        "crashes": [],
        "exhausted": [],
        "bound": "",
        "constants": constants,
        "obstacle": None,
        "notes": [],
        "executions": 0,
        **fields,
    }
