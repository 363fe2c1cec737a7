"""Draws from the strategies of annotations, the same in every run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st

from analyzers.guest.annotations.syntax import parse
from analyzers.guest.inputs.generation.call_scope import CallScope
from analyzers.guest.inputs.generation.strategies import strategy
from analyzers.guest.inputs.recipes import Recipe, evaluate

_SETTINGS = settings(
    database=None,
    deadline=None,
    derandomize=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


def calls(annotations: Mapping[str, str], scope: CallScope) -> st.SearchStrategy[dict[str, Recipe]]:
    """Recipes for the arguments of a call, which share their dimensions."""
    found = {name: strategy(parse(text), scope) for name, text in annotations.items()}

    @st.composite
    def drawn(draw: Any) -> dict[str, Recipe]:
        scope.begin()
        return {name: draw(each) for name, each in found.items()}

    return drawn()


def drawn_calls(
    annotations: Mapping[str, str], scope: CallScope | None = None, count: int = 40
) -> list[dict[str, Recipe]]:
    found: list[dict[str, Recipe]] = []

    @seed(6)
    @settings(_SETTINGS, max_examples=count)
    @given(calls(annotations, scope or CallScope()))
    def run(call: dict[str, Recipe]) -> None:
        found.append(call)

    run()
    return found


def made_calls(
    annotations: Mapping[str, str], scope: CallScope | None = None, count: int = 40
) -> list[dict[str, Any]]:
    scope = scope or CallScope()
    return [
        {name: evaluate(recipe, scope.namespace) for name, recipe in call.items()}
        for call in drawn_calls(annotations, scope, count)
    ]


def made(text: str, scope: CallScope | None = None, count: int = 40) -> list[Any]:
    """Values that an annotation allows."""
    return [call["x"] for call in made_calls({"x": text}, scope, count)]


def smallest(text: str, fails: Callable[[Any], bool] = lambda _: True) -> str:
    """The source of the smallest recipe whose value fails."""
    found = find(
        calls({"x": text}, CallScope()),
        lambda call: fails(evaluate(call["x"], {})),
        settings=settings(database=None, max_examples=600),
        random=Random(6),
    )
    return found["x"].source()
