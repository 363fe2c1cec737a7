"""``python -m benchmarks.relations.table_join [FOLDER]``: a project's calls and the table.

How long it takes to load the table of a version and to join it with the library
calls of a project (60 APIs), each time in a process of its own, before any
fuzzing.  FOLDER holds tables (by default those that are shipped or were built
here).  Exit status 1 where the slowest is above the issue's 0.2 s.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from analyzers.relations import table_folders
from analyzers.relations.relation_tables import RelationTable, tables
from worker.studies.study_journal import use_built_tables

AIM = 0.2
REPEATS = 7
PROJECT = 60
JOIN = """
import json, sys, time
order = json.load(sys.stdin)
began = time.perf_counter()
from pathlib import Path
from analyzers.relations import table_folders
from analyzers.relations.relation_tables import table
imported = time.perf_counter()
for folder in order["folders"]:
    table_folders.add(Path(folder))
found = table(order["library"], order["version"])
relations = found.equivalences(order["apis"])
divergences = found.divergences(order["apis"])
joined = time.perf_counter()
print(json.dumps([imported - began, joined - imported, len(relations), len(divergences)]))
"""


def main(arguments: list[str]) -> int:
    """Measure every table that is there."""
    folders = [Path(each).resolve() for each in arguments]
    for folder in folders:
        table_folders.add(folder)
    if not folders:
        use_built_tables()
    slowest = [_measure(each, folders or list(table_folders.added())) for each in tables()]
    if not slowest:
        print("no table is there: assayer relations build")
    return int(max(slowest, default=AIM + 1) > AIM)


def _measure(table: RelationTable, folders: list[Path]) -> float:
    """Print the seconds of joining one table; return the most."""
    names = table.names
    order = {
        "folders": [str(each) for each in folders],
        "library": table.library,
        "version": table.version,
        "apis": list(names[:: max(1, len(names) // PROJECT)][:PROJECT]),
    }
    runs = [_run(order) for _ in range(REPEATS)]
    joined = [run[1] for run in runs]
    rows = sum(table.counts()["relations"].values())
    print(
        f"{table.name}: {rows:,} relations; {len(order['apis'])} APIs joined with {runs[0][2]} "
        f"relations and {runs[0][3]} divergences in {statistics.median(joined):.3f} s "
        f"(most {max(joined):.3f}), modules imported in "
        f"{statistics.median(run[0] for run in runs):.3f} s"
    )
    return max(joined)


def _run(order: dict[str, object]) -> tuple[float, float, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", JOIN],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=True,
    )
    imported, joined, relations, divergences = json.loads(done.stdout)
    return imported, joined, relations, divergences


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
