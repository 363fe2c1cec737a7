"""Run the reproducer of every judged row of torch in a fresh process, and count those that show it.

``python -m benchmarks.relations.reproduce [--verdict bug] [--print] [FILE …]``
A program shows a value row where its assertion fails, a crash row where the
process ends by the signal that the row names (or fails an assertion inside the
library), a row of documentation where the call returns.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analyzers.guest.relations.libraries.library_registry import library
from benchmarks.relations.divergence_programs import programs

JUDGED = Path(__file__).parent / "judged"
_SECONDS = 120.0
_SHOWN, _NOT_SHOWN, _NO_PROGRAM = "shown", "not shown", "no program"


def main() -> None:
    asked = _arguments()
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in asked.files or sorted(JUDGED.glob("*.jsonl")):
        for row in _rows(path):
            if asked.verdict and row["judged"] not in asked.verdict:
                continue
            ended, text = shown(row)
            counts[path.name, row["judged"], ended] += 1
            if ended != _SHOWN or asked.print:
                print(f"{ended}: {row['relation']}: {row['call'][:200]}", flush=True)
            if asked.print:
                print(text)
    for (name, verdict, ended), count in sorted(counts.items()):
        print(f"{name}: {verdict}: {ended}: {count}")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if row.get("judged") and row["api"].startswith("torch."):
            yield row


def shown(row: dict[str, Any]) -> tuple[str, str]:
    """Whether a program shows a row, and the program that did (or the first that did not)."""
    tried = [text for text in programs(row, library("torch")) if text]
    for text in tried:
        if _shows(text, row):
            return _SHOWN, text
    return (_NOT_SHOWN, tried[0]) if tried else (_NO_PROGRAM, "")


def _shows(program: str, row: dict[str, Any]) -> bool:
    command = [sys.executable, "-c", program]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "no result after" in row["outcome"]
    if row["rule"] == "crash" and row["relation"] != "bounds":
        return _crashes(run, row)
    if row["relation"] == "documentation":
        return run.returncode == 0
    return "AssertionError" in run.stderr


def _crashes(run: subprocess.CompletedProcess[str], row: dict[str, Any]) -> bool:
    if run.returncode < 0:
        return signal.Signals(-run.returncode).name == row["outcome"]
    return run.returncode > 0 and row["outcome"][:40] in " ".join(run.stderr.split())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--verdict", action="append", help="only rows of this verdict")
    parser.add_argument("--print", action="store_true", help="print the programs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
