"""What is true afterwards, counted from the double's state and the database's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import create_engine, text

from app.webhook import is_handled
from benchmarks.load_and_faults.disturbances import Push
from worker.store.records import RunState
from worker.store.store import Store

NAME = "Assayer"
PAUSE_SECONDS = 1.0
LATE_SECONDS = 16.0
"""A conclusion that was decided upon right before a push may wait so long for its turn."""
_MARK = re.compile(r"^<!-- assayer:[^<>]+ -->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Figures:
    """The campaign's result: ``faults`` must all be 0; waits are in seconds."""

    faults: Mapping[str, int]
    facts: Mapping[str, str]
    calm: Sequence[float]
    disturbed: Sequence[float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the double and the database say, and what people pushed meanwhile."""

    github: Mapping[str, Any]
    database: str
    pushes: Sequence[Push]
    disturbed: tuple[float, float]

    @property
    def runs(self) -> list[dict[str, Any]]:
        return [run for run in self.github["check_runs"] if run["name"] == NAME]


def count(evidence: Evidence) -> Figures:
    """Count everything."""
    faults = {
        "lost deliveries": _lost(evidence),
        **_stored(evidence.database),
        "check runs that are not completed": sum(r["status"] != "completed" for r in evidence.runs),
        "heads of pull requests without a completed check run": _unanswered(evidence),
        **_duplicates(evidence),
        "writes less than 1 s apart": _hasty_writes(evidence),
        **_stale(evidence),
        "requests or answers against GitHub's description": len(evidence.github["violations"]),
    }
    calm, disturbed = _waits(evidence)
    return Figures(faults, _facts(evidence), calm, disturbed)


# ---------------------------------------------------------------- deliveries


def _lost(evidence: Evidence) -> int:
    log = evidence.github["deliveries"]
    handled = {one["guid"] for one in log if is_handled(one["event"], one["action"])}
    with Store(evidence.database) as store, store.read() as unit:
        return len(handled - unit.deliveries.known(handled))


def _stored(database: str) -> dict[str, int]:
    with Store(database) as store, store.read() as unit:
        deliveries, outbox_tasks = unit.deliveries.count(), unit.outbox_tasks.count()
        alive = len(unit.runs.alive())
    return {
        "deliveries kept but not understood": deliveries["waiting"] + deliveries["dead"],
        "errands given up or left": outbox_tasks["waiting"] + outbox_tasks["dead"],
        "runs that are not over": alive,
    }


def _unanswered(evidence: Evidence) -> int:
    done = {
        (run["repository"], run["head_sha"])
        for run in evidence.runs
        if run["status"] == "completed" and run["conclusion"] != "cancelled"
    }
    pulls = evidence.github["pulls"]
    return sum((pull["repository"], pull["head"]) not in done for pull in pulls)


# ---------------------------------------------------------------- duplicates


def _duplicates(evidence: Evidence) -> dict[str, int]:
    found = Counter[str]()
    for pull in evidence.github["pulls"]:
        found["summary comments and replies made twice"] += _twice(
            mark for comment in _ours(pull["comments"]) for mark in _marks(comment["body"])
        )
        found["comments about a finding made twice"] += _twice(
            mark
            for comment in _ours(pull["review_comments"])
            if not comment["reply"]
            for mark in _marks(comment["body"])
        )
    standing = [r for r in evidence.runs if r["conclusion"] != "cancelled"]
    return {
        "check runs made twice": _twice(run["external_id"] for run in evidence.runs),
        "heads with two conclusions": _twice((r["repository"], r["head_sha"]) for r in standing),
        "summary comments and replies made twice": 0,
        "comments about a finding made twice": 0,
        **found,
    }


def _ours(comments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [comment for comment in comments if comment["user"].endswith("[bot]")]


def _marks(body: str | None) -> list[str]:
    return _MARK.findall(body or "")


def _twice(keys: Iterable[object]) -> int:
    return sum(many - 1 for many in Counter(keys).values())


# ------------------------------------------------------------ order and pace


def _hasty_writes(evidence: Evidence) -> int:
    gaps = [gap for some in evidence.github["gaps"].values() for gap in some]
    return sum(gap < PAUSE_SECONDS for gap in gaps)


def _stale(evidence: Evidence) -> dict[str, int]:
    """What was said of a commit when another had been pushed a while before."""
    ends = _ended_at(evidence)
    late = 0
    for run in evidence.runs:
        until = ends.get((run["repository"], run["head_sha"]))
        said = [at for at, status, _ in run["history"] if status == "completed"]
        if until is not None and said and run["conclusion"] != "cancelled":
            late += said[-1] > until + LATE_SECONDS
    reviews = [
        ends.get((pull["repository"], review["commit"]), float("inf")) < review["at"]
        for pull in evidence.github["pulls"]
        for review in pull["reviews"]
        if review["at"] is not None
    ]
    return {"conclusions of overtaken commits": late, "reviews of overtaken commits": sum(reviews)}


def _ended_at(evidence: Evidence) -> dict[tuple[str, str], float]:
    """When a commit ceased to be its pull request's head, by repository and commit."""
    pushed = {(push.repo, push.head): push.at for push in evidence.pushes}
    ends = {}
    for pull in evidence.github["pulls"]:
        for before, after in zip(pull["heads"], pull["heads"][1:], strict=False):
            at = pushed.get((pull["repository"], after), 0.0)
            ends[pull["repository"], before] = at
    return ends


# --------------------------------------------------------------------- waits


def _waits(evidence: Evidence) -> tuple[list[float], list[float]]:
    """From the delivery that told of a head to its check run: calm, and during faults."""
    accepted = _accepted(evidence)
    first, last = evidence.disturbed
    calm, disturbed = [], []
    for run in evidence.runs:
        told = accepted.get(run["head_sha"])
        if told is None:
            continue
        wait = run["history"][0][0] - told
        if told < first:
            calm.append(wait)
        elif told < last:
            disturbed.append(wait)
    return sorted(calm), sorted(disturbed)


def _accepted(evidence: Evidence) -> dict[str, float]:
    """When the first delivery about each head was answered with success."""
    found: dict[str, float] = {}
    for one in evidence.github["deliveries"]:
        if one["head"] is not None and 200 <= one["status_code"] < 300:
            at = one["at"] + one["duration"]
            found[one["head"]] = min(at, found.get(one["head"], at))
    return found


# --------------------------------------------------------------------- facts


def _facts(evidence: Evidence) -> dict[str, str]:
    github = evidence.github
    log = github["deliveries"]
    tries, reached = Counter(d["guid"] for d in log), set[str]()
    refused_first = set[str]()
    for one in sorted(log, key=lambda one: one["at"]):
        ok = 200 <= one["status_code"] < 300
        if ok:
            reached.add(one["guid"])
        elif one["guid"] not in reached:
            refused_first.add(one["guid"])
    faults = Counter(str(w["fault"]) for w in github["writes"] if w["fault"])
    conclusions = Counter(str(run["conclusion"]) for run in evidence.runs)
    gaps = [gap for some in github["gaps"].values() for gap in some]
    return {
        "events at GitHub / tries to deliver them": f"{len(tries)} / {len(log)}",
        "events refused at first, had again later": f"{len(refused_first & reached)}",
        "check runs": f"{len(evidence.runs)} ({_listed(conclusions)})",
        "runs in the database": _runs(evidence.database),
        "writes to GitHub, of them failed on purpose": (
            f"{len(github['writes'])}, {sum(faults.values())} ({_listed(faults)})"
        ),
        "shortest pause between two writes of an installation": f"{min(gaps, default=0):.3f} s",
        "requests in spite of a rate limit": str(len(github["hasty"])),
        "requests that GitHub refused": str(len(github["refusals"])),
        "reviews / comments of ours": _said(github["pulls"]),
    }


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {many}" for name, many in counts.most_common())


def _said(pulls: Sequence[dict[str, Any]]) -> str:
    reviews = sum(len(pull["reviews"]) for pull in pulls)
    comments = sum(len(_ours(pull["comments"])) for pull in pulls)
    return f"{reviews} / {comments}"


def _runs(database: str) -> str:
    engine = create_engine(database)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT state, attempts FROM runs")).all()
    engine.dispose()
    states = Counter(str(RunState(state).value) for state, _ in rows)
    again = sum(attempts > 1 for _, attempts in rows)
    return f"{len(rows)} ({_listed(states)}); {again} examined more than once"
