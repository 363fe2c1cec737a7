"""Other inputs than the valid ones: FreeFuzz's mutations (DeepREL, section 4.4), and extremes."""

from __future__ import annotations

from .mutants import mutants
from .places import DTYPE, SHAPE, STRIDES, VALUE, Fixed, Place

__all__ = ["DTYPE", "SHAPE", "STRIDES", "VALUE", "Fixed", "Place", "mutants"]
