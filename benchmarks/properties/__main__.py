"""``python -m benchmarks.properties``: the zoo checked, and what was found and falsely reported.

Every case's ``buggy`` and ``fixed`` version is checked by the command line in
a git repository of its own.  A finding is *found* where it is about the bug of
the case (rule, line, exception), *false* where it is anything else, in either
version.  Exit status 1 where an aim of the issue is missed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analyzers.cloud.recall_statistics import recall_interval
from benchmarks.properties.cases import Case, cases
from benchmarks.properties.command_line_runs import Checked, checked, seeded

TOGETHER = 2
AIMS = {"annotated": (0.95, 0.97), "plain": (0.70, 0.95)}
"""The recall and the precision that are wanted."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One case: the reports of its versions, and what counts in them."""

    case: Case
    buggy: Checked
    fixed: Checked

    @property
    def true(self) -> int:
        """Findings about the bug; one cause can show in several functions."""
        return sum(seeded(self.case, finding) for finding in self.buggy.findings)

    @property
    def false(self) -> tuple[str, ...]:
        """The other findings on the buggy version, and all on the fixed one."""
        other = [each for each in self.buggy.findings if not seeded(self.case, each)]
        return tuple(
            [f"buggy {_said(each)}" for each in other]
            + [f"fixed {_said(each)}" for each in self.fixed.findings]
        )

    @property
    def trouble(self) -> tuple[str, ...]:
        """What kept us from deciding."""
        both = (("buggy", self.buggy), ("fixed", self.fixed))
        told = [f"{variant}: {each.trouble}" for variant, each in both if each.trouble]
        return tuple(told + [f"{variant}: {why}" for variant, each in both for why in each.broken])


def _said(finding: Mapping[str, Any]) -> str:
    place = f"{finding['path']}:{finding['line']}"
    return f"{finding['rule']} in {finding['target']} at {place}: {finding['title']}"


def tried(chosen: Sequence[Case], folder: Path) -> Iterable[Tried]:
    """Check both versions of each case, two cases at a time, in order."""
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        yield from pool.map(
            lambda case: Tried(
                case, checked(case, "buggy", folder), checked(case, "fixed", folder)
            ),
            chosen,
        )


def share(part: int, whole: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not whole:
        return "–"
    low, high = recall_interval(part, whole)
    return f"{part} of {whole} ({part / whole:.1%}, {low:.0%} to {high:.0%})"


def table(done: Sequence[Tried]) -> str:
    """Recall and precision of annotated and plain cases, then found by cause."""
    lines = ["| cases | recall | precision | seconds a function |", "|---|---|---|---|"]
    for name, group in groups(done).items():
        found = sum(each.true > 0 for each in group)
        true, false = sum(each.true for each in group), sum(len(each.false) for each in group)
        recall, precision = share(found, len(group)), share(true, true + false)
        lines.append(f"| {name} | {recall} | {precision} | {_pace(group)} |")
    lines += ["", "| cause | cases | found | false |", "|---|---|---|---|"]
    causes: dict[str, list[Tried]] = defaultdict(list)
    for each in done:
        causes[each.case.cause].append(each)
    for cause, group in sorted(causes.items()):
        found, false = sum(e.true > 0 for e in group), sum(len(e.false) for e in group)
        lines.append(f"| {cause} | {len(group)} | {found} | {false} |")
    return "\n".join(lines)


def groups(done: Sequence[Tried]) -> dict[str, list[Tried]]:
    """Annotated and plain cases, where there are any."""
    split = {
        "annotated": [each for each in done if each.case.annotated],
        "plain": [each for each in done if not each.case.annotated],
    }
    return {name: group for name, group in split.items() if group}


def _pace(group: Sequence[Tried]) -> str:
    """Median seconds a function, the start of the command and of the guest included."""
    paces = [
        report.seconds / max(1, report.targets)
        for each in group
        for report in (each.buggy, each.fixed)
        if not report.trouble
    ]
    return f"{statistics.median(paces):.1f}" if paces else "–"


def remarks(each: Tried) -> list[str]:
    """What is to be read about a case: missed, false, and why."""
    name = each.case.name
    missed = [] if each.true else [f"{name}: MISSED {each.case.target}: {each.case.says}"]
    reasons = [] if each.true else [f"{name}:   skipped {why}" for why in each.buggy.skipped]
    return [
        *missed,
        *reasons,
        *(f"{name}: FALSE {said}" for said in each.false),
        *(f"{name}: TROUBLE {said}" for said in each.trouble),
    ]


def good(done: Sequence[Tried]) -> bool:
    """Whether the aims are reached."""
    for name, group in groups(done).items():
        recall, precision = AIMS[name]
        true, false = sum(each.true for each in group), sum(len(each.false) for each in group)
        if sum(each.true > 0 for each in group) < recall * len(group):
            return False
        if true < precision * (true + false):
            return False
    return not any(each.trouble for each in done)


def as_json(done: Sequence[Tried]) -> list[dict[str, Any]]:
    """Everything that was seen, for a closer look."""
    return [
        {
            "name": each.case.name,
            "annotated": each.case.annotated,
            "cause": each.case.cause,
            "found": each.true,
            "false": each.false,
            "trouble": each.trouble,
            "buggy": asdict(each.buggy),
            "fixed": asdict(each.fixed),
        }
        for each in done
    ]


def main() -> int:
    """Check the cases and print what came of it."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.properties")
    arguments.add_argument("--only", nargs="+", metavar="NAME", default=[], help="these cases")
    which = arguments.add_mutually_exclusive_group()
    which.add_argument("--annotated", action="store_true", help="only cases with annotations")
    which.add_argument("--plain", action="store_true", help="only cases without")
    arguments.add_argument("--json", type=Path, metavar="FILE", help="write all that was seen")
    asked = arguments.parse_args()
    chosen = [
        case
        for case in cases(asked.only)
        if not (asked.annotated and not case.annotated) and not (asked.plain and case.annotated)
    ]
    done: list[Tried] = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for each in tried(chosen, Path(folder)):
            done.append(each)
            for line in remarks(each):
                print(line, flush=True)
    print("\n" + table(done))
    if asked.json:
        asked.json.write_text(json.dumps(as_json(done), indent=1), "utf-8")
    return 0 if good(done) else 1


if __name__ == "__main__":
    sys.exit(main())
