"""How many seeded faults are found: ``python -m benchmarks.relations.seeded``.

Each API is judged on the inputs that fuzzing gives it while its kernel is
wrong, in a process of its own, until something shows that the right kernel
does not show on the same input.  ``--clean`` judges the same APIs with their
right kernels: what is told then are the divergences of the installed torch.
``--rows`` keeps what is known, and a later run goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analyzers.guest.relations.fuzzing.fuzz_workers import FuzzSettings
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.oracles.oracle_registry import judge_call
from analyzers.guest.relations.process_pool import (
    ItemDone,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
)
from analyzers.guest.relations.relation_types import Relation
from benchmarks.relations.seeded.fault_search import Hunt
from benchmarks.relations.seeded.kernel_faults import FAULTS, Fault, half_of

_DATA = Path("analyzers/relations/data/torch-2.13.0")
_SECONDS = 20.0
_LEAST_COMPARED = 3
Row = dict[str, Any]


def main() -> None:
    """Print a line a fault, then the recall of each half."""
    asked = _arguments()
    began = time.monotonic()
    faults = [each for each in FAULTS if asked.half in ("all", half_of(each))]
    faults = [each for each in faults if not asked.only or each.api in asked.only.split(",")]
    hunt = Hunt(
        faults,
        library("torch"),
        FuzzSettings(inputs=asked.inputs),
        _relations(asked.relations),
    )
    judge_call(live_call(parse_call(FAULTS[0].calls[0], hunt.library), hunt.library), hunt.library)
    if asked.clean:
        _clean(hunt, asked, _known(asked.divergences))
        return
    rows = _found(hunt, asked)
    print(json.dumps({**_figures(rows, asked), "seconds": round(time.monotonic() - began, 1)}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relations.seeded")
    parser.add_argument("--inputs", type=int, default=100, help="as `assayer relations fuzz`")
    parser.add_argument("--half", choices=("all", "seen", "held-out"), default="all")
    parser.add_argument("--only", help="some APIs, with commas between")
    parser.add_argument("--clean", action="store_true", help="judge the right kernels")
    parser.add_argument("--rows", type=Path, help="a file that keeps what is known")
    parser.add_argument("--relations", type=Path, default=_DATA / "relations.jsonl")
    parser.add_argument("--divergences", type=Path, default=_DATA / "divergences.jsonl")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _lines(path: Path | None) -> list[Row]:
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def _relations(path: Path) -> tuple[Relation, ...]:
    """The value relations that were compared on enough inputs."""
    rows = [row for row in _lines(path) if row.get("holds") == "value"]
    if not rows:
        print(f"no relations in {path}: the oracles alone", file=sys.stderr)
    return tuple(
        Relation(row["source"], row["target"], row["template"], "value", row["inputs"])
        for row in rows
        if row["inputs"] >= _LEAST_COMPARED
    )


def _known(path: Path) -> set[tuple[str, ...]]:
    """The kinds of divergences that people have judged."""
    return {(row["api"], row["relation"], row["related"]) for row in _lines(path)}


def _found(hunt: Hunt, asked: argparse.Namespace) -> list[Row]:
    known = {(row["api"], row["kind"]): row for row in _lines(asked.rows)}
    rows = [known[_name(each)] for each in hunt.faults if _name(each) in known]
    for row in rows:
        _tell(row)
    left = [each for each in hunt.faults if _name(each) not in known]
    rest = Hunt(left, hunt.library, hunt.settings, hunt.relations)
    for fault, said in _over(rest.seeded, rest, asked.workers):
        row = {"api": fault.api, "kind": fault.kind, "half": half_of(fault), **said}
        rows.append(row)
        _tell(row)
        if asked.rows:
            with asked.rows.open("a") as kept:
                kept.write(json.dumps(row) + "\n")
    return rows


def _name(fault: Fault) -> tuple[str, str]:
    return fault.api, fault.kind


def _over(work: Callable[..., None], hunt: Hunt, workers: int) -> Iterator[tuple[Fault, Row]]:
    """Each fault with what was said of it, as soon as its process is at its end."""
    said: dict[int, Row] = {}
    for item, result in ProcessPool(work, len(hunt.faults), _SECONDS, workers, deaths=5):
        about = said.setdefault(item, {})
        if isinstance(result, ItemReport):
            about.update(result.value)
        elif isinstance(result, (ProcessDied, ProcessHung)):
            about.setdefault("ended", []).append(f"{type(result).__name__}: {result.text}")
        elif isinstance(result, ItemFailed):
            about["failed"] = result.text
        if isinstance(result, ItemDone) or (isinstance(result, ItemFailed) and result.step < 0):
            yield hunt.faults[item], about


def _tell(row: Row) -> None:
    found = ", ".join(row.get("found", ())) or f"MISSED, hit by {row.get('hits', '?')}"
    until = row.get("inputs", "")
    print(f"{row['half']:8} {row['api']:34} {row['kind']:20} {until:>5}  {found}", flush=True)
    if "failed" in row:
        print(row["failed"], file=sys.stderr, flush=True)


def _figures(rows: list[Row], asked: argparse.Namespace) -> Row:
    halves = {}
    for half in ("seen", "held-out"):
        some = [row for row in rows if row["half"] == half]
        if some:
            halves[half] = round(sum("found" in row for row in some) / len(some), 3)
    found = sum("found" in row for row in rows)
    recall = round(found / max(len(rows), 1), 3)
    return {"faults": len(rows), "recall": recall, **halves, "inputs": asked.inputs}


def _clean(hunt: Hunt, asked: argparse.Namespace, known: set[tuple[str, ...]]) -> None:
    """Print each divergence on the right kernels, and how many no one has judged."""
    unjudged = count = 0
    for item, result in ProcessPool(
        hunt.clean, len(hunt.faults), _SECONDS, asked.workers, deaths=5
    ):
        value = result.value if isinstance(result, ItemReport) else {}
        if "judged" in value:
            count += value["judged"]
        elif isinstance(result, (ProcessDied, ProcessHung, ItemFailed)) or "api" in value:
            row = value or {"api": hunt.faults[item].api, "text": str(result)}
            is_known = (row["api"], row.get("relation"), row.get("related")) in known
            unjudged += not is_known
            print("judged" if is_known else "NEW", json.dumps(row), flush=True)
    print(json.dumps({"apis": len(hunt.faults), "inputs": count, "not judged": unjudged}))


if __name__ == "__main__":
    main()
