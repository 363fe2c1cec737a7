"""How much one run may ask of engines, in calls and in money."""

from __future__ import annotations

import threading

from worker.engines import NoAnswer

MICRO = 1_000_000


class Budget:
    """Counts what a run spends; safe for several threads.

    ``calls`` bounds the questions that go to engines, ``dollars`` their list
    price (``None``: no bound).  A failed call counts as well: nobody knows
    whether it is billed.
    """

    def __init__(self, calls: int | None = None, dollars: float | None = None) -> None:
        self._most_calls = calls
        self._most = None if dollars is None else round(dollars * MICRO)
        self._lock = threading.Lock()
        self._calls = 0
        self._spent = 0
        self._refusals: list[str] = []

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why calls were refused, in order."""
        with self._lock:
            return tuple(self._refusals)

    @property
    def calls(self) -> int:
        """The questions that went to engines."""
        with self._lock:
            return self._calls

    @property
    def dollars(self) -> float:
        """What they cost by list price."""
        with self._lock:
            return self._spent / MICRO

    def spend(self, api: str, cost: int | None) -> None:
        """Take one call of ``cost`` micro-dollars from the budget.

        Raises:
            NoAnswer: it does not suffice, or the cost is not known and money
                is bounded.

        """
        with self._lock:
            refusal = self._refusal(api, cost)
            if refusal is not None:
                self._refusals.append(refusal)
                raise NoAnswer(refusal)
            self._calls += 1
            self._spent += cost or 0

    def _refusal(self, api: str, cost: int | None) -> str | None:
        if self._most_calls is not None and self._calls >= self._most_calls:
            return f"the budget of {self._most_calls} API calls is spent ({api})"
        if self._most is not None and cost is None:
            provider = api.rpartition(".")[0]
            return f'nobody knows what {api} costs: set [engines."{provider}"] price (dollars)'
        if self._most is not None and self._spent + (cost or 0) > self._most:
            return (
                f"the budget of ${self._most / MICRO:g} for API calls does not suffice:"
                f" ${self._spent / MICRO:g} is spent, {api} costs ${(cost or 0) / MICRO:g}"
            )
        return None

    def refund(self, cost: int | None) -> None:
        """Give back what was taken for a question that did not leave."""
        with self._lock:
            self._calls -= 1
            self._spent -= cost or 0
