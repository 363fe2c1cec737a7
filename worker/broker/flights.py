"""Equal questions that are asked at the same time are asked once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeAlias

from analyzers.vocabulary import JsonObject
from worker.engines import NoAnswer

Key: TypeAlias = tuple[str, str, str]


class Flights:
    """Questions under way, by engine, API and digest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying: dict[Key, Future[JsonObject]] = {}

    def fly(self, key: Key, ask: Callable[[], JsonObject]) -> tuple[JsonObject, bool]:
        """The answer, and whether it was asked for here and not by another thread.

        All threads that wait for one answer raise what asking for it raised.
        """
        with self._lock:
            flying = self._flying.get(key)
            mine: Future[JsonObject] = Future()
            if flying is None:
                self._flying[key] = mine
        if flying is not None:
            return flying.result(), False
        try:
            answer = ask()
        except BaseException as error:
            ours = isinstance(error, Exception)
            mine.set_exception(error if ours else NoAnswer("the question was interrupted"))
            raise
        else:
            mine.set_result(answer)
            return answer, True
        finally:
            with self._lock:
                del self._flying[key]
