"""Densely connected networks."""

from densenet.network import dense_net

__all__ = ["dense_net"]
