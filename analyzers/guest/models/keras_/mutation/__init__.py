"""The twelve rules on functional and Sequential models of Keras."""

from .applying import mutated, mutations

__all__ = ["mutated", "mutations"]
