"""``python -m benchmarks.trust [NAME ...]``: the table; exit status 1 where a report deviates."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from benchmarks.trust.manifest_checks import Result, checked, deviations
from benchmarks.trust.manifests import projects

HEADER = """\
| project | group | verdict | tested | findings | expected | s |
|---|---|---|---|---|---|---|"""


def main() -> int:
    """Check the projects and print what came of it, one line each."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="only these projects")
    arguments.add_argument("--budget", type=float, help="seconds for each project")
    arguments.add_argument("--only", action="append", default=[], metavar="ANALYZER")
    arguments.add_argument("--verbose", action="store_true", help="also what was left out, and why")
    asked = arguments.parse_args()
    chosen = projects(asked.names)
    wrong = 0
    print(HEADER)
    for project in chosen:
        result = checked(project, asked.budget, tuple(asked.only))
        print(_row(result), flush=True)
        remarks = deviations(result)
        wrong += bool(remarks)
        for remark in remarks:
            print(f"{project.name}: {remark}", file=sys.stderr, flush=True)
        if asked.verbose:
            _explain(result)
    print(f"\n{len(chosen) - wrong} of {len(chosen)} as expected")
    return 1 if wrong else 0


def _row(result: Result) -> str:
    project = result.project
    tested = Counter(result.tested.values())
    found = Counter(finding["rule"] for finding in result.findings)
    cells = (
        project.name,
        project.group,
        result.report["verdict"],
        ", ".join(f"{count} {said}" for said, count in sorted(tested.items())) or "-",
        ", ".join(sorted(found.elements())) or "-",
        ", ".join(sorted(project.findings)) or "none",
        f"{result.seconds:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _explain(result: Result) -> None:
    for target in result.report["targets"]:
        print(f"  {target}", file=sys.stderr)
    for finding in result.report["findings"]:
        shown = {key: finding[key] for key in ("rule", "level", "line", "message", "evidence")}
        print(f"  {shown}", file=sys.stderr)
    for skipped in (*result.report["skipped"], *result.report["broken"]):
        print(f"  {skipped}", file=sys.stderr)
    for note in result.report["environment"]:
        print(f"  {note}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
