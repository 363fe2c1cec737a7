"""Sources find or make inputs whose common human reading is a wanted answer."""

from worker.sources.by_settings import configured
from worker.sources.choice import Source, Sources

__all__ = ["Source", "Sources", "configured"]
