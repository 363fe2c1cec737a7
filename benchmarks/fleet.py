"""Traffic of a fleet of workers on one PostgreSQL: leases, heartbeats, ends of runs, the outbox.

    python -m benchmarks.fleet [--workers 1000] [--seconds 20] [--threads 8]

A real server on this machine, every commit synced to the disk, and the real code of the store.
What the workers of a fleet do in a second is done as often as it can be: each of 1,000 workers
renews its lease and tells its progress every 5 s, takes and ends a run a minute, and each run
leaves five tasks of the outbox that a publisher leases, does and notes. The threads take turns at
these in that mixture. How many times the fleet's rate was done is how much larger it may be.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.worker.postgresql_server import WHY_NOT, database, postgresql_server
from worker.runs.run_attempt import MAX_PAUSE
from worker.store.outbox_tasks import ordering_key_of
from worker.store.records import Attempt, Job, OutboxTask, OutboxTaskKind
from worker.store.store import Store

DURABLE = ("fsync=on", "synchronous_commit=on", "shared_buffers=128MB")
SECONDS_A_RUN = 60.0
TASKS_A_RUN = 5
LEASE = 60.0
REPORT = {"verdict": "success", "cost": {"api_calls": 3}, "text": "x" * 20_000}


@dataclass(slots=True)
class Fleet:
    """The attempts that are under way, and how long each kind of traffic took."""

    store: Store
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    number: Iterator[int] = field(default_factory=lambda: iter(range(10**9)))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def job(self) -> Job:
        """A pull request of one of 10,000 repositories."""
        with self.lock:
            number = next(self.number)
        repository = number % 10_000 + 1
        return Job(
            f"owner/project{repository}", "b" * 40, f"{number:040x}", "load", private=False,
            fork=False, repository_id=repository, installation=repository % 2_000 + 1,
            pull=number, key=f"k{number}",
        )  # fmt: skip

    def begin(self) -> None:
        """Ask for a run and take it."""
        with self.store.write() as unit:
            run = unit.runs.ask(self.job())
            assert run is not None
            unit.runs.prepared(run.id)
        with self.store.write() as unit:
            attempt = unit.runs.start(run.id, lease=LEASE, limit=3)
        if isinstance(attempt, Attempt):
            with self.lock:
                self.attempts.append(attempt)

    def beat(self) -> None:
        """Renew a lease and tell the progress, as a heartbeat does."""
        attempt = random.choice(self.attempts)
        with self.store.write() as unit:
            unit.runs.progress(attempt, "testing function 3 of 7")
            unit.runs.renew(attempt, LEASE)

    def turn(self) -> None:
        """End a run with its report, and take another one."""
        with self.lock:
            attempt = self.attempts.pop(random.randrange(len(self.attempts)))
        with self.store.write() as unit:
            unit.runs.finish(attempt, REPORT)
        self.begin()

    def publish(self) -> None:
        """Add a task, look for its ordering key, lease it, do it, note it, free the key."""
        job = self.job()
        key = ordering_key_of(job)
        task = OutboxTask(
            OutboxTaskKind.PUBLISH, job.installation or 1, key, f"t{job.pull}", None, {}
        )
        with self.store.write() as unit:
            unit.outbox_tasks.add(task)
        with self.store.read() as unit:
            unit.outbox_tasks.ordering_keys()
        with self.store.write() as unit:
            lease = unit.leases.take(key, LEASE)
            found = unit.outbox_tasks.next(key)
        assert lease is not None
        assert found is not None
        with self.store.write() as unit:
            unit.outbox_tasks.done(found.id)
            unit.leases.free(lease)

    def timed(self, name: str, do: Callable[[], None]) -> None:
        """Do one thing and note how long it took."""
        began = time.perf_counter()
        do()
        spent = time.perf_counter() - began
        with self.lock:
            self.seconds[name].append(spent)


def rates(workers: int) -> dict[str, float]:
    """Return how often in a second a fleet does each thing."""
    runs = workers / SECONDS_A_RUN
    return {"beat": workers / MAX_PAUSE, "turn": runs, "publish": runs * TASKS_A_RUN}


def processor_seconds(postmaster: int) -> float:
    """Return what a server and its processes, the ended ones too, have computed (proc(5))."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = place.read_text().rpartition(")")[2].split()
            if int(place.parent.name) == postmaster:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == postmaster:
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(fleet: Fleet, workers: int, seconds: float, threads: int) -> float:
    """Do the fleet's mixture for so many seconds; return how many things were done in one."""
    wanted = rates(workers)
    doing = {"beat": fleet.beat, "turn": fleet.turn, "publish": fleet.publish}
    until = time.monotonic() + seconds

    def work(seed: int) -> None:
        chance = random.Random(seed)
        while time.monotonic() < until:
            (name,) = chance.choices(list(wanted), list(wanted.values()))
            fleet.timed(name, doing[name])

    working = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    began = time.monotonic()
    for each in working:
        each.start()
    for each in working:
        each.join(seconds + 120)
    return sum(map(len, fleet.seconds.values())) / (time.monotonic() - began)


