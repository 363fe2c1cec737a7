"""Inputs for an API until it disagrees with what it should agree with (DeepREL, section 4.4)."""

from __future__ import annotations

from .findings import Finding
from .fuzzing import fuzz
from .hunt import Fuzzed
from .reproducing import reproducer
from .subjects import Settings, Subject

__all__ = ["Finding", "Fuzzed", "Settings", "Subject", "fuzz", "reproducer"]
