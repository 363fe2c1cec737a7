"""Explores the target with CrossHair, in a process that can be killed.

A symbolic answer has unknowns for leaves; every path gives a concrete
witness, which is replayed at once.  Only a search that CrossHair calls
exhausted, in which every path replayed as it was explored, may call a goal
unreachable; :mod:`.proof` says when.
"""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import sys
import traceback
from dataclasses import dataclass
from importlib.machinery import PathFinder
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Set

from ..runtime.standins import InertModule
from .input_entry import InputEntry
from .search_campaign import AnswerCandidate, SearchCampaign, Stopwatch, is_free_form

_OUTSIDE = {
    "environ", "getenv", "argv", "random", "randint", "choice", "uniform", "now", "today",
    "utcnow", "time", "perf_counter", "input", "getattr", "hasattr", "vars", "__dict__", "to_dict",
    "to_json", "MessageToDict", "MessageToJson", "_pb", "ListFields", "HasField", "load", "loads",
    "global", "globals", "exec", "eval", "isfile", "exists", "getsize", "stat",
}  # fmt: skip


def may_prove(campaign: SearchCampaign, entry: InputEntry) -> bool:
    """Return whether nothing but the modelled fields of the answers can matter.

    Parameters, the clock, the environment and fields that models keep fixed could.
    """
    prepared = campaign.prepared
    others = [p for p in prepared.parameters if p["name"] != entry.slot]
    if others or "." in prepared.name or "<" in prepared.name:
        return False
    fixed: Set[str] = set()
    for api in campaign.apis:
        fields = _fields(prepared.entries, prepared.schemas, api)
        if not fields:
            return False
        fixed |= fields - set(campaign.models[api].fields)
    return not any(
        fixed & _read(source) or _OUTSIDE & _read(source, names=True)
        for source in prepared.sources.values()
    )


def _read(source: str, *, names: bool = False) -> Set[str]:
    found: Set[str] = set()
    for node in ast.walk(ast.parse(source.lstrip("\ufeff"))):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif names and isinstance(node, ast.Name):
            found.add(node.id)
        elif names and isinstance(node, ast.Global):
            found.add("global")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def _fields(entries: Any, schemas: Mapping[str, Any], api: str) -> Set[str]:
    messages = dict(_messages(schemas))
    schema = next((e.get("schema") or "" for e in entries if e["name"] == api), "")
    simple = schema.rpartition(".")[2]
    waiting = [name for name in messages if simple and name.rpartition(".")[2] == simple]
    seen: Set[str] = set()
    fields: Set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in messages and name not in seen:
            seen.add(name)
            fields |= set(messages[name])
            waiting += [field["type"] for field in messages[name].values()]
    return fields


def _messages(schemas: Mapping[str, Any]) -> Iterator[Any]:
    for key, value in schemas.items():
        if key == "messages":
            yield from value.items()
        elif isinstance(value, Mapping):
            yield from _messages(value)


GRACE = 1.0
TICK = 0.1
WITHOUT_PROOF = 8.0
"""Seconds where a search can find answers, and never tell that there are none."""
OF_ANY_TEXT = 2.0
"""Seconds where an answer may be any text, in which other searches look for what code compares."""


@dataclass(frozen=True)
class SymbolicProof:
    """The points that no bounded answer reaches, and the bound in words."""

    exhausted: FrozenSet[int] = frozenset()
    bound: str = ""
    note: str = ""


def explore(
    campaign: SearchCampaign, entry: InputEntry, message: Mapping[str, Any]
) -> SymbolicProof:
    """Add what CrossHair reaches to the campaign; return what it proves.

    The ``layer`` of the ``search`` frame is a folder of packages behind all others. Where CrossHair
    does not start with these versions, ``note`` says so.
    """
    provable = may_prove(campaign, entry)
    seconds, most = message["symbolic_seconds"], message["max_list"]
    if not provable:
        seconds = min(seconds, OF_ANY_TEXT if is_free_form(campaign.prepared) else WITHOUT_PROOF)
    exhausted: FrozenSet[int] = frozenset()
    for report in _reports(campaign, seconds, most, message.get("layer")):
        if "unable" in report:
            return SymbolicProof(note=f"no symbolic search: {report['unable']}")
        if "cut" in report:
            campaign.notes.append(report["cut"])
        if "plan" in report:
            campaign.run(AnswerCandidate({api: _tuples(k) for api, k in report["plan"].items()}))
        if "exhausted" in report and provable:
            exhausted = frozenset(report["exhausted"])
        if not campaign.missing:
            break
    bounds = [campaign.models[api].bound.format(most=most) for api in sorted(campaign.apis)]
    return SymbolicProof(exhausted & campaign.missing, "; ".join(dict.fromkeys(bounds)))


def _reports(
    campaign: SearchCampaign, seconds: float, most: int, layer: Optional[str]
) -> Iterator[Dict[str, Any]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(campaign, seconds, most, layer, writing)
    os.close(writing)
    try:
        yield from map(json.loads, _lines(reading, Stopwatch(seconds + GRACE, child)))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def _child(
    campaign: SearchCampaign, seconds: float, most: int, layer: Optional[str], writing: int
) -> None:
    if layer is not None:
        sys.path.append(layer)
    for name, module in list(sys.modules.items()):
        if isinstance(module, InertModule) and _is_needed(name.partition(".")[0], layer):
            del sys.modules[name]
    try:
        with os.fdopen(writing, "w") as pipe:

            def report(frame: Dict[str, Any]) -> None:
                pipe.write(json.dumps(frame) + "\n")
                pipe.flush()

            try:
                from .crosshair_paths import Explorer
            except Exception as error:
                report({"unable": f"{type(error).__name__}: {error}"[:300]})
                return
            Explorer(campaign, most, report).explore(seconds)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _is_needed(name: str, layer: Optional[str]) -> bool:
    in_layer = layer is not None and PathFinder.find_spec(name, [layer]) is not None
    return in_layer or name in ("crosshair", "z3")


def _lines(reading: int, watch: Stopwatch) -> Iterator[bytes]:
    pending = b""
    while not watch.over():
        ready, _, _ = select.select([reading], [], [], TICK)
        if not ready:
            continue
        received = os.read(reading, 65536)
        if not received:
            return
        *lines, pending = (pending + received).split(b"\n")
        yield from lines


def _tuples(value: Any) -> Any:
    """JSON lists as the tuples that knobs are made of."""
    items: List[Any] = [_tuples(item) for item in value] if isinstance(value, list) else []
    return tuple(items) if isinstance(value, list) else value
