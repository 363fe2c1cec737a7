"""What goes wrong meanwhile: processes are killed in turn, GitHub fails, people push on."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.load_and_faults.github import Github

FAULTS = (
    "502", "502 after", "503", "timeout", "dropped after", "late", "secondary", "secondary 429",
)  # fmt: skip
FAULT_SHARE = 0.04
FAULT_SECONDS = 2.0
PUSH_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Victim:
    """Something to kill and to start again ``rest`` seconds later."""

    name: str
    kill: Callable[[], None]
    start: Callable[[], None]
    rest: float


@dataclass(frozen=True, slots=True)
class Push:
    """A push that people made while things went wrong; ``at`` is since the epoch."""

    repo: str
    number: int
    head: str
    at: float


@dataclass
class Disturber:
    """Kills each victim in turn, ``every`` so many seconds, ``rounds`` times."""

    victims: Sequence[Victim]
    github: Github
    every: float
    rounds: int
    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    pushes: list[Push] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._kill_in_turn),
            threading.Thread(target=self._push_on),
        ]

    def start(self) -> None:
        self.github.call(
            "random_faults", share=FAULT_SHARE, kinds=FAULTS, seed=self.seed, seconds=FAULT_SECONDS
        )
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Return when all rounds are over and everything runs again."""
        for thread in self._threads:
            thread.join()
        self.github.call("clear_faults")

    def _kill_in_turn(self) -> None:
        try:
            for _ in range(self.rounds):
                for victim in self.victims:
                    began = time.monotonic()
                    victim.kill()
                    self.kills[victim.name] += 1
                    time.sleep(victim.rest)
                    victim.start()
                    time.sleep(max(0.0, began + self.every - time.monotonic()))
        finally:
            self._over.set()

    def _push_on(self) -> None:
        generator = random.Random(self.seed)
        version = 3
        while not self._over.wait(PUSH_SECONDS):
            pull = generator.choice(self.github.pulls)
            head = self.github.push(pull, version)
            self.pushes.append(Push(pull.repo, pull.number, head, time.time()))
            version += 1
