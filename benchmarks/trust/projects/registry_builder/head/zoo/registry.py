"""Classes by name."""

from __future__ import annotations

HEADS: dict = {}


def register(name):
    def add(cls):
        if name in HEADS:
            raise KeyError(f"{name} is registered twice")
        HEADS[name] = cls
        return cls

    return add


def build(settings: dict):
    """The head that the settings describe: ``{"type": "linear", "classes": 3}``."""
    settings = dict(settings)
    kind = settings.pop("type", "linear")
    if kind not in HEADS:
        raise KeyError(f"unknown head {kind!r}; known: {', '.join(sorted(HEADS))}")
    return HEADS[kind](**settings)
