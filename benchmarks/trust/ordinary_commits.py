"""Ordinary commits of public projects as pull requests: false alarms, and how far functions run.

python -m benchmarks.trust.ordinary_commits choose | check | table
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.real_bugs.bug_list import Bug
from benchmarks.real_bugs.fix_commits import fetched, git
from benchmarks.real_bugs.pull_request_checks import CheckOptions, checked, newest_result

LIST = Path(__file__).with_name("ordinary_commits.toml")
NO_CODE = re.compile(r"(^|/)(tests?|docs?|examples?|benchmarks?)/|(^|/)(setup|conf|version)\.py$")
REPAIRS = re.compile(r"\b(fix|bug|wrong|broken|revert|merge|release|bump|typo|version)", re.I)
MOST_FILES = 12


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 1 where a check gave no report."""
    parser = argparse.ArgumentParser(prog="benchmarks.trust.ordinary_commits", description=__doc__)
    parser.add_argument("command", choices=("choose", "check", "table"))
    parser.add_argument("--list", type=Path, default=LIST)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache/assayer-commits")
    parser.add_argument("--mirrors", type=Path, help="a folder of repositories, for GitHub")
    parser.add_argument("--only", nargs="+", default=(), metavar="OWNER/NAME")
    parser.add_argument("--each", type=int, default=3, help="choose: commits of each repository")
    parser.add_argument("--budget", type=int, default=60, help="seconds for each pull request")
    asked = parser.parse_args(words)
    if asked.command == "choose":
        for repository in asked.only:
            print("\n".join(_chosen(repository, asked.mirrors, asked.each)))
        return 0
    listed = tomllib.loads(asked.list.read_text("utf-8"))["commit"]
    commits = [_as_change(each) for each in listed]
    commits = [each for each in commits if not asked.only or each.repository in asked.only]
    if asked.command == "check":
        for commit in commits:
            clone = fetched(commit, asked.folder, asked.mirrors)
            checked(commit, clone, asked.folder, CheckOptions(asked.budget))
            print(_row(commit, asked.folder), flush=True)
    print(_summary(commits, asked.folder))
    return int(any(not _report(each, asked.folder) for each in commits))


def _as_change(listed: dict[str, str]) -> Bug:
    """Return a commit as a pull request: its base is its parent."""
    name = f"{listed['repository'].partition('/')[2]}-{listed['commit'][:8]}"
    repository, parent, commit = listed["repository"], listed["parent"], listed["commit"]
    return Bug(name, repository, parent, commit, "", "", "crash", listed["says"], "")


def _chosen(repository: str, mirrors: Path, most: int) -> Iterator[str]:
    """Yield the newest commits that change code and, by their title, repair nothing."""
    folder = next(mirrors.glob(repository.replace("/", "+")))
    log = git(folder, "log", "--no-merges", "-n", "400", "--format=%H %P %s").decode()
    found = 0
    for line in log.splitlines():
        commit, parent, title = line.split(" ", 2)
        if found == most or len(parent) < 40 or REPAIRS.search(title):
            continue
        changed = git(folder, "diff", "--name-only", "--diff-filter=M", parent, commit).decode()
        code = [e for e in changed.split() if e.endswith(".py") and not NO_CODE.search(e)]
        if code and len(changed.split()) <= MOST_FILES:
            found += 1
            said = title.replace('"', "'")[:80]
            yield f'[[commit]]\nrepository = "{repository}"\ncommit = "{commit}"'
            yield f'parent = "{parent}"\nsays = "{said}"\n'


def _report(commit: Bug, folder: Path) -> dict[str, Any]:
    result = newest_result(commit, folder)
    return {} if result is None else {**result.report, "wall": result.seconds}


def _row(commit: Bug, folder: Path) -> str:
    report = _report(commit, folder)
    if not report:
        return f"{commit.id}: no report"
    new = [each for each in report["findings"] if each["status"] == "new"]
    said = "; ".join(f"{e['level']} {e['rule']} {e['path']}:{e['line']} {e['title']}" for e in new)
    ran, changed = _reach(report)
    return (
        f"{commit.id}: {report['verdict']} {report['wall']:.0f} s, {ran} of {changed} ran. {said}"
    )


def _reach(report: dict[str, Any]) -> tuple[int, int]:
    """Return how many changed functions ran, and how many there are."""
    targets = [each for each in report["targets"] if each["reason"] == "changed"]
    return sum(bool(each["executions"] or each["drivers"]) for each in targets), len(targets)


def _summary(commits: Sequence[Bug], folder: Path) -> str:
    reports = [report for each in commits if (report := _report(each, folder))]
    reached = [_reach(each) for each in reports]
    lines = [t["changed_lines"] for r in reports for t in r["targets"] if t["reason"] == "changed"]
    new = [e for r in reports for e in r["findings"] if e["status"] == "new"]
    gating = sum(each["level"] != "notice" for each in new)
    seconds = sorted(each["wall"] for each in reports)
    return (
        f"{len(reports)} of {len(commits)} checked, median {seconds[len(seconds) // 2]:.0f} s; "
        f"{gating} failures and warnings, {len(new) - gating} notices; "
        f"{sum(r for r, _ in reached)} of {sum(c for _, c in reached)} changed functions ran, "
        f"{sum(e['covered'] for e in lines)} of {sum(e['total'] for e in lines)} changed lines"
    )


if __name__ == "__main__":
    raise SystemExit(main())
