"""Thousands of deliveries while the parts of the hosted bot are killed in turn.

    python -m benchmarks.load_and_faults [--deliveries 2000] [--database sqlite] [--seed 1]

All parts are real processes on the loopback: a double of GitHub that keeps
account of everything, Redis, the web app, two publishers, two examining
workers and the clock.  Deliveries come at a steady rate whatever becomes of
them, about 30 % of them twice, and out of order; meanwhile processes are
killed (SIGKILL) and started again, GitHub answers with errors, time-outs and
rate limits, and people push on.  Once everything is quiet, the double's and
the database's state are counted.  Exits with 1 where anything was lost, made
twice or left unfinished.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load_and_faults import result_tables
from benchmarks.load_and_faults.delivery_sender import Posting, Sender, Tried, plan
from benchmarks.load_and_faults.disturbances import Disturber
from benchmarks.load_and_faults.final_state import Evidence, Figures, count
from benchmarks.load_and_faults.github import Github
from benchmarks.load_and_faults.system import System, database_in
from worker.store.store import Store

ROOT = Path(__file__).parents[2]
CALM_SHARE = 0.1
"""Of the deliveries, sent at a tenth of the rate before anything goes wrong."""
UNIQUE_SHARE = 1 / 1.3
QUIET_LOOKS = 3
LOOK_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Campaign:
    """What was chosen on the command line."""

    deliveries: int
    database: str
    seed: int
    rate: float
    installations: int
    every: float
    rounds: int
    patience: float
    keep: Path | None


def main() -> None:
    campaign = _chosen()
    with tempfile.TemporaryDirectory(prefix="assayer-campaign-") as made:
        folder = campaign.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        with database_in(folder, campaign.database) as database:
            figures = _run(campaign, folder, database)
    sys.exit(1 if any(figures.faults.values()) else 0)


def _chosen() -> Campaign:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load_and_faults")
    parser.add_argument("--deliveries", type=int, default=2000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=100.0, help="deliveries a second")
    parser.add_argument("--installations", type=int, default=20)
    parser.add_argument("--every", type=float, default=4.0, help="seconds from kill to kill")
    parser.add_argument("--rounds", type=int, default=8, help="how often each is killed")
    parser.add_argument("--patience", type=float, default=1500.0, help="seconds until quiet")
    parser.add_argument("--keep", type=Path, help="a folder for logs and databases")
    parser.add_argument("--quick", action="store_true", help="300 deliveries, two rounds")
    chosen = vars(parser.parse_args())
    if chosen.pop("quick"):
        chosen |= {"deliveries": 300, "installations": 10, "rounds": 2}
    return Campaign(**chosen)


def _run(campaign: Campaign, folder: Path, database: str) -> Figures:
    variables = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    variables |= {"XDG_STATE_HOME": str(folder / "state"), "PYTHONPATH": str(ROOT)}
    github = Github(folder, variables)
    system: System | None = None
    try:
        github.start()
        _say("people work at GitHub")
        unique = max(1, round(campaign.deliveries * UNIQUE_SHARE))
        made = github.furnish(unique, campaign.installations, campaign.seed)
        postings = plan(made, campaign.deliveries, campaign.seed)
        system = System(folder, github, database, variables)
        system.start()
        github.call("send_to", url=f"{system.url}/webhooks/github")
        return _burden(campaign, system, postings)
    finally:
        if system is not None:
            system.end()
        github.close()


def _burden(campaign: Campaign, system: System, postings: list[Posting]) -> Figures:
    github = system.github
    sender = Sender(f"{system.url}/webhooks/github", github)
    disturber = Disturber(system.victims(), github, campaign.every, campaign.rounds, campaign.seed)
    calm = round(CALM_SHARE * len(postings))
    _say(f"{calm} deliveries in calm")
    sender.send(postings[:calm], campaign.rate / 10)
    before = len(sender.tried)
    began = time.time()
    _say(f"{len(postings) - calm} deliveries while parts are killed")
    disturber.start()
    sender.send(postings[calm:], campaign.rate)
    disturber.wait()
    ended = time.time()
    _say("nothing is killed any more; waiting until everything is done")
    finished = _quiet(system, campaign.patience)
    figures = count(
        Evidence(github.call("summary"), system.database, disturber.pushes, (began, ended))
    )
    answers = (_answered(sender.tried[:before]), _answered(sender.tried[before:]))
    outcome = result_tables.Outcome(
        figures, dict(disturber.kills), len(disturber.pushes), answers, (began, ended, finished)
    )
    result_tables.show(outcome, [*system.programs.values(), github.program], campaign.database)
    return figures


def _answered(tried: list[Tried]) -> list[float]:
    return sorted(one.seconds for one in tried if one.status)


def _quiet(system: System, patience: float) -> float | None:
    """When (seconds since the epoch) everything was done; ``None``: not in time."""
    deadline = time.monotonic() + patience
    quiet, since = 0, time.time()
    with Store(system.database) as store:
        while time.monotonic() < deadline:
            left = _left(system, store)
            if any(left.values()):
                quiet, since = 0, time.time()
                _say(", ".join(f"{name} {many}" for name, many in left.items()))
            else:
                quiet += 1
            if quiet >= QUIET_LOOKS:
                return since
            time.sleep(LOOK_SECONDS)
    return None


def _left(system: System, store: Store) -> dict[str, int]:
    with store.read() as unit:
        return {
            **system.github.call("standing"),
            "unheard": unit.deliveries.count()["waiting"],
            "runs": len(unit.runs.alive()),
            "errands": unit.errands.count()["waiting"],
        }


def _say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
