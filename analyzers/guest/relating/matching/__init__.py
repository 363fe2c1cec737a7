"""Candidates: which APIs may do the same (DeepREL, section 4.1)."""

from __future__ import annotations

from .candidates import Candidate, Related, candidates, nearest
from .names import Names

__all__ = ["Candidate", "Names", "Related", "candidates", "nearest"]
