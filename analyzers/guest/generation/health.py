"""What drawing cost: how many inputs were drawn, and which conditions turned some down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional

from .scope import Unmeetable

MOST_IN_VAIN = 200
_WORTH_SAYING = 0.2


@dataclass
class Health:
    """Counts of the inputs drawn for one function.

    ``rejected``: those drawn in vain.  ``by_condition``: how many of these each
    condition turned down.
    """

    drawn: int = 0
    rejected: int = 0
    by_condition: Dict[str, int] = field(default_factory=dict)
    unmeetable: Optional[Unmeetable] = None

    @property
    def accepted(self) -> int:
        """Those that met all conditions."""
        return self.drawn - self.rejected

    def reject(self, conditions: Iterable[str]) -> None:
        """An input was drawn in vain.

        Raises :class:`Unmeetable` for the condition that turned most of them
        down, where 200 were drawn and none was good.
        """
        self.rejected += 1
        for condition in conditions:
            self.by_condition[condition] = self.by_condition.get(condition, 0) + 1
        if self.accepted == 0 and self.rejected >= MOST_IN_VAIN and self.by_condition:
            self.unmeetable = self.unmeetable or self.all_in_vain()
            raise self.unmeetable

    def all_in_vain(self) -> Unmeetable:
        """What to say where every input was turned down: by which condition, most of them."""
        worst = max(self.by_condition, key=lambda each: self.by_condition[each], default="")
        return Unmeetable(worst, f"none of the {self.rejected} inputs drawn meets it")

    def notes(self) -> List[str]:
        """What is worth saying: the conditions that turned down more than a fifth of the inputs."""
        return [
            f"{condition}: {count} of {self.drawn} inputs drawn did not meet it"
            for condition, count in sorted(self.by_condition.items())
            if count > _WORTH_SAYING * self.drawn
        ]
