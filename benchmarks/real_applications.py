"""Try Assayer on real applications and pull requests that nobody here wrote.

    python -m benchmarks.real_applications CORPUS CLONES [--reports DIR] [--only NAME ...]

``CORPUS`` is a JSON list of applications: repository, commit, path, function
under test and, for those of Keeper's study (ICSE 2022), its figures for them.
``CLONES`` holds clones named ``owner+name``; what is not there is left out.
Their code is never copied: the tables name repository, commit, place and
figures.  Applications are checked whole (``--all``), pull requests by base and
head; the tables replace those in ``benchmarks/real_applications.md``.  Reports
are kept in ``DIR`` and made only where they are not there yet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).with_suffix(".md")
MARKS = ("<!-- tables: begin -->", "<!-- tables: end -->")
SECONDS = 90
LIMIT = 400
GENERATIONS = {"sdk2_proto_plus": "2", "old_sdk_types_enums": "1", "pre_gapic_client": "0"}
"""Generation of Google's SDK by the corpus's word for its shape: before and after 2.0.0."""


@dataclass(frozen=True)
class Case:
    """One application, or one pull request (with base and head)."""

    repository: str
    api: str = ""
    under_test: str = ""
    paper: Mapping[str, Any] | None = None
    known: tuple[str, ...] = ()
    base: str | None = None
    head: str | None = None

    @property
    def name(self) -> str:
        """The name of its clone."""
        return self.repository.replace("/", "+")


@dataclass(frozen=True)
class Checked:
    """A case with its report."""

    case: Case
    commit: str
    report: Mapping[str, Any]
    seconds: float

    @property
    def targets(self) -> Sequence[Mapping[str, Any]]:
        """What the report says of each function."""
        return self.report.get("targets", ())

    @property
    def under_test(self) -> Mapping[str, Any] | None:
        """What it says of the function that the paper tested, or of the one around it."""
        wanted = self.case.under_test
        found = [t for t in self.targets if f"{wanted}.".startswith(f"{t['id']}.")]
        return max(found, key=lambda target: len(target["id"]), default=None)

    def obstacle(self, target: Mapping[str, Any]) -> str | None:
        """Why a function was never run as far as an ML API, or ``None`` where it was."""
        if target["executions"]:
            return None
        skipped = (s["reason"] for s in self.report["skipped"] if s["target"] == target["id"])
        obstacles = (kind for kind in map(kind_of, skipped) if kind in OBSTACLES)
        return next(obstacles, "nothing to run: no condition on its answers, and no engine")


PULL_REQUESTS = (
    Case("qwerty10w/SBHacks2021", base="5553ec67", head="ab6719ac"),
    Case("bestvibes/lahacks-quaranteen", base="4299adba", head="2d07946e"),
    Case("steventhan/carbon-hack-sentiment", base="3a0207ad", head="c8722501"),
    Case("f213/selfmailbot", base="75db853b", head="1eaa0949"),
    Case("robmarkcole/HASS-amazon-rekognition", base="9d22992f", head="f1f50db6"),
)
OBSTACLES = (
    "before any ML API was asked",
    "returned before it called the API",
    "every run ended with",
    "the code needs a file",
    "could not be called",
    "time budget",
    "took longer than",
    "search ended by signal",
    "is not there once the module is loaded",
)
KINDS = (
    *OBSTACLES,
    "no engine for",
    "no source of",
    "no API response was found",
    "there is no source of inputs",
    "cannot parse",
    "it matches the exclusion",
    "no input reached",
)


def main() -> None:
    """Check what is there and write the tables."""
    asked = _asked()
    applications = applications_of(json.loads(asked.corpus.read_text()))
    asked.reports.mkdir(parents=True, exist_ok=True)
    done = [list(_checked(cases, asked)) for cases in (applications, PULL_REQUESTS)]
    before, mark, rest = DOCUMENT.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    tables = "\n".join([*_applications(done[0]), *_pull_requests(done[1])])
    DOCUMENT.write_text(f"{before}{mark}\n{tables}\n{MARKS[1]}{after}")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Applications and pull requests of others.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--reports", type=Path, default=Path(tempfile.mkdtemp()))
    parser.add_argument("--only", nargs="+", default=())
    return parser.parse_args()


def applications_of(corpus: Iterable[Mapping[str, Any]]) -> list[Case]:
    """The applications of a corpus, each with the function that its study tested."""
    found: list[Case] = []
    for entry in corpus:
        if not (entry.get("repo") and entry.get("primary") and entry.get("split") == "dev"):
            continue
        place = entry.get("function_under_test") or entry
        generation = (GENERATIONS[s] for s in entry["shapes"] if s in GENERATIONS)
        failures = (f for f in entry["expected_failures"] if f["type"] in ("accuracy", "crash"))
        found.append(
            Case(
                entry["repo"],
                f"{', '.join(entry['api'])} ({next(generation, entry['framework'])})",
                f"{place['path']}::{place['function']}",
                entry.get("keeper"),
                tuple(f"{f['type']}: {f['cause']}" for f in failures),
            )
        )
    return found


def _checked(cases: Iterable[Case], asked: argparse.Namespace) -> Iterator[Checked]:
    for case in cases:
        clone = asked.clones / case.name
        if clone.is_dir() and (not asked.only or case.name in asked.only):
            yield checked(case, clone, asked.reports)


def checked(case: Case, clone: Path, reports: Path) -> Checked:
    """The report on a case: the one that is kept, else a new one."""
    output = reports / f"{case.name}{f'@{case.head}' if case.head else ''}.json"
    if not output.exists():
        output.write_text(json.dumps(_examined(case, clone)))
    kept = json.loads(output.read_text())
    return Checked(case, kept["commit"], kept["report"], kept["seconds"])


def _examined(case: Case, clone: Path) -> dict[str, Any]:
    revisions = ["--base", case.base, "--head", case.head] if case.base and case.head else ["--all"]
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "report.json")
        options = ["--offline", "--budget", str(SECONDS), "--inputs", "6", "--quiet"]
        program = [str(Path(sys.executable).parent / "assayer"), "check", str(clone), *revisions]
        written = ["--format", "json", "--output", str(output), "--artifacts", scratch]
        started = time.perf_counter()
        subprocess.run([*program, *options, *written], check=False, timeout=LIMIT)
        seconds = time.perf_counter() - started
        report = json.loads(output.read_text()) if output.exists() else {}
    return {"commit": _commit(clone), "report": report, "seconds": seconds}


def _commit(clone: Path) -> str:
    shown = ["git", "-C", str(clone), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(shown, check=True, capture_output=True, text=True).stdout.strip()


def _applications(done: Sequence[Checked]) -> Iterator[str]:
    yield f"## Applications, whole ({len(done)})\n"
    yield (
        "| repository | APIs (generation) | functions | asked | goals | paper: branches "
        "| Keeper | random | ours: branches | findings | verdict | s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for one in done:
        yield _row(one)
    yield from _sums(done)
    yield "\n### Found\n"
    yield from _found(done)
    yield "\n### Functions that asked no ML API, and why\n"
    yield from _unasked(done)
    yield "\n### Not tested, by reason\n"
    yield from _reasons(done)


def _row(one: Checked) -> str:
    paper = one.case.paper or {}
    figures = [paper.get(key, "–") for key in ("branches", "cov_keeper", "cov_rreal")]
    asked = sum(one.obstacle(target) is None for target in one.targets)
    cells = [
        f"{one.case.repository} {one.commit}",
        one.case.api,
        len(one.targets),
        asked,
        _share(one.targets, "goals", "reached"),
        *figures,
        _ours(one),
        len(one.report.get("findings", ())),
        one.report.get("verdict", "no report"),
        f"{one.seconds:.0f}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _ours(one: Checked) -> str:
    """Branches covered of all, in the function under test or else in every one."""
    target = one.under_test
    if target is not None and target["goals"]["total"]:
        return f"{target['goals']['reached']}/{target['goals']['total']}"
    return f"not a target; all: {_share(one.targets, 'branches', 'covered')}"


def _share(targets: Iterable[Mapping[str, Any]], noun: str, done: str) -> str:
    counts = [(target[noun][done], target[noun]["total"]) for target in targets]
    return f"{sum(part for part, _ in counts)}/{sum(whole for _, whole in counts)}"


def _sums(done: Sequence[Checked]) -> Iterator[str]:
    targets = [target for one in done for target in one.targets]
    asked = sum(one.obstacle(target) is None for one in done for target in one.targets)
    papers = [one.case.paper for one in done if one.case.paper and one.case.paper.get("branches")]
    sums = [sum(paper[key] for paper in papers) for key in ("branches", "cov_keeper", "cov_rreal")]
    yield (
        f"\n{len(targets)} functions, {asked} of them asked; goals reached "
        f"{_share(targets, 'goals', 'reached')}, branches covered "
        f"{_share(targets, 'branches', 'covered')} (a branch counts once). The paper, on its "
        f"functions of these applications: {sums[0]} branches, Keeper {sums[1]}, "
        f"random-real {sums[2]}."
    )


def _found(done: Sequence[Checked]) -> Iterator[str]:
    for one in done:
        for finding in one.report.get("findings", ()):
            place = f"`{finding['path']}:{finding['line']}`"
            what = f"{finding['level']}, {finding['rule']}: {finding['title']}"
            yield f"- {one.case.repository} {place}: {what}"


def _unasked(done: Sequence[Checked]) -> Iterator[str]:
    for one in done:
        for target in one.targets:
            if (obstacle := one.obstacle(target)) is not None:
                yield f"- {one.case.repository} `{target['id']}`: {obstacle}"


def _reasons(done: Sequence[Checked]) -> Iterator[str]:
    kinds: Counter[str] = Counter()
    for one in done:
        kinds.update(kind_of(skipped["reason"]) for skipped in one.report.get("skipped", ()))
    yield from (f"- {count} × {kind}" for kind, count in kinds.most_common())


def kind_of(reason: str) -> str:
    """The kind that a reason for leaving something out belongs to."""
    first = reason.split("\n", maxsplit=1)[0][:90]
    return next((words for words in KINDS if words in reason), first)


def _pull_requests(done: Sequence[Checked]) -> Iterator[str]:
    yield f"\n## Pull requests ({len(done)})\n"
    yield "| repository | functions | asked | goals | findings | verdict | s |"
    yield "|---|---|---|---|---|---|---|"
    for one in done:
        asked = sum(one.obstacle(target) is None for target in one.targets)
        goals = _share(one.targets, "goals", "reached")
        where = f"{one.case.repository} {one.case.base}..{one.case.head}"
        findings = len(one.report.get("findings", ()))
        verdict = f"{one.report.get('verdict', 'no report')} | {one.seconds:.0f}"
        yield f"| {where} | {len(one.targets)} | {asked} | {goals} | {findings} | {verdict} |"
    yield "\n### Found in pull requests\n"
    yield from _found(done)


if __name__ == "__main__":
    main()
