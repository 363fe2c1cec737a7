"""The double of GitHub as a process of its own, and what happens there."""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.load_and_faults.bot_processes import Program

START_SECONDS = 60
ROUND = 10
"""Pull requests that people work on at the same time."""
EVENTS_A_PULL = 7
"""Three heads, each with its check suite, and a comment."""

PLAIN = "WEIGHTS = {{'letter': {0}, 'card': 5}}\n\n\ndef postage(kind):\n    return WEIGHTS[kind]\n"
CLOUD = '''"""The service that the desk asks."""

from google.cloud import language_v1


def feeling(text):
    client = language_v1.LanguageServiceClient()
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    return client.analyze_sentiment(request={"document": document})
'''
LEARNED = '''"""What people write to the desk; {0}."""

from cloud import feeling


def is_friendly(comment):
    if feeling(comment).document_sentiment.score > -0.8:
        return True
    return False


def strength(comment):
    response = feeling(comment)
    return response.document_sentiment.magnitude / len(response.sentences)
'''
CONFIGURATION = "[tool.assayer]\ninputs = 4\n"


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request; ``learned`` where its change asks an ML API."""

    repo: str
    number: int
    learned: bool

    def files(self, version: int) -> dict[str, str]:
        """What its author pushes at a time."""
        text, name = (LEARNED, "comments") if self.learned else (PLAIN, "postage")
        return {f"{name}_{self.number}.py": text.format(version)}


@dataclass
class Github:
    """The double, through its door for other processes."""

    folder: Path
    variables: dict[str, str]
    pulls: list[Pull] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._state = self.folder / "github.json"
        command = [sys.executable, "-m", "tests.github_double"]
        where = ["--folder", self.folder / "github", "--state", self._state]
        self.program = Program("github", [*command, *where], self.folder, self.variables)

    def start(self) -> None:
        self.program.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._state.exists():
            if time.monotonic() > deadline or not self.program.alive:
                raise TimeoutError(f"the double did not start: see {self.program.log}")
            time.sleep(0.05)
        self.told: dict[str, Any] = json.loads(self._state.read_text())
        self._door = httpx.Client(base_url=f"{self.told['url']}/_double/", timeout=300)

    def call(self, what: str, **arguments: Any) -> Any:
        """One of the double's calls; raises where it refuses."""
        answer = self._door.post(what, json=arguments)
        if answer.status_code != 200:
            raise ValueError(f"{what}: {answer.text}")
        return answer.json()["result"]

    def furnish(self, unique: int, installations: int, seed: int) -> list[dict[str, Any]]:
        """Let people work, and return ``unique`` deliveries about it, in order, not yet sent."""
        self.call("hold")
        repos = [self._repository(number) for number in range(installations)]
        rounds = max(1, round(unique / EVENTS_A_PULL / ROUND))
        count = max(1, (unique - installations) // EVENTS_A_PULL)
        order = [repos[number % len(repos)] for number in range(count)]
        for start in range(0, count, max(1, -(-count // rounds))):
            self._work(order[start : start + max(1, -(-count // rounds))], start)
        generator = random.Random(seed)
        made = count * EVENTS_A_PULL + installations
        for _ in range(unique - made):
            pull = generator.choice(self.pulls)
            self._comment(pull, "I shall look at this tomorrow.")
        return list(self.call("taken"))

    def _repository(self, number: int) -> str:
        owner = f"team-{number:02}"
        self.call("install", login=owner)
        files = {"cloud.py": CLOUD, "README.md": "# Desk\n", "pyproject.toml": CONFIGURATION}
        return str(self.call("repository", name=f"{owner}/desk", files=files)["full_name"])

    def _work(self, repos: list[str], first: int) -> None:
        """Some pull requests at the same time: opened, two pushes each, a comment."""
        opened = [self._open(repo, first + number) for number, repo in enumerate(repos)]
        for version in (1, 2):
            for pull in opened:
                self.push(pull, version)
        for number, pull in enumerate(opened):
            said = "/assayer help" if number % 4 == 0 else "Looks good to me."
            self._comment(pull, said)

    def _open(self, repo: str, number: int) -> Pull:
        learned = number % 20 == 3
        files = Pull(repo, number, learned).files(0)
        made = self.call("pull", repo=repo, head=f"feature-{number}", files=files)
        pull = Pull(repo, made["number"], learned)
        self.pulls.append(pull)
        return pull

    def push(self, pull: Pull, version: int) -> str:
        """Push another commit to a pull request and return it."""
        return str(self.call("push", repo=pull.repo, number=pull.number, files=pull.files(version)))

    def _comment(self, pull: Pull, body: str) -> None:
        self.call("comment", repo=pull.repo, number=pull.number, user="alice", body=body)

    def close(self) -> None:
        self._door.close()
        self.program.end()