def report(fleet: Fleet, workers: int, rate: float) -> None:
    """Print what was done beside what a fleet does."""
    wanted = rates(workers)
    needed = sum(wanted.values())
    times = rate / needed
    print(f"{rate:,.0f} a second done; {workers:,} workers do {needed:,.0f}: {times:.2f} times")
    for name, spent in sorted(fleet.seconds.items()):
        cut = statistics.quantiles(spent, n=100)
        print(
            f"  {name:8} {len(spent):6}, wanted {wanted[name]:6.1f} a second,"
            f" p50 {cut[49] * 1000:6.1f} ms, p99 {cut[98] * 1000:7.1f} ms"
        )


def scan(fleet: Fleet) -> None:
    """Print how long what is asked of all runs takes, beside the size of the tables."""
    with fleet.store.read() as unit:
        for name, ask in (
            ("metrics: oldest waiting run of each queue", unit.run_metrics.waiting_since),
            ("scheduler: runs whose lease is over", unit.runs.stranded),
            ("publisher: ordering keys that are due", unit.outbox_tasks.ordering_keys),
        ):
            began = time.perf_counter()
            ask()
            print(f"  {name}: {(time.perf_counter() - began) * 1000:.1f} ms")


def main() -> None:
    """Measure one fleet."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--threads", type=int, default=8)
    given = parser.parse_args()
    if WHY_NOT:
        raise SystemExit(WHY_NOT)
    with postgresql_server(DURABLE) as server:
        url, folder = database(server, "fleet"), Path(server.rpartition("=")[2])
        with Store(url) as store:
            fleet = Fleet(store)
            began = time.monotonic()
            with store.write() as unit:
                for _ in range(given.workers):
                    run = unit.runs.ask(fleet.job())
                    assert run is not None
                    unit.runs.prepared(run.id)
                    attempt = unit.runs.start(run.id, lease=LEASE, limit=3)
                    assert isinstance(attempt, Attempt)
                    fleet.attempts.append(attempt)
            print(f"{given.workers:,} runs taken in {time.monotonic() - began:.1f} s")
            postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
            server_began, client_began = processor_seconds(postmaster), time.process_time()
            rate = measure(fleet, given.workers, given.seconds, given.threads)
            spent = processor_seconds(postmaster) - server_began
            report(fleet, given.workers, rate)
            done = sum(map(len, fleet.seconds.values()))
            cores = spent / done * sum(rates(given.workers).values())
            client = (time.process_time() - client_began) / done
            print(
                f"  processor: server {spent / done * 1000:.2f} ms a thing, clients"
                f" {client * 1000:.2f} ms: the fleet needs {cores:.2f} cores of the server"
            )
            scan(fleet)
        with psycopg.connect(f"host={folder} user=assayer dbname=fleet") as link:
            size = link.execute("SELECT pg_database_size('fleet')").fetchone()
            rows = link.execute("SELECT count(*) FROM runs").fetchone()
            print(f"  {rows and rows[0]:,} runs kept, {(size[0] if size else 0) / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
