"""The same question to another provider."""

from __future__ import annotations

from analyzers import catalogue
from analyzers.vocabulary import Input, InputKind
from worker.broker import ApiRequest, Broker


def others(api: str, broker: Broker) -> list[str]:
    """An API of each other provider for the same task, where the provider itself answers."""
    known = catalogue.load().apis
    ours = known[api]
    found: dict[str, str] = {}
    for name, theirs in known.items():
        house = _house(theirs.provider)
        same = theirs.task == ours.task and house != _house(ours.provider)
        if same and broker.provided(name):
            found.setdefault(house, name)
    return list(found.values())


def question(item: Input) -> ApiRequest:
    """What is asked about an input, with no options."""
    if item.kind is InputKind.TEXT:
        return ApiRequest(text=item.content.decode("utf-8", "replace"))
    return ApiRequest(content=item.content)


def _house(provider: str) -> str:
    return provider.partition(".")[0]
