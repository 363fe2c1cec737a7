"""Surveying the layers of an installed library in the sandbox, and the file it leaves."""

from worker.layers.building import Progress, Surveyed, SurveySandbox, build
from worker.layers.shown import of_layer, summary

__all__ = ["Progress", "SurveySandbox", "Surveyed", "build", "of_layer", "summary"]
