"""From a delivery to what stands at GitHub; all is real but the examination."""

import hashlib
import threading

import pytest

from tests.worker.github_app.outbox.world import PublisherWorld, findings
from worker.github_app.outbox.publisher import publish
from worker.store.records import Delivery, RunState

PATIENCE_SECONDS = 600


@pytest.fixture
def world(github, tmp_path):
    made = PublisherWorld(github, tmp_path, pause=0.01)
    store = made.settings.store.model_copy(
        update={"url": made.url, "blobs": str(tmp_path / "blobs")}
    )
    made.settings = made.settings.model_copy(update={"store": store})
    yield made
    made.close()


@pytest.fixture
def publisher(world):
    stop = threading.Event()
    thread = threading.Thread(target=publish, args=(world.settings, stop))
    thread.start()
    yield thread
    stop.set()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()


def deliver(world, event, action):
    """Keep what GitHub told of last, as the web app does."""
    sent = world.github.deliveries.of(event, action)[-1]
    digest = hashlib.sha256(sent.body).hexdigest()
    delivery = Delivery(sent.guid, event, action, digest, world.github.installation.id, sent.body)
    with world.store.write() as unit:
        unit.deliveries.keep(delivery)


def eventually(what):
    for _ in range(PATIENCE_SECONDS * 10):
        found = what()
        if found:
            return found
        threading.Event().wait(0.1)
    raise AssertionError("it never came")


def test_a_pull_request_is_answered(world, publisher):
    pull = world.pull()
    deliver(world, "pull_request", "opened")
    (check,) = eventually(pull.check_runs)
    assert (check.name, check.status) == ("Assayer", "queued")
    run = eventually(lambda: run_in(world, check.external_id, RunState.QUEUED))
    world.finish(run, findings(world.case["document"], 2))
    eventually(lambda: check.conclusion == "failure")
    eventually(lambda: pull.bot_comments() and len(pull.threads()) == 1)
    pull.push({"README.md": "# Better\n"})
    deliver(world, "pull_request", "synchronize")
    (second,) = eventually(pull.check_runs)
    run = eventually(lambda: run_in(world, second.external_id, RunState.QUEUED))
    world.finish(run, findings(world.case["document"]))
    eventually(lambda: second.conclusion == "success")
    eventually(lambda: pull.threads()[0].resolved)
    assert len(pull.bot_comments()) == 1


def run_in(world, name, state):
    with world.store.read() as unit:
        run = unit.runs.get(name)
    return run if run is not None and run.state is state else None
