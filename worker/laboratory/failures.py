"""How a guest fails its session, and how a target fails to be loaded."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.vocabulary import Run


class GuestFailure(Exception):  # noqa: N818 - named by what happened
    """The guest broke off or broke the protocol; ``tail`` is what it printed."""


class GuestEnded(GuestFailure):
    """The guest ended, or did not answer in time: a limit, until proved otherwise.

    ``runs`` are those that were over before.
    """

    runs: Sequence[Run] = ()


class Unpreparable(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """The target cannot be loaded; the message says why."""
