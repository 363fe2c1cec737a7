"""Fetch, verify and check the bugs, and print a table of what became of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.real_bugs.bug_list import HALVES, Bug, BugList, load
from benchmarks.real_bugs.fix_commits import fetched, file_at
from benchmarks.real_bugs.outcome_tables import Row, tables
from benchmarks.real_bugs.pull_request_checks import CheckOptions, checked, judge, newest_result
from benchmarks.real_bugs.verification import install, verify


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 1 where a bug is not shown by its call."""
    asked = _parsed(words)
    known = load(asked.list)
    bugs = [bug for bug in known.bugs if _is_asked(bug, asked)]
    if asked.command == "table":
        print(tables(list(_rows(bugs, asked))))
        return 0
    clones = {bug.id: fetched(bug, asked.folder, asked.mirrors) for bug in bugs}
    if asked.command == "verify":
        return _verify(known, bugs, clones, asked.folder)
    if asked.command == "check":
        _check(bugs, clones, asked)
    return 0


def _parsed(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.real_bugs", description=__doc__)
    parser.add_argument("command", choices=("fetch", "verify", "check", "table"))
    parser.add_argument("--list", type=Path, default=Path(__file__).with_name("bugs.toml"))
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache/assayer-real-bugs")
    parser.add_argument("--mirrors", type=Path, help="a folder of repositories, for GitHub")
    parser.add_argument("--half", choices=(*HALVES, "all"), help="check: develop; else all")
    parser.add_argument("--only", nargs="+", default=(), metavar="ID")
    parser.add_argument("--budget", type=int, default=60, help="seconds for each pull request")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def _is_asked(bug: Bug, asked: argparse.Namespace) -> bool:
    half = asked.half or ("develop" if asked.command == "check" else "all")
    return half in (bug.half, "all") and (not asked.only or bug.id in asked.only)


def _verify(known: BugList, bugs: Sequence[Bug], clones: dict[str, Path], folder: Path) -> int:
    packages = install(known.packages, folder)
    shown = 0
    for bug in (each for each in bugs if each.call):
        done = verify(bug, clones[bug.id], packages)
        shown += done.shown
        what = done.parent.error if done.shown else f"NOT SHOWN: {done.fix} {done.parent}"
        print(f"{bug.id}: {what}", flush=True)
    calls = sum(bool(bug.call) for bug in bugs)
    print(f"{shown} of {calls} shown")
    return int(shown < calls)


def _check(bugs: Sequence[Bug], clones: dict[str, Path], asked: argparse.Namespace) -> None:
    options = CheckOptions(asked.budget, asked.seed)
    for bug in bugs:
        result = checked(bug, clones[bug.id], asked.folder, options)
        judged = judge(bug, result, file_at(clones[bug.id], bug.parent, bug.file))
        print(f"{bug.id}: {judged.outcome} ({result.seconds} s) {judged.reason}", flush=True)


def _rows(bugs: Sequence[Bug], asked: argparse.Namespace) -> Iterator[Row]:
    for bug in bugs:
        result = newest_result(bug, asked.folder)
        if result is None:
            yield Row(bug, None, None)
            continue
        clone = fetched(bug, asked.folder, asked.mirrors)
        yield Row(bug, result, judge(bug, result, file_at(clone, bug.parent, bug.file)))


if __name__ == "__main__":
    raise SystemExit(main())
