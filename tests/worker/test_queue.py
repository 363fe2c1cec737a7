from __future__ import annotations

import json

import pytest
import redis

from tests.worker.redis_server import INSTALLED, redis_server
from worker.queue import BrokerQueue, Limits, TableQueue, celery_app, open_queue
from worker.settings.server import QueueSettings, Settings, StoreSettings
from worker.store import Job, Store

needs_redis = pytest.mark.skipif(not INSTALLED, reason="redis-server is absent")


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.mark.parametrize("seconds", [1, 60, 1800, 86_400])
def test_no_job_is_given_out_while_it_may_run(seconds):
    limits = Limits(seconds)
    options = celery_app("redis://127.0.0.1:1", limits).conf
    assert options.task_soft_time_limit < options.task_time_limit
    assert options.broker_transport_options["visibility_timeout"] > options.task_time_limit


def test_only_json_is_accepted():
    conf = celery_app("redis://127.0.0.1:1", Limits(1)).conf
    assert conf.accept_content == ["json"]
    assert conf.task_acks_late
    assert conf.worker_prefetch_multiplier == 1


def test_without_a_broker_the_table_is_the_queue(store):
    queue = open_queue(Settings(queue=QueueSettings()), store)
    assert isinstance(queue, TableQueue)
    run = store.create_run(Job("a/b", None, None, "asked"))
    queue.enqueue(run)
    assert queue.depth() == 1
    assert store.next_run() == run


@needs_redis
def test_job_waits_by_name_as_json(store):
    with redis_server() as url:
        settings = Settings(queue=QueueSettings(url=url), store=StoreSettings())
        queue = open_queue(settings, store)
        assert isinstance(queue, BrokerQueue)
        queue.enqueue("run-1")
        assert queue.depth() == 1
        message = json.loads(redis.Redis.from_url(url).lindex("cpu", 0))
    assert message["headers"]["task"] == "assayer.check"
    assert message["content-type"] == "application/json"
    assert json.loads(__import__("base64").b64decode(message["body"]))[0] == ["run-1"]
