import multiprocessing
import threading
import time

import pytest

from tests.worker.broker.engines import LABELS, CountingEngine, Slow
from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest, NoAnswer, Outage
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings

MANY = 8
PATIENCE = 600


def asked_at_once(engine, asking):
    """What many threads get that ask while the first question is under way."""
    got = []

    def ask():
        try:
            got.append(asking.answer(LABELS, ApiRequest(b"same")))
        except NoAnswer as refusal:
            got.append(str(refusal))

    threads = [threading.Thread(target=ask) for _ in range(MANY)]
    threads[0].start()
    assert engine.begun.wait(PATIENCE)
    for thread in threads[1:]:
        thread.start()
    engine.go.set()
    for thread in threads:
        thread.join(PATIENCE)
    return got


def test_equal_questions_are_asked_once():
    engine = Slow()
    asking = Broker(Engines([engine]), Recordings())
    assert asked_at_once(engine, asking) == [{"asked": 1}] * MANY
    assert (engine.asked, asking.calls, asking.cached) == (1, 1, MANY - 1)


def test_failure_is_shared_while_it_lasts():
    engine = Slow(Outage("down"))
    asking = Broker(Engines([engine]), Recordings())
    assert asked_at_once(engine, asking) == ["down"] * MANY
    assert asking.refused == MANY
    assert asking.calls == engine.asked


def test_other_questions_do_not_wait():
    engine = Slow()
    asking = Broker(Engines([engine]), Recordings())
    first = threading.Thread(target=asking.answer, args=(LABELS, ApiRequest(b"a")))
    second = threading.Thread(target=asking.answer, args=(LABELS, ApiRequest(b"b")))
    first.start()
    assert engine.begun.wait(PATIENCE)
    engine.begun.clear()
    second.start()
    assert engine.begun.wait(PATIENCE)
    engine.go.set()
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert engine.asked == 2


class SlowNotingEngine(CountingEngine):
    """Notes in a file that it was asked, and takes its time."""

    def __init__(self, notes):
        super().__init__()
        self.notes = notes

    def ask(self, api, request):
        with self.notes.open("a") as file:
            file.write("asked\n")
        time.sleep(0.3)
        return super().ask(api, request)


def _ask(folder, notes, barrier):
    asking = Broker(Engines([SlowNotingEngine(notes)]), Recordings(folder))
    barrier.wait(PATIENCE)
    asking.answer(LABELS, ApiRequest(b"same"))


def test_processes_take_turns(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    notes = tmp_path / "notes"
    arguments = (tmp_path / "recordings", notes, barrier)
    processes = [context.Process(target=_ask, args=arguments) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert notes.read_text() == "asked\n"


def test_dead_process_holds_no_turn(tmp_path):
    context = multiprocessing.get_context("fork")
    held = context.Event()

    def hold():
        with Recordings(tmp_path).turn("a" * 64):
            held.set()
            time.sleep(PATIENCE)

    process = context.Process(target=hold)
    process.start()
    assert held.wait(PATIENCE)
    process.kill()
    process.join()
    began = time.monotonic()
    with Recordings(tmp_path).turn("a" * 64):
        assert time.monotonic() - began < 30


def test_interrupted_question_leaves_nothing_waiting():
    engine = CountingEngine(failure=KeyboardInterrupt())
    asking = Broker(Engines([engine]), Recordings())
    with pytest.raises(KeyboardInterrupt):
        asking.answer(LABELS, ApiRequest(b"a"))
    engine.failure = None
    assert asking.answer(LABELS, ApiRequest(b"a")) == {"asked": 2}
