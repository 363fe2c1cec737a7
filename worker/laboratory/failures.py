"""How a guest fails its session, and how a target fails to be loaded."""

from __future__ import annotations


class GuestFailure(Exception):  # noqa: N818 - named by what happened
    """The guest broke off or broke the protocol; ``tail`` is what it printed."""


class Unpreparable(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be loaded; the message says why."""
