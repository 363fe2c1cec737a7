"""Operators that change one block: API replacement, random generation, boundary checking.

MoCo, section III-C; what parameters take is data (``analyzers.assembly.constraints``).
"""

from analyzers.assembly.operators.generating import bounded, generated
from analyzers.assembly.operators.nouns import BOUNDARY, GENERATION, REPLACEMENT, Change, Mutant
from analyzers.assembly.operators.replacing import features_before, replaced

__all__ = [
    "BOUNDARY",
    "GENERATION",
    "REPLACEMENT",
    "Change",
    "Mutant",
    "bounded",
    "features_before",
    "generated",
    "replaced",
]
