"""Guests of our own that are forked from a template, as the real ones are."""

import sys
from pathlib import Path

from worker.sandbox.guest_launch import GuestProgram, LaunchPlan
from worker.sandbox.guest_limits import Limits


def plan(isolation, tree: Path, program: GuestProgram, limits: Limits | None = None) -> LaunchPlan:
    return LaunchPlan(isolation, tree.resolve(), Path(sys.executable), limits or Limits(), program)
