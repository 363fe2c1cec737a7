"""A report in every format, and the files that let anybody see it again."""

from worker.report.artifacts import Artifacts, write_artifacts
from worker.report.render import FORMATS, Options, render

__all__ = ["FORMATS", "Artifacts", "Options", "render", "write_artifacts"]
