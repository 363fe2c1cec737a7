"""Drawing from strategies of recipes, the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, find, given, settings

from analyzers.guest.inputs.generation.call_scope import CallScope, DrawingStatistics
from analyzers.guest.inputs.generation.call_strategies import inputs
from analyzers.guest.inputs.recipes import evaluate


def settled(examples: int, **more: Any) -> settings:
    return settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        **more,
    )


def drawn(
    arguments: Mapping[str, str],
    requires: Any = (),
    *,
    examples: int = 30,
    scope: Any = None,
    health: Any = None,
    **more: Any,
) -> list[dict[str, Any]]:
    """The values of some calls, with their recipes under ``"recipes"``."""
    around = scope or CallScope()
    contract = {"arguments": arguments, "requires": list(requires), **more}
    owner = more.pop("owner", "")
    strategy = inputs(contract, lambda: around, owner, health or DrawingStatistics())
    found: list[dict[str, Any]] = []

    @settled(examples, phases=[Phase.generate])
    @given(strategy)
    def collect(recipes: Any) -> None:
        values = {name: evaluate(recipe, around.namespace) for name, recipe in recipes.items()}
        found.append({**values, "recipes": {n: r.source() for n, r in recipes.items()}})

    collect()
    return found


def smallest(
    arguments: Mapping[str, str], requires: Any, wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The values of the smallest call of which something holds."""
    strategy = inputs({"arguments": arguments, "requires": list(requires)}, CallScope)
    values = strategy.map(lambda call: {name: evaluate(r, {}) for name, r in call.items()})
    return find(values, wanted, settings=settled(2000))
