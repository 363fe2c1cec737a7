"""Clients that do nothing, where nothing better is known."""

from __future__ import annotations

from types import ModuleType

from .. import standins


def patch_clients(module: ModuleType) -> None:
    """Make the clients of a module inert, and say so."""
    standins.note(module.__name__)
    for name in list(vars(module)):
        if name.endswith("Client"):
            setattr(module, name, standins.Inert(f"{module.__name__}.{name}"))
