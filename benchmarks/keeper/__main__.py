"""``python -m benchmarks.keeper [NAME ...]``: the table; exit status 1 where an aim is missed."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from benchmarks.keeper.application_runs import BASELINES, Tried, tried
from benchmarks.keeper.applications import TASKS, applications

TECHNIQUES = ("assayer", *BASELINES)
AIM = 0.95
INPUTS = 10


def main() -> int:
    """Try the applications and print what came of it, one line each."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.keeper", description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="only these applications")
    arguments.add_argument("--inputs", type=int, default=INPUTS, help="inputs for each goal")
    asked = arguments.parse_args()
    chosen = list(applications(asked.names))
    keywords = sorted({keyword for each in applications() for keyword in each.sees})
    print(HEADER)
    done = []
    for application in chosen:
        done.append(tried(application, keywords, inputs=asked.inputs))
        print(_row(done[-1]), flush=True)
        for line in _remarks(done[-1]):
            print(line, file=sys.stderr, flush=True)
    print("\n" + _summary(done))
    return 0 if _good(done) else 1


HEADER = (
    "| application | task | provider | branches | "
    + " | ".join(TECHNIQUES)
    + " | planted found | repaired | twin | runs | s |\n"
    + "|---" * (9 + len(TECHNIQUES))
    + "|"
)


def _row(each: Tried) -> str:
    application = each.application
    planted = len(application.planted)
    asked = sum(p.repair in {"verified", "formula"} for p in application.planted)
    lacking = sum(p.repair in {"verified", "formula"} for p in each.unrepaired)
    return (
        f"| {application.name} | {application.task} | {application.provider} | {each.branches} | "
        + " | ".join(f"{each.covered[name]:.0%}" for name in TECHNIQUES)
        + f" | {planted - len(each.missed)} of {planted} | {asked - lacking} of {asked}"
        f" | {len(each.on_twin)} | {each.executions} | {each.seconds:.0f} |"
    )


def _remarks(each: Tried) -> list[str]:
    name = each.application.name
    return [
        *(f"{name}: MISSED {p.rule} at line {p.line}: {p.at}" for p in each.missed),
        *(f"{name}: SURPLUS {f.rule} at line {f.line}: {f.title}" for f in each.surplus),
        *(f"{name}: ON TWIN {f.rule} at line {f.line}: {f.title}" for f in each.on_twin),
        *(f"{name}: UNREPAIRED {p.rule} at line {p.line}" for p in each.unrepaired),
        *(f"{name}: skipped: {reason}" for reason in each.skipped),
    ]


def _summary(done: Sequence[Tried]) -> str:
    lines = ["| task | applications | " + " | ".join(TECHNIQUES) + " |", "|---" * 6 + "|"]
    for task in (*TASKS, "all"):
        group = [each for each in done if task in {"all", each.application.task}]
        if group:
            shares = [
                f"{statistics.fmean(each.covered[name] for each in group):.1%}"
                for name in TECHNIQUES
            ]
            lines.append(f"| {task} | {len(group)} | {' | '.join(shares)} |")
    planted = sum(len(each.application.planted) for each in done)
    missed = sum(len(each.missed) for each in done)
    surplus = sum(len(each.surplus) for each in done)
    twins = sum(len(each.on_twin) for each in done)
    unrepaired = sum(len(each.unrepaired) for each in done)
    lines.append(
        f"\n{planted - missed} of {planted} planted defects found, {unrepaired} without the repair"
        f" that was to come with them; {surplus} findings that nobody planted; {twins} on"
        f" {len(done)} clean twins."
    )
    return "\n".join(lines)


def _good(done: Sequence[Tried]) -> bool:
    quiet = not any(each.missed or each.surplus or each.on_twin or each.unrepaired for each in done)
    return quiet and statistics.fmean(each.covered["assayer"] for each in done) >= AIM


if __name__ == "__main__":
    sys.exit(main())
