"""Processes that are killed, and what else goes wrong, around the bot in its parts."""

import json
from dataclasses import dataclass

import pytest

from tests.end_to_end.bot import Bot, completed, eventually
from tests.end_to_end.outside import KEY, Outside
from tests.end_to_end.shop import COMMENTS, CRASHES, base, shop
from tests.github_double import GithubDouble, PullRequest
from tests.worker.redis_server import INSTALLED, Redis, free_port

EYES = '''"""What is on a picture?"""

from google.cloud import vision


def shows_fire(path):
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    found = vision.ImageAnnotatorClient().label_detection(image=image).label_annotations
    return "Fire" in [label.description for label in found]
'''


@dataclass(frozen=True)
class Crew:
    """The bot with each of its parts a process of its own, and all that it needs."""

    bot: Bot
    redis: Redis
    outside: Outside

    @property
    def github(self) -> GithubDouble:
        return self.bot.github

    def publisher(self) -> None:
        self.bot.start("publisher", "worker", "--queues", "publish")

    def kill_publisher_in_the_middle(self) -> None:
        """Kill it once the request that comes late is under way; start another."""
        eventually(lambda: self.github.faults.waiting == 0)
        self.bot.kill("publisher")
        self.publisher()

    def worker(self, name: str, **variables: str) -> None:
        self.bot.start(
            name, "worker", "--queues", "cpu", "--concurrency", "1", VISION_KEY=KEY, **variables
        )


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    if not INSTALLED:
        pytest.skip("redis-server is not installed")
    folder, outside = tmp_path_factory.mktemp("crew"), Outside()
    more = {
        'engines."google.vision"': {
            "kind": "provider",
            "endpoint": outside.url,
            "credentials": "env:VISION_KEY",
        },
        "sources.images": {"kind": "openverse", "endpoint": outside.url},
    }
    with (
        GithubDouble(folder / "github") as github,
        Redis(free_port()) as redis,
        Bot(folder / "bot", github, redis.url, more=more) as bot,
    ):
        made = Crew(bot, redis, outside)
        made.publisher()
        made.worker("worker")
        bot.start("beat", "beat")
        bot.serve("--web-only")
        yield made
        github.faults.clear()
    outside.close()


@pytest.fixture(autouse=True)
def as_described(crew):
    """Whatever a test did, GitHub's description was kept."""
    yield
    crew.github.check()


def said_once(pull: PullRequest) -> bool:
    """Whether the answer stands there, each part of it once."""
    return [len(said) for said in (pull.check_runs(), pull.reviews(), pull.threads())] == [
        1,
        1,
        1,
    ] and len(pull.bot_comments()) == 1


@pytest.mark.slow
def test_publisher_that_is_killed_while_it_writes_says_nothing_twice(crew):
    repo = shop(crew.github, "twice")
    crew.github.faults.add("POST", r"/check-runs$", "late", seconds=2)
    pull = repo.pull("comments", files={COMMENTS: CRASHES})
    crew.kill_publisher_in_the_middle()
    crew.github.faults.add("POST", r"/reviews$", "late", seconds=2)
    crew.kill_publisher_in_the_middle()
    assert completed(pull).conclusion == "failure"
    crew.bot.settled()
    assert said_once(pull)


@pytest.mark.slow
def test_redis_that_dies_loses_nothing(crew):
    repo = shop(crew.github, "forgetful")
    crew.redis.kill()
    pull = repo.pull("comments", files={COMMENTS: CRASHES})
    check = eventually(lambda: repo.check_run(pull.head))
    assert check.status == "queued"
    crew.redis.start()
    assert completed(pull).conclusion == "failure"
    crew.bot.settled()
    assert said_once(pull)


@pytest.mark.slow
def test_outage_of_ours_is_never_the_authors_failure(crew, tmp_path):
    strict = shop(crew.github, "strict")
    opted = crew.github.repository(
        "opted", files=base({".github/assayer.toml": "fail-open = true\n"})
    )
    crew.bot.kill("worker")
    crew.worker("poor", ASSAYER_STORE__BLOBS=str(tmp_path / "elsewhere"))
    pulls = [repo.pull("comments", files={COMMENTS: CRASHES}) for repo in (strict, opted)]
    checks = [completed(pull) for pull in pulls]
    crew.bot.settled()
    assert [check.conclusion for check in checks] == ["action_required", "neutral"]
    for check, pull in zip(checks, pulls, strict=True):
        told = check.output["summary"]
        assert "sorry" in told
        assert check.external_id in told
        assert not pull.comments()
    crew.bot.kill("poor")
    crew.worker("worker")


@pytest.mark.slow
def test_fork_asks_paid_engines_only_when_its_commit_is_approved(crew):
    repo = shop(crew.github, "forked")
    pull = repo.pull(
        "eyes", files={"shop/eyes.py": EYES}, user="mallory", fork=repo.fork("mallory")
    )
    first = completed(pull)
    crew.bot.settled()
    asked = [one for one in crew.outside.asked if "annotate" in one]
    assert asked == []
    assert "fork" in json.dumps(crew.bot.report(first)["skipped"])
    pull.comment("mallory", "/assayer approve")
    crew.bot.settled()
    assert len(pull.check_runs()) == 1
    pull.comment("alice", "/assayer approve")
    completed(pull, 2)
    assert [one for one in crew.outside.asked if "annotate" in one]
    assert crew.outside.keys == {KEY}


@pytest.mark.slow
def test_pull_request_of_a_deleted_fork_is_still_tested(crew):
    repo = shop(crew.github, "orphaned")
    fork = repo.fork("oscar")
    crew.github.deliveries.hold()
    pull = repo.pull("comments", files={COMMENTS: CRASHES}, user="oscar", fork=fork)
    fork.delete()
    crew.github.deliveries.release(copies=2)
    assert completed(pull).conclusion == "failure"
    crew.bot.settled()
    assert said_once(pull)
