"""Engines that are not there, for tests of the broker."""

import threading

from worker.engines.engine import ApiRequest, NoAnswer

LABELS = "google.vision.label_detection"


class CountingEngine:
    """Answers with the number of times it was asked."""

    local = False

    def __init__(self, identity="parrot-1", failure=None):
        self.identity = identity
        self.failure = failure
        self.asked = 0

    def answers(self, api):
        return api == LABELS

    def ask(self, api, request):
        self.asked += 1
        if self.failure:
            raise self.failure
        return {"asked": self.asked}


class Flaky(CountingEngine):
    """Fails at the questions of these numbers, from one on."""

    def __init__(self, failure, *failing):
        super().__init__()
        self.trouble = failure
        self.failing = failing

    def ask(self, api, request):
        self.asked += 1
        if self.asked in self.failing:
            raise self.trouble
        return {"asked": self.asked}


class Slow(CountingEngine):
    """Answers when it is let."""

    def __init__(self, failure=None):
        super().__init__(failure=failure)
        self.begun = threading.Event()
        self.go = threading.Event()

    def ask(self, api, request):
        self.begun.set()
        assert self.go.wait(600)
        return super().ask(api, request)


def ask_in_threads(broker):
    """Ask eighty questions in four threads, refused or not."""

    def ask(start):
        for number in range(20):
            try:
                broker.answer(LABELS, ApiRequest(bytes([start, number])))
            except NoAnswer:
                continue

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
