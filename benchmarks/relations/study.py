"""Study a library without a sandbox, for development.

``python -m benchmarks.relations.study torch relations [--apis a,b] [--rows FILE]``
prints how far it is, what it came to and how long that took.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

from analyzers.guest.relations.study.library_study import study

os.environ.setdefault("KERAS_BACKEND", "torch")


def main() -> None:
    asked = _arguments()
    heard = _Heard()
    relations = []
    if asked.relations:
        relations = [json.loads(line) for line in asked.relations.read_text().splitlines()]
    studied = study(
        {
            "library": asked.library,
            "task": asked.task,
            "apis": asked.apis.split(",") if asked.apis else None,
            "relations": [row for row in relations if row["kind"] == "relation"],
            "done": {},
            "inputs": asked.inputs,
            "seconds": asked.seconds,
            "seed": asked.seed,
            "workers": asked.workers,
            "oracles": None,
        },
        heard.hear,
    )
    heard.stage("")
    for note in studied["notes"]:
        print("note:", note)
    print(studied["version"], "complete" if studied["complete"] else "not complete")
    print(json.dumps(heard.counts(), indent=1), f"{heard.seconds:.1f} s")
    if asked.rows:
        asked.rows.write_text("".join(json.dumps(row) + "\n" for row in heard.rows))


class _Heard:
    """The rows, and the time of each stage."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._started = self._stage_started = time.monotonic()
        self._stage, self._done, self._total = "", 0, 0
        self._computed = _computed()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def hear(self, frame: dict[str, Any]) -> None:
        self.rows += [row for row in frame["rows"] if row["kind"] != "checked"]
        if frame["stage"] != self._stage or not frame["done"]:
            self.stage(frame["stage"])
        self._done, self._total = frame["done"], frame["total"]

    def stage(self, name: str) -> None:
        now = time.monotonic()
        if self._stage and self._done:
            spent, computed = now - self._stage_started, _computed() - self._computed
            told = f"{self._stage}: {self._done} of {self._total} in {spent:.1f} s"
            print(f"{told}, {computed:.1f} s of computing", flush=True)
        self._stage, self._stage_started, self._done = name, now, 0
        self._computed = _computed()

    def counts(self) -> dict[str, Any]:
        relations = [row for row in self.rows if row["kind"] == "relation"]
        pairs = {(row["source"], row["target"]): row["holds"] for row in relations}
        exact = [row for row in relations if row["holds"] == "value"]
        pairs.update({(row["source"], row["target"]): "value" for row in exact})
        return {
            "apis": dict(Counter(row["status"] for row in self.rows if row["kind"] == "api")),
            "templates": dict(Counter(row["holds"] for row in relations)),
            "pairs": dict(Counter(pairs.values())),
            "divergences": sum(row["kind"] == "divergence" for row in self.rows),
        }


def _computed() -> float:
    """The processor time of this process and those that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("task", choices=("relations", "divergences"))
    parser.add_argument("--apis", help="comma-separated; all by default")
    parser.add_argument("--inputs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="where the rows are written")
    parser.add_argument("--relations", type=Path, help="rows with the relations to compare by")
    return parser.parse_args()


if __name__ == "__main__":
    main()
