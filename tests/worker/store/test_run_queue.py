from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from celery import current_app

from tests.worker.redis_server import INSTALLED, redis_server
from tests.worker.runs.crew import asked, found
from worker.settings.operator_settings import QueueSettings, Settings, StoreSettings
from worker.store.run_queue import (
    BrokerQueue,
    QueueNotifier,
    RunTimeLimits,
    TableQueue,
    celery_app,
    open_queue,
)
from worker.store.store import Store

needs_redis = pytest.mark.skipif(not INSTALLED, reason="redis-server is absent")


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.mark.parametrize("seconds", [1, 60, 1800, 86_400])
def test_no_job_is_given_out_while_it_may_run(seconds):
    limits = RunTimeLimits(seconds)
    options = celery_app("redis://127.0.0.1:1", limits).conf
    assert options.task_soft_time_limit < options.task_time_limit
    assert options.broker_transport_options["visibility_timeout"] > options.task_time_limit


def test_only_json_is_accepted():
    conf = celery_app("redis://127.0.0.1:1", RunTimeLimits(1)).conf
    assert conf.accept_content == ["json"]
    assert conf.task_acks_late
    assert conf.worker_prefetch_multiplier == 1


@pytest.mark.parametrize("name", ["celeryconfig", "decoy_of_the_current_folder"])
def test_celery_imports_nothing_from_the_current_folder(name, tmp_path, monkeypatch):
    (tmp_path / f"{name}.py").write_text("raise AssertionError('it was imported')\n")
    monkeypatch.chdir(tmp_path)
    loader = celery_app("redis://127.0.0.1:1", RunTimeLimits(1)).loader
    for load in (loader.import_task_module, loader.find_module, loader.import_from_cwd):
        with pytest.raises(ModuleNotFoundError):
            load(name)


def test_every_thread_has_our_celery():
    application = celery_app("redis://127.0.0.1:1", RunTimeLimits(1))
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_app._get_current_object).result() is application


def test_without_a_broker_the_table_is_the_queue(store):
    queue = open_queue(Settings(queue=QueueSettings()), store)
    assert isinstance(queue, TableQueue)
    run = asked(store, "asked")
    queue.enqueue(run)
    assert queue.depth() == 1
    with store.read() as unit:
        assert unit.runs.next() == run


@needs_redis
def test_job_waits_by_name_as_json(store):
    with redis_server() as url:
        settings = Settings(queue=QueueSettings(url=url), store=StoreSettings())
        queue = open_queue(settings, store)
        assert isinstance(queue, BrokerQueue)
        queue.enqueue("run-1")
        queue.enqueue("run-2", "gpu")
        assert (queue.depth(), queue.depth("cpu"), queue.depth("gpu")) == (2, 1, 1)
        message = json.loads(redis.Redis.from_url(url).lindex("cpu", 0))
    assert message["headers"]["task"] == "assayer.check"
    assert message["content-type"] == "application/json"
    assert json.loads(__import__("base64").b64decode(message["body"]))[0] == ["run-1"]


@needs_redis
def test_bell_tells_the_queue_that_the_run_is_for(store):
    run = asked(store, "asked")
    with store.write() as unit:
        unit.runs.route(run, "gpu")
    with redis_server() as url:
        queue = BrokerQueue(celery_app(url, RunTimeLimits(1)))
        QueueNotifier(queue, store)(found(store, run))
        assert queue.depth("gpu") == 1
    with store.read() as unit:
        assert unit.runs.stranded(unsent=0) == ()


def test_bell_that_nobody_hears_is_no_error(store, caplog):
    run = asked(store, "asked")
    QueueNotifier(BrokerQueue(celery_app("redis://127.0.0.1:1", RunTimeLimits(1))), store)(
        found(store, run)
    )
    assert "the queue is down" in caplog.text
    with store.read() as unit:
        assert unit.runs.stranded(unsent=0) == (run,)
