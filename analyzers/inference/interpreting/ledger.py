"""What must hold of sizes, as it is found out line by line."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from .sizes import Size, Var, cancelled, substituted, variables


@dataclass(frozen=True, slots=True)
class Condition:
    """``left == right``, ``left >= right`` or ``left % right == 0``.

    ``soft``: it holds on one of several ways through the code.
    """

    relation: str
    left: Size
    right: Size
    soft: bool = False


class Ledger:
    """Bindings of variables, conditions that are still open, and what cannot be.

    ``conflicts`` are equations between numbers that differ, whatever the input
    is; ``doubts`` counts operations on tensors that were not understood;
    ``strict``: what is computed with something unknown is unknown, not what it
    usually is; ``guessed``: a rank was taken to be what it usually is.
    """

    def __init__(self) -> None:
        self.bound: dict[Var, Size] = {}
        self.open: list[Condition] = []
        self.conflicts: list[str] = []
        self.doubts = 0
        self.strict = False
        self.usual_rank = 2
        self.guessed = False
        self._soft = 0

    @contextmanager
    def uncertain(self) -> Generator[None]:
        """What is noted inside may not happen."""
        self._soft += 1
        try:
            yield
        finally:
            self._soft -= 1

    @property
    def is_certain(self) -> bool:
        """Whether what runs now does so on every way through the code."""
        return self._soft == 0

    def resolved(self, size: Size) -> Size:
        """A size with all that is known."""
        return substituted(size, self.bound)

    def equal(self, left: Size, right: Size) -> None:
        """Both are the same number."""
        left, right = cancelled(self.resolved(left), self.resolved(right))
        if left == right:
            return
        if isinstance(left, int) and isinstance(right, int):
            self.conflict(f"{left} is not {right}")
        elif self._soft == 0 and (self._binds(left, right) or self._binds(right, left)):
            return
        else:
            self.open.append(Condition("==", left, right, self._soft > 0))

    def _binds(self, variable: Size, to: Size) -> bool:
        if not isinstance(variable, Var) or variable.rigid or variable in variables(to):
            return False
        if isinstance(to, int) and to < 0:
            return False
        self.bound[variable] = to
        return True

    def least(self, size: Size, number: int) -> None:
        """It is not below a number."""
        size = self.resolved(size)
        if isinstance(size, int):
            if size < number:
                self.conflict(f"{size} is below {number}")
        else:
            self.open.append(Condition(">=", size, number, self._soft > 0))

    def divides(self, divisor: Size, size: Size) -> None:
        """It is a multiple of a divisor."""
        size, divisor = cancelled(self.resolved(size), self.resolved(divisor))
        if divisor == 1:
            return
        if isinstance(size, int) and isinstance(divisor, int):
            if divisor == 0 or size % divisor:
                self.conflict(f"{size} is no multiple of {divisor}")
        else:
            self.open.append(Condition("%", size, divisor, self._soft > 0))

    def guess(self) -> int:
        """The rank that indices usually have; noted, since it was guessed."""
        self.guessed = True
        return self.usual_rank

    def doubt(self) -> None:
        """Something was not understood."""
        self.doubts += 1

    def conflict(self, text: str) -> None:
        """Two things that cannot both be so were seen."""
        if self._soft == 0:
            self.conflicts.append(text)

    def conditions(self) -> list[Condition]:
        """Those that are open, with all that is known by now."""
        return [
            Condition(each.relation, self.resolved(each.left), self.resolved(each.right), each.soft)
            for each in self.open
        ]
