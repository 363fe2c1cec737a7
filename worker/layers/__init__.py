"""Surveying the layers of an installed library in the sandbox, and the file it leaves."""

from worker.layers.building import Place, Progress, Surveyed, build
from worker.layers.shown import of_layer, summary

__all__ = ["Place", "Progress", "Surveyed", "build", "of_layer", "summary"]
