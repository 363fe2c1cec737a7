"""The campaign over the ten models of benchmarks/models/zoo, in the sandbox's guest.

    python -m benchmarks.assembly.model_campaign OUT [--seconds 90] [--models lenet,lstm]
    python -m benchmarks.assembly.model_campaign OUT --summary

Writes OUT/nodes.jsonl and OUT/reports.jsonl as it goes, OUT/reached.jsonl a line a model.
``--summary`` reads them, and judged/campaign.jsonl: what was reached, and how precise it is.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from analyzers.assembly import layer_tables
from analyzers.assembly.campaign.assembly_campaign import AssemblyCampaign
from analyzers.assembly.derivation.derivation_tree import Node
from analyzers.vocabulary import AssembledRun, AssemblyRequest, Finding, Target
from benchmarks.models.zoo import MODELS
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

HERE = Path(__file__).parent
ZOO = HERE.parent / "models" / "zoo"
JUDGED = HERE / "judged" / "campaign.jsonl"
Row = dict[str, Any]


class Timed:
    """A bench that knows how long files ran."""

    def __init__(self, bench: SandboxExecutor) -> None:
        self._bench = bench
        self.seconds = 0.0
        self.files = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def assemble(self, where: Target, assembling: AssemblyRequest) -> list[AssembledRun]:
        began = time.monotonic()
        states = self._bench.assemble(where, assembling)
        self.seconds += time.monotonic() - began
        self.files += len(states)
        return list(states)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("out", type=Path)
    words.add_argument("--seconds", type=float, default=90.0)
    words.add_argument("--models", default=",".join(MODELS))
    words.add_argument("--summary", action="store_true")
    given = words.parse_args()
    if not given.summary:
        given.out.mkdir(parents=True, exist_ok=True)
        for name in given.models.split(","):
            _campaign(name, given.seconds, given.out)
    _summarised(given.out)


def _campaign(name: str, seconds: float, out: Path) -> None:
    text = (ZOO / f"{name}.py").read_text()
    kinds = Counter[str]()

    def heard(node: Node) -> None:
        kinds[node.kind] += 1
        _append(out / "nodes.jsonl", {"model": name, **_told(node)})

    campaign = AssemblyCampaign(heard=heard)
    with tempfile.TemporaryDirectory() as folder:
        head = tree(Path(folder, "head"), app=text)
        where = target(function="build")
        bench = SandboxExecutor(laboratory(head, head), where, time.monotonic() + seconds)
        timed = Timed(bench)
        began = time.monotonic()
        used = time.process_time()
        for verdict in campaign.examine(where, timed):
            row = _reported(verdict) if isinstance(verdict, Finding) else {"said": str(verdict)}
            _append(out / "reports.jsonl", {"model": name, **row})
        spent = time.monotonic() - began
        bench.close()
    row: Row = {
        "model": name,
        "kinds": dict(kinds),
        "files": timed.files,
        "seconds": round(spent, 1),
        "running": round(timed.seconds, 1),
        "own": round(time.process_time() - used, 2),
        "load": os.getloadavg()[0],
        "apis": sorted(campaign.apis),
        "ran": sorted(campaign.ran),
        "alone": sorted(campaign.alone),
    }
    _append(out / "reached.jsonl", row)
    print(name, {key: value for key, value in row.items() if not isinstance(value, list)})


def _told(node: Node) -> Row:
    outcome = node.outcome
    return {
        "number": node.number,
        "kind": node.kind,
        "line": node.line,
        "derivation": node.derivation,
        "outcome": [outcome.state, outcome.stage, outcome.exception, outcome.detail[:200]],
        "text": node.text if node.is_bug else "",
    }


def _reported(finding: Finding) -> Row:
    return {"rule": finding.rule, "line": finding.line, "title": finding.title, **finding.evidence}


def _append(path: Path, row: Row) -> None:
    with path.open("a") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _summarised(out: Path) -> None:
    rows = _rows(out / "reached.jsonl")
    layers = {name for name in layer_tables.load("2.13.0") if name.startswith("torch.nn.")}
    for what in ("apis", "ran", "alone"):
        found = {name for row in rows for name in row[what]}
        missing = sorted(each.removeprefix("torch.nn.") for each in layers - found)
        functions = sum(each.startswith("torch.nn.functional.") for each in found)
        print(f"{what}: {len(layers & found)} of {len(layers)} layers, {functions} functions")
        print(f"  not: {', '.join(missing)}")
    files, spent = (sum(row[key] for row in rows) for key in ("files", "seconds"))
    running, own = (sum(row[key] for row in rows) for key in ("running", "own"))
    print(f"{files} files in {spent:.0f} s: {running:.0f} s in runs, {own:.0f} s of the host's own")
    _precision(_rows(out / "reports.jsonl"))


def _precision(reports: list[Row]) -> None:
    said = {_key(row): row for row in _rows(JUDGED)}
    found = {_key(row): row for row in reports if "api" in row}
    judged = [said[key] for key in found if key in said]
    right = sum(row["true"] for row in judged)
    print(f"{len(reports)} reports, {len(found)} distinct; judged true {right} of {len(judged)}")
    for key in found:
        if key not in said:
            print("  not judged:", *key)


def _key(row: Row) -> tuple[str, str, str]:
    return row["api"], row["parameter"], row["value"]


if __name__ == "__main__":
    main()
