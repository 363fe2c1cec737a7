"""What is found of planted defects, and reported on their clean twins.

``python benchmarks/clean_twins.py`` checks the projects of the end-to-end tests
through the command line: the branch with planted defects, the branch in which
each is fixed, and prints a table.  Exit status 1 where one is missed, where
something else is found, or where a clean twin is not left in peace.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.commandline import Checked, home
from tests.end_to_end.defects import ALL, Planted
from tests.end_to_end.outside import Outside
from tests.end_to_end.repositories import repository


@dataclass(frozen=True)
class Pair:
    """The runs on one project's planted branch and on its clean twin."""

    project: str
    planted: Checked
    twin: Checked

    @property
    def defects(self) -> list[Planted]:
        return [defect for defect in ALL if defect.project == self.project]

    @property
    def unasked(self) -> list[dict]:
        """Findings on the planted branch that nobody planted."""
        places = {(defect.path, defect.line) for defect in self.defects}
        return [f for f in self.planted.findings if (f["path"], f["line"]) not in places]


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for pair in pairs(Path(folder)):
            good = show(pair) and good
    return 0 if good else 1


def pairs(folder: Path) -> Iterator[Pair]:
    outside = Outside()
    try:
        for project in dict.fromkeys(defect.project for defect in ALL):
            services = outside.variables() if project == "pictures" else {}
            state = home(folder / f"{project}-home", **services)
            root = repository(folder / project, project)
            runs = [
                state.check(root, folder / f"{project}-{head}", "--base", "main", "--head", head)
                for head in ("planted", "twin")
            ]
            yield Pair(project, *runs)
    finally:
        outside.close()


def show(pair: Pair) -> bool:
    print(f"\n{pair.project}")
    print("| planted | level | status | found | on the clean twin |\n|---|---|---|---|---|")
    counts = [row(defect, pair) for defect in pair.defects]
    found = sum(count == (1, 0) for count in counts)
    twins = len(pair.twin.findings)
    print(
        f"\n{found} of {len(counts)} found once each; {len(pair.unasked)} findings that nobody"
        f" planted; {twins} on the clean twin (verdict {pair.twin.report['verdict']})"
    )
    for name, checked in (("planted", pair.planted), ("twin", pair.twin)):
        cost = checked.report["cost"]
        print(
            f"{name}: {checked.ended.seconds:.1f} s, {len(checked.report['targets'])} functions,"
            f" {cost['executions']} executions, {cost['api_calls']} API calls,"
            f" {cost['api_calls_cached']} answers from recordings"
        )
    return found == len(counts) and not pair.unasked and not twins


def row(defect: Planted, pair: Pair) -> tuple[int, int]:
    same = [
        finding
        for finding in pair.planted.findings
        if (finding["path"], finding["line"]) == (defect.path, defect.line)
        and (finding["rule"], finding["level"], finding["status"])
        == (defect.rule, defect.level, defect.status)
    ]
    twin = [finding for finding in pair.twin.findings if finding["target"] == defect.target]
    print(
        f"| `{defect.rule}` {defect.path}:{defect.line} | {defect.level} | {defect.status}"
        f" | {len(same)} | {len(twin)} |"
    )
    return len(same), len(twin)


if __name__ == "__main__":
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    sys.exit(main())
