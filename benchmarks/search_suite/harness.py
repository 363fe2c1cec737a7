"""Loads functions as the guest does and searches them, each in a child."""

from __future__ import annotations

import ast
import importlib
import json
import os
import random
import re
import string
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzers.catalogue.api_catalogue import load_catalogue
from analyzers.guest.instrumentation.goals import decisions
from analyzers.guest.runtime.target_loading import LoadedProject
from analyzers.guest.search.answer_search import mutate, search
from analyzers.guest.search.code_constants import ConstantPool
from analyzers.guest.search.input_entry import find_entry
from analyzers.guest.search.search_campaign import SearchCampaign

SUITE = Path(__file__).parent
SCHEMAS = Path(__file__).parents[2] / "analyzers/catalogue/schemas"
APIS = (
    "google.vision.label_detection",
    "google.vision.text_detection",
    "google.vision.document_text_detection",
    "google.vision.object_localization",
    "google.language.analyze_sentiment",
)
PRELOADED = ("grpc", "proto", "google.protobuf.json_format", "google.api_core.exceptions")
MESSAGE: Mapping[str, Any] = {
    "seed": 0,
    "mutation_seconds": 0.5,
    "symbolic_seconds": 5.0,
    "max_list": 3,
}


@dataclass(frozen=True)
class Case:
    """A function to search, with the goals that can and cannot be reached."""

    path: str
    source: str
    function: str
    feasible: tuple[str, ...]
    infeasible: tuple[str, ...] = ()

    @property
    def goals(self) -> list[str]:
        return [*self.feasible, *self.infeasible]


def cases(path: str, source: str) -> Iterator[Case]:
    """Every public function of a source text, with the goals it can run into.

    A comment ``# infeasible: true .1:false`` on a decision's line marks
    outcomes that no answer reaches, ``# fixed: …`` outcomes that depend on no
    answer.
    """
    tree = ast.parse(source)
    calls = {name: _names(node) for name, node in _functions(tree)}
    for name in calls:
        if "_" not in (name[0], name.rpartition(".")[2][0]):
            case = _case(path, source, name, _reachable(name, calls))
            if case.goals:
                yield case


def _case(path: str, source: str, name: str, reachable: set[str]) -> Case:
    lines = source.splitlines()
    feasible: list[str] = []
    infeasible: list[str] = []
    for decision in decisions(source):
        if decision.function not in reachable:
            continue
        marks = dict(re.findall(r"# (infeasible|fixed): (.*)", lines[decision.line - 1]))
        start = f"{path}::{decision.function}#{decision.ordinal}"
        for point in decision.points(path):
            outcome = point[len(start) :].removeprefix(":")
            if outcome in marks.get("infeasible", "").split():
                infeasible.append(point)
            elif outcome not in marks.get("fixed", "").split():
                feasible.append(point)
    return Case(path, source, name, tuple(feasible), tuple(infeasible))


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _reachable(name: str, calls: Mapping[str, set[str]]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += [called for called in calls[each] if called in calls]
    return found


# --------------------------------------------------------------- preparing


def catalogue() -> tuple[list[Any], dict[str, Any]]:
    """The catalogue's entries and schemas, as a ``prepare`` frame carries them."""
    schemas = {file.stem: json.loads(file.read_text()) for file in SCHEMAS.glob("*.json")}
    return [dict(entry) for entry in load_catalogue().as_json(APIS)], schemas


def search_all(
    root: str, given: Iterable[Case], look: Any = search, **message: Any
) -> list[dict[str, Any]]:
    """The ``searched`` frames of the cases, with the seconds each took.

    ``look`` is :func:`search`, or what is compared with it.

    Each runs in a child process, because interception patches client libraries.
    """
    return in_child(lambda: _search_all(root, list(given), look, message))


def _search_all(root: str, given: list[Case], look: Any, message: Any) -> list[dict[str, Any]]:
    entries, schemas = catalogue()
    for name in PRELOADED:
        importlib.import_module(name)

    def one(case: Case) -> dict[str, Any]:
        described = {"catalogue": entries, "schemas": schemas, "files": [case.path]}
        target = {"root": root, "path": case.path, "function": case.function}
        frame = {**described, **target}
        prepared = LoadedProject(frame).prepare(frame)
        started = time.perf_counter()
        frame = look(prepared, {**MESSAGE, **message, "goals": case.goals})
        return {**frame, "seconds": time.perf_counter() - started}

    return [in_child(lambda c=case: one(c)) for case in given]


def random_search(prepared: Any, message: Mapping[str, Any]) -> dict[str, Any]:
    """The baseline: as many valid answers as the search tries, of random strings."""
    rng = random.Random(message["seed"])
    words = ["".join(rng.choices(string.printable, k=rng.randrange(1, 12))) for _ in range(400)]
    entry = find_entry(prepared, [])
    reached: list[str] = []
    if entry.arguments is not None:
        campaign = SearchCampaign(prepared, entry.arguments, message["goals"], message["seed"])
        campaign.pool = ConstantPool(words, [], [rng.uniform(-1, 10) for _ in range(40)])
        mutate(campaign, [], message["mutation_seconds"])
        reached = [campaign.goals[number] for number in campaign.first]
    return {"witnesses": [{"goal": goal, "confirmed": True} for goal in reached]}


def in_child(work: Any) -> Any:
    """What ``work`` returns in a forked child, sent back as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            with os.fdopen(writing, "w") as pipe:
                json.dump(work(), pipe)
            status = 0
        except BaseException:  # noqa: BLE001 -- shown before the child ends
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        raise RuntimeError("the child failed; see its traceback above")
    return json.loads(text)
